// A match or a version that waits: the page looks again until there is more to show.

import { again, freshPage } from "../live/keeping_up.js";

const PAUSE = 3; // seconds between looks

async function look() {
  const shown = document.querySelector("[data-waiting]");
  const fresh = (await freshPage()).querySelector("[data-waiting]");
  if (!fresh) location.reload();
  else if (fresh.textContent !== shown.textContent) shown.replaceWith(document.adoptNode(fresh));
  return !fresh;
}

again(look, PAUSE);
