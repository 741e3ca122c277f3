// The market square: what is left in the supply.

import { fitting, svg, symbol, words } from "./svg.js";

const GOODS = ["sugar", "citrus", "tobacco", "rum", "cigars", "wood"];

/** The supply as piles on a square of the town. Returns {element, show(left)}. */
export function market({ x, y, width, height, columns }, label) {
  const counts = new Map();
  const rows = Math.ceil(GOODS.length / columns);
  const cell = { width: width / columns, height: (height - 22) / rows };
  const piles = GOODS.map((good, index) => {
    const left = (index % columns) * cell.width;
    const top = 22 + Math.floor(index / columns) * cell.height;
    const size = Math.min(24, cell.height - 3);
    const count = words(left + cell.width * 0.76, top + 1 + size * 0.76, "", {
      "text-anchor": "middle", "font-size": 16.5,
    });
    counts.set(good, count);
    return svg("g", {}, symbol(good, left + cell.width * 0.1, top + 1, size), count);
  });
  const element = svg(
    "g",
    { class: "market", transform: `translate(${x} ${y})` },
    svg("rect", { class: "square", width, height, rx: 9 }),
    words(width / 2, 16, label, {
      class: "label", "text-anchor": "middle", "font-size": fitting(label, 13, width - 8),
    }),
    ...piles,
  );
  return {
    element,
    show(left) {
      for (const [good, count] of counts) {
        count.textContent = left[good];
        count.parentNode.classList.toggle("sold-out", left[good] === 0);
      }
    },
  };
}
