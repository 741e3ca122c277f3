// The replay page: loads the game once, then shows whatever moment is asked for.

import { board } from "./board.js";
import { NARROW_CHART, WIDE_CHART, chart } from "./chart.js";
import { controls } from "./controls.js";
import { describe } from "./describe.js";
import { TALL, WIDE } from "./geometry.js";
import { legal } from "./legal.js";
import { log } from "./log.js";
import { players } from "./players.js";
import { Timeline } from "./timeline.js";

const NARROW = matchMedia("(max-width: 640px)");
const STILL = matchMedia("(prefers-reduced-motion: reduce)");
const ADDRESS_DELAY = 250; // milliseconds: browsers limit how often an address may change

const page = document.querySelector("[data-replay]");
const part = (name) => page.querySelector(`[data-part=${name}]`);

function start(replay) {
  const wanted = new URLSearchParams(location.search).get("at");
  const timeline = new Timeline(replay.frames, Number(wanted));
  const faults = replay.frames.filter((frame) => frame.type === "fault");
  replay.faulted = new Set(faults.map((frame) => frame.seat));
  const parts = {
    players: players(part("players"), replay),
    controls: controls(part("controls"), timeline),
    log: log(part("log"), replay, timeline),
    legal: legal(part("legal"), replay),
  };
  let drawn = drawings();

  function drawings() {
    const narrow = NARROW.matches;
    return {
      board: board(part("board"), replay, narrow ? TALL : WIDE),
      chart: chart(part("chart"), replay, timeline, narrow ? NARROW_CHART : WIDE_CHART),
    };
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
    rememberPlace(at);
  }

  timeline.listen((_, before) => show(timeline.at === before + 1));
  NARROW.addEventListener("change", () => {
    drawn = drawings();
    show(false);
  });
  page.removeAttribute("data-loading");
  show(false);
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
    address.searchParams.set("at", at);
    history.replaceState(null, "", address);
  }, ADDRESS_DELAY);
}

async function load() {
  const answer = await fetch(page.dataset.replay);
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
  start(await answer.json());
}

load().catch((error) => {
  page.removeAttribute("data-loading");
  part("sentence").textContent = `${page.dataset.trouble} (${error.message})`;
  throw error;
});
