// Keys, buttons, slider and play: all ways to move through the game.

import { isTaken } from "./dialogs.js";

const BASE_PAUSE = 1300; // milliseconds a frame at speed 1
const FORCED_PAUSE = 650; // for what nobody decided

const STEPS = {
  first: (timeline) => timeline.go(0),
  "ship-back": (timeline) => timeline.ship(-1),
  "turn-back": (timeline) => timeline.turn(-1),
  back: (timeline) => timeline.step(-1),
  forward: (timeline) => timeline.step(1),
  "turn-forward": (timeline) => timeline.turn(1),
  "ship-forward": (timeline) => timeline.ship(1),
  last: (timeline) => timeline.go(timeline.last),
};

/** The step that a key asks for; undefined for all other keys. */
function stepOfKey({ key, shiftKey }) {
  return {
    ArrowLeft: shiftKey ? "turn-back" : "back",
    ArrowRight: shiftKey ? "turn-forward" : "forward",
    ArrowUp: "turn-back",
    ArrowDown: "turn-forward",
    PageUp: "ship-back",
    PageDown: "ship-forward",
    Home: "first",
    End: "last",
  }[key];
}

/** Wires the controls in `root` to the timeline. Returns {show(), count()}. */
export function controls(root, timeline) {
  const slider = root.querySelector("input[type=range]");
  const play = root.querySelector("button[data-play]");
  const speed = root.querySelector("select");
  const place = root.querySelector("[data-place]");
  let timer = null;

  function stop() {
    clearTimeout(timer);
    timer = null;
    showPlaying();
  }

  function tick() {
    if (!timeline.step(1) || timeline.at === timeline.last) return stop();
    const pause = timeline.frame.by === "forced" ? FORCED_PAUSE : BASE_PAUSE;
    timer = setTimeout(tick, pause / Number(speed.value));
  }

  function toggle() {
    if (timer !== null) return stop();
    if (timeline.at === timeline.last) timeline.go(0);
    timer = setTimeout(tick, BASE_PAUSE / Number(speed.value) / 2);
    showPlaying();
  }

  function hasten(by) {
    const next = speed.selectedIndex + by;
    if (next >= 0 && next < speed.options.length) speed.selectedIndex = next;
  }

  function showPlaying() {
    const playing = timer !== null;
    play.setAttribute("aria-pressed", String(playing));
    play.title = play.dataset[playing ? "pause" : "play"];
    play.querySelector("use").setAttribute("href", playing ? "#pause" : "#play");
  }

  function take(step) {
    stop();
    STEPS[step](timeline);
  }

  root.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-step]");
    if (button) take(button.dataset.step);
  });
  play.addEventListener("click", toggle);
  slider.addEventListener("input", () => {
    stop();
    timeline.go(Number(slider.value));
  });
  document.addEventListener("keydown", (event) => {
    if (isTaken(event)) return;
    const step = stepOfKey(event);
    if (step) take(step);
    else if (event.key === "+" || event.key === "-") hasten(event.key === "+" ? 1 : -1);
    else if (event.key === " " && !event.target.closest("button, a, summary")) {
      if (!event.repeat) toggle();
    } else return;
    event.preventDefault();
  });

  /** Says which of the moments that have come is shown. */
  function count() {
    place.textContent = `${timeline.at} / ${timeline.last + timeline.waiting}`;
  }

  return {
    count,
    show() {
      slider.max = timeline.last;
      slider.value = timeline.at;
      slider.setAttribute("aria-valuetext", timeline.frame.text);
      count();
      for (const button of root.querySelectorAll("button[data-step]")) {
        const ends = /back|first/.test(button.dataset.step) ? 0 : timeline.last;
        button.setAttribute("aria-disabled", String(timeline.at === ends));
      }
    },
  };
}
