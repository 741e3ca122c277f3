// Accepts a game with a random number of this browser's own, and waits until it begins.

const NONCE_BYTES = 16;
const LOOK_EVERY = 700; // milliseconds

const form = document.querySelector("[data-accept]");
if (form) {
  const numbers = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  form.elements.nonce.value = [...numbers].map((n) => n.toString(16).padStart(2, "0")).join("");
  if (form.dataset.accept === "at-once") form.requestSubmit();
} else if (document.querySelector("[data-waiting]")) {
  setTimeout(() => location.reload(), LOOK_EVERY);
}
