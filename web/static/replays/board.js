// The board: drawn once from the setup, then shown in any state of the game.

import { car as makeCar } from "./car.js";
import { flags as makeFlags, ship as makeShip, track as makeTrack } from "./harbour.js";
import { ground, pier, street } from "./landscape.js";
import { market as makeMarket } from "./market.js";
import { ownerMarker, pawn } from "./pieces.js";
import { svg } from "./svg.js";
import { buildingTile, citizenTile } from "./tiles.js";

/**
 * Draws the board of a document into `root` (an <svg>) by a geometry.
 * Returns {show(frame, moving)}; `moving` lets the pieces travel to where they go.
 */
export function board(root, replay, geometry) {
  const { setup, tiles, labels, seats, names } = replay;
  root.setAttribute("viewBox", `0 0 ${geometry.width} ${geometry.height}`);
  root.dataset.form = geometry.name;

  const road = svg("path", { d: geometry.road });
  const citizens = new Map(
    setup.citizens.map((id, index) => {
      const tile = citizenTile(id, tiles[id], setup.citizen_flowers[id], geometry.citizen, labels);
      tile.setAttribute("transform", `translate(${geometry.citizens[index]})`);
      return [id, tile];
    }),
  );
  const buildings = new Map(
    setup.buildings.map((id, index) => {
      const tile = buildingTile(id, tiles[id], setup.space_flowers[index], geometry.building, labels);
      tile.setAttribute("transform", `translate(${geometry.buildings[index]})`);
      return [id, tile];
    }),
  );
  const spaceOf = new Map(setup.buildings.map((id, index) => [id, geometry.buildings[index]]));
  const ship = makeShip(geometry.ship, names, labels.colon);
  const flags = makeFlags(geometry.flags, labels.value);
  const track = makeTrack(geometry.track, labels.ships);
  const market = makeMarket(geometry.market, labels.supply);
  const pawns = seats.map((_, seat) => pawn(seat, geometry.building.pawn[2]));
  const owners = svg("g", { class: "owners" });

  root.replaceChildren(
    ...ground(geometry, setup),
    ...street(geometry, road),
    pier(geometry.pier),
    ...citizens.values(),
    market.element,
    ...fromTopDown(buildings.values(), geometry.buildings),
    owners,
    ship.element,
    flags.element,
    track.element,
    ...pawns,
  );
  const car = makeCar(road, geometry.stops, geometry.roadWidth * 1.45);
  pawns[0].before(car.element);

  function showPawns(players) {
    const [dx, dy] = geometry.building.pawn;
    players.forEach((player, seat) => {
      const space = spaceOf.get(player.pawn);
      pawns[seat].classList.toggle("absent", !space);
      if (space) pawns[seat].style.transform = `translate(${space[0] + dx}px, ${space[1] + dy}px)`;
    });
  }

  function showOwners(state) {
    const [dx, dy, size] = geometry.building.marker;
    owners.replaceChildren(
      ...Object.entries(state.owners).map(([building, seat]) => {
        const [x, y] = spaceOf.get(building);
        return ownerMarker(seat, x + dx, y + dy, size, `${labels.owner}${labels.colon}${seats[seat].label}`);
      }),
    );
  }

  function showCar(state, changes, moving) {
    const drive = changes.find((change) => change.what === "car");
    if (moving && drive) car.drive(drive.from, drive.to);
    else car.show(state.car);
  }

  return {
    show({ state, changes, dice }, moving) {
      root.classList.toggle("moving", moving);
      for (const [id, tile] of citizens) {
        tile.classList.toggle("silenced", state.silenced.includes(id));
      }
      const stopped = setup.citizens[state.car - 1];
      for (const [id, tile] of citizens) tile.classList.toggle("called", id === stopped);
      showCar(state, changes, moving);
      showPawns(state.players);
      showOwners(state);
      const sails = changes.some((change) => change.what === "ship");
      ship.show(state.demand, dice, moving, sails);
      flags.show(state.value);
      track.show(state.ship);
      market.show(state.supply);
      mark(root, changes);
    },
  };
}

/** In the order of painting in which each tile's flower hangs over the tile above it. */
function fromTopDown(tiles, places) {
  return [...tiles]
    .map((tile, index) => [places[index][1], tile])
    .sort(([top], [other]) => top - other)
    .map(([, tile]) => tile);
}

/** Marks what the frame changed on the board. */
function mark(root, changes) {
  for (const old of root.querySelectorAll(".changed")) old.classList.remove("changed");
  for (const { what, to } of changes) {
    const [kind, name] = what.split(":");
    const selector = {
      demand: `[data-good="${name}"]`,
      silenced: `[data-citizen="${name}"]`,
      owner: `[data-building="${name}"]`,
      pawn: `[data-building="${to}"]`,
      value: ".value-marker",
      ship: ".track-ship.here",
    }[kind];
    for (const element of selector ? root.querySelectorAll(selector) : []) {
      element.classList.add("changed");
    }
  }
}
