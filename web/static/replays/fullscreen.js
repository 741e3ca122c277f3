// The stage on the whole screen: by its button or the key F, and back by the same or Escape.

import { isTaken } from "./dialogs.js";

/** Wires the button [data-fullscreen] to `stage`; it stays hidden where the browser refuses. */
export function fullscreen(button, stage) {
  if (!button || !document.fullscreenEnabled) return;
  const change = () =>
    document.fullscreenElement ? document.exitFullscreen() : stage.requestFullscreen();
  button.hidden = false;
  button.addEventListener("click", change);
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() === "f" && !event.repeat && !isTaken(event)) change();
  });
}
