// Times in the reader's own zone, in the language of the page.

const LANGUAGE = document.documentElement.lang;
const OWN = navigator.languages.find((tag) => tag.split("-")[0] === LANGUAGE); // such as de-AT
const form = (parts) => new Intl.DateTimeFormat(OWN ?? LANGUAGE, parts);
const FORM = form({ dateStyle: "medium", timeStyle: "short" });
const DAY = form({ month: "short", day: "numeric" });
const HOUR = form({ timeStyle: "short" });

/** Shows each <time> below `root` in the reader's zone, the exact time stays as its title; and the
 *  dates below charts, with the hour or without. */
export function localTimes(root) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    time.title = time.getAttribute("datetime");
    time.textContent = FORM.format(new Date(time.dateTime));
  }
  for (const mark of root.querySelectorAll("[data-day], [data-hour]")) {
    const at = new Date(mark.dataset.day ?? mark.dataset.hour);
    mark.textContent = "hour" in mark.dataset ? `${DAY.format(at)} ${HOUR.format(at)}` : DAY.format(at);
  }
}

localTimes(document);
