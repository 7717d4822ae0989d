// Text → words, and what people type → a query: as generator/analyser.py, porter.py and search_query.py do it.
"use strict";
llmwiki.stem = (() => {
  const step2 = {
    ational: "ate", tional: "tion", enci: "ence", anci: "ance", izer: "ize", logi: "log", bli: "ble", alli: "al", entli: "ent",
    eli: "e", ousli: "ous", ization: "ize", ation: "ate", ator: "ate", alism: "al", iveness: "ive", fulness: "ful",
    ousness: "ous", aliti: "al", iviti: "ive", biliti: "ble",
  };
  const step3 = { icate: "ic", ative: "", alize: "al", iciti: "ic", ical: "ic", ful: "", ness: "" };
  const step4 = Object.fromEntries(
    "al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize".split(" ").map((suffix) => [suffix, ""]),
  );
  const isAscii = (text) => /^[\x00-\x7f]*$/.test(text);
  const shape = (word) => {
    let found = "";
    for (const letter of word) found += "aeiou".includes(letter) || (letter === "y" && found.endsWith("c")) ? "v" : "c";
    return found;
  };
  const measure = (word) => shape(word).split("vc").length - 1;
  const hasVowel = (word) => shape(word).includes("v");
  const endsShort = (word) => shape(word).endsWith("cvc") && !"wxy".includes(word.at(-1));

  function plural(word) {
    if (word.endsWith("sses") || word.endsWith("ies")) return word.slice(0, -2);
    return word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
  }

  function pastAndGerund(word) {
    if (word.endsWith("eed") && word.length > 3) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
    const suffix = ["ed", "ing"].find((end) => word.endsWith(end) && hasVowel(word.slice(0, -end.length)));
    if (!suffix) return word;
    const base = word.slice(0, -suffix.length);
    if (/(?:at|bl|iz)$/.test(base)) return base + "e";
    if (base.length > 1 && base.at(-1) === base.at(-2) && shape(base).endsWith("c") && !"lsz".includes(base.at(-1))) return base.slice(0, -1);
    return measure(base) === 1 && endsShort(base) ? base + "e" : base;
  }

  function replaceSuffix(word, suffixes, above) {
    for (let length = Math.min(7, word.length - 1); length > 1; length--) {
      const end = word.slice(-length);
      if (!Object.hasOwn(suffixes, end)) continue;
      const base = word.slice(0, -length);
      if (end === "ion" && !/[st]$/.test(base)) return word;
      return measure(base) > above ? base + suffixes[end] : word;
    }
    return word;
  }

  function finalEAndL(word) {
    if (word.endsWith("e")) {
      const base = word.slice(0, -1), size = measure(base);
      if (size > 1 || (size === 1 && !endsShort(base))) word = base;
    }
    return word.endsWith("ll") && measure(word.slice(0, -1)) > 1 ? word.slice(0, -1) : word;
  }

  function stemBytes(word) {
    if (word.length < 3 || word.length > 64) return word;
    word = pastAndGerund(plural(word));
    if (word.endsWith("y") && hasVowel(word.slice(0, -1))) word = word.slice(0, -1) + "i";
    word = replaceSuffix(word, step2, 0);
    word = replaceSuffix(word, step3, 0);
    return finalEAndL(replaceSuffix(word, step4, 1));
  }

  // SQLite looks at bytes: letters beyond ASCII are as many consonants as UTF-8 needs for them.
  return (word) => {
    if (isAscii(word)) return stemBytes(word);
    if (!isAscii(word.at(-1))) return word;
    const bytes = String.fromCharCode(...new TextEncoder().encode(word));
    return new TextDecoder().decode(Uint8Array.from(stemBytes(bytes), (byte) => byte.charCodeAt(0)));
  };
})();

