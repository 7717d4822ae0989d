// Comforts only: every page reads and navigates without this script.
"use strict";
// What the other scripts share. `llmwikiTexts`, which the build puts before this file, holds the texts in the site's language.
window.llmwiki = (() => {
  const assets = new URL(".", document.currentScript.src).href;
  const root = new URL("..", assets).href;
  class Missing extends Error {}

  const encoded = (path) => path.split("/").map(encodeURIComponent).join("/");
  const hrefOf = (url, anchor = "") => root + encoded(url) + (anchor && `#${encodeURIComponent(anchor)}`);
  // The address of a page within the site, as the build knows it; "" for the site itself.
  const decoded = (path) => path.split("/").map(decodeURIComponent).join("/");
  const urlOf = (href) => decoded(new URL(href, location.href).pathname).slice(decoded(new URL(root).pathname).length);
  const filled = (text, values = {}) => text.replace(/\{(\w+)\}/g, (_, name) => (typeof values[name] === "number" ? values[name].toLocaleString(llmwikiLanguage) : values[name]));

  // Texts become text: nothing that a page says is ever read as HTML.
  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  // Script files hand over their data by name: unlike `fetch`, that works on file:// too.
  const promises = new Map(), waiting = new Map();
  const take = (name, value) => waiting.get(name)?.(value);
  function load(name, { isData = true } = {}) {
    if (!promises.has(name)) {
      promises.set(name, new Promise((resolve, reject) => {
        if (isData) waiting.set(name, resolve);
        const script = element("script", { src: `${assets}${encoded(name)}.js` });
        script.onload = () => (isData ? reject(new Missing(name)) : resolve()); // a file that handed over nothing
        script.onerror = () => {
          promises.delete(name); // the next try may do better
          reject(new Missing(name));
        };
        document.head.append(script);
      }));
    }
    return promises.get(name);
  }

  // The text of a page by its address: title, tags, headings and the text itself; of long ones the first part.
  const textOf = (url, part = 0) => load(`text${part ? `-${part}` : ""}/${url.replace(/\.html$/, "")}`);
  async function wholeText(url) {
    const page = await textOf(url);
    const parts = await Promise.all(page.starts.slice(1).map((_, i) => textOf(url, i + 1)));
    return `${page.title}\n${page.text}${parts.join("")}`;
  }

  return { assets, root, texts: llmwikiTexts, language: llmwikiLanguage, Missing, take, load, textOf, wholeText, hrefOf, urlOf, filled, element };
})();

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

  // The search comes with its own script when it is first wanted.
  async function search() {
    const typed = keepTyped();
    try {
      await llmwiki.load("search", { isData: false });
      await llmwiki.search.open(typed);
    } catch (error) {
      if (!(error instanceof llmwiki.Missing)) throw error;
      location.href = llmwiki.hrefOf("search.html");
    } finally {
      typed();
    }
  }

  // Letters that are typed while the search is loaded: the returned function hands them over, once.
  function keepTyped() {
    let text = "";
    const keep = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      if (event.key !== "Backspace" && event.key.length !== 1) return;
      text = event.key === "Backspace" ? text.slice(0, -1) : text + event.key;
      event.preventDefault();
    };
    addEventListener("keydown", keep, true);
    return () => {
      removeEventListener("keydown", keep, true);
      return text;
    };
  }
  for (const link of document.querySelectorAll(".search-button")) {
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return; // a new tab or window was asked for
      event.preventDefault();
      search();
    });
  }
  if (document.querySelector(".search-page")) llmwiki.load("search", { isData: false });

  function showKeys() {
    const { texts, element } = llmwiki;
    let help = document.querySelector(".keys-dialog");
    if (!help) {
      const close = element("button", { type: "button", class: "icon-button search-close", "aria-label": texts["search.close"] });
      const row = (key, name) => [element("dt", {}, element("kbd", {}, key)), element("dd", {}, texts[`keys.${name}`])];
      help = element("dialog", { class: "keys-dialog", "aria-labelledby": "_keys", lang: llmwiki.language },
        close, element("h2", { id: "_keys" }, texts.keys),
        element("dl", {}, ...row("/", "search"), ...row("g", "graph"), ...row("h", "home"), ...row("t", "theme"), ...row("?", "help"), ...row("Esc", "close")));
      close.addEventListener("click", () => help.close());
      help.addEventListener("click", (event) => event.target === help && help.close());
      document.body.append(help);
    }
    help.showModal();
  }

  const keys = {
    "/": search, "?": showKeys, t: switchTheme,
    g: () => (location.href = llmwiki.hrefOf("graph.html")),
    h: () => (location.href = llmwiki.hrefOf("index.html")),
  };
  document.addEventListener("keydown", (event) => {
    const isSearch = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey);
    if (event.defaultPrevented || event.isComposing || event.altKey || (!isSearch && (event.ctrlKey || event.metaKey))) return;
    const isWriting = event.target.closest?.("input, textarea, select, [contenteditable], canvas, audio, video");
    if (!isSearch && (isWriting || document.querySelector("dialog[open]"))) return;
    const action = isSearch ? search : keys[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });

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

  // The graph around a page comes with its own script, and only where there is something to draw on it.
  const localGraph = document.querySelector(".local-graph");
  if (localGraph) {
    localGraph.hidden = false;
    new IntersectionObserver(([entry], observer) => {
      if (!entry.isIntersecting) return;
      observer.disconnect();
      for (const name of ["graph.js", "graph-local.js"]) {
        const script = document.createElement("script");
        script.src = localGraph.dataset.assets + name;
        script.async = false; // in this order
        document.head.append(script);
      }
    }, { rootMargin: "200px" }).observe(localGraph);
  }
})();
