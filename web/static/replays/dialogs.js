// Dialogs of the page: a button with [data-opens] opens the one of that name, "?" the keys.

const SCROLLS = /^(Arrow(Up|Down)|Page(Up|Down)|Home|End)$/;

/** Whether a key belongs to where it was pressed (a text field, a list, a dialog that is open) or to
 *  the browser. A dialog that was just closed may hold the focus until the next frame is drawn. */
export function isTaken({ key, ctrlKey, altKey, metaKey, target }) {
  const own = "select, textarea, input:not([type=range]), dialog[open]";
  if (ctrlKey || altKey || metaKey || target.closest?.(own)) return true;
  const scroller = target.matches?.(":is(ol, ul)[tabindex]") && target.scrollHeight > target.clientHeight;
  return Boolean(scroller) && SCROLLS.test(key);
}

/** Wires them below `root`. Without JavaScript the buttons stay hidden. */
export function dialogs(root) {
  for (const button of root.querySelectorAll("[data-opens]")) {
    const dialog = root.querySelector(`dialog[data-part=${button.dataset.opens}]`);
    button.hidden = false;
    button.addEventListener("click", () => dialog.showModal());
    dialog.addEventListener("click", ({ clientX, clientY, detail }) => {
      const { left, right, top, bottom } = dialog.getBoundingClientRect();
      const inside = left <= clientX && clientX <= right && top <= clientY && clientY <= bottom;
      if (detail && !inside) dialog.close();
    });
  }
  document.addEventListener("keydown", (event) => {
    const keys = root.querySelector("dialog[data-part=keys]");
    if (!keys || event.key !== "?" || event.ctrlKey || event.metaKey) return;
    if (document.querySelector("dialog[open]")) return;
    keys.showModal();
    event.preventDefault();
  });
}
