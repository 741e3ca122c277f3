// What is read aloud of a text that changes: moments of a game come faster than anybody speaks.

const SPOKEN = 3000; // milliseconds for which a text is left to be read

/**
 * Returns a function that shows a text in `root`, a live region. Of texts that follow each other in
 * haste readers of screens hear the first, some in between, and the last: not all of them, minutes late.
 */
export function aloud(root) {
  let heard = -Infinity;
  let later = null;
  return function say(text) {
    clearTimeout(later);
    const wait = heard + SPOKEN - performance.now();
    root.setAttribute("aria-live", wait > 0 ? "off" : "polite");
    root.textContent = text;
    if (wait > 0) later = setTimeout(say, wait, text);
    else heard = performance.now();
  };
}
