// Light or dark: the reader's choice, else the system's. Runs before the page is drawn.

(() => {
  const root = document.documentElement;
  const chosen = remembered();
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;

  document.addEventListener("DOMContentLoaded", () => {
    const button = document.querySelector("[data-theme-switch]");
    button.hidden = false;
    button.addEventListener("click", () => {
      const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
      root.dataset.theme = (root.dataset.theme ?? system) === "dark" ? "light" : "dark";
      remember(root.dataset.theme);
    });
  });

  function remembered() {
    try {
      return localStorage.getItem("theme");
    } catch {
      return null;
    }
  }

  function remember(theme) {
    try {
      localStorage.setItem("theme", theme);
    } catch {
      // the browser is told to keep nothing
    }
  }
})();
