"""Hash functions of row numbers as the reports' programs have them, with their errors one by one, and corrected.

A function is given as the list of its values for the rows 0, 1, 2 …; the minhash of a document is the least value of
its rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lookalike.hashing import murmur3_32
from lookalike.reference.hash_functions import first_primes, next_prime

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator

__all__ = ["WAYS", "Way", "estimate"]

U32: Final = 2**32


@dataclass(frozen=True, slots=True)
class Way:
    """A way to make hash functions of row numbers."""

    family: str
    name: str
    kind: str
    """"as coded" in a report's program, "one error" of it alone, or "corrected"."""
    functions: Callable[[int, int, random.Random], Iterator[list[int]]]
    """From the numbers of rows and of functions: the values of all rows, function by function."""
    skips_zero: bool = False


def estimate(way: Way, first: list[int], second: list[int], rows: int, hashes: int, chance: random.Random) -> float:
    """Return the share of functions whose least value over two sets of rows is the same."""
    agreeing = 0
    for made in way.functions(rows, hashes, chance):
        values = [value or U32 for value in made] if way.skips_zero else made
        agreeing += min(values[row] for row in first) == min(values[row] for row in second)
    return agreeing / hashes


def _modular_a(rows: int, hashes: int, chance: random.Random) -> Iterator[list[int]]:
    """Report A: a and b at random below the number of rows, modulo the next prime above it; 0 is made 1."""
    prime = next_prime(rows)
    for _ in range(hashes):
        a, b = chance.randrange(rows) or 1, chance.randrange(rows)
        yield [(a * row + b) % prime for row in range(rows)]


def _modular_b(rows: int, hashes: int, chance: random.Random) -> Iterator[list[int]]:
    """Report B: the i-th prime as factor, modulo the number of rows."""
    for p in first_primes(hashes):
        m = chance.randrange(rows)
        yield [(p * row + m) % rows for row in range(rows)]


def _modular_right(rows: int, hashes: int, chance: random.Random) -> Iterator[list[int]]:
    prime = U32 - 5
    for _ in range(hashes):
        a, b = chance.randrange(1, prime), chance.randrange(prime)
        yield [(a * row + b) % prime for row in range(rows)]


def _few_bits(rows: int, hashes: int, chance: random.Random) -> Iterator[list[int]]:
    """Report A: a real factor from 0.018 to 1.218 that overflows above 1, and as many bits as the rows need."""
    bits = max(1, math.floor(math.log2(rows)))
    for _ in range(hashes):
        s = math.floor(chance.uniform(0.018, 1.218) * U32) % U32
        yield [(row * s % U32) >> (32 - bits) for row in range(rows)]


def _odd_and_few_bits(rows: int, hashes: int, chance: random.Random) -> Iterator[list[int]]:
    bits = max(1, math.floor(math.log2(rows)))
    for _ in range(hashes):
        s, offset = chance.randrange(1, U32, 2), chance.randrange(U32)
        yield [((row * s + offset) % U32) >> (32 - bits) for row in range(rows)]


def _odd_and_offset(rows: int, hashes: int, chance: random.Random) -> Iterator[list[int]]:
    for _ in range(hashes):
        s, offset = chance.randrange(1, U32, 2), chance.randrange(U32)
        yield [(row * s + offset) % U32 for row in range(rows)]


def _murmur(seeds: list[int], rows: int, modulus: int) -> Iterator[list[int]]:
    keys = [row.to_bytes(4, "little") for row in range(rows)]
    for seed in seeds:
        yield [murmur3_32(key, seed) % modulus for key in keys]


def _murmur_a(rows: int, hashes: int, chance: random.Random) -> Iterator[list[int]]:
    """Report A: seeds below the number of functions, so many twice, and the value modulo the number of rows."""
    return _murmur([chance.randrange(hashes) for _ in range(hashes)], rows, rows)


def _murmur_mod_rows(rows: int, hashes: int, chance: random.Random) -> Iterator[list[int]]:
    return _murmur(chance.sample(range(U32), hashes), rows, rows)


def _murmur_repeated(rows: int, hashes: int, chance: random.Random) -> Iterator[list[int]]:
    return _murmur([chance.randrange(hashes) for _ in range(hashes)], rows, U32)


def _murmur_right(rows: int, hashes: int, chance: random.Random) -> Iterator[list[int]]:
    return _murmur(chance.sample(range(U32), hashes), rows, U32)


WAYS: Final = (
    Way("modular", "report A: mod next prime", "as coded", _modular_a),
    Way("modular", "report B: small primes, mod rows", "as coded", _modular_b),
    Way("modular", "large prime, random factor", "corrected", _modular_right),
    Way("multiplicative", "report A: few bits, 0 skipped", "as coded", _few_bits, skips_zero=True),
    Way("multiplicative", "report A: few bits, 0 kept", "one error", _few_bits),
    Way("multiplicative", "odd factor and offset, few bits", "one error", _odd_and_few_bits),
    Way("multiplicative", "odd factor and offset, 32 bits", "corrected", _odd_and_offset),
    Way("murmur3", "report A: mod rows, seeds repeat", "as coded", _murmur_a),
    Way("murmur3", "mod rows, different seeds", "one error", _murmur_mod_rows),
    Way("murmur3", "32 bits, seeds repeat", "one error", _murmur_repeated),
    Way("murmur3", "32 bits, different seeds", "corrected", _murmur_right),
)
