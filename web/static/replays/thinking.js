// How long each bot thought at each decision: a lane a seat, a bar a decision, by the referee's clock.
// Where the CPU time was measured, as of hosted bots, a narrow bar within it shows that.

import { axis } from "./axis.js";
import { svg, symbol, words } from "./svg.js";

const WIDTH = 800;
const NARROW_WIDTH = 380;
const TOP = 16;
const LANE = 30;
const GAP = 6;
const INNER = 0.45; // of a bar's breadth: the CPU time within it
const LEAST = 0.1; // milliseconds: times are rounded to that
const MINUTE = 60_000; // milliseconds
const HOUR = 60 * MINUTE;

/** Draws the chart into `root` (an <svg>). Returns {show(at)}. */
export function thinking(root, replay, timeline, narrow) {
  const { seats, labels } = replay;
  const width = narrow ? NARROW_WIDTH : WIDTH;
  const bottom = TOP + seats.length * (LANE + GAP);
  const size = { width, height: bottom + 20 };
  const time = axis(root, replay, timeline, size, TOP, bottom);
  const thought = timeline.told.map(({ by, think_ms }) => (by === "bot" ? think_ms : undefined));
  const computed = timeline.told.map(({ by, cpu_ms }) => (by === "bot" ? cpu_ms : undefined));
  const isMeasured = computed.some((ms) => ms !== undefined);
  const longest = Math.max(0, ...[...thought, ...computed].filter((ms) => ms !== undefined));
  const tall = (ms) => (LANE * Math.log1p(ms)) / Math.log1p(longest || 1);
  const broad = Math.max(1.2, (0.7 * (time.right - time.left)) / timeline.frames.length);

  function lane(seat) {
    const base = TOP + GAP + seat * (LANE + GAP) + LANE;
    const bars = (times) =>
      times
        .map((ms, at) =>
          ms !== undefined && timeline.frames[at].seat === seat
            ? `M${time.x(at).toFixed(1)} ${base}v-${Math.max(1.5, tall(ms)).toFixed(1)}`
            : "",
        )
        .join("");
    return svg(
      "g",
      { class: `thoughts seat-${seat}` },
      svg("title", {}, seats[seat].label),
      symbol(`seat-${seat}`, 10, base - LANE / 2 - 7, 14),
      svg("path", { class: "grid", d: `M${time.left} ${base}H${time.right}` }),
      svg("path", { class: "bars", "stroke-width": broad, d: bars(thought) }),
      ...(isMeasured
        ? [svg("path", { class: "bars cpu", "stroke-width": broad * INNER, d: bars(computed) })]
        : []),
    );
  }

  function legend() {
    const scale = `${labels.longest}${labels.colon}${duration(longest)}`;
    return isMeasured ? `${scale} · ${labels.inner_bars}` : scale;
  }

  root.replaceChildren(
    ...seats.map((_, seat) => lane(seat)),
    ...time.marks,
    ...time.cursors,
    words(time.left, size.height - 5, legend(), { class: "axis" }),
  );
  const isKnown = ({ by, think_ms }) => by === "bot" && think_ms !== undefined;
  root.parentElement.hidden = !timeline.frames.some(isKnown); // as in running matches
  return { show: time.show };
}

/** "< 0.1 ms", "0.4 ms", "12 ms", "1.5 s"; of people also "27 min", "3 h". */
export function duration(ms) {
  const lang = document.documentElement.lang;
  const [unit, size] = ms >= 2 * HOUR ? ["h", HOUR] : ["min", MINUTE];
  if (ms >= 2 * MINUTE) return `${Math.round(ms / size).toLocaleString(lang)} ${unit}`;
  if (ms >= 1000) {
    const digits = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
    return `${(ms / 1000).toLocaleString(lang, digits)} s`;
  }
  if (ms < LEAST) return `<\u00a0${LEAST.toLocaleString(lang)} ms`;
  return `${(ms >= 10 ? Math.round(ms) : ms).toLocaleString(lang)} ms`;
}
