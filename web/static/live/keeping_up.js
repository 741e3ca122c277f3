// How a page keeps up with the site: it asks again and again, and takes parts of the page as it is
// by then.

import { localTimes } from "../site/times.js";

const PATIENCE = 60_000; // milliseconds that an answer may take
const LONGEST_PAUSE = 60; // seconds; the pause doubles up to this while the site does not answer

/**
 * Calls `ask` now and then every so many seconds, until it gives true; while the page is not seen
 * only if `unseen`, as often as the browser lets it.
 */
export function again(ask, every, unseen = false) {
  let pause = every;
  async function look() {
    let over = false;
    try {
      over = (unseen || !document.hidden) && (await ask());
      pause = every;
    } catch {
      pause = Math.min(LONGEST_PAUSE, 2 * pause);
    }
    if (!over) setTimeout(look, 1000 * pause);
  }
  look();
}

/** The JSON at an address; throws an error with the status for a refusal. */
export async function json(address) {
  return (await get(address)).json();
}

/** The text at an address, in the same way. */
export async function text(address) {
  return (await get(address)).text();
}

async function get(address) {
  const answer = await fetch(address, { signal: AbortSignal.timeout(PATIENCE) });
  if (answer.ok) return answer;
  const { status, statusText } = answer;
  throw Object.assign(new Error(`${status} ${statusText}`), { status });
}

/** The page as it is now, with times in the reader's zone. */
export async function freshPage() {
  const page = new DOMParser().parseFromString(await text(location.href), "text/html");
  localTimes(page);
  return page;
}

/** Fills each part of the page with an attribute `data-NAME` anew; keeps the focus on a link or a
 *  table, and how far that is scrolled. */
export async function refresh(name) {
  const page = await freshPage();
  for (const part of document.querySelectorAll(`[data-${name}]`)) {
    const fresh = page.querySelector(`[data-${name}=${part.dataset[name]}]`);
    if (!fresh || fresh.innerHTML === part.innerHTML) continue;
    const link = part.contains(document.activeElement) && document.activeElement.href;
    const before = part.querySelector(".scroller");
    const { scrollLeft, scrollTop } = before ?? {};
    const focused = before?.matches(":focus");
    part.replaceChildren(...fresh.childNodes);
    const table = part.querySelector(".scroller");
    if (before) table?.scrollTo(scrollLeft, scrollTop);
    // The reader may look elsewhere by now.
    if (focused) table?.focus({ preventScroll: true });
    if (link) [...part.querySelectorAll("a")].find(({ href }) => href === link)?.focus({ preventScroll: true });
  }
}
