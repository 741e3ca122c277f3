// What else was legal at a decision: the choices in words, the chosen one marked.

import { html } from "./svg.js";

/** Fills `root` with the choices of a frame. Returns {show(frame)}. */
export function legal(root, { labels }) {
  const asks = html("p", { class: "kind" });
  const list = html("ul", { class: "moves", tabindex: "0", "aria-labelledby": "legal-title" });
  root.replaceChildren(asks, list);
  return {
    show({ asked, choices = [], legal = [], move }) {
      asks.textContent = asked ?? labels.no_choice;
      list.replaceChildren(
        ...choices.map((choice, index) => {
          const chosen = legal[index] === move ? { class: "chosen", "aria-current": "true" } : {};
          return html("li", { title: legal[index], ...chosen }, choice);
        }),
      );
    },
  };
}
