"""The hash functions of the source reports, one by one, and tests of how good they are (docs/primer.md §5).

The signatures use them through `Recipe(sketch="classic", family=…)`; here they are for study.

>>> murmur3_32(b"Hello, world!", seed=2538058380)
612912314
>>> multiplicative(123456, bits=14)  # Knuth's example in CLRS
67
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lookalike import _native
from lookalike.errors import RecipeError, check_whole
from lookalike.recipe import FAMILIES

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "FAMILIES",
    "Avalanche",
    "ChiSquared",
    "avalanche",
    "chi_squared",
    "hash_vec",
    "jenkins_mix",
    "modular",
    "multiplicative",
    "murmur3_32",
]

U32 = 2**32 - 1
KNUTH = 2_654_435_769
"""floor(2³² · (√5 − 1)/2), Knuth's multiplier."""


def murmur3_32(data: bytes, seed: int = 0) -> int:
    """Return MurmurHash3_x86_32 of some bytes."""
    return _native.murmur3_32(data, check_whole("seed", seed, 0, U32))


def jenkins_mix(a: int, b: int, c: int) -> int:
    """Return the third word of Robert Jenkins' 96-bit mix.

    >>> jenkins_mix(1, 2, 3)
    3082062082
    """
    return _native.jenkins_mix(*(check_whole(name, x, 0, U32) for name, x in (("a", a), ("b", b), ("c", c))))


def multiplicative(key: int, multiplier: int = KNUTH, *, bits: int = 32) -> int:
    """Return the upper `bits` bits of the lower 32 of key · multiplier."""
    return (key * multiplier & 0xFFFF_FFFF) >> (32 - check_whole("bits", bits, 1, 32))


def modular(key: int, a: int, b: int, modulus: int) -> int:
    """Return (a·key + b) mod modulus; for a hash without avoidable collisions the modulus is a prime above every key.

    >>> [modular(x, 3, 1, 5) for x in range(5)]
    [1, 4, 2, 0, 3]
    """
    return (a * key + b) % check_whole("modulus", modulus, 1)


def hash_vec(values: Sequence[int], *, bits: int = 64) -> int:
    """Return the source report's hash of a band, in 64 or 32 bits.

    >>> hash_vec([1, 2, 3]), hash_vec([1, 2, 3], bits=32)
    (11093819480084, 4213921812)
    """
    numbers = [check_whole("values", v, 0, U32) for v in values]
    if bits == 64:
        return _native.hash_vec64(numbers)
    if bits == 32:
        return _native.hash_vec32(numbers)
    raise RecipeError("bits", bits, "32 or 64")


@dataclass(frozen=True, slots=True)
class Avalanche:
    """How output bits react to one flipped input bit: ½ of the time each, if a family mixes well."""

    family: str
    samples: int
    shares: tuple[tuple[float, ...], ...]
    """`shares[i][j]`: how often output bit j changed when input bit i was flipped."""

    @property
    def worst(self) -> float:
        """The largest distance from ½ of any of the 1024 shares."""
        return max(abs(share - 0.5) for row in self.shares for share in row)

    @property
    def mean(self) -> float:
        """The mean distance from ½."""
        return sum(abs(share - 0.5) for row in self.shares for share in row) / 1024

    @property
    def passed(self) -> bool:
        """Whether the worst share is within what chance explains (six standard deviations of 1024 coins)."""
        return self.worst <= 6 * 0.5 / math.sqrt(self.samples)

    def __str__(self) -> str:
        """Return one sentence."""
        if self.passed:
            verdict = "mixes well"
        elif self.worst < 0.1:
            verdict = "mixes with a slight bias"
        else:
            verdict = "does not mix: some bits can be predicted"
        return (
            f"{self.family}: {verdict}; a flipped input bit changes an output bit in {0.5 - self.worst:.1%} to "
            f"{0.5 + self.worst:.1%} of {self.samples} samples (mean distance from 50 %: {self.mean:.2%})"
        )


def avalanche(family: str, *, samples: int = 4096, seed: int = 1) -> Avalanche:
    """Flip each of 32 input bits of `samples` random keys and see which output bits of one function change.

    >>> print(avalanche("murmur3", samples=1000))
    murmur3: mixes well; a flipped input bit changes an output bit in 43.8% to 56.2% of 1000 samples (mean distance \
from 50 %: 1.25%)
    """
    _check_family(family)
    samples, seed = check_whole("samples", samples, 1, 2**32 - 1), check_whole("seed", seed, 0, 2**64 - 1)
    return Avalanche(family, samples, tuple(map(tuple, _native.avalanche(family, samples, seed))))


@dataclass(frozen=True, slots=True)
class ChiSquared:
    """How evenly consecutive keys spread over buckets."""

    family: str
    keys: int
    buckets: int
    statistic: float

    @property
    def z(self) -> float:
        """The statistic as standard deviations from its mean (Wilson and Hilferty's cube root).

        About −2 to 2 is what a random function would give; far above is clustering, far below is more even than chance.
        """
        freedom = self.buckets - 1
        spread = 2 / (9 * freedom)
        return float(((self.statistic / freedom) ** (1 / 3) - (1 - spread)) / math.sqrt(spread))

    def __str__(self) -> str:
        """Return one sentence."""
        if self.z > 4:
            verdict = "clusters"
        elif self.z < -4:
            verdict = "more even than chance, as a linear function of consecutive keys is"
        else:
            verdict = "as even as a random function"
        return (
            f"{self.family}: {verdict}; χ² = {self.statistic:.0f} for {self.keys} keys in {self.buckets} buckets "
            f"(expected {self.buckets - 1}, z = {self.z:+.1f})"
        )


def chi_squared(family: str, *, keys: int = 65_536, buckets: int = 256, seed: int = 1) -> ChiSquared:
    """Put the keys 0, 1, 2 … through one function of a family and test the spread over equal parts of its range.

    >>> print(chi_squared("jenkins"))
    jenkins: as even as a random function; χ² = 290 for 65536 keys in 256 buckets (expected 255, z = +1.5)
    """
    _check_family(family)
    keys, buckets = check_whole("keys", keys, 1, 2**32 - 1), check_whole("buckets", buckets, 2, 65_536)
    seed = check_whole("seed", seed, 0, 2**64 - 1)
    expected = keys / buckets
    counts = _native.spread(family, keys, buckets, seed)
    return ChiSquared(family, keys, buckets, sum((n - expected) ** 2 / expected for n in counts))


def _check_family(family: str) -> None:
    if family not in FAMILIES:
        raise RecipeError("family", family, "one of " + ", ".join(FAMILIES))
