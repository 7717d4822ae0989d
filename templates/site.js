// Comforts only: every page reads and navigates without this script.
"use strict";
(() => {
  const root = document.documentElement;
  const systemIsDark = matchMedia("(prefers-color-scheme: dark)");
  const configured = document.querySelector('meta[name="color-scheme"]').content; // "light dark": as the system
  const usualTheme = () => (configured !== "light dark" ? configured : systemIsDark.matches ? "dark" : "light");
  const shownTheme = () => root.dataset.theme || usualTheme();

  // Obsidian's snippets look for these classes on the body.
  function markTheme() {
    document.body.classList.toggle("theme-dark", shownTheme() === "dark");
    document.body.classList.toggle("theme-light", shownTheme() === "light");
  }

  // Choosing what would be shown anyway forgets the choice, so that the page follows the system again.
  function switchTheme() {
    const chosen = shownTheme() === "dark" ? "light" : "dark";
    const isUsual = chosen === usualTheme();
    root.dataset.theme = chosen;
    if (isUsual && configured === "light dark") delete root.dataset.theme;
    markTheme();
    try {
      if (isUsual) localStorage.removeItem("llmwiki-theme");
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
