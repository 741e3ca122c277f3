// What else was legal at a decision: the choices in words, the chosen one marked.

import { html } from "./svg.js";

/** Fills `root` with the choices of a frame. Returns {show(frame)}. */
export function legal(root, { labels }) {
  const asks = html("p", { class: "kind" });
  const list = html("ul", { class: "moves", tabindex: "0", "aria-labelledby": "legal-title" });
  return {
    show({ asked, choices = [], legal = [], move }) {
      if (!list.isConnected) root.replaceChildren(asks, list); // at first, or after values of choices
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
