"""Numbers in the book's text: where they stand, what they are worth, which are exempt by syntax.

`numbers(mask(markdown))` lists those of a text, `numbers(mask_output(printed))` those of an output.
A number keeps its offset, because masking only puts blanks in the place of what is exempt:
references (Theorem 2, § 3.1, Fig. 2.1, roles, labels), years after a name, names (WMT17, noisy-0.1,
13a, n10), versions, links, exponents and indices in formulas, list numbers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Number:
    """A printed number: its size, sign (-1, 0 when none is written, 1) and last digit's worth."""

    text: str
    start: int
    value: Fraction
    unit: Fraction
    sign: int
    kind: str
    parts: tuple[int, int] | None = None

    @property
    def counts(self) -> bool:
        if self.kind == "fraction":
            return max(self.parts) >= 5
        return self.kind != "integer" or self.value >= 10

    @property
    def digits(self) -> tuple:
        """Equal for numbers printed alike: 1,000 and 1000, but not 0.05 and 0.050."""
        return self.value, self.unit, self.sign, self.kind


_SEPARATOR = r"(?:,|\{,\}|\\,|[\u00a0\u2009\u202f])"
_WHOLE = rf"[0-9]{{1,3}}(?:{_SEPARATOR}[0-9]{{3}})+(?![0-9])|[0-9]+(?:_[0-9]{{3}})*"
_PLAIN = rf"(?:{_WHOLE})(?:\.[0-9]+)?|(?<![0-9.])\.[0-9]+"
_SUPER = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")


def _ten(name: str) -> str:
    caret, raised = r"\^\s*\{?\s*", "[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+"
    return rf"10\s*(?:{caret}(?P<{name}a>[-−+]?[0-9]+)\s*\}}?|(?P<{name}b>{raised}))"


def _part(name: str) -> str:
    return rf"\s*(?:\{{\s*(?P<{name}>[0-9]+)\s*\}}|(?P<{name}d>[0-9]))"


_NUMBER = re.compile(
    rf"(?P<frac>\\[dt]?frac{_part('top')}{_part('low')})"
    rf"|(?P<sign>(?<![\w)\]}}%])[-−+])?(?<![A-Za-z0-9\\])(?<![0-9]\.)(?:"
    rf"(?P<slash>(?P<over>{_WHOLE})\s?/\s?(?P<under>{_WHOLE})(?![0-9.]*[0-9/]))"
    rf"|(?P<power>{_ten('p')})"
    rf"|(?P<plain>{_PLAIN})(?:[eE](?P<exp>[-+]?[0-9]+)|\s*\{{?\s*[·×]\s*\}}?\s*{_ten('s')})?"
    r"(?P<percent>\s?\\?%|\sper ?cent\b)?)"
)


def numbers(text: str) -> list[Number]:
    """Every number of a text whose exempt parts are blank (see `mask` and `mask_output`)."""
    found = [_number(match) for match in _NUMBER.finditer(text)]
    return [x for x in found if not re.match("0[0-9]", x.text)]  # 011 is a pattern of bits


def _number(match: re.Match) -> Number:
    sign = {"-": -1, "−": -1, "+": 1}.get(match["sign"] or "", 0)
    shown = dict(text=match[0], start=match.start(), sign=sign)
    if match["frac"] or match["slash"]:
        top = _digits(match["top"] or match["topd"] or match["over"])
        low = _digits(match["low"] or match["lowd"] or match["under"])
        parts = (int(top), int(low))
        value = Fraction(*parts) if parts[1] else Fraction(0)
        return Number(**shown, value=value, unit=Fraction(0), kind="fraction", parts=parts)
    if match["power"]:
        value = Fraction(10) ** _exponent(match, "p")
        return Number(**shown, value=value, unit=Fraction(0), kind="power")
    digits = _digits(match["plain"])
    decimals = len(digits.partition(".")[2])
    kind = "decimal" if decimals else "integer"
    exponent = int(match["exp"]) if match["exp"] else _exponent(match, "s")
    if exponent is not None:
        kind = "decimal"
    if match["percent"]:
        kind = "percent"
    scale = Fraction(10) ** ((exponent or 0) - 2 * (kind == "percent"))
    value = Fraction("0" + digits if digits.startswith(".") else digits) * scale
    return Number(**shown, value=value, unit=scale / 10**decimals, kind=kind)


