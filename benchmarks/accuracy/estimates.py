"""How good estimates are: bias and error of each sketch against theory, by size and similarity of random sets."""

from __future__ import annotations

import math
import random
from array import array
from dataclasses import replace
from statistics import fmean
from typing import Any, Final

import lookalike as la
from benchmarks.measure import is_quick, print_table
from lookalike.recipe import FAMILIES

__all__ = ["SKETCHES", "measure_estimates"]

HASHES: Final = 256
SKETCHES: Final[dict[str, la.Recipe]] = {
    "fast": la.Recipe(hashes=HASHES),
    **{family: la.Recipe(sketch="classic", family=family, hashes=HASHES) for family in FAMILIES},
}
SIMILARITIES: Final = (0.1, 0.3, 0.5, 0.8, 0.95)
PAIRS: Final = {5: 2000, 20: 2000, 100: 1000, 1000: 300, 20_000: 60}
"""Pairs of sets for each size: as many as a few seconds allow."""
SIGMAS: Final = 4.0
"""A bias of more standard deviations than this is no chance: 6·10⁻⁵ for each of some hundred comparisons."""


def measure_estimates() -> list[dict[str, Any]]:
    """Print and return one row for each size and similarity."""
    share = 10 if is_quick() else 1
    found = [
        _measure(size, shared, max(20, pairs // share)) for size, pairs in PAIRS.items() for shared in _overlaps(size)
    ]
    title = (
        f"estimates of random sets of n elements, {HASHES} hashes: bias in standard deviations of the mean, "
        "and error (rmse) to the theory √(J(1−J)/h)"
    )
    rows = [
        [f"{row['n']:,}", f"{row['jaccard']:.3f}", *(_cell(row["sketches"][name]) for name in SKETCHES)]
        for row in found
    ]
    print_table(title, ["n", "J", *SKETCHES], rows)
    unbiased = all(abs(s["bias_sigmas"]) <= SIGMAS for row in found for s in row["sketches"].values())
    most = max(row["sketches"]["fast"]["error_to_theory"] for row in found)
    verdict = "unbiased" if unbiased else "BIASED"
    print(f"  {verdict} (all within {SIGMAS:g}); the error of fast is at most {most:.2f} of theory")
    return found


def _cell(sketch: dict[str, float]) -> str:
    return f"{sketch['bias_sigmas']:+.1f}  {sketch['error_to_theory']:.2f}"


def _overlaps(size: int) -> list[int]:
    """Return how many elements two sets share to come near each similarity."""
    return sorted({min(max(round(2 * size * j / (1 + j)), 1), size - 1) for j in SIMILARITIES})


def _measure(size: int, shared: int, pairs: int) -> dict[str, Any]:
    rng = random.Random(f"{size} {shared}")
    sets: list[list[int]] = []
    for _ in range(pairs):
        numbers = array("Q", rng.randbytes(8 * (2 * size - shared))).tolist()
        sets += [numbers[:size], numbers[size - shared :]]
    jaccard = shared / (2 * size - shared)
    sketches = {name: _errors(sets, recipe, jaccard, seed=size + shared) for name, recipe in SKETCHES.items()}
    return {"n": size, "jaccard": jaccard, "pairs": pairs, "hashes": HASHES, "sketches": sketches}


def _errors(sets: list[list[int]], recipe: la.Recipe, jaccard: float, seed: int) -> dict[str, float]:
    signatures = la.sign_sets(sets, replace(recipe, seed=seed))
    off = [signatures.estimate(i, i + 1) - jaccard for i in range(0, len(sets), 2)]
    theory = la.standard_error(jaccard, recipe.hashes)
    error = math.sqrt(fmean(x * x for x in off))
    return {
        "bias": fmean(off),
        "bias_sigmas": fmean(off) / (theory / math.sqrt(len(off))),
        "error": error,
        "error_to_theory": error / theory,
    }
