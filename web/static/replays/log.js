// The game in words, a line a frame under a heading a turn; a click shows that moment. Only the line that
// is shown is a stop of the tab key: a game has hundreds, and its keys lead to each.

import { onLinks } from "../site/links.js";
import { html, icon } from "./svg.js";

/** Fills `root` (an <ol>) with the log. Returns {put(from), show(at)}. */
export function log(root, replay, timeline) {
  const lines = []; // of each frame
  const turns = []; // the turn that was under way after each frame

  /** The lines of the frames from this number on, anew; the first may be there: it keeps the focus. */
  function put(from) {
    const there = lines[from];
    const above = there ?? lines[from - 1];
    while (root.lastElementChild && root.lastElementChild !== above) root.lastElementChild.remove();
    if (there) there.firstElementChild.textContent = timeline.frames[from].text;
    const next = there ? from + 1 : from;
    lines.length = turns.length = next;
    for (let at = next; at < timeline.frames.length; at += 1) {
      const frame = timeline.frames[at];
      turns[at] = turns[at - 1];
      if (frame.type === "move" && frame.turn !== turns[at] && frame.turn > 0) {
        turns[at] = frame.turn;
        root.append(heading(frame, replay));
      }
      lines[at] = entry(frame, at);
      root.append(lines[at]);
    }
  }

  put(0);
  onLinks(root, "a[data-at]", ({ dataset }) => timeline.go(Number(dataset.at)));
  let current = null;
  let follows = true; // until a person scrolls the line away
  root.addEventListener("scroll", () => {
    follows = shows(root, current.parentElement);
  });
  // The end of a game takes room from the log: whatever its height, whole lines are shown.
  new ResizeObserver(() => current && follows && scroll(root, current.parentElement)).observe(root);
  return {
    put,
    show(at) {
      current?.removeAttribute("aria-current");
      current?.setAttribute("tabindex", "-1");
      current = lines[at].firstElementChild;
      current.setAttribute("aria-current", "step");
      current.removeAttribute("tabindex");
      if (!shows(root, lines[at])) scroll(root, lines[at]);
      follows = true;
    },
  };
}

function heading({ turn, active }, { seats, labels }) {
  return html(
    "li",
    { class: `log-turn seat-${active}` },
    icon(`seat-${active}`, "glyph"),
    html("span", {}, `${labels.turn} ${turn} · ${seats[active].label}`),
  );
}

function entry(frame, at) {
  const link = html("a", { href: `?at=${at}`, "data-at": at, tabindex: "-1" }, frame.text);
  const by = frame.by && frame.by !== "bot" ? ` by-${frame.by}` : "";
  return html("li", { class: `log-line type-${frame.type}${by}` }, link);
}

/** From the top of the log's content to the top of an entry. */
function topOf(root, entry) {
  return entry.offsetTop - root.offsetTop - root.clientTop;
}

/** The height that a turn's heading may cover. */
function covered(root) {
  return 1 + (root.querySelector(".log-turn")?.offsetHeight ?? 0); // offsets are rounded
}

function shows(root, line) {
  const top = topOf(root, line);
  return top - covered(root) >= root.scrollTop && top + line.offsetHeight <= root.scrollTop + root.clientHeight;
}

/** Scrolls the log, and nothing but the log, until the line is seen; whole lines begin below a turn's heading. */
function scroll(root, line) {
  const last = root.lastElementChild;
  const end = topOf(root, last) + last.offsetHeight - root.clientHeight + covered(root);
  const least = Math.min(topOf(root, line) - root.clientHeight / 2, end);
  let first = line;
  for (let entry = line; entry && topOf(root, entry) >= least; entry = entry.previousElementSibling) {
    if (entry.matches(".log-line")) first = entry;
  }
  root.scrollTop = topOf(root, first) - covered(root);
}
