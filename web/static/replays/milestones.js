// Above the slider: where ships left, and where a bot faulted.

import { svg } from "./svg.js";

/** Draws them into `root` (an <svg>). Returns {put()}, for when there are more, or more may be told. */
export function milestones(root, timeline) {
  function put() {
    root.replaceChildren(
      ...timeline.known(timeline.ships).map((at) => milestone(timeline, at, "departure", "M-4 1h8l-4 7z")),
      ...timeline.known(timeline.faults).map((at) => milestone(timeline, at, "fault", "M-4 0l8 8m0-8l-8 8")),
    );
  }
  put();
  return { put };
}

/** A mark of the class `name` at a moment, drawn by the path `d`. */
export function milestone(timeline, at, name, d) {
  const x = `${((100 * at) / Math.max(1, timeline.last)).toFixed(2)}%`;
  return svg("svg", { x, overflow: "visible", class: name }, svg("path", { d }));
}
