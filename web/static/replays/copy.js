// Copying: a button with [data-copies] puts the text of that field, or element, on the clipboard.

const SAID = 2000; // milliseconds for which the button says that it is done

/** Wires all such buttons below `root`. */
export function copying(root) {
  for (const button of root.querySelectorAll("[data-copies]")) {
    const field = document.getElementById(button.dataset.copies);
    const name = button.textContent;
    button.addEventListener("click", async () => {
      if (field.select) field.select();
      else getSelection().selectAllChildren(field);
      if (!(await copied(field.value ?? field.textContent))) return;
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
