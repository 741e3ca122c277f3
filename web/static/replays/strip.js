// The score in a line, for where the players' cards are out of sight.

import { leads } from "./players.js";
import { points } from "./race.js";
import { html, icon } from "./svg.js";

/** Fills `root` (a list) with the VP of each seat. Returns {show(frame)}. */
export function strip(root, replay) {
  const { seats } = replay;
  const numbers = seats.map(() => html("b", {}));
  const entries = seats.map(({ label }, seat) =>
    html(
      "li",
      { class: `seat-${seat}`, title: label },
      icon(`seat-${seat}`, "glyph"),
      html("span", { class: "who" }, label),
      numbers[seat],
    ),
  );
  root.replaceChildren(...entries);
  return {
    show(frame) {
      const over = frame.type === "end";
      const held = points(frame, replay);
      entries.forEach((entry, seat) => {
        numbers[seat].textContent = held[seat];
        entry.classList.toggle("active", frame.turn > 0 && !over && frame.active === seat);
        entry.classList.toggle("leads", leads(frame, seat));
        entry.classList.toggle("first", over && replay.ranks[seat] === 1);
      });
    },
  };
}
