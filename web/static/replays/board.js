// The board: drawn once from the setup, then shown in any state of the game.

import { car as makeCar } from "./car.js";
import { flags as makeFlags, ship as makeShip, track as makeTrack } from "./harbour.js";
import { svg, symbol, words } from "./svg.js";
import { buildingTile, citizenTile } from "./tiles.js";

const GOODS = ["sugar", "citrus", "tobacco", "rum", "cigars", "wood"];

/**
 * Draws the board of a document into `root` (an <svg>) by a geometry.
 * Returns {show(state, changes, moving)}; `moving` lets the pieces travel to where they go.
 */
export function board(root, replay, geometry) {
  const { setup, tiles, labels, seats } = replay;
  root.setAttribute("viewBox", `0 0 ${geometry.width} ${geometry.height}`);
  root.dataset.form = geometry.name;

  const road = svg("path", { d: geometry.road });
  const citizens = new Map(
    setup.citizens.map((id, index) => {
      const tile = citizenTile(id, tiles[id], setup.citizen_flowers[id], geometry.citizen);
      tile.setAttribute("transform", `translate(${geometry.citizens[index]})`);
      return [id, tile];
    }),
  );
  const buildings = new Map(
    setup.buildings.map((id, index) => {
      const tile = buildingTile(id, tiles[id], setup.space_flowers[index], geometry.building);
      tile.setAttribute("transform", `translate(${geometry.buildings[index]})`);
      return [id, tile];
    }),
  );
  const spaceOf = new Map(setup.buildings.map((id, index) => [id, geometry.buildings[index]]));
  const ship = makeShip(geometry.ship);
  const flags = makeFlags(geometry.flags, labels.value);
  const track = makeTrack(geometry.track, labels.ships);
  const market = supply(geometry.market, labels.supply);
  const pawns = seats.map((_, seat) =>
    svg("g", { class: `pawn piece seat-${seat}` }, ...pawn(seat, geometry.building.pawn[2])),
  );
  const owners = svg("g", { class: "owners" });

  root.replaceChildren(
    ...ground(geometry, setup),
    ...street(geometry, road),
    pier(geometry.pier),
    ...citizens.values(),
    market.element,
    ...buildings.values(),
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
        return ownerMarker(seat, x + dx, y + dy, size, `${labels.owner}: ${seats[seat].label}`);
      }),
    );
  }

  function showCar(state, changes, moving) {
    const drive = changes.find((change) => change.what === "car");
    if (moving && drive) car.drive(drive.from, drive.to);
    else car.show(state.car);
  }

  return {
    show(state, changes, moving) {
      root.classList.toggle("moving", moving);
      for (const [id, tile] of citizens) {
        tile.classList.toggle("silenced", state.silenced.includes(id));
      }
      const stopped = setup.citizens[state.car - 1];
      for (const [id, tile] of citizens) tile.classList.toggle("called", id === stopped);
      showCar(state, changes, moving);
      showPawns(state.players);
      showOwners(state);
      ship.show(state.demand);
      flags.show(state.value);
      track.show(state.ship);
      market.show(state.supply);
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

function ground({ width, height, shore, quarters }, setup) {
  const lots = quarters.map(([x, y, w, h], index) =>
    svg("rect", {
      class: `quarter quarter-${setup.space_flowers[index * 3]}`,
      x, y, width: w, height: h, rx: 14,
    }),
  );
  const wave = (y, offset) =>
    `M${-60 + offset} ${y}` + "q15 -9 30 0t30 0".repeat(Math.ceil(width / 60) + 2);
  const waves = [30, 78, 122, 166, 210, 252].filter((dy) => shore + dy < height);
  return [
    svg("rect", { class: "town", width, height, rx: 18 }),
    svg("path", {
      class: "sea",
      d: `M0 ${shore}H${width}V${height - 18}a18 18 0 0 1-18 18H18a18 18 0 0 1-18-18z`,
    }),
    ...waves.map((dy, index) =>
      svg("path", { class: "wave", d: wave(shore + dy, (index % 3) * 20), "clip-path": "url(#sea-clip)" }),
    ),
    svg("clipPath", { id: "sea-clip" }, svg("rect", { x: 0, y: shore, width, height: height - shore, rx: 18 })),
    svg("path", { class: "quay", d: `M0 ${shore}H${width}` }),
    ...lots,
  ];
}

function street({ road: d, roadWidth, stops }, road) {
  road.setAttribute("class", "lane");
  const size = roadWidth * 0.7;
  return [
    svg("path", { class: "kerb", d, "stroke-width": roadWidth + 8 }),
    svg("path", { class: "asphalt", d, "stroke-width": roadWidth }),
    road,
    ...stops.map(([x, y], stop) =>
      symbol("star", x - size / 2, y - size / 2, size, size, {
        class: stop === 0 ? "stop harbour-stop" : "stop",
      }),
    ),
  ];
}

function pier({ x, y, width, height }) {
  const planks = Array.from({ length: Math.floor(height / 11) }, (_, index) =>
    svg("path", { class: "plank", d: `M${x - width / 2} ${y + 8 + index * 11}h${width}` }),
  );
  return svg(
    "g",
    { class: "pier" },
    svg("rect", { x: x - width / 2, y, width, height, rx: 3 }),
    ...planks,
  );
}

function supply({ x, y, width, height, columns }, label) {
  const counts = new Map();
  const rows = Math.ceil(GOODS.length / columns);
  const cell = { width: width / columns, height: (height - 22) / rows };
  const piles = GOODS.map((good, index) => {
    const left = (index % columns) * cell.width;
    const top = 22 + Math.floor(index / columns) * cell.height;
    const count = words(left + cell.width * 0.76, top + cell.height * 0.68, "", {
      "text-anchor": "middle", "font-size": 16.5,
    });
    counts.set(good, count);
    const size = Math.min(24, cell.height - 3);
    return svg("g", {}, svg("title", {}, good), symbol(good, left + cell.width * 0.1, top + 1, size), count);
  });
  const element = svg(
    "g",
    { class: "market", transform: `translate(${x} ${y})` },
    svg("rect", { class: "square", width, height, rx: 9 }),
    words(width / 2, 16, label, { class: "label", "text-anchor": "middle", "font-size": 13 }),
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

function pawn(seat, width) {
  const height = width * 1.375;
  const mark = width * 0.42;
  return [
    symbol("pawn", 0, 0, width, height),
    symbol(`seat-${seat}`, (width - mark) / 2, height * 0.6, mark, mark, { class: "glyph" }),
  ];
}

function ownerMarker(seat, x, y, size, label) {
  return svg(
    "g",
    { class: `owner seat-${seat}`, transform: `translate(${x} ${y})` },
    svg("title", {}, label),
    symbol("owner", 0, 0, size),
    symbol(`seat-${seat}`, size * 0.26, size * 0.26, size * 0.48, size * 0.48, { class: "glyph" }),
  );
}
