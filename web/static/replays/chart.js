// The race for VP as a small chart over the whole game; it is a time line as well.

import { svg, symbol, words } from "./svg.js";

const WIDTH = 800;
const HEIGHT = 170;
const PAD = { left: 34, right: 26, top: 16, bottom: 22 };

/** Draws the chart into `root` (an <svg>). Returns {show(at)}. */
export function chart(root, replay, timeline) {
  const { frames, seats, labels } = replay;
  const most = Math.max(5, ...frames.flatMap((frame) => frame.state.players.map((p) => p.vp)));
  const x = (at) => PAD.left + (at / timeline.last) * (WIDTH - PAD.left - PAD.right);
  const y = (vp) => HEIGHT - PAD.bottom - (vp / most) * (HEIGHT - PAD.top - PAD.bottom);
  const cursor = svg("path", { class: "cursor", d: `M0 ${PAD.top - 6}V${HEIGHT - PAD.bottom}` });
  const dots = seats.map((_, seat) =>
    svg("g", { class: `dot seat-${seat}` }, symbol(`seat-${seat}`, -7, -7, 14)),
  );
  root.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  root.replaceChildren(
    ...grid(most, y),
    ...timeline.ships.map((at) => departure(x(at), frames[at].state.ship)),
    ...frames.flatMap((frame, at) => (frame.type === "fault" ? [fault(x(at))] : [])),
    ...seats.map((_, seat) =>
      svg("path", { class: `race seat-${seat}`, d: race(frames, seat, x, y) }),
    ),
    cursor,
    ...dots,
    words(PAD.left, HEIGHT - 5, labels.race, { class: "axis" }),
  );
  const jump = (event) => {
    const box = root.getBoundingClientRect();
    const part = ((event.clientX - box.left) / box.width) * WIDTH;
    timeline.go(Math.round(((part - PAD.left) / (WIDTH - PAD.left - PAD.right)) * timeline.last));
  };
  root.addEventListener("pointerdown", (event) => {
    root.setPointerCapture(event.pointerId);
    jump(event);
  });
  root.addEventListener("pointermove", (event) => event.buttons && jump(event));
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

function grid(most, y) {
  const pitch = [5, 10, 20, 50, 100, 200, 500].find((step) => most / step <= 5) ?? 1000;
  const lines = [];
  for (let vp = 0; vp <= most; vp += pitch) {
    lines.push(
      svg("path", { class: "grid", d: `M${PAD.left} ${y(vp)}H${WIDTH - PAD.right}` }),
      words(PAD.left - 7, y(vp) + 4, String(vp), { class: "axis", "text-anchor": "end" }),
    );
  }
  return lines;
}

function departure(x, ship) {
  return svg(
    "g",
    { class: "departure", transform: `translate(${x} 0)` },
    svg("path", { d: `M0 ${PAD.top + 4}V${HEIGHT - PAD.bottom}` }),
    symbol("small-ship", -9, 1, 18, 15),
    words(11, 13, String(ship), { class: "axis" }),
  );
}

function fault(x) {
  return svg("path", {
    class: "fault",
    d: `M${x - 5} ${HEIGHT - PAD.bottom - 5}l10 10m0-10l-10 10`,
  });
}
