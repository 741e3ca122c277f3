// Which moment of the game is shown, and how one gets to another. Knows frames, draws nothing.

/**
 * The moments of a game, from frame 0 (the start) to the last; of a running game to the newest.
 * Charts and marks tell nothing of what comes after `reached`. Of a running game `waiting` more
 * have come, but are not told yet.
 */
export class Timeline {
  #listeners = [];

  constructor(frames, at = 0) {
    this.frames = [];
    this.at = 0;
    this.reached = Infinity;
    this.waiting = 0;
    this.put(0, frames);
    this.at = this.#within(at);
  }

  /**
   * Frames from this number on, instead of those that were there. Whoever was at the last frame
   * stays at the last one. Calls no listener.
   */
  put(from, frames) {
    const following = this.at === this.last;
    this.frames.splice(from, Infinity, ...frames);
    for (let index = from; index < this.frames.length; index += 1) {
      this.frames[index] = { ...this.frames[index], ...turnOf(this.frames, index) };
    }
    this.turns = starts(this.frames, (frame) => frame.turn);
    this.ships = starts(this.frames, (frame) => frame.state.ship);
    this.faults = this.frames.flatMap(({ type }, at) => (type === "fault" ? [at] : []));
    this.at = following ? this.last : this.#within(this.at);
  }

  /** The moment that is shown. At the newest of a running game it is the turn of who comes next. */
  get frame() {
    const frame = this.frames[this.at];
    if (this.at < this.last || frame.type === "end") return frame;
    const { turn, active } = frame.state;
    return { ...frame, turn, active };
  }

  get last() {
    return this.frames.length - 1;
  }

  /** The frames of which charts may tell. */
  get told() {
    return this.frames.slice(0, this.reached + 1);
  }

  /** Those of some moments of which charts may tell. */
  known(moments) {
    return moments.filter((at) => at <= this.reached);
  }

  /** Calls `listener(before)` after each step; `before` is the frame left. */
  listen(listener) {
    this.#listeners.push(listener);
  }

  /** Show a moment; returns whether that is another than before. */
  go(at) {
    const before = this.at;
    this.at = this.#within(at);
    if (before === this.at) return false;
    for (const listener of this.#listeners) listener(before);
    return true;
  }

  /** Show the moment once more. */
  refresh() {
    for (const listener of this.#listeners) listener(this.at);
  }

  step(by) {
    return this.go(this.at + by);
  }

  turn(by) {
    return this.#jump(this.turns, by);
  }

  ship(by) {
    return this.#jump(this.ships, by);
  }

  #jump(marks, by) {
    const next =
      by > 0
        ? marks.find((mark) => mark > this.at) ?? this.last
        : marks.findLast((mark) => mark < this.at) ?? 0;
    return this.go(next);
  }

  #within(at) {
    return Math.min(this.last, Math.max(0, Math.trunc(at) || 0));
  }
}

/** {turn, active} of what happens in a frame: those of the state before it. */
function turnOf(frames, index) {
  const { turn, active } = frames[Math.max(0, index - 1)].state;
  return { turn, active };
}

/** The frames at which a number has just changed. */
function starts(frames, number) {
  return frames.flatMap((frame, index) =>
    index > 0 && number(frame) !== number(frames[index - 1]) ? [index] : [],
  );
}
