// The form of a new tournament shows the bots that have a word in their lines, and those chosen.

const search = document.querySelector("[data-finds]");
const none = document.querySelector("[data-says-none]");
const bots = [...document.querySelectorAll(".bot-list label")];

function find() {
  const word = search.value.trim().toLowerCase();
  const found = new Set(bots.filter((bot) => bot.textContent.toLowerCase().includes(word)));
  for (const bot of bots) bot.hidden = !bot.control.checked && !found.has(bot);
  none.textContent = found.size ? "" : none.dataset.saysNone;
}

if (search) {
  search.closest("label").hidden = false;
  search.addEventListener("input", find);
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") event.preventDefault(); // it would send the form
  });
}
