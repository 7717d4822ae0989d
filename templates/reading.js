// Comforts of reading: copies, previews, the current heading, images at full size.
"use strict";
(() => {
  const { element, texts } = llmwiki;
  const article = document.querySelector(".markdown-rendered");

  // ── copies ──

  const said = element("p", { class: "toast", role: "status", lang: llmwiki.language });
  document.body.append(said);
  let timer = 0;
  function say(text) {
    said.textContent = text;
    clearTimeout(timer);
    timer = setTimeout(() => (said.textContent = ""), 2000);
  }

  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
    } catch { // not there, or not allowed, where the site comes over plain http
      const area = element("textarea", { class: "off-screen" });
      area.value = text;
      document.body.append(area);
      area.select();
      const isCopied = document.execCommand("copy");
      area.remove();
      if (!isCopied) return say(texts["copy.failed"]);
    }
    return say(texts.copied);
  }

  for (const pre of document.querySelectorAll(".markdown-rendered pre:has(> code)")) {
    const button = element("button", { type: "button", class: "copy-button", lang: llmwiki.language }, texts.copy);
    button.addEventListener("click", () => copy(pre.querySelector("code").textContent));
    const box = element("div", { class: "code-box" });
    pre.replaceWith(box);
    box.append(pre, button);
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest?.(".heading-anchor");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    history.replaceState(null, "", link.hash);
    link.scrollIntoView();
    copy(link.href);
  });

  // ── images at full size ──

  function zoom(image) {
    const close = element("button", { type: "button", class: "icon-button search-close", "aria-label": texts["search.close"] });
    const dialog = element("dialog", { class: "zoom-dialog", "aria-label": image.alt || texts.zoom }, element("img", { src: image.currentSrc || image.src, alt: image.alt }), close);
    dialog.addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => {
      dialog.remove();
      image.focus();
    });
    document.body.append(dialog);
    dialog.showModal();
  }

  function offerZoom(image) {
    if (image.closest("a, button, summary") || image.naturalWidth <= image.clientWidth * 1.1) return;
    image.tabIndex = 0;
    image.setAttribute("role", "button");
    image.setAttribute("aria-label", `${texts.zoom}: ${image.alt}`);
    image.classList.add("can-zoom");
    image.addEventListener("click", () => zoom(image));
    image.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      zoom(image);
    });
  }
  for (const image of article?.querySelectorAll("img") || []) {
    if (image.complete) offerZoom(image);
    else image.addEventListener("load", () => offerZoom(image), { once: true });
  }

  // ── the heading that is being read ──

  const entries = [...document.querySelectorAll(".outline a")];
  const headings = entries.map((entry) => document.getElementById(decodeURIComponent(entry.hash.slice(1)))).map((heading, i) => [heading, entries[i]]).filter(([heading]) => heading);
  function markCurrent() {
    const edge = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) + 8 || 80;
    const isAtEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
    const above = headings.filter(([heading]) => heading.getBoundingClientRect().top <= edge);
    const current = (isAtEnd && scrollY > 0 ? headings.at(-1) : above.at(-1))?.[1];
    for (const entry of entries) {
      if (entry === current) entry.setAttribute("aria-current", "true");
      else entry.removeAttribute("aria-current");
    }
    const list = current?.closest(".outline");
    if (list && list.scrollHeight > list.clientHeight) list.scrollTop = current.offsetTop - list.clientHeight / 2;
  }
  if (headings.length) {
    let isDue = false;
    addEventListener("scroll", () => {
      if (isDue) return;
      isDue = true;
      requestAnimationFrame(() => {
        isDue = false;
        markCurrent();
      });
    }, { passive: true });
    markCurrent();
  }

  // ── previews ──

  const WAIT_MS = 300, LEAVE_MS = 200, MOST_CHARACTERS = 480;
  const preview = element("div", { class: "link-preview", id: "_preview", role: "tooltip", hidden: "" });
  document.body.append(preview);
  let shownFor = null, waits = 0;

  // Address and anchor of a link to a page of the site; null for all others.
  function targetOf(link) {
    const address = new URL(link.href);
    const path = address.href.split(/[?#]/)[0];
    if (!path.startsWith(llmwiki.root) || !path.endsWith(".html")) return null;
    return { url: decodeURIComponent(path.slice(llmwiki.root.length)), anchor: decodeURIComponent(address.hash.slice(1)) };
  }

  function footnote(link) {
    const note = document.getElementById(decodeURIComponent(link.hash.slice(1)))?.cloneNode(true);
    if (!note) return null;
    note.querySelectorAll(".footnote-backref, [id]").forEach((each) => (each.matches(".footnote-backref") ? each.remove() : each.removeAttribute("id")));
    return [element("div", { class: "markdown-rendered" }, ...note.childNodes)];
  }

  async function content(link) {
    if (link.closest(".footnote-ref")) return footnote(link);
    const target = targetOf(link);
    if (!target) return null;
    const page = await llmwiki.textOf(target.url);
    const at = target.anchor ? page.headings.findIndex(([, , anchor]) => anchor === target.anchor) : -1;
    const [start, title] = at < 0 ? [0, page.title] : page.headings[at];
    const part = Math.max(0, page.starts.findLastIndex((from) => from <= start));
    const whole = part ? await llmwiki.textOf(target.url, part) : page.text;
    const from = start - page.starts[part];
    const end = at >= 0 && page.headings[at + 1] ? page.headings[at + 1][0] - page.starts[part] : Infinity;
    let text = whole.slice(from, Math.min(end, from + 4 * MOST_CHARACTERS)).trim();
    if (text.startsWith(title)) text = text.slice(title.length).trim();
    const isCut = text.length > MOST_CHARACTERS;
    const lines = text.slice(0, MOST_CHARACTERS).split(/\n+/).filter((line) => line.trim());
    if (isCut) lines[lines.length - 1] += "…";
    const badge = ["disputed", "archived", "verified"].includes(page.lifecycle)
      ? [element("span", { class: "lifecycle-badge", "data-lifecycle": page.lifecycle }, texts[`lifecycle.${page.lifecycle}`])] : [];
    return [
      element("p", { class: "preview-title", lang: page.lang, dir: "auto" }, element("b", {}, page.title), ...(at >= 0 ? [` › ${title}`] : []), " ", ...badge),
      element("div", { lang: page.lang, dir: "auto" }, ...lines.map((line) => element("p", { dir: "auto" }, line))),
    ];
  }

  async function show(link) {
    shownFor = link;
    let parts = null;
    try {
      parts = await content(link);
    } catch (error) {
      if (!(error instanceof llmwiki.Missing || error instanceof URIError)) throw error;
    }
    if (shownFor !== link || !parts) return;
    preview.replaceChildren(...parts);
    preview.hidden = false;
    link.setAttribute("aria-describedby", preview.id);
    const at = link.getClientRects()[0] || link.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = preview;
    const hasRoom = at.bottom + height + 12 < innerHeight || at.top < height + 12;
    preview.style.insetBlockStart = `${hasRoom ? at.bottom + 6 : at.top - height - 6}px`;
    preview.style.left = `${Math.max(8, Math.min(at.left, innerWidth - width - 8))}px`;
  }

  function hide() {
    clearTimeout(waits);
    shownFor?.removeAttribute("aria-describedby");
    shownFor = null;
    preview.hidden = true;
  }

  const previewed = ".markdown-rendered a.internal-link[href], .footnote-ref a, .backlinks a.internal-link, .entry-list a";
  const linkOf = (event) => {
    const link = event.target.closest?.(previewed);
    return link?.closest("#_preview") ? null : link;
  };
  function arrive(event) {
    if (event.pointerType === "touch") return;
    const link = linkOf(event);
    if (event.target.closest?.("#_preview")) clearTimeout(waits);
    if (!link || link === shownFor) return;
    clearTimeout(waits);
    waits = setTimeout(() => {
      hide();
      show(link);
    }, WAIT_MS);
  }
  function leave(event) {
    if (!linkOf(event) && !event.target.closest?.("#_preview")) return;
    clearTimeout(waits);
    waits = setTimeout(hide, LEAVE_MS);
  }
  document.addEventListener("pointerover", arrive);
  document.addEventListener("pointerout", leave);
  document.addEventListener("focusin", (event) => event.target.matches?.(":focus-visible") && arrive(event));
  document.addEventListener("focusout", leave);
  document.addEventListener("keydown", (event) => event.key === "Escape" && !preview.hidden && hide());
  addEventListener("scroll", hide, { passive: true });
  addEventListener("click", hide);
})();
