// The graph around one page: loaded when it is first looked at, with as much of the wiki as it shows.
"use strict";
(() => {
  const box = document.querySelector(".local-graph");
  const canvas = box?.querySelector("canvas");
  if (!canvas) return;
  const graph = window.llmwikiGraph;
  const { root, assets, url } = box.dataset;
  const depthInput = box.querySelector("select");
  const status = box.querySelector("[data-part=status]");
  const MOST = 120; // pages shown
  const ROUNDS = 220;
  const view = new graph.View(canvas, {
    onOpen: (i, event) => {
      const href = root + encodeURIComponent(view.nodes[i].url).replaceAll("%2F", "/");
      if (event?.ctrlKey || event?.metaKey) window.open(href);
      else location.href = href;
    },
    onSelect: (i) => (status.textContent = i < 0 ? "" : view.nodes[i].title),
  });

  async function collect(depth) {
    const nodes = new Map(); // by address
    const links = new Set();
    const add = ([title, address, colour, degree], distance) => {
      if (nodes.has(address)) return true;
      if (nodes.size >= MOST) return false;
      nodes.set(address, { title, url: address, colour, degree, distance });
      return true;
    };
    let level = [url];
    // One round more than there is to show, for the links among those at the edge.
    for (let distance = 0; distance <= depth && level.length; distance++) {
      const found = await Promise.all(level.map(llmwiki.near));
      const next = [];
      found.forEach((item) => {
        if (!item) return;
        add(item.own, distance);
        for (const page of item.near) {
          const isNew = !nodes.has(page[1]);
          if (isNew && (distance === depth || !add(page, distance + 1))) continue;
          if (isNew) next.push(page[1]);
          links.add([item.own[1], page[1]].sort().join("\n"));
        }
      });
      level = next.slice(0, 40);
    }
    const addresses = [...nodes.keys()];
    const number = new Map(addresses.map((address, i) => [address, i]));
    return { nodes: [...nodes.values()], links: [...links].flatMap((pair) => pair.split("\n").map((address) => number.get(address))) };
  }

  // The page in the middle, the others on rings by distance, then springs; no chance, so always the same picture.
  function arrange({ nodes, links }) {
    const rings = new Map();
    nodes.forEach((node) => rings.set(node.distance, (rings.get(node.distance) || 0) + 1));
    const seen = new Map();
    nodes.forEach((node) => {
      const k = seen.get(node.distance) || 0;
      seen.set(node.distance, k + 1);
      const angle = (2 * Math.PI * k) / rings.get(node.distance) + node.distance;
      node.x = 110 * node.distance * Math.cos(angle);
      node.y = 110 * node.distance * Math.sin(angle);
    });
    for (let round = 0; round < ROUNDS; round++) {
      const heat = 16 * (1 - round / ROUNDS);
      const force = nodes.map((node) => [-0.01 * node.x, -0.01 * node.y]);
      const push = (i, j, amount) => {
        const x = nodes[i].x - nodes[j].x, y = nodes[i].y - nodes[j].y || 0.01;
        const distance = Math.max(Math.hypot(x, y), 1);
        const strength = amount(distance) / distance;
        force[i][0] += x * strength;
        force[i][1] += y * strength;
        force[j][0] -= x * strength;
        force[j][1] -= y * strength;
      };
      for (let i = 0; i < nodes.length; i++) for (let j = 0; j < i; j++) push(i, j, (distance) => 4200 / distance);
      for (let k = 0; k < links.length; k += 2) push(links[k], links[k + 1], (distance) => -0.06 * (distance - 70));
      nodes.forEach((node, i) => {
        if (!i) return;
        const size = Math.hypot(...force[i]) || 1;
        node.x += (force[i][0] / size) * Math.min(size, heat);
        node.y += (force[i][1] / size) * Math.min(size, heat);
      });
    }
  }

  async function show() {
    try {
      const found = await collect(Number(depthInput.value));
      if (found.nodes.length < 2) return void (box.hidden = true);
      arrange(found);
      view.show(found.nodes, found.links);
      view.nodes.forEach((node, i) => i && (node.degree = Math.min(node.degree, 60)));
      view.draw();
      box.dataset.ready = "";
    } catch {
      box.hidden = true; // the data are not there: links and backlinks say the same
    }
  }

  depthInput.addEventListener("change", show);
  box.view = view;
  show();
})();
