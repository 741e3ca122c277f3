// Parts of a page that keep up by themselves: each [data-fresh] is replaced by that of the page
// as it is then. data-every says after how many seconds. With data-news, a small JSON is asked
// first, and the page only when its number of results has grown.

import { localTimes } from "../site/times.js";

const LONGEST_PAUSE = 60; // seconds; the pause doubles up to this while the site does not answer

const first = document.querySelector("[data-fresh]");
const every = Number(first?.dataset.every);
let pause = every;
let results = null;

async function get(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${answer.status}`);
  return answer;
}

/** Whether there is anything new, as far as a small question can tell. */
async function news() {
  if (!first.dataset.news) return true;
  const before = results;
  results = (await (await get(first.dataset.news)).json()).results;
  return before !== null && results !== before;
}

async function refresh() {
  const page = new DOMParser().parseFromString(await (await get(location.href)).text(), "text/html");
  for (const part of document.querySelectorAll("[data-fresh]")) {
    const fresh = page.querySelector(`[data-fresh=${part.dataset.fresh}]`);
    if (!fresh) continue;
    localTimes(fresh);
    if (fresh.innerHTML === part.innerHTML) continue;
    const link = part.contains(document.activeElement) && document.activeElement.href;
    const scrolled = part.querySelector(".scroller")?.scrollLeft;
    part.replaceChildren(...fresh.childNodes);
    if (scrolled) part.querySelector(".scroller")?.scrollTo(scrolled, 0);
    if (link) [...part.querySelectorAll("a")].find(({ href }) => href === link)?.focus();
  }
}

async function look() {
  try {
    if (!document.hidden && (await news())) await refresh();
    pause = every;
  } catch {
    pause = Math.min(LONGEST_PAUSE, 2 * pause);
  }
  setTimeout(look, 1000 * pause);
}

if (first) look();
