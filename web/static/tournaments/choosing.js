// The bots of a new tournament: of many, a word leaves those that have it, and those chosen.

const search = document.querySelector("[data-finds]");
const bots = [...document.querySelectorAll(".bot-list label")];

function find() {
  const word = search.value.trim().toLowerCase();
  for (const bot of bots)
    bot.hidden = !bot.control.checked && !bot.textContent.toLowerCase().includes(word);
}

if (search) {
  search.closest("label").hidden = false;
  search.addEventListener("input", find);
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") event.preventDefault(); // it would send the form
  });
  addEventListener("pageshow", find); // the browser may have restored the word
}
