"""Bands: how many rows they have, the keys they give, and the candidate pairs that equal keys propose.

Documents are hot if they are in so many candidate pairs that not all of these are verified (docs/design.md, "Hot
clusters"). `propose` in `stages` applies the rule to rows in memory. A job whose buckets are spread over many machines
counts them there and asks `largest_bucket`.
"""

from __future__ import annotations

import math
import operator
from array import array
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, product
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, SupportsFloat, SupportsIndex

from lookalike import _native
from lookalike.errors import BandsError, RecipeError, check_threads, suggest
from lookalike.presets import band_probability

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lookalike.engine.sign import Signatures

__all__ = [
    "Z95",
    "Bands",
    "Key",
    "Method",
    "PairLimits",
    "band_keys",
    "binomial",
    "candidates",
    "check_bands",
    "choose_bands",
    "largest_bucket",
    "limits_for",
    "s_curve",
    "wilson",
]

Method = Literal["recall", "divisors", "areas"]

MOST_HASHES: Final = 65_535
"""The longest signature that a recipe allows."""

Z95: Final = 1.959963984540054
"""The quantile of the normal distribution for an interval of 95 %."""


@dataclass(frozen=True, slots=True)
class Bands:
    """`bands` bands of `rows` rows each.

    >>> Bands(20, 10).hashes_used
    200
    """

    bands: int
    rows: int

    def __post_init__(self) -> None:
        """Refuse anything but two whole numbers of at least 1."""
        for name in ("bands", "rows"):
            object.__setattr__(self, name, _whole(name, getattr(self, name)))

    def __str__(self) -> str:
        """Return, for example, "26 bands × 8 rows"."""
        return f"{self.bands} band{'s' * (self.bands != 1)} × {self.rows} row{'s' * (self.rows != 1)}"

    @property
    def hashes_used(self) -> int:
        """How many numbers of a signature the bands read; the rest serves the estimate only."""
        return self.bands * self.rows

    def probability(self, similarity: float) -> float:
        """Return the probability that a pair of this similarity becomes a candidate.

        >>> round(Bands(20, 10).probability(0.8), 6)
        0.896869
        """
        return band_probability(_share("similarity", similarity), self.bands, self.rows)

    def recall(self, threshold: float) -> float:
        """Return the share of the pairs at or above `threshold` that is found at the least.

        It is the probability at the threshold itself; more similar pairs are found more often.

        >>> round(Bands(9, 13).recall(0.8), 3)  # what the usual rule gives at its own threshold
        0.399
        """
        return band_probability(_share("threshold", threshold), self.bands, self.rows)

    @property
    def half_point(self) -> float:
        """The similarity at which a pair is found with probability 1/2, exactly: (1 − 2^(−1/b))^(1/r).

        >>> round(Bands(20, 10).half_point, 4)
        0.7132
        """
        return math.pow(-math.expm1(-math.log(2) / self.bands), 1 / self.rows)

    @property
    def rule_threshold(self) -> float:
        """The textbooks' approximation of the half point, (1/b)^(1/r).

        At this similarity about 64 % of the pairs are found, not 50 % (docs/primer.md §12, 102).

        >>> round(Bands(20, 10).rule_threshold, 4)
        0.7411
        """
        return math.pow(1 / self.bands, 1 / self.rows)


def s_curve(bands: Bands, points: int = 101) -> list[tuple[float, float]]:
    """Return (similarity, probability) at `points` equal steps from 0 to 1.

    >>> [(s, round(p, 3)) for s, p in s_curve(Bands(20, 5), points=5)]
    [(0.0, 0.0), (0.25, 0.019), (0.5, 0.47), (0.75, 0.996), (1.0, 1.0)]
    """
    if _whole("points", points) < 2:
        raise BandsError(f"points must be a whole number of at least 2, not {points!r}")
    steps = (i / (points - 1) for i in range(points))
    return [(s, bands.probability(s)) for s in steps]


