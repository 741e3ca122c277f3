// The analysis of the game: its script comes when somebody asks for it, or has seen the game's end.

import { onLinks } from "../site/links.js";

/** Opens the analysis in `root` beside the other parts of the viewer, once. */
export function onDemand(root, viewer) {
  const { timeline } = viewer;
  const remembered = memory(`analysis-${root.dataset.analysis}`);
  let opened = false;

  async function open() {
    if (opened) return;
    opened = true;
    try {
      const { analysis } = await import(root.dataset.script);
      await analysis(root, viewer, remembered);
    } catch (error) {
      opened = false; // the next click tries again
      throw error;
    }
  }

  function seen() {
    if (timeline.at < timeline.last) return;
    remembered.set("all");
    open();
  }

  if ("seen" in root.dataset) remembered.set("all"); // its reader has played it
  onLinks(root, "a[data-open]", () => {
    if (!remembered.get()) remembered.set("open");
    open();
  });
  timeline.listen(seen);
  if (remembered.get()) open();
  else seen();
}

/** What the browser remembers under a key; as long as the page lives if it keeps nothing. */
function memory(key) {
  let own = null;
  return {
    get() {
      try {
        return localStorage.getItem(key) ?? own;
      } catch {
        return own;
      }
    },
    set(what) {
      own = what;
      try {
        localStorage.setItem(key, what);
      } catch {
        // the browser is told to keep nothing
      }
    },
  };
}
