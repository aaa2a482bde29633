"""From the lines of pages to flowing text: without running heads and page numbers, joined to paragraphs.

A page break is a form feed (U+000C), which counts as white space everywhere: so each place in the text has its page.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Final

from lookalike.text import references

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["DIVIDED", "Line", "PdfPage", "flowing_text", "without_furniture"]

DIVIDED: Final = "\ufffe"
"""Stands at the end of a line for the hyphen of a word that is divided there: PDFium puts it."""

_ZONE: Final = 0.12
"""The part of a page at its top and its bottom where nearly all that comes back is a header or a footer."""
_WIDE_ZONE: Final = 0.25
"""The part where headers and footers may stand, if nothing is farther out and they stand at the same height."""
_EDGE_LINES: Final = 3
_SHARE: Final = 0.1
_NUMBERED_SHARE: Final = 0.4
_NUMBERS: Final = re.compile(r"\d+|\b[ivxlc]+\b", re.IGNORECASE)
_PAGE_NUMBER: Final = re.compile(r"[\W_]*(?:\w{1,6}\.?\s*)?#(?:\s*(?:/|of|von|de|sur|di|из)\s*#)?[\W_]*", re.IGNORECASE)
_AT_AN_END: Final = re.compile(r"^(\d{1,5})(?=\s|$)|(?<=\s)(\d{1,5})$")
_LONGEST_NUMBER: Final = 80
"""Characters of a line that may be a page number: the pattern takes long for a long line of signs."""
_LONGEST_HEAD: Final = 150
_CJK: Final = r"\u2e80-\u312f\u31a0-\u9fff\uf900-\ufaff\uff00-\uffef"
_CJK_END: Final = re.compile(f"[{_CJK}]$")
_CJK_START: Final = re.compile(f"^[{_CJK}]")
_SENTENCE_END: Final = tuple('.!?:…”»"。！？؟۔।')
_NO_HEADING_END: Final = tuple(".,;-–" + DIVIDED)
_LONGEST_HEADING: Final = 120
_WINDOW: Final = 20
_GAP: Final = 1.35
_INDENT: Final = 5.0
# A hyphen in the middle of a line can be seen, so it is not a soft one, whatever the font says.
_LIGATURES: Final = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "ft", "ﬆ": "st", "\u00a0": " ", "\xad": "-"}
)
_WITHIN_WORD: Final = re.compile(r"\S*")


@dataclass(frozen=True, slots=True)
class Line:
    """A line and its position, in points from the left and the bottom."""

    text: str
    left: float
    baseline: float
    right: float = 0.0
    style: tuple[float, str] | None = None
    """The size of its letters and their font; None if they differ or are unknown."""


@dataclass(frozen=True, slots=True)
class PdfPage:
    """The lines of a page in the order of the file, and its lower and upper edge."""

    lines: list[Line]
    bottom: float
    top: float

    def place(self, line: Line) -> float:
        """Return the height of a line on the page: 0 at the bottom, 1 at the top."""
        height = self.top - self.bottom
        return (line.baseline - self.bottom) / height if height > 0 else 0.5


# -- running heads -----------------------------------------------------------------------------------------------------


def without_furniture(pages: Sequence[PdfPage]) -> list[list[Line]]:
    """Return the lines of each page without those at its edges that come back on other pages, whatever the number.

    >>> pages = [PdfPage([Line("A title", 9, 95), Line(f"words {n * 'x'}", 9, 50), Line(str(n), 9, 5)], 0, 100)
    ...          for n in (1, 2, 3)]
    >>> [[line.text for line in lines] for lines in without_furniture(pages)]
    [['words x'], ['words xx'], ['words xxx']]
    """
    if len(pages) < 2:
        return [page.lines for page in pages]
    heads = _Heads(pages)
    kept: list[list[Line]] = []
    for page, edges in zip(pages, heads.edges, strict=True):
        gone = {one.number for one in edges if one.place <= _ZONE and heads.comes_back(one)}
        for edge in ("bottom", "top"):
            inner = None  # the baseline of the last line of the header that was found
            for one in (one for one in edges if one.edge == edge):
                if one.number not in gone and not heads.runs(one):
                    if inner is None or abs(one.baseline - inner) > 1:
                        break
                    continue
                gone.add(one.number)
                inner = one.baseline
        kept.append([line for number, line in enumerate(page.lines) if number not in gone])
    return kept


@dataclass(frozen=True, slots=True)
class _AtEdge:
    """A line near an edge of a page."""

    edge: str
    number: int
    key: str
    """Its text with all numbers made equal."""
    baseline: float
    place: float
    """How far from the edge, as a share of the page."""
    offset: int | None
    """The number at one of its ends minus that of the page, if it has one."""

    @property
    def is_number(self) -> bool:
        return len(self.key) <= _LONGEST_NUMBER and _PAGE_NUMBER.fullmatch(self.key) is not None


class _Heads:
    """What stands near the edges of all pages."""

    def __init__(self, pages: Sequence[PdfPage]) -> None:
        self.edges = [list(_edges(page, index)) for index, page in enumerate(pages)]
        count = len(pages)
        self._least = count if count <= 3 else max(3, round(_SHARE * count))
        self._least_numbered = max(3, round(_NUMBERED_SHARE * count))
        self._texts = Counter(key for page in self.edges for key in {(one.edge, one.key) for one in page})
        self._places = Counter(
            key for page in self.edges for key in {(one.edge, one.key, round(one.baseline)) for one in page}
        )
        self._numbered = Counter(
            key for page in self.edges for key in {(one.edge, one.offset) for one in page if one.offset is not None}
        )

    def comes_back(self, one: _AtEdge) -> bool:
        """Return whether a line close to the edge is on other pages too."""
        # A bare number counts as a page number as soon as one other page has one too: the first page often has none.
        return self._texts[one.edge, one.key] >= (2 if one.is_number else self._least)

    def runs(self, one: _AtEdge) -> bool:
        """Return whether the outermost line is on other pages at the same height, or has the number of its page."""
        at = round(one.baseline)
        same = sum(self._places[one.edge, one.key, place] for place in (at - 1, at, at + 1))
        if one.offset is not None and len(one.key) <= _LONGEST_HEAD:
            pages = self._numbered[one.edge, one.offset]
            if pages >= (2 if one.is_number else self._least_numbered):
                return True
        sentence = "#" in one.key and one.key.endswith(_SENTENCE_END)  # "In 1801 …", "In 1850 …"
        return same >= self._least and not one.is_number and not sentence


def _edges(page: PdfPage, index: int) -> Iterator[_AtEdge]:
    """Yield the lines near the edges, the outermost of each first."""
    order = sorted(range(len(page.lines)), key=lambda number: page.lines[number].baseline)
    for edge, numbers in (("bottom", order[:_EDGE_LINES]), ("top", order[::-1][:_EDGE_LINES])):
        for number in numbers:
            line = page.lines[number]
            place = page.place(line) if edge == "bottom" else 1 - page.place(line)
            if place <= _WIDE_ZONE:
                key = " ".join(_NUMBERS.sub("#", line.text.casefold()).split())
                is_sentence = len(line.text) > _LONGEST_HEAD or line.text.endswith(_SENTENCE_END)
                found = None if is_sentence else _AT_AN_END.search(line.text)
                offset = int(found[1] or found[2]) - index if found else None
                yield _AtEdge(edge, number, key, line.baseline, place, offset)


# -- paragraphs --------------------------------------------------------------------------------------------------------


def flowing_text(pages: Sequence[Sequence[Line]]) -> str:
    r"""Join lines to paragraphs, and paragraphs to a text; a form feed stands where a page ends.

    >>> flowing_text([[Line("A word is di-", 9, 50)], [Line("vided here.", 9, 50)], [Line("The end.", 9, 50)]])
    'A word is divided\x0chere.\n\n\x0cThe end.'
    """
    downward = [a.baseline - b.baseline for lines in pages for a, b in pairwise(lines) if a.baseline - b.baseline > 1]
    step = median(downward) if downward else 0.0
    pieces: list[str] = []
    ends = 0  # of pages, not written yet
    for lines in pages:
        headings = [_is_heading(lines, number) for number in range(len(lines))]
        before: Line | None = None
        for number, line in enumerate(lines):
            text = line.text
            if pieces:
                heading = headings[number] or (number > 0 and headings[number - 1])
                between = "\n\n" if heading else _between(before, line, pieces[-1], step)
                text, between = _joined(pieces, between, text)
                if ends:
                    text, between = _broken(text, between, "\f" * ends)
                pieces.append(between)
            else:
                pieces.append("\f" * ends)
            ends = 0
            pieces.append(text)
            before = line
        ends += 1
    return "".join(pieces).replace(DIVIDED, "-").translate(_LIGATURES).strip(" \n")


def _between(before: Line | None, line: Line, last: str, step: float) -> str:
    """Return what stands between two lines: a new paragraph, a space, or nothing."""
    ended = last.endswith(_SENTENCE_END)
    if before is None:
        apart = ended
    else:
        down = before.baseline - line.baseline
        indented = line.left - before.left > _INDENT
        apart = (down > _GAP * step > 0) or (ended and (down < -1 or (indented and down > 1)))
    if apart:
        return "\n\n"
    return "" if _CJK_END.search(last) and _CJK_START.match(line.text) else " "


def _joined(pieces: list[str], between: str, following: str) -> tuple[str, str]:
    """Join a word that is divided between two lines; return the second line, and what stands between them."""
    last = pieces[-1]
    sure = last.endswith(DIVIDED)
    divided = sure or (len(last) > 2 and last[-1] in "-\xad\u2010" and last[-2].isalpha())
    if divided and between == " ":
        if following[:1].islower() or (sure and following[:1].isalpha() and not following[:1].isupper()):
            pieces[-1] = last[:-1]
            return following, ""
        if sure:
            return following, ""  # Jean-Paul
    return following, between


def _broken(text: str, between: str, ends: str) -> tuple[str, str]:
    """Put the ends of pages where white space is, so that no word is cut: after a word that continues there."""
    if between == " ":
        return text, ends
    if between:
        return text, between + ends
    at = _WITHIN_WORD.match(text)
    end = at.end() if at else 0
    return text[:end] + ends + text[end:].lstrip(" "), ""


def _is_heading(lines: Sequence[Line], number: int) -> bool:
    """Return whether a line is a heading: the name of a list of references, or short and in a different font."""
    line = lines[number]
    text = line.text
    if len(text) > _LONGEST_HEADING or text[:1].islower():
        return False
    if references().fullmatch(text):
        return True
    following = lines[number + 1] if number + 1 < len(lines) else None
    if following is None or line.style is None or text.endswith(_NO_HEADING_END):
        return False
    if following.style is None or following.style == line.style or following.text[:1].islower():
        return False
    # The next word had fitted on the line, if the text had gone on.
    near = lines[max(0, number - _WINDOW) : number + _WINDOW]
    edge = max(other.right for other in near if other is line or (other.left < line.right and other.right > line.left))
    word = len(following.text.split(" ", 1)[0]) + 1
    return line.right + word * (line.right - line.left) / len(text) < edge
