"""How similar two documents are, exactly (docs/primer.md §3), and which of many are similar (docs/format.md §6).

Of two texts with excluded text (docs/format.md §4.1), `counted` says which shingles count. There a text is given by its
units, and a unit that is `EXCLUDED` stands for excluded text.
An empty set or bag equals only another empty one: similarity 1 to that, 0 to everything else.
"""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import groupby
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar

from lookalike.reference.code import EXCLUDED
from lookalike.reference.hash_functions import fold, hash_vec32, hash_vec64
from lookalike.reference.sketches import INFINITY
from lookalike.reference.text import windows

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

__all__ = [
    "EXCLUDED",
    "CountedElements",
    "RowTypeCounts",
    "UnitPassage",
    "bag_jaccard",
    "bag_jaccard_of_the_report",
    "band_keys",
    "brute_force_join",
    "candidates",
    "characteristic_matrix",
    "containment",
    "cosine",
    "counted",
    "euclidean",
    "jaccard",
    "linked_groups",
    "ordered_pair",
    "passages",
    "row_types",
    "slot_byte",
    "star_groups",
]

T = TypeVar("T", bound="Hashable")

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
    left = {shingle for shingle in every if EXCLUDED not in shingle and shingle not in ignored}
    return left or {("nothing else", *(" ".join(shingle) for shingle in every))}


def _stretches(units: Sequence[str], k: int) -> list[list[Shingle]]:
    """Return the shingles between excluded text, in their order: two texts in which they are equal are copies."""
    by_exclusion = groupby(windows(units, k), key=lambda shingle: EXCLUDED in shingle)
    return [list(stretch) for excluded, stretch in by_exclusion if not excluded]


def _in_shared_runs(units_a: Sequence[str], units_b: Sequence[str], k: int, least: int) -> set[Shingle]:
    """Return the shingles in the runs of `least` units that both texts have: a longer run is made of those."""
    runs = _runs(units_a, least) & _runs(units_b, least)
    return {shingle for run in runs for shingle in windows(run, k)}


def _runs(units: Sequence[str], least: int) -> set[Shingle]:
    places = range(len(units) - least + 1)
    runs = {tuple(units[place : place + least]) for place in places}
    return {run for run in runs if EXCLUDED not in run}


KeyKind = Literal["mix64", "hash_vec64", "hash_vec32"]


# -- bands and candidates --------------------------------------------------------------------------------------------


def band_keys(signature: Sequence[int], bands: int, rows: int, kind: KeyKind = "mix64") -> list[int]:
    """Return one key per band; slots after bands·rows are not used.

    >>> band_keys([1, 2, 3, 9], bands=1, rows=3, kind="hash_vec64")
    [11093819480084]
    """
    if bands < 1 or rows < 1 or bands * rows > len(signature):
        raise ValueError(f"{bands} bands of {rows} rows do not fit a signature of {len(signature)}")
    parts = [signature[band * rows : band * rows + rows] for band in range(bands)]
    if kind == "hash_vec64":
        return [hash_vec64(part) for part in parts]
    if kind == "hash_vec32":
        return [hash_vec32(part) for part in parts]
    return [_mix64(part, band) for band, part in enumerate(parts)]


def _mix64(part: Sequence[int], band: int) -> int:
    h = 0xA076_1D64_78BD_642F ^ (band << 32 | len(part))
    for value in part:
        h = fold(h ^ value, 0xE703_7ED1_A0B4_28DB)
    return fold(h ^ 0x8EBC_6AF0_9C88_C6E3, 0x5899_65CC_7537_4CC3)


def slot_byte(slot: int) -> int:
    """Return the byte that a search keeps of a slot: equal slots have equal bytes, others do so once in 256 times.

    >>> [slot_byte(slot) for slot in (0, 1, 2, 0xFFFF_FFFF)]
    [0, 158, 60, 97]
    """
    return (slot * 0x9E37_79B1 & 0xFFFF_FFFF) >> 24


def ordered_pair(a: int, b: int) -> tuple[int, int]:
    """Return the pair with the smaller first, so that (a, b) and (b, a) are one.

    >>> ordered_pair(4, 3)
    (3, 4)
    """
    return (a, b) if a < b else (b, a)


