// The choices of the person at the table: fetched when the game goes on, sent without leaving.

const LOOK_EVERY = 2000; // milliseconds: news of the game may get lost

const page = document.querySelector("[data-replay]");
const turn = page.querySelector("[data-part=turn]");
let shown = essence(turn.innerHTML);

/** The part without the form's token, which is another one each time. */
function essence(text) {
  return text.replace(/(name="csrf_token" value)="[^"]*"/g, "$1").trim();
}

async function fetched(address, options) {
  const answer = await fetch(address, options);
  if (!answer.ok && answer.status !== 409) throw new Error(`${answer.status} ${answer.statusText}`);
  show(await answer.text());
}

function show(text) {
  if (essence(text) === shown) return;
  const had = turn.contains(document.activeElement);
  turn.innerHTML = text;
  shown = essence(text);
  if (had) (turn.querySelector("button") ?? turn).focus();
}

const look = () => fetched(turn.dataset.turn).catch(() => {});

turn.addEventListener("submit", (event) => {
  const button = event.submitter;
  if (button?.name !== "move") return;
  event.preventDefault();
  const sent = new FormData(event.target, button);
  sent.set("part", "1");
  for (const each of turn.querySelectorAll("button")) each.disabled = true;
  fetched(event.target.action, { method: "POST", body: sent }).catch(() => location.reload());
});

page.addEventListener("news", look);
setInterval(() => {
  if (!document.hidden && !turn.querySelector("[data-decision]")) look();
}, LOOK_EVERY);
look();
