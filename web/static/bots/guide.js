// The form for a bot that its author runs: the site looks at what is typed, field by field, and the
// line that starts the bot has the address and the secret that stand in the form.

const form = document.querySelector("[data-guide]");
const part = (name) => form.querySelector(`[data-part=${name}]`);
const PAUSE = 400; // milliseconds after the last key before the site is asked

const touched = new Set();
let waiting = 0;
let asked = 0;

function startLine() {
  const address = form.elements.address.value.trim();
  const [shown, port] = [part("start-address"), /:(\d+)$/.exec(address)?.[1]];
  if (port) shown.textContent = shown.dataset.host ? `${shown.dataset.host}:${port}` : address;
  part("start-secret").textContent = form.elements.secret.value || "…";
}

/** Shows what is wrong with a field, or its hint again. */
function mark(input, wrong) {
  const label = input.closest(".field");
  const said = label.querySelector("strong");
  const hint = label.querySelector("small");
  label.classList.toggle("wrong", Boolean(wrong));
  label.classList.toggle("right", !wrong && input.value !== "");
  input.setAttribute("aria-invalid", String(Boolean(wrong)));
  if (hint) hint.hidden = Boolean(wrong);
  if (!wrong) said?.remove();
  else if (said) said.textContent = wrong;
  else label.append(Object.assign(document.createElement("strong"), { role: "alert", textContent: wrong }));
}

async function look() {
  const number = ++asked;
  const answer = await fetch(form.dataset.guide, { method: "POST", body: new FormData(form) });
  if (!answer.ok || number !== asked) return;
  const wrong = await answer.json();
  for (const name of touched) mark(form.elements[name], wrong[name]);
  part("all-right").textContent = Object.keys(wrong).length ? "" : part("all-right").dataset.says;
}

form.addEventListener("input", ({ target }) => {
  startLine();
  if (target.closest(".field")) touched.add(target.name);
  clearTimeout(waiting);
  waiting = setTimeout(look, PAUSE);
});

// What was typed before this script was there, or is kept by the browser, is looked at, too.
for (const input of form.querySelectorAll(".field input")) {
  if (input.value !== input.defaultValue) touched.add(input.name);
}
if (touched.size) {
  startLine();
  look();
}
