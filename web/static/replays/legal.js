// What else was legal at a decision: the choices in the notation of moves, the chosen one marked.

import { html } from "./svg.js";

/** Fills `root` with the choices of a frame. Returns {show(frame)}. */
export function legal(root, { labels }) {
  return {
    show(frame) {
      const moves = frame.legal ?? [];
      const chips = moves.map((move) => {
        const chosen = move === frame.move;
        return html("li", chosen ? { class: "chosen", "aria-current": "true" } : {}, move);
      });
      const summary = moves.length ? `${frame.kind} · ${moves.length}` : labels.no_choice;
      root.replaceChildren(
        html("p", { class: "kind" }, summary),
        html("ul", { class: "moves" }, ...chips),
      );
    },
  };
}
