// Parts of a page that keep up by themselves: each [data-fresh] is replaced by that of the page
// as it is then. data-every says after how many seconds. With data-news, a small JSON is asked
// first, and the page only when its number of results has grown.

import { again, get, refresh } from "./keeping_up.js";

const first = document.querySelector("[data-fresh]");
let results = null;

/** Whether there is anything new, as far as a small question can tell. */
async function news() {
  if (!first.dataset.news) return true;
  const before = results;
  results = (await (await get(first.dataset.news)).json()).results;
  return before !== null && results !== before;
}

async function look() {
  if (await news()) await refresh("fresh");
}

if (first) again(look, Number(first.dataset.every));
