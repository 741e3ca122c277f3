// What the analysis says of decisions: in the log, above the slider, and beside the moment shown.

import { percent } from "./chances.js";
import { milestone } from "./milestones.js";
import { html } from "./svg.js";

const HEIGHTS = { big: 9, clear: 7, small: 4, only: 7, find: 9 };

/** Marks the decisions that may be known by now. Returns {show()}. */
export function marks({ part, timeline }, found, known) {
  let shown = -1;
  let beside = null;

  function sign({ mark, cost }) {
    const { glyph, name } = found.marks[mark];
    const told = cost >= 0.005 ? [`${name}, `, `−${percent(cost)}`] : [name, ""];
    return html(
      "span",
      { class: `judged ${mark}` },
      html("b", { "aria-hidden": "true" }, glyph),
      " ",
      html("span", { class: "word" }, told[0]),
      told[1],
    );
  }

  function place(at, decision) {
    const d = `M0 ${9 - HEIGHTS[decision.mark]}V9`;
    const kind = `decision seat-${decision.seat} ${decision.mark}`;
    part("milestones").append(milestone(timeline, at, kind, d));
  }

  function add(reached) {
    const links = new Map(
      [...part("log").querySelectorAll("a[data-at]")].map((link) => [Number(link.dataset.at), link]),
    );
    for (const [number, decision] of Object.entries(found.decisions)) {
      const at = Number(number);
      if (!decision.mark || at > reached) continue;
      if (at > shown) links.get(at)?.append(" ", sign(decision));
      place(at, decision); // what stood above the slider was drawn anew
    }
    shown = reached;
  }

  return {
    show() {
      if (known.reached() > shown) add(known.reached());
      const decision = found.decisions[timeline.at];
      beside?.remove();
      beside = decision?.mark ? html("span", {}, " · ", sign(decision)) : null;
      if (beside) part("where").append(beside);
    },
  };
}
