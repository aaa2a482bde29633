"""Exact similarity of two texts, two sets, or two bags; and the error of an estimate.

Every function takes two texts (cut by a recipe), two sets of anything hashable, or two Counters; never a mixture. Two
empty documents are equal; an empty one and another are not alike at all.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from lookalike import _native, checks
from lookalike.errors import DocumentError, RecipeError
from lookalike.recipe import DEFAULT, Recipe, settings

if TYPE_CHECKING:
    from collections.abc import Hashable

__all__ = [
    "bag_jaccard",
    "bag_jaccard_report",
    "containment",
    "cosine",
    "euclidean",
    "jaccard",
    "jaccard_distance",
    "standard_error",
]

Document: TypeAlias = "str | Iterable[Hashable] | Mapping[Hashable, int]"


def jaccard(
    a: Document, b: Document, *, bag: bool | None = None, recipe: Recipe | None = None, percent: bool = False
) -> float:
    """Return `|A ∩ B| / |A ∪ B|`, from 0 to 1, or in percent.

    Two Counters, or ``bag=True``, give the bag similarity Σ min / Σ max instead.

    >>> jaccard({0, 1, 2, 5, 6}, {0, 2, 3, 4, 5, 7, 9})
    0.3333333333333333
    >>> jaccard("Its quite sunny today", "It is quite sunny today", recipe=Recipe(k=2), percent=True)
    40.0
    >>> jaccard(Counter("aaab"), Counter("aabbc"))
    0.5
    """
    if bag is False and recipe is not None:
        recipe = recipe.replace(bag=False)
    sums = _sums(a, b, recipe)
    if bag if bag is not None else sums.bags:
        return _out(sums.least, sums.most, percent)
    return _out(sums.shared, sums.size_a + sums.size_b - sums.shared, percent)


def jaccard_distance(a: Document, b: Document, *, recipe: Recipe | None = None) -> float:
    """Return 1 − Jaccard.

    >>> jaccard_distance({1, 2}, {2, 3, 4})
    0.75
    """
    return 1.0 - jaccard(a, b, recipe=recipe)


def bag_jaccard(a: Document, b: Document, *, recipe: Recipe | None = None, percent: bool = False) -> float:
    """Return the Jaccard similarity of bags by the usual definition, Σ min / Σ max of the counts: equal bags have 1.

    >>> bag_jaccard(Counter("aaab"), Counter("aabbc"))
    0.5
    """
    sums = _sums(a, b, recipe)
    return _out(sums.least, sums.most, percent)


def bag_jaccard_report(a: Document, b: Document, *, recipe: Recipe | None = None, percent: bool = False) -> float:
    """Return the bag similarity as the source report defines it, `Σ min / (|A| + |B|)`: equal bags have ½, the most.

    It is half the Dice coefficient. Use `bag_jaccard` unless you compare with that report.

    >>> bag_jaccard_report(Counter("aaab"), Counter("aabbc"))
    0.3333333333333333
    """
    sums = _sums(a, b, recipe)
    total = sums.least + sums.most
    return _out(sums.least, total, percent) if total else _out(1, 2, percent)


def containment(a: Document, b: Document, *, recipe: Recipe | None = None, percent: bool = False) -> float:
    """Return the share of A's different shingles that B has too. For the other way, swap them.

    >>> containment({1, 2}, {1, 2, 3, 4, 5}), containment({1, 2, 3, 4, 5}, {1, 2})
    (1.0, 0.4)
    """
    sums = _sums(a, b, recipe)
    return _out(sums.shared, sums.size_a, percent) if sums.size_a else _out(int(sums.size_b == 0), 1, percent)


def cosine(a: Document, b: Document, *, recipe: Recipe | None = None) -> float:
    """Return the cosine of the angle between the vectors of shingle counts.

    >>> round(cosine(Counter("aaab"), Counter("aabbc")), 4)
    0.8433
    """
    sums = _sums(a, b, recipe)
    if sums.squares_a == 0.0 or sums.squares_b == 0.0:
        return float(sums.squares_a == sums.squares_b)
    # Rounding must not carry equal documents above 1.
    return min(1.0, sums.product / math.sqrt(sums.squares_a * sums.squares_b))


def euclidean(a: Document, b: Document, *, recipe: Recipe | None = None) -> float:
    """Return the distance between the vectors of shingle counts; 0 means equal.

    >>> round(euclidean(Counter("aaab"), Counter("aabbc")), 4)
    1.7321
    """
    sums = _sums(a, b, recipe)
    return math.sqrt(max(0.0, sums.squares_a + sums.squares_b - 2.0 * sums.product))


def standard_error(jaccard: float, hashes: int) -> float:
    """Return √(J(1−J)/h), the standard error of an estimate by h independent hashes; the fast sketch's is never larger.

    >>> standard_error(0.5, 100)
    0.05
    """
    share = checks.number("jaccard", jaccard, "a number from 0 to 1")
    if not 0.0 <= share <= 1.0:
        raise RecipeError("jaccard", jaccard, "a number from 0 to 1")
    return math.sqrt(share * (1.0 - share) / checks.whole("hashes", hashes, 1))


@dataclass(frozen=True, slots=True)
class _Sums:
    """What every measure is computed from: sizes of the sets and sums over the counts."""

    shared: int
    size_a: int
    size_b: int
    least: int
    most: int
    product: float
    squares_a: float
    squares_b: float
    bags: bool


def _sums(a: Document, b: Document, recipe: Recipe | None) -> _Sums:
    if isinstance(a, str) and isinstance(b, str):
        recipe = recipe or DEFAULT
        native = settings(recipe)
        shared, size_a, size_b = _native.overlap(a, b, native)
        least, most, product, squares_a, squares_b = _native.counts(a, b, native)
        return _Sums(shared, size_a, size_b, least, most, product, squares_a, squares_b, bags=False)
    if isinstance(a, str) or isinstance(b, str):
        text, other = ("a", "b") if isinstance(a, str) else ("b", "a")
        problem = f"is not a text but {text} is one"
        raise DocumentError(other, "value", problem, "give two texts, two sets or two Counters")
    return _sums_of_counts(_counts("a", a), _counts("b", b), isinstance(a, Mapping) and isinstance(b, Mapping))


def _sums_of_counts(a: Counter[Any], b: Counter[Any], bags: bool) -> _Sums:
    both = a.keys() & b.keys()
    least = sum(min(a[x], b[x]) for x in both)
    return _Sums(
        shared=len(both),
        size_a=len(a),
        size_b=len(b),
        least=least,
        most=sum(a.values()) + sum(b.values()) - least,
        product=float(sum(a[x] * b[x] for x in both)),
        squares_a=float(sum(n * n for n in a.values())),
        squares_b=float(sum(n * n for n in b.values())),
        bags=bags,
    )


def _counts(name: str, document: Any) -> Counter[Any]:
    if isinstance(document, bytes | bytearray) or not isinstance(document, Iterable):
        problem = f"is {type(document).__name__}"
        raise DocumentError(name, "value", problem, "give a text, a set or a Counter")
    if not isinstance(document, Mapping):
        return Counter(set(document))
    for element, count in document.items():
        if not isinstance(count, int) or isinstance(count, bool) or count < 0:
            raise DocumentError(name, f"count of {element!r}", f"is {count!r}", "give whole numbers of at least 0")
    return Counter({element: count for element, count in document.items() if count})


def _out(part: int, whole: int, percent: bool) -> float:
    share = part / whole if whole else 1.0
    return share * 100.0 if percent else share
