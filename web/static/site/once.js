// What is sent is sent once, though its button is clicked twice, or the page that answers it loaded anew.

const LONGEST = 20000; // milliseconds after which a form that was not answered can be sent again

addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "post") return; // a script sends it, or nothing is made
  if (form.hasAttribute("aria-busy")) {
    event.preventDefault();
    return;
  }
  form.setAttribute("aria-busy", "true");
  setTimeout(() => form.removeAttribute("aria-busy"), LONGEST);
});

// Who comes back to a form may send it again.
addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[aria-busy]")) form.removeAttribute("aria-busy");
});

// A secret that is shown once has no address of its own: to load its page anew leads to what follows.
const after = document.querySelector("a[data-after]");
if (after) history.replaceState(null, "", after.href);
