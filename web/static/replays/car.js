// The car and its way along the street.

import { svg, symbol } from "./svg.js";

const SAMPLES = 600;
const STOP_TIME = 190; // milliseconds from stop to stop
const LONGEST = 1100;

/** The car on a street. `road` is the path element, `stops` the points of the ten stops. */
export function car(road, stops, size) {
  const body = symbol("car", -size / 2, -size * 0.27, size, size * 0.53);
  const element = svg("g", { class: "car" }, body);
  const length = road.getTotalLength();
  const samples = sample(road, length);
  const marks = stops.map((stop) => nearest(samples, stop));
  let running = 0;

  function place(distance) {
    const at = road.getPointAtLength(distance % length);
    const ahead = road.getPointAtLength((distance + 1) % length);
    const angle = (Math.atan2(ahead.y - at.y, ahead.x - at.x) * 180) / Math.PI;
    element.setAttribute("transform", `translate(${at.x} ${at.y}) rotate(${angle})`);
  }

  return {
    element,
    /** Stand at a stop at once. */
    show(stop) {
      cancelAnimationFrame(running);
      place(marks[stop]);
    },
    /** Drive clockwise from stop to stop. */
    drive(from, to) {
      cancelAnimationFrame(running);
      const start = marks[from];
      const way = (marks[to] - start + length) % length || length;
      const time = Math.min(LONGEST, STOP_TIME * ((to - from + stops.length) % stops.length || 10));
      const begin = performance.now();
      const frame = (now) => {
        const part = Math.min(1, Math.max(0, (now - begin) / time));
        place(start + way * ease(part));
        if (part < 1) running = requestAnimationFrame(frame);
      };
      frame(begin);
    },
  };
}

function ease(part) {
  return part < 0.5 ? 2 * part * part : 1 - (2 - 2 * part) ** 2 / 2;
}

/** Points all along the road, each with its distance from the start. To ask for one is slow. */
function sample(road, length) {
  return Array.from({ length: SAMPLES }, (_, number) => {
    const distance = (number / SAMPLES) * length;
    const { x, y } = road.getPointAtLength(distance);
    return { distance, x, y };
  });
}

/** How far along the road the point nearest to a stop lies. */
function nearest(samples, [x, y]) {
  let best = 0;
  let least = Infinity;
  for (const point of samples) {
    const away = (point.x - x) ** 2 + (point.y - y) ** 2;
    if (away < least) [best, least] = [point.distance, away];
  }
  return best;
}
