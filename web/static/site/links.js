// Links that a script follows by itself, as long as nobody wants another tab or window for them.

/** Calls `go(link)` for a click on a link below `root` that the selector fits. */
export function onLinks(root, selector, go) {
  root.addEventListener("click", (event) => {
    const link = event.target.closest(selector);
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    go(link);
  });
}
