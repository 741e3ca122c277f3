// The log of a build as it is written.

import { again, json } from "../live/keeping_up.js";

const PAUSE = 1; // seconds between looks

const log = document.querySelector("[data-build]");
const empty = document.querySelector("[data-build-empty]");

async function look() {
  const { build, after } = log.dataset;
  const { lines, over } = await json(after ? `${build}?after=${after}` : build);
  const atEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - 4;
  for (const { number, text } of lines) {
    log.append(`${text}\n`);
    log.dataset.after = number;
    empty.hidden = true;
  }
  if (atEnd) log.scrollTop = log.scrollHeight;
  return over;
}

log.scrollTop = log.scrollHeight;
if (!log.dataset.over) again(look, PAUSE);
