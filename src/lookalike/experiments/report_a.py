"""What the experiments of report A share: its preprocessing, its sizes, and the names of the kinds of signature."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import lookalike as la
from lookalike.hashing import FAMILIES

if TYPE_CHECKING:
    from lookalike.experiments.definition import Setup

__all__ = ["BANDS", "DOCUMENTS", "FAST", "SKETCHES", "hash_seed", "recipe", "similarities", "sketch"]

DOCUMENTS: Final = 410
"""As many shuffles as report A has in §8.3."""
BANDS: Final = la.Bands(20, 10)
"""The bands of report A, §8.3."""
FAST: Final = "fast sketch"
SKETCHES: Final = (*FAMILIES, FAST)
"""The kinds of signature: classic MinHash with each family, and this project's own."""
_SMALLEST: Final = 1e-9  # find() wants a threshold above 0, and this is below every similarity that is not 0


def recipe(k: int, **settings: Any) -> la.Recipe:
    """Return report A's preprocessing: characters in lower case, neither white space nor punctuation."""
    return la.Recipe(unit="char", k=k, whitespace="remove").replace(**settings)


def hash_seed(setup: Setup, number: int) -> int:
    """Return another seed of hash functions for each number up to a thousand."""
    return (1_000 * setup.seed + number) % 2**64


def similarities(texts: list[str], settings: la.Recipe) -> dict[tuple[int, int], float]:
    """Return the exact similarity of every pair that shares a shingle."""
    pairs = la.find(texts, _SMALLEST, method="brute", recipe=settings).pairs
    listed: list[list[Any]] = [pairs[name].to_pylist() for name in ("a", "b", "jaccard")]
    return {(a, b): similarity for a, b, similarity in zip(*listed, strict=True)}


def sketch(name: str) -> dict[str, Any]:
    """Return the settings of a kind of signature.

    >>> sketch("murmur3"), sketch("fast sketch")
    ({'sketch': 'classic', 'family': 'murmur3'}, {'sketch': 'fast'})
    """
    return {"sketch": "fast"} if name == FAST else {"sketch": "classic", "family": name}
