// The lesson: the board follows the steps. A step has an address, and comes as a part of its page.

import "../site/page.js";
import { json } from "../live/keeping_up.js";
import { onLinks } from "../site/links.js";
import { viewer } from "../replays/replay.js";
import { telling } from "../replays/telling.js";
import { fetched, unreached } from "../play/turn.js";

const page = document.querySelector("[data-replay]");
const board = page.querySelector("[data-part=board]");
const turn = page.querySelector("[data-part=turn]");
const said = page.querySelector("[data-part=said]");
const step = () => turn.querySelector("[data-step]").dataset;
let shown = step().step;
let follow = () => {}; // until the viewer has its game

/** Marks the part of the drawing that the step is about. */
function mark() {
  for (const old of board.querySelectorAll(".shown")) old.classList.remove("shown");
  if (step().shows) board.querySelector(`.${step().shows}`).classList.add("shown");
}

/** Brings what the step is about into sight, where the board is larger than the window. */
function reveal() {
  board.querySelector(".lit.hinted, .shown")?.scrollIntoView({ block: "nearest" });
}

/** The part of the page came anew: the answer to a choice, or another step. */
function look() {
  mark();
  if (step().step === shown) return;
  shown = step().step;
  if (shown !== location.pathname) history.pushState(null, "", shown);
  const says = turn.querySelector("#hint");
  said.textContent = says.textContent;
  says.scrollIntoView({ block: "nearest" });
  reveal();
  follow();
}

function go(address) {
  fetched(`${address}?part=1`).catch(({ status }) => (status ? location.assign(address) : unreached()));
}

/** Returns what tells the game up to the step: onwards move by move, back at once. */
function follower({ timeline, put }) {
  let told = page.dataset.replay;
  const teller = telling(
    (frames, still) => put(timeline.last, [timeline.frames[timeline.last], ...frames], still),
    () => 1,
  );
  return async () => {
    const { frames: wanted } = step();
    if (wanted === told) return;
    told = wanted;
    const game = await json(wanted).catch(() => null);
    if (wanted !== told) return; // the learner is quicker
    if (!game) {
      location.assign(shown);
      return;
    }
    const { frames } = game;
    teller.now();
    timeline.go(timeline.last);
    if (frames.length < timeline.frames.length) put(0, frames, true);
    else teller.add(frames.slice(timeline.frames.length));
  };
}

onLinks(turn, "a[data-goes]", ({ pathname }) => go(pathname));
addEventListener("popstate", () => go(location.pathname));
new MutationObserver(look).observe(turn, { childList: true });
new MutationObserver(mark).observe(board, { childList: true });
mark();
viewer.then((started) => {
  follow = follower(started);
  follow();
  reveal();
});