llmwiki.makeAnalyser = (rules) => {
  const unspaced = new RegExp(`[${rules.unspaced}]`, "u");
  const run = new RegExp(`[${rules.unspaced}]+|[${rules.emoji}]`, "gu");
  const inRun = new RegExp(`^(?:[${rules.unspaced}]|[${rules.emoji}])`, "u");
  const optionalMarks = new RegExp(rules.optionalMarks, "gu");
  const wholeLetters = new RegExp(`[${Object.keys(rules.wholeLetters).join("")}]`, "gu");
  const tokenPattern = new RegExp(rules.token, "gu");
  const indic = "\u0900-\u0dff";
  const partPattern = new RegExp(`(?:[\\p{L}\\p{N}]|[${indic}${rules.unspaced}])+`, "gu");
  const isWord = new RegExp(`^(?:[\\p{L}\\p{N}]|[${indic}${rules.unspaced}])+$`, "u");
  const stopWords = new Set(rules.stopWords.split(" "));
  const phraseBigrams = new Set(rules.chineseBigrams.split(" "));
  const chinese = new RegExp(rules.chinese, "u");

  // ── folding ──

  const caseFold = (text) => text.toUpperCase().toLowerCase().replaceAll("ς", "σ");
  const folded = new Map();
  function foldCharacter(char) {
    if (!folded.has(char)) {
      const bare = caseFold(char.normalize("NFKD").replace(optionalMarks, ""));
      const plain = bare.replace(wholeLetters, (letter) => rules.wholeLetters[letter]).normalize("NFC");
      folded.set(char, Array.from(plain, (c) => (c < "\x80" || /[\p{L}\p{N}\p{Mn}\p{Mc}]/u.test(c) || inRun.test(c) ? c : " ")).join(""));
    }
    return folded.get(char);
  }

  function fold(text) {
    if (/[\uff9e\uff9f]/.test(text)) text = text.normalize("NFKC");
    return text.toLowerCase().normalize("NFC").replace(/[^\x00-\x7f]/gu, foldCharacter);
  }

  // Folded as far as every character keeps its place.
  function foldAligned(text) {
    let lowered = text.toLowerCase();
    if (lowered.length !== text.length) {
      lowered = Array.from(text, (c) => (c.toLowerCase().length === c.length ? c.toLowerCase() : c)).join("");
    }
    return lowered.replace(/[^\x00-\x7f]/gu, (char) => (foldCharacter(char).length === char.length ? foldCharacter(char) : char));
  }

  function bigrams(found) {
    const chars = Array.from(found);
    if (chars.length > 1) return ` ${chars.slice(1).map((c, i) => chars[i] + c).join(" ")} ${chars.at(-1)} `;
    const code = found.codePointAt(0);
    return code >= 0x1f000 && !unspaced.test(found) || (code >= 0x2300 && code < 0x2c00) ? ` u${code.toString(16)} ` : ` ${found} `;
  }

  function ftsText(text) {
    const plain = fold(text).replace(/(?<=[\p{L}\p{N}])(?:\+\+|#)(?![\p{L}\p{N}_])/gu, (sign) => (sign === "#" ? " sharp " : " plus plus "));
    return plain.replace(run, bigrams);
  }

  const tokens = (analysed) => (analysed.match(tokenPattern) || []).map(llmwiki.stem);
  const nameKey = (text) => caseFold(text.normalize("NFC")).normalize("NFC").trim();

  // ── what people type ──

  const sentenceMarks = /[.,;:!?…]+$/;
  const blanks = /[\u3000，。、；？！《》〈〉（）「」『』【】\0]/g;
  const isLone = (part) => Array.from(part).length === 1 && unspaced.test(part);

  function isStopWord(word) {
    if (stopWords.has(word)) return true;
    const found = /^([\p{L}\p{N}_]+?)(?:n't|'(?:s|d|m|re|ve|ll))$/u.exec(word);
    return found !== null && (stopWords.has(found[1]) || stopWords.has(`${found[1]}n`));
  }

  function makeTerm(fields) {
    const term = { prefix: false, exact: false, titleOnly: false, ...fields };
    const phrase = `"${term.parts.join(" ")}"${term.prefix ? " *" : ""}`;
    term.match = term.titleOnly ? `{title aliases} : (${phrase})` : phrase; // what tells terms apart
    return term;
  }

  function termOf(text) {
    const parts = (ftsText(text).match(partPattern) || []).slice(0, 64);
    if (!parts.length) return null;
    let prefix = false;
    if (isLone(parts.at(-1))) {
      const before = Array.from(parts.at(-2) || "");
      if (before.length === 2 && before[1] === parts.at(-1) && isLone(before[0])) parts.pop();
      else prefix = true;
    }
    return makeTerm({ surface: fold(text).trim(), parts, prefix });
  }

  function termsOf(token, whole) {
    const exact = token.quoted || token.field === "title";
    let pieces = exact || whole ? [token.text] : token.text.split(chinese).filter(Boolean);
    if (!pieces.length) pieces = [token.text];
    const terms = pieces.map(termOf).filter(Boolean);
    if (terms.length && !token.quoted && token.text.endsWith("*")) terms[terms.length - 1].prefix = true;
    return terms.map((term) => makeTerm({ ...term, exact, titleOnly: token.field === "title" }));
  }

  const tokensOf = (term) => term.parts.map((part, i) =>
    makeTerm({ surface: part, parts: [part], prefix: isLone(part) || (term.prefix && i === term.parts.length - 1) }));

  function partsOf(terms, words) {
    const found = new Map();
    for (const term of terms) for (const piece of term.exact ? [term] : tokensOf(term)) found.set(piece.match, piece);
    const kept = new Map([...found].filter(([, piece]) => piece.exact || !isStopWord(piece.surface)));
    if (kept.size) {
      for (const piece of words.map(termOf).filter(Boolean).flatMap(tokensOf)) {
        if (/^(?![的是])[\u4e00-\u9fff]{2}$/.test(piece.surface) && !phraseBigrams.has(piece.surface)) kept.set(piece.match, piece);
      }
    }
    return [...(kept.size ? kept : found).values()].slice(0, 64);
  }

  function literal(word) {
    const bare = word.replace(/^["'()*]+|["'()*]+$/g, "").replace(sentenceMarks, "").toLowerCase();
    return new RegExp(partPattern.source, "u").test(bare) && !isWord.test(bare) && !bare.includes(" ") ? bare : "";
  }

  function parseQuery(typed) {
    const text = Array.from(typed).slice(0, 10_000).join("").replace(blanks, " ").replace(/[“”„«»]/g, '"').replace(/[‘’]/g, "'").replaceAll("：", ":");
    const pattern = /(-(?=[^\s-]))?(?:(tag|path|file|title|lifecycle):(?=\S))?(?:"([^"]*)"?|([^\s"]\S*))/giu;
    const pieces = [];
    for (const [, minus, field, quoted, word] of text.matchAll(pattern)) {
      if (quoted || word) pieces.push({ text: quoted || word, field: (field || "").toLowerCase(), quoted: Boolean(quoted), negative: Boolean(minus) });
    }
    pieces.length = Math.min(pieces.length, 256);
    let groups = [], joins = false;
    const excluded = [], filters = [], words = [];
    pieces.forEach((token, at) => {
      const isOperator = /^(?:AND|OR)$/.test(token.text) && !token.quoted && !token.field && !token.negative;
      if (token.field && token.field !== "title") {
        filters.push({ field: token.field, value: token.text, negative: token.negative });
      } else if (groups.length && at + 1 < pieces.length && isOperator) {
        joins ||= token.text === "OR";
      } else if (token.negative) {
        excluded.push(...termsOf(token, true));
      } else {
        const terms = termsOf(token, joins);
        if (joins && terms.length) groups[groups.length - 1] = [...groups.at(-1), ...terms];
        else groups.push(...terms.map((term) => [term]));
        words.push(token.text);
        joins = false;
      }
    });
    const saysNothing = (term) => !term.prefix && !term.exact && isStopWord(term.surface.replace(/^[.,;:!?…]+|[.,;:!?…]+$/g, ""));
    const telling = groups.filter((group) => !group.every(saysNothing));
    groups = (telling.length ? telling : groups).slice(0, 64);
    return {
      name: words.join(" "), groups, excluded: excluded.slice(0, 64), filters: filters.slice(0, 64), terms: groups.flat(),
      parts: partsOf(groups.flat(), words), literals: [...new Set(words.map(literal).filter(Boolean))].slice(0, 64),
    };
  }

  return { fold, foldAligned, ftsText, tokens, nameKey, termOf, makeTerm, parseQuery, unspaced, indic };
};
