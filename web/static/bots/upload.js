// Uploads a package: by drag and drop, with a look into it before, and progress while it goes.
// Without scripts the form sends the file by itself.

import { packed } from "./folder.js";
import { read, Refusal } from "./package.js";

const form = document.querySelector("[data-upload]");
const input = form.elements.package;
const part = (name) => form.querySelector(`[data-part=${name}]`);
const most = {
  packed: Number(form.dataset.most),
  unpacked: Number(form.dataset.mostUnpacked),
  files: Number(form.dataset.mostFiles),
};
const MB = 1024 * 1024;
let sending = null;
let packing = null; // the folder that is packed, until another file is chosen
let submitted = false; // while the file is looked into before it is sent

/** "3.4 MB", in the reader's way to write numbers. */
function bytes(count) {
  const language = document.documentElement.lang;
  const [unit, by] = count >= MB ? ["megabyte", MB] : ["kilobyte", 1024];
  return new Intl.NumberFormat(language, { style: "unit", unit, maximumFractionDigits: 1 }).format(count / by);
}

function sentence(says, fields = {}) {
  const template = form.dataset[`says${says[0].toUpperCase()}${says.slice(1)}`];
  return template.replace(/\{(\w+)\}/g, (_, field) => fields[field] ?? "");
}

/** Shows a sentence; `wrong` if something has to be done about it. */
function say(text, wrong = false) {
  form.querySelector("[role=alert]")?.remove();
  part("status").textContent = text;
  part("status").classList.toggle("wrong-sentence", wrong);
  input.setAttribute("aria-invalid", String(wrong));
}

function refuse({ says, fields }) {
  const shown = (value) => (typeof value === "number" && !fields.plain ? bytes(value) : value);
  say(sentence(says, Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, shown(value)]))), true);
}

/** Looks into the chosen file; false if it is not to be sent, or another one was chosen meanwhile. */
async function look() {
  const [file] = input.files;
  if (!file) return false;
  packing = null;
  const isChosen = () => input.files[0] === file;
  try {
    const found = await read(file, most);
    if (isChosen()) say(sentence("found", { ...found, size: bytes(file.size) }));
  } catch (error) {
    if (isChosen() && error instanceof Refusal) {
      refuse(error);
      return false;
    }
  }
  return isChosen(); // also in a browser that can't look into it
}

function busy(now) {
  part("progress").hidden = part("cancel").hidden = !now;
  form.querySelector("button.primary").disabled = now;
  if (!now) sending = null;
}

function send() {
  sending = new XMLHttpRequest();
  sending.open("POST", form.action);
  sending.responseType = "document";
  sending.upload.onprogress = ({ loaded, total }) => {
    part("progress").value = loaded / total;
    say(sentence(loaded < total ? "sending" : "arrived", { percent: Math.floor((100 * loaded) / total) }));
  };
  sending.onload = ({ target }) => arrived(target);
  sending.onerror = () => {
    busy(false);
    say(sentence("cut"), true);
  };
  sending.onabort = () => {
    busy(false);
    say("");
  };
  busy(true);
  sending.send(new FormData(form));
}

/** The site leads to the version's page, or says what is wrong; a proxy in front has no words. */
function arrived({ status, responseURL, response }) {
  if (status < 400) {
    location.assign(responseURL);
    return;
  }
  busy(false);
  const told = response?.querySelector("[data-upload] [role=alert], .error-page h1 + p");
  say(told?.textContent.trim() || sentence(status < 500 ? "refused" : "cut"), true);
}

function drop(event) {
  event.preventDefault();
  form.classList.remove("over");
  const [item] = event.dataTransfer.items;
  if (sending || !item || item.kind !== "file") return;
  const entry = item.webkitGetAsEntry?.();
  if (entry?.isDirectory) {
    pack(entry);
    return;
  }
  input.files = event.dataTransfer.files;
  look();
}

/** Puts a dropped folder into the form, as a package. */
async function pack(folder) {
  input.value = "";
  packing = folder;
  say(sentence("packing"));
  const given = new DataTransfer();
  try {
    given.items.add(await packed(folder, most, form.dataset.leftOut.split(" ")));
    if (packing !== folder) return;
    input.files = given.files;
    look();
  } catch (error) {
    if (packing === folder) refuse(error);
  }
}

for (const hint of form.querySelectorAll(".scripted")) hint.hidden = false;
input.addEventListener("change", look);
part("cancel").addEventListener("click", () => sending?.abort());
form.addEventListener("dragover", (event) => {
  event.preventDefault();
  form.classList.add("over");
});
form.addEventListener("dragleave", () => form.classList.remove("over"));
form.addEventListener("drop", drop);
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (sending || submitted) return;
  submitted = true;
  if (await look()) send();
  submitted = false;
});
