// Times in the reader's own zone, in the language of the page.

const LANGUAGE = document.documentElement.lang;
const OWN = navigator.languages.find((tag) => tag.split("-")[0] === LANGUAGE); // such as de-AT
const FORM = new Intl.DateTimeFormat(OWN ?? LANGUAGE, { dateStyle: "medium", timeStyle: "short" });

/** Shows each <time> below `root` in the reader's zone; the exact time stays as its title. */
export function localTimes(root) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    time.title = time.getAttribute("datetime");
    time.textContent = FORM.format(new Date(time.dateTime));
  }
}

localTimes(document);
