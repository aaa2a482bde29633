"""Many documents: band keys (docs/format.md §6), candidates, the exact join, groups, and shared passages."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Literal, NamedTuple

from lookalike.reference.hash_functions import fold, hash_vec32, hash_vec64
from lookalike.reference.similarity import jaccard
from lookalike.reference.sketches import INFINITY

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

__all__ = [
    "UnitPassage",
    "band_keys",
    "brute_force_join",
    "candidates",
    "linked_groups",
    "ordered_pair",
    "passages",
    "slot_byte",
    "star_groups",
]

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


# -- groups ----------------------------------------------------------------------------------------------------------


def star_groups(order: Sequence[int], pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Return groups in which every member is paired with the first, the principal.

    Documents are taken by priority, as in `order`: one that is still free becomes a principal and takes all of its
    neighbours that are still free. Groups of one are left out.

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
    """Return the connected components, each by priority and so with its principal first. Groups of one are left out.

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
