"""The shingles of a text, and the exact similarity of two texts, sets or bags; and the error of an estimate.

A shingle has its place in the original. In the characteristic matrix of a few documents, rows are shingles and columns
are documents: the picture in which MinHash is explained (Leskovec, Rajaraman and Ullman, Mining of Massive Datasets,
section 3.3.1). It is nearly empty for real texts, so it is kept sparse, and printed whole only when it is small.

>>> from lookalike import Recipe
>>> matrix = characteristic_matrix({"S1": "Nadal", "S2": "Nadia"}, Recipe(unit="char", k=2))
>>> print(matrix)
shingle  S1  S2
ad        1   1
al        1   0
da        1   0
di        0   1
ia        0   1
na        1   1
>>> matrix.row_types("S1", "S2")
RowTypes(a=0, b=2, c=2, d=2)
>>> matrix.row_types("S1", "S2").jaccard
0.3333333333333333

Every measure takes two texts (cut by a recipe), two sets of anything hashable, or two Counters; never a mixture. Two
empty documents are equal; an empty one and another have a similarity of 0.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from lookalike import _native
from lookalike.errors import DocumentError, RecipeError, check_number, check_text, check_whole
from lookalike.recipe import DEFAULT, Recipe, settings
from lookalike.tables.spelling import count

if TYPE_CHECKING:
    from collections.abc import Hashable

__all__ = [
    "CharacteristicMatrix",
    "RowTypes",
    "Shingle",
    "bag_jaccard",
    "bag_jaccard_report",
    "characteristic_matrix",
    "containment",
    "cosine",
    "euclidean",
    "jaccard",
    "jaccard_distance",
    "normalize",
    "shingles",
    "standard_error",
    "units",
]


class Shingle(NamedTuple):
    """A shingle, or a single unit: its normalised text and its position in the original."""

    text: str
    start: int
    end: int


def units(text: str, recipe: Recipe | None = None) -> list[Shingle]:
    """Return the units (words or characters) of a text.

    >>> [unit.text for unit in units("Don't panic, it's well-known!")]
    ['dont', 'panic', 'its', 'well', 'known']
    """
    return [Shingle(*unit) for unit in _native.units(check_text("text", text), settings(recipe or DEFAULT))]


def normalize(text: str, recipe: Recipe | None = None) -> str:
    """Return the normalised text: its words joined by spaces, or its characters.

    >>> normalize("The  Café — open!", Recipe(unit="char", accents="strip"))
    'the cafe open'
    """
    recipe = recipe or DEFAULT
    return ("" if recipe.unit == "char" else " ").join(unit.text for unit in units(text, recipe))


def shingles(text: str, recipe: Recipe | None = None) -> list[Shingle]:
    """Return the shingles of a text in order, repeats included; their set is what the document is compared by.

    A text of fewer than k units has one shingle, the whole of it.

    >>> shingles("Nadal", Recipe(unit="char", k=2))[:2]
    [Shingle(text='na', start=0, end=2), Shingle(text='ad', start=1, end=3)]
    >>> [s.text for s in shingles("Its quite sunny today", Recipe(k=2))]
    ['its quite', 'quite sunny', 'sunny today']
    """
    return [Shingle(*shingle) for shingle in _native.shingles(check_text("text", text), settings(recipe or DEFAULT))]


# -- the characteristic matrix -----------------------------------------------------------------------------------------

PRINTABLE = 60
"""A matrix of more rows than this is printed as its first rows and a count."""


class RowTypes(NamedTuple):
    """How many rows of two columns are (0,0), (0,1), (1,0) and (1,1)."""

    a: int
    b: int
    c: int
    d: int

    @property
    def jaccard(self) -> float:
        """d / (b + c + d): rows of type a say nothing."""
        union = self.b + self.c + self.d
        return self.d / union if union else 1.0


@dataclass(frozen=True, slots=True)
class CharacteristicMatrix:
    """Which documents have which shingles."""

    rows: tuple[str, ...]
    """All shingles, sorted."""
    columns: Mapping[str, tuple[int, ...]]
    """For each document the numbers of the rows in which it has a 1, sorted."""

    def cell(self, row: int, column: str) -> int:
        """Return 1 if the document has the shingle of this row, else 0."""
        return int(row in self.columns[column])

    @property
    def density(self) -> float:
        """The share of ones."""
        cells = len(self.rows) * len(self.columns)
        return sum(map(len, self.columns.values())) / cells if cells else 0.0

    def dense(self) -> list[list[int]]:
        """Return all cells, row by row."""
        sets = [frozenset(rows) for rows in self.columns.values()]
        return [[int(row in column) for column in sets] for row in range(len(self.rows))]

    def row_types(self, first: str, second: str) -> RowTypes:
        """Count the types of rows of two columns."""
        x, y = frozenset(self.columns[first]), frozenset(self.columns[second])
        return RowTypes(a=len(self.rows) - len(x | y), b=len(y - x), c=len(x - y), d=len(x & y))

    def __str__(self) -> str:
        """Return a table, cut after 60 rows."""
        names = list(self.columns)
        wide = max([len("shingle"), *(len(_visible(row)) for row in self.rows[:PRINTABLE])])
        lines = ["  ".join(["shingle".ljust(wide), *names])]
        for row, cells in zip(self.rows[:PRINTABLE], self.dense(), strict=False):
            values = (str(cell).rjust(len(name)) for cell, name in zip(cells, names, strict=True))
            lines.append("  ".join([_visible(row).ljust(wide), *values]))
        if len(self.rows) > PRINTABLE:
            lines.append(f"… and {count(len(self.rows) - PRINTABLE, 'more row')}, {self.density:.1%} ones in all")
        return "\n".join(lines)


def _visible(shingle: str) -> str:
    """White space and control characters as escapes, so that a row stays one line."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in shingle)


def characteristic_matrix(
    documents: Mapping[str, str] | Iterable[str], recipe: Recipe | None = None
) -> CharacteristicMatrix:
    """Build the matrix of a few documents: texts by name, or a list of texts, named 0, 1, 2 …"""
    if isinstance(documents, str):
        raise DocumentError(None, "documents", "are one text, not a collection", "give a list or dict of texts")
    named = documents if isinstance(documents, Mapping) else dict(enumerate(documents))
    sets: dict[str, set[str]] = {}
    for name, text in named.items():
        sets[str(name)] = {shingle.text for shingle in shingles(check_text(name, text), recipe)}
    rows = tuple(sorted(set().union(*sets.values())))
    number = {row: i for i, row in enumerate(rows)}
    return CharacteristicMatrix(rows, {name: tuple(sorted(number[s] for s in found)) for name, found in sets.items()})


# -- measures ----------------------------------------------------------------------------------------------------------

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
    """Return √(J(1−J)/h), the standard error of an estimate by h independent hashes.

    That of the fast sketch was not larger in any measurement (docs/accuracy.md); there is no proof.

    >>> standard_error(0.5, 100)
    0.05
    """
    share = check_number("jaccard", jaccard, "a number from 0 to 1")
    if not 0.0 <= share <= 1.0:
        raise RecipeError("jaccard", jaccard, "a number from 0 to 1")
    return math.sqrt(share * (1.0 - share) / check_whole("hashes", hashes, 1))


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
    for element, times in document.items():
        if not isinstance(times, int) or isinstance(times, bool) or times < 0:
            raise DocumentError(name, f"count of {element!r}", f"is {times!r}", "give whole numbers of at least 0")
    return Counter({element: times for element, times in document.items() if times})


def _out(part: int, whole: int, percent: bool) -> float:
    share = part / whole if whole else 1.0
    return share * 100.0 if percent else share
