// The viewer: loads a game once, then shows whatever moment is asked for; follows a running one.

import { board } from "./board.js";
import { NARROW_CHART, WIDE_CHART, chart } from "./chart.js";
import { controls } from "./controls.js";
import { describe } from "./describe.js";
import { TALL, WIDE } from "./geometry.js";
import { legal } from "./legal.js";
import { follow } from "./live.js";
import { log } from "./log.js";
import { players } from "./players.js";
import { Timeline } from "./timeline.js";

const NARROW = matchMedia("(max-width: 640px)");
const STILL = matchMedia("(prefers-reduced-motion: reduce)");
const ADDRESS_DELAY = 250; // milliseconds: browsers limit how often an address may change

const page = document.querySelector("[data-replay]");
const part = (name) => page.querySelector(`[data-part=${name}]`);

/** Shows a game. Returns {timeline, put(from, frames), end(replay)} for one that goes on. */
function start(replay) {
  const live = "live" in page.dataset;
  const wanted = new URLSearchParams(location.search).get("at") ?? (live ? Infinity : 0);
  const timeline = new Timeline(replay.frames, Number(wanted));
  noteFaults();
  const parts = {
    players: players(part("players"), replay),
    controls: controls(part("controls"), timeline),
    log: log(part("log"), replay, timeline),
    legal: legal(part("legal"), replay),
  };
  let drawn = { board: drawBoard(), chart: drawChart() };

  function noteFaults() {
    const faults = timeline.frames.filter((frame) => frame.type === "fault");
    replay.faulted = new Set(faults.map((frame) => frame.seat));
  }

  function drawBoard() {
    return board(part("board"), replay, NARROW.matches ? TALL : WIDE);
  }

  function drawChart() {
    return chart(part("chart"), replay, timeline, NARROW.matches ? NARROW_CHART : WIDE_CHART);
  }

  function put(from, frames) {
    const before = timeline.at;
    timeline.put(from, frames);
    noteFaults();
    parts.log.put(from);
    drawn.chart = drawChart();
    show(timeline.at === before + 1);
  }

  function show(moving) {
    const { frame, at } = timeline;
    drawn.board.show(frame, moving && !STILL.matches);
    part("board").setAttribute("aria-label", describe(frame.state, replay));
    parts.players.show(frame);
    parts.controls.show();
    drawn.chart.show(at);
    parts.log.show(at);
    parts.legal.show(frame);
    caption(frame, replay);
    rememberPlace(live && at === timeline.last ? null : at);
  }

  timeline.listen((_, before) => show(timeline.at === before + 1));
  NARROW.addEventListener("change", () => {
    drawn = { board: drawBoard(), chart: drawChart() };
    show(false);
  });
  page.removeAttribute("data-loading");
  show(false);
  return {
    timeline,
    put,
    /** The game is over, and this is what is kept of it. */
    end(kept) {
      replay.result = kept.result;
      replay.ranks = kept.ranks;
      put(0, kept.frames);
    },
  };
}

/** The move in words, and where in the game that is. */
function caption(frame, { labels }) {
  const turn = frame.turn ? `${labels.turn} ${frame.turn}` : labels.setup;
  const where = [turn, `${labels.ship} ${frame.state.ship}`];
  if (frame.by && frame.by !== "bot") where.push(labels[frame.by]);
  if (frame.by === "bot" && frame.think_ms !== undefined) where.push(`${frame.think_ms} ms`);
  part("where").textContent = where.join(" · ");
  part("sentence").textContent = frame.text;
}

let remembering = 0;
function rememberPlace(at) {
  clearTimeout(remembering);
  remembering = setTimeout(() => {
    const address = new URL(location.href);
    if (at === null) address.searchParams.delete("at");
    else address.searchParams.set("at", at);
    history.replaceState(null, "", address);
  }, ADDRESS_DELAY);
}

async function get(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
  return answer;
}

async function load() {
  const game = await (await get(page.dataset.replay)).json();
  const shown = start(game);
  if ("live" in page.dataset) follow({ page, part, get, shown, place: game.place });
}

load().catch((error) => {
  page.removeAttribute("data-loading");
  part("sentence").textContent = `${page.dataset.trouble} (${error.message})`;
  throw error;
});
