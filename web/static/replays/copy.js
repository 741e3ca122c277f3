// Copying: a button with [data-copies] puts the text of that field on the clipboard.

const SAID = 2000; // milliseconds for which the button says that it is done

/** Wires all such buttons below `root`. */
export function copying(root) {
  for (const button of root.querySelectorAll("[data-copies]")) {
    const field = document.getElementById(button.dataset.copies);
    const name = button.textContent;
    button.addEventListener("click", async () => {
      field.select();
      if (!(await copied(field.value))) return;
      button.textContent = button.dataset.done;
      setTimeout(() => (button.textContent = name), SAID);
    });
  }
}

/** Whether the text, which is selected, is on the clipboard now. */
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text); // only over HTTPS and on localhost
    return true;
  } catch {
    return document.execCommand("copy");
  }
}
