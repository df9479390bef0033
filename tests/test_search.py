"""The site's own search, in a browser: a reader's words lead to the page that settles them."""

from __future__ import annotations

import re
import unicodedata

import pytest

FIRST = 3  # a right place stands among so many results
PLACES = {
    "A/A": "glossary#term-A-A-experiment",
    "alpha": "glossary#term-alpha",
    "α": "glossary#term-alpha",
    "anytime-valid": "shopping#prop-anytime",
    "approximate randomization": "two_pictures#def-randomization",
    "basic interval": "one_cloud#prop-inversion",
    "Benjamini-Hochberg": "shopping#thm-bh",
    "Benjamini–Hochberg": "shopping#thm-bh",
    "BH": "shopping#def-procedures",
    "BLEU": "two_pictures",
    "Bonferroni": "shopping#def-procedures",
    "bootstrap": "two_pictures#def-bootstrap",
    "brevity penalty": "kink#def-kink",
    "chi-squared": "mcnemar#def-mcnemar-relatives",
    "χ²": "glossary#term-2-test",
    "cluster bootstrap": "clusters#def-cluster-bootstrap",
    "Cohen's d": "power#def-cohen-d",
    "confidence interval": "kink#def-kink-intervals",
    "Connor": "power",
    "continuity correction": "mcnemar#def-mcnemar-relatives",
    "coverage": "glossary#term-coverage",
    "crossed bootstrap": "procedures",
    "delta method": "smooth#cor-delta-sd",
    "design effect": "clusters#thm-clusters",
    "discordant": "mcnemar#def-mcnemar",
    "EER": "clusters",
    "effect size": "power#def-cohen-d",
    "equal error rate": "clusters",
    "equivalence": "power#def-tost",
    "exchangeable": "randomization#def-sharp-null",
    "F1": "two_pictures",
    "false discovery rate": "shopping#def-error-rates",
    "family-wise error rate": "shopping#def-error-rates",
    "Götze": "references",
    "gotze": "references",
    "Holm": "shopping#thm-holm",
    "Holm's correction": "shopping#thm-holm",
    "Holm’s correction": "shopping#thm-holm",
    "figures": "statements",
    "influence": "smooth#def-influence",
    "intraclass": "glossary#term-intraclass-correlation",
    "kink": "kink#prop-kink",
    "Koehn": "one_cloud#def-rules",
    "labs": "statements",
    "leaderboard": "shopping",
    "macro EER": "clusters",
    "McNemar": "mcnemar#def-mcnemar",
    "McNemar's test": "mcnemar#prop-mcnemar",
    "mid-p": "mcnemar#lem-midp",
    "min-p": "shopping#prop-min-p",
    "minimum detectable": "glossary#term-minimum-detectable-gap",
    "Monte Carlo error": "randomization#prop-draws",
    "MQM": "real_systems",
    "multiple testing": "glossary#term-multiple-testing",
    "m-out-of-n": "kink#prop-beside",
    "null hypothesis": "glossary#term-null-hypothesis",
    "one-sided": "glossary#term-one-sided",
    "optional stopping": "glossary#term-optional-stopping",
    "p-value": "glossary#term-p-value",
    "paired bootstrap": "two_pictures#def-bootstrap",
    "paired t-test": "glossary#term-paired-t-test",
    "peeking": "shopping#prop-anytime",
    "percentile interval": "one_cloud#prop-inversion",
    "permutation test": "glossary#term-permutation-test",
    "plus one": "randomization#lem-plus-one",
    "+1": "glossary#term-1",
    "power": "power#def-power",
    "randomization test": "randomization#thm-randomization",
    "recentered": "glossary#term-recentered-rule",
    "sacreBLEU": "one_cloud#prop-sacrebleu",
    "sample size": "power",
    "sharp null": "randomization#def-sharp-null",
    "shifted": "one_cloud#prop-shifted",
    "significant": "glossary#term-significant",
    "simplex": "two_pictures",
    "slides": "index",
    "standard error": "smooth#cor-delta-sd",
    "statements": "statements",
    "ties": "randomization",
    "TOST": "power#def-tost",
    "two-sided": "glossary#term-two-sided",
    "type I error": "glossary#term-type-I-error-rate",
    "winner's curse": "power",
    "winner’s curse": "power",
    "2δ rule": "one_cloud#def-rules",
    "5×2cv": "procedures",
    "5x2cv": "procedures",
}
SPELLED = {"χ": "chi", "α": "alpha", "δ": "delta", "×": "x", "–": "-", "’": "'"}


def plain(text: str) -> str:
    text = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c)).lower()
    for letter, name in SPELLED.items():
        text = text.replace(letter, name)
    return text


SEARCH = """async (queries) => {
  const found = {}, out = document.getElementById("search-results");
  for (const query of queries) {
    out.replaceChildren();
    Search.performSearch(query);
    while (!Search.status.innerText) await new Promise((go) => setTimeout(go, 5));
    found[query] = [...out.querySelectorAll("ul.search li > a")].map((link) => link.getAttribute("href"));
  }
  return found;
}"""

