// Goods, pesos and VP on their way: from where a player gets them, to whoever gets them.

import { html, icon } from "./svg.js";

const THINGS = new Set(["pesos", "vp", "sugar", "citrus", "tobacco", "rum", "cigars", "wood"]);
const TIME = 620; // milliseconds from start to end
const APART = 80; // between things of one kind
const MOST = 4; // more of a kind are not shown
const HURRY = 320; // who steps faster than this does not see things fly

/** Things fly over `page` between its board and its players. Returns {show(frame, previous)}. */
export function flights(page) {
  const sky = html("div", { class: "flights", "aria-hidden": "true" });
  page.querySelector(".stage").append(sky); // also seen where the stage has the whole screen
  let last = -Infinity;

  const find = (selector) => middle(page.querySelector(selector));

  /** A player's counter; if it is out of sight, the player's place in the score. */
  function player(seat, what) {
    const cards = page.querySelectorAll("[data-part=players] .player");
    const card = document.fullscreenElement ? null : cards[seat];
    const counter = middle(card?.querySelector(`[data-what=${what}]`));
    return counter ?? middle(page.querySelectorAll("[data-part=strip] li")[seat]);
  }

  /** Where on the board a player gives or gets by this frame. */
  function spot({ kind, state, seat, move = "" }, previous, who) {
    if (kind === "drive" || kind === "pick") return find(".citizen.called") ?? find(".car");
    if (kind === "lawyer") return find('[data-citizen="alonso"]');
    const [verb, good] = move.split(" ");
    if (who === seat && (kind === "deliver" || verb === "ship")) {
      const [, aim = good] = / as (.+)/.exec(move) ?? [];
      return find(`.die[data-good="${aim}"]`) ?? find(".ship");
    }
    const [, used] = /^use (.+)/.exec(previous?.move ?? "") ?? [];
    const pawn = state.players[who === seat ? seat : state.active]?.pawn;
    return find(`[data-building="${used ?? pawn}"]`);
  }

  function fly(what, from, to, count) {
    for (let number = 0; number < Math.min(MOST, count); number += 1) {
      const thing = icon(what, "flight");
      sky.append(thing);
      const at = ({ x, y }, size) => ({ transform: `translate(${x}px, ${y}px) scale(${size})` });
      const high = { x: (from.x + to.x) / 2, y: Math.min(from.y, to.y) - 40 };
      const delay = number * APART;
      const timing = { duration: TIME, delay, easing: "ease-in-out", fill: "backwards" };
      const way = [{ ...at(from, 0.6), opacity: 0.4 }, at(high, 1.5), at(to, 0.8)];
      thing.animate(way, timing).finished.catch(() => {}).finally(() => thing.remove());
    }
  }

  return {
    show(frame, previous) {
      sky.replaceChildren();
      const now = performance.now();
      const hurried = now - last < HURRY;
      last = now;
      if (hurried) return;
      const moved = frame.changes.filter(
        ({ seat, what, by }) => seat !== undefined && by && THINGS.has(what),
      );
      const given = new Set();
      for (const { seat, what, by } of moved.filter(({ by }) => by > 0)) {
        const giver = moved.find((change) => change.what === what && change.by < 0);
        if (giver) given.add(giver);
        const from = giver ? player(giver.seat, what) : spot(frame, previous, seat);
        const to = player(seat, what);
        if (from && to) fly(what, from, to, by);
      }
      for (const change of moved.filter((change) => change.by < 0 && !given.has(change))) {
        const from = player(change.seat, change.what);
        const to = spot(frame, previous, change.seat);
        if (from && to) fly(change.what, from, to, -change.by);
      }
    },
  };
}

/** The middle of an element within the window; null where it cannot be seen. */
function middle(element) {
  const box = element?.getBoundingClientRect();
  if (!box?.width || box.bottom < 0 || box.top > innerHeight) return null;
  return { x: box.left + box.width / 2, y: box.top + box.height / 2 };
}
