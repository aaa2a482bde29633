"""Find the pairs of a collection, by one of four methods that end in the same verified form."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Final, Literal

from lookalike import _native
from lookalike.documents import gather
from lookalike.errors import BandsError, RecipeError
from lookalike.recipe import Recipe, suggest
from lookalike.result import Recall, Result
from lookalike.search.bands import Bands, check_bands, choose_bands
from lookalike.settings import settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lookalike.documents import Documents
    from lookalike.search.groups import Linkage

__all__ = ["METHODS", "Method", "find"]

Method = Literal["auto", "lsh", "exact", "signatures", "brute"]
METHODS: Final = ("auto", "lsh", "exact", "signatures", "brute")

SMALL: Final = 5_000_000
"""Up to about this many shingles the exact join takes a fraction of a second, and its recall is 1."""


def find(
    documents: Documents,
    threshold: float = 0.8,
    *,
    recall: float = 0.99,
    method: Method = "auto",
    recipe: Recipe | None = None,
    bands: Bands | None = None,
    linkage: Linkage = "star",
    order: Sequence[int] | None = None,
    threads: int = 0,
) -> Result:
    """Find all pairs whose Jaccard similarity is at least `threshold`, each with its exact score.

    * ``lsh``: signatures in bands, chosen so that at least the share `recall` of the pairs is found, or given.
    * ``exact``: a join by prefix filter: every pair, without any probability.
    * ``signatures``: all pairs of signatures are compared; `recall` decides how far below the threshold is looked.
    * ``brute``: all pairs of documents are compared.
    * ``auto``: exact for a small collection, lsh for a large one.

    >>> result = find(["the quick brown fox jumps over the lazy dog", "The quick brown fox jumps over the lazy dog!",
    ...                "something else altogether, not like the others"])
    >>> result.pairs.to_pylist()
    [{'a': 0, 'b': 1, 'jaccard': 1.0, 'containment_a': 1.0, 'containment_b': 1.0}]
    """
    started = time.perf_counter()
    recipe = recipe or Recipe()
    threshold = _check_threshold(threshold)
    collection = gather(documents)
    chosen = _choose(method, collection.texts, threshold, recall, recipe, bands)
    if bands is None:
        bands = _bands(threshold, recall, recipe) if chosen == "lsh" else None
    else:
        check_bands(bands, recipe.hashes)
    lost = _allowed_loss(chosen, recall)
    found = _native.find(
        collection.texts,
        settings(recipe),
        threshold=threshold,
        method=chosen,
        bands=bands.bands if bands else 1,
        rows=bands.rows if bands else 1,
        least=least_agreeing(threshold, recipe.hashes, lost) if lost else 0,
        threads=threads,
    )
    return Result(
        ids=collection.ids,
        found=found,
        threshold=threshold,
        recipe=recipe,
        method=chosen,
        bands=bands,
        recall=Recall(promised=_promised(chosen, threshold, recall, bands, lost)),
        linkage=linkage,
        order=order,
        seconds=time.perf_counter() - started,
    )


def _check_threshold(threshold: float) -> float:
    try:
        value = math.nan if isinstance(threshold, bool | str) else float(threshold)
    except (TypeError, ValueError):
        value = math.nan
    if not 0.0 < value <= 1.0:
        raise RecipeError("threshold", threshold, "a number above 0 and at most 1")
    return value


def _choose(method: str, texts: list[str], threshold: float, recall: float, recipe: Recipe, bands: Bands | None) -> str:
    if method not in METHODS:
        raise RecipeError("method", method, "one of " + ", ".join(METHODS), suggest(method, METHODS))
    if not 0.0 < recall <= 1.0:
        raise RecipeError("recall", recall, "a number above 0 and at most 1")
    if method != "auto":
        return method
    if bands is not None:
        return "lsh"
    shingles = sum(map(len, texts)) // (6 if recipe.unit == "word" else 1)  # a word and its blank are about six letters
    if shingles <= SMALL or recall == 1.0:
        return "exact"
    try:
        _bands(threshold, recall, recipe)
    except BandsError:
        return "exact"
    return "lsh"


def _bands(threshold: float, recall: float, recipe: Recipe) -> Bands:
    """Return bands for a recall that the sketch filter may then lower to what was asked for."""
    return choose_bands(threshold, recall=recall + _allowed_loss("lsh", recall), hashes=recipe.hashes)


def _allowed_loss(method: str, recall: float) -> float:
    """Return the share of true pairs that the filter on agreeing slots may lose."""
    return {"lsh": (1.0 - recall) / 50, "signatures": 1.0 - recall}.get(method, 0.0)


def _promised(method: str, threshold: float, recall: float, bands: Bands | None, lost: float) -> float:
    if method == "lsh" and bands is not None:
        return bands.recall(threshold) - lost
    return recall if method == "signatures" else 1.0


def least_agreeing(threshold: float, hashes: int, lost: float) -> int:
    """Return how many slots must agree so that a pair at the threshold is lost with at most the chance `lost`.

    The number of slots that agree is binomial (classic), or varies less than that (fast).

    >>> least_agreeing(0.8, 256, 0.0002)
    181
    """
    below, slots = _binomial(0, hashes, threshold), 0
    while below <= lost and slots < hashes:
        slots += 1
        below += _binomial(slots, hashes, threshold)
    return slots


def _binomial(k: int, n: int, p: float) -> float:
    if p >= 1.0:
        return float(k == n)
    logarithm = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    return math.exp(logarithm + k * math.log(p) + (n - k) * math.log1p(-p))
