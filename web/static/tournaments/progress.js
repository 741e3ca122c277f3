// A tournament's progress updates itself: small JSON often, the page's tables when results came,
// and what an organiser may do once it is over.

import { again, json, refresh } from "../live/keeping_up.js";

const PAUSE = 1.5; // seconds between questions
const RENEW = 60; // seconds after which the page is asked for in any case: hosts fill up, bots leave

const panel = document.querySelector("[data-progress]");
let known = summary({
  finished: panel.querySelector("progress").value,
  state: panel.dataset.state,
  running: panel.querySelector("[data-count=running]").textContent,
  annulled: panel.querySelector("[data-count=annulled]")?.textContent ?? 0,
});

/** What changes the tables, and for whom matches wait: that shows once none is played, and in time. */
function summary({ finished, state, running, annulled }) {
  return `${finished} ${annulled} ${state} ${Number(running) === 0} ${Math.floor(performance.now() / 1000 / RENEW)}`;
}

function show(progress) {
  const bar = panel.querySelector("progress");
  bar.max = Math.max(progress.total - progress.failed - progress.cancelled, 1);
  bar.value = progress.finished;
  for (const count of panel.querySelectorAll("[data-count]")) {
    const now = String(progress[count.dataset.count]);
    if (count.textContent !== now) count.textContent = now; // a screen reader says what is written
  }
}

async function ask() {
  const progress = await json(panel.dataset.progress);
  show(progress);
  const now = summary(progress);
  if (now !== known) await refresh("live");
  known = now;
  const over = progress.state === "finished" || progress.state === "cancelled";
  if (over) await refresh("over");
  return over;
}

again(ask, PAUSE);
