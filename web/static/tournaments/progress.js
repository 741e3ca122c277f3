// A tournament's progress updates itself: small JSON often, the page's tables when results came.

import { again, get, refresh } from "../live/keeping_up.js";

const PAUSE = 1.5; // seconds between questions

const panel = document.querySelector("[data-progress]");
let { state } = panel.dataset;
let finished = panel.querySelector("progress").value;

function show(progress) {
  panel.querySelector("progress").value = progress.finished;
  for (const count of panel.querySelectorAll("[data-count]")) {
    count.textContent = progress[count.dataset.count];
  }
}

async function ask() {
  const progress = await (await get(panel.dataset.progress)).json();
  show(progress);
  if (progress.finished !== finished || progress.state !== state) await refresh("live");
  ({ finished, state } = progress);
  return state === "finished" || state === "cancelled";
}

again(ask, PAUSE);
