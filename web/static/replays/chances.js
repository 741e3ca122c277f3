// The chances to win over the whole game: an area a seat, a lane of marks a seat, turning points.

import { axis } from "./axis.js";
import { isTaken } from "./dialogs.js";
import { html, icon, svg, symbol, words } from "./svg.js";

const WIDTH = 800;
const NARROW_WIDTH = 380;
const HEIGHT = 190; // without the lanes of marks
const TOP = 18;
const LANE = 13;
const ROOM = 26; // an area as high as this has room for the sign of its seat
const SHAPES = {
  big: "M-4.500 -5h9l-4.500 9z",
  clear: "M-3.500 -4h7l-3.500 7z",
  small: "M0 -4v7",
  only: "M-3.500 -3.500h7v7h-7z",
  find: "M0 -5.500 1.400 -1.800 5.200 -1.700 2.200 .7 3.200 4.400 0 2.200 -3.200 4.400 -2.200 .7 -5.200 -1.700 -1.400 -1.800z",
};

/**
 * Adds the chart to `panel`, below the race. `known.reached()` is the last moment that may be shown.
 * Returns {show()}.
 */
export function chances(panel, viewer, found, known) {
  const { replay, timeline, SLIM } = viewer;
  const { labels } = found;
  const title = html("h2", { id: "chances-title" }, labels.chances);
  const odds = legend(replay, found);
  const chart = svg("svg", { class: "chart", role: "slider", tabindex: 0, "aria-labelledby": "chances-title" });
  const ways = turningPoints(timeline, found, known);
  const told = html("p", { class: "turning-told", role: "status" });
  panel.querySelector("svg").after(title, odds.element, chart, ways.element, told);
  let drawn = { narrow: null, reached: null };

  return {
    show() {
      const { at } = timeline;
      const reached = known.reached();
      if (drawn.narrow !== SLIM.matches || drawn.reached !== reached) {
        drawn = { narrow: SLIM.matches, reached, time: draw(chart, viewer, found, reached) };
      }
      drawn.time.show(at);
      const now = odds.show(at);
      chart.setAttribute("aria-valuetext", `${timeline.frame.text} ${now}`);
      ways.show();
      told.textContent = found.turning.find((one) => one.at === at)?.text ?? "";
    },
  };
}

/** Draws the chart into `root` (an <svg>). Returns its axis. */
function draw(root, { replay, timeline, SLIM }, found, reached) {
  const { seats } = replay;
  const width = SLIM.matches ? NARROW_WIDTH : WIDTH;
  const bottom = HEIGHT - 8;
  const size = { width, height: HEIGHT + seats.length * LANE + 6 };
  const time = axis(root, replay, timeline, size, TOP, bottom);
  const y = (part) => bottom - part * (bottom - TOP);
  const edges = found.chances.slice(0, reached + 1).map(stacked);
  const hidden = reached < timeline.last;
  root.replaceChildren(
    patterns(),
    ...[0, 0.5, 1].map((part) => tick(part, y, time)),
    ...seats.map((_, seat) => area(edges, seat, time.x, y)),
    ...seats.map((_, seat) => sign(edges, seat, time.x, y)),
    ...(hidden ? [veil(time, reached, bottom)] : []),
    ...time.marks,
    ...found.turning.filter(({ at }) => at <= reached).map(({ at }) => turn(time.x(at), found)),
    ...seats.map((_, seat) => lane(seat, found, reached, time, bottom + 8 + (seat + 0.5) * LANE)),
    ...time.cursors,
  );
  return time;
}

/** The edges of the areas at a moment, from 0 to 1: the first seat is the lowest. */
function stacked(chances) {
  let sum = 0;
  return [0, ...chances.map((chance) => (sum += chance))];
}

function area(edges, seat, x, y) {
  const point = (at, edge) => `${x(at).toFixed(1)} ${y(edges[at][edge]).toFixed(1)}`;
  const there = edges.map((_, at) => point(at, seat + 1));
  const back = edges.map((_, at) => point(at, seat)).reverse();
  const d = `M${[...there, ...back].join("L")}z`;
  return svg(
    "g",
    { class: `chance seat-${seat}` },
    svg("path", { d }),
    svg("path", { d, class: "weave", fill: `url(#weave-${seat})` }),
  );
}

