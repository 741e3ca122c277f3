// The ship of a drawn board: its dice fall, come aboard, and sail away with it.

import { places } from "./svg.js";

const TUMBLE = 650; // milliseconds, and some more for each die
const SAIL = 900;

/** Takes over a drawn ship. Returns {show(demand, rolled, moving, sails)}. */
export function ship(root, names, colon) {
  const hull = root.querySelector(".hull");
  const cargo = root.querySelector(".cargo");
  const dice = [...root.querySelectorAll(".die")];
  const [aboard, tossed] = [places(root.dataset.aboard), places(root.dataset.tossed)];

  function place(die, at, left, where) {
    const here = at >= 0;
    die.classList.toggle("absent", !here);
    die.classList.toggle("met", here && !left);
    die.setAttribute("transform", here ? where[at] : aboard[0]);
    die.querySelector(".count").textContent = here ? left : "";
    die.querySelector("title").textContent = here ? `${names[die.dataset.good]}${colon}${left}` : "";
  }

  /** The old ship leaves to the left while the new one comes from the right. */
  function sail() {
    const old = hull.cloneNode(true);
    root.prepend(old);
    const leaving = { transform: "translateX(-700px)", opacity: 0 };
    const coming = { transform: "translateX(700px)", opacity: 0 };
    const timing = { duration: SAIL, easing: "ease-in-out" };
    old.animate([{}, leaving], timing).finished.finally(() => old.remove());
    hull.animate([coming, {}], timing);
  }

  return {
    /**
     * `demand`: {good: left} of the four goods on the ship, {} while none is chosen; `rolled`:
     * the five dice as they fell, where they have just been rolled. `moving` lets them tumble,
     * `sails` another ship come.
     */
    show(demand, rolled, moving, sails) {
      if (moving && sails) sail();
      const lying = Object.keys(rolled ?? demand);
      for (const die of dice) {
        const { good } = die.dataset;
        place(die, lying.indexOf(good), (rolled ?? demand)[good], rolled ? tossed : aboard);
      }
      cargo.classList.toggle("empty", !lying.length);
      if (moving && rolled) dice.forEach(tumble);
    },
  };
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
