// A match that is not over: the page looks again until there is a replay to show.

import { localTimes } from "../site/times.js";

const PAUSE = 3000; // milliseconds between looks

async function look() {
  const answer = await fetch(location.href).catch(() => null);
  if (answer?.ok) {
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.querySelector("[data-waiting]");
    if (!fresh) return location.reload();
    localTimes(fresh);
    document.querySelector("[data-waiting]").replaceWith(document.adoptNode(fresh));
  }
  setTimeout(look, PAUSE);
}

setTimeout(look, PAUSE);
