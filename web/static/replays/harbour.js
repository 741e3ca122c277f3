// The harbour: the ship with its dice, the value's flags, the track of seven ships.

import { svg, symbol, words } from "./svg.js";

const DIE = 50;
const SHIPS = 7;
const FLAGS = [2, 3, 4];

/** The ship with four places for dice. Returns {element, show(demand)}. */
export function ship({ x, y, scale }) {
  const cargo = svg("g", { class: "cargo" });
  const element = svg(
    "g",
    { class: "ship", transform: `translate(${x} ${y}) scale(${scale})` },
    symbol("steamer", 0, 0, 356, 160),
    cargo,
  );
  return {
    element,
    /** `demand`: {good: left} of the four goods on the ship; {} while none is rolled. */
    show(demand) {
      const dice = Object.entries(demand).map(([good, left], place) => {
        const at = { class: `die die-${good}${left ? "" : " met"}`, "data-good": good };
        return svg("g", { ...at, transform: `translate(${34 + place * 57} 37)` }, ...die(good, left));
      });
      const empty = [0, 1, 2, 3].map((place) =>
        svg("rect", { class: "die-place", x: 35 + place * 57, y: 38, width: 48, height: 48, rx: 8 }),
      );
      cargo.replaceChildren(...(dice.length ? dice : empty));
    },
  };
}

function die(good, left) {
  return [
    svg("title", {}, `${good}: ${left}`),
    svg("rect", { class: "face", width: DIE, height: DIE, rx: 9 }),
    words(DIE / 2 - 3, 35, String(left), { class: "count", "text-anchor": "middle", "font-size": 32 }),
    svg("circle", { class: "tag", cx: DIE - 3, cy: DIE - 3, r: 13 }),
    symbol(good, DIE - 13, DIE - 13, 20),
  ];
}

/** The flags 2, 3, 4 and the chequered one. Returns {element, show(value)}. */
export function flags({ x, y, pitch }, label) {
  const marker = svg("g", { class: "value-marker piece" }, symbol("value-marker", -15, -15, 30));
  const poles = [...FLAGS, "chequered"].map((value, index) =>
    svg(
      "g",
      { transform: `translate(${index * pitch} 0)` },
      symbol(value === "chequered" ? "flag-chequered" : "flag", 0, 0, 50, 76),
      value === "chequered"
        ? ""
        : words(28, 27, String(value), { class: "flag-value", "text-anchor": "middle", "font-size": 23 }),
    ),
  );
  const element = svg(
    "g",
    { class: "flags", transform: `translate(${x} ${y})` },
    words(0, -12, label, { class: "label", "font-size": 15 }),
    ...poles,
    marker,
  );
  return {
    element,
    show(value) {
      const index = FLAGS.indexOf(value);
      marker.style.transform = `translate(${index * pitch + 6}px, 62px)`;
    },
  };
}

/** The seven ships in a row. Returns {element, show(number)}. */
export function track({ x, y, pitch }, label) {
  const ships = Array.from({ length: SHIPS }, (_, index) =>
    svg(
      "g",
      { class: "track-ship", transform: `translate(${index * pitch} 0)` },
      symbol("small-ship", -2, 0, 36, 30),
      words(16, 50, String(index + 1), { "text-anchor": "middle", "font-size": 15 }),
    ),
  );
  const caption = words(0, -14, label, { class: "label", "font-size": 15 });
  return {
    element: svg("g", { class: "track", transform: `translate(${x} ${y})` }, caption, ...ships),
    show(number) {
      ships.forEach((ship, index) => {
        ship.classList.toggle("gone", index + 1 < number);
        ship.classList.toggle("here", index + 1 === number);
      });
    },
  };
}