SHOWN = """(place) => {
  if (place && !document.getElementById(place)?.checkVisibility()) return "";
  const texts = document.createTreeWalker(document.querySelector("article"), NodeFilter.SHOW_TEXT), shown = [];
  while (texts.nextNode()) {
    const parent = texts.currentNode.parentElement, fold = parent.closest("details:not([open])");
    if (parent.checkVisibility() && (!fold || parent.closest("summary")?.parentElement === fold)) shown.push(texts.currentNode.data);
  }
  return shown.join("");
}"""


@pytest.fixture(scope="module")
def results(browser, site):
    """What the search page lists for each query, opened from a disk, where it fetches no excerpts."""
    page = browser.new_page()
    complaints = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: message.type == "error" and complaints.append(message.text))
    page.goto(f"file://{site}/search.html", wait_until="load")
    found = page.evaluate(SEARCH, list(PLACES))
    page.close()
    assert complaints == []
    return found


@pytest.mark.parametrize("query", PLACES)
def test_a_right_place_is_among_the_first_results(results, query):
    page, _, place = PLACES[query].partition("#")
    right = f"book/{page}.html" + (f"#{place}" if place else "")
    first = results[query][:FIRST]
    assert right in first if place else right in [link.partition("#")[0] for link in first]


def test_the_places_open_and_show_the_words_outside_of_folds(browser, address):
    context, pages = browser.new_context(java_script_enabled=False), {}
    page = context.new_page()
    for query, place in PLACES.items():
        name, _, anchor = place.partition("#")
        pages.setdefault(name, []).append((query, anchor))
    assert sum(map(len, pages.values())) == len(PLACES) >= 30
    hidden = []
    for name, asked in pages.items():
        page.goto(f"{address}/book/{name}.html", wait_until="domcontentloaded")
        for query, anchor in asked:
            shown = set(re.findall(r"\w+", plain(page.evaluate(SHOWN, anchor))))
            hidden += [(query, place) for place in re.findall(r"\w+", plain(query)) if place not in shown]
    context.close()
    assert hidden == []


@pytest.mark.parametrize("scheme", ["http", "file"])
def test_a_reader_types_a_word_follows_the_first_result_and_sees_it_marked(browser, site, address, scheme):
    root, errors = address if scheme == "http" else f"file://{site}", []
    page = browser.new_page(viewport={"width": 1200, "height": 800})
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{root}/book/references.html", wait_until="load")
    page.keyboard.press("Control+k")
    page.keyboard.type("Mid–P")
    page.keyboard.press("Enter")
    link = page.locator("ul.search li > a").first
    link.wait_for()
    assert link.inner_text() == "3. McNemar is randomization: mid-p, Definition 3.2"
    if scheme == "http":  # a page on a disk may not read another one for an excerpt
        page.wait_for_function("() => document.querySelectorAll('ul.search li p.context').length > 2")
        excerpts = page.locator("ul.search li p.context").all_inner_texts()
        assert "swaps that tie" in excerpts[0].lower() and not any("\\(" in text for text in excerpts)
        assert "ties with the data count half" in excerpts[2]  # the glossary's definition, not the bare word
    link.click()
    page.wait_for_url("**/book/mcnemar.html#def-mcnemar-relatives", wait_until="load")
    page.evaluate("MathJax.startup.promise")
    marked = page.evaluate("[...CSS.highlights.get('found')].map(String)")
    assert {word.lower() for word in marked} <= {"mid"} and len(marked) > 5
    assert page.evaluate("""[...document.querySelectorAll('article .math')]
      .every((formula) => formula.querySelector('mjx-container'))""")
    page.reload(wait_until="load")
    assert not page.evaluate("CSS.highlights.has('found')")
    page.close()
    assert errors == []


def test_a_word_inside_a_fold_is_announced_on_it_and_the_fold_stays_closed(browser, address):
    page = browser.new_page()
    page.goto(f"{address}/book/exercises/mcnemar.html", wait_until="load")
    inside = page.evaluate("""() => {
      const count = (text, word) => text.toLowerCase().split(/[^a-z]+/).filter((w) => w.startsWith(word)).length;
      const all = document.querySelector("article").textContent;
      for (const fold of document.querySelectorAll("article details:not([open])"))
        for (const word of fold.textContent.toLowerCase().match(/[a-z]{7,}/g) || [])
          if (count(all, word) === count(fold.textContent, word)) return [word, fold.querySelector("summary").textContent.trim()];
    }""")
    word, title = inside
    page.goto(f"{address}/search.html?q={word}", wait_until="load")
    page.locator('ul.search li > a[href="book/exercises/mcnemar.html"]').click()
    page.wait_for_url("**/exercises/mcnemar.html", wait_until="load")
    notes = page.locator("summary:has(.found-inside)")
    assert notes.count() == 1 and notes.inner_text().startswith(title)
    assert notes.locator(".found-inside").is_visible() and page.locator("article details[open]").count() == 0
    page.close()
