"""The audit of numbers in prose: what it counts, what agrees, what it exempts, what it catches."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

import audit_numbers as audit
from claims import PREFIX
from numerals import mask, mask_output, numbers

PLAIN, RAISED = "0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"
CHAPTERS = [path for path in audit.book_paths() if path.suffix == ".ipynb"]


def last_digit_plus_one(text: str) -> str:
    """One added to the last digit: 0.049 to 0.050, 3/8 to 3/9, 5.6·10⁻⁶ to 5.7·10⁻⁶."""
    power = re.search(r"(?<=[0-9])(?:[eE]|\s*\{?\s*(?:[·×]|\\cdot|\\times))", text)
    head, tail = (text[: power.start()], text[power.start() :]) if power else (text, "")
    before = re.finditer(rf"/|\}}\s*\{{|frac\s*[0-9](?=[0-9])|\^|10(?=[⁻⁺{RAISED}])", head)
    first = max((match.end() for match in before), default=0)
    places = [i for i in range(first, len(head)) if head[i] in PLAIN + RAISED]
    chars = list(head)
    for i in reversed(places):
        alphabet = PLAIN if chars[i] in PLAIN else RAISED
        chars[i] = alphabet[(alphabet.index(chars[i]) + 1) % 10]
        if chars[i] != alphabet[0]:
            return "".join(chars) + tail
    chars.insert(places[0], "1")
    return "".join(chars) + tail


def counted(text: str) -> list[str]:
    return [text[x.start : x.start + len(x.text)] for x in numbers(mask(text)) if x.counts]


def markdown(source: str, where: str = "m") -> dict:
    return {"cell_type": "markdown", "id": where, "source": source, "metadata": {}}


def code(stdout: str = "", where: str = "c", metadata: dict | None = None, **mime: str) -> dict:
    outputs = [{"output_type": "stream", "name": "stdout", "text": [stdout]}] if stdout else []
    if mime:
        data = {key.replace("_", "/"): text for key, text in mime.items()}
        outputs.append({"output_type": "display_data", "data": data})
    source = "n = 777  # code is not an output"
    cell = {"cell_type": "code", "id": where, "source": source, "outputs": outputs}
    return cell | {"metadata": metadata or {}}


def cited(tmp_path: Path, text: str) -> list[audit.Citation]:
    path = tmp_path / "cited.yml"
    path.write_text(text, "utf-8")
    return audit.read_cited(path)


def lost(*cells: dict, citations: list[audit.Citation] = ()) -> list[str]:
    """The numbers of a page named `page` that the audit does not trace."""
    lines = audit.untraced(audit.page("page", list(cells)), list(citations))
    return [re.search(r"\] (.+?) is neither", line, re.S)[1] for line in lines]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("9 systems, 10 pairs, a gap of 0.5", ["10", "0.5"]),
        ("5% and 95 per cent, 12.5 percent", ["5%", "95 per cent", "12.5 percent"]),
        ("2 percentage points", []),
        ("1,000 draws, $1{,}024$ or 10_000", ["1,000", "1{,}024", "10_000"]),
        ("10,20 and 10..20, then 30.", ["10", "20", "10", "20", "30"]),
        (r"$5.6 \cdot 10^{-6}$", [r"5.6 \cdot 10^{-6}"]),
        ("5.6·10⁻⁶ and 5.6e-06 and 10⁻⁶", ["5.6·10⁻⁶", "5.6e-06", "10⁻⁶"]),
        (r"1/32, $\tfrac{3}{8}$, $\frac18$, $\tfrac12$", ["1/32", r"\tfrac{3}{8}", r"\frac18"]),
        (r"$\sqrt{29/192} = 0.389$", ["29/192", "0.389"]),
        (r"worked: $(12 + 3)/(100 + 1)$", ["12", "100"]),
        ("a change of −0.012 or -0.5", ["−0.012", "-0.5"]),
        ("$1 - 0.95$ and 10–20 and 30-40", ["0.95", "10", "20", "30", "40"]),
        ("the 95th percentile, a 10-prompt set, 50× faster", ["95", "10", "50"]),
        ("**0.05**, *0.06*, _0.07_, (0.08)", ["0.05", "0.06", "0.07", "0.08"]),
        ("| 20 | 0.25 |", ["20", "0.25"]),
        ("$$\nx = 0.5\n$$ (eq-10)\n", ["0.5"]),
        ("```{math}\n:label: eq-12\nx_{13} = 14\n```\n", ["14"]),
        (":::{prf:theorem} At 15 prompts\n:label: thm-16\n:::", ["15"]),
        ("```{figure} a17.png\n:alt: shows 18\n:width: 80%\n```", ["18"]),
        ("![shows 19](b20.png) [21](https://a.b/22)", ["19", "21"]),
        ("`draws=10_000`, `x[:12]`", ["10_000", "12"]),
        ("```python\n# $5 and\nx = 0.123\n```\n", ["0.123"]),
        ("```{note}\nSo $x_{11} = 0.7$.\n```\n", ["0.7"]),
        ("{math}`x^{10} = 0.25`", ["0.25"]),
        ("in this table 20 rules, in every chapter 30", ["20", "30"]),
        ("In 2004 we drew 2000 samples", ["2004", "2000"]),
    ],
)
def test_counts(text, expected):
    assert counted(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Theorem 12, Theorems 10 and 11, chapters 10, 11 and 12, Fig. 2.10, § 13.2, pp. 388–95",
        "{prf:ref}`thm-10`, {numref}`Fig. %s <fig-11>`, {eq}`eq-12`, {cite:p}`dror2018,card2020`",
        "Koehn (2004), Koehn’s 2004 paper, Card et al. 2020, (2005, Fig. 1), (1998), Søgaard 2014",
        "WMT17, noisy-0.1/0.3/0.5, 13a, F1, ROUGE-1/2, float32, n10 and `x_12`, 0x7f3a",
        r"$x_{10}$, $n^{12}$, $q_{0.95}$, $s_{i_{10}}$, $2^{-10}$, $\sum_{b=1}^{1000} d_b$",
        r"$\begin{array}{l} a \\[12pt] b \tag{13} \end{array}$ \$",
        "https://example.org/10, <https://a.b/11>, [x](y12.html), doi 10.1214/aos/1176344552",
        "(sec-10)=\n\nPython 3.11, NumPy 2.0, CC BY 4.0, 1.0.4, 2026-11-05, [^10]",
        "12. the twelfth item\n13) the next\n",
        "<!-- 10 --> <span width=11>x</span> &#8722;",
        "{glue:text}`p1:.4f` and {doc}`page10`",
    ],
)
def test_exempt_by_syntax(text):
    assert counted(text) == []


@pytest.mark.parametrize(
    ("text", "output"),
    [
        ("0.0068", "gap 0.00681"),
        ("0.0068", "gap 6.8e-03"),
        ("0.045", "0.0445"),  # half up
        ("0.044", "0.0445"),  # half to even
        ("0.05", "level 0.05"),
        ("5%", "0.05"),
        ("5%", "5 %"),
        ("0.05", "5%"),
        ("95%", "0.9473 or 0.9523"),
        ("94.7%", "0.94731"),
        ("1,000", "1000 draws"),
        ("1000", "1,000 draws"),
        ("$5.6 \\cdot 10^{-6}$", "p 5.61e-06"),
        ("$10^{-6}$", "1e-06"),
        ("$10^{4}$ draws", "10000 draws"),
        ("10⁻⁶", "0.000001"),
        ("1/32", "Fraction(1, 32)\n1/32"),
        ("1/32", "0.03125"),
        ("1/3 and 5/7", "0.7143"),
        ("3/8", "0.375"),
        ("0.375", "3/8"),
        ("82/33", "pair  82  33"),
        ("a loss of 0.012", "-0.012"),
        ("−0.012", "-0.0123"),
        ("+0.448", "0.448"),
        ("0.500", "1/2"),
        ("100%", "1.00"),
    ],
)
def test_agrees(text, output):
    assert counted(text) and lost(markdown(f"## S\n\n{text}"), code(output)) == []


@pytest.mark.parametrize(
    ("text", "output"),
    [
        ("0.0069", "0.00681"),
        ("0.80", "0.8"),  # fewer digits than the text claims
        ("0.047", "0.0459"),
        ("0.04", "0.0412"),  # one significant digit: as printed or not at all
        ("0.06", "0.060"),
        ("11", "10 12 11.0 0.11 1,100"),
        ("188", "1880 18.8"),
        ("+0.012", "-0.012"),
        ("−0.012", "0.012"),
        ("5%", "5"),
        ("5.1%", "0.0519"),
        ("$5.6 \\cdot 10^{-6}$", "5.6e-05"),
        ("$10^{-6}$", "1e-07"),
        ("1/32", "1\n32"),  # parts on different lines
        ("1/32", "0.031"),
        ("3/8", "0.38"),
        ("17", "WMT17"),
        ("0.1", "noisy-0.1"),
        ("30", "<Cloud at 0x30>"),
        ("11", "swap 011"),
    ],
)
def test_disagrees(text, output):
    assert len(lost(markdown(f"## S\n\n{text}"), code(output))) == 1


def test_a_number_stands_in_its_own_section():
    one, two = markdown("# Title\n\n## One\n\ngap 0.123"), markdown("## Two")
    assert lost(one, code("0.456"), two, code("0.123")) == ["0.123"]
    assert lost(markdown("## One\n\nx\n\n## Two\n\n0.123"), code("0.123")) == []
    assert lost(markdown("## One\n\n0.123\n\n## Two\n\nx"), code("0.123")) == ["0.123"]
    assert lost(markdown("## One"), code("0.123"), markdown("### Part\n\n0.123")) == []


def test_a_heading_used_twice_makes_two_sections():
    cells = markdown("## Try", "a"), code("0.123"), markdown("## Try\n\n0.123", "b")
    assert lost(*cells) == ["0.123"]


def test_a_heading_inside_code_opens_no_section():
    cells = markdown("## S"), code("0.123"), markdown("```\n## no heading\n```\n\n0.123")
    assert lost(*cells) == []


def test_before_the_first_heading_the_whole_chapter_counts_digit_for_digit():
    start = markdown("# Title\n\n0.12 and 0.123")
    assert lost(start, markdown("## S"), code("0.1234")) == ["0.12", "0.123"]
    assert lost(start, markdown("## S"), code("0.12 0.123")) == []
    assert lost(start, code("0.1234")) == []  # its own cells may be rounded


def test_outputs_of_every_text_kind_count():
    text = markdown("## S\n\n0.123 and 0.456")
    row = "<style>td {width: 0.123}</style><table><tr><td>0.123</td><td>0.456</td></tr></table>"
    assert lost(text, code(text_html=row)) == []
    assert lost(text, code(text_plain="(0.123, 0.456)")) == []
    assert lost(text, code(text_markdown="**0.123**, $0.456$")) == []
    assert lost(text, code(text_latex="$\\displaystyle 0.123 + 0.456$")) == []
    assert lost(text, code(text_html="<td style='width: 0.123'>0.456</td>")) == ["0.123"]


def test_pictures_widgets_warnings_and_code_are_no_outputs():
    text = markdown("## S\n\n640 and 777")
    picture = code(image_png="640", text_plain="<Figure size 640x480 with 777 Axes>")
    assert lost(text, picture) == ["640", "777"]
    widget = {"application/vnd.jupyter.widget-view+json": "{}", "text/plain": "IntSlider(max=640)"}
    cell = code("777")
    cell["outputs"] += [
        {"output_type": "display_data", "data": widget},
        {"output_type": "stream", "name": "stderr", "text": "640"},
    ]
    assert lost(text, cell) == ["640"]


def test_captions_and_alt_text_are_audited():
    caption, alt = {"name": "fig-9", "caption": "20 draws"}, {"alt": "mean 0.25"}
    figure = {"mystnb": {"figure": caption, "image": alt}}
    assert lost(markdown("## S"), code("21", metadata=figure)) == ["20", "0.25"]
    assert lost(markdown("## S"), code("20, 0.25", metadata=figure)) == []


def test_a_page_without_outputs_needs_citations(tmp_path):
    (tmp_path / "page.md").write_text("52 exercises", "utf-8")
    page = audit.read_page(tmp_path / "page.md")
    assert len(audit.untraced(page, [])) == 1
    entry = '- {values: ["52"], source: definition, used: [page], note: a plan}'
    assert audit.untraced(page, cited(tmp_path, entry)) == []


def test_a_citation_excuses_its_place_only(tmp_path):
    whole = cited(tmp_path, '- {values: ["0.049"], source: k, place: p, used: [page]}')
    part = cited(tmp_path, '- {values: ["0.049"], source: k, place: p, used: ["page#One"]}')
    other = cited(tmp_path, '- {values: ["0.049"], source: k, place: p, used: [another]}')
    cells = markdown("## One\n\n0.049"), markdown("## Two\n\n0.049")
    assert lost(*cells, citations=whole) == []
    assert lost(*cells, citations=part) == ["0.049"]
    assert lost(*cells, citations=other) == ["0.049", "0.049"]


@pytest.mark.parametrize("text", ["0.05", "0.0490", "4.9%", "-0.049", "0.048"])
def test_a_citation_excuses_its_digits_only(tmp_path, text):
    entry = cited(tmp_path, '- {values: ["0.049"], source: k, place: p, used: [page]}')
    assert len(lost(markdown(text), citations=entry)) == 1


def test_stale_citations_are_named(tmp_path):
    page = audit.page("page", [markdown("## One\n\n0.049 and WMT17"), code("0.049")])

    def complaints(entry: str) -> list[str]:
        return audit.stale([page], cited(tmp_path, entry), {"known"})

    good = '- {values: ["0.049"], source: known, place: p, used: ["page#One"]}'
    assert complaints(good) == []
    assert "less often" in complaints(good.replace("0.049", "0.050"))[0]
    assert "less often" in complaints(good.replace("#One", "#Two"))[0]
    assert "no entry of refs.bib" in complaints(good.replace("known", "unknown"))[0]
    assert "names no page" in complaints(good.replace("page#One", "other"))[0]


def test_a_value_listed_twice_stands_twice(tmp_path):
    entry = '- {values: ["0.06", "0.06"], source: known, place: p, used: [page]}'
    for text, complaints in (("0.06, 0.06", 0), ("0.06, 0.07", 2)):
        page = audit.page("page", [markdown(text)])
        assert len(audit.stale([page], cited(tmp_path, entry), {"known"})) == complaints


def test_an_output_cited_from_elsewhere_is_looked_up(tmp_path):
    pages = [
        audit.page("page", [markdown("so 0.123")]),
        audit.page("other", [markdown("## S"), code("0.1234"), markdown("## T")]),
    ]
    entry = '- {values: ["0.123"], source: output, place: "other#S", used: [page]}'
    assert audit.stale(pages, cited(tmp_path, entry), set()) == []
    assert audit.stale(pages, cited(tmp_path, entry.replace("#S", "")), set()) == []
    assert len(audit.stale(pages, cited(tmp_path, entry.replace("#S", "#T")), set())) == 1
    assert len(audit.stale(pages, cited(tmp_path, entry.replace("other", "page")), set())) == 1
    assert len(audit.stale(pages, cited(tmp_path, entry.replace("other#S", "none")), set())) == 1


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ('- {values: [0.05], source: k, place: p, used: [page]}', "quoted strings"),
        ('- {values: "0.05", source: k, place: p, used: [page]}', "quoted strings"),
        ('- {values: ["0.05"], source: definition, used: [page]}', "reason"),
        ('- {values: ["0.05"], source: k, used: [page]}', "place"),
        ('- {values: ["0.05"], source: k, place: p}', "keys"),
        ('- {values: ["0.05"], source: k, place: p, used: [page], colour: 1}', "keys"),
        ('- {values: ["0.05 0.06"], source: k, place: p, used: [page]}', "one number"),
        ('- {values: ["WMT17"], source: k, place: p, used: [page]}', "one number"),
        ('- {values: ["9"], source: k, place: p, used: [page]}', "one number"),
        ('- 0.05', "keys"),
    ],
)
def test_a_malformed_citation_is_refused(tmp_path, entry, message):
    with pytest.raises(ValueError, match=message):
        cited(tmp_path, entry)


def test_masking_keeps_every_offset():
    text = "Theorem 12 says $x_{10} = 0.5$\n\n```\na12 = 13\n```\n(l-1)=\n{cite:p}`a` é −0.5 `x`"
    assert len(mask(text)) == len(text) and mask(text).count("\n") == text.count("\n")
    assert counted(text) == ["0.5", "13", "−0.5"]
    assert mask_output("n10 10") == "    10"


def test_values_are_exact():
    x, y, z = numbers(mask(r"12.5% of $-5.6 \cdot 10^{-6}$, 0.10"))
    assert (x.value, x.unit, x.kind) == (Fraction(1, 8), Fraction(1, 1000), "percent")
    assert (y.value, y.unit, y.sign) == (Fraction(56, 10**7), Fraction(1, 10**7), -1)
    assert (z.value, z.unit) == (Fraction(1, 10), Fraction(1, 100))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("0.049", "0.050"), ("0.99", "1.00"), ("999", "1000"), ("1,999", "2,000"), ("5%", "6%"),
        ("3/8", "3/9"), (r"\tfrac{3}{8}", r"\tfrac{3}{9}"), (r"\frac38", r"\frac39"),
        (r"5.6 \cdot 10^{-6}", r"5.7 \cdot 10^{-6}"), ("5.6·10⁻⁶", "5.7·10⁻⁶"), ("2e-06", "3e-06"),
        ("10^{-6}", "10^{-7}"), ("10⁻⁶", "10⁻⁷"), ("-0.5", "-0.6"), ("95 per cent", "96 per cent"),
    ],
)  # fmt: skip
def test_one_is_added_to_the_last_digit(before, after):
    assert last_digit_plus_one(before) == after


def caught(page: audit.Page, citations: list[audit.Citation]) -> tuple[list[str], list[str]]:
    """The numbers whose change by one in the last digit the audit reports, and the others."""
    here = [c for c in citations if c.used.partition("#")[0] == page.name]
    here = [replace(c, source=audit.CHOSEN) for c in here]  # no look into other pages
    seen, unseen = [], []
    for i, piece in enumerate(page.pieces):
        for x in numbers(mask(piece.text)):
            section = piece.section(x.start)
            if not x.counts or audit.trace(x, section, page, here) is None:
                continue  # reported as it stands
            start, end = x.start, x.start + len(x.text)
            wrong = last_digit_plus_one(piece.text[start:end])
            changed = replace(piece, text=piece.text[:start] + wrong + piece.text[end:])
            there = range(start, start + len(wrong))
            found = [y for y in numbers(mask(changed.text)) if y.start in there and y.counts]
            report = any(audit.trace(y, section, page, here) is None for y in found)
            if not report:
                pieces = [*page.pieces[:i], changed, *page.pieces[i + 1 :]]
                report = bool(audit.stale([replace(page, pieces=pieces)], here, set()))
            line = f"{page.name} [{piece.where}] {piece.text[start:end]}"
            (seen if report else unseen).append(line)
    return seen, unseen


def test_the_share_caught_is_counted():
    text, output = "## S\n\n0.12, 0.34, 10, 1/32", "0.12 0.13 0.34 10 1/32"
    seen, unseen = caught(audit.page("page", [markdown(text), code(output)]), [])
    assert [line.split()[-1] for line in seen] == ["0.34", "10", "1/32"]
    assert [line.split()[-1] for line in unseen] == ["0.12"]


def test_a_change_of_a_cited_number_leaves_its_citation_stale(tmp_path):
    page = audit.page("page", [markdown("## S\n\ntheirs 0.12, ours 0.13"), code("0.13")])
    entry = '- {values: ["0.12"], source: known, place: p, used: [page]}'
    seen, unseen = caught(page, cited(tmp_path, entry))
    assert [line.split()[-1] for line in seen] == ["0.12", "0.13"] and not unseen


def test_wrong_last_digits_in_the_chapters_are_caught():
    citations = audit.read_cited()
    seen, unseen = [], []
    for path in CHAPTERS:
        more = caught(audit.read_page(path), citations)
        seen, unseen = seen + more[0], unseen + more[1]
    total = len(seen) + len(unseen)
    print(f"{PREFIX}{len(seen)} of {total} wrong last digits caught")
    assert total >= 20 * len(CHAPTERS) > 0, "the chapters print hardly any number"
    assert len(seen) >= 0.95 * total, "not caught:\n" + "\n".join(unseen)
