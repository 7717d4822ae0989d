// Comforts only: every page reads and navigates without this script.
"use strict";
(() => {
  const root = document.documentElement;
  const systemIsDark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : systemIsDark.matches);

  // Obsidian's snippets look for these classes on the body.
  function markTheme() {
    document.body.classList.toggle("theme-dark", isDark());
    document.body.classList.toggle("theme-light", !isDark());
  }

  // Choosing what the system shows anyway means following the system again.
  function switchTheme() {
    const chosen = isDark() ? "light" : "dark";
    const followsSystem = (chosen === "dark") === systemIsDark.matches;
    if (followsSystem) delete root.dataset.theme;
    else root.dataset.theme = chosen;
    markTheme();
    try {
      if (followsSystem) localStorage.removeItem("llmwiki-theme");
      else localStorage.setItem("llmwiki-theme", chosen);
    } catch {
      // Storage is blocked: the choice holds for this page only.
    }
  }

  markTheme();
  systemIsDark.addEventListener("change", markTheme);
  document.querySelector(".theme-switch")?.addEventListener("click", switchTheme);

  // A drawer has done its work once a place on this page was picked, or once the window has room for it.
  for (const drawer of document.querySelectorAll(".drawer[popover]")) {
    const close = () => drawer.togglePopover?.(false);
    drawer.addEventListener("click", (event) => event.target.closest("a") && close());
    matchMedia("(min-width: 64rem)").addEventListener("change", close);
  }

  // What scrolls sideways must be reachable by keyboard.
  for (const box of document.querySelectorAll("pre, .table-wrapper")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  }
})();
