// Parts of a page that keep up by themselves: each [data-fresh] is replaced by that of the page
// as it is then. The first one has what holds for all: data-every says after how many seconds. With
// data-news, a small JSON is asked first, and the page only when its number of results has grown;
// with data-games also while games are played, and once after the last of them.

import { again, json, refresh } from "./keeping_up.js";

const first = document.querySelector("[data-fresh]");
let known = {};

async function look() {
  const { news, games } = first.dataset;
  if (!news) return refresh("fresh");
  const now = await json(news);
  const plays = games !== undefined && (now.running || known.running);
  if (plays || now.results !== (known.results ?? now.results)) await refresh("fresh");
  known = now; // what could not be shown is news the next time, too
}

if (first) again(look, Number(first.dataset.every));