def candidates(
    signatures: Sequence[Sequence[int]], bands: int, rows: int, kind: KeyKind = "mix64"
) -> set[tuple[int, int]]:
    """Return the pairs that share a band's key, each once, the smaller number first (docs/primer.md §7).

    Two different bands can share a key by chance; verification drops such a candidate (docs/primer.md §12, 111). A band
    of infinity agrees with nothing, so empty sets are nobody's candidates (docs/primer.md §4).

    >>> candidates([[0, 1, 4, 3], [2, 1, 3, 0], [0, 1, 4, 3], [1, 2, 0, 4]], bands=1, rows=4)
    {(0, 2)}
    """
    keys = [band_keys(signature, bands, rows, kind) for signature in signatures]
    found: set[tuple[int, int]] = set()
    for band in range(bands):
        bucket: dict[int, list[int]] = defaultdict(list)  # a new one for every band (docs/primer.md §12, 113)
        for document, signature in enumerate(signatures):
            if signature[band * rows] == INFINITY:
                continue
            same = bucket[keys[document][band]]
            found.update(ordered_pair(other, document) for other in same)
            same.append(document)
    return found


def brute_force_join(sets: Sequence[AbstractSet[Hashable]], threshold: float) -> list[tuple[int, int, float]]:
    """Compare every pair; return (a, b, Jaccard) of those at or above the threshold, in order.

    >>> brute_force_join([{1, 2, 3}, {2, 3}, {7}], 0.5)
    [(0, 1, 0.6666666666666666)]
    """
    pairs = ((a, b, jaccard(sets[a], sets[b])) for b in range(len(sets)) for a in range(b))
    return sorted(pair for pair in pairs if pair[2] >= threshold)


# -- clusters --------------------------------------------------------------------------------------------------------


def star_groups(order: Sequence[int], pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Return clusters in which every member is paired with the first, the representative.

    Documents are taken by priority, as in `order`: one that is still free becomes a representative and takes all of
    its neighbours that are still free. Clusters of one are omitted.

    >>> star_groups([0, 1, 2, 3], [(0, 1), (1, 2), (2, 3)])
    [[0, 1], [2, 3]]
    """
    neighbours = _neighbours(pairs)
    taken: set[int] = set()
    groups = []
    for principal in order:
        if principal in taken:
            continue
        group = [principal, *(d for d in order if d in neighbours[principal] and d not in taken)]
        taken.update(group)
        if len(group) > 1:
            groups.append(group)
    return groups


def linked_groups(order: Sequence[int], pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Return the connected components, each by priority, so with its representative first. Clusters of one are omitted.

    >>> linked_groups([3, 1, 2, 0, 4], [(0, 1), (1, 2), (3, 4)])
    [[3, 4], [1, 2, 0]]
    """
    neighbours = _neighbours(pairs)
    taken: set[int] = set()
    groups = []
    for principal in order:
        if principal in taken:
            continue
        reached, waiting = {principal}, [principal]
        while waiting:
            fresh = neighbours[waiting.pop()] - reached
            reached |= fresh
            waiting.extend(fresh)
        taken |= reached
        if len(reached) > 1:
            groups.append([d for d in order if d in reached])
    return groups


def _neighbours(pairs: Iterable[tuple[int, int]]) -> defaultdict[int, set[int]]:
    result: defaultdict[int, set[int]] = defaultdict(set)
    for a, b in pairs:
        if a != b:
            result[a].add(b)
            result[b].add(a)
    return result


# -- passages --------------------------------------------------------------------------------------------------------


class UnitPassage(NamedTuple):
    """A run of units that both documents have: where it starts in each, and how long it is."""

    start_a: int
    start_b: int
    length: int


def passages(units_a: Sequence[str], units_b: Sequence[str], n: int) -> list[UnitPassage]:
    """Return the runs of at least n units of A that occur in B, from left to right, without overlap in A.

    At each position of A the longest run that occurs anywhere in B is taken, at its leftmost place in B, if it has n
    units or more; the search goes on behind it.

    >>> passages("the cat sat on the mat".split(), "on the mat the cat sat".split(), 2)
    [UnitPassage(start_a=0, start_b=3, length=3), UnitPassage(start_a=3, start_b=0, length=3)]
    """
    return list(_passages(units_a, units_b, n))


def _passages(units_a: Sequence[str], units_b: Sequence[str], n: int) -> Iterator[UnitPassage]:
    if n < 1:
        raise ValueError(f"n must be a whole number of at least 1, not {n!r}")
    i = 0
    while i < len(units_a):
        lengths = [_common_run(units_a, i, units_b, j) for j in range(len(units_b))]
        longest = max(lengths, default=0)
        if longest >= n:
            yield UnitPassage(i, lengths.index(longest), longest)
            i += longest
        else:
            i += 1


def _common_run(units_a: Sequence[str], i: int, units_b: Sequence[str], j: int) -> int:
    length = 0
    while i + length < len(units_a) and j + length < len(units_b) and units_a[i + length] == units_b[j + length]:
        length += 1
    return length
