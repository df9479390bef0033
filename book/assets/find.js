/* The search page knows the glossary's words, in any spelling, and the boxes that they stand for; a page
   that is opened from it shows what was looked for, and which folded parts hold it. tools/word_index.py
   puts the words on the search page. */
(() => {
  const GREEK = {
    α: "alpha", β: "beta", γ: "gamma", δ: "delta", ε: "epsilon", ζ: "zeta", η: "eta", θ: "theta", κ: "kappa",
    λ: "lambda", μ: "mu", ν: "nu", ξ: "xi", π: "pi", ρ: "rho", σ: "sigma", ς: "sigma", τ: "tau", φ: "phi",
    χ: "chi", ψ: "psi", ω: "omega",
  };
  const KEPT = "sphinx_highlight_terms"; // where Sphinx's search leaves the words for the next page
  const TEXT = "script, style, .math, mjx-container, .jupyter-widgets, .headerlink";

  /* Without case, accents, kinds of quotes and dashes; Greek letters by name: "Götze's χ²" is "gotze's chi 2". */
  function plain(text) {
    return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()
      .replace(/[‘’]/g, "'").replace(/[‐-―−]/g, "-").replace(/×/g, "x").replace(/ø/g, "o")
      .replace(/[α-ω]/g, (letter) => ` ${GREEK[letter] || letter} `).replace(/\s+/g, " ").trim();
  }

  const parts = (text) => plain(text).match(/[\p{L}\p{N}_]+/gu) || [];

  if (typeof bookWords !== "undefined") search();
  else addEventListener("DOMContentLoaded", show);

  // The search page --------------------------------------------------------------------------------

  function search() {
    const index = Search._index;
    // A browser lets no page read another one from a disk, so there are no excerpts then.
    DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = location.protocol !== "file:";
    index.indexentries = {}; // bookWords holds them, and more
    for (const table of [index.terms, index.titleterms]) {
      for (const term of Object.keys(table)) {
        const other = plain(term);
        if (other !== term && !(other in table)) table[other] = table[term];
      }
    }
    Search.htmlToText = excerpt;
    const { _parseQuery: parse, _performSearch: perform } = Search;
    Search._parseQuery = (query) => {
      const parsed = parse(plain(query));
      parsed[0] = query.replaceAll("'", "’"); // as titles have it
      parsed[3] = new Set([...parsed[3]].filter((part) => part.length > 2)); // the words to mark
      localStorage.setItem(KEPT, query.toLowerCase());
      return parsed;
    };
    Search._performSearch = (query, ...rest) => {
      const first = entries(query, index); // the list is in reverse order
      const other = ([page, , place]) => !first.some((entry) => entry[0] === page && entry[2] === place);
      return [...perform(query, ...rest).filter(other), ...first.reverse()];
    };
  }

  /* The glossary's words that have all parts of the query, the closest first: the boxes, then the glossary. */
  function entries(query, index) {
    const asked = parts(query);
    const has = (word, part, last) => word.some((other) => other === part || (last && part.length > 2 && other.startsWith(part)));
    return bookWords
      .map(([word, page, place, box], order) => ({ word, page, place, box, order, of: parts(word) }))
      .filter(({ of }) => asked.length && asked.every((part, k) => has(of, part, k === asked.length - 1)))
      .map((found) => ({ ...found, apart: plain(found.word).length - plain(query).length, glossary: found.page.endsWith("/glossary") }))
      .sort((a, b) => a.apart - b.apart || a.glossary - b.glossary || a.order - b.order)
      .map(({ word, page, place, box }) => {
        const file = index.docnames.indexOf(page);
        const title = word === index.titles[file] ? word : `${index.titles[file]}: ${word}${box && `, ${box}`}`;
        return [page, title, place && `#${place}`, null, 100, index.filenames[file]];
      });
  }

  /* The text that an excerpt is taken from: formulas are left out, a word of the glossary has its definition. */
  function excerpt(html, anchor) {
    const page = new DOMParser().parseFromString(html, "text/html");
    page.querySelectorAll(".headerlink, script, style").forEach((part) => part.remove());
    page.querySelectorAll(".math").forEach((formula) => formula.replaceWith(" … "));
    const place = anchor && page.getElementById(anchor.slice(1));
    let text = (place || page.querySelector("article") || page.body).textContent;
    if (place?.tagName === "DT") {
      let next = place;
      while (next && next.tagName !== "DD") next = next.nextElementSibling;
      text += next ? `: ${next.textContent}` : "";
    }
    return text.replace(/\s+/g, " ");
  }

  // A page that was found ----------------------------------------------------------------------------

  function show() {
    const query = localStorage.getItem(KEPT);
    localStorage.removeItem(KEPT);
    const article = document.querySelector("article");
    const wanted = parts(query || "").filter((part) => part.length > 2);
    if (!article || !wanted.length) return;
    const texts = document.createTreeWalker(article, NodeFilter.SHOW_TEXT, (node) => (
      node.parentElement.closest(TEXT) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT));
    const found = [];
    while (texts.nextNode()) {
      for (const word of texts.currentNode.data.matchAll(/[\p{L}\p{N}_]+/gu)) {
        const here = plain(word[0]); // of long words, other forms too
        if (!wanted.some((part) => here === part || (part.length > 4 && here.startsWith(part)))) continue;
        const range = new Range();
        range.setStart(texts.currentNode, word.index);
        range.setEnd(texts.currentNode, word.index + word[0].length);
        found.push(range);
      }
    }
    if (window.Highlight) CSS.highlights.set("found", new Highlight(...found));
    const folds = new Set(found.map((range) => range.startContainer.parentElement.closest("details:not([open])")));
    for (const fold of folds) {
      const title = fold?.querySelector(":scope > summary");
      if (!title || found.some((range) => title.contains(range.startContainer))) continue;
      const note = document.createElement("span");
      note.className = "found-inside";
      note.textContent = "holds a word that you looked for";
      (title.querySelector(".sd-summary-text") || title).append(note);
    }
  }
})();