def _digits(text: str) -> str:
    return re.sub(r"[^0-9.]", "", text)


def _exponent(match: re.Match, group: str) -> int | None:
    text = match[group + "a"] or match[group + "b"]
    return int(text.translate(_SUPER).replace("−", "-")) if text else None


# -- what is exempt by syntax ---------------------------------------------------------------------

_KEYS = "theorem|proposition|definition|lemma|corollary|equation|figure|table|chapter|section"
_KEYS += "|algorithm|exercise|appendix|version|page"
_NAMED = r"(?<!this )(?<!the )(?<!each )(?<!every )(?<!\ba )"  # in this table 20 rules …
_PLACE = r"\(?[0-9]+(?:\.[0-9]+)*[a-z]?\b\)?"
_STOP = "In|The|At|On|With|For|From|Of|All|Some|These|Those|Our|Its|An|After|Over|About|Only|And|By"
_STOP += "|To|Each|Both|When|If|Among|Across|Between|Draw|Draws|Under|Until|Out|That|This|Then"
_STOP += "|Every"
_SOFTWARE = r"C?Python|NumPy|SciPy|Matplotlib|[sS]acreBLEU|statsmodels|scikit-learn|Pyodide"
_SOFTWARE += r"|Jupyter\w*|CC BY(?:-SA)?"
_NAME = re.compile(
    r"(?<!\w)[^\W\d_]\w*(?:\.[0-9]+)*(?:-[\w.]*[0-9][\w.]*(?:/[0-9][\w.]*)*)*"
    r"|(?<![\w.])(?:0x[0-9a-fA-F]+|[0-9]+[a-zA-Z](?<![eksx])\b)"
)
_PROSE = [
    # Directives and their options, labels, links, tags, comments.
    re.compile(
        r"(?m)^[ \t]*(?:`{3,}|:{3,})\{(?:(?:figure|image|include|bibliography)\}.*|[\w:.-]+\})"
        r"|^[ \t]*:(?!alt:|caption:)[\w-]+:.*$"
        r"|^\([\w:.-]+\)=[ \t]*$|(?<=\x01)[ \t]*\([\w:.-]+\)[ \t]*$"
    ),
    re.compile(
        r"(?s)<!--.*?-->|\]\([^)\s]*(?:\s\"[^\"]*\")?\)|<?https?://[^\s)>]+>?"
        r"|</?[A-Za-z][^<>]*>|&#?\w+;"
    ),
    # Years after a name or alone in brackets: Koehn (2004), Card et al. 2020, (1998, § 3).
    re.compile(
        rf"(?:\b(?!(?:{_STOP})\b)(?=[^\W\d_a-z])\w[\w’'-]*|\bal\.),?"
        r"\s\(?(?:1[89]|20)[0-9]{2}[a-z]?\b(?![.,]?[0-9%])"
        r"|\((?:1[89]|20)[0-9]{2}(?=\)|, (?:§|Fig|Sec|Tab|Ch|Th|App|pp?\.))"
    ),
    # Places: Theorems 1 and 2, § 3.1, Fig. 2.1, p. 12.
    re.compile(
        rf"(?i)(?:\b(?:{_KEYS})s|§§)[\s~]*{_PLACE}(?:(?:,? (?:and|to|or) |, |[–-]){_PLACE})*"
        rf"|(?:{_NAMED}\b(?:{_KEYS})|(?<!\w)(?:eq\.|fig\.|pp?\.|§))[\s~]*{_PLACE}(?:[–-]{_PLACE})?"
    ),
    # Versions, dates, registered identifiers, footnotes, list numbers.
    re.compile(rf"\b(?:{_SOFTWARE})[\s=≥<]*[0-9]+(?:\.[0-9]+)*|[0-9]+(?:\.[0-9]+){{2,}}"),
    re.compile(r"\b[0-9]{4}-[0-9]{2}-[0-9]{2}\b|\b10\.[0-9]{4,}/\S+|(?i:\barxiv:)\S+|\[\^[\w-]+\]"),
    re.compile(r"(?m)^[ \t>]*[0-9]{1,2}[.)][ \t]"),
]
_MATHS_COMMAND = re.compile(
    r"(?m)^[ \t]*:[\w-]+:.*$|"
    r"\\(?:label|tag|ref|eqref|begin|end|[hv]space|color)\*?\{[^{}]*\}|\\\\\[[^\]]*\]"
)
_TIMES = re.compile(r"\\(?:cdot|times)(?![A-Za-z])")
_SCRIPT = re.compile(
    r"(?P<power>(?<![\w.])10\s*\^\s*(?:\{\s*[-−+]?[0-9]+\s*\}|[0-9]))"
    r"|[_^]\s*(?:\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
    r"|\\[dt]?frac\s*\S\s*\S|\\[A-Za-z]+|[^\s{}])"
)
_COMMAND = re.compile(r"\\(?![dt]?frac(?![A-Za-z]))[A-Za-z]+")
_MATHS_NAME = re.compile(r"(?<![A-Za-z\\])[A-Za-z]+[0-9][A-Za-z0-9]*")
_SEGMENT = re.compile(
    r"^[ \t]*(?:`{3,}|:{3,})\{math\}(?P<block>.*?)^[ \t]*(?:`{3,}|:{3,})[ \t]*$"
    r"|^(?P<tick>`{3,}|~{3,})[\w-]*[ \t]*\n(?P<fence>.*?)^(?P=tick)[ \t]*$"
    r"|\{(?P<role>[\w:+.-]+)\}(?P<inside>`[^`]+`)"
    r"|(?<!`)(?P<quote>`{1,2})(?!`)(?P<code>(?:(?!\n\s*\n).)+?)(?<!`)(?P=quote)(?!`)"
    r"|(?<!\\)\$\$(?P<display>.+?)\$\$"
    r"|(?<![\\$])\$(?!\$)(?P<inline>(?:\\.|[^$\\\n]|\n(?!\s*\n))+)\$",
    re.S | re.M,
)
_REFERRING = re.compile(r"(?:prf:ref|numref|eq|ref|doc|term|download|index|cite.*|glue.*)$")


