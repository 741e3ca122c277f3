// What the charts share: the game's time runs along them, and they lead to its moments.

import { svg, symbol, words } from "./svg.js";

const LEFT = 34;
const RIGHT = 26;

/**
 * The axis of a chart in `root` (an <svg>) whose lines stand between `top` and `bottom`: `left` and
 * `right` ends, `x(at)` of a moment, `marks` of what happened, `cursor`, `show(at)`.
 */
export function axis(root, { seats, labels }, timeline, { width, height }, top, bottom) {
  const { frames } = timeline;
  const right = width - RIGHT;
  const x = (at) => LEFT + (at / Math.max(1, timeline.last)) * (right - LEFT);
  const cursor = svg("path", { class: "cursor", d: `M0 ${top - 6}V${bottom}` });
  const faults = frames.flatMap((frame, at) => (frame.type === "fault" ? [at] : []));

  const jump = (event) => {
    const box = root.getBoundingClientRect();
    const part = ((event.clientX - box.left) / box.width) * width;
    timeline.go(Math.round(((part - LEFT) / (right - LEFT)) * timeline.last));
  };
  root.onpointerdown = (event) => {
    root.setPointerCapture(event.pointerId);
    jump(event);
  };
  root.onpointermove = (event) => event.buttons && jump(event);
  root.setAttribute("viewBox", `0 0 ${width} ${height}`);
  root.setAttribute("aria-valuemin", 0);
  root.setAttribute("aria-valuemax", timeline.last);

  return {
    left: LEFT,
    right,
    x,
    cursor,
    marks: [
      ...timeline.ships.map((at) => departure(x(at), top, bottom, frames[at].state.ship, labels)),
      ...faults.map((at) => fault(x(at), bottom, seats[frames[at].seat].label, labels)),
    ],
    show(at) {
      cursor.setAttribute("transform", `translate(${x(at)} 0)`);
      root.setAttribute("aria-valuenow", at);
      root.setAttribute("aria-valuetext", frames[at].text);
    },
  };
}

function departure(x, top, bottom, ship, labels) {
  return svg(
    "g",
    { class: "departure", transform: `translate(${x} 0)` },
    svg("title", {}, `${labels.ship} ${ship}`),
    svg("path", { d: `M0 ${top + 4}V${bottom}` }),
    symbol("small-ship", -9, top - 15, 18, 15),
    words(11, top - 3, String(ship), { class: "axis" }),
  );
}

function fault(x, bottom, name, labels) {
  return svg(
    "path",
    { class: "fault", d: `M${x - 5} ${bottom - 5}l10 10m0-10l-10 10` },
    svg("title", {}, `${name}: ${labels.fault}`),
  );
}
