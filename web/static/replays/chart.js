// The race for VP as a small chart over the whole game; it is a time line as well.

import { svg, symbol, words } from "./svg.js";

/** Sizes in units of the view box, which are about pixels. */
export const WIDE_CHART = { width: 800, height: 170 };
export const NARROW_CHART = { width: 380, height: 180 };
const PAD = { left: 34, right: 26, top: 16, bottom: 22 };

/** Draws the chart into `root` (an <svg>). Returns {show(at)}. */
export function chart(root, { seats, labels }, timeline, { width, height }) {
  const { frames } = timeline;
  const right = width - PAD.right;
  const bottom = height - PAD.bottom;
  const most = Math.max(5, ...frames.flatMap((frame) => frame.state.players.map((p) => p.vp)));
  const x = (at) => PAD.left + (at / Math.max(1, timeline.last)) * (right - PAD.left);
  const y = (vp) => bottom - (vp / most) * (bottom - PAD.top);
  const cursor = svg("path", { class: "cursor", d: `M0 ${PAD.top - 6}V${bottom}` });
  const dots = seats.map((_, seat) =>
    svg("g", { class: `dot seat-${seat}` }, symbol(`seat-${seat}`, -7, -7, 14)),
  );
  root.setAttribute("viewBox", `0 0 ${width} ${height}`);
  root.replaceChildren(
    ...grid(most, y, right),
    ...timeline.ships.map((at) => departure(x(at), bottom, frames[at].state.ship)),
    ...frames.flatMap((frame, at) => (frame.type === "fault" ? [fault(x(at), bottom)] : [])),
    ...seats.map((_, seat) =>
      svg("path", { class: `race seat-${seat}`, d: race(frames, seat, x, y) }),
    ),
    cursor,
    ...dots,
    words(PAD.left, height - 5, labels.race, { class: "axis" }),
  );
  const jump = (event) => {
    const box = root.getBoundingClientRect();
    const part = ((event.clientX - box.left) / box.width) * width;
    timeline.go(Math.round(((part - PAD.left) / (right - PAD.left)) * timeline.last));
  };
  root.onpointerdown = (event) => {
    root.setPointerCapture(event.pointerId);
    jump(event);
  };
  root.onpointermove = (event) => event.buttons && jump(event);
  return {
    show(at) {
      cursor.setAttribute("transform", `translate(${x(at)} 0)`);
      frames[at].state.players.forEach((player, seat) =>
        dots[seat].setAttribute("transform", `translate(${x(at)} ${y(player.vp)})`),
      );
    },
  };
}

function race(frames, seat, x, y) {
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

function grid(most, y, right) {
  const pitch = [5, 10, 20, 50, 100, 200, 500].find((step) => most / step <= 5) ?? 1000;
  const lines = [];
  for (let vp = 0; vp <= most; vp += pitch) {
    lines.push(
      svg("path", { class: "grid", d: `M${PAD.left} ${y(vp)}H${right}` }),
      words(PAD.left - 7, y(vp) + 4, String(vp), { class: "axis", "text-anchor": "end" }),
    );
  }
  return lines;
}

function departure(x, bottom, ship) {
  return svg(
    "g",
    { class: "departure", transform: `translate(${x} 0)` },
    svg("path", { d: `M0 ${PAD.top + 4}V${bottom}` }),
    symbol("small-ship", -9, 1, 18, 15),
    words(11, 13, String(ship), { class: "axis" }),
  );
}

function fault(x, bottom) {
  return svg("path", {
    class: "fault",
    d: `M${x - 5} ${bottom - 5}l10 10m0-10l-10 10`,
  });
}
