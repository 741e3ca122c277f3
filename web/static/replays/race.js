// The race for VP over the game.

import { axis } from "./axis.js";
import { svg, symbol, words } from "./svg.js";

/** Sizes in units of the view box, which are about pixels. */
const WIDE = { width: 800, height: 170 };
const NARROW = { width: 380, height: 180 };
const TOP = 16;

/** Draws the chart into `root` (an <svg>). Returns {show(at)}. */
export function race(root, replay, timeline, narrow) {
  const { frames, told } = timeline;
  const { seats, labels } = replay;
  const size = narrow ? NARROW : WIDE;
  const bottom = size.height - 22;
  const time = axis(root, replay, timeline, size, TOP, bottom);
  const most = Math.max(5, ...told.flatMap((frame) => points(frame, replay)));
  const y = (vp) => bottom - (vp / most) * (bottom - TOP);
  const dots = seats.map((_, seat) =>
    svg("g", { class: `dot seat-${seat}` }, symbol(`seat-${seat}`, -7, -7, 14)),
  );
  root.replaceChildren(
    ...grid(most, y, time),
    ...time.marks,
    ...seats.map((_, seat) =>
      svg("path", { class: `race seat-${seat}`, d: path(told.map((frame) => points(frame, replay)[seat]), time.x, y) }),
    ),
    ...time.cursors,
    ...dots,
    words(time.left, size.height - 5, labels.race, { class: "axis" }),
  );
  return {
    show(at) {
      time.show(at);
      points(frames[at], replay).forEach((vp, seat) =>
        dots[seat].setAttribute("transform", `translate(${time.x(at)} ${y(vp)})`),
      );
    },
  };
}

/** The VP of each seat at a frame; the last one counts what goods bring in the end. */
export function points(frame, { result }) {
  const scores = (frame.type === "end" && result.scores) || [];
  return frame.state.players.map(({ vp }, seat) => scores[seat]?.vp ?? vp);
}

function path(race, x, y) {
  let path = `M${x(0)} ${y(race[0])}`;
  race.forEach((vp, at) => {
    if (at && vp !== race[at - 1]) path += `H${x(at).toFixed(1)}V${y(vp).toFixed(1)}`;
  });
  return `${path}H${x(race.length - 1)}`;
}

function grid(most, y, { left, right }) {
  const pitch = [5, 10, 20, 50, 100, 200, 500].find((step) => most / step <= 5) ?? 1000;
  const lines = [];
  for (let vp = 0; vp <= most; vp += pitch) {
    lines.push(
      svg("path", { class: "grid", d: `M${left} ${y(vp)}H${right}` }),
      words(left - 7, y(vp) + 4, String(vp), { class: "axis", "text-anchor": "end" }),
    );
  }
  return lines;
}
