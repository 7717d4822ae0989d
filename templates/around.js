// What lies around a page: related pages, and pages that name it without a link. Both are looked up when they come into view.
"use strict";
(() => {
  const { element, load, hrefOf } = llmwiki;
  const [SHARED_SOURCE, LINKED, COMMON_NEIGHBOUR, SAME_CATEGORY] = [4, 3, 1.5, 1]; // as `llmwiki related`
  const HUB = 200; // neighbours: with more, a page says nothing of those that it knows
  const MOST_RELATED = 8, MOST_MENTIONS = 20;

  // As zlib's: which of the files knows a page follows from its address.
  function crc32(text) {
    let crc = ~0;
    for (const byte of new TextEncoder().encode(text)) {
      crc ^= byte;
      for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    }
    return ~crc >>> 0;
  }

  // A page and its neighbours, each as [title, address, colour, number of neighbours, category], or null. `sharing` are the
  // pages made from the same sources, with the number of those.
  async function near(address) {
    const { shards } = await load("graph/near");
    const part = await load(`graph/near-${crc32(address) % shards}`);
    const at = part.pages.findIndex((page) => page[1] === address);
    if (at < 0 || !part.near[at]) return null;
    const sharing = (part.sharing[at] || []).map(([i, count]) => [part.pages[i], count]);
    return { own: part.pages[at], near: part.near[at].map((i) => part.pages[i]), sharing };
  }

  async function related(address) {
    const here = await near(address);
    if (!here || here.own[3] > HUB) return [];
    const found = new Map();
    const add = (page, score) => {
      if (page[1] === address) return;
      if (!found.has(page[1])) found.set(page[1], { title: page[0], url: page[1], score: page[4] && page[4] === here.own[4] ? SAME_CATEGORY : 0 });
      found.get(page[1]).score += score;
    };
    for (const page of here.near) add(page, LINKED);
    for (const [page, count] of here.sharing) add(page, SHARED_SOURCE * count);
    const between = await Promise.all(here.near.filter((page) => page[3] <= HUB).map((page) => near(page[1])));
    for (const other of between) {
      for (const page of other?.near || []) add(page, COMMON_NEIGHBOUR / Math.log(Math.max(2, other.own[3])));
    }
    return [...found.values()].sort((a, b) => (Math.abs(b.score - a.score) > 1e-9 ? b.score - a.score : a.url < b.url ? -1 : 1));
  }

  // Pages that hold one of the names as a phrase, but do not link here.
  async function mentions(names, known) {
    await load("search", { isData: false });
    const phrases = names.map((name) => `"${name.replaceAll('"', " ")}"`).join(" OR ");
    const { hits } = await llmwiki.search.search(phrases, { limit: MOST_MENTIONS + known.size });
    return hits.filter((hit) => !known.has(hit.url) && !hit.isRelaxed && hit.marks.length).slice(0, MOST_MENTIONS);
  }

  Object.assign(llmwiki, { near, related });

  const section = document.querySelector(".related");
  if (section) {
    section.hidden = false;
    new IntersectionObserver(async ([entry], observer) => {
      if (!entry.isIntersecting) return;
      observer.disconnect();
      const pages = await related(section.dataset.url).catch(() => []);
      section.hidden = !pages.length;
      section.querySelector("ul").append(...pages.slice(0, MOST_RELATED).map((page) =>
        element("li", {}, element("a", { class: "internal-link", href: hrefOf(page.url), dir: "auto" }, page.title))));
      section.dataset.ready = "";
    }, { rootMargin: "200px" }).observe(section);
  }

  const details = document.querySelector(".mentions");
  if (details) {
    details.hidden = false;
    details.addEventListener("toggle", async () => {
      const linking = [...document.querySelectorAll(".backlinks a.internal-link")].map((link) => llmwiki.urlOf(link.href));
      const known = new Set([details.dataset.url, ...linking]);
      const list = details.querySelector("ul");
      const hits = await mentions(JSON.parse(details.dataset.names), known).catch(() => []);
      const marked = (hit) => llmwiki.search.marked(hit.snippet, hit.marks);
      list.append(...hits.map((hit) => element("li", { lang: hit.lang }, element("a", { class: "internal-link", href: hrefOf(hit.url, hit.heading?.anchor) }, hit.title), element("p", { dir: "auto" }, ...marked(hit)))));
      if (!hits.length) list.append(element("li", {}, llmwiki.texts["mentions.none"]));
      details.dataset.ready = "";
    }, { once: true });
  }
})();
