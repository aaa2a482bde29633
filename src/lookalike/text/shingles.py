"""Units and shingles of one text, each with its place in the original; and the matrix of a few documents.

In the characteristic matrix, rows are shingles and columns are documents: the picture in which MinHash is explained
(Leskovec, Rajaraman and Ullman, Mining of Massive Datasets, section 3.3.1). It is nearly empty for real texts, so it is
kept sparse, and printed whole only when it is small.

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
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from lookalike import _native, checks
from lookalike.errors import DocumentError
from lookalike.recipe import DEFAULT, Recipe, settings
from lookalike.tables.wording import count

__all__ = ["CharacteristicMatrix", "RowTypes", "Shingle", "characteristic_matrix", "normalize", "shingles", "units"]


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
    return [Shingle(*unit) for unit in _native.units(checks.text("text", text), settings(recipe or DEFAULT))]


def normalize(text: str, recipe: Recipe | None = None) -> str:
    """Return what the recipe leaves of a text: its words joined by blanks, or its characters.

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
    return [Shingle(*shingle) for shingle in _native.shingles(checks.text("text", text), settings(recipe or DEFAULT))]


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
        sets[str(name)] = {shingle.text for shingle in shingles(checks.text(name, text), recipe)}
    rows = tuple(sorted(set().union(*sets.values())))
    number = {row: i for i, row in enumerate(rows)}
    return CharacteristicMatrix(rows, {name: tuple(sorted(number[s] for s in found)) for name, found in sets.items()})