def check_bands(bands: Bands, hashes: int) -> None:
    """Raise `BandsError` unless a signature of `hashes` numbers is long enough for the bands.

    >>> check_bands(Bands(20, 10), 128)
    Traceback (most recent call last):
        ...
    lookalike.errors.BandsError: 20 bands × 10 rows need 200 hashes, and the signature has 128; take fewer bands or \
rows, or more hashes
    """
    if bands.hashes_used > _whole("hashes", hashes):
        raise BandsError(
            f"{bands} need {bands.hashes_used} hashes, and the signature has {hashes}; "
            "take fewer bands or rows, or more hashes"
        )


def choose_bands(
    threshold: float,
    *,
    recall: float = 0.99,
    hashes: int = 256,
    method: Method = "recall",
    fp_weight: float = 0.5,
    fn_weight: float = 0.5,
) -> Bands:
    """Choose bands and rows for a threshold.

    * ``method="recall"``: as selective as the signature allows while at least the share `recall` of the pairs at the
      threshold is found.
    * ``method="divisors"``: the rule of report A (docs/primer.md §12): among the divisors b of `hashes`, the one whose
      (1/b)^(b/hashes) is nearest to the threshold.
    * ``method="areas"``: what most tools do: the least weighted sum of the area under the S-curve below the threshold
      (false positives) and the area above the S-curve beyond it (false negatives).

    >>> choose_bands(0.8), choose_bands(0.8, method="divisors"), choose_bands(0.8, method="areas")
    (Bands(bands=26, rows=8), Bands(bands=16, rows=16), Bands(bands=17, rows=15))
    >>> choose_bands(0.01)
    Traceback (most recent call last):
        ...
    lookalike.errors.BandsError: with 256 hashes no bands find 99 % of the pairs at 0.01: 256 bands × 1 row find \
92.4 %; 459 hashes would do, or the exact join (method='exact') without bands
    """
    threshold, hashes = _share("threshold", threshold), _whole("hashes", hashes)
    if method == "recall":
        return _by_recall(threshold, _recall_target(recall), hashes)
    if method == "divisors":
        return _by_divisors(threshold, hashes)
    if method == "areas":
        return _by_areas(threshold, hashes, _weight("fp_weight", fp_weight), _weight("fn_weight", fn_weight))
    raise BandsError(f"method must be 'recall', 'divisors' or 'areas', not {method!r}")


