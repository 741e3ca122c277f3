// Swiping over the board: to the left shows what comes next, to the right what was before. On a page that
// two fingers have made larger, a finger moves the page.

const FAR = 40; // pixels that a finger has to move sideways
const LARGER = 1.05; // scale of the page from which on it is moved

/** Wires swipes over `root` to the timeline. */
export function swipe(root, timeline) {
  let start = null;
  root.addEventListener("touchstart", ({ touches }) => {
    start = touches.length === 1 && visualViewport.scale < LARGER ? touches[0] : null;
  }, { passive: true });
  root.addEventListener("touchend", ({ changedTouches }) => {
    if (!start) return;
    const across = changedTouches[0].clientX - start.clientX;
    const down = changedTouches[0].clientY - start.clientY;
    const sideways = Math.abs(across) >= FAR && Math.abs(across) > 2 * Math.abs(down);
    if (sideways) timeline.step(across < 0 ? 1 : -1);
    start = null;
  });
}
