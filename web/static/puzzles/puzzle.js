// A puzzle: the choice is composed on the board or in the list, as at a table of one's own. Arrow
// keys step through the best line.

import "../site/page.js";
import "../play/turn.js";
import { isTaken } from "../replays/dialogs.js";
import { legends } from "../replays/legends.js";

const NARROW = matchMedia("screen and (max-width: 49.95rem), screen and (max-width: 73.45rem) and (max-height: 30rem)");
const board = document.querySelector("[data-part=board]");
const forms = [...board.children]; // the server drew the wide one, then the tall one

/** Keeps the form that is seen, so that its places are those that light up. */
function draw() {
  board.replaceChildren(forms[Number(NARROW.matches)]);
}

legends(board, forms);
NARROW.addEventListener("change", draw);
draw();
document.addEventListener("keydown", (event) => {
  const way = { ArrowLeft: "prev", ArrowRight: "next" }[event.key];
  if (way && !isTaken(event)) document.querySelector(`.line-steps [rel=${way}]`)?.click();
});
