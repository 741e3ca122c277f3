// The race for VP over the whole game.

import { axis } from "./axis.js";
import { svg, symbol, words } from "./svg.js";

/** Sizes in units of the view box, which are about pixels. */
const WIDE = { width: 800, height: 170 };
const NARROW = { width: 380, height: 180 };
const TOP = 16;

/** Draws the chart into `root` (an <svg>). Returns {show(at)}. */
export function race(root, replay, timeline, narrow) {
  const { frames } = timeline;
  const { seats, labels } = replay;
  const size = narrow ? NARROW : WIDE;
  const bottom = size.height - 22;
  const time = axis(root, replay, timeline, size, TOP, bottom);
  const most = Math.max(5, ...frames.flatMap((frame) => frame.state.players.map((p) => p.vp)));
  const y = (vp) => bottom - (vp / most) * (bottom - TOP);
  const dots = seats.map((_, seat) =>
    svg("g", { class: `dot seat-${seat}` }, symbol(`seat-${seat}`, -7, -7, 14)),
  );
  root.replaceChildren(
    ...grid(most, y, time),
    ...time.marks,
    ...seats.map((_, seat) =>
      svg("path", { class: `race seat-${seat}`, d: path(frames, seat, time.x, y) }),
    ),
    ...time.cursors,
    ...dots,
    words(time.left, size.height - 5, labels.race, { class: "axis" }),
  );
  return {
    show(at) {
      time.show(at);
      frames[at].state.players.forEach((player, seat) =>
        dots[seat].setAttribute("transform", `translate(${time.x(at)} ${y(player.vp)})`),
      );
    },
  };
}

function path(frames, seat, x, y) {
  let path = "";
  let vp = null;
  frames.forEach((frame, at) => {
    const now = frame.state.players[seat].vp;
    if (vp === null) path = `M${x(at)} ${y(now)}`;
    else if (now !== vp) path += `H${x(at).toFixed(1)}V${y(now).toFixed(1)}`;
    vp = now;
  });
  return `${path}H${x(frames.length - 1)}`;
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