@lru_cache(maxsize=64)
def _by_recall(threshold: float, recall: float, hashes: int) -> Bands:
    if threshold == 1.0:
        return Bands(1, hashes)  # equal sets agree in every row, so nothing is lost by asking for all of them
    for rows in range(hashes, 0, -1):
        bands = _least_bands(threshold, recall, rows, most=hashes // rows)
        if bands is not None:
            return Bands(bands, rows)
    if threshold == 0.0:
        raise BandsError("at threshold 0 every pair is wanted and bands find only some; compare all pairs instead")
    best = Bands(hashes, 1)
    enough = _least_bands(threshold, recall, rows=1, most=MOST_HASHES)
    remedy = f"{enough} hashes would do, or " if enough else ""
    raise BandsError(
        f"with {hashes} hashes no bands find {recall * 100:.10g} % of the pairs at {threshold:g}: "
        f"{best} find {best.recall(threshold) * 100:.3g} %; {remedy}the exact join (method='exact') without bands"
    )


def _least_bands(threshold: float, recall: float, rows: int, most: int) -> int | None:
    """Return the least b ≤ `most` with 1 − (1 − tʳ)ᵇ ≥ recall, or None."""
    if band_probability(threshold, most, rows) < recall:
        return None
    # Solving for b gives the answer up to rounding; the formula itself decides between neighbours.
    equal_band = threshold**rows
    guess = 1 if equal_band >= 1.0 else math.ceil(math.log1p(-recall) / math.log1p(-equal_band))
    bands = min(max(guess - 1, 1), most)
    while band_probability(threshold, bands, rows) < recall:
        bands += 1
    return bands


def _by_divisors(threshold: float, hashes: int) -> Bands:
    divisors = (b for b in range(1, hashes + 1) if hashes % b == 0)
    best = min(divisors, key=lambda b: abs((1 / b) ** (b / hashes) - threshold))  # min keeps the first of equals
    return Bands(best, hashes // best)


def _by_areas(threshold: float, hashes: int, fp_weight: float, fn_weight: float) -> Bands:
    if fp_weight == fn_weight == 0.0:
        raise BandsError("fp_weight and fn_weight must not both be 0")
    # Order by bands, then rows: of several equals, the fewest bands win, as in the tools that this rule comes from.
    costs = ((fp_weight * fp + fn_weight * fn, b, r) for b, r, fp, fn in _areas(threshold, hashes))
    _, bands, rows = min(costs)
    return Bands(bands, rows)


def _areas(threshold: float, hashes: int) -> Iterator[tuple[int, int, float, float]]:
    """Yield every (b, r) with b·r ≤ hashes and its false-positive and false-negative area, exactly.

    With I(b, x) = ∫₀ˣ (1 − sʳ)ᵇ ds the areas are t − I(b, t) and I(b, 1) − I(b, t). Differentiating s·(1 − sʳ)ᵇ and
    integrating from 0 to x gives x·(1 − xʳ)ᵇ = (1 + r·b)·I(b, x) − r·b·I(b − 1, x), so each b follows from the one
    before in a few operations, all on positive numbers. Others integrate numerically, a thousand steps for each (b, r).
    """
    for rows in range(1, hashes + 1):
        different_band = 1.0 - threshold**rows
        power, below, whole = 1.0, threshold, 1.0  # (1 − tʳ)⁰, I(0, t), I(0, 1)
        for bands in range(1, hashes // rows + 1):
            power *= different_band
            weight = rows * bands
            below = (threshold * power + weight * below) / (1 + weight)
            whole *= weight / (1 + weight)
            yield bands, rows, threshold - below, whole - below


def _whole(name: str, given: SupportsIndex) -> int:
    try:
        value = 0 if isinstance(given, bool) else operator.index(given)
    except TypeError:
        value = 0
    if value < 1:
        raise BandsError(f"{name} must be a whole number of at least 1, not {given!r}")
    return int(value)


def _number(given: SupportsFloat) -> float:
    """Return a number as a float; anything else (a bool, a text) as nan, which no range contains."""
    try:
        return math.nan if isinstance(given, bool | str | bytes) else float(given)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def _share(name: str, given: float) -> float:
    value = _number(given)
    if not 0.0 <= value <= 1.0:
        raise BandsError(f"{name} must be a number from 0 to 1, not {given!r}")
    return value


def _recall_target(given: float) -> float:
    value = _number(given)
    if value == 1.0:
        raise BandsError("recall must be below 1: bands never promise every pair; the exact join (method='exact') does")
    if not 0.0 < value < 1.0:
        raise BandsError(f"recall must be a number between 0 and 1, not {given!r}")
    return value


def _weight(name: str, given: float) -> float:
    value = _number(given)
    if not 0.0 <= value < math.inf:
        raise BandsError(f"{name} must be a number of at least 0, not {given!r}")
    return value


def binomial(k: int, n: int, p: float) -> float:
    """Return the probability of `k` successes in `n` tries.

    >>> round(binomial(2, 4, 0.5), 4), binomial(3, 3, 1.0)
    (0.375, 1.0)
    """
    if p >= 1.0:
        return float(k == n)
    logarithm = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    return math.exp(logarithm + k * math.log(p) + (n - k) * math.log1p(-p))


def wilson(found: int, total: int, z: float = Z95) -> tuple[float, float]:
    """Return Wilson's interval for a share: with a confidence of 95 %, or as many standard errors as `z` says.

    >>> [round(end, 3) for end in wilson(99, 100)]
    [0.946, 0.998]
    >>> [round(end, 3) for end in wilson(10, 10)], wilson(0, 0)
    ([0.722, 1.0], (0.0, 1.0))
    """
    if not total:
        return 0.0, 1.0
    share, square = found / total, z * z
    middle = (share + square / (2 * total)) / (1 + square / total)
    half = z * math.sqrt(share * (1 - share) / total + square / (4 * total * total)) / (1 + square / total)
    # At the ends the formula gives the end itself, but for rounding.
    low = 0.0 if found == 0 else max(0.0, middle - half)
    return low, 1.0 if found == total else min(1.0, middle + half)


Key = Literal["mix64", "hash_vec64", "hash_vec32"]
KEYS = ("mix64", "hash_vec64", "hash_vec32")

MOST_PAIRS = 10_000_000
"""More pairs than this come from equal signatures only; they are refused rather than made one by one."""

_LARGE: Final = 256
"""If some documents are hot, no bucket of this many is paired."""


def band_keys(signatures: Signatures, bands: Bands, *, key: Key = "mix64", threads: int = 0) -> list[list[int]]:
    """Return for each document one key per band; documents with an equal key in the same band are candidates.

    >>> from lookalike.engine.sign import sign_texts
    >>> keys = band_keys(sign_texts(["same text", "same text", "another"]), Bands(4, 8))
    >>> keys[0] == keys[1], keys[0] == keys[2]
    (True, False)
    """
    check_bands(bands, signatures.recipe.hashes)
    _check_key(key)
    values = array("Q", signatures.native.band_keys(bands.bands, bands.rows, key, check_threads(threads)))
    return [list(values[i : i + bands.bands]) for i in range(0, len(values), bands.bands)]


def _check_key(key: str) -> None:
    if key not in KEYS:
        raise RecipeError("key", key, "one of " + ", ".join(KEYS), suggest(key, KEYS))


def candidates(signatures: Signatures, bands: Bands, *, key: Key = "mix64", threads: int = 0) -> list[tuple[int, int]]:
    """Return the pairs that are equal in some band: smaller number first, sorted, each once.

    Equality of keys is confirmed on the rows of the band, so colliding keys propose nothing (docs/primer.md §12, 111).

    >>> from lookalike.engine.sign import sign_texts
    >>> candidates(sign_texts(["same text", "another", "same text"]), Bands(4, 8))
    [(0, 2)]
    """
    check_bands(bands, signatures.recipe.hashes)
    _check_key(key)
    classes, pairs = signatures.native.candidates(bands.bands, bands.rows, key, check_threads(threads))
    members: dict[int, list[int]] = {}
    for document, first in enumerate(array("I", classes)):
        members.setdefault(first, []).append(document)
    total = sum(len(m) * (len(m) - 1) // 2 for m in members.values())
    total += sum(len(members[a]) * len(members[b]) for a, b in pairs)
    if total > MOST_PAIRS:
        raise BandsError(
            f"{total} candidates, most of them copies of each other; use find(), which takes copies as one"
        )
    found = [pair for same in members.values() for pair in combinations(same, 2)]
    for a, b in pairs:
        found.extend((min(x, y), max(x, y)) for x, y in product(members[a], members[b]))
    return sorted(found)


class PairLimits(NamedTuple):
    """How many pairs there may be before documents are hot."""

    proposals: int
    """Those that all buckets propose, repeats included."""
    pairs: int
    """Distinct candidates."""


def limits_for(documents: int, max_pairs: int = 0) -> PairLimits:
    """Return the limits of a collection; `max_pairs` raises them.

    >>> limits_for(1_000_000)
    PairLimits(proposals=80777216, pairs=9048576)
    >>> limits_for(1_000_000, max_pairs=50_000_000).pairs
    50000000
    """
    return PairLimits(*_native.limits(documents, max_pairs))


def largest_bucket(proposals: Mapping[int, int], allowed: int) -> int:
    """Return the size up to which buckets are paired if all of them together propose too many pairs.

    `proposals` has the pairs of the buckets of 2ⁱ to 2ⁱ⁺¹ − 1 documents under i; those of the buckets that are paired
    are at most `allowed`. Documents of larger buckets are hot.

    >>> largest_bucket({1: 100, 9: 10**9}, 1000), largest_bucket({1: 100, 3: 900, 4: 10**4}, 1000)
    (255, 15)
    """
    total = 0
    for power in range(_LARGE.bit_length() - 1):
        total += proposals.get(power, 0)
        if total > allowed:
            return (1 << power) - 1
    return _LARGE - 1
