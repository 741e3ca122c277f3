// Once a game with others is over: tells that one of them has opened the rematch.

import { again, text } from "../live/keeping_up.js";

const PAUSE = 5; // seconds between looks
const MOST = 240; // looks, in the course of some twenty minutes

let looks = 0;

/** The part is there from the end of the game on; returns true if nothing more will be told. */
async function look() {
  const told = document.querySelector("[data-rematch]");
  if (!told) return false;
  if (told.textContent || ++looks > MOST) return true;
  const turn = document.createElement("template");
  turn.innerHTML = await text(told.dataset.rematch);
  told.textContent = turn.content.querySelector("[data-rematch]")?.textContent ?? "";
  return Boolean(told.textContent);
}

again(look, PAUSE);
