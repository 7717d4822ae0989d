// Which pages hold what was typed, and in which order: as generator/words.py does it, on the same postings.
"use strict";
llmwiki.makeRanking = (directory, analyser) => {
  const { rules, count } = directory;
  const NAMED = 0, COMPLETE = 1, RELAXED = 2, COLUMNS = 6, TITLE = 0b11;
  const K1 = 1.2, B = 0.75; // FTS5's
  const digitOf = new Uint8Array(128);
  for (let i = 0; i < rules.digits.length; i++) digitOf[rules.digits.charCodeAt(i)] = i;

  // Numbers of base 45 one after the other: `place` is where the next one begins.
  class Reader {
    constructor(text) {
      this.text = text;
      this.place = 0;
    }
    get isDone() {
      return this.place >= this.text.length;
    }
    next() {
      let number = 0;
      for (;;) {
        const digit = digitOf[this.text.charCodeAt(this.place++)];
        if (digit < rules.base) return number * rules.base + digit;
        number = (number * rules.base) + digit - rules.base;
      }
    }
  }
  function numbers(text) {
    const found = [], reader = new Reader(text);
    while (!reader.isDone) found.push(reader.next());
    return found;
  }

  // Pages are known by their place in the order of the paths; the postings know them by numbers of their own.
  const placeOf = new Map(numbers(directory.numbers).map((number, place) => [number, place]));
  const lengths = numbers(directory.lengths);
  const meanLength = lengths.reduce((sum, length) => sum + length, 0) / (count || 1);
  const isSpecial = new Uint8Array(count);
  for (const page of numbers(directory.special)) isSpecial[page] = 1;
  const newest = numbers(directory.newest);
  const newestPlace = new Map(newest.map((page, place) => [page, place]));

  // ── postings ──

  const fileOf = (term) => {
    let low = 0, high = directory.terms.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (directory.terms[middle][0] <= term) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  };

  // The texts of a term's pages and places; with `isBeginning` those of all terms that begin so.
  async function entries(term, { isBeginning = false, withPlaces = false } = {}) {
    const first = Math.max(0, fileOf(term));
    let last = first;
    if (isBeginning) while (directory.terms[last + 1]?.[0].startsWith(term)) last++;
    const files = directory.terms.slice(first, last + 1);
    const loaded = await Promise.all(files.map(([, pages, places]) =>
      Promise.all([llmwiki.load(`search/${pages}`), withPlaces ? llmwiki.load(`search/${places}`) : null])));
    const found = [];
    for (const [pages, places] of loaded) {
      let low = 0, high = pages.length / 2;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (pages[2 * middle] < term) low = middle + 1;
        else high = middle;
      }
      for (let at = low; at < pages.length / 2; at++) {
        if (pages[2 * at] !== term && !(isBeginning && pages[2 * at].startsWith(term))) break;
        found.push([pages[2 * at + 1], withPlaces ? places[at] : ""]);
      }
    }
    return found;
  }

  // Calls `take(page, counts, places)` for each page of an entry; `counts` has six numbers, `places` six lists or null.
  function read([pages, places], take) {
    const reader = new Reader(pages), where = places ? new Reader(places) : null;
    const counts = new Array(COLUMNS);
    let number = -1;
    while (!reader.isDone) {
      number += reader.next() + 1;
      const header = reader.next();
      counts.fill(0);
      if (header & 1) {
        for (let column = 0; column < COLUMNS; column++) if ((header >> 1) & (1 << column)) counts[column] = reader.next();
      } else counts[COLUMNS - 1] = header / 2 + 1;
      let lists = null;
      if (where) {
        lists = counts.map((number) => {
          const list = new Array(number);
          let place = -1;
          for (let i = 0; i < number; i++) list[i] = place += where.next() + 1;
          return list;
        });
      }
      take(placeOf.get(number), counts, lists);
    }
  }

  // Pages with the numbers that `listed` gave them.
  function listed(found) {
    const pages = new Map();
    for (const entry of found) read(entry, (page, counts) => pages.set(page, Math.min(pages.get(page) ?? Infinity, counts[COLUMNS - 1])));
    return pages;
  }

  const kept = new Map(); // what terms were found to hit: what is typed grows by letters
  function hits(term) {
    if (!kept.has(term.match)) {
      if (kept.size > 200) kept.clear();
      kept.set(term.match, find(term));
    }
    return kept.get(term.match);
  }

  // The pages of a term, in order, each with how often it stands in which column.
  async function find(term) {
    const tokens = analyser.tokens(term.parts.join(" "));
    const columns = term.titleOnly ? TITLE : (1 << COLUMNS) - 1;
    const found = tokens.length === 1 ? await findWord(tokens[0], term.prefix) : await findPhrase(tokens, term.prefix);
    if (term.titleOnly) for (const counts of found.values()) for (let c = 0; c < COLUMNS; c++) if (!(columns & (1 << c))) counts[c] = 0;
    const pages = [...found.keys()].filter((page) => found.get(page).some(Boolean)).sort((a, b) => a - b);
    return { pages, counts: found };
  }

  async function findWord(word, isBeginning) {
    const found = new Map();
    for (const entry of await entries(word, { isBeginning })) {
      read(entry, (page, counts) => {
        const known = found.get(page);
        if (known) counts.forEach((number, column) => (known[column] += number));
        else found.set(page, counts.slice());
      });
    }
    return found;
  }

  async function findPhrase(tokens, isBeginning) {
    const parts = await Promise.all(tokens.map((token, i) =>
      entries(token, { isBeginning: isBeginning && i === tokens.length - 1, withPlaces: true })));
    // What may follow, by page and column; narrowed from word to word.
    let ends = null;
    for (const part of parts) {
      const next = new Map();
      for (const entry of part) {
        read(entry, (page, counts, places) => {
          if (ends && !ends.has(page)) return;
          const before = ends?.get(page);
          const lists = places.map((list, column) => (before ? list.filter((place) => before[column].has(place - 1)) : list));
          if (!lists.some((list) => list.length)) return;
          if (!next.has(page)) next.set(page, lists.map((list) => new Set(list)));
          else lists.forEach((list, column) => list.forEach((place) => next.get(page)[column].add(place)));
        });
      }
      ends = next;
    }
    return new Map([...(ends || [])].map(([page, columns]) => [page, columns.map((places) => places.size)]));
  }

  // ── which pages ──

  async function anyOf(terms, columns = null) {
    const found = new Uint8Array(count);
    for (const { pages, counts } of await Promise.all(terms.map(hits))) {
      for (const page of pages) if (!columns || counts.get(page)[0] || counts.get(page)[1]) found[page] = 1;
    }
    return found;
  }

  // One term of each group, within the bounds; `columns` asks for all of them in names.
  async function allOf(groups, bounds, columns = null) {
    const found = bounds.slice();
    for (const group of await Promise.all(groups.map((terms) => anyOf(terms, columns)))) intersect(found, group);
    return found;
  }

  function intersect(found, other, wanted = 1) {
    for (let page = 0; page < count; page++) if (Boolean(other[page]) !== Boolean(wanted)) found[page] = 0;
    return found;
  }
  const size = (set) => set.reduce((sum, value) => sum + value, 0);
  const members = (set) => [...set.keys()].filter((page) => set[page]);

  const rows = new Map(); // by the number of their file
  async function pageAt(page) {
    let low = 0, high = directory.pages.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (directory.pages[middle][0] <= page) low = middle + 1;
      else high = middle;
    }
    const [start, name] = directory.pages[low - 1];
    if (!rows.has(start)) rows.set(start, llmwiki.load(`search/${name}`));
    const row = (await rows.get(start))[page - start];
    return typeof row === "string" ? { path: row, url: row.replace(/\.md$/, "") + ".html" } : { path: row[0], url: row[1] };
  }

  async function boundsOf(wanted, narrowing) {
    const bounds = new Uint8Array(count).fill(1);
    const filters = [...wanted.filters];
    if (narrowing.tag) filters.push({ field: "tag", value: narrowing.tag });
    if (narrowing.lifecycle) filters.push({ field: "lifecycle", value: narrowing.lifecycle });
    for (const { field, value, negative } of filters) intersect(bounds, await having(field, value), !negative);
    const folder = narrowing.folder && directory.folders.find(([path]) => path === narrowing.folder);
    if (folder) for (let page = 0; page < count; page++) if (page < folder[1] || page >= folder[2]) bounds[page] = 0;
    if (wanted.excluded.length) intersect(bounds, await anyOf(wanted.excluded), 0);
    return bounds;
  }

  async function having(field, value) {
    const found = new Uint8Array(count);
    const key = analyser.nameKey(value);
    if (field === "tag") {
      const tag = key.replace(/^[#/]+|[#/]+$/g, "");
      const all = [...(await entries(`#${tag}`)), ...(await entries(`#${tag}/`, { isBeginning: true }))];
      for (const page of listed(all).keys()) found[page] = 1;
    } else if (field === "lifecycle") {
      for (const page of listed(await entries(`!${key}`)).keys()) found[page] = 1;
    } else {
      const all = await Promise.all(Array.from({ length: count }, (_, page) => pageAt(page)));
      const text = field === "file" ? (path) => path.split("/").at(-1) : (path) => path;
      all.forEach(({ path }, page) => (found[page] = Number(caseless(text(path)).includes(key))));
    }
    return found;
  }
  const caseless = (text) => analyser.nameKey(`.${text}.`).slice(1, -1);

  // ── ranking ──

  // FTS5's bm25, step by step, so that equal scores are equal here as well.
  async function ranked(terms, within, weights) {
    const found = await Promise.all(terms.map(hits));
    const rarity = found.map(({ pages }) => {
      const value = Math.log((count - pages.length + 0.5) / (pages.length + 0.5));
      return value <= 0 ? 1e-6 : value;
    });
    const scored = members(within).map((page) => {
      let score = 0;
      found.forEach(({ counts }, i) => {
        const held = counts.get(page);
        const often = held ? held.reduce((sum, number, column) => sum + number * weights[column], 0) : 0;
        score += rarity[i] * ((often * (K1 + 1)) / (often + K1 * (1 - B + (B * lengths[page]) / meanLength)));
      });
      return { page, score };
    });
    return scored.sort((a, b) => b.score - a.score || a.page - b.page);
  }

  async function commonOf(wanted) {
    if (count <= rules.common) return new Set();
    const isQuick = (term) => !term.prefix || term.parts.at(-1).length === rules.shortestBeginning;
    const terms = [...wanted.terms, ...wanted.parts].filter(isQuick);
    const found = await Promise.all(terms.map(hits));
    return new Set(terms.filter((_, i) => found[i].pages.length >= rules.common).map((term) => term.match));
  }

  // Of too many pages, those with the words in their names, and the most recently updated ones.
  async function likeliest(groups, bounds) {
    const named = members(await allOf(groups, new Uint8Array(count).fill(1), TITLE)).slice(0, rules.mostScored);
    const likely = new Uint8Array(count);
    for (const page of [...named, ...newest]) likely[page] = 1;
    return intersect(likely, bounds);
  }

  // Words that tell none apart: first the pages with the words in their names, short ones first, then the newest.
  async function newestOf(groups, found, most) {
    const named = members(await allOf(groups, found.slice(), TITLE));
    const titles = await Promise.all(named.slice(0, 50).map((page) => pageAt(page)));
    const short = named.slice(0, 50).map((page, i) => [titles[i].path.split("/").at(-1).length, page]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const first = short.map(([, page]) => page);
    const others = members(found).filter((page) => !first.includes(page));
    const place = (page) => newestPlace.get(page) ?? Infinity;
    others.sort((a, b) => (place(a) === place(b) ? a - b : place(a) - place(b)));
    return [...first, ...others].slice(0, most).map((page) => ({ page, score: 0 }));
  }

  async function allWords(wanted, bounds, found, total, most, common) {
    const telling = wanted.groups.filter((group) => !group.some((term) => common.has(term.match)));
    if (!telling.length) return newestOf(wanted.groups, found, most);
    const within = total <= rules.mostScored ? found : intersect(await likeliest(wanted.groups, bounds), found);
    const best = await ranked(telling.flat(), within, rules.weights);
    return wanted.literals.length ? literalFirst(best.slice(0, Math.max(most, rules.mostChecked)), wanted.literals, most) : best.slice(0, most);
  }

  // Up come the pages that hold the words with their signs as typed: looked at in order, until there are enough.
  async function literalFirst(found, literals, most) {
    const exact = [], others = [];
    for (let at = 0; at < found.length && exact.length < most; at += most) {
      const some = found.slice(at, at + most);
      const texts = await Promise.all(some.map(async ({ page }) => llmwiki.wholeText((await pageAt(page)).url)));
      some.forEach((each, i) => {
        const text = texts[i].toLowerCase().replace(/[‘’]/g, "'");
        (literals.every((literal) => text.includes(literal)) ? exact : others).push(each);
      });
    }
    return [...exact, ...others].slice(0, most);
  }

  async function rarest(parts) {
    const found = await Promise.all(parts.map(hits));
    const counts = parts.map((part, at) => ({ part, at, pages: Math.min(found[at].pages.length, rules.mostScoredLoosely + 1) }));
    const rare = [];
    let pages = 0;
    for (const each of counts.sort((a, b) => a.pages - b.pages || a.at - b.at)) {
      pages += each.pages;
      if (pages > rules.mostScoredLoosely) break;
      rare.push(each.part);
    }
    return rare;
  }

  async function someWords(wanted, bounds, most, common) {
    const telling = wanted.parts.filter((part) => !common.has(part.match));
    const rare = await rarest(telling);
    if (!rare.length) {
      const found = intersect(await anyOf(wanted.parts), bounds);
      if (!telling.length) return { found: await newestOf([wanted.parts], found, most), total: size(found) };
      const within = intersect(intersect(await likeliest([telling], bounds), await anyOf(telling)), bounds);
      return { found: await ranked(telling, within, rules.someWordsWeights), total: size(found) };
    }
    const found = intersect(await anyOf(rare), bounds);
    const within = rare.length < wanted.parts.length ? found : intersect(await anyOf(telling), bounds);
    return { found: await ranked(telling, within, rules.someWordsWeights), total: size(found) };
  }

  async function withWords(wanted, bounds, limit) {
    const common = await commonOf(wanted);
    const all = await allOf(wanted.groups, bounds);
    const total = size(all);
    const found = total ? await allWords(wanted, bounds, all, total, limit, common) : [];
    const match = wanted.groups.map((group) => group.map((term) => term.match).join(" OR ")).join(" AND ");
    const relaxedMatch = wanted.parts.map((part) => part.match).join(" OR ");
    if (total >= limit || match === relaxedMatch) return { found, total };
    const more = await someWords(wanted, bounds, limit, common);
    const complete = new Set(found.map(({ page }) => page));
    const others = more.found.slice(0, limit).filter(({ page }) => !complete.has(page));
    return { found: [...found, ...others.map((each) => ({ ...each, tier: RELAXED }))], total: Math.max(total, more.total) };
  }

  async function called(name, bounds) {
    const key = analyser.nameKey(name).replace(/\.md$/, "");
    if (!key || key.length > 300) return [];
    const pages = [...listed(await entries(`=${key}`))].filter(([page]) => bounds[page]);
    return pages.sort((a, b) => a[1] - b[1] || a[0] - b[0]).map(([page]) => page);
  }

  // Pages whose title begins with the only thing typed, a beginning of one or two letters.
  async function beginningSo(term, bounds) {
    const found = listed(await entries(`=${term.parts.at(-1)}`, { isBeginning: true }));
    return [...found].filter(([page]) => bounds[page]).sort((a, b) => a[1] - b[1] || a[0] - b[0]).map(([page]) => ({ page, score: 0 }));
  }

  // The first pages for a query; `narrowing` may have tag, folder and lifecycle.
  async function search(typed, { limit = 10, ...narrowing } = {}) {
    const wanted = analyser.parseQuery(typed);
    const bounds = await boundsOf(wanted, narrowing);
    const named = await called(wanted.name, bounds);
    const content = intersect(bounds.slice(), isSpecial, 0);
    const short = (term) => term.prefix && /^[\x00-\x7f]*$/.test(term.parts.at(-1)) && term.parts.at(-1).length < rules.shortestBeginning;
    let { groups, parts } = wanted;
    if (count > rules.many) {
      groups = groups.filter((group) => !group.some(short));
      parts = parts.filter((part) => !short(part));
    }
    let found = [], total = 0;
    if (groups.length) ({ found, total } = await withWords({ ...wanted, groups, parts, terms: groups.flat() }, content, limit));
    else if (wanted.groups.length) total = (found = await beginningSo(wanted.terms[0], content)).length;
    else if (named.length) total = named.filter((page) => !isSpecial[page]).length;
    else {
      const order = size(content) > newest.length ? [...newest, ...members(content).filter((page) => !newestPlace.has(page))] : newest;
      found = order.filter((page) => content[page]).map((page) => ({ page, score: 0 }));
      total = size(content);
    }
    const known = new Set(named);
    const others = found.filter(({ page }) => !known.has(page));
    const ranking = [...named.map((page) => ({ page, score: 0, tier: NAMED })), ...others.map((each) => ({ tier: COMPLETE, ...each }))].slice(0, limit);
    return {
      wanted, total: total + named.filter((page) => isSpecial[page]).length,
      hits: ranking.map((each) => ({ page: each.page, isRelaxed: each.tier === RELAXED })),
      isRelaxed: ranking.some((each) => each.tier === RELAXED),
    };
  }

  return { search, pageAt, hits, numbers };
};
