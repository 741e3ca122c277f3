// The board as the server drew it: the script moves and changes what changes in a game, and draws
// nothing. Places are in the drawing's data- attributes (web/drawing).

import { car as drives } from "./car.js";
import { ship as sails } from "./ship.js";
import { places } from "./svg.js";

const FLAGS = [2, 3, 4];

/**
 * Takes over a drawing (an <svg>) of the board. Returns {show(frame, moving)}; `moving` lets the
 * pieces travel to where they go.
 */
export function board(root, { setup, labels, seats, names }) {
  const all = (selector) => [...root.querySelectorAll(selector)];
  const citizens = all(".citizen");
  const pawns = all(".pawn");
  const owners = all(".owner");
  const piles = all(".pile");
  const track = all(".track-ship");
  const marker = root.querySelector(".value-marker");
  const flags = places(marker.dataset.flags);
  const ship = sails(root.querySelector(".ship"), names, labels.colon);
  const car = drives(root.querySelector(".car"), root.querySelector(".lane"));
  const spaces = new Map(all(".building").map(({ dataset }) => [dataset.building, dataset.pawn]));

  function showCitizens({ silenced, car: stop }) {
    for (const tile of citizens) {
      const { citizen } = tile.dataset;
      tile.classList.toggle("silenced", silenced.includes(citizen));
      tile.classList.toggle("called", citizen === setup.citizens[stop - 1]);
    }
  }

  function showPawns(players) {
    pawns.forEach((piece, seat) => {
      const { pawn } = players[seat];
      piece.classList.toggle("absent", !pawn);
      if (pawn) piece.setAttribute("transform", spaces.get(pawn));
    });
  }

  function showOwners(owned) {
    for (const piece of owners) {
      const seat = owned[piece.dataset.owner];
      const label = seat === undefined ? "" : `${labels.owner}${labels.colon}${seats[seat].label}`;
      piece.setAttribute("class", `owner ${seat === undefined ? "absent" : `seat-${seat}`}`);
      piece.querySelector("title").textContent = label;
      piece.querySelector(".glyph").setAttribute("href", `#seat-${seat ?? 0}`);
    }
  }

  function showSupply(supply) {
    for (const pile of piles) {
      const left = supply[pile.dataset.supply];
      pile.querySelector("text").textContent = left;
      pile.classList.toggle("sold-out", left === 0);
    }
  }

  function showTrack(sailing) {
    track.forEach((ship, index) => {
      ship.classList.toggle("gone", index + 1 < sailing);
      ship.classList.toggle("here", index + 1 === sailing);
    });
  }

  return {
    show({ state, changes, dice }, moving) {
      root.classList.toggle("moving", moving);
      const drive = changes.find(({ what }) => what === "car");
      if (moving && drive) car.drive(drive.from, drive.to);
      else car.show(state.car);
      showCitizens(state);
      showPawns(state.players);
      showOwners(state.owners);
      showSupply(state.supply);
      showTrack(state.ship);
      ship.show(state.demand, dice, moving, changes.some(({ what }) => what === "ship"));
      const flag = Math.min(Math.max(state.value - FLAGS[0], 0), FLAGS.length);
      marker.setAttribute("transform", flags[flag]);
      mark(root, changes);
    },
  };
}

/** Marks what the frame changed on the board. */
function mark(root, changes) {
  for (const old of root.querySelectorAll(".changed")) old.classList.remove("changed");
  for (const { what, to } of changes) {
    const [kind, name] = what.split(":");
    const selector = {
      demand: `.die[data-good="${name}"]`,
      silenced: `[data-citizen="${name}"]`,
      owner: `[data-building="${name}"]`,
      pawn: `[data-building="${to}"]`,
      value: ".value-marker",
      ship: ".track-ship.here",
    }[kind];
    if (selector) root.querySelector(selector)?.classList.add("changed");
  }
}
