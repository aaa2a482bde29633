"""Text that is excluded from a comparison: quotes, references, template text, common shingles, short passages.

Quotes and references are found by their marks and replaced, character by character, before a text reaches the core,
which drops every shingle that touches such a place. So the offsets of the rest stay the same (code points of the text
as it was read), and no shingle or passage reaches across. Shingles of templates and common ones are dropped one by one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from lookalike import _native
from lookalike.errors import DocumentError, RecipeError, check_text, check_whole, suggest
from lookalike.recipe import DEFAULT, settings
from lookalike.tables.packed import Texts
from lookalike.text import first_entry, first_entry_after_colon, references, references_on_line, resume

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from lookalike.recipe import Recipe

__all__ = [
    "EXCLUDED",
    "EXCLUDED_IN_B",
    "KINDS",
    "Exclusions",
    "Span",
    "check_kinds",
    "check_min_words",
    "count_words",
    "exclude",
    "exclude_kinds",
    "excluded_spans",
    "excluded_words",
    "find_excluded",
    "template_shingles",
]

KINDS: Final = ("quotes", "references")
"""What can be found in a text without the others."""
EXCLUDED: Final = "\ufdd0"
"""Stands for each excluded character: Unicode promises that no text has it, and it is a unit of its own."""
EXCLUDED_IN_B: Final = "\ufdd1"
"""The same for the second of two texts, so that two excluded places are never a shared passage."""

LONGEST_QUOTE: Final = 3_000
"""Characters: what is longer is more likely two marks that do not belong together."""
SHORTEST_QUOTE: Final = 5
"""Words: a title or a word in quotation marks is not a quote, and excluding it would only hide what is around it.

Of Chinese each character is one, of Japanese each character and each run of katakana."""
LONGEST_ENTRY: Final = 500
"""Characters after a heading in which an entry has to show that it is one."""
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
"""Marks that open only before a letter, and not right after one."""
_MARKS: Final = f"[{''.join(_CLOSERS)}]|``"
_CLOSING: Final = {mark: f"[{closers}]" for mark, closers in _CLOSERS.items()} | {"``": "''"}
_NEXT_OPENS: Final = r"\s*“"
# A form feed alone is the end of a page, across which a sentence may continue.
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
    """A part of a text that is excluded."""

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


def find_excluded(text: str, kinds: Collection[str]) -> list[Span]:
    """Return the quotes and references of a text, in order; none overlaps another.

    >>> text = "He wrote “So we beat on, boats against the current” and no more."
    >>> [(text[span.start : span.end], span.reason) for span in find_excluded(text, ["quotes"])]
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


def exclude(text: str, spans: Iterable[Span], mark: str = EXCLUDED) -> str:
    """Return the text with `mark` for every character of the spans, which come in order: as long as before.

    >>> exclude("one two three", [Span(4, 7, "quotes")], "#")
    'one ### three'
    """
    parts, end = [], 0
    for span in spans:
        parts += [text[end : span.start], mark * (span.end - span.start)]
        end = span.end
    return "".join([*parts, text[end:]])


def count_words(text: str) -> int:
    """Return how many words a text has, as the default recipe cuts it; no mark is a word, in any language.

    >>> count_words("It isn't 3.5 metres."), count_words("「雨の日」")
    (4, 3)
    """
    return len(_native.units(text, settings(DEFAULT)))


def excluded_words(text: str, spans: Iterable[Span]) -> dict[str, int]:
    """Return how many words are excluded, by reason."""
    counted: dict[str, int] = {}
    for span in spans:
        words = count_words(text[span.start : span.end])
        if words:
            counted[span.reason] = counted.get(span.reason, 0) + words
    return counted


# -- quotes ------------------------------------------------------------------------------------------------------------


