"""The texts of a result, read again for the few documents that are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.errors import LookalikeError, RecipeError
from lookalike.text.excluded import EXCLUDED_IN_B, exclude, excluded_spans, excluded_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pyarrow as pa

    from lookalike.result.result import Result

__all__ = ["blanked_for_passages", "left_out_of", "measured", "texts_of", "words_left_out"]


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


def measured(result: Result, measure: str) -> pa.Table:
    """Return the pairs with the cosine or the Euclidean distance of their counts of shingles, the closest first."""
    import pyarrow as pa

    from lookalike.text.measures import cosine, euclidean

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
    return result.pairs.append_column(measure, pa.array(values, pa.float64())).sort_by(
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
    of_a, of_b = (excluded_spans(text, result.recipe, result.uncounted.skip, ignored, templates) for text in (a, b))
    return exclude(a, of_a), exclude(b, of_b, EXCLUDED_IN_B)


def words_left_out(result: Result, texts: Mapping[int, str]) -> dict[int, dict[str, int]]:
    """Return for each text how many words did not count, by reason: quotes, references, template, common."""
    uncounted = result.uncounted
    ignored, templates = frozenset(result.ignored), frozenset(uncounted.templates)
    if not ignored and not uncounted.skip:
        return {}
    counted = {
        number: excluded_words(text, excluded_spans(text, result.recipe, uncounted.skip, ignored, templates))
        for number, text in texts.items()
    }
    return {number: words for number, words in counted.items() if words}
