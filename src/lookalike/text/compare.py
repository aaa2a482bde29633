"""Two texts, side by side: everything that `lookalike compare` says."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lookalike import _native, checks
from lookalike.recipe import DEFAULT, Recipe, settings
from lookalike.text.counted import count
from lookalike.text.excluded import check_kinds
from lookalike.text.measures import standard_error
from lookalike.text.passages import Passage, passages

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lookalike.text.counted import Counted
    from lookalike.text.excluded import Span

__all__ = ["Comparison", "compare"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """How alike two texts are, exactly and by their signatures, and what they share."""

    jaccard: float
    """Shared shingles ÷ all different shingles."""
    containment_a: float
    """The share of the first text's shingles that the second has."""
    containment_b: float
    """The share of the second text's shingles that the first has."""
    estimate: float
    """What the signatures say of `jaccard`."""
    standard_error: float
    """How far off an estimate is typically, at this similarity and number of hashes."""
    shared: int
    shingles_a: int
    shingles_b: int
    passages: tuple[Passage, ...]
    recipe: Recipe
    spans_a: tuple[Span, ...] = ()
    """What did not count in the first text, with the reason: quotes, references, template."""
    spans_b: tuple[Span, ...] = ()
    left_out_a: dict[str, int] = field(default_factory=dict)
    """How many words of the first text did not count, by reason."""
    left_out_b: dict[str, int] = field(default_factory=dict)
    min_words: int | None = None
    """The shortest passage that counts in the exact scores; None: every shingle does."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, ready for JSON (the schema of `lookalike compare --format json`)."""
        return {
            "schema": "lookalike/1",
            "recipe": self.recipe.to_dict(),
            "jaccard": self.jaccard,
            "containment_a": self.containment_a,
            "containment_b": self.containment_b,
            "estimate": self.estimate,
            "standard_error": self.standard_error,
            "shared": self.shared,
            "shingles_a": self.shingles_a,
            "shingles_b": self.shingles_b,
            "min_words": self.min_words,
            "left_out": {"a": dict(self.left_out_a), "b": dict(self.left_out_b)},
            "passages": [
                {"a_start": p.a_start, "a_end": p.a_end, "b_start": p.b_start, "b_end": p.b_end, "units": p.units}
                for p in self.passages
            ],
        }


def compare(
    a: str,
    b: str,
    recipe: Recipe | None = None,
    *,
    least: int | None = None,
    ignore: Iterable[str] = (),
    skip: Iterable[str] = (),
    min_words: int | None = None,
) -> Comparison:
    """Compare two texts; `least` is the length of the shortest passage to report.

    `ignore`, `skip` and `min_words` leave text out of the scores and the passages, as in `find`: that of templates,
    quotes and references, and what is shared in shorter passages.

    >>> found = compare("the quick brown fox jumps over a dog", "the quick brown fox leaps over a dog", Recipe(k=2))
    >>> round(found.jaccard, 3), found.shared, found.shingles_a
    (0.556, 5, 7)
    """
    recipe = recipe or DEFAULT
    a, b = checks.text("a", a), checks.text("b", b)
    skip, ignore = check_kinds(skip), ignore if isinstance(ignore, str) else list(ignore)
    if ignore or skip or min_words is not None:
        return _compare_counted(recipe, least, count(a, b, recipe, ignore, skip, min_words), min_words)
    shared, size_a, size_b = _native.overlap(a, b, settings(recipe))
    exact = shared / (size_a + size_b - shared)  # a text has at least one shingle, so this is never 0/0
    return Comparison(
        jaccard=exact,
        containment_a=shared / size_a,
        containment_b=shared / size_b,
        estimate=_native.SignatureMatrix.of_texts([a, b], settings(recipe), 1).agreeing(0, 1) / recipe.hashes,
        standard_error=standard_error(exact, recipe.hashes),
        shared=shared,
        shingles_a=size_a,
        shingles_b=size_b,
        passages=tuple(passages(a, b, recipe, least=least)),
        recipe=recipe,
    )


def _compare_counted(recipe: Recipe, least: int | None, seen: Counted, min_words: int | None) -> Comparison:
    exact = seen.shared / seen.union
    least = max(1, min_words) if least is None and min_words is not None else least
    return Comparison(
        jaccard=exact,
        containment_a=seen.shared / seen.shingles_a,
        containment_b=seen.shared / seen.shingles_b,
        estimate=seen.estimate,
        standard_error=standard_error(exact, recipe.hashes),
        shared=seen.shared,
        shingles_a=seen.shingles_a,
        shingles_b=seen.shingles_b,
        passages=tuple(passages(seen.text_a, seen.text_b, recipe, least=least)),
        recipe=recipe,
        spans_a=seen.spans[0],
        spans_b=seen.spans[1],
        left_out_a=seen.words[0],
        left_out_b=seen.words[1],
        min_words=min_words,
    )
