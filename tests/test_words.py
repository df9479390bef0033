"""Wordings that the book's texts avoid, each with what to write instead."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

import audit_numbers as audit
from numerals import code_spans

OUTSIDE = [audit.ROOT / name for name in ("README.md", "CONTRIBUTING.md", "data/README.md")]
PAGES = [*audit.book_paths(), *filter(Path.exists, OUTSIDE)]


@dataclass(frozen=True)
class Wording:
    """A forbidden wording; `quotable` ones may stand in quotation marks, to be refuted."""

    pattern: str
    better: str
    bad: tuple[str, ...]
    fine: tuple[str, ...]
    quotable: bool = False
    book_only: bool = False


_TRUE = r"(?:true|real|population|unknown|parameter|gap|mean|difference|effect|value|score)"
_IN = r"(?:lies|lie|is|falls|fall|sits)\s+(?:somewhere\s+)?(?:in|within|inside|between)\b"
_PLAINLY = r"(?<!no )(?<!not )(?<!never )(?<!nothing )(?<!in)\b"
_SURE = r"(?:probability|chance|likelihood|confidence|confident|certain|sure)\b"

WORDINGS = (
    Wording(
        rf"{_SURE}[^.;]{{0,30}}\bthat\s(?:(?!cover|contain|interval)[^.;]){{0,25}}\b{_TRUE}\b"
        rf"[^.;]{{0,25}}{_IN}"
        rf"|with\s[^.;]{{0,20}}{_SURE},?\sthe\s{_TRUE}[^.;]{{0,25}}{_IN}",
        "the interval is random, the parameter is not: write that intervals made this way cover it "
        "in that share of test sets",
        (
            "There is a 95% probability that the true gap lies between 0.01 and 0.02.",
            "We are 95% confident that the gap is in this interval.",
            "With 95 per cent probability the true difference is\nwithin the interval.",
            "the chance that the population mean falls inside",
        ),
        (
            "The interval covers the true gap in 95% of test sets.",
            "The probability that the interval covers the true gap is between 0.94 and 0.96.",
            "the confidence level is in the caption",
        ),
        quotable=True,
    ),
    Wording(
        r"\b(?:probability|chance|likelihood|odds)\b[^.;]{0,20}\bthat\s(?:the\s)?(?:sharp\s)?"
        r"(?:null(?:\shypothesis)?|\$?H_?\{?0\}?\$?|H₀|hypothesis)\s(?:is|was|holds)\b"
        r"|due\sto\s(?:pure\s|random\s)?chance|\bby\s(?:pure|random)?\s?chance\salone",
        "a p-value is computed under the null, it is no probability of the null: write how often a "
        "gap this large comes when the null holds",
        (
            "The p-value is the probability that the null hypothesis is true.",
            "the chance that $H_0$ holds",
            "the difference is due to random chance",
        ),
        (
            "The probability of such a gap when the null holds is 0.05.",
            "the probability that p ≤ α is at most α when the null holds",
        ),
        quotable=True,
    ),
    Wording(
        r"\baccept(?:s|ed|ing|ance\sof)?\s(?:of\s)?(?:the\s)?(?:sharp\s)?"
        r"(?:null|\$?H_?\{?0\b|H₀|hypothesis)",
        "do not reject the null",
        ("We accept the null hypothesis.", "accepting the sharp null", "accept $H_0$"),
        ("We do not reject the null.", "an accepted paper on the null"),
        quotable=True,
    ),
    Wording(
        rf"{_PLAINLY}(?:statistically\s|(?<!statistically )\b)significant[^.;]{{0,30}}"
        r"\bp\$?\s?(?:>|≥|\\gt\b|\\geq?\b|&gt;)\s?\$?0?\.0"
        r"|\bnot\ssignificant[^.;]{0,12}\bp\$?\s?(?:<|≤|\\lt\b|\\leq?\b|&lt;)\s?\$?0?\.0[0-5]",
        "turn the inequality: significant at 0.05 means p ≤ 0.05",
        (
            "The gap is significant with p > 0.05.",
            r"significantly better ($p \gt 0.05$)",
            "not significant (p < 0.05)",
            "statistically significant (p > 0.05)",
        ),
        (
            "significant with p < 0.05", "not significant, p > 0.05", "significant (p = 0.01)",
            "no significant gap (p > 0.05)", "not statistically significant (p > 0.05)",
        ),  # fmt: skip
        quotable=True,
    ),
    Wording(
        r"\b(?:prov|show|confirm|demonstrat|establish|support)\w*\s(?:that\s)?"
        r"(?:the\s(?:sharp\s)?null\b|(?:there\sis\s)?no\s(?:difference|gap|effect)\b"
        r"|the\s(?:two\s)?systems\sare\s(?:equal|equivalent|the\ssame))"
        r"|not\ssignificant(?:ly\sdifferent)?,?\s(?:so|hence|therefore|which\s(?:means|shows))\b",
        "absence of evidence: write that the test does not reject, and with what power; for "
        "equivalence use a margin and TOST",
        (
            "This proves that the null is true.",
            "p = 0.2 shows that there is no difference",
            "The gap is not significant, so the systems are equal.",
        ),
        ("The proof assumes the null.", "the test does not reject the null"),
        quotable=True,
    ),
    Wording(
        r"\b(?:marginally|borderline|almost|nearly|highly|extremely|very)\ssignificant(?:ly)?\b"
        r"|\bapproach(?:es|ed|ing)?\ssignificance|\btrend(?:s|ing)?\stowards?\ssignificance",
        "significant at a level, or not; give p",
        ("a marginally significant gap", "the p-value approaches significance"),
        ("significant at 0.01", "an almost exact test of significance"),
        quotable=True,
    ),
    Wording(
        r"\b(?:the|a|any|end)[\s-]users?\b|\buser's\b|\busers\b",
        "you, or the reader",
        ("The user chooses a level.", "for users"),
        ("the reader chooses", "user-defined metrics"),
    ),
    Wording(
        r"\b(?:simply|obviously|clearly|trivially)\b"
        r"|\bof\scourse\b|\bneedless\sto\ssay\b|\beasy\sto\s(?:see|show|check|verify)\b"
        r"|\b(?:it\sis|it's)\s(?:easy|trivial|clear|obvious|simple)\b"
        r"|(?<!not )\bjust\b(?!\s(?:above|below|beside|before|after|as|over|under"
        r"|at|inside|outside|short|enough|one)\b)",
        "leave the word out: what is plain needs no announcing",
        ("This is simply a mean.", "Obviously so.", "It is easy to see that", "just swap them"),
        ("a simple mean", "just below the edge", "not just means", "an adjustment"),
    ),
    Wording(
        r"\b(?:red|green|blue|orange|purple|violet|yellow|pink|brown|teal|cyan|magenta|turquoise"
        r"|gr[ae]y)(?:ish)?\b(?!,?\s(?:et\sal|\(?[12][0-9]{3}))",
        "name the line style, the marker or the label: colour carries no meaning alone",
        ("the blue curve", "A grey band marks the limits."),
        ("the dashed curve", "predicted", "Brown et al. and Green (2001)"),
        book_only=True,
    ),
    Wording(
        r"(?<![\w/])/(?:work|home|root|Users)/\S",
        "a path inside the repository",
        ("see /home/me/x.py",),
        ("see book/home/x.py", "CPU/GPU"),
    ),
)


def texts(path: Path) -> list[tuple[str, str]]:
    """(place, text) of a page, with code and links blank; mathematics stays."""
    pieces = audit.read_page(path).pieces
    return [(f"{path.name} [{piece.where}, {piece.kind}]", prose(piece.text)) for piece in pieces]


def prose(text: str) -> str:
    text = re.sub(r"^(?: {4}|\t).*$", "", text, flags=re.M)  # indented code
    for start, end in reversed(code_spans(text)):
        if not text[start:end].startswith("$"):
            text = text[:start] + "`" + text[end:]
    return re.sub(r"\]\([^)]*\)|https?://\S+", " ", text)


def found(wording: Wording, text: str) -> list[str]:
    if wording.quotable:
        text = re.sub(r"“[^”]*”|\"[^\"]*\"", " ", text)
    return [match[0] for match in re.finditer(wording.pattern, text, re.I)]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_no_page_uses_a_forbidden_wording(path):
    in_book = "book" in path.relative_to(audit.ROOT).parts
    problems = [
        f"{place}: {' '.join(hit.split())!r}: {wording.better}"
        for wording in WORDINGS
        if in_book or not wording.book_only
        for place, text in texts(path)
        for hit in found(wording, text)
    ]
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("wording", WORDINGS, ids=lambda wording: wording.better[:30])
def test_each_wording_is_caught_and_its_neighbours_pass(wording):
    assert wording.bad and wording.fine
    for text in wording.bad:
        assert found(wording, text), text
        assert not wording.quotable or not found(wording, f"Misconception: “{text}” It is not.")
    for text in wording.fine:
        assert not found(wording, text), text
    others = [w for w in WORDINGS for text in wording.fine if w is not wording and found(w, text)]
    assert not others, "a recommended neighbour is forbidden elsewhere"


def test_code_and_links_are_no_words():
    assert prose("    the user\n`the user` [x](/home/me/y) $x$").split() == ["`", "[x", "$x$"]
