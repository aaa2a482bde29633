"""How alike two documents are, exactly (docs/primer.md §3).

Of two texts with excluded text (docs/format.md §4.1), `counted` says which shingles count. There a text is given by its
units, and a unit that is a `WALL` stands for excluded text.

An empty set or bag equals only another empty one: similarity 1 to that, 0 to everything else.
"""

from __future__ import annotations

import math
from itertools import groupby
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from lookalike.reference.text import windows

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

__all__ = [
    "WALL",
    "CountedElements",
    "RowTypeCounts",
    "bag_jaccard",
    "bag_jaccard_of_the_report",
    "characteristic_matrix",
    "containment",
    "cosine",
    "counted",
    "euclidean",
    "jaccard",
    "row_types",
]

T = TypeVar("T", bound="Hashable")

WALL: Final = "\ufdd0"

Shingle = tuple[str, ...]


def jaccard(a: AbstractSet[T], b: AbstractSet[T]) -> float:
    """Return |A ∩ B| / |A ∪ B|.

    >>> jaccard({0, 1, 2, 5, 6}, {0, 2, 3, 4, 5, 7, 9})
    0.3333333333333333
    """
    return len(a & b) / len(a | b) if a or b else 1.0


def containment(a: AbstractSet[T], b: AbstractSet[T]) -> float:
    """Return |A ∩ B| / |A|: the share of A that is in B.

    >>> containment({1, 2}, {1, 2, 3, 4}), containment({1, 2, 3, 4}, {1, 2})
    (1.0, 0.5)
    """
    if not a:
        return 0.0 if b else 1.0
    return len(a & b) / len(a)


def bag_jaccard(a: Mapping[T, int], b: Mapping[T, int]) -> float:
    """Return Σ min / Σ max of the counts: the standard Jaccard of bags, and that of the sets of (element, occurrence).

    >>> from collections import Counter
    >>> bag_jaccard(Counter("aaab"), Counter("aabbc"))
    0.5
    """
    larger = sum(max(a.get(x, 0), b.get(x, 0)) for x in {*a, *b})
    return _shared(a, b) / larger if larger else 1.0


def bag_jaccard_of_the_report(a: Mapping[T, int], b: Mapping[T, int]) -> float:
    """Return Σ min / Σ of both sizes, as the source article (and MMDS 3.1.3) define it; a bag has 1/2 with itself.

    It is half of Dice's coefficient and never above 1/2 (docs/primer.md §12, 100); `bag_jaccard` is the one to use.

    >>> from collections import Counter
    >>> bag_jaccard_of_the_report(Counter("aaab"), Counter("aabbc"))
    0.3333333333333333
    """
    sizes = sum(a.values()) + sum(b.values())
    return _shared(a, b) / sizes if sizes else 0.5


def _shared(a: Mapping[T, int], b: Mapping[T, int]) -> int:
    return sum(min(count, b.get(x, 0)) for x, count in a.items())


def cosine(a: Mapping[T, int], b: Mapping[T, int]) -> float:
    """Return the cosine of the angle between two vectors of counts.

    >>> cosine({"x": 3}, {"x": 1}), cosine({"x": 1}, {"y": 1})
    (1.0, 0.0)
    """
    lengths = sum(n * n for n in a.values()) * sum(n * n for n in b.values())
    if not lengths:
        return float(not any(a.values()) and not any(b.values()))
    return min(1.0, sum(n * b.get(x, 0) for x, n in a.items()) / math.sqrt(lengths))


def euclidean(a: Mapping[T, int], b: Mapping[T, int]) -> float:
    """Return the Euclidean distance of two vectors of counts; 0 is equal.

    >>> euclidean({"x": 3}, {"y": 4})
    5.0
    """
    return math.sqrt(sum((a.get(x, 0) - b.get(x, 0)) ** 2 for x in {*a, *b}))


