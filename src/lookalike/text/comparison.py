"""Two texts, side by side: everything that `lookalike compare` says, and the passages that they share.

Where only long passages count, a shared shingle counts if it lies in a run of at least so many units that both texts
have; docs/format.md §4.1 says it exactly.
"""

from __future__ import annotations

import re
import warnings
from array import array
from bisect import bisect_right
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from lookalike import _native
from lookalike.errors import check_text, check_whole
from lookalike.recipe import DEFAULT, Recipe, settings
from lookalike.text.excluded import (
    EXCLUDED_IN_B,
    check_kinds,
    check_min_words,
    exclude,
    excluded_spans,
    excluded_words,
    find_excluded,
    template_shingles,
)
from lookalike.text.measures import standard_error

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lookalike.text.excluded import Span

__all__ = [
    "SHORTEST",
    "AnyLength",
    "Comparison",
    "LineNumbers",
    "Named",
    "Passage",
    "compare",
    "longest",
    "passages",
    "to_values",
]


@dataclass(frozen=True, slots=True)
class AnyLength:
    """How similar two texts are if passages of any length count."""

    jaccard: float
    containment_a: float
    containment_b: float
    shared: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """How similar two texts are, exactly and by their signatures, and what they share."""

    jaccard: float
    """Shared shingles ÷ all different shingles."""
    containment_a: float
    """The share of the first text's shingles that the second has."""
    containment_b: float
    """The share of the second text's shingles that the first has."""
    estimate: float
    """The estimate from the signatures: of `jaccard`, or with `min_words` of that of `any_length`."""
    standard_error: float
    """The typical error of an estimate at this similarity and number of hashes."""
    shared: int
    shingles_a: int
    shingles_b: int
    passages: tuple[Passage, ...]
    recipe: Recipe
    spans_a: tuple[Span, ...] = ()
    """What was excluded from the first text, with the reason: quotes, references, template."""
    spans_b: tuple[Span, ...] = ()
    excluded_a: dict[str, int] = field(default_factory=dict)
    """How many words of the first text were excluded, by reason."""
    excluded_b: dict[str, int] = field(default_factory=dict)
    min_words: int | None = None
    """The shortest passage that counts in the exact scores; None: every shingle does."""
    any_length: AnyLength | None = None
    """The scores without `min_words`; None if it changes nothing."""

    @property
    def left_out_a(self) -> dict[str, int]:
        """The former name of `excluded_a`, which is deprecated."""
        warnings.warn("Comparison.left_out_a is now Comparison.excluded_a", DeprecationWarning, stacklevel=2)
        return self.excluded_a

    @property
    def left_out_b(self) -> dict[str, int]:
        """The former name of `excluded_b`, which is deprecated."""
        warnings.warn("Comparison.left_out_b is now Comparison.excluded_b", DeprecationWarning, stacklevel=2)
        return self.excluded_b

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
            "any_length": None if self.any_length is None else asdict(self.any_length),
            "left_out": {"a": dict(self.excluded_a), "b": dict(self.excluded_b)},  # the name in the published schema
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

    `ignore`, `skip` and `min_words` exclude text from the scores and the passages, as in `find`: template text, quotes
    and references, and what is shared in shorter passages.

    >>> found = compare("the quick brown fox jumps over a dog", "the quick brown fox leaps over a dog", Recipe(k=2))
    >>> round(found.jaccard, 3), found.shared, found.shingles_a
    (0.556, 5, 7)
    """
    recipe = recipe or DEFAULT
    a, b = check_text("a", a), check_text("b", b)
    skip, ignore = check_kinds(skip), ignore if isinstance(ignore, str) else list(ignore)
    if ignore or skip or min_words is not None:
        return _compare_excluding(recipe, least, compare_excluding(a, b, recipe, ignore, skip, min_words), min_words)
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


def _compare_excluding(recipe: Recipe, least: int | None, seen: ComparedTexts, min_words: int | None) -> Comparison:
    exact = seen.shared / seen.union
    shared = seen.any_length
    any_length = AnyLength(shared / seen.union, shared / seen.shingles_a, shared / seen.shingles_b, shared)
    least = max(1, min_words) if least is None and min_words is not None else least
    return Comparison(
        jaccard=exact,
        containment_a=seen.shared / seen.shingles_a,
        containment_b=seen.shared / seen.shingles_b,
        estimate=seen.estimate,
        standard_error=standard_error(any_length.jaccard, recipe.hashes),
        shared=seen.shared,
        shingles_a=seen.shingles_a,
        shingles_b=seen.shingles_b,
        passages=tuple(passages(seen.text_a, seen.text_b, recipe, least=least)),
        recipe=recipe,
        spans_a=seen.spans[0],
        spans_b=seen.spans[1],
        excluded_a=seen.words[0],
        excluded_b=seen.words[1],
        min_words=min_words,
        any_length=None if check_min_words(min_words, recipe) is None else any_length,
    )


# -- with text excluded ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ComparedTexts:
    """What is left of two texts to compare."""

    shared: int
    any_length: int
    """How many shingles they share if passages of any length count."""
    union: int
    shingles_a: int
    shingles_b: int
    estimate: float
    text_a: str
    """As long as the text itself, with `EXCLUDED` in place of what is excluded, so that passages end there."""
    text_b: str
    spans: tuple[tuple[Span, ...], tuple[Span, ...]]
    words: tuple[dict[str, int], dict[str, int]]
    """How many words were excluded from each, by reason."""


def compare_excluding(
    a: str, b: str, recipe: Recipe, ignore: Iterable[str], skip: Iterable[str], min_words: int | None
) -> ComparedTexts:
    """Compare two texts as a search with the same exclusions would."""
    kinds, least = check_kinds(skip), check_min_words(min_words, recipe)
    templates = template_shingles(recipe, ignore)
    seen = [exclude(text, find_excluded(text, kinds)) for text in (a, b)]
    core = _settings(recipe, sorted(templates), drops_excluded=bool(kinds), least=least)
    of_a, of_b = _shingles(seen, core)
    spans = [excluded_spans(text, recipe, kinds, templates, templates) for text in (a, b)]
    return ComparedTexts(
        shared=_native.shared_in_long_runs(seen[0], seen[1], core),
        any_length=len(of_a & of_b),
        union=len(of_a | of_b),
        shingles_a=len(of_a),
        shingles_b=len(of_b),
        estimate=_estimate(of_a, of_b, recipe),
        text_a=exclude(a, spans[0]),
        text_b=exclude(b, spans[1], EXCLUDED_IN_B),
        spans=(tuple(spans[0]), tuple(spans[1])),
        words=(excluded_words(a, spans[0]), excluded_words(b, spans[1])),
    )


def _settings(recipe: Recipe, ignored: list[int], *, drops_excluded: bool, least: int | None) -> _native.Strategy:
    """Return the strategy of a search with the same exclusions; what it would do with a pair does not matter here."""
    how = {"threshold": 1.0, "method": "exact", "metric": "jaccard", "bands": 1, "rows": 1, "least": 0}
    return _native.Strategy(settings(recipe), ignored=ignored, drops_excluded=drops_excluded, min_units=least, **how)  # type: ignore[arg-type]


def _shingles(texts: list[str], core: _native.Strategy) -> tuple[frozenset[int], frozenset[int]]:
    """Return the shingles of two texts that count, as a search counts them."""
    offsets, elements = _native.sets_of(texts, core, 1)
    values, size = array("Q", elements), array("Q", offsets)[1]
    return frozenset(values[:size]), frozenset(values[size:])


def _estimate(of_a: frozenset[int], of_b: frozenset[int], recipe: Recipe) -> float:
    """Return what the signatures say; short passages count in them, because a signature knows no places."""
    matrix = _native.SignatureMatrix.of_sets([sorted(of_a), sorted(of_b)], settings(recipe), 1)
    return matrix.agreeing(0, 1) / recipe.hashes


# -- as JSON -----------------------------------------------------------------------------------------------------------


class Named(Protocol):
    """A text with a name."""

    @property
    def name(self) -> str | None:
        """What it is called; None if it has no name."""

    @property
    def text(self) -> str:
        """The text itself."""


class LineNumbers:
    r"""Line numbers of a text, counted from 1 as editors do: \n, \r\n and \r end a line; and pages, if it has any.

    >>> lines = LineNumbers("one\r\ntwo\rthree")
    >>> lines.at(0), lines.at(5), lines.at(9), lines.page(9)
    (1, 2, 3, None)
    >>> LineNumbers("first page\n\n\fsecond page").page(15)
    2
    """

    def __init__(self, text: str) -> None:
        """Note where the lines begin, and the pages."""
        self._starts = [0, *(end.end() for end in re.finditer("\r\n|\r|\n", text))]
        # A form feed on a line of its own is what programmers put between two parts of a program.
        pages = "\f" in text and not re.search("\f\r?\n", text)
        self._pages = [0, *(end.end() for end in re.finditer("\f", text))] if pages else []

    def at(self, offset: int) -> int:
        """Return the number of the line that holds the character at `offset`."""
        return bisect_right(self._starts, offset)

    def page(self, offset: int) -> int | None:
        """Return the number of the page that holds the character at `offset`; None if the text has no pages."""
        return bisect_right(self._pages, offset) if self._pages else None


def longest(passages: tuple[Passage, ...], top: int) -> list[Passage]:
    """Return the `top` longest passages, longest first; 0 means all. Equal ones keep their order in A."""
    ranked = sorted(passages, key=lambda passage: -passage.units)
    return ranked[:top] if top else ranked


def to_values(a: Named, b: Named, found: Comparison, *, top: int = 0) -> dict[str, Any]:
    """Return the JSON object; passages come in the order of A, the `top` longest of them alone unless that is 0."""
    chosen = set(longest(found.passages, top))
    lines_a, lines_b = LineNumbers(a.text), LineNumbers(b.text)
    values = found.to_dict()
    values["passages"] = [
        {
            **plain,
            "a_line": lines_a.at(passage.a_start),
            "b_line": lines_b.at(passage.b_start),
            "a_page": lines_a.page(passage.a_start),
            "b_page": lines_b.page(passage.b_start),
            "text": a.text[passage.a_start : passage.a_end],
        }
        for passage, plain in zip(found.passages, values["passages"], strict=True)
        if passage in chosen
    ]
    return {"schema": values.pop("schema"), "a": a.name, "b": b.name, **values}


# -- passages ----------------------------------------------------------------------------------------------------------

SHORTEST = {"word": 8, "char": 40, "token": 16}
"""The shortest run that is shown as a passage, by unit: shorter ones are shared by chance."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A run that both documents contain, with its place in each original (Python string offsets)."""

    a_start: int
    a_end: int
    b_start: int
    b_end: int
    units: int
    """Its length in words, characters or tokens, as the recipe counts them."""


def passages(a: str, b: str, recipe: Recipe | None = None, *, least: int | None = None) -> list[Passage]:
    """Return the passages that two texts share, in the order of the first.

    From left to right in `a`: the longest run that occurs anywhere in `b`, if it has at least `least` units
    (default 8 words, 40 characters or 16 tokens); the search goes on behind it. Case, marks and the like count as
    little as the recipe says.

    >>> a, b = "So we beat on, boats against the current.", "He wrote: “Boats against the current …”"
    >>> [(a[p.a_start:p.a_end], b[p.b_start:p.b_end], p.units) for p in passages(a, b, least=3)]
    [('boats against the current', 'Boats against the current', 4)]
    """
    recipe = recipe or DEFAULT
    least = check_whole("least", SHORTEST[recipe.unit] if least is None else least, 1)
    a, b = check_text("a", a), check_text("b", b)
    return [Passage(*found) for found in _native.passages(a, b, settings(recipe), least)]
