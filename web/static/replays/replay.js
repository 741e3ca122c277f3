// The viewer: loads a game once, then shows whatever moment is asked for; follows a running one.

import { json } from "../live/keeping_up.js";
import { aloud } from "./aloud.js";
import { board } from "./board.js";
import { controls } from "./controls.js";
import { copying } from "./copy.js";
import { describe } from "./describe.js";
import { dialogs } from "./dialogs.js";
import { dice } from "./dice.js";
import { flights } from "./flights.js";
import { FRAMED, TALL } from "./forms.js";
import { fullscreen } from "./fullscreen.js";
import { legal } from "./legal.js";
import { legends } from "./legends.js";
import { follow } from "./live.js";
import { log } from "./log.js";
import { milestones } from "./milestones.js";
import { notes } from "./notes.js";
import { place } from "./place.js";
import { players } from "./players.js";
import { race } from "./race.js";
import { moved, share } from "./share.js";
import { sources } from "./sources.js";
import { strip } from "./strip.js";
import { swipe } from "./swipe.js";
import { duration, thinking } from "./thinking.js";
import { Timeline } from "./timeline.js";
import { onDemand } from "./wanted.js";

const SLIM = matchMedia("screen and (max-width: 49.95rem)"); // of charts, whatever the height
const LYING = matchMedia("(orientation: landscape)");
const SMALL = matchMedia("(max-width: 640px), (max-height: 480px)");
const STILL = matchMedia("(prefers-reduced-motion: reduce)");

const page = document.querySelector("[data-replay]");
const part = (name) => page.querySelector(`[data-part=${name}]`);
const say = aloud(part("sentence"));

/** Shows a game. Returns {timeline, put(from, frames, still), wait(count), result(kept), end(frames)}
 *  for one that goes on; `still`: nothing travels to where it belongs. */
function start(replay) {
  const lesson = "lesson" in page.dataset; // its steps have addresses of their own
  const newest = "live" in page.dataset || "over" in page.dataset; // where the page begins
  const wanted = new URLSearchParams(location.search).get("at") ?? (newest || lesson ? Infinity : 0);
  const timeline = new Timeline(replay.frames, Number(wanted));
  const sky = flights(page);
  noteFaults();
  const address = FRAMED || lesson ? null : place(timeline, newest);
  const lists = fill({
    log: (root) => log(root, replay, timeline),
    milestones: (root) => milestones(root, timeline),
  });
  const shown = fill({
    players: (root) => players(root, replay),
    strip: (root) => strip(root, replay),
  });
  const besides = fill({
    controls: (root) => controls(root, timeline),
    legal: (root) => legal(root, replay),
    notes: (root) => notes(root, replay, timeline),
  });
  const forms = [...part("board").children];
  legends(part("board"), forms);
  let drawn = draw();
  checkDice();
  if (!lesson) swipe(part("board"), timeline);
  if (part("hint")) hint(part("hint"), timeline);
  if (part("share")) share(part("share"), timeline);

  function noteFaults() {
    const faults = timeline.faults.map((at) => timeline.frames[at]);
    replay.faulted = new Map(faults.map(({ seat, fault }) => [seat, fault.code]));
  }

  /** What is drawn for narrow windows in another way; the stage on a whole screen on its side shows all of the board. */
  function draw() {
    const whole = LYING.matches && document.querySelector(".stage:fullscreen");
    const form = forms[Number(TALL.matches && !whole)];
    part("board").replaceChildren(form);
    return { board: board(form, replay), charts: drawCharts() };
  }

  function drawCharts() {
    const narrow = SLIM.matches;
    return fill({
      race: (root) => race(root, replay, timeline, narrow),
      sources: (root) => sources(root, replay, timeline),
      thinking: (root) => thinking(root, replay, timeline, narrow),
    });
  }

  function checkDice() {
    if (part("dice")) dice(part("dice"), replay, timeline.frames);
  }

  function put(from, frames, still = false) {
    const before = timeline.at;
    timeline.put(from, frames);
    noteFaults();
    for (const list of lists) list.put(from);
    drawn.charts = drawCharts();
    show(!still && timeline.at === before + 1);
  }

  /** Charts and marks tell what happened up to this moment, and nothing of what comes after it. */
  function reach(at) {
    if (timeline.reached === at) return;
    timeline.reached = at;
    for (const list of lists) list.put(timeline.frames.length);
    drawn.charts = drawCharts();
    for (const each of drawn.charts) each.show(timeline.at);
  }

  /** Shows a frame on the stage, of this game or of another that it might have become. */
  function stage(frame, before) {
    const moving = before !== null && !STILL.matches;
    drawn.board.show(frame, moving);
    part("board").setAttribute("aria-label", describe(frame.state, replay));
    for (const each of shown) each.show(frame);
    if (moving) sky.show(frame, before);
    caption(frame, replay);
  }

  function show(stepped) {
    const { frame, at } = timeline;
    stage(frame, stepped ? timeline.frames[at - 1] : null);
    for (const each of besides) each.show(frame);
    for (const each of [...drawn.charts, ...lists]) each.show?.(at);
    if (part("source")) part("source").href = moved(part("source").href, at);
    address?.show();
  }

  timeline.listen((before) => show(timeline.at === before + 1));
  function redraw() {
    drawn = draw();
    show(false);
  }

  for (const kind of [TALL, SLIM, LYING]) kind.addEventListener("change", redraw);
  document.addEventListener("fullscreenchange", redraw);
  page.removeAttribute("data-loading");
  show(false);
  if (part("analysis")) onDemand(part("analysis"), { page, part, replay, timeline, reach, stage, SLIM });
  // A small window has no room for the page's head beside the whole harbour.
  if (!FRAMED && SMALL.matches && scrollY === 0) (part("taken") ?? part("caption")).scrollIntoView();
  return {
    timeline,
    put,
    /** So many moments of the game have come, but are not told yet. */
    wait(count) {
      timeline.waiting = count;
      for (const each of besides) each.count?.();
    },
    /** The game is over, and this is how it ended: the last frame needs it. */
    result({ result, ranks, dice }) {
      Object.assign(replay, { result, ranks, dice });
    },
    /** The game is told, and this is what is kept of it. */
    end(frames) {
      put(0, frames, true);
      checkDice();
    },
  };
}