def _quotes(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the block quotes of a part, and between them those in quotation marks."""
    for block in _compiled(_BLOCK).finditer(text, start, end):
        yield from _in_marks(text, start, block.start())
        yield Span(block.start(), block.end(), "quotes")
        start = block.end()
    yield from _in_marks(text, start, end)


def _in_marks(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield what is in quotation marks; a mark without its counterpart in the same paragraph does not count."""
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
        """Return whether the next paragraph opens again: every one of a long quote does, and only the last closes."""
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
    """Yield each list of references: from its heading to the end, to an appendix, or to the next such heading."""
    headings = sorted([*references().finditer(text), *_on_line(text)], key=lambda heading: heading.start())
    ends = [*(heading.start() for heading in headings[1:]), len(text)]
    for heading, last in zip(headings, ends, strict=False):
        resumed = resume().search(text, heading.end(), last)
        end = resumed.start() if resumed else last
        if _looks_like_references(text[heading.end() : end]):
            yield Span(heading.start(), end, "references")


def _on_line(text: str) -> Iterator[re.Match[str]]:
    """Yield each heading with the first entry on its line."""
    for heading in references_on_line().finditer(text):
        if heading["name"][0].islower():
            continue  # a line in the middle of a sentence
        entries = [first_entry(), *([first_entry_after_colon()] if heading["colon"] else [])]
        if any(entry.match(text, heading.end(), heading.end() + LONGEST_ENTRY) for entry in entries):
            yield heading


def _looks_like_references(listed: str) -> bool:
    """Tell a list of references from other text after such a heading, as after a table of contents."""
    marks = sum(1 for _ in _compiled(_IN_REFERENCES).finditer(listed))
    return marks > 0 and count_words(listed) <= WORDS_PER_MARK * marks


# -- texts of a search -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Exclusions:
    """What a search excluded from its scores, besides the shingles in `Result.excluded_shingles`."""

    skip: tuple[str, ...] = ()
    """Of ``quotes`` and ``references``."""
    min_words: int | None = None
    """The shortest passage that counts."""
    templates: tuple[int, ...] = ()
    """The excluded shingles that belong to templates; the others are common ones."""


def exclude_kinds(texts: Texts, skip: Sequence[str]) -> Texts:
    """Return texts without their quotes or references, each as long as before."""
    if not skip:
        return texts
    return Texts.of(exclude(text, find_excluded(text, skip)) for text in texts)


def _hashes(shingles: list[str], core: _native.Settings) -> list[int]:
    """Return the element of each shingle: as a text of its own, it has only that one."""
    if not shingles:
        return []
    found = [_native.elements(shingle, core) for shingle in shingles]
    return [elements[0] if len(elements) == 1 else -1 for elements in found]


def excluded_spans(
    text: str, recipe: Recipe, skip: Sequence[str], ignored: AbstractSet[int], templates: AbstractSet[int]
) -> list[Span]:
    """Return all that is excluded from a text, in order; none overlaps another, and a template goes before common."""
    spans = find_excluded(text, skip) if skip else []
    core = settings(recipe.replace(bag=False))
    seen = exclude(text, spans)
    if not ignored or ignored.isdisjoint(_native.elements(seen, core)):
        return spans
    shingles = _native.shingles(seen, core)
    hashes = _hashes([shingle for shingle, _, _ in shingles], core)
    for reason, those in (("template", templates), ("common", ignored - templates)):
        places = [(start, end) for (_, start, end), own in zip(shingles, hashes, strict=True) if own in those]
        spans = _with(spans, places, reason)
    return spans


def _with(spans: list[Span], places: Iterable[tuple[int, int]], reason: str) -> list[Span]:
    """Add places in order, joined where they overlap, and cut where another span is."""
    added: list[Span] = []
    for start, end in places:
        if added and start <= added[-1].end:
            added[-1] = Span(added[-1].start, max(end, added[-1].end), reason)
        else:
            added.append(Span(start, end, reason))
    made = list(spans)
    first = 0  # of the spans that may reach into the next place
    for span in added:
        while first < len(spans) and spans[first].end <= span.start:
            first += 1
        start, at = span.start, first
        while at < len(spans) and spans[at].start < span.end:
            if spans[at].start > start:
                made.append(Span(start, spans[at].start, reason))
            start = spans[at].end
            at += 1
        if start < span.end:
            made.append(Span(start, span.end, reason))
    return sorted(made, key=lambda span: span.start)


def template_shingles(recipe: Recipe, templates: Iterable[str]) -> set[int]:
    """Return the shingles of template texts."""
    if isinstance(templates, str):
        raise DocumentError("ignore", "templates", "are one text", "give a list of texts")
    single = settings(recipe.replace(bag=False))
    return {shingle for text in templates for shingle in _native.elements(check_text("ignore", text), single)}


def check_min_words(given: int | None, recipe: Recipe) -> int | None:
    """Return the length in units, or None if it changes nothing, because every shared shingle is as long.

    >>> from lookalike.recipe import Recipe
    >>> check_min_words(12, Recipe(k=5)), check_min_words(5, Recipe(k=5))
    (12, None)
    """
    if given is None:
        return None
    least = check_whole("min_words", given, 1)
    if recipe.bag:
        raise RecipeError("min_words", given, "left out if repeated shingles count")
    return least if least > recipe.k else None
