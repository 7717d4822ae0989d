// The tree of folders and pages: it takes the place of the plain list of folders, and each branch comes when it is opened.
"use strict";
(() => {
  const { element, hrefOf, load, filled, texts } = llmwiki;
  const list = document.querySelector(".nav-folders");
  if (!list) return;
  const nav = list.closest("nav");
  const here = llmwiki.urlOf(location.href) || "index.html";
  const KEY = "llmwiki-tree " + llmwiki.root;

  // The branches that are open; without storage they are remembered as long as the page is.
  let turned = {};
  try {
    turned = JSON.parse(sessionStorage.getItem(KEY)) || {};
  } catch {
    turned = {};
  }
  function remember(url, isOpen) {
    turned[url] = isOpen;
    try {
      sessionStorage.setItem(KEY, JSON.stringify(turned));
    } catch {
      // storage is blocked
    }
  }

  const link = (url, title) => element("a", { href: hrefOf(url), dir: "auto", ...(url === here ? { "aria-current": "page" } : {}) }, title);

  function branch([name, script, url, count]) {
    const inside = element("ul", { hidden: "" });
    const button = element("button", { type: "button", class: "tree-toggle", "aria-expanded": "false", "aria-label": filled(texts["tree.open"], { name }) });
    const item = element("li", { class: "tree-folder" }, button, link(url, name), element("small", {}, count.toLocaleString(llmwiki.language)), inside);
    async function turn(isOpen) {
      if (isOpen && !inside.childElementCount) await fill(inside, script, url);
      inside.hidden = !isOpen;
      button.setAttribute("aria-expanded", String(isOpen));
    }
    button.addEventListener("click", async () => {
      const isOpen = inside.hidden;
      remember(url, isOpen);
      await turn(isOpen);
    });
    const isAbove = here.startsWith(url.replace(/index\.html$/, ""));
    if (isAbove) remember(url, true);
    return { item, opened: turned[url] ? turn(true) : null };
  }

  async function fill(place, script, url) {
    const { folders, pages, more } = await load(script);
    const branches = folders.map(branch);
    place.append(...branches.map(({ item }) => item));
    place.append(...pages.map(([title, page]) => element("li", {}, link(page, title))));
    if (more) place.append(element("li", {}, link(url, filled(texts["tree.more"], { count: more }))));
    await Promise.all(branches.map(({ opened }) => opened));
  }

  async function show() {
    const tree = element("ul", { class: "nav-folders nav-tree" });
    try {
      await fill(tree, "tree/root", "pages.html");
    } catch (error) {
      if (!(error instanceof llmwiki.Missing)) throw error;
      return; // the plain list stays
    }
    list.replaceWith(tree);
    tree.parentElement.hidden = !tree.childElementCount;
    const current = tree.querySelector("[aria-current]");
    if (current && current.offsetTop + current.offsetHeight > nav.clientHeight) nav.scrollTop = current.offsetTop - 0.6 * nav.clientHeight;
    nav.dataset.tree = "";
  }

  // Where the tree is in a drawer, it is made when that opens.
  if (getComputedStyle(nav).display !== "none") show();
  else nav.addEventListener("beforetoggle", show, { once: true });
})();
