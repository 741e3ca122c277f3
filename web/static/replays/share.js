// The link to a moment, and the frame for a page on another site.

/** Keeps the fields of the dialog `root` at the moment shown. */
export function share(root, timeline) {
  const moment = root.querySelector("[data-share=moment]");
  const link = root.querySelector("#share-link");
  const snippet = root.querySelector("#share-snippet");
  const written = snippet.value;

  function fill() {
    const at = moment.checked ? timeline.at : null;
    link.value = moved(root.dataset.link, at);
    snippet.value = written.replace(root.dataset.embed, () => moved(root.dataset.embed, at));
  }

  moment.addEventListener("change", fill);
  timeline.listen(fill);
  document.querySelector("[data-opens=share]").addEventListener("click", fill); // a live game went on
  fill();
}

/** The address with another moment; with none for null. */
export function moved(address, at) {
  const url = new URL(address, location.href);
  if (at === null) url.searchParams.delete("at");
  else url.searchParams.set("at", at);
  return url.href;
}