/** The sentence of the moment under the pointer in a chart; else what charts are good for. */
function hint(root, timeline) {
  const usual = root.textContent;
  page.addEventListener("peek", ({ detail: at }) => {
    root.textContent = timeline.told[at]?.text ?? usual;
  });
}

/** The parts that this page has, made by their makers. */
function fill(makers) {
  return Object.entries(makers).flatMap(([name, make]) => (part(name) ? [make(part(name))] : []));
}

/** The move in words, and where in the game that is. */
function caption(frame, { labels }) {
  const turn = frame.turn ? `${labels.turn} ${frame.turn}` : labels.setup;
  const where = [turn, `${labels.ship} ${frame.state.ship}`];
  if (frame.by && frame.by !== "bot") where.push(labels[frame.by]);
  if (frame.by === "bot" && frame.think_ms !== undefined) where.push(duration(frame.think_ms));
  if (frame.by === "bot" && frame.cpu_ms !== undefined) where.push(`${labels.cpu} ${duration(frame.cpu_ms)}`);
  part("where").textContent = where.join(" · ");
  const sentence = part("sentence");
  if (sentence.textContent !== frame.text) say(frame.text);
  sentence.classList.remove("long");
  sentence.classList.toggle("long", outgrown(part("caption")));
}

/** Whether a part takes more than its least height, and so moves what is below it. */
function outgrown(element) {
  return element.offsetHeight > parseFloat(getComputedStyle(element).minHeight) + 1;
}

async function load() {
  dialogs(page);
  copying(page);
  fullscreen(page.querySelector("[data-fullscreen]"), page.querySelector(".stage"));
  const game = await json(page.dataset.replay);
  const shown = start(game);
  if ("live" in page.dataset) follow({ page, part, shown, place: game.place });
  return shown;
}

/** What `start` returns, once the game is loaded. */
export const viewer = load();
viewer.catch((error) => {
  page.removeAttribute("data-loading");
  part("sentence").textContent = `${page.dataset.trouble} (${error.message})`;
  throw error;
});
