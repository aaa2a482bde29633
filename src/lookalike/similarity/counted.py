"""Two texts of which some parts do not count: quotes, references, template text, short passages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lookalike import _native
from lookalike.documents.left_out import WALL_OF_B, Span, blanked, check_kinds, left_out, tally
from lookalike.search.min_words import check_min_words, in_long_passages, shingles_of
from lookalike.search.uncounted import gap_shingles, spans_of
from lookalike.settings import settings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lookalike.recipe import Recipe

__all__ = ["Counted", "count"]


@dataclass(frozen=True, slots=True)
class Counted:
    """What counts of two texts."""

    shared: int
    union: int
    shingles_a: int
    shingles_b: int
    estimate: float
    text_a: str
    """As long as the text itself, with walls in the place of what does not count, so that passages end there."""
    text_b: str
    spans: tuple[tuple[Span, ...], tuple[Span, ...]]
    words: tuple[dict[str, int], dict[str, int]]
    """Words that were left out of each, by reason."""


def count(a: str, b: str, recipe: Recipe, ignore: Iterable[str], skip: Iterable[str], min_words: int | None) -> Counted:
    """Compare two texts as a search would that leaves out the same."""
    from lookalike.search.find import template_shingles

    kinds, least = check_kinds(skip), check_min_words(min_words, recipe)
    templates = template_shingles(recipe, ignore)
    seen = [blanked(text, left_out(text, kinds)) for text in (a, b)]
    ignored = sorted(templates.union(*(gap_shingles(text, recipe) for text in seen)))
    of_a, of_b = (shingles_of(text, recipe, ignored) for text in seen)
    shared = of_a & of_b
    if least is not None and of_a != of_b:
        shared &= in_long_passages(seen[0], seen[1], recipe, least)
    spans = [spans_of(text, recipe, kinds, templates, templates) for text in (a, b)]
    return Counted(
        shared=len(shared),
        union=len(of_a | of_b),
        shingles_a=len(of_a),
        shingles_b=len(of_b),
        estimate=_estimate(seen, recipe, ignored),
        text_a=blanked(a, spans[0]),
        text_b=blanked(b, spans[1], WALL_OF_B),
        spans=(tuple(spans[0]), tuple(spans[1])),
        words=(tally(a, spans[0]), tally(b, spans[1])),
    )


def _estimate(texts: list[str], recipe: Recipe, ignored: list[int]) -> float:
    """Return what the signatures say; short passages count in them, because a signature knows no places."""
    signatures, _, _ = _native.sign_batch(texts, settings(recipe), ignored, 1, 1, 1)
    matrix = _native.SignatureMatrix.of_bytes(signatures, recipe.hashes)
    return matrix.agreeing(0, 1) / recipe.hashes
