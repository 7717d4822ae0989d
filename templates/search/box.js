// The search as people see it: in a dialog over any page, or on a page of its own.
"use strict";
(() => {
  const { element, hrefOf } = llmwiki;
  const SETTLED_MS = 60; // after the last key

  let engine = null;
  async function start() {
    const directory = await llmwiki.load("search/index");
    const analyser = llmwiki.makeAnalyser(directory.rules);
    return {
      directory, analyser, texts: directory.texts,
      ranking: llmwiki.makeRanking(directory, analyser),
      passages: llmwiki.makePassages(directory.rules, analyser),
    };
  }

  // What `llmwiki search` answers: pages, best first, each with its passage.
  async function search(typed, options) {
    const { ranking, passages } = await (engine ||= start());
    const found = await ranking.search(typed, options);
    const matchers = [false, true].map((isRelaxed) => passages.makeMatcher(found.wanted.terms, isRelaxed));
    const hits = await Promise.all(found.hits.map(async ({ page, isRelaxed }) => {
      const { path, url } = await ranking.pageAt(page);
      const text = await llmwiki.textOf(url);
      return { path, url, isRelaxed, ...text, ...(await passages.best(matchers[Number(isRelaxed)], text, (part) => llmwiki.textOf(url, part))) };
    }));
    return { ...found, hits };
  }

  // Where only the beginning of a word stands yet: pages with words that begin so, beside those that were found.
  async function beginnings(typed, found, options) {
    const last = /(?:^|\s)([^\s"*:()-]{2,})$/.exec(typed);
    if (!last || found.hits.some((hit) => !hit.isRelaxed) || !found.wanted.groups.length) return [];
    const more = await search(`${typed}*`, options);
    const known = new Set(found.hits.map((hit) => hit.page));
    return more.hits.filter((hit) => !hit.isRelaxed && !known.has(hit.page)).map((hit) => ({ ...hit, isBeginning: true }));
  }

  function marked(text, marks) {
    const parts = [];
    let at = 0;
    for (const [from, to] of marks) {
      parts.push(text.slice(at, from), element("mark", {}, text.slice(from, to)));
      at = to;
    }
    return [...parts, text.slice(at)];
  }

  class Box {
    constructor(place, { texts, directory }, { isDialog }) {
      Object.assign(this, { texts, isDialog, place, asked: 0, active: -1, options: [] });
      this.input = element("input", {
        type: "search", class: "search-input", role: "combobox", "aria-expanded": "false", "aria-controls": "_search-hits",
        "aria-autocomplete": "list", "aria-label": texts["search"], placeholder: texts["search.placeholder"],
        autocomplete: "off", autocapitalize: "off", spellcheck: "false", enterkeyhint: "search",
      });
      const choice = (name, label, values) => element("select", { "aria-label": label, "data-filter": name },
        element("option", { value: "" }, label), ...values.map(([value, shown]) => element("option", { value }, shown)));
      this.filters = [
        choice("tag", texts["search.tag"], directory.tags.map(([label, pages]) => [label, `#${label} (${pages})`])),
        choice("folder", texts["search.folder"], directory.folders.map(([path, from, to]) => [path, `${path} (${to - from})`])),
        choice("lifecycle", texts["search.lifecycle"], ["draft", "verified", "archived", "disputed"].map((name) => [name, texts[`lifecycle.${name}`]])),
      ];
      this.list = element("ul", { id: "_search-hits", class: "search-hits", role: "listbox", "aria-label": texts["search.hits"] });
      this.status = element("p", { class: "search-status", role: "status" });
      const close = element("button", { type: "button", class: "icon-button search-close", "aria-label": texts["search.close"] });
      close.addEventListener("click", () => place.close());
      place.append(
        element("div", { class: "search-line" }, this.input, ...(isDialog ? [close] : [])),
        element("div", { class: "search-filters" }, ...this.filters),
        this.status, this.list,
        element("p", { class: "search-keys" }, texts["search.keys"]),
      );
      this.listen();
    }

    listen() {
      let timer = 0;
      this.input.addEventListener("input", () => {
        clearTimeout(timer);
        timer = setTimeout(() => this.ask(), SETTLED_MS);
      });
      for (const select of this.filters) select.addEventListener("change", () => this.ask());
      this.input.addEventListener("keydown", (event) => this.key(event));
      this.list.addEventListener("click", (event) => {
        if (event.target.closest("[role=option]") && this.isDialog && !event.ctrlKey && !event.metaKey) this.place.close();
      });
    }

    async ask() {
      const typed = this.input.value, turn = ++this.asked;
      const options = Object.fromEntries(this.filters.map((select) => [select.dataset.filter, select.value]));
      const isEmpty = !typed.trim() && !Object.values(options).some(Boolean);
      if (!this.isDialog) history.replaceState(null, "", typed ? `?q=${encodeURIComponent(typed)}` : location.pathname);
      delete this.place.dataset.answered;
      try {
        const found = isEmpty ? { hits: [], total: 0 } : await search(typed, options);
        if (turn !== this.asked) return; // another key was pressed meanwhile
        this.show(found.hits);
        this.say(isEmpty, found);
        if (!isEmpty) {
          const more = await beginnings(typed, found, options);
          if (turn !== this.asked) return;
          if (more.length) {
            this.show([...found.hits, ...more]);
            this.say(false, found, more.length);
          }
        }
      } catch (error) {
        if (!(error instanceof llmwiki.Missing)) throw error;
        if (turn !== this.asked) return;
        this.show([]);
        this.status.textContent = this.texts["search.failed"];
      }
      this.place.dataset.answered = typed;
    }

    say(isEmpty, found, more = 0) {
      const text = (name, values) => llmwiki.filled(this.texts[name], values);
      if (isEmpty) this.status.textContent = "";
      else if (!found.hits.length && !more) this.status.textContent = text("search.nothing");
      else if (found.total > found.hits.length) this.status.textContent = text("search.some", { shown: found.hits.length + more, total: found.total });
      else this.status.textContent = text(found.hits.length + more === 1 ? "search.one" : "search.all", { total: found.hits.length + more });
      if (found.isRelaxed) this.status.textContent += ` · ${text("search.relaxed")}`;
    }

    show(hits) {
      this.options = hits.map((hit, i) => this.option(hit, i));
      this.list.replaceChildren(...this.options.map((option) => element("li", { role: "none" }, option)));
      this.list.hidden = !hits.length;
      this.input.setAttribute("aria-expanded", String(hits.length > 0));
      this.choose(hits.length ? 0 : -1);
    }

    option(hit, i) {
      const heading = hit.heading && hit.heading.text !== hit.title ? hit.heading : null;
      const href = hrefOf(hit.url, heading?.anchor);
      const badge = ["disputed", "archived", "verified"].includes(hit.lifecycle)
        ? [element("span", { class: "lifecycle-badge", "data-lifecycle": hit.lifecycle }, this.texts[`lifecycle.${hit.lifecycle}`])] : [];
      const folder = hit.path.split("/").slice(0, -1).join(" › ");
      const about = [folder, heading ? `# ${heading.text}` : "", ...hit.tags.slice(0, 5).map((tag) => `#${tag}`)].filter(Boolean);
      return element("a", { id: `_search-hit-${i}`, role: "option", "aria-selected": "false", href, tabindex: "-1", lang: hit.lang, dir: "auto",
        "data-path": hit.path, ...(hit.isRelaxed ? { "data-relaxed": "" } : {}), ...(hit.isBeginning ? { "data-beginning": "" } : {}) },
      element("b", {}, hit.title), " ", ...badge,
      element("small", { class: "search-about" }, ...about.map((text) => element("span", {}, text))),
      element("span", { class: "search-snippet" }, ...marked(hit.snippet, hit.marks)));
    }

    choose(at) {
      this.options[this.active]?.setAttribute("aria-selected", "false");
      this.active = at;
      const option = this.options[at];
      if (!option) return void this.input.removeAttribute("aria-activedescendant");
      option.setAttribute("aria-selected", "true");
      this.input.setAttribute("aria-activedescendant", option.id);
      option.scrollIntoView({ block: "nearest" });
    }

    key(event) {
      const last = this.options.length - 1;
      if (event.isComposing) return; // the keys belong to the input method
      const move = { ArrowDown: this.active >= last ? 0 : this.active + 1, ArrowUp: this.active <= 0 ? last : this.active - 1 }[event.key];
      if (move !== undefined && last >= 0) {
        event.preventDefault();
        this.choose(move);
      } else if (event.key === "Enter" && this.options[this.active]) {
        event.preventDefault();
        const { href } = this.options[this.active];
        if (event.ctrlKey || event.metaKey) return void window.open(href);
        if (this.isDialog) this.place.close();
        location.href = href;
      } else if (event.key === "Escape" && this.isDialog) {
        event.preventDefault(); // the field would only be emptied
        this.place.close();
      }
    }
  }

  let dialog = null;
  async function open(typed = () => "") {
    if (!dialog) {
      dialog = element("dialog", { class: "search-dialog", "aria-label": llmwiki.texts["search"], lang: llmwiki.language });
      document.body.append(dialog);
      dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
      dialog.showModal();
      try {
        dialog.box = new Box(dialog, await (engine ||= start()), { isDialog: true });
      } catch {
        engine = null;
        dialog.remove();
        dialog = null;
        throw new llmwiki.Missing("the search");
      }
    } else if (!dialog.open) dialog.showModal();
    const { box } = dialog, text = typed();
    if (!box) return;
    if (text) {
      box.input.value = text;
      box.ask();
    }
    box.input.focus();
    if (!text) box.input.select();
  }

  llmwiki.search = { open, search, marked, engine: () => (engine ||= start()) };
  const page = document.querySelector(".search-page");
  if (page) {
    llmwiki.search.engine().then((ready) => {
      const box = new Box(page, ready, { isDialog: false });
      box.input.value = new URLSearchParams(location.search).get("q") || "";
      box.input.focus();
      box.ask();
    }, () => (page.textContent = llmwiki.texts["search.missing"]));
    llmwiki.search.open = () => page.querySelector("input")?.focus();
  }
})();
