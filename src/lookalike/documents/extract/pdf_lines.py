"""From the lines of pages to flowing text: without page headers, footers and numbers; paragraphs put together."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Line", "Page", "flowing_text", "without_furniture"]

_ZONE: Final = 0.12
"""The part of a page at its top and its bottom where headers and footers stand."""
_EDGE_LINES: Final = 3
_SHARE: Final = 0.1
_NUMBERS: Final = re.compile(r"\d+|\b[ivxlc]+\b", re.IGNORECASE)
_PAGE_NUMBER: Final = re.compile(r"[\W_]*(?:\w{1,6}\.?\s*)?#(?:\s*(?:/|of|von|de|sur|di|из)\s*#)?[\W_]*", re.IGNORECASE)
_LONGEST_NUMBER: Final = 80
"""Characters of a line that may be a page number: the pattern takes long for a long line of signs."""
_CJK: Final = r"\u2e80-\u312f\u31a0-\u9fff\uf900-\ufaff\uff00-\uffef"
_CJK_END: Final = re.compile(f"[{_CJK}]$")
_CJK_START: Final = re.compile(f"^[{_CJK}]")
_SENTENCE_END: Final = tuple('.!?:…”»"。！？؟۔।')
_GAP: Final = 1.35
_INDENT: Final = 5.0
_LIGATURES: Final = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "ft", "ﬆ": "st", "\u00a0": " ", "\ufffe": ""}
)


@dataclass(frozen=True, slots=True)
class Line:
    """A line and where it begins, in points from the left and the bottom."""

    text: str
    left: float
    baseline: float
    end: float | None = None
    """The baseline of its last letter, where that is another: words that were divided make one line of two."""


@dataclass(frozen=True, slots=True)
class Page:
    """The lines of a page in the order of the file, and its lower and upper edge."""

    lines: list[Line]
    bottom: float
    top: float


def without_furniture(pages: Sequence[Page]) -> list[list[Line]]:
    """Return the lines of each page without those at its edges that come back on other pages, whatever the number.

    >>> pages = [Page([Line("A title", 9, 95), Line(f"words {n * 'x'}", 9, 50), Line(str(n), 9, 5)], 0, 100)
    ...          for n in (1, 2, 3)]
    >>> [[line.text for line in lines] for lines in without_furniture(pages)]
    [['words x'], ['words xx'], ['words xxx']]
    """
    edges = [_edges(page) for page in pages]
    if len(pages) < 2:
        return [page.lines for page in pages]
    seen = Counter(key for one in edges for key in set(one.values()))
    least = len(pages) if len(pages) <= 3 else max(3, round(_SHARE * len(pages)))
    return [
        [line for number, line in enumerate(page.lines) if not _repeats(one.get(number), seen, least)]
        for page, one in zip(pages, edges, strict=True)
    ]


def _repeats(key: tuple[str, str] | None, seen: Counter[tuple[str, str]], least: int) -> bool:
    if key is None:
        return False
    # A bare number counts as a page number as soon as one other page has one too: the first page often has none.
    is_number = len(key[1]) <= _LONGEST_NUMBER and _PAGE_NUMBER.fullmatch(key[1])
    return seen[key] >= (2 if is_number else least)


def _edges(page: Page) -> dict[int, tuple[str, str]]:
    """Return the lines near the edges by their number: which edge, and the text with all numbers made equal."""
    height = page.top - page.bottom
    found: dict[int, tuple[str, str]] = {}
    order = sorted(range(len(page.lines)), key=lambda number: page.lines[number].baseline)
    for edge, numbers in (("bottom", order[:_EDGE_LINES]), ("top", order[::-1][:_EDGE_LINES])):
        for number in numbers:
            line = page.lines[number]
            place = (line.baseline - page.bottom) / height if height > 0 else 0.5
            if (place if edge == "bottom" else 1 - place) <= _ZONE:
                found[number] = (edge, " ".join(_NUMBERS.sub("#", line.text.casefold()).split()))
    return found


def flowing_text(pages: Sequence[Sequence[Line]]) -> str:
    """Join lines to paragraphs, and paragraphs to a text."""
    steps = [_down(a, b) for lines in pages for a, b in pairwise(lines)]
    downward = [step for step in steps if step > 1]
    step = median(downward) if downward else 0.0
    pieces: list[str] = []
    for lines in pages:
        before = None
        for line in lines:
            if pieces:
                pieces.append(_between(before, line, pieces[-1], step))
                _drop_hyphen(pieces, line.text)
            pieces.append(line.text)
            before = line
    return "".join(pieces).translate(_LIGATURES).strip()


def _down(before: Line, line: Line) -> float:
    return (before.baseline if before.end is None else before.end) - line.baseline


def _between(before: Line | None, line: Line, last: str, step: float) -> str:
    """Return what stands between two lines: a new paragraph, a blank, or nothing."""
    ended = last.endswith(_SENTENCE_END)
    if before is None:
        apart = ended
    else:
        down = _down(before, line)
        indented = line.left - before.left > _INDENT
        apart = (down > _GAP * step > 0) or (ended and (down < -1 or (indented and down > 1)))
    if apart:
        return "\n\n"
    return "" if _CJK_END.search(last) and _CJK_START.match(line.text) else " "


def _drop_hyphen(pieces: list[str], following: str) -> None:
    """Join a word that is divided between two lines."""
    last = pieces[-2]
    divided = len(last) > 2 and last[-1] in "-\xad\u2010" and last[-2].isalpha()
    if divided and pieces[-1] == " " and following[:1].islower():
        pieces[-2], pieces[-1] = last[:-1], ""
