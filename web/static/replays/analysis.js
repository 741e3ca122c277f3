// Why the game was won: its chances, marks and turning points, as far as nothing is given away.

import { again, json, text } from "../live/keeping_up.js";
import { onLinks } from "../site/links.js";
import { chances } from "./chances.js";
import { marks } from "./marks.js";
import { possible } from "./possible.js";
import { html } from "./svg.js";

const PAUSE = 3; // seconds between two looks at an analysis that is not ready

/** Shows the analysis in `root`, or how one is asked for; `remembered` is "open", or "all" once
 *  nothing has to be kept back. */
export async function analysis(root, viewer, remembered) {
  await style(root.dataset.style);
  const body = root.querySelector("[data-body]");

  let begun = false;

  /** Looks at how the analysis stands; true if that will stay so. */
  async function look() {
    const fresh = html("div");
    fresh.innerHTML = await text(root.dataset.source);
    const waits = fresh.querySelector("[data-waiting]");
    if (!begun) {
      if (body.contains(document.activeElement)) root.focus({ preventScroll: true }); // what has it goes
      body.replaceChildren(...fresh.childNodes);
      await start();
    } else if (waits) {
      body.querySelector("form, [data-waiting]").replaceWith(waits);
    } else {
      location.replace(`?at=${viewer.timeline.at}`); // what is drawn is of an older engine
    }
    return !waits;
  }

  async function start() {
    body.querySelector("form")?.addEventListener("submit", ask);
    const ready = body.querySelector("[data-analysed]");
    if (!ready) return;
    const found = await json(ready.dataset.analysed);
    begun = true;
    begin(body, viewer, remembered, found);
  }

  async function ask(event) {
    event.preventDefault();
    const form = event.currentTarget;
    const button = form.querySelector("button");
    const body = new FormData(form);
    root.focus({ preventScroll: true }); // a button that is disabled loses it
    button.disabled = true;
    const answer = await fetch(form.action, { method: "POST", body }).catch(() => null);
    if (!answer) button.disabled = false; // no connection: it can be pressed again
    else if (answer.ok) again(look, PAUSE);
    else form.submit(); // the site says why not
  }

  again(look, PAUSE);
}

function begin(body, viewer, remembered, found) {
  const { page, part, timeline, reach, SLIM } = viewer;
  const known = horizon(timeline, remembered);
  const chart = chances(part("race").parentElement, viewer, found, known);
  const shown = [chart, marks(viewer, found, known), possible(viewer, found, known)];

  /** Charts and log go no further, either. */
  function cut() {
    const reached = known.reached();
    reach(reached);
    part("log").querySelector(".reached")?.classList.remove("reached");
    part("log").querySelector(`a[data-at="${reached}"]`).parentElement.classList.add("reached");
  }

  function show() {
    cut();
    for (const part of body.querySelectorAll("[data-spoils]")) part.hidden = !known.all();
    hidden.hidden = known.all();
    for (const each of shown) each.show();
  }

  function reveal() {
    remembered.set("all");
    show();
    body.querySelector("[data-spoils]")?.focus();
  }

  const hidden = html(
    "p",
    { class: "kept-back" },
    html("span", {}, found.labels.kept_back),
    html("button", { type: "button" }, found.labels.reveal),
  );
  hidden.querySelector("button").addEventListener("click", reveal);
  body.prepend(hidden);
  page.classList.add("analysed");
  onLinks(body, "a[data-at]", ({ dataset }) => {
    timeline.go(Number(dataset.at));
    page.querySelector(".stage").scrollIntoView({ block: "nearest" });
  });
  page.dispatchEvent(new CustomEvent("analysed", { detail: found }));
  timeline.listen(show);
  SLIM.addEventListener("change", show);
  show();
}

/** How far the reader has come: nothing of what follows is shown before. */
function horizon(timeline, remembered) {
  let reached = timeline.at;
  timeline.listen(() => {
    reached = Math.max(reached, timeline.at);
  });
  const all = () => remembered.get() === "all";
  return { all, reached: () => (all() ? timeline.last : reached) };
}

/** The sheet of the analysis; the page goes on once it is there. */
function style(address) {
  return new Promise((done) => {
    const link = html("link", { rel: "stylesheet", href: address });
    link.onload = link.onerror = done;
    document.head.append(link);
  });
}
