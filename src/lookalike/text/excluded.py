"""Text that is shared for a good reason: quotes and references, found by their marks and left out of a score.

Offsets are code points of the text as it was read. What is left out is blanked, not cut away, so the places of all
that stays are the same, and no shingle or passage reaches across a gap.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from lookalike import _native
from lookalike.checks import suggest
from lookalike.errors import RecipeError
from lookalike.recipe import DEFAULT, settings
from lookalike.text.reference_headings import references, resume

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

__all__ = ["KINDS", "WALL", "WALL_OF_B", "Span", "blanked", "check_kinds", "count_words", "left_out", "tally"]

KINDS: Final = ("quotes", "references")
"""What can be found in a text by itself."""
WALL: Final = "\ufdd0"
"""Stands for each character that was left out: Unicode promises that no text has it, and it is a unit of its own."""
WALL_OF_B: Final = "\ufdd1"
"""The same for the second of two texts, so that two gaps are never a shared passage."""

LONGEST_QUOTE: Final = 3_000
"""Characters: what is longer is more likely two marks that do not belong together."""
SHORTEST_QUOTE: Final = 5
"""Words: a title or a word in quotation marks is no quote, and cutting there would only hide what is around it.

Of Chinese each character is one, of Japanese each character and each run of katakana."""
WORDS_PER_MARK: Final = 30
"""A list of references has a year, a link or a number at least so often; a text that follows its heading has not."""

# The mark that opens, and those that close. Of marks that open in one language and close in another (“ » ”) the place
# decides, see _opens. Single marks are left alone: they are apostrophes too.
_CLOSERS: Final = {
    "“": "”",
    "„": "“”",
    "”": "”",
    "«": "»",
    "»": "«»",
    "「": "」",
    "『": "』",
    "《": "》",
    "〈": "〉",
    "〝": "〞〟",
    '"': '"',
    "＂": "＂",
}
_BY_PLACE: Final = frozenset('"”»＂')
"""Marks that open only before a letter, and not right behind one."""
_MARKS: Final = f"[{''.join(_CLOSERS)}]|``"
_CLOSING: Final = {mark: f"[{closers}]" for mark, closers in _CLOSERS.items()} | {"``": "''"}
_NEXT_OPENS: Final = r"\s*“"
# A form feed alone is the end of a page, over which a sentence may go on.
_PARAGRAPH: Final = r"\n[ \t\r\f]*\n|\r[ \t\f]*\r|\n\f|\f\r?\n|\u2029"
_BLOCK: Final = r"(?m)(?:^ {0,3}>[^\n]*(?:\n|\Z))+"
_IN_REFERENCES: Final = (
    r"(?im)\b(?:1[5-9]|20)[0-9]{2}|https?://|www\.|\bdoi\b|\bISBN\b|\bpp?\. ?[0-9]|^[ \t]*\[?[0-9]{1,3}[\].)]"
)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern when it is first needed: `import lookalike` does not wait for it."""
    return re.compile(pattern)


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a text that does not count."""

    start: int
    end: int
    reason: str
    """``quotes``, ``references``, ``template`` or ``common``."""


def check_kinds(kinds: Iterable[str], name: str = "skip") -> tuple[str, ...]:
    """Return the kinds, each once and in the usual order; `name` is what the setting is called.

    >>> check_kinds(["references", "quotes"])
    ('quotes', 'references')
    >>> check_kinds(["quote"])
    Traceback (most recent call last):
        ...
    lookalike.errors.RecipeError: skip must be quotes or references, or both, not 'quote'; did you mean 'quotes'?
    """
    given = [kinds] if isinstance(kinds, str) else list(kinds)
    for kind in given:
        if kind not in KINDS:
            raise RecipeError(name, kind, "quotes or references, or both", suggest(kind, KINDS))
    return tuple(kind for kind in KINDS if kind in given)


def left_out(text: str, kinds: Collection[str]) -> list[Span]:
    """Return the quotes and references of a text, in order; none overlaps another.

    >>> text = "He wrote “So we beat on, boats against the current” and no more."
    >>> [(text[span.start : span.end], span.reason) for span in left_out(text, ["quotes"])]
    [('“So we beat on, boats against the current”', 'quotes')]
    """
    chosen = check_kinds(kinds)
    spans = list(_references(text)) if "references" in chosen else []
    if "quotes" in chosen:
        start = 0
        for reference in [*spans, Span(len(text), len(text), "")]:
            spans += _quotes(text, start, reference.start)
            start = reference.end
    return sorted(spans, key=lambda span: span.start)


def blanked(text: str, spans: Iterable[Span], wall: str = WALL) -> str:
    """Return the text with walls in the place of the spans, which come in order: as long as before.

    >>> blanked("one two three", [Span(4, 7, "quotes")], "#")
    'one ### three'
    """
    parts, end = [], 0
    for span in spans:
        parts += [text[end : span.start], wall * (span.end - span.start)]
        end = span.end
    return "".join([*parts, text[end:]])


def count_words(text: str) -> int:
    """Return how many words a text has, as the default recipe cuts it; no mark is a word, in any language.

    >>> count_words("It isn't 3.5 metres."), count_words("「雨の日」")
    (4, 3)
    """
    return len(_native.units(text, settings(DEFAULT)))


def tally(text: str, spans: Iterable[Span]) -> dict[str, int]:
    """Return how many words were left out, by reason."""
    counted: dict[str, int] = {}
    for span in spans:
        words = count_words(text[span.start : span.end])
        if words:
            counted[span.reason] = counted.get(span.reason, 0) + words
    return counted


# -- quotes ------------------------------------------------------------------------------------------------------------


def _quotes(text: str, start: int, end: int) -> Iterator[Span]:
    """Give the block quotes of a part, and between them those in quotation marks."""
    for block in _compiled(_BLOCK).finditer(text, start, end):
        yield from _in_marks(text, start, block.start())
        yield Span(block.start(), block.end(), "quotes")
        start = block.end()
    yield from _in_marks(text, start, end)


def _in_marks(text: str, start: int, end: int) -> Iterator[Span]:
    """Give what stands in quotation marks; a mark without its other one in the same paragraph is none."""
    for first, last in _paragraphs(text, start, end):
        paragraph = _Paragraph(text, last, end)
        at = first
        while mark := _compiled(_MARKS).search(text, at, last):
            at = mark.end()
            quote_end = paragraph.close(mark[0], at) if _opens(text, mark.start(), at) else None
            if quote_end is None or quote_end - mark.start() > LONGEST_QUOTE:
                continue
            if count_words(text[at:quote_end]) >= SHORTEST_QUOTE:
                yield Span(mark.start(), quote_end, "quotes")
            at = quote_end


class _Paragraph:
    """A paragraph in which the marks that close quotes are looked for, each once, so that this takes linear time."""

    def __init__(self, text: str, last: int, end: int) -> None:
        self._text, self._last, self._end = text, last, end
        self._next: dict[str, tuple[int, int] | None] = {}
        self._goes_on: bool | None = None

    def close(self, mark: str, start: int) -> int | None:
        """Return where the quote ends that the mark before `start` opens."""
        closing = self._next.get(mark, (0, 0))
        if closing is not None and closing[0] < start:
            found = _compiled(_CLOSING[mark]).search(self._text, start, self._last)
            closing = self._next[mark] = found.span() if found else None
        if closing is None:
            return self._last if mark == "“" and self._continues() else None
        if mark in '"＂' and _opens(self._text, *closing):
            return None  # a second one opens: the first was alone, such as an inch
        return closing[1]

    def _continues(self) -> bool:
        """Say whether the next paragraph opens again: each one of a long quote does, and only the last one closes."""
        if self._goes_on is None:
            self._goes_on = _compiled(_NEXT_OPENS).match(self._text, self._last, self._end) is not None
        return self._goes_on


def _paragraphs(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for gap in _compiled(_PARAGRAPH).finditer(text, start, end):
        yield start, gap.start()
        start = gap.end()
    yield start, end


def _opens(text: str, start: int, end: int) -> bool:
    if text[start] not in _BY_PLACE:
        return True
    before, after = text[start - 1 : start], text[end : end + 1]
    return not before.isalnum() and before not in (".", ",", "!", "?", "…") and bool(after) and not after.isspace()


# -- references --------------------------------------------------------------------------------------------------------


def _references(text: str) -> Iterator[Span]:
    """Give each list of references: from its heading to the end, to an appendix, or to the next heading that is one."""
    headings = list(references().finditer(text))
    ends = [*(heading.start() for heading in headings[1:]), len(text)]
    for heading, last in zip(headings, ends, strict=False):
        resumed = resume().search(text, heading.end(), last)
        end = resumed.start() if resumed else last
        if _looks_like_references(text[heading.end() : end]):
            yield Span(heading.start(), end, "references")


def _looks_like_references(listed: str) -> bool:
    """Tell a list of references from a text that follows such a heading, as behind a table of contents."""
    marks = sum(1 for _ in _compiled(_IN_REFERENCES).finditer(listed))
    return marks > 0 and count_words(listed) <= WORDS_PER_MARK * marks
