// Times in the reader's own zone.

const FORM = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** Shows each <time> below `root` in the reader's zone; the exact time stays as its title. */
export function localTimes(root) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    time.title = time.getAttribute("datetime");
    time.textContent = FORM.format(new Date(time.dateTime));
  }
}

localTimes(document);
