// The best passage of a page for a query, and where the words stand in it: as generator/passage.py finds it.
"use strict";
llmwiki.makePassages = (rules, analyser) => {
  const LONGEST = 200, WINDOW = 150, LEAD = 50, MOST_MATCHES = 5000, FAR = 20_000;
  const letter = "[\\p{L}\\p{N}]";
  const wordPattern = new RegExp(`[${rules.unspaced}]+|(?:(?![${rules.unspaced}])${letter}|[${analyser.indic}])+`, "gu");
  const literalPattern = new RegExp(`^[${rules.unspaced}${analyser.indic}]`, "u");
  const isLiteral = (word) => literalPattern.test(word);
  const isUnspaced = (word) => analyser.unspaced.test(Array.from(word)[0]);
  const escape = (text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  const isBounded = (char) => new RegExp(`^${letter}$`, "u").test(char) && !isLiteral(char);
  const atStart = (word) => `(?<!${letter})${escape(word)}`;

  function bounded(whole) {
    const chars = Array.from(whole);
    return (isBounded(chars[0]) ? atStart(whole) : escape(whole)) + (isBounded(chars.at(-1)) ? `(?!${letter})` : "");
  }

  // Finds the words of a query in a text as the index would: whatever their case, accents and English ending. With
  // `withBigrams`, two characters of a longer Chinese word are a match too.
  function makeMatcher(terms, withBigrams) {
    const prefixes = [], wholes = new Set(), words = new Set();
    for (const term of terms) {
      const pieces = term.surface.match(wordPattern) || [];
      if (pieces.length > 1 || (pieces.length && pieces[0] !== term.surface)) wholes.add(term.surface);
      pieces.forEach((piece, i) => {
        if (term.prefix && i === pieces.length - 1) prefixes.push(piece);
        else if (isLiteral(piece)) {
          wholes.add(piece);
          const chars = Array.from(piece);
          if (withBigrams && isUnspaced(piece)) for (let at = 0; at < chars.length - 1; at++) wholes.add(chars[at] + chars[at + 1]);
        } else words.add(piece);
      });
    }
    const stems = new Set([...words].map(llmwiki.stem));
    const byLength = (a, b) => Array.from(b).length - Array.from(a).length;
    const starts = new Set([...[...stems].map((stem) => (stem.length > 2 ? stem.slice(0, -1) : stem)), ...prefixes.filter((prefix) => !isLiteral(prefix))]);
    const branches = [
      ...[...wholes].sort(byLength).map(bounded),
      ...[...starts].sort(byLength).map((start) => `${atStart(start)}${letter}*`),
      ...prefixes.filter(isLiteral).map(escape),
    ];
    const pattern = branches.length ? new RegExp(branches.join("|"), "gu") : null;
    const keyOf = (found) => {
      if (wholes.has(found)) return found;
      const stem = llmwiki.stem(found);
      return stems.has(stem) ? stem : prefixes.find((prefix) => found.startsWith(prefix)) || "";
    };
    function* find(text) {
      if (!pattern) return;
      for (const match of analyser.foldAligned(text).matchAll(pattern)) {
        const key = match[0] && keyOf(match[0]);
        if (key) yield [match.index, match.index + match[0].length, key];
      }
    }
    return { find, words: new Set([...stems, ...wholes]).size + prefixes.length };
  }

  // Where the first window begins that holds the most different words, long ones counting for more; -1 for none.
  function bestStart(matches, words) {
    const queue = [], counts = new Map();
    let best = -1, bestValue = 0, value = 0, farthest = 0, seen = 0;
    for (const [start, end, key] of matches) {
      farthest ||= start + FAR;
      if (start > farthest || ++seen > MOST_MATCHES) break;
      queue.push([start, key]);
      counts.set(key, (counts.get(key) || 0) + 1);
      if (counts.get(key) === 1) value += key.length;
      while (queue.length > 1 && end - queue[0][0] > WINDOW) {
        const gone = queue.shift()[1];
        counts.set(gone, counts.get(gone) - 1);
        if (!counts.get(gone)) {
          counts.delete(gone);
          value -= gone.length;
        }
      }
      if (value > bestValue) {
        [best, bestValue] = [queue[0][0], value];
        if (counts.size >= words) break;
      }
    }
    return { start: best, isSure: bestValue > 0 && (counts.size >= words || seen > MOST_MATCHES) };
  }

  const isBlank = (char) => /\s/.test(char);
  const isMark = (char) => /\p{M}/u.test(char);
  const partsWord = (text, at) => !isBlank(text[at - 1]) && !isBlank(text[at]);

  // Where to begin, in what stands before a match: with its sentence if that is near, else with a word before it.
  function beginning(before) {
    const earliest = Math.max(0, before.length - LEAD);
    if (!earliest) return 0;
    const near = before.slice(earliest);
    const ends = [...near.join("").matchAll(/[.!?…]\s|[。！？；]|\n/gu)];
    if (ends.length) return earliest + Array.from(near.join("").slice(0, ends.at(-1).index + ends.at(-1)[0].length)).length;
    let begin = earliest;
    while (begin < before.length && partsWord(before, begin)) begin++;
    if (begin < before.length) return begin;
    begin = earliest;
    while (isMark(before[begin] || "")) begin++;
    return begin;
  }

  // At most 200 characters around text[start], in one line, of whole words, with `…` where it was cut. Characters are
  // counted whole, as Python does, not by halves of pairs.
  function cut(text, start) {
    const from = Math.max(0, start - 4 * LEAD);
    const before = Array.from(text.slice(from, start));
    const begin = start - before.slice(beginning(before)).join("").length;
    const rough = Array.from(text.slice(begin, begin + 4 * LONGEST)).slice(0, 2 * LONGEST).join("");
    const line = Array.from((text.slice(0, begin).trim() ? "…" : "") + rough.replace(/\s+/g, " ").trim());
    if (line.length <= LONGEST && !text.slice(begin + rough.length).trim()) return line.join("");
    let at = Math.min(line.length, LONGEST - 1);
    const least = at - 40;
    while (at > least && at < line.length && partsWord(line, at)) at--;
    if (at === least) {
      at = Math.min(line.length, LONGEST - 1);
      while (at > 1 && at < line.length && isMark(line[at])) at--;
    }
    return line.slice(0, at).join("").trimEnd() + "…";
  }

  function marksIn(matcher, snippet) {
    const merged = [];
    for (const [start, end] of matcher.find(snippet)) {
      if (merged.length && merged.at(-1)[1] === start) merged.at(-1)[1] = end;
      else merged.push([start, end]);
    }
    return merged;
  }

  // `text` is a page as its script hands it over; `part` gives the others of its parts. Those are read only as far as is needed.
  async function best(matcher, page, part) {
    let text = page.text, found = bestStart(matcher.find(text), matcher.words);
    const isEnough = () => found.start >= 0 && text.length >= found.start + (found.isSure ? 4 * LONGEST : FAR);
    for (let at = 1; at < page.starts.length && !isEnough(); at++) {
      text += await part(at);
      if (!found.isSure) found = bestStart(matcher.find(text), matcher.words);
    }
    const snippet = found.start < 0 ? cut(page.summary || text, 0) : cut(text, found.start);
    const heading = found.start < 0 ? null : page.headings.findLast(([offset]) => offset <= found.start) || null;
    return { snippet, marks: marksIn(matcher, snippet), heading: heading && { text: heading[1], anchor: heading[2] } };
  }

  return { makeMatcher, best };
};
