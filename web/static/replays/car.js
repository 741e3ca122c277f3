// The car and its way along the street.

import { places } from "./svg.js";

const STOP_TIME = 190; // milliseconds from stop to stop
const LONGEST = 1100;

/** Takes over a drawn car; `road` is the path element. Returns {show(stop), drive(from, to)}. */
export function car(element, road) {
  const stands = places(element.dataset.stops);
  const along = places(element.dataset.along).map(Number);
  let running = 0;

  function place(distance, length) {
    const at = road.getPointAtLength(distance % length);
    const ahead = road.getPointAtLength((distance + 1) % length);
    const angle = (Math.atan2(ahead.y - at.y, ahead.x - at.x) * 180) / Math.PI;
    element.setAttribute("transform", `translate(${at.x} ${at.y}) rotate(${angle})`);
  }

  function show(stop) {
    cancelAnimationFrame(running);
    element.setAttribute("transform", stands[stop]);
  }

  return {
    /** Stand at a stop at once. */
    show,
    /** Drive clockwise from stop to stop. */
    drive(from, to) {
      cancelAnimationFrame(running);
      const length = road.getTotalLength();
      const way = (along[to] - along[from] + length) % length || length;
      const stops = (to - from + stands.length) % stands.length || stands.length;
      const time = Math.min(LONGEST, STOP_TIME * stops);
      const begin = performance.now();
      const frame = (now) => {
        const part = Math.min(1, Math.max(0, (now - begin) / time));
        if (part === 1) return show(to);
        place(along[from] + way * ease(part), length);
        running = requestAnimationFrame(frame);
      };
      frame(begin);
    },
  };
}

function ease(part) {
  return part < 0.5 ? 2 * part * part : 1 - (2 - 2 * part) ** 2 / 2;
}
