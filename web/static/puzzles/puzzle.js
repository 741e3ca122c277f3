// A puzzle: the choice is composed on the board or in the list, as at a table of one's own. Arrow
// keys step through the best line.

import "../site/page.js";
import "../play/turn.js";
import { isTaken } from "../replays/dialogs.js";
import { TALL } from "../replays/forms.js";
import { legends } from "../replays/legends.js";

const board = document.querySelector("[data-part=board]");
const forms = [...board.children];

/** Keeps the form that is seen, so that its places are those that light up. */
function draw() {
  board.replaceChildren(forms[Number(TALL.matches)]);
}

legends(board, forms);
TALL.addEventListener("change", draw);
draw();
document.addEventListener("keydown", (event) => {
  const way = { ArrowLeft: "prev", ArrowRight: "next" }[event.key];
  if (way && !isTaken(event)) document.querySelector(`.line-steps [rel=${way}]`)?.click();
});
