// The harbour: the ship with its dice, the value's flags, the track of seven ships.

import { fitting, svg, symbol, words } from "./svg.js";

const DIE = 50;
const PITCH = 57;
const PLACES = [0, 1, 2, 3];
const TOSSES = [[34, -8], [22, 5], [34, -3], [22, 7], [34, -6]]; // height and angle
const TUMBLE = 650; // milliseconds, and some more for each die
const SAIL = 900;
const MIDDLE = { "text-anchor": "middle" };
const SHIPS = 7;
const FLAGS = [2, 3, 4];

/** The ship with four places for dice. Returns {element, show(demand, rolled, moving, sails)}. */
export function ship({ x, y, scale }, names, colon) {
  const cargo = svg("g", { class: "cargo" });
  const hull = svg("g", {}, symbol("steamer", 0, 0, 356, 160), cargo);
  const place = `translate(${x} ${y}) scale(${scale})`;
  const element = svg("g", { class: "ship", transform: place }, hull);
  const die = (good, left, transform) =>
    makeDie(good, left, transform, `${names[good]}${colon}${left}`);

  /** The old ship leaves to the left while the new one comes from the right. */
  function sail() {
    const old = hull.cloneNode(true);
    element.prepend(old);
    const leaving = { transform: "translateX(-700px)", opacity: 0 };
    const coming = { transform: "translateX(700px)", opacity: 0 };
    const timing = { duration: SAIL, easing: "ease-in-out" };
    old.animate([{}, leaving], timing).finished.finally(() => old.remove());
    hull.animate([coming, {}], timing);
  }

  return {
    element,
    /**
     * `demand`: {good: left} of the four goods on the ship, {} while none is chosen; `rolled`:
     * the five dice as they fell, where they have just been rolled. `moving` lets them tumble,
     * `sails` another ship come.
     */
    show(demand, rolled, moving, sails) {
      if (moving && sails) sail();
      const dice = rolled
        ? Object.entries(rolled).map(([good, left], at) => die(good, left, tossed(at)))
        : Object.entries(demand).map(([good, left], at) => die(good, left, aboard(at)));
      cargo.replaceChildren(...(dice.length ? dice : PLACES.map(empty)));
      if (moving && rolled) dice.forEach(tumble);
    },
  };
}

function aboard(place) {
  return `translate(${34 + place * PITCH} 37)`;
}

/** Where one of the five dice fell; one of them will not come aboard. */
function tossed(place) {
  const [y, tilt] = TOSSES[place];
  return `translate(${24 + place * 49} ${y}) rotate(${tilt} 20 20) scale(0.8)`;
}

/** A die falls, turns over, and only then shows its number. */
function tumble({ firstElementChild: body }, place) {
  const side = place % 2 ? 1 : -1;
  const timing = { duration: TUMBLE + 90 * place, easing: "cubic-bezier(0.3, 0, 0.4, 1)" };
  const up = { transform: `translate(${side * 60}px, -150px) rotate(${side * 540}deg)` };
  const down = { transform: `translateY(6px) rotate(${-side * 25}deg)`, offset: 0.75 };
  body.animate([{ ...up, opacity: 0 }, { opacity: 1, offset: 0.2 }, down, {}], timing);
  const hidden = [{ opacity: 0 }, { opacity: 0, offset: 0.7 }, { opacity: 1 }];
  body.querySelector(".count").animate(hidden, timing);
}

function empty(place) {
  const at = { x: 35 + place * PITCH, y: 38, width: DIE - 2, height: DIE - 2, rx: 8 };
  return svg("rect", { class: "die-place", ...at });
}

function makeDie(good, left, transform, title) {
  const body = svg(
    "g",
    { class: "die-body" },
    svg("rect", { class: "face", width: DIE, height: DIE, rx: 9 }),
    words(DIE / 2 - 3, 35, String(left), { class: "count", ...MIDDLE, "font-size": 32 }),
    svg("circle", { class: "tag", cx: DIE - 3, cy: DIE - 3, r: 13 }),
    symbol(good, DIE - 13, DIE - 13, 20),
  );
  return svg(
    "g",
    { class: `die die-${good}${left ? "" : " met"}`, "data-good": good, transform },
    body,
    svg("title", {}, title),
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
    words(0, -12, label, { class: "label", "font-size": fitting(label, 15, 3.6 * pitch) }),
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
  const size = fitting(label, 15, SHIPS * pitch);
  const caption = words(0, -14, label, { class: "label", "font-size": size });
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
