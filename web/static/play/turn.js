// The person at the table: a choice is composed on the board or in the list, then confirmed.
// The server says which moves there are, and where on the board each one is made.

const LOOK_EVERY = 3000; // milliseconds, while the stream of news is lost, or a look was not answered
const PATIENCE = 30_000; // milliseconds that an answer may take: a dead connection gives none
const AWAY = [502, 503, 504]; // what a proxy answers while the site restarts

const page = document.querySelector("[data-replay]");
const title = document.title;
const board = page.querySelector("[data-part=board]");
const turn = page.querySelector("[data-part=turn]");
let shown = essence(turn.innerHTML);
let due = deadline(turn); // by the clock of this device
let asked = 0; // how often the part was asked for
let answered = 0; // the newest of these that was answered
let place = null; // where the person has clicked
let chosen = null; // the button of the move that waits to be confirmed
let reads = false; // what has happened meanwhile: that stays open from choice to choice
let pointed = false; // by mouse or thumb: then the page stays where it is

/** The part without the form's token and the clock, which differ each time. */
function essence(text) {
  return text
    .replace(/(name="csrf_token" value)="[^"]*"/g, "$1")
    .replace(/<b data-left.*?<\/b>/g, "")
    .trim();
}

/** When the time for the choice is over; NaN without a clock. */
function deadline(root) {
  return Date.now() + 1000 * Number(root.querySelector("[data-left]")?.dataset.left);
}

const moves = () => [...turn.querySelectorAll("button[name=move]")];
const within = (button) => button.closest("details:not([open])") === null;
const fits = (button) => within(button) && (place === null || button.dataset.placeOf === place);

/** Fetches the part of the page that shows who has to choose; `options` if a form asks for it. */
export async function fetched(address, options) {
  const number = ++asked;
  const answer = await fetch(address, { ...options, signal: AbortSignal.timeout(PATIENCE) });
  const { ok, status, statusText } = answer;
  if (AWAY.includes(status)) throw new Error(`${status} ${statusText}`); // as without a connection
  if (!ok && status !== 409) throw Object.assign(new Error(`${status} ${statusText}`), { status });
  const text = await answer.text();
  if (number < answered && !options) return; // a look that was overtaken
  answered = Math.max(answered, number);
  show(text, Boolean(options));
}

/**
 * Shows the part. News that changes nothing is left out: to draw it anew would take back what is
 * being composed. The answer to a form is drawn even if it is the same, since it frees the buttons.
 */
function show(text, answers) {
  const fresh = document.createElement("template");
  fresh.innerHTML = text;
  due = deadline(fresh.content);
  const wanted = essence(fresh.innerHTML); // as a browser writes it, like what it is compared with
  if (wanted === shown && !answers) return;
  const { activeElement: focused, body } = document;
  const lost = answers && focused === body; // with a button, where the turn has no box to take it
  const had = lost || turn.contains(focused) || board.contains(focused);
  const opened = turn.querySelector(".leaving details[open]") !== null;
  turn.replaceChildren(fresh.content);
  if (opened) turn.querySelector(".leaving details")?.toggleAttribute("open", true); // a question stays open
  turn.querySelector("details.meanwhile")?.toggleAttribute("open", reads);
  shown = wanted;
  takeBack();
  if (!had) return;
  const verdict = turn.querySelector("[autofocus]"); // on a puzzle: above what was chosen from
  const buttons = [...turn.querySelectorAll("button:not([hidden])")];
  const first = turn.querySelector("[data-hinted]") ?? buttons.find(within);
  if (!verdict) return focusOn(first ?? turn);
  verdict.focus();
  turn.querySelector("h2").scrollIntoView({ block: "nearest" }); // on phones the verdict stays in sight
}

/** Where a place is on the board. */
function spot(name) {
  const [kind, id] = name.split(":");
  return id ? board.querySelector(`[data-${kind}="${id}"]`) : board.querySelector(`.${kind}`);
}

/** Lights the places at which a move can be made, or marks the one that is chosen; keyboards reach them, too. */
function light() {
  for (const old of board.querySelectorAll(".lit, .picked")) {
    old.classList.remove("lit", "hinted", "picked");
    for (const name of ["tabindex", "role", "aria-label", "aria-description"]) old.removeAttribute(name);
  }
  const places = chosen ? [] : moves().filter(fits).map((button) => button.dataset.placeOf);
  board.setAttribute("role", places.some(Boolean) ? "group" : "img");
  for (const name of new Set(places.filter(Boolean))) {
    const at = spot(name);
    if (!at) continue;
    const names = moves().filter((button) => fits(button) && button.dataset.placeOf === name);
    at.classList.add("lit");
    if (names.some((button) => "hinted" in button.dataset)) at.classList.add("hinted");
    at.setAttribute("tabindex", "0");
    at.setAttribute("role", "button");
    at.setAttribute("aria-label", names.map((button) => button.textContent).join(", "));
    if (at.dataset.legend) at.setAttribute("aria-description", at.dataset.legend); // what it does
    at.dataset.lit = name;
  }
  if (chosen?.dataset.placeOf) spot(chosen.dataset.placeOf)?.classList.add("picked");
  board.dispatchEvent(new Event("lit")); // legends.js names the other tiles
}

