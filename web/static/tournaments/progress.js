// A tournament's progress updates itself: small JSON often, the page's tables when results came.

import { localTimes } from "../site/times.js";

const PAUSE = 1500; // milliseconds between questions
const LONGEST_PAUSE = 30000; // the pause doubles up to this while the site does not answer

const panel = document.querySelector("[data-progress]");
let { state } = panel.dataset;
let finished = panel.querySelector("progress").value;
let pause = PAUSE;

function show(progress) {
  panel.querySelector("progress").value = progress.finished;
  for (const count of panel.querySelectorAll("[data-count]")) {
    count.textContent = progress[count.dataset.count];
  }
}

async function refresh() {
  const answer = await fetch(location.href);
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of document.querySelectorAll("[data-live]")) {
    const fresh = page.querySelector(`[data-live=${part.dataset.live}]`);
    if (!fresh) continue;
    part.replaceWith(document.adoptNode(fresh));
    localTimes(fresh);
  }
}

async function ask() {
  const answer = await fetch(panel.dataset.progress);
  if (!answer.ok) throw new Error(`${answer.status}`);
  const progress = await answer.json();
  show(progress);
  if (progress.finished !== finished || progress.state !== state) await refresh();
  ({ finished, state } = progress);
  return state === "finished" || state === "cancelled";
}

async function watch() {
  let over = false;
  try {
    over = await ask();
    pause = PAUSE;
  } catch {
    pause = Math.min(LONGEST_PAUSE, 2 * pause);
  }
  if (!over) setTimeout(watch, pause);
}

watch();
