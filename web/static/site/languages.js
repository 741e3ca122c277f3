// The switch of the language leads to where the reader is by then: a page's address may change.

document.querySelector(".languages")?.addEventListener("click", (event) => {
  const link = event.target.closest("a");
  if (!link) return;
  const url = new URL(link.href);
  if (!url.searchParams.has("next")) return; // the page answers a form
  url.searchParams.set("next", location.pathname + location.search);
  url.hash = location.hash; // browsers keep it when they are led on
  link.href = url.href;
});
