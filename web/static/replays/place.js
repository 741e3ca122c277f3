// The moment in the page's address: a link to what is shown, and ways back and forward.

import { moved } from "./share.js";

const REST = 250; // milliseconds: browsers limit how often an address may change

/**
 * Keeps `?at=` at the moment shown; a jump is a step of the browser's history. If the page
 * begins at the `newest` moment, that one needs no number.
 */
export function place(timeline, newest) {
  const number = () => (newest && timeline.at === timeline.last ? null : timeline.at);
  let settled = number();
  let resting = 0;

  function settle() {
    const at = number();
    if (at === settled) return;
    const jumped = at !== null && settled !== null && Math.abs(at - settled) > 1;
    history[jumped ? "pushState" : "replaceState"](null, "", moved(location.href, at));
    settled = at;
  }

  addEventListener("popstate", () => {
    const at = new URLSearchParams(location.search).get("at");
    timeline.go(at === null && newest ? timeline.last : Number(at));
    clearTimeout(resting);
    settled = number();
  });
  return {
    show() {
      clearTimeout(resting);
      resting = setTimeout(settle, REST);
    },
  };
}
