// The canvas on which a graph is drawn: pan, zoom, hover, keyboard. Knows nothing of where the graph comes from.
"use strict";
window.llmwikiGraph = (() => {
  const PALETTE = ["#4E79A7", "#F28E2B", "#E15759", "#76B7B2", "#59A14F", "#EDC948", "#B07AA1", "#FF9DA7", "#9C755F", "#BAB0AC"];
  const CELL = 200; // of the net in which the node under the pointer is looked up, in units of the picture
  const MANY_LINKS = 9000; // of more than these only a part is drawn while the picture moves
  const clamp = (value, least, most) => Math.min(most, Math.max(least, value));

  class View {
    // nodes: {title, href, x, y, degree, colour, size?}; links: flat list of pairs of numbers of nodes.
    constructor(canvas, { onOpen, onSelect = () => {} }) {
      Object.assign(this, { canvas, onOpen, onSelect, nodes: [], links: [], near: [], order: [], hovered: -1, selected: -1, x: 0, y: 0 });
      this.context = canvas.getContext("2d");
      this.isShown = () => true;
      this.isMarked = null; // with a search: whether a node fits
      this.scale = 1;
      this.moved = 0;
      this.listen();
      new ResizeObserver(() => this.resize()).observe(canvas);
      new MutationObserver(() => this.draw()).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
      matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    }

    show(nodes, links, { keepPlace = false } = {}) {
      Object.assign(this, { nodes, links, hovered: -1, selected: -1 });
      this.near = nodes.map(() => []);
      for (let i = 0; i < links.length; i += 2) {
        this.near[links[i]].push(links[i + 1]);
        this.near[links[i + 1]].push(links[i]);
      }
      this.order = nodes.map((_, i) => i).sort((a, b) => nodes[b].degree - nodes[a].degree || a - b);
      this.cells = new Map();
      nodes.forEach((node, i) => {
        const key = `${Math.floor(node.x / CELL)},${Math.floor(node.y / CELL)}`;
        if (this.cells.has(key)) this.cells.get(key).push(i);
        else this.cells.set(key, [i]);
      });
      if (keepPlace) this.draw();
      else this.fit();
    }

    // ── place and size ──

    resize() {
      const { clientWidth: width, clientHeight: height } = this.canvas;
      const ratio = Math.min(devicePixelRatio || 1, 2);
      if (width === this.width && height === this.height && ratio === this.ratio) return;
      const isFirst = !this.width;
      Object.assign(this, { width, height, ratio });
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
      if (isFirst) this.fit();
      else this.draw();
    }

    fit() {
      if (!this.width) return this.resize();
      let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
      this.nodes.forEach((node, i) => {
        if (!this.isShown(i)) return;
        left = Math.min(left, node.x - (node.size || 0));
        right = Math.max(right, node.x + (node.size || 0));
        top = Math.min(top, node.y - (node.size || 0));
        bottom = Math.max(bottom, node.y + (node.size || 0));
      });
      if (left > right) [left, right, top, bottom] = [-1, 1, -1, 1];
      this.scale = this.least = Math.min((this.width - 56) / Math.max(right - left, 200), (this.height - 72) / Math.max(bottom - top, 200), 1.2);
      this.scale = this.least = Math.max(this.scale, 1e-4);
      this.x = (left + right) / 2;
      this.y = (top + bottom) / 2;
      this.draw();
    }

    zoom(factor, x = this.width / 2, y = this.height / 2) {
      const [worldX, worldY] = this.toWorld(x, y);
      this.scale = clamp(this.scale * factor, this.least / 2, 4);
      this.x = worldX - (x - this.width / 2) / this.scale;
      this.y = worldY - (y - this.height / 2) / this.scale;
      this.draw(true);
    }

    pan(x, y) {
      this.x -= x / this.scale;
      this.y -= y / this.scale;
      this.draw(true);
    }

    select(i, { isCentred = false } = {}) {
      this.selected = i;
      if (isCentred && i >= 0) {
        this.scale = Math.max(this.scale, Math.min(this.least * 4, 0.9));
        this.x = this.nodes[i].x;
        this.y = this.nodes[i].y;
      }
      this.onSelect(i);
      this.draw();
    }

    toWorld(x, y) {
      return [this.x + (x - this.width / 2) / this.scale, this.y + (y - this.height / 2) / this.scale];
    }

    toScreen(node) {
      return [(node.x - this.x) * this.scale + this.width / 2, (node.y - this.y) * this.scale + this.height / 2];
    }

    radius(i) {
      const node = this.nodes[i];
      if (node.size) return Math.max(node.size * this.scale, 2);
      return clamp((1.6 + 0.7 * Math.sqrt(node.degree)) * clamp(Math.sqrt(this.scale * 8), 0.9, 2.4), 1.6, 16);
    }

    at(x, y) {
      const [worldX, worldY] = this.toWorld(x, y);
      const reach = 18 / this.scale;
      if (this.nodes.some((node) => node.size) || reach > 6 * CELL) return this.nearest(this.nodes.keys(), x, y);
      const found = [];
      for (let cx = Math.floor((worldX - reach) / CELL); cx <= Math.floor((worldX + reach) / CELL); cx++)
        for (let cy = Math.floor((worldY - reach) / CELL); cy <= Math.floor((worldY + reach) / CELL); cy++)
          found.push(...(this.cells.get(`${cx},${cy}`) || []));
      return this.nearest(found, x, y);
    }

    nearest(candidates, x, y) {
      let [best, least] = [-1, Infinity];
      for (const i of candidates) {
        if (!this.isShown(i)) continue;
        const [nodeX, nodeY] = this.toScreen(this.nodes[i]);
        const distance = Math.hypot(nodeX - x, nodeY - y) - Math.max(this.radius(i), 6);
        if (distance < least) [best, least] = [i, distance];
      }
      return least <= 2 ? best : -1;
    }

    // ── drawing ──

    draw(isMoving = false) {
      if (isMoving) {
        this.moved = performance.now();
        clearTimeout(this.settle);
        this.settle = setTimeout(() => this.draw(), 140);
      }
      this.frame ??= requestAnimationFrame(() => {
        this.frame = undefined;
        if (this.width) this.paint(performance.now() - this.moved < 130);
      });
    }

    paint(isMoving) {
      const { context: c, nodes } = this;
      const style = getComputedStyle(this.canvas);
      const colours = { text: style.color, ground: style.backgroundColor, line: style.caretColor, accent: style.outlineColor };
      c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
      c.clearRect(0, 0, this.width, this.height);
      const centre = this.hovered >= 0 ? this.hovered : this.selected;
      const bright = centre < 0 ? null : new Set([centre, ...this.near[centre]]);
      const isBright = (i) => (bright ? bright.has(i) : this.isMarked ? this.isMarked(i) : true);
      const isAll = !bright && !this.isMarked;
      this.paintLinks(colours.line, isAll ? 0.32 : 0.12, isMoving, () => true);
      if (centre >= 0) this.paintLinks(colours.accent, 0.9, false, (a, b) => a === centre || b === centre);
      const groups = new Map();
      for (let i = 0; i < nodes.length; i++) {
        if (!this.isShown(i)) continue;
        const [x, y] = this.toScreen(nodes[i]);
        const radius = this.radius(i);
        if (x < -radius || y < -radius || x > this.width + radius || y > this.height + radius) continue;
        const key = `${nodes[i].colour}${isBright(i) ? "" : "-"}`;
        if (!groups.has(key)) groups.set(key, []);
        groups.get(key).push(x, y, radius);
      }
      for (const [key, circles] of groups) {
        const isDim = key.endsWith("-");
        const colour = parseInt(key, 10);
        c.globalAlpha = isDim ? 0.16 : nodes[0]?.size ? 0.8 : 1;
        c.fillStyle = PALETTE[colour] || colours.line;
        c.beginPath();
        for (let k = 0; k < circles.length; k += 3) {
          c.moveTo(circles[k] + circles[k + 2], circles[k + 1]);
          c.arc(circles[k], circles[k + 1], circles[k + 2], 0, 7);
        }
        c.fill();
      }
      c.globalAlpha = 1;
      if (centre >= 0) {
        const [x, y] = this.toScreen(nodes[centre]);
        c.strokeStyle = colours.accent;
        c.lineWidth = 2;
        c.beginPath();
        c.arc(x, y, this.radius(centre) + 3, 0, 7);
        c.stroke();
      }
      if (!isMoving || nodes.length < 2000) this.paintLabels(colours, centre, isBright, isAll);
    }

    paintLinks(colour, alpha, isMoving, isWanted) {
      const { context: c, links, nodes } = this;
      const count = links.length / 2;
      const step = isMoving && count > MANY_LINKS ? Math.ceil(count / MANY_LINKS) : 1;
      c.strokeStyle = colour;
      c.globalAlpha = count > 4000 ? alpha * clamp(this.scale / this.least / 4, 0.35, 1) : alpha;
      c.lineWidth = 1;
      c.beginPath();
      for (let k = 0; k < links.length; k += 2 * step) {
        const [a, b] = [links[k], links[k + 1]];
        if (!isWanted(a, b) || !this.isShown(a) || !this.isShown(b)) continue;
        const x1 = (nodes[a].x - this.x) * this.scale + this.width / 2, y1 = (nodes[a].y - this.y) * this.scale + this.height / 2;
        const x2 = (nodes[b].x - this.x) * this.scale + this.width / 2, y2 = (nodes[b].y - this.y) * this.scale + this.height / 2;
        if ((x1 < 0 && x2 < 0) || (y1 < 0 && y2 < 0) || (x1 > this.width && x2 > this.width) || (y1 > this.height && y2 > this.height)) continue;
        c.moveTo(x1, y1);
        c.lineTo(x2, y2);
      }
      c.stroke();
      c.globalAlpha = 1;
    }

    // The most linked pages in view are named, as many as there is room for.
    paintLabels(colours, centre, isBright, isAll) {
      const { context: c, nodes } = this;
      const taken = [];
      const most = Math.round((this.width * this.height) / 16000) + 4;
      c.font = `12px ${getComputedStyle(this.canvas).fontFamily}`;
      c.textAlign = "center";
      c.textBaseline = "top";
      c.lineJoin = "round";
      const order = centre < 0 ? this.order : [centre, ...this.near[centre].slice().sort((a, b) => nodes[b].degree - nodes[a].degree)];
      for (const i of order) {
        if (taken.length >= most) break;
        if (!this.isShown(i) || (!isAll && !isBright(i))) continue;
        const [x, y] = this.toScreen(nodes[i]);
        if (x < 0 || y < 0 || x > this.width || y > this.height) continue;
        const title = nodes[i].title.length > 28 ? `${nodes[i].title.slice(0, 27)}…` : nodes[i].title;
        const half = c.measureText(title).width / 2 + 4;
        const middle = clamp(x, half, Math.max(half, this.width - half));
        const top = Math.min(nodes[i].size ? y - 7 : y + this.radius(i) + 3, this.height - 16);
        if (i !== centre && taken.some(([l, r, t]) => middle - half < r && middle + half > l && Math.abs(t - top) < 15)) continue;
        taken.push([middle - half, middle + half, top]);
        c.strokeStyle = colours.ground;
        c.lineWidth = 4;
        c.strokeText(title, middle, top);
        c.fillStyle = colours.text;
        c.fillText(title, middle, top);
      }
    }

    // ── hands and keys ──

    listen() {
      const pointers = new Map();
      const { canvas } = this;
      let start = null;
      const place = (event) => {
        const box = canvas.getBoundingClientRect();
        return [event.clientX - box.left, event.clientY - box.top];
      };
      canvas.addEventListener("pointerdown", (event) => {
        canvas.setPointerCapture(event.pointerId);
        pointers.set(event.pointerId, place(event));
        start = pointers.size === 1 ? place(event) : null;
      });
      canvas.addEventListener("pointermove", (event) => {
        const [x, y] = place(event);
        const before = pointers.get(event.pointerId);
        if (!before) return this.hover(this.at(x, y));
        if (start && Math.hypot(x - start[0], y - start[1]) > 5) start = null;
        if (pointers.size === 2) {
          const [other] = [...pointers].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
          const apart = (point) => Math.max(Math.hypot(point[0] - other[0], point[1] - other[1]), 1);
          this.zoom(apart([x, y]) / apart(before), (x + other[0]) / 2, (y + other[1]) / 2);
        } else if (!start) this.pan(x - before[0], y - before[1]);
        pointers.set(event.pointerId, [x, y]);
      });
      const end = (event) => {
        pointers.delete(event.pointerId);
        if (event.type !== "pointerup" || !start) return;
        const i = this.at(...place(event));
        // A finger cannot hover: its first touch shows what the second opens.
        if (i >= 0 && (event.pointerType === "mouse" || i === this.selected)) this.onOpen(i, event);
        else this.select(i);
        start = null;
      };
      canvas.addEventListener("pointerup", end);
      canvas.addEventListener("pointercancel", end);
      canvas.addEventListener("pointerleave", () => this.hover(-1));
      canvas.addEventListener("wheel", (event) => {
        event.preventDefault();
        this.zoom(Math.exp(-clamp(event.deltaY, -120, 120) / 300), ...place(event));
      }, { passive: false });
      canvas.addEventListener("keydown", (event) => this.key(event));
    }

    hover(i) {
      if (i === this.hovered) return;
      this.hovered = i;
      this.canvas.style.cursor = i >= 0 ? "pointer" : "grab";
      this.canvas.title = i >= 0 ? this.nodes[i].title : "";
      this.draw();
    }

    key(event) {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const step = 60;
      const actions = {
        ArrowLeft: () => this.pan(step, 0), ArrowRight: () => this.pan(-step, 0),
        ArrowUp: () => this.pan(0, step), ArrowDown: () => this.pan(0, -step),
        "+": () => this.zoom(1.3), "=": () => this.zoom(1.3), "-": () => this.zoom(1 / 1.3), 0: () => this.fit(),
        n: () => this.step(1), p: () => this.step(-1), Escape: () => this.select(-1),
        Enter: () => this.selected >= 0 && this.onOpen(this.selected, event),
      };
      if (!actions[event.key]) return;
      event.preventDefault();
      event.stopPropagation();
      actions[event.key]();
    }

    // From page to page, the most linked first.
    step(by) {
      const shown = this.order.filter((i) => this.isShown(i) && (!this.isMarked || this.isMarked(i)));
      if (!shown.length) return;
      const at = shown.indexOf(this.selected);
      this.select(shown[at < 0 ? (by > 0 ? 0 : shown.length - 1) : (at + by + shown.length) % shown.length], { isCentred: true });
    }
  }

  return { PALETTE, View };
})();
