// Accepts a game with a random number of this browser's own, and waits until it begins.

import { again, freshPage } from "../live/keeping_up.js";
import "../site/copying.js";

const NONCE_BYTES = 16;
const PAUSE = 1.5; // seconds between looks

const form = document.querySelector("[data-accept]");
if (form) {
  const numbers = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  form.elements.nonce.value = [...numbers].map((n) => n.toString(16).padStart(2, "0")).join("");
}
const accepted = !form; // who sends the links is elsewhere when the game begins
if (form?.dataset.accept === "at-once") form.requestSubmit();
else if (document.querySelector("[data-accept], [data-waiting]")) again(look, PAUSE, accepted);

/** Loads the page again once the game has begun, or is off; until then it stays, with its links to
 *  copy, and tells which friends are ready. */
async function look() {
  const page = await freshPage();
  const begun = !page.querySelector("[data-accept], [data-waiting]");
  if (begun) location.reload();
  for (const [at, mark] of page.querySelectorAll("[data-ready]").entries())
    document.querySelectorAll("[data-ready]")[at].textContent = mark.textContent;
  return begun;
}