/** At a table, says to who is elsewhere, who sees the board alone or none of it, that they have to choose. */
function call() {
  const sign = page.querySelector("[data-part=own-turn]");
  if (!sign) return;
  sign.hidden = !turn.querySelector("[data-decision]");
  document.title = sign.hidden ? title : `${sign.textContent} · ${title}`;
  const told = sign.hidden ? "" : sign.textContent;
  const heard = page.querySelector("[data-part=heard-turn]");
  if (heard.textContent !== told) heard.textContent = told; // it is read aloud
}

function draw() {
  call();
  turn.querySelector(".unreached")?.remove();
  for (const button of moves()) {
    button.parentElement.hidden = !(chosen ? button === chosen : fits(button));
    button.setAttribute("aria-pressed", String(button === chosen));
  }
  const confirming = turn.querySelector("[data-confirming]");
  if (confirming) {
    confirming.hidden = !chosen && place === null;
    confirming.querySelector("[data-confirms]").hidden = !chosen;
    const name = confirming.querySelector("[data-chosen]");
    if (name) name.textContent = chosen?.textContent ?? "";
    const isOnBoard = moves().some(({ dataset }) => dataset.placeOf);
    turn.querySelector("[data-hint]").hidden = Boolean(chosen) || !isOnBoard;
  }
  light();
}

function choose(button) {
  chosen = button;
  draw();
  focusOn(turn.querySelector("[data-confirms]"));
}

/** A place on the board: its only move, or else a choice among its moves. */
function go(name) {
  place = name;
  const left = moves().filter(fits);
  if (left.length === 1) choose(left[0]);
  else {
    draw();
    left[0]?.focus();
  }
}

function focusOn(element) {
  element.focus({ preventScroll: pointed });
}

function takeBack() {
  place = chosen = null;
  draw();
}

/** Sends a form for the part of the page that follows from it. */
function send(form, choice = {}) {
  const sent = new FormData(form);
  for (const [name, value] of Object.entries({ ...choice, part: "1" })) sent.set(name, value);
  turn.focus({ preventScroll: true }); // a button that is disabled loses it
  for (const each of turn.querySelectorAll("button")) each.disabled = true;
  const answer =
    form.method === "get"
      ? fetched(`${form.action}?${new URLSearchParams(sent)}`, {})
      : fetched(form.action, { method: "POST", body: sent });
  answer.catch(({ status }) => (status ? location.reload() : unreached()));
}

/** No answer came: says so, and frees the buttons to try again. */
export function unreached() {
  for (const each of turn.querySelectorAll("button")) each.disabled = false;
  draw();
  const told = document.createElement("p");
  told.className = "wrong-sentence unreached";
  told.setAttribute("role", "alert");
  told.textContent = turn.dataset.unreached;
  (chosen ? turn.querySelector("[data-confirming]") : turn).prepend(told);
  if (chosen) focusOn(turn.querySelector("[data-confirms]"));
}

turn.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (event.detail > 1) event.preventDefault(); // a double click means nothing that moved below it
  else if (button?.name === "move") {
    event.preventDefault();
    choose(button);
  } else if (button && "confirms" in button.dataset) {
    page.querySelector("[data-part=follow][aria-pressed=false]")?.click(); // shows what follows
    send(chosen.form, { move: chosen.value });
  } else if (button && "takesBack" in button.dataset) {
    takeBack();
    focusOn(moves()[0]);
  }
});

turn.addEventListener(
  "toggle",
  ({ target }) => {
    if (target.matches(".far")) draw();
    if (target.matches(".meanwhile")) reads = target.open;
  },
  true,
);

turn.addEventListener("keydown", (event) => {
  const presses = event.key === "Enter" || event.key === " ";
  if (presses && event.repeat) event.preventDefault(); // held down, a key would confirm what it chose
});

turn.addEventListener("submit", (event) => {
  const form = event.target;
  if (!("hints" in form.dataset)) return;
  event.preventDefault();
  send(form);
});

page.addEventListener("pointerdown", () => (pointed = true));
page.addEventListener("keydown", () => (pointed = false));
board.addEventListener("click", (event) => {
  const at = event.target.closest(".lit");
  if (at) go(at.dataset.lit);
});
board.addEventListener("keydown", (event) => {
  const at = event.target.closest(".lit");
  if (!at || (event.key !== "Enter" && event.key !== " ")) return;
  event.preventDefault();
  event.stopPropagation(); // the space key plays replays
  go(at.dataset.lit);
});
page.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || (!chosen && place === null)) return;
  takeBack();
  moves()[0]?.focus();
});

new MutationObserver(() => light()).observe(board, { childList: true, subtree: true });

let looks = 0; // that were not answered yet
let looking = null;
let missed = null; // makes up for a look that failed: the news is not told again

async function look() {
  clearTimeout(missed);
  looks += 1;
  await fetched(turn.dataset.turn).catch(() => (missed = setTimeout(lookAgain, LOOK_EVERY)));
  looks -= 1;
}

/** Looks by the clock; not while an answer is due, since a choice would have to wait behind many. */
function lookAgain() {
  if (!looks) look();
}

page.addEventListener("news", () => {
  clearInterval(looking);
  looking = null;
  look();
});
page.addEventListener("lost", () => {
  looking ??= setInterval(() => document.hidden || lookAgain(), LOOK_EVERY);
});
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && turn.querySelector("[data-left]")) look();
});
setInterval(() => {
  const clock = turn.querySelector("[data-left]");
  if (!clock) return;
  const left = Math.max(0, Math.ceil((due - Date.now()) / 1000));
  clock.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
  if (left === 0) lookAgain();
}, 1000);
draw();
