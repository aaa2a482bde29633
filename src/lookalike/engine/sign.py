"""Signatures: a few hundred numbers for each document, whose share of equal positions estimates Jaccard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike import checks
from lookalike._native import SignatureMatrix
from lookalike.errors import LookalikeError, RecipeError
from lookalike.recipe import DEFAULT, Recipe
from lookalike.settings import settings
from lookalike.tables.wording import count

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lookalike.tables.packed import Packed

__all__ = ["Signatures", "sign_sets", "sign_texts"]


class Signatures:
    """The signatures of a collection, with the recipe that made them.

    >>> from lookalike.text.measures import standard_error
    >>> signatures = sign_texts(["one two three four five six", "one two three four five seven"], Recipe(k=2))
    >>> len(signatures), len(signatures[0])
    (2, 256)
    >>> abs(signatures.estimate(0, 1) - 4 / 6) < 4 * standard_error(4 / 6, 256)
    True
    """

    def __init__(self, matrix: SignatureMatrix, recipe: Recipe) -> None:
        """Keep a native matrix; use `sign_texts` to make one."""
        self._matrix = matrix
        self.recipe = recipe

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self._matrix)

    def __repr__(self) -> str:
        """Return what they are."""
        return f"<Signatures: {count(len(self), 'document')} × {self.recipe.hashes} hashes, {self.recipe!r}>"

    def __getitem__(self, i: int) -> list[int]:
        """Return the slots of one signature; 4294967295 stands for infinity, the slot of an empty set."""
        return self._matrix.slots(i)

    def estimate(self, i: int, j: int) -> float:
        """Return the share of slots in which two signatures agree; two infinities do not agree (seed item 9)."""
        return self._matrix.agreeing(i, j) / self.recipe.hashes

    def union(self, rows: Iterable[int]) -> Signatures:
        """Return the one signature of all these documents put together.

        >>> both = sign_texts(["a b c", "d e f"], Recipe(k=1)).union([0, 1])
        >>> both[0] == sign_texts(["a b c d e f"], Recipe(k=1))[0]
        True
        """
        return Signatures(self._matrix.union(list(rows)), self.recipe)

    def to_bytes(self) -> bytes:
        """Return the slots as little-endian 32-bit numbers, document by document."""
        return self._matrix.to_bytes()

    @classmethod
    def from_bytes(cls, data: bytes, recipe: Recipe) -> Signatures:
        """Read back what `to_bytes` gave; the recipe must be the one that made it."""
        if len(data) % (4 * recipe.hashes):
            raise LookalikeError(f"{len(data)} bytes are not whole signatures of {recipe.hashes} hashes")
        return cls(SignatureMatrix.of_bytes(data, recipe.hashes), recipe)

    def __reduce__(self) -> tuple[object, tuple[bytes, Recipe]]:
        """Pickle: worker processes send signatures back."""
        return Signatures.from_bytes, (self.to_bytes(), self.recipe)

    @property
    def native(self) -> SignatureMatrix:
        """The native matrix, for the other functions of this package."""
        return self._matrix


def sign_texts(texts: list[str] | list[Packed], recipe: Recipe | None = None, *, threads: int = 0) -> Signatures:
    """Return the signatures of texts, plain or packed; `threads=0` takes all cores. The numbers do not depend on it."""
    recipe = recipe or DEFAULT
    return Signatures(SignatureMatrix.of_texts(texts, settings(recipe), checks.threads(threads)), recipe)


def _iterable(number: int, given: Iterable[int]) -> Iterable[int]:
    if not hasattr(given, "__iter__"):
        raise RecipeError(f"set {number}", given, "a set or list of whole numbers")
    return given


def sign_sets(
    sets: Iterable[Sequence[int] | set[int]], recipe: Recipe | None = None, *, threads: int = 0
) -> Signatures:
    """Return the signatures of sets of 64-bit numbers that are already hashes; an empty set is all infinity."""
    recipe = recipe or DEFAULT
    listed = [
        [checks.whole(f"an element of set {i}", x, 0, 2**64 - 1) for x in _iterable(i, s)] for i, s in enumerate(sets)
    ]
    return Signatures(SignatureMatrix.of_sets(listed, settings(recipe), checks.threads(threads)), recipe)
