// The form of a new tournament shows the bots that have a word in their lines, and those chosen.

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
}
