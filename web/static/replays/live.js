// A running match: its moves as they come, what interrupts them, and the end.

const FIRST_PAUSE = 2; // seconds until a stream that was refused is asked for again
const LONGEST_PAUSE = 60; // the pause doubles up to this

/**
 * Follows the match that `page` names in its data. `get` fetches, `shown` is the viewer of the
 * game so far, `place` says how far that is.
 */
export function follow({ page, part, get, shown, place }) {
  const notice = part("notice");
  const { timeline } = shown;
  const unnamed = place.endsWith("-1"); // nothing has happened: it may not be known who plays
  let source = null;
  let pause = FIRST_PAUSE;

  function say(word) {
    notice.hidden = !word;
    notice.textContent = word ? notice.dataset[word] : "";
  }

  function connect() {
    source = new EventSource(`${page.dataset.live}?from=${place}`);
    source.addEventListener("open", () => {
      pause = FIRST_PAUSE;
      if (notice.textContent === notice.dataset.lost) say(null);
    });
    source.addEventListener("frames", ({ data, lastEventId }) => {
      const { from, before, begun, frames } = JSON.parse(data);
      if (begun && unnamed) {
        location.reload();
        return;
      }
      place = lastEventId;
      timeline.frames[from - 1].text = before;
      put(from - 1, [timeline.frames[from - 1], ...frames]);
    });
    source.addEventListener("standing", ({ data }) => stand(JSON.parse(data).word));
    source.addEventListener("restart", () => again("restarted"));
    source.addEventListener("error", () => {
      say("lost");
      if (source.readyState === EventSource.CLOSED) later();
    });
  }

  function put(from, frames) {
    shown.put(from, frames);
    mark();
  }

  /** All frames once more, and then the stream from there: of another attempt, or after refusal. */
  async function again(word) {
    source.close();
    try {
      const game = await (await get(page.dataset.replay)).json();
      put(0, game.frames);
      place = game.place;
      say(word);
      connect();
    } catch {
      say("lost");
      later();
    }
  }

  function later() {
    setTimeout(() => again(null), 1000 * pause);
    pause = Math.min(LONGEST_PAUSE, 2 * pause);
  }

  /** How the match stands by the database. */
  function stand(word) {
    if (word === "finished") end().catch(later);
    else if (word === "failed" || word === "cancelled") location.reload();
    else if (word === "running") notice.textContent === notice.dataset.unheard && say(null);
    else say(word);
  }

  async function end() {
    source.close();
    const parts = await (await get(page.dataset.end)).text();
    const final = await get(page.dataset.final).catch(() => null); // a forfeit has no game
    say(null);
    if (final) shown.end(await final.json());
    part("ending").replaceChildren(...new DOMParser().parseFromString(parts, "text/html").body.children);
    part("follow").remove();
  }

  /** The button says whether the newest move is shown, and leads there. */
  function mark() {
    const button = part("follow");
    const newest = timeline.at === timeline.last;
    button?.setAttribute("aria-pressed", String(newest));
    if (button) button.textContent = button.dataset[newest ? "on" : "off"];
  }

  part("follow").addEventListener("click", () => timeline.go(timeline.last));
  timeline.listen(mark);
  mark();
  connect();
}
