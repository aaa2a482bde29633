"""Some documents out of many: their texts, by number."""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise
from typing import TYPE_CHECKING

from lookalike.documents.table_errors import changed
from lookalike.tables.packed import Texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lookalike.documents.model import Batch

__all__ = ["check_numbers", "chosen_of", "chosen_texts", "within"]


def check_numbers(numbers: Sequence[int]) -> None:
    """Refuse numbers that do not ascend: whoever asks has mixed something up."""
    if any(later <= earlier for earlier, later in pairwise(numbers)) or (len(numbers) and numbers[0] < 0):
        raise ValueError("the numbers of documents must ascend")


def within(numbers: Sequence[int], start: int, end: int) -> list[int]:
    """Return those of ascending numbers that are in a range, counted from its start.

    >>> within([1, 4, 5, 9], 4, 9)
    [0, 1]
    """
    first, last = bisect_left(numbers, start), bisect_left(numbers, end)
    return [number - start for number in numbers[first:last]]


def chosen_texts(texts: Texts, places: Sequence[int]) -> Texts:
    """Return some texts of a batch; if it is all of them, without a copy."""
    if len(places) == len(texts):
        return texts
    if places and places[-1] - places[0] == len(places) - 1:
        return texts[places[0] : places[-1] + 1]
    starts, data = texts.places, texts.data
    first = starts[0] if len(texts) else 0
    return Texts.of(bytes(data[starts[place] - first : starts[place + 1] - first]) for place in places)


def chosen_of(batches: Iterable[Batch], numbers: Sequence[int], name: str) -> Iterator[tuple[Sequence[int], Texts]]:
    """Give the texts of some documents of batches that are read from the first; reading ends with the last of them."""
    check_numbers(numbers)
    start = given = 0
    for batch in batches if numbers else ():
        places = within(numbers, start, start + len(batch))
        if places:
            yield [start + place for place in places], chosen_texts(batch.texts, places)
        start += len(batch)
        given += len(places)
        if given == len(numbers):
            return
    if given < len(numbers):
        raise changed(name)