def characteristic_matrix(documents: Sequence[Sequence[T]]) -> tuple[list[T], list[list[int]]]:
    """Return the rows' names, in the order of first appearance, and the matrix of 0 and 1, one column per document.

    >>> rows, matrix = characteristic_matrix([["na", "ad", "da", "al"], ["na", "ad", "di", "ia"]])
    >>> rows, matrix[:3]
    (['na', 'ad', 'da', 'al', 'di', 'ia'], [[1, 1], [1, 1], [1, 0]])
    """
    rows = list(dict.fromkeys(element for document in documents for element in document))
    columns = [set(document) for document in documents]
    return rows, [[int(row in column) for column in columns] for row in rows]


class RowTypeCounts(NamedTuple):
    """How many rows of two columns are (0,0), (0,1), (1,0) and (1,1): a, b, c and d of the source report."""

    a: int
    b: int
    c: int
    d: int

    @property
    def jaccard(self) -> float:
        """Return d / (b + c + d); rows of type a do not matter (docs/primer.md §12, 119).

        >>> RowTypeCounts(a=0, b=2, c=2, d=2).jaccard
        0.3333333333333333
        """
        return self.d / (self.b + self.c + self.d) if self.b + self.c + self.d else 1.0


def row_types(matrix: Sequence[Sequence[int]], left: int, right: int) -> RowTypeCounts:
    """Count the types of rows for two columns of a characteristic matrix.

    >>> row_types([[1, 1], [1, 0], [0, 0]], 0, 1)
    RowTypeCounts(a=1, b=0, c=1, d=1)
    """
    kinds = [(row[left], row[right]) for row in matrix]
    return RowTypeCounts(*(kinds.count(kind) for kind in ((0, 0), (0, 1), (1, 0), (1, 1))))


class CountedElements(NamedTuple):
    """The sizes behind the scores of a pair."""

    shared: int
    """Shingles that both have, as far as they count."""
    a: int
    b: int
    union: int

    @property
    def scores(self) -> tuple[float, float, float]:
        """Return Jaccard, the containment of the first, and that of the second."""
        return self.shared / self.union, self.shared / self.a, self.shared / self.b


def counted(
    units_a: Sequence[str],
    units_b: Sequence[str],
    k: int,
    least: int | None = None,
    ignored: AbstractSet[Shingle] = frozenset(),
) -> CountedElements:
    """Count the shingles that two texts share in passages of at least `least` units.

    >>> a, b = "one two three four x five six".split(), "y one two three four z five six".split()
    >>> counted(a, b, k=2).shared, counted(a, b, k=2, least=4).shared, counted(a, b, k=2, least=5).shared
    (4, 3, 0)
    """
    of_a, of_b = _elements(units_a, k, ignored), _elements(units_b, k, ignored)
    shared = of_a & of_b
    counts = shared
    if least is not None and not (of_a == of_b and _stretches(units_a, k) == _stretches(units_b, k)):
        counts = shared & _in_shared_runs(units_a, units_b, k, max(least, k))
    return CountedElements(len(counts), len(of_a), len(of_b), len(of_a | of_b))


def _elements(units: Sequence[str], k: int, ignored: AbstractSet[Shingle]) -> set[Shingle]:
    """Return the shingles that count; if none does, one element that only the same text has."""
    every = windows(units, k)
    left = {shingle for shingle in every if WALL not in shingle and shingle not in ignored}
    return left or {("nothing else", *(" ".join(shingle) for shingle in every))}


def _stretches(units: Sequence[str], k: int) -> list[list[Shingle]]:
    """Return the shingles between walls, in their order: two texts in which they are equal are copies."""
    by_wall = groupby(windows(units, k), key=lambda shingle: WALL in shingle)
    return [list(stretch) for touches_wall, stretch in by_wall if not touches_wall]


def _in_shared_runs(units_a: Sequence[str], units_b: Sequence[str], k: int, least: int) -> set[Shingle]:
    """Return the shingles in the runs of `least` units that both texts have: a longer run is made of those."""
    runs = _runs(units_a, least) & _runs(units_b, least)
    return {shingle for run in runs for shingle in windows(run, k)}


def _runs(units: Sequence[str], least: int) -> set[Shingle]:
    places = range(len(units) - least + 1)
    runs = {tuple(units[place : place + least]) for place in places}
    return {run for run in runs if WALL not in run}
