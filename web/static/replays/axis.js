// What the charts share: the game's time runs along them, and they lead to its moments.

import { svg, symbol, words } from "./svg.js";

const LEFT = 34;
const RIGHT = 26;
const ROOM = 24; // for a ship and its number
const STILL = 8; // pixels that a finger which taps may move

/**
 * The axis of a chart in `root` (an <svg>) whose lines stand between `top` and `bottom`: `left` and
 * `right` ends, `x(at)` of a moment, `marks` of what happened, `cursors`, `show(at)`. Tells by the
 * event `peek` which moment is under the pointer, or null.
 */
export function axis(root, { seats, labels }, timeline, { width, height }, top, bottom) {
  const { frames } = timeline;
  const ships = timeline.known(timeline.ships);
  const right = width - RIGHT;
  const x = (at) => LEFT + (at / Math.max(1, timeline.last)) * (right - LEFT);
  const line = (name) => svg("path", { class: name, d: `M0 ${top - 6}V${bottom}` });
  const cursor = line("cursor");
  const ghost = line("ghost"); // the moment under the pointer
  // Ships that leave soon after one another: the line of each, the name of those with room.
  const legible = (index) => {
    const next = ships[index + 1];
    return next === undefined || x(next) - x(ships[index]) >= ROOM;
  };

  const under = ({ clientX }) => {
    const box = root.getBoundingClientRect();
    const part = (((clientX - box.left) / box.width) * width - LEFT) / (right - LEFT);
    return Math.round(Math.min(1, Math.max(0, part)) * timeline.last);
  };
  const peek = (at) => {
    ghost.setAttribute("visibility", at === null ? "hidden" : "visible");
    ghost.setAttribute("transform", `translate(${x(at ?? 0)} 0)`);
    root.dispatchEvent(new CustomEvent("peek", { bubbles: true, detail: at }));
  };
  peek(null);
  let finger = null; // where it came down, while it may yet scroll the page
  const across = ({ clientX }) => Math.abs(clientX - finger.clientX) >= STILL;
  const along = ({ clientY }) => Math.abs(clientY - finger.clientY) >= STILL;
  root.onpointerdown = (event) => {
    finger = event.pointerType === "touch" ? event : null;
    if (finger) return;
    root.setPointerCapture(event.pointerId);
    timeline.go(under(event));
  };
  root.onpointermove = (event) => {
    if (!event.buttons) peek(under(event));
    else if (!finger || across(event)) {
      finger = null;
      timeline.go(under(event));
    }
  };
  root.onpointerup = (event) => {
    if (finger && !along(event)) timeline.go(under(event));
    finger = null;
  };
  root.onpointercancel = () => (finger = null);
  root.onpointerleave = () => peek(null);
  root.setAttribute("viewBox", `0 0 ${width} ${height}`);
  root.setAttribute("aria-valuemin", 0);
  root.setAttribute("aria-valuemax", timeline.last);

  return {
    left: LEFT,
    right,
    x,
    cursors: [ghost, cursor],
    marks: [
      ...ships.map((at, index) =>
        departure(x(at), top, bottom, frames[at].state.ship, labels, legible(index)),
      ),
      ...timeline.known(timeline.faults).map((at) => fault(x(at), bottom, frames[at], seats, labels)),
    ],
    show(at) {
      cursor.setAttribute("transform", `translate(${x(at)} 0)`);
      root.setAttribute("aria-valuenow", at);
      root.setAttribute("aria-valuetext", frames[at].text);
    },
  };
}

function departure(x, top, bottom, ship, labels, named) {
  return svg(
    "g",
    { class: "departure", transform: `translate(${x} 0)` },
    svg("title", {}, `${labels.ship} ${ship}`),
    svg("path", { d: `M0 ${top + 4}V${bottom}` }),
    ...(named ? [symbol("small-ship", -9, top - 15, 18, 15)] : []),
    ...(named ? [words(11, top - 3, String(ship), { class: "axis" })] : []),
  );
}

function fault(x, bottom, { seat, fault: { code } }, seats, labels) {
  const what = labels[code === "absent" ? code : "fault"];
  return svg(
    "path",
    { class: "fault", d: `M${x - 5} ${bottom - 5}l10 10m0-10l-10 10` },
    svg("title", {}, `${seats[seat].label}${labels.colon}${what}`),
  );
}
