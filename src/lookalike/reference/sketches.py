"""Signatures: a set of any size as a fixed row of numbers, whose agreement estimates Jaccard (docs/format.md §5).

First the textbook method on a characteristic matrix (Mining of Massive Datasets §3.3), to read and to test against;
then the two sketches that lookalike makes.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from lookalike.reference.hash_functions import (
    M32,
    M64,
    first_primes,
    fold,
    hash_units,
    jenkins_mix,
    modular,
    murmur3_32,
    occurrence_hash,
    splitmix,
)
from lookalike.reference.text import units, windows

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from lookalike.recipe import Recipe

__all__ = [
    "INFINITY",
    "classic_signature",
    "elements",
    "estimate",
    "family_functions",
    "fast_sketch",
    "minhash_by_permutation",
    "signature",
    "signature_matrix",
    "signature_states",
]

INFINITY: Final = M32
"""The value of every slot of the empty set, and of no slot of any other."""

_PRIME: Final = 4_294_967_291  # the largest prime below 2³²
_LABELS: Final = {
    "modular": 0x6D6F_6475_6C61_7200,
    "multiplicative": 0x6D75_6C74_6900_0000,
    "murmur3": 0x6D75_726D_7572_3300,
    "jenkins": 0x6A65_6E6B_696E_7300,
}
_FAST_LABEL: Final = 0x6661_7374_7631_0000

T = TypeVar("T")


# -- the textbook ----------------------------------------------------------------------------------------------------


def minhash_by_permutation(column: Collection[T], permutation: Iterable[T]) -> T | None:
    """Return the first row of a permutation that is in the set: MinHash as it is defined (docs/primer.md §4).

    >>> minhash_by_permutation({"na", "ad", "da", "al"}, ["di", "da", "ia", "na", "ad", "al"])
    'da'
    """
    return next((row for row in permutation if row in column), None)


def signature_states(
    matrix: Sequence[Sequence[int]], functions: Sequence[Callable[[int], int]]
) -> Iterator[list[list[int | None]]]:
    """Yield the signature matrix after each row of a characteristic matrix; None is infinity (docs/primer.md §12, 106).

    Row i of the result belongs to hash function i, column c to document c.
    """
    columns = len(matrix[0]) if matrix else 0
    state: list[list[int | None]] = [[None] * columns for _ in functions]
    for number, row in enumerate(matrix):
        values = [function(number) for function in functions]  # once per row, not once per document
        for minima, value in zip(state, values, strict=True):
            for column, cell in enumerate(row):
                least = minima[column]
                if cell and (least is None or value < least):
                    minima[column] = value
        yield [list(minima) for minima in state]


def signature_matrix(
    matrix: Sequence[Sequence[int]], functions: Sequence[Callable[[int], int]]
) -> list[list[int | None]]:
    """Return the signature matrix of a characteristic matrix (docs/primer.md §5).

    >>> matrix = [[1, 0, 0, 1], [0, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 1], [0, 0, 1, 0]]
    >>> signature_matrix(matrix, [lambda x: (x + 1) % 5, lambda x: (3 * x + 1) % 5])
    [[1, 3, 0, 1], [0, 2, 0, 0]]
    """
    final: list[list[int | None]] = [[] for _ in functions]
    for state in signature_states(matrix, functions):
        final = state
    return final


def estimate(a: Sequence[int | None], b: Sequence[int | None]) -> float:
    """Return the share of slots that are equal and not infinity (docs/primer.md §4).

    >>> estimate([1, 0], [0, 0]), estimate([INFINITY, INFINITY], [INFINITY, INFINITY])
    (0.5, 0.0)
    """
    agree = sum(1 for x, y in zip(a, b, strict=True) if x == y and x is not None and x != INFINITY)
    return agree / len(a)


# -- §3, §4 the elements of a document -------------------------------------------------------------------------------


def elements(text: str, recipe: Recipe) -> set[int]:
    """Return the document as a set of 64-bit numbers: its shingles, or for a bag its (shingle, occurrence) pairs.

    >>> from lookalike.recipe import Recipe
    >>> len(elements("aaab", Recipe(unit="char", k=1))), len(elements("aaab", Recipe(unit="char", k=1, bag=True)))
    (2, 4)
    """
    hashes = [
        hash_units(window, unit=recipe.unit, seed=recipe.seed) for window in windows(units(text, recipe), recipe.k)
    ]
    if not recipe.bag:
        return set(hashes)
    seen: Counter[int] = Counter()
    bag = set()
    for h in hashes:
        bag.add(occurrence_hash(h, seen[h], recipe.seed))
        seen[h] += 1
    return bag


def signature(text: str, recipe: Recipe) -> list[int]:
    """Return the signature of a text.

    >>> from lookalike.recipe import Recipe
    >>> recipe = Recipe(hashes=64)
    >>> estimate(signature("one and the same text", recipe), signature("One and the same text!", recipe))
    1.0
    """
    if recipe.sketch == "fast":
        return fast_sketch(elements(text, recipe), recipe.hashes, recipe.seed)
    return classic_signature(elements(text, recipe), recipe.hashes, recipe.seed, recipe.family)


def key(x: int) -> int:
    """Fold an element to 32 bits."""
    return (x & M32) ^ (x >> 32)


def _least(values: Iterable[int]) -> int:
    """Return the least value, cut below infinity; infinity itself only if there is none."""
    return min((min(value, INFINITY - 1) for value in values), default=INFINITY)


# -- §5.1 the fast sketch --------------------------------------------------------------------------------------------


def fast_sketch(elements: Iterable[int], hashes: int, seed: int) -> list[int]:
    """Return the fast similarity sketch (Dahlgaard, Knudsen, Thorup, FOCS 2017; two rounds, then MinHash).

    The two high bits of a slot say where its value comes from. In rounds 0 and 1 an element offers a value to one slot
    only; what no element reached by then is filled by the values, tagged 3, that each element offers to every slot. The
    least value wins everywhere, so the sketch of a union is the slot-wise minimum of the sketches.

    >>> a, b = {1, 2, 3}, {3, 4}
    >>> fast_sketch(a | b, 16, 1) == [min(pair) for pair in zip(fast_sketch(a, 16, 1), fast_sketch(b, 16, 1))]
    True
    """
    stream = splitmix(seed ^ _FAST_LABEL)
    r1, r2 = next(stream), next(stream)
    lines = [(next(stream) >> 32 | 1, next(stream) >> 32) for _ in range(hashes)]
    offers: list[list[int]] = [[] for _ in range(hashes)]
    for x in elements:
        for tag, y in enumerate((x, fold(x ^ r1, r2))):
            product = y * hashes
            offers[product >> 64].append(tag << 30 | (product & M64) >> 34)
        for slot, (a, b) in zip(offers, lines, strict=True):
            slot.append(3 << 30 | (a * key(x) + b & M32) >> 2)
    return [_least(slot) for slot in offers]


# -- §5.2 classic MinHash --------------------------------------------------------------------------------------------


def classic_signature(elements: Iterable[int], hashes: int, seed: int, family: str) -> list[int]:
    """Return the MinHash signature: per hash function, the least value over the elements.

    >>> classic_signature([], 3, 1, "murmur3") == [INFINITY] * 3
    True
    """
    keys = {key(x) for x in elements}
    return [_least(function(t) for t in keys) for function in family_functions(family, hashes, seed)]


def family_functions(family: str, hashes: int, seed: int) -> list[Callable[[int], int]]:
    """Return the hash functions of a family, with the parameters that the seed draws (docs/primer.md §12, 107-110).

    >>> from lookalike.recipe import FAMILIES
    >>> [len(family_functions(name, 3, 1)) for name in FAMILIES]
    [3, 3, 3, 3]
    """
    stream = splitmix(seed ^ _LABELS[family])
    makers = {"modular": _modular, "multiplicative": _multiplicative, "murmur3": _murmur3, "jenkins": _jenkins}
    return list(makers[family](stream, hashes))


def _modular(stream: Iterator[int], hashes: int) -> Iterator[Callable[[int], int]]:
    for _ in range(hashes):
        a = 1 + next(stream) % (_PRIME - 1)
        b = next(stream) % _PRIME
        yield partial(modular, a=a, b=b, m=_PRIME)


def _multiplicative(stream: Iterator[int], hashes: int) -> Iterator[Callable[[int], int]]:
    for _ in range(hashes):
        s, o = next(stream) >> 32 | 1, next(stream) >> 32
        yield partial(_multiply_add, s=s, o=o)


def _multiply_add(t: int, s: int, o: int) -> int:
    return s * t + o & M32


def _murmur3(stream: Iterator[int], hashes: int) -> Iterator[Callable[[int], int]]:
    used: set[int] = set()
    for _ in range(hashes):
        seed = next(stream) >> 32
        while seed in used:  # two functions with one seed would be one function (docs/primer.md §12, 110)
            seed = next(stream) >> 32
        used.add(seed)
        yield partial(_murmur3_of_key, seed=seed)


def _murmur3_of_key(t: int, seed: int) -> int:
    return murmur3_32(t.to_bytes(4, "little"), seed)


def _jenkins(stream: Iterator[int], hashes: int) -> Iterator[Callable[[int], int]]:
    for p in first_primes(hashes):
        m = next(stream) >> 32
        yield partial(jenkins_mix, p, m)
