// The pace at which a running game is told: a moment at a time, however fast the bots play.

const PAUSE = 900; // milliseconds that a moment stays
const FORCED = 450; // that of what nobody decided
const HURRY = 0.4; // of these pauses while many moments wait
const MANY = 24; // moments that wait from which on it hurries most
const FAR = 8; // moments that wait from which on what is shown is long past

/**
 * Tells moments that come faster than eyes follow: `put(moments, still)` shows some more of them,
 * `speed()` says how many times faster than usual that should be. Returns {add(moments), now(),
 * drop(), newest(), behind(), isFar()}: takes moments, shows all of them at once, forgets them, and
 * tells the newest, the number of those that wait, and whether what is shown is long past.
 */
export function telling(put, speed) {
  const waiting = [];
  let shown = null;
  let since = -Infinity;
  let due = -Infinity;
  let timer = null;

  function pause() {
    const hurry = 1 - (1 - HURRY) * Math.min(1, waiting.length / MANY);
    return ((shown?.by === "forced" ? FORCED : PAUSE) * hurry) / speed();
  }

  function stop() {
    clearTimeout(timer);
    timer = null;
  }

  function tell(moments, still) {
    shown = moments.at(-1);
    since = performance.now();
    put(moments, still);
  }

  /** A page that is slower than the pace tells all that is due at once. */
  function next() {
    timer = null;
    const late = Math.max(0, performance.now() - due);
    tell(waiting.splice(0, 1 + Math.floor(late / pause())), false);
    go();
  }

  function go() {
    if (timer !== null || !waiting.length) return;
    due = since + pause();
    timer = setTimeout(next, Math.max(0, due - performance.now()));
  }

  function now() {
    stop();
    if (waiting.length) tell(waiting.splice(0), true);
  }

  // Nobody follows a page that is out of sight.
  document.addEventListener("visibilitychange", now);
  return {
    add(moments) {
      const idle = !waiting.length;
      waiting.push(...moments);
      if (idle) since = Math.max(since, performance.now() - pause());
      if (document.hidden) now();
      else go();
    },
    now,
    drop() {
      stop();
      waiting.length = 0;
    },
    newest: () => waiting.at(-1),
    behind: () => waiting.length,
    isFar: () => waiting.length >= FAR,
  };
}
