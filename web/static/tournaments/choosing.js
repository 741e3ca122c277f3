// The form of a new tournament finds bots by a word as it is typed; those chosen stay.

import { text } from "../live/keeping_up.js";

const PAUSE = 200; // milliseconds after a key until its word is looked for

const button = document.querySelector("[data-finds]"); // without script it sends the form
const search = document.querySelector("input[name=search]");
let waiting = null;
let asked = 0; // how often a word was looked for

async function find() {
  const number = ++asked;
  const address = new URL(button.formAction);
  address.searchParams.set("search", search.value);
  const page = new DOMParser().parseFromString(await text(address), "text/html");
  const said = page.querySelector("output");
  if (number !== asked || !said) return; // it is the page to sign in if one has signed out
  const chosen = labels(document).filter(({ control }) => control.checked);
  const ids = chosen.map(({ control }) => control.value);
  const found = labels(page).filter(({ control }) => !ids.includes(control.value));
  document.querySelector(".bot-list").replaceChildren(...chosen, ...found);
  offer(page);
  document.querySelector("output").textContent = said.textContent;
}

function labels(page) {
  return [...page.querySelectorAll(".bot-list label")];
}

/** Adds what was found to the bots that may meet all others in a gauntlet. */
function offer(page) {
  const first = document.querySelector("select[name=first]");
  const known = [...first.options].map(({ value }) => value);
  const found = page.querySelectorAll("select[name=first] option");
  first.append(...[...found].filter(({ value }) => !known.includes(value)));
}

if (button) {
  button.remove();
  document.querySelector("button[name=entered]").remove(); // Enter in a field creates, at once
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => find().catch(() => {}), PAUSE); // the next key asks again
  });
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") event.preventDefault(); // it would send the form
  });
}
