// What was possible at a decision: every legal move with its value, and the best line on the board.

import { json } from "../live/keeping_up.js";
import { odds, percent } from "./chances.js";
import { isTaken } from "./dialogs.js";
import { html } from "./svg.js";
import { Timeline } from "./timeline.js";

/** Fills the panel of choices anew where there are values. Returns {show()}. */
export function possible(viewer, found, known) {
  const { part, timeline, replay } = viewer;
  const { labels } = found;
  const root = part("legal");
  const title = document.getElementById("legal-title");
  const usual = title.textContent;
  const line = bestLine(viewer, found);

  function moves(decision) {
    const { legal, choices, move } = timeline.frame;
    const order = decision.shares
      .map((share, index) => ({ share, text: choices[index], played: legal[index] === move }))
      .sort((one, other) => other.share - one.share);
    return order.map(({ share, text, played }) => {
      const bar = html("span", { class: "bar", "aria-hidden": "true" });
      bar.style.setProperty("--share", `${100 * share}%`);
      return html(
        "li",
        played ? { class: "taken", "aria-current": "true" } : {},
        html("span", { class: "what" }, text, ...(played ? [" ", html("small", {}, labels.played)] : [])),
        bar,
        html("b", {}, percent(share)),
      );
    });
  }

  function values(decision) {
    const list = html("ol", { class: "values", tabindex: "0", "aria-labelledby": "legal-title" }, ...moves(decision));
    const way = html("button", { type: "button", class: "small-button" }, labels.line);
    way.addEventListener("click", () => line.open(way));
    root.replaceChildren(
      html("p", { class: "kind" }, timeline.frame.asked),
      html("p", { class: "quiet" }, labels.values),
      list,
      way,
    );
  }

  function luck(changes) {
    const numbers = changes.map((change) => html("b", {}, signed(change)));
    root.replaceChildren(html("p", { class: "quiet" }, labels.luck), odds(replay.seats, numbers));
  }

  return {
    show() {
      line.keep();
      const decision = found.decisions[timeline.at];
      title.textContent = decision ? labels.possible : usual;
      if (decision) values(decision);
      else if (found.rolls[timeline.at]) luck(found.rolls[timeline.at]);
    },
  };
}

/** "+3 %", "−12 %". */
function signed(change) {
  const text = percent(Math.abs(change));
  return change > -0.005 ? `+${text}` : `−${text}`;
}

/** The line that the search thinks best, stepped on the board instead of the game. */
function bestLine({ page, part, stage, timeline }, { labels, lines }) {
  const place = html("span", { class: "line-place" });
  const told = html("p", { role: "status" });
  const back = html("button", { type: "button", "aria-label": labels.line_back }, "←");
  const on = html("button", { type: "button", "aria-label": labels.line_on }, "→");
  const out = html("button", { type: "button" }, labels.line_leave);
  const bar = html("div", { class: "line-bar", role: "group", "aria-label": labels.line }, html("p", {}, html("b", {}, labels.line), " ", place), back, on, out, told);
  let moments = null; // of the line that is shown
  let from = null; // the moment of the decision

  function show(before) {
    const stepped = moments.at === before + 1;
    stage(moments.frame, stepped ? moments.frames[before] : null);
    place.textContent = `${moments.at} / ${moments.last}`;
    back.setAttribute("aria-disabled", String(moments.at === 0));
    on.setAttribute("aria-disabled", String(moments.at === moments.last));
    told.textContent = moments.frame.text;
    part("where").textContent = `${labels.line} · ${place.textContent}`;
  }

  async function open(button) {
    const { at } = timeline;
    button.disabled = true;
    const frames = await json(`${lines}/${at}`).finally(() => (button.disabled = false));
    if (timeline.at !== at || moments) return;
    moments = new Timeline([timeline.frames[at - 1], ...frames]);
    moments.listen(show);
    from = at;
    page.classList.add("on-line");
    part("board").before(bar);
    moments.step(1);
    bar.scrollIntoView({ block: "nearest" });
    on.focus({ preventScroll: true });
  }

  /** Stays as long as the game stands where the line begins: the board may be drawn anew. */
  function keep() {
    if (moments && timeline.at === from) show(moments.at);
    else leave();
  }

  /** The game is shown again, or about to be. */
  function leave() {
    moments = null;
    page.classList.remove("on-line");
    bar.remove();
  }

  function close() {
    leave();
    timeline.refresh();
    part("legal").querySelector("button")?.focus();
  }

  back.addEventListener("click", () => moments.step(-1));
  on.addEventListener("click", () => moments.step(1));
  out.addEventListener("click", close);
  bar.addEventListener("keydown", (event) => {
    const { key } = event;
    if (isTaken(event)) return;
    if (key === "ArrowLeft") moments.step(-1);
    else if (key === "ArrowRight") moments.step(1);
    else if (key === "Escape") close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return { open, keep };
}
