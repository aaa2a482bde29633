"""Text that does not count in a search: as the core must see it, and as a person is told of it.

Quotes and references are blanked before the texts reach the core, which leaves out the shingles that touch a gap, so
that nothing is made of the words before it and those behind. The shingles of templates and common ones are
ignored where they stand.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lookalike import _native, checks
from lookalike.errors import DocumentError
from lookalike.recipe import settings
from lookalike.tables.packed import Texts
from lookalike.text.excluded import Span, blanked, left_out

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from lookalike.recipe import Recipe

__all__ = ["Uncounted", "blank", "spans_of", "template_shingles"]


@dataclass(frozen=True, slots=True)
class Uncounted:
    """What a search left out of its scores, beside the shingles in `Result.ignored`."""

    skip: tuple[str, ...] = ()
    """Of ``quotes`` and ``references``."""
    min_words: int | None = None
    """The shortest passage that counts."""
    templates: tuple[int, ...] = ()
    """Those of the ignored shingles that are of templates; the others are common ones."""
    short_pairs: int = 0
    """How many pairs are alike only with shorter passages than `min_words`, and left out for it."""


def blank(texts: Texts, skip: Sequence[str]) -> Texts:
    """Return texts with walls in the place of what is left out of them, each as long as before."""
    if not skip:
        return texts
    return Texts.of(blanked(text, left_out(text, skip)) for text in texts)


def _hashes(shingles: list[str], core: _native.Settings) -> list[int]:
    """Return the element of each shingle: as a text of its own, it has that one alone."""
    if not shingles:
        return []
    found = [_native.elements(shingle, core) for shingle in shingles]
    return [elements[0] if len(elements) == 1 else -1 for elements in found]


def spans_of(
    text: str, recipe: Recipe, skip: Sequence[str], ignored: AbstractSet[int], templates: AbstractSet[int]
) -> list[Span]:
    """Return all that does not count in a text, in order; none overlaps another, and a template goes before common."""
    spans = left_out(text, skip) if skip else []
    core = settings(recipe.replace(bag=False))
    seen = blanked(text, spans)
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
    return {shingle for text in templates for shingle in _native.elements(checks.text("ignore", text), single)}
