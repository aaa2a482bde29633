"""The texts of a result, read again for the few documents that are shown."""

from __future__ import annotations

from array import array
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from lookalike.errors import LookalikeError, RecipeError
from lookalike.text.excluded import WALL_OF_B, blanked, tally
from lookalike.text.measures import cosine, euclidean
from lookalike.text.uncounted import spans_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from lookalike.documents import Source
    from lookalike.recipe import Recipe
    from lookalike.result.result import Result
    from lookalike.tables.found import Found, Metric

__all__ = ["blanked_for_passages", "left_out_of", "measured", "scored", "texts_of", "words_left_out"]

_CHARACTERS: Final = 100_000_000
"""Of texts that are held at a time while pairs are scored once more."""


def texts_of(result: Result, wanted: Iterable[int]) -> dict[int, str]:
    """Return the texts of the wanted documents, by their numbers; those that cannot be read any more are missing."""
    numbers, lengths = sorted(set(wanted)), result.length_of
    if result.source is None or lengths is None or not numbers:
        return {}
    found: dict[int, str] = {}
    try:
        for those, texts in result.source.fetch(numbers):
            read = zip(those, texts, strict=True)
            found |= {number: text for number, text in read if len(text) == lengths[number]}
    except (LookalikeError, OSError):  # the source is gone: what was found stays true without its text
        return found
    return found


def scored(
    found: Found, source: Source, lengths: Sequence[int], recipe: Recipe, threshold: float, metric: Metric
) -> Found:
    """Return what a search by Jaccard found, scored by another measure, without the pairs below its threshold.

    The texts are read again, some at a time. Copies have the same shingles as often: any measure finds them equal.
    """
    pairs = found.pairs
    scores = array("d")
    for those in _portions(list(zip(pairs.values("a"), pairs.values("b"), strict=True)), lengths):
        wanted = sorted({number for pair in those for number in pair})
        texts = {n: text for numbers, read in source.fetch(wanted) for n, text in zip(numbers, read, strict=True)}
        scores.extend(_similarity(metric, texts[a], texts[b], recipe) for a, b in those)
    return found.with_pairs(replace(pairs, jaccard=scores.tobytes()).at_least(threshold, metric))


def _similarity(metric: Metric, a: str, b: str, recipe: Recipe) -> float:
    """Return the cosine, or 1 / (1 + d) of the Euclidean distance d, of two vectors of counts: both from 0 to 1."""
    return cosine(a, b, recipe=recipe) if metric == "cosine" else 1.0 / (1.0 + euclidean(a, b, recipe=recipe))


def _portions(pairs: list[tuple[int, int]], lengths: Sequence[int]) -> Iterator[list[tuple[int, int]]]:
    """Cut pairs into runs whose texts can be held at a time."""
    start, held, size = 0, set[int](), 0
    for place, pair in enumerate(pairs):
        new = set(pair) - held
        held |= new
        size += sum(lengths[number] for number in new)
        if size > _CHARACTERS:
            yield pairs[start : place + 1]
            start, held, size = place + 1, set(), 0
    if pairs[start:]:
        yield pairs[start:]


def measured(result: Result, measure: str) -> pa.Table:
    """Return the pairs with the cosine or the Euclidean distance of their counts of shingles, the closest first."""
    import pyarrow as pa

    known = {"cosine": cosine, "euclidean": euclidean}
    if measure not in known:
        raise RecipeError("measure", measure, "'cosine' or 'euclidean'")
    compute = known[measure]
    listed = result.listed
    numbers = list(zip(listed.values("a"), listed.values("b"), strict=True))
    texts = texts_of(result, {number for pair in numbers for number in pair})
    values = [
        compute(texts[a], texts[b], recipe=result.recipe) if a in texts and b in texts else None for a, b in numbers
    ]
    table = result.pairs if measure not in result.pairs.column_names else result.pairs.drop_columns(measure)
    return table.append_column(measure, pa.array(values, pa.float64())).sort_by(
        [(measure, "descending" if measure == "cosine" else "ascending")]
    )


def left_out_of(result: Result, wanted: Iterable[int]) -> dict[int, dict[str, int]]:
    """Return how many words of each document did not count, by reason; documents without such words are not listed."""
    if not result.ignored and not result.uncounted.skip:
        return {}
    return words_left_out(result, texts_of(result, wanted))


def blanked_for_passages(result: Result, a: str, b: str) -> tuple[str, str]:
    """Return two texts of a result, as long as before, with walls in the place of what did not count."""
    ignored, templates = frozenset(result.ignored), frozenset(result.uncounted.templates)
    if not ignored and not result.uncounted.skip:
        return a, b
    of_a, of_b = (spans_of(text, result.recipe, result.uncounted.skip, ignored, templates) for text in (a, b))
    return blanked(a, of_a), blanked(b, of_b, WALL_OF_B)


def words_left_out(result: Result, texts: Mapping[int, str]) -> dict[int, dict[str, int]]:
    """Return for each text how many words did not count, by reason: quotes, references, template, common."""
    uncounted = result.uncounted
    ignored, templates = frozenset(result.ignored), frozenset(uncounted.templates)
    if not ignored and not uncounted.skip:
        return {}
    counted = {
        number: tally(text, spans_of(text, result.recipe, uncounted.skip, ignored, templates))
        for number, text in texts.items()
    }
    return {number: words for number, words in counted.items() if words}
