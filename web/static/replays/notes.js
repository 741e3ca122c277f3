// What bots said beside their choices: after the game up to the moment that is shown, beside what
// the engine thinks if there is an analysis; while it is played what the reader's own bots said.

import { html, icon, svg } from "./svg.js";

/** Fills the list of a panel with the newest note of each seat. Returns {show()}. */
export function notes(root, replay, timeline) {
  const list = root.querySelector("ul");
  const page = root.closest("[data-replay]");
  let engine = null; // the chances at each moment, once there is an analysis
  let asked = false;

  const told = () => timeline.frames.some(({ note }) => note);

  function newest() {
    const found = new Map();
    for (const { note, seat } of timeline.frames.slice(0, timeline.at + 1)) {
      if (note) found.set(seat, note);
    }
    return [...found].sort(([one], [other]) => one - other);
  }

  function entry([seat, { text, chances, line, expected }]) {
    return html(
      "li",
      { class: `seat-${seat}` },
      icon(`seat-${seat}`, "glyph"),
      " ",
      html("b", {}, replay.seats[seat].label),
      ...(text ? [" ", html("q", {}, text)] : []),
      ...(chances ? [seen(chances)] : []),
      ...(line ? [" ", moves(line.join(", "), expected, root.dataset.expects)] : []),
    );
  }

  function show() {
    if (!told()) return;
    const entries = newest().map(entry);
    if (engine && entries.length) {
      entries.unshift(html("li", {}, html("b", {}, root.dataset.engine), seen(engine[timeline.at])));
    }
    root.hidden = false;
    root.querySelector("[data-alone]")?.remove();
    if (!entries.length) entries.push(html("li", { class: "quiet" }, root.dataset.none));
    list.replaceChildren(...entries);
  }

  /** While the game is played the site is asked, which says it to the author of the bots alone. */
  async function ask() {
    if (asked || told()) return;
    asked = true;
    try {
      const answer = await fetch(root.dataset.own);
      if (answer.status === 200 && !told()) list.innerHTML = await answer.text();
    } finally {
      asked = false;
    }
  }

  if (root.dataset.own) page.addEventListener("news", ask);
  page.addEventListener("analysed", ({ detail }) => {
    engine = detail.chances;
    show();
  });
  return { show };
}

/** The moves that a bot expects, in words; in the notation if none of them is legal. */
function moves(notation, expected, label) {
  if (!expected) return html("code", {}, notation);
  return html("span", { title: notation }, html("span", { class: "quiet" }, label), ` ${expected}`);
}

/** The chances of all seats: a bar in their colours, and numbers. */
function seen(chances) {
  let left = 0;
  const parts = chances.map((chance, seat) => {
    const part = svg("rect", { class: `seat-${seat}`, x: 100 * left, width: 100 * chance, height: 10 });
    left += chance;
    return part;
  });
  const shape = { class: "odds-bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" };
  const whole = (chance) => chance.toLocaleString(document.documentElement.lang, { style: "percent" });
  return html(
    "span",
    { class: "seen" },
    svg("svg", shape, ...parts),
    ...chances.map((chance, seat) => html("span", { class: `seat-${seat}` }, icon(`seat-${seat}`, "glyph"), ` ${whole(chance)}`)),
  );
}
