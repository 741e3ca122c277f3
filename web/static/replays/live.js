// A running match: its moves as they come, what interrupts them, and the end.

import { json, text } from "../live/keeping_up.js";
import { telling } from "./telling.js";

const FIRST_PAUSE = 2; // seconds until a stream that was refused is asked for again
const LONGEST_PAUSE = 60; // the pause doubles up to this
const SILENCE = 30; // seconds until a stream without heartbeats is given up
const REST = 20; // seconds between looks of a page out of sight: by HTTP/1.1 a browser has six connections to a site
const OWN_REST = 5; // seconds between those of a player, who may have the turn
const NEXT_PAUSE = 3; // seconds between looks for the game after this
const READ = 8; // moments told one by one before the news that it starts over is gone
const RESULT = 8; // seconds for which a result is shown at least

/**
 * Follows the match that `page` names in its data. `shown` is the viewer of the game so far,
 * `place` says how far that is.
 */
export function follow({ page, part, shown, place }) {
  const notice = part("notice");
  const { timeline } = shown;
  const unnamed = place.endsWith("-1"); // nothing has happened: it may not be known who plays
  const speed = page.querySelector(".speed select");
  const teller = telling(put, () => Number(speed.value));
  let source = null;
  let silence = null;
  let resting = null; // until the next look of a page out of sight
  let yields = null; // lets another of one's tables stay connected out of sight in place of this one
  let pause = FIRST_PAUSE;
  let ended = null;
  let skipped = 0; // the last moment that was not told, but shown at once

  function say(word) {
    notice.textContent = notice.dataset[word] ?? "";
    notice.hidden = !notice.textContent;
  }

  function connect() {
    clearTimeout(resting);
    resting = null;
    source = new EventSource(`${page.dataset.live}?from=${place}`);
    heard();
    for (const event of ["open", "beat", "frames", "standing"]) source.addEventListener(event, heard);
    source.addEventListener("open", () => {
      pause = FIRST_PAUSE;
      if (notice.textContent === notice.dataset.lost) say(null);
    });
    source.addEventListener("frames", ({ data, lastEventId }) => {
      const { before, begun, past, frames } = JSON.parse(data);
      if (begun && unnamed) {
        location.reload();
        return;
      }
      place = lastEventId;
      (teller.newest() ?? timeline.frames[timeline.last]).text = before;
      teller.add(frames);
      if (past) teller.now();
      mark();
    });
    source.addEventListener("standing", ({ data }) => {
      stand(JSON.parse(data).word); // it comes after all frames so far
      rest();
    });
    source.addEventListener("restart", () => again("restarted"));
    source.addEventListener("error", () => {
      lost();
      if (source.readyState === EventSource.CLOSED) later();
    });
  }

  function lost() {
    say("lost");
    page.dispatchEvent(new Event("lost"));
  }

  /** A connection can be dead without an error. */
  function heard() {
    clearTimeout(silence);
    silence = setTimeout(() => {
      close();
      lost();
      connect();
    }, 1000 * SILENCE);
  }

  function close() {
    clearTimeout(silence);
    source.close();
    give();
  }

  function give() {
    yields?.();
    yields = null;
  }

  /**
   * Frees the connection of a page out of sight. Of a browser's own tables one stays connected, and
   * tells its turn at once: the longer a page is out of sight, the less often it may look.
   */
  function rest() {
    const { locks } = navigator; // none if the site is reached by plain HTTP from another machine
    if (!part("turn") || !locks) leave();
    else if (unseen()) locks.request("own-table", { ifAvailable: true }, stayOrLeave);
  }

  function stayOrLeave(lock) {
    if (lock && unseen()) return new Promise((done) => (yields = done));
    if (!yields) leave();
  }

  function leave() {
    if (!unseen()) return;
    close();
    resting = setTimeout(connect, 1000 * (part("turn") ? OWN_REST : REST));
  }

  function unseen() {
    return document.hidden && source.readyState !== EventSource.CLOSED;
  }

  /** More moments, after the last one. */
  function put(frames, still) {
    const { last } = timeline;
    shown.put(last, [timeline.frames[last], ...frames], still);
    mark();
    if (still) skipped = timeline.last;
    if (notice.textContent === notice.dataset.restarted && timeline.last >= skipped + READ) say(null);
    if (!teller.behind()) page.dispatchEvent(new Event("news"));
    if (ended && !teller.behind()) finish();
  }

  /** All frames once more, and then the stream from there: of another attempt, or after refusal. */
  async function again(word) {
    close();
    try {
      const game = await json(page.dataset.replay);
      teller.drop();
      shown.put(0, game.frames, true);
      mark();
      skipped = timeline.last;
      place = game.place;
      say(word);
      connect();
    } catch {
      later();
    }
  }

  function later() {
    close();
    say("lost");
    setTimeout(() => again(null), 1000 * pause);
    pause = Math.min(LONGEST_PAUSE, 2 * pause);
  }

  /** How the match stands by the database. */
  function stand(word) {
    if (word === "finished") end().catch(later);
    else if (word === "failed" || word === "cancelled") location.reload();
    else if (word === "running") runs();
    else say(word);
  }

  /** It runs, or the stream has just begun: what stands beside the board may be older. */
  function runs() {
    if (notice.textContent === notice.dataset.unheard) say(null);
    if (!teller.behind()) page.dispatchEvent(new Event("news"));
  }

  /** The match is over: what is left of it is told before its result. */
  async function end() {
    close();
    const parts = page.dataset.end ? await text(page.dataset.end) : "";
    const final = await json(page.dataset.final).catch(noGame);
    ended = { parts: new DOMParser().parseFromString(parts, "text/html").body.children, final };
    if (final) {
      shown.result(final);
      teller.add(final.frames.slice(timeline.frames.length + teller.behind()));
    }
    if (!teller.behind()) finish();
    mark();
  }

  /** What is kept of a forfeit: nothing. */
  function noGame(error) {
    if (error.status !== 404) throw error;
    return null;
  }

  function finish() {
    const { parts, final } = ended;
    ended = null;
    say(null);
    if (final) shown.end(final.frames);
    part("ending").replaceChildren(...parts);
    part("ending").hidden = timeline.at !== timeline.last;
    part("follow").classList.add("over");
    document.title = part("ending").firstElementChild?.dataset.title ?? document.title;
    page.dispatchEvent(new Event("news"));
    if (page.dataset.next) setTimeout(look, 1000 * RESULT);
  }

  /** The page shows one match after the other: look for the next one. */
  async function look() {
    const { match } = await json(page.dataset.next).catch(() => ({}));
    if (match && match !== Number(page.dataset.match)) location.replace(location.pathname);
    else setTimeout(look, 1000 * NEXT_PAUSE);
  }

  /** The button says whether the newest moves are told as they come, and leads to the last one. */
  function mark() {
    shown.wait(teller.behind());
    const button = part("follow");
    const follows = timeline.at === timeline.last && !teller.isFar();
    button.setAttribute("aria-pressed", String(follows));
    button.textContent = button.dataset[follows ? "on" : "off"];
  }

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return rest();
    give();
    if (resting !== null) connect();
  });
  part("follow").addEventListener("click", () => {
    teller.now();
    timeline.go(timeline.last);
  });
  part("ending").addEventListener("click", ({ target }) => {
    if (target.closest("[data-close]")) part("ending").replaceChildren();
  });
  timeline.listen(() => {
    mark();
    part("ending").hidden = timeline.at !== timeline.last;
  });
  mark();
  connect();
}
