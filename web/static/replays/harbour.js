// The harbour: the ship with its dice, the value's flags, the track of seven ships.

import { svg, symbol, words } from "./svg.js";

const DIE = 50;
const PITCH = 57;
const PLACES = [0, 1, 2, 3];
const TOSSES = [[34, -8], [22, 5], [34, -3], [22, 7], [34, -6]]; // height and angle
const MIDDLE = { "text-anchor": "middle" };
const SHIPS = 7;
const FLAGS = [2, 3, 4];

/** The ship with four places for dice. Returns {element, show(demand, rolled)}. */
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
    /**
     * `demand`: {good: left} of the four goods on the ship, {} while none is chosen; `rolled`:
     * the five dice as they fell, where they have just been rolled.
     */
    show(demand, rolled) {
      const dice = rolled
        ? Object.entries(rolled).map(([good, number], place) => tossed(good, number, place))
        : Object.entries(demand).map(([good, left], place) => aboard(good, left, place));
      cargo.replaceChildren(...(dice.length ? dice : PLACES.map(empty)));
    },
  };
}

function aboard(good, left, place) {
  return die(good, left, `translate(${34 + place * PITCH} 37)`);
}

/** A die of the five that fell; one of them will not come aboard. */
function tossed(good, number, place) {
  const [y, tilt] = TOSSES[place];
  const at = `translate(${24 + place * 49} ${y}) rotate(${tilt} 20 20) scale(0.8)`;
  return die(good, number, at);
}

function empty(place) {
  const at = { x: 35 + place * PITCH, y: 38, width: DIE - 2, height: DIE - 2, rx: 8 };
  return svg("rect", { class: "die-place", ...at });
}

function die(good, left, transform) {
  return svg(
    "g",
    { class: `die die-${good}${left ? "" : " met"}`, "data-good": good, transform },
    svg("title", {}, `${good}: ${left}`),
    svg("rect", { class: "face", width: DIE, height: DIE, rx: 9 }),
    words(DIE / 2 - 3, 35, String(left), { class: "count", ...MIDDLE, "font-size": 32 }),
    svg("circle", { class: "tag", cx: DIE - 3, cy: DIE - 3, r: 13 }),
    symbol(good, DIE - 13, DIE - 13, 20),
  );
}

/** The flags 2, 3, 4 and the chequered one. Returns {element, show(value)}. */
export function flags({ x, y, pitch, scale }, label) {
  const marker = svg("g", { class: "value-marker piece" }, symbol("value-marker", -15, -15, 30));
  const poles = [...FLAGS, "chequered"].map((value, index) =>
    svg(
      "g",
      { transform: `translate(${index * pitch} 0)` },
      symbol(value === "chequered" ? "flag-chequered" : "flag", 0, 0, 50, 76),
      value === "chequered"
        ? ""
        : words(28, 27, String(value), { class: "flag-value", ...MIDDLE }),
    ),
  );
  const element = svg(
    "g",
    { class: "flags", transform: `translate(${x} ${y}) scale(${scale})` },
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
export function track({ x, y, pitch, scale }, label) {
  const ships = Array.from({ length: SHIPS }, (_, index) =>
    svg(
      "g",
      { class: "track-ship", transform: `translate(${index * pitch} 0)` },
      symbol("small-ship", -2, 0, 36, 30),
      words(16, 50, String(index + 1), { ...MIDDLE, "font-size": 15 }),
    ),
  );
  const caption = words(0, -14, label, { class: "label", "font-size": 15 });
  const place = `translate(${x} ${y}) scale(${scale})`;
  return {
    element: svg("g", { class: "track", transform: place }, caption, ...ships),
    show(number) {
      ships.forEach((ship, index) => {
        ship.classList.toggle("gone", index + 1 < number);
        ship.classList.toggle("here", index + 1 === number);
      });
    },
  };
}
