// What each tile does, in words: under the pointer, after a tap, and while the tile has the focus.

const TILES = ".citizen, .building";
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const EDGE = 8; // pixels between a legend and the edge of the window

/**
 * Shows the legends of the tiles in the board's `forms`. The board is one stop for the tab key;
 * there, arrows lead from tile to tile. A tile that can be chosen ("lit") is play's own.
 */
export function legends(root, forms) {
  const shown = document.createElement("p");
  shown.className = "legend";
  shown.hidden = true;
  shown.setAttribute("aria-hidden", "true"); // each tile has it as its name
  let of = null; // the tile whose legend is shown
  root.after(shown);
  for (const form of forms) take(form);
  root.addEventListener("lit", name);
  name();

  /** The words come from the drawing's titles, which are there for pages without scripts. */
  function take(form) {
    for (const tile of form.querySelectorAll(TILES)) {
      const title = tile.querySelector(":scope > title");
      tile.dataset.legend = title.textContent;
      title.remove();
    }
    form.querySelector(TILES).setAttribute("tabindex", "0");
  }

  function name() {
    root.setAttribute("role", "group");
    for (const form of forms) {
      const tiles = [...form.querySelectorAll(TILES)].filter((tile) => !tile.matches(".lit"));
      for (const tile of tiles) {
        tile.setAttribute("role", "img");
        tile.setAttribute("aria-label", tile.dataset.legend);
        if (!tile.hasAttribute("tabindex")) tile.setAttribute("tabindex", "-1");
      }
      if (tiles.every((tile) => tile.tabIndex < 0)) tiles[0]?.setAttribute("tabindex", "0");
    }
  }

  function show(tile) {
    of = tile;
    shown.textContent = tile.dataset.legend;
    shown.hidden = false;
    shown.style.left = 0; // where it has all its width
    const at = tile.getBoundingClientRect();
    const { width, height } = shown.getBoundingClientRect();
    const left = Math.min(at.left + (at.width - width) / 2, innerWidth - width - EDGE);
    const above = at.top - height;
    shown.style.left = `${Math.max(EDGE, left)}px`;
    shown.style.top = `${above < EDGE ? Math.min(at.bottom, innerHeight - height - EDGE) : above}px`;
  }

  function hide() {
    of = null;
    shown.hidden = true;
  }

  /** Lets the legend stay at its tile while the page scrolls, until that is out of sight. */
  function follow() {
    const at = of?.getBoundingClientRect();
    if (at && at.bottom > 0 && at.top < innerHeight) show(of);
    else hide();
  }

  document.addEventListener("pointerover", ({ target, pointerType }) => {
    if (pointerType !== "mouse" || target === shown) return;
    const tile = root.contains(target) && target.closest(TILES);
    if (tile) show(tile);
    else hide();
  });
  document.addEventListener("click", ({ target }) => {
    const tile = root.contains(target) && target.closest(TILES);
    if (tile && !tile.matches(".lit")) show(tile);
    else hide();
  });
  root.addEventListener("focusin", ({ target }) => {
    if (target.matches(`:is(${TILES}):focus-visible`)) show(target);
  });
  root.addEventListener("focusout", hide);
  document.addEventListener("scroll", follow, { passive: true });
  document.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") hide();
  });
  root.addEventListener("keydown", (event) => {
    const from = event.target.closest(TILES);
    const way = ARROWS[event.key];
    if (!from || !way || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation(); // elsewhere arrows step through the game
    const next = neighbour(from, way);
    if (!next) return;
    if (!from.matches(".lit")) from.setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus({ focusVisible: true });
  });
}

/** The nearest tile in a direction, rather straight ahead than aside. */
function neighbour(from, [right, down]) {
  const middle = (tile) => {
    const { left, top, width, height } = tile.getBoundingClientRect();
    return [left + width / 2, top + height / 2];
  };
  const [x, y] = middle(from);
  const ahead = [...from.closest("svg").querySelectorAll(TILES)].flatMap((tile) => {
    const [dx, dy] = middle(tile).map((place, axis) => place - [x, y][axis]);
    const far = dx * right + dy * down;
    return far > 1 ? [[far + 2 * Math.abs(dx * down + dy * right), tile]] : [];
  });
  return ahead.sort(([a], [b]) => a - b)[0]?.[1];
}
