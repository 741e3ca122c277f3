// Above the slider: where ships left, and where a bot faulted.

import { svg } from "./svg.js";

/** Draws them into `root` (an <svg>). Returns {put()}, for when there are more. */
export function milestones(root, timeline) {
  function put() {
    const at = (index) => `${((100 * index) / Math.max(1, timeline.last)).toFixed(2)}%`;
    const mark = (index, name, d) =>
      svg("svg", { x: at(index), overflow: "visible", class: name }, svg("path", { d }));
    root.replaceChildren(
      ...timeline.ships.map((index) => mark(index, "departure", "M-4 1h8l-4 7z")),
      ...timeline.frames.flatMap((frame, index) =>
        frame.type === "fault" ? [mark(index, "fault", "M-4 0l8 8m0-8l-8 8")] : [],
      ),
    );
  }
  put();
  return { put };
}
