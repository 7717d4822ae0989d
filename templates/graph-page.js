// The graph of the whole wiki: colours, legend as filter, search. Very large ones show their communities first.
"use strict";
(() => {
  const box = document.querySelector(".graph");
  if (!box) return;
  const texts = JSON.parse(box.dataset.texts);
  const { root, assets } = box.dataset;
  const graph = window.llmwikiGraph;
  const part = (name) => box.querySelector(`[data-part="${name}"]`);
  const [canvas, legend, status, search, matches, colourBy] = ["canvas", "legend", "status", "search", "matches", "colour"].map(part);
  const LIFECYCLE_COLOURS = { draft: 0, verified: 4, archived: 9, disputed: 2 };
  const MOST_ENTRIES = 14;
  let data; // as it was handed over
  let chosen = new Set(); // entries of the legend: none means all
  let openCommunity = -1;

  const view = new graph.View(canvas, { onOpen: open, onSelect: tell });
  const say = (text) => (status.textContent = text);
  const isOverview = () => data.parts > 0 && openCommunity < 0;

  function open(i, event) {
    if (isOverview()) return enter(i);
    if (root === "none") return view.select(i); // a file by itself: the pages are not beside it
    const href = root + encodeURIComponent(view.nodes[i].url).replaceAll("%2F", "/");
    if (event?.ctrlKey || event?.metaKey) window.open(href);
    else location.href = href;
  }

  function tell(i) {
    if (i < 0) return say(summary());
    const node = view.nodes[i];
    say(`${node.title} · ${texts.neighbours.replace("{count}", node.degree)}`);
  }

  const summary = () => texts.summary.replace("{pages}", data.count.toLocaleString()).replace("{links}", data.linkCount.toLocaleString());

  // What a page counts as under each way of colouring: [key, name, colour], or none.
  const kinds = {
    category: (node) => data.categories[node.category],
    tag: (node) => node.tags.map((tag) => data.tags[tag]).find((tag) => tag[1] >= 0) || null,
    community: (node) => (node.community < 0 ? null : data.communities[node.community]),
    lifecycle: (node) => [node.lifecycle, LIFECYCLE_COLOURS[node.lifecycle] ?? -1],
  };

  function paintAll() {
    if (isOverview()) return;
    const kind = kinds[colourBy.value];
    const counts = new Map();
    for (const node of view.nodes) {
      node.entry = kind(node);
      node.colour = node.entry ? node.entry[1] : -1;
      if (node.entry) counts.set(node.entry, (counts.get(node.entry) || 0) + 1);
    }
    if (colourBy.value === "tag")
      for (const node of view.nodes) node.entries = node.tags.map((tag) => data.tags[tag]);
    const byName = new Map();
    for (const [entry, count] of counts) {
      const before = byName.get(entry[0]);
      byName.set(entry[0], { name: entry[0], colour: entry[1], count: count + (before ? before.count : 0) });
    }
    drawLegend([...byName.values()].sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1)));
  }

  function drawLegend(entries) {
    chosen = new Set();
    view.isShown = () => true;
    const name = (entry) => (colourBy.value === "lifecycle" ? texts.lifecycles[entry.name] : entry.name) || texts.none;
    legend.replaceChildren(...entries.slice(0, MOST_ENTRIES).map((entry) => {
      const item = document.createElement("li");
      const button = document.createElement("button");
      const dot = document.createElement("i");
      const count = document.createElement("small");
      button.type = "button";
      button.setAttribute("aria-pressed", "false");
      dot.style.background = graph.PALETTE[entry.colour] || "currentColor";
      count.textContent = entry.count.toLocaleString();
      button.append(dot, name(entry), count);
      button.addEventListener("click", () => {
        if (!chosen.delete(entry.name)) chosen.add(entry.name);
        button.setAttribute("aria-pressed", chosen.has(entry.name));
        filter();
      });
      item.append(button);
      return item;
    }));
    view.draw();
  }

  function filter() {
    const fits = (node) => (colourBy.value === "tag" ? node.entries.some((tag) => chosen.has(tag[0])) : node.entry && chosen.has(node.entry[0]));
    const shown = view.nodes.map((node) => !chosen.size || Boolean(fits(node)));
    view.isShown = (i) => shown[i];
    view.hovered = view.selected = -1;
    say(chosen.size ? texts.shown.replace("{count}", shown.filter(Boolean).length.toLocaleString()) : summary());
    view.draw();
  }

  // ── search ──

  function find() {
    const wanted = search.value.trim().toLowerCase();
    view.isMarked = null;
    view.selected = -1;
    let found = [];
    if (wanted) {
      const fits = view.nodes.map((node) => node.title.toLowerCase().includes(wanted));
      view.isMarked = (i) => fits[i];
      found = view.order.filter((i) => fits[i] && view.isShown(i));
      say(found.length ? texts.shown.replace("{count}", found.length.toLocaleString()) : texts.nothing);
    } else say(summary());
    matches.replaceChildren(...found.slice(0, 8).map((i) => {
      const item = document.createElement("li");
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = view.nodes[i].title;
      button.addEventListener("click", () => focusOn(i));
      item.append(button);
      return item;
    }));
    view.draw();
    return found;
  }

  function focusOn(i) {
    view.isMarked = null;
    matches.replaceChildren();
    view.select(i, { isCentred: true });
    canvas.focus({ preventScroll: true });
  }

  // ── data ──

  const toNodes = (rows) => rows.map(([title, url, x, y, category, lifecycle, community, tags]) => (
    { title, url, x, y, category, lifecycle: data.lifecycles[lifecycle], community, tags, degree: 0, colour: -1 }));

  function put(rows, links) {
    const nodes = toNodes(rows);
    for (const i of links) nodes[i].degree += 1;
    view.show(nodes, links);
    paintAll();
    view.draw();
  }

  function showCommunities() {
    openCommunity = -1;
    legend.replaceChildren();
    colourBy.disabled = true;
    part("back").hidden = true;
    view.isShown = () => true;
    const nodes = data.communities.map(([title, colour, size, x, y]) => ({ title, x, y, colour, degree: size, size: 45 * Math.sqrt(size) }));
    view.show(nodes, data.between);
    say(summary());
  }

  async function enter(number) {
    openCommunity = number;
    say(texts.loading);
    const { rows, links } = await llmwiki.load(`graph/map-${number % data.parts}`);
    const number_ = new Map();
    const own = rows.filter((row, i) => row[6] === number && number_.set(i, number_.size));
    const inner = [];
    for (let k = 0; k < links.length; k += 2)
      if (number_.has(links[k]) && number_.has(links[k + 1])) inner.push(number_.get(links[k]), number_.get(links[k + 1]));
    colourBy.disabled = false;
    part("back").hidden = false;
    put(own, inner);
    say(`${data.communities[number][0]} · ${texts.shown.replace("{count}", own.length.toLocaleString())}`);
  }

  function start(value) {
    data = value;
    if (data.parts) showCommunities();
    else put(data.rows, data.links);
    say(summary());
    const wanted = new URLSearchParams(location.search).get("page");
    const at = wanted ? view.nodes.findIndex((node) => node.url === wanted) : -1;
    if (at >= 0) view.select(at, { isCentred: true });
    box.dataset.ready = "";
  }

  search.addEventListener("input", find);
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      const [first] = find();
      if (first !== undefined) focusOn(first);
    } else if (event.key === "Escape") {
      search.value = "";
      find();
    }
  });
  colourBy.addEventListener("change", () => { paintAll(); say(summary()); });
  part("in").addEventListener("click", () => view.zoom(1.4));
  part("out").addEventListener("click", () => view.zoom(1 / 1.4));
  part("fit").addEventListener("click", () => view.fit());
  part("back").addEventListener("click", showCommunities);
  box.view = view;
  if (window.llmwikiGraphData) start(window.llmwikiGraphData);
  else llmwiki.load("graph/map").then(start, () => say(texts.failed));
})();
