// A puzzle: the choice is composed on the board or in the list, as at a table of one's own.

import "../site/page.js";
import "../play/turn.js";
import { legends } from "../replays/legends.js";

const NARROW = matchMedia("screen and (max-width: 49.95rem)");
const board = document.querySelector("[data-part=board]");
const forms = [...board.children]; // the server drew the wide one, then the tall one

/** Keeps the form that is seen, so that its places are those that light up. */
function draw() {
  board.replaceChildren(forms[Number(NARROW.matches)]);
}

legends(board, forms);
NARROW.addEventListener("change", draw);
draw();
// The next step of the best line is one key away, and the board stays in sight.
document.querySelector("[aria-current=step]")?.focus({ preventScroll: true });