/** The sign of a seat, where its area is highest. */
function sign(edges, seat, x, y) {
  let best = 0;
  edges.forEach((edge, at) => {
    if (edge[seat + 1] - edge[seat] > edges[best][seat + 1] - edges[best][seat]) best = at;
  });
  const [low, high] = [y(edges[best][seat]), y(edges[best][seat + 1])];
  const at = Math.min(Math.max(best, edges.length * 0.02), edges.length * 0.98);
  return svg(
    "g",
    { class: `sign seat-${seat}`, visibility: low - high < ROOM ? "hidden" : "visible" },
    svg("circle", { cx: x(at), cy: (low + high) / 2, r: 9.5 }),
    symbol(`seat-${seat}`, x(at) - 6, (low + high) / 2 - 6, 12),
  );
}

/** What makes the areas of seats differ without their colours. */
function patterns() {
  const weave = (seat, size, d) =>
    svg(
      "pattern",
      { id: `weave-${seat}`, width: size, height: size, patternUnits: "userSpaceOnUse" },
      svg("path", { d }),
    );
  return svg(
    "defs",
    { class: "weaves" },
    weave(0, 8, ""),
    weave(1, 8, "M0 8 8 0M-2 2 2 -2M6 10 10 6"),
    weave(2, 6, "M3 2v2"),
    weave(3, 8, "M4 0v8M0 4h8"),
  );
}

function tick(part, y, { left, right }) {
  return svg(
    "g",
    {},
    svg("path", { class: "grid", d: `M${left} ${y(part)}H${right}` }),
    words(left - 5, y(part) + 4, String(100 * part), { class: "axis", "text-anchor": "end" }),
  );
}

function veil(time, reached, bottom) {
  const x = time.x(reached);
  return svg("rect", { class: "veil", x, y: TOP, width: time.right - x, height: bottom - TOP });
}

function turn(x, { labels }) {
  return svg(
    "path",
    { class: "turning", d: `M${x} ${TOP - 14}l5 6-5 6-5-6z` },
    svg("title", {}, labels.turning_point),
  );
}

function lane(seat, { decisions, marks }, reached, time, y) {
  const made = Object.entries(decisions)
    .filter(([at, { mark, seat: whose }]) => mark && whose === seat && Number(at) <= reached)
    .map(([at, { mark }]) =>
      svg(
        "path",
        { class: `shape ${mark}`, d: SHAPES[mark], transform: `translate(${time.x(Number(at))} ${y})` },
        svg("title", {}, `${marks[mark].glyph} ${marks[mark].name}`),
      ),
    );
  return svg("g", { class: `marks seat-${seat}` }, symbol(`seat-${seat}`, 14, y - 6, 11), ...made);
}

/** The chances at the moment shown, seat by seat. */
function legend({ seats, labels }, { chances }) {
  const numbers = seats.map(() => html("b", {}));
  return {
    element: odds(seats, numbers),
    /** Shows them; returns them as a sentence. */
    show(at) {
      const now = chances[at].map((chance) => percent(chance));
      now.forEach((text, seat) => (numbers[seat].textContent = text));
      return seats.map(({ label }, seat) => `${label}${labels.colon}${now[seat]}`).join(", ");
    },
  };
}

/** The seats with a number each. */
export function odds(seats, numbers) {
  const entry = ({ label }, seat) =>
    html("li", { class: `seat-${seat}` }, icon(`seat-${seat}`, "glyph"), html("span", {}, label), numbers[seat]);
  return html("ul", { class: "odds" }, ...seats.map(entry));
}

/** Buttons, and the key T, that lead to the turning points that may be known. */
function turningPoints(timeline, { labels, turning }, known) {
  const button = (text, by) => {
    const made = html("button", { type: "button" }, text);
    made.addEventListener("click", () => go(by));
    return made;
  };
  const next = (by) => {
    const open = turning.map(({ at }) => at).filter((at) => at <= known.reached());
    return by > 0 ? open.find((at) => at > timeline.at) : open.findLast((at) => at < timeline.at);
  };
  const go = (by) => {
    const at = next(by);
    if (at !== undefined) timeline.go(at);
  };
  const ways = [button(labels.turning_before, -1), button(labels.turning_after, 1)];
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "t" || isTaken(event)) return;
    go(event.shiftKey ? -1 : 1);
    event.preventDefault();
  });
  return {
    element: html("div", { class: "turning-ways", role: "group", "aria-label": labels.turning }, ...ways),
    show() {
      ways.forEach((way, index) => way.setAttribute("aria-disabled", String(next(index || -1) === undefined)));
    },
  };
}

/** A part of 1 in per cent, known to thousandths. */
export function percent(part) {
  const whole = Math.round(Math.round(1000 * part) / 10); // 100 * 0.145 is less than 14.5
  return (whole / 100).toLocaleString(document.documentElement.lang, { style: "percent" });
}
