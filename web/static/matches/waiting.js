// A match or a version that waits: the page looks again until there is more to show.

import { again, freshPage } from "../live/keeping_up.js";

const PAUSE = 3; // seconds between looks

async function look() {
  const fresh = [...(await freshPage()).querySelectorAll("[data-waiting]")];
  if (!fresh.length) location.reload();
  for (const [index, shown] of document.querySelectorAll("[data-waiting]").entries()) {
    if (fresh[index] && fresh[index].textContent !== shown.textContent) {
      shown.replaceWith(document.adoptNode(fresh[index]));
    }
  }
  return !fresh.length;
}

again(look, PAUSE);