def mask(text: str) -> str:
    """Markdown with every exempt part blank; offsets and lines stay."""
    masked = _SEGMENT.sub(lambda match: re.sub(r"[^\n]", "\x01", match[0]), text)
    for pattern in _PROSE:
        masked = _blank(pattern, masked)
    masked = mask_output(masked)
    for match in _SEGMENT.finditer(text):
        masked = masked[: match.start()] + _segment(match) + masked[match.end() :]
    return masked


def mask_output(text: str) -> str:
    """Printed text or code with names blank: WMT17, noisy-0.1, n10, addresses in memory."""
    return _NAME.sub(lambda m: _spaces(m[0]) if re.search("[0-9]", m[0]) else m[0], text)


def code_spans(text: str) -> list[tuple[int, int]]:
    """(start, end) of the code and mathematics of a Markdown text."""
    return [match.span() for match in _SEGMENT.finditer(text)]


def _segment(match: re.Match) -> str:
    """The masked form of one span of code, mathematics or a role."""
    group = match.lastgroup if match.lastgroup != "quote" else "code"
    inner = _mask_maths if group in ("block", "display", "inline") else mask_output
    if match["role"]:
        inner = {"math": _mask_maths}.get(match["role"], mask_output)
        inner = _spaces if _REFERRING.match(match["role"]) else inner
    start, end = (offset - match.start() for offset in match.span(group))
    return _spaces(match[0][:start]) + inner(match[0][start:end]) + _spaces(match[0][end:])


def _mask_maths(text: str) -> str:
    text = _blank(_MATHS_COMMAND, text)
    text = _TIMES.sub(lambda match: _spaces(match[0][1:]) + "×", text)
    text = _SCRIPT.sub(lambda match: match[0] if match["power"] else _spaces(match[0]), text)
    return _blank(_MATHS_NAME, _blank(_COMMAND, text))


def _blank(pattern: re.Pattern, text: str) -> str:
    return pattern.sub(lambda match: _spaces(match[0]), text)


def _spaces(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)
