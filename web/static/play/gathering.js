// Accepts a game with a random number of this browser's own, and waits until it begins.

const NONCE_BYTES = 16;
const LOOK_EVERY = 1500; // milliseconds

const form = document.querySelector("[data-accept]");
if (form) {
  const numbers = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  form.elements.nonce.value = [...numbers].map((n) => n.toString(16).padStart(2, "0")).join("");
  if (form.dataset.accept === "at-once") form.requestSubmit();
} else if (document.querySelector("[data-waiting]")) {
  setInterval(look, LOOK_EVERY);
}

/** Loads the page again once the game has begun; until then it stays, with its links to copy. */
async function look() {
  const answer = await fetch(location.href).catch(() => null);
  if (!answer?.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  if (!page.querySelector("[data-waiting]")) location.reload();
  for (const [at, mark] of page.querySelectorAll("[data-ready]").entries())
    document.querySelectorAll("[data-ready]")[at].textContent = mark.textContent;
}
