// Parts of a page that keep up by themselves: each [data-fresh] is replaced by that of the page
// as it is then. The first one has what holds for all: data-every says after how many seconds. With
// data-news, a small JSON is asked first, and the page only when its number of results has grown;
// with data-games also while games are played, and once after the last of them.

import { again, json, refresh } from "./keeping_up.js";

const first = document.querySelector("[data-fresh]");
let known = {};

/** Whether there is anything new, as far as a small question can tell. */
async function isNew() {
  const { news, games } = first.dataset;
  if (!news) return true;
  const before = known;
  known = await json(news);
  if (games !== undefined && (known.running || before.running)) return true;
  return before.results !== undefined && known.results !== before.results;
}

async function look() {
  if (await isNew()) await refresh("fresh");
}

if (first) again(look, Number(first.dataset.every));
