"""One document and all its sources: which of its words other documents have too, in passages, each counted once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lookalike.errors import RecipeError
from lookalike.report.pair_passages import REASONS, MarkedText, Reasons, blocks_of
from lookalike.result.describe import texts_of
from lookalike.text.comparison import SHORTEST, LineNumbers, Passage

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lookalike.recipe import Recipe
    from lookalike.report.pair_passages import PassageBlock
    from lookalike.result.result import Result

__all__ = ["SourceMatch", "Sources", "sources_of"]

_RANKED: Final = 60
"""Sources that are ordered by what they add; those behind them by what they have."""


@dataclass(frozen=True, slots=True)
class SourceMatch:
    """A document that has passages of another one."""

    id: str | int
    text: str
    units: int
    """How many words (or characters) of the document it has."""
    adds: int
    """How many of them no source before it has."""
    passages: tuple[Passage, ...]
    """In the order of the document, which is a; this source is b. A few words inside a passage may differ."""
    old: bool = False
    """Whether it is one of the old documents (`against`)."""


@dataclass(frozen=True, slots=True)
class Sources:
    """A document and the documents that have parts of its text: first the one that has the most, then what adds most.

    >>> import lookalike as la
    >>> one, two = "it was a bright cold day in april and", "the clocks were striking thirteen as he went home"
    >>> found = la.sources(f"{one} {two} by himself", {"x": f"see: {one}", "y": f"then {two} again", "z": "no more"})
    >>> [(source.id, source.units) for source in found.sources], found.found, found.units
    ([('x', 9), ('y', 9)], 18, 20)
    >>> found.share
    0.9
    """

    id: str | int
    text: str
    units: int
    """How many words (or characters) the document has, without excluded text."""
    found: int
    """How many of them are found elsewhere: in any source, each counted once."""
    sources: tuple[SourceMatch, ...]
    recipe: Recipe
    least: int
    """Of the shortest passage that counts."""

    @property
    def share(self) -> float:
        """The share of the document that is found elsewhere."""
        return self.found / self.units if self.units else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, ready for JSON (the schema of `lookalike sources --format json`)."""
        lines = LineNumbers(self.text)
        return {
            "schema": "lookalike/1",
            "id": self.id,
            "recipe": self.recipe.to_dict(),
            "min_passage": self.least,
            "units": self.units,
            "found": self.found,
            "share": self.share,
            "sources": [self._source(source, lines) for source in self.sources],
        }

    def _source(self, source: SourceMatch, lines: LineNumbers) -> dict[str, Any]:
        of_source = LineNumbers(source.text)
        return {
            "id": source.id,
            "units": source.units,
            "adds": source.adds,
            "share": source.units / self.units if self.units else 0.0,
            "passages": [
                {
                    "start": one.a_start,
                    "end": one.a_end,
                    "source_start": one.b_start,
                    "source_end": one.b_end,
                    "line": lines.at(one.a_start),
                    "end_line": lines.at(one.a_end - 1),
                    "source_line": of_source.at(one.b_start),
                    "source_end_line": of_source.at(one.b_end - 1),
                    "units": one.units,
                    "text": self.text[one.a_start : one.a_end],
                }
                for one in source.passages
            ],
        }


@dataclass(slots=True)
class _Candidate:
    number: int
    text: str
    words: frozenset[int]
    """The units of the document that it has."""
    passages: tuple[Passage, ...]


def sources_of(result: Result, name: str | int, least: int | None = None) -> Sources:
    """Return a document of a result with its sources among the others; `least` units make a passage."""
    number = next((number for number, own in enumerate(result.id_of) if own == name), None)
    if number is None:
        raise RecipeError("id", name, "the id of a document of the result")
    recipe = result.recipe
    shortest = least if least is not None else result.uncounted.min_words or SHORTEST[recipe.unit]
    everything = result if result.limited else result.rethreshold(result.searched_threshold)
    pairs = zip(everything.listed.values("a"), everything.listed.values("b"), strict=True)
    partners = [b if a == number else a for a, b in pairs if number in (a, b)]
    texts = texts_of(result, [number, *partners])
    if number not in texts:
        raise RecipeError("id", name, "a document whose text can still be read")
    reasons = Reasons(recipe, result.ignored, result.uncounted)
    excluded = sum(REASONS[reason] for reason in reasons.excluded_from_scores)
    own = MarkedText.of(texts[number], recipe, reasons.spans(texts[number]))
    counted = frozenset(unit for unit, mask in enumerate(own.masks) if not mask & excluded)
    found = []
    for partner in partners:
        if partner in texts:
            other = MarkedText.of(texts[partner], recipe, reasons.spans(texts[partner]))
            blocks = [block for block in blocks_of(own, other, recipe, shortest) if _units(block, excluded) >= shortest]
            words = counted.intersection(unit for block in blocks for unit in block.units_of(own, other, 0))
            passages = tuple(Passage(*block.ends, _units(block, excluded)) for block in blocks)
            found.append(_Candidate(partner, texts[partner], words, passages))
    ranked = list(_ranked([one for one in found if one.words]))
    listed = tuple(
        SourceMatch(
            *(result.id_of[one.number], one.text, len(one.words), adds, one.passages), result.id_of.is_old(one.number)
        )
        for one, adds in ranked
    )
    union = frozenset[int]().union(*(one.words for one, _ in ranked))
    return Sources(name, texts[number], len(counted), len(union), listed, recipe, shortest)


def _units(block: PassageBlock, excluded: int) -> int:
    """Return how many units of a passage count."""
    if not block.masks:
        return block.units
    counts = zip(block.masks[::2], block.masks[1::2], strict=True)
    return sum(units for mask, units in counts if not mask & excluded)


def _ranked(left: list[_Candidate]) -> Iterable[tuple[_Candidate, int]]:
    """Yield the one that has the most, then always the one that adds the most, and what each adds."""
    left = sorted(left, key=lambda one: -len(one.words))
    covered: frozenset[int] = frozenset()
    for rank in range(len(left)):
        best = _best(left, covered) if rank < _RANKED else 0
        one = left.pop(best)
        yield one, len(one.words - covered)
        covered |= one.words


def _best(left: Sequence[_Candidate], covered: frozenset[int]) -> int:
    best, most = 0, -1
    for place, one in enumerate(left):
        if len(one.words) <= most:  # so have all behind it
            break
        if (adds := len(one.words - covered)) > most:
            best, most = place, adds
    return best
