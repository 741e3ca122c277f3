// What the town stands on: ground, sea, street and pier.

import { svg, symbol } from "./svg.js";

const CLIP = "url(#sea-clip)";

/** Town and sea: what lies under everything. */
export function ground({ width, height, shore, quarters }, setup) {
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
      svg("path", { class: "wave", d: wave(shore + dy, (index % 3) * 20), "clip-path": CLIP }),
    ),
    svg(
      "clipPath",
      { id: "sea-clip" },
      svg("rect", { y: shore, width, height: height - shore, rx: 18 }),
    ),
    svg("path", { class: "quay", d: `M0 ${shore}H${width}` }),
    ...lots,
  ];
}

/** The street with its ten stops; `road` is the path that the car follows. */
export function street({ road: d, roadWidth, stops, arrow }, road) {
  road.setAttribute("class", "lane");
  const size = roadWidth * 0.7;
  return [
    svg("path", { class: "kerb", d, "stroke-width": roadWidth + 8 }),
    svg("path", { class: "asphalt", d, "stroke-width": roadWidth }),
    road,
    svg("path", { class: "arrow", d: `M${arrow[0] + 12} ${arrow[1]}h-24m8-7-8 7 8 7` }),
    ...stops.map(([x, y], stop) =>
      symbol("star", x - size / 2, y - size / 2, size, size, {
        class: stop === 0 ? "stop harbour-stop" : "stop",
      }),
    ),
  ];
}

/** The pier between the harbour's stop and the ship. */
export function pier({ x, y, width, height }) {
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
