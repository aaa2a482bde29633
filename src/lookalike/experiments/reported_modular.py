"""The modular hash functions of report B as its program has them (items 33 and 108), to compare with ours.

The i-th function is (p·row + m) mod z: p the i-th prime, m random below z, and z the number of rows, which is the size
of the union of the two documents. z is not prime. Where p divides z, p rows share each value, and two documents agree
already if each has one of the p rows of the least value. That pulls the estimate up.
"""

from __future__ import annotations

import math
import random
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING

import lookalike as la
from lookalike.experiments import report_b
from lookalike.reference.hash_functions import first_primes

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from lookalike.experiments.experiment import Setup

__all__ = ["agree", "estimates"]


def agree(a: AbstractSet[int], b: AbstractSet[int], p: int, m: int, z: int) -> bool:
    """Tell whether two documents, sets of rows whose union is all rows below z, have the same least (p·row + m) mod z.

    Every row is in one of the two, so the least value is the least of all, m mod g with g = gcd(p, z). The rows that
    have it are g, at equal distances, and only they need a look.
    """
    g = math.gcd(p, z)
    step = z // g
    least = range(-(m // g) * pow(p // g, -1, step) % step, z, step)
    return any(row in a for row in least) and any(row in b for row in least)


@lru_cache(maxsize=64)
def estimates(setup: Setup, k: int, count: int) -> dict[int, tuple[tuple[float, ...], ...]]:
    """Return for each number of hashes, for each of `count` runs, the estimates of the five pairs."""
    chance = random.Random(f"{setup.seed}/reported modular/{k}")
    made = [[_shares(*texts, k, chance) for texts in report_b.pairs(setup)] for _ in range(count)]
    return {h: tuple(tuple(shares[h] for shares in run) for run in made) for h in report_b.STEPS}


def _shares(first: str, second: str, k: int, chance: random.Random) -> dict[int, float]:
    """Return the share of agreeing functions among the first 1, 25, 50 … of them."""
    a, b = _sets(first, second, k)
    rows = sorted(a | b)
    chance.shuffle(rows)  # the report's rows stand in the order of a hash table
    number = {shingle: row for row, shingle in enumerate(rows)}
    z, mine, others = len(rows), {number[s] for s in a}, {number[s] for s in b}
    primes = first_primes(max(report_b.STEPS))
    sums = list(accumulate(agree(mine, others, p, chance.randrange(z), z) for p in primes))
    return {h: sums[h - 1] / h for h in report_b.STEPS}


@lru_cache(maxsize=256)
def _sets(first: str, second: str, k: int) -> tuple[frozenset[str], frozenset[str]]:
    one, other = (frozenset(s.text for s in la.shingles(text, report_b.recipe(k))) for text in (first, second))
    return one, other
