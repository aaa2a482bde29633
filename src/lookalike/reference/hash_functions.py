"""Hash functions: the shingle hash (docs/format.md §4), and those of the source reports (§5.2, §6).

All integers are unsigned and wrap at 32 or 64 bits, as they would in a register.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = [
    "fold",
    "hash_bytes",
    "hash_units",
    "hash_vec32",
    "hash_vec64",
    "jenkins_mix",
    "modular",
    "multiplicative",
    "multiplicative_real",
    "murmur3_32",
    "next_prime",
    "occurrence_hash",
    "splitmix",
]

M32: Final = 0xFFFF_FFFF
M64: Final = 0xFFFF_FFFF_FFFF_FFFF

KNUTH: Final = (math.sqrt(5) - 1) / 2
"""Knuth's multiplier 0.618…, the starting point of the multiplicative method (TAOCP vol. 3, §6.4)."""


# -- §4 the shingle hash ---------------------------------------------------------------------------------------------


def splitmix(state: int) -> Iterator[int]:
    """Yield the endless SplitMix64 sequence from a state.

    >>> stream = splitmix(0)
    >>> [hex(next(stream)) for _ in range(2)]
    ['0xe220a8397b1dcdaf', '0x6e789e6aa1b965f4']
    """
    while True:
        state = (state + 0x9E37_79B9_7F4A_7C15) & M64
        z = state
        z = (z ^ z >> 30) * 0xBF58_476D_1CE4_E5B9 & M64
        z = (z ^ z >> 27) * 0x94D0_49BB_1331_11EB & M64
        yield z ^ z >> 31


def fold(a: int, b: int) -> int:
    """Multiply to 128 bits, and xor the two halves.

    >>> fold(2**63, 2), fold(3, 5)
    (1, 15)
    """
    product = a * b
    return (product & M64) ^ (product >> 64)


def secrets(seed: int) -> tuple[int, int, int, int]:
    """Return s0 … s3: the four words that key the shingle hash."""
    stream = splitmix(seed)
    return next(stream), next(stream), next(stream), next(stream)


def hash_bytes(data: bytes, seed: int) -> int:
    """Hash bytes to 64 bits.

    >>> hash_bytes(b"hash", 1) != hash_bytes(b"hash", 2)
    True
    """
    s0, s1, s2, _ = secrets(seed)
    n = len(data)
    if n <= 8:
        return fold(_word(data, 0) ^ s0, n ^ s1)
    if n <= 16:
        return fold(_word(data, 0) ^ s0, _word(data, n - 8) ^ s1 ^ n)
    h = s2 ^ n
    i = 0
    while i + 8 < n:
        h = fold(h ^ _word(data, i), s0)
        i += 8
    return fold(h ^ _word(data, n - 8), s1)


def _word(data: bytes, start: int) -> int:
    """Return the (up to) 8 bytes at `start` as a little-endian number; missing bytes are zero."""
    return int.from_bytes(data[start : start + 8], "little")


def hash_units(units: Sequence[str], *, unit: str, seed: int) -> int:
    """Hash one shingle, given as its units.

    >>> hash_units(["ab", "c"], unit="word", seed=1) == hash_units(["a", "bc"], unit="word", seed=1)
    False
    """
    if unit == "char":
        return hash_bytes("".join(units).encode(), seed)
    _, _, s2, s3 = secrets(seed)
    h = 0
    for word in units:
        rotated = (h << 11 | h >> 53) & M64
        h = rotated ^ hash_bytes(word.encode(), seed)
    return fold(h ^ s3, s2)


def occurrence_hash(h: int, occurrence: int, seed: int) -> int:
    """Return the element of a bag that is the given occurrence, 0, 1, 2 …, of a shingle with the hash h.

    >>> occurrence_hash(7, 0, seed=1)
    7
    """
    if occurrence == 0:
        return h
    _, s1, s2, _ = secrets(seed)
    return fold(h ^ s1, s2 ^ occurrence)


# -- the hash functions of the source reports ------------------------------------------------------------------------


def modular(key: int, a: int, b: int, m: int) -> int:
    """Return (a·key + b) mod m; a permutation of 0 … m−1 if m is prime and does not divide a (docs/primer.md §5).

    >>> [modular(x, 3, 1, 5) for x in range(5)]
    [1, 4, 2, 0, 3]
    """
    return (a * key + b) % m


def next_prime(n: int) -> int:
    """Return the least prime above n.

    >>> next_prime(418), next_prime(7)
    (419, 11)
    """
    candidate = max(n + 1, 2)
    while any(candidate % divisor == 0 for divisor in range(2, math.isqrt(candidate) + 1)):
        candidate += 1
    return candidate


def first_primes(count: int) -> list[int]:
    """Return the first primes, by the sieve of Eratosthenes.

    >>> first_primes(6)
    [2, 3, 5, 7, 11, 13]
    """
    if count < 1:
        return []
    # Rosser: the n-th prime is below n·(ln n + ln ln n) for n ≥ 6.
    limit = 15 if count < 6 else math.ceil(count * (math.log(count) + math.log(math.log(count))))
    is_prime = bytearray([1]) * (limit + 1)
    is_prime[:2] = b"\0\0"
    for n in range(2, math.isqrt(limit) + 1):
        if is_prime[n]:
            is_prime[n * n :: n] = bytes(len(range(n * n, limit + 1, n)))
    return [n for n in range(limit + 1) if is_prime[n]][:count]


def multiplicative(key: int, *, p: int, w: int = 32, a: float = KNUTH) -> int:
    """Return the multiplicative hash in integers: the top p of the low w bits of key·⌊a·2ʷ⌋ (TAOCP vol. 3, §6.4).

    >>> multiplicative(123456, p=14)
    67
    """
    m = 1 << w
    s = math.floor(a * m)
    return (key * s % m) >> (w - p)


def multiplicative_real(key: int, *, p: int, a: float = KNUTH) -> int:
    """Return the multiplicative hash in its textbook form, ⌊2ᵖ·(key·a mod 1)⌋.

    >>> [multiplicative_real(key, p=10) for key in (0, 1, 2, 3)]
    [0, 632, 241, 874]
    """
    return math.floor((1 << p) * (key * a % 1.0))


def murmur3_32(data: bytes, seed: int = 0) -> int:
    """Return MurmurHash3_x86_32 (A. Appleby, public domain).

    >>> hex(murmur3_32(b"Hello, world!", 2538058380))
    '0x24884cba'
    """
    h = seed
    whole = len(data) - len(data) % 4
    for i in range(0, whole, 4):
        h ^= _scramble(int.from_bytes(data[i : i + 4], "little"))
        h = _rotate32(h, 13)
        h = (h * 5 + 0xE654_6B64) & M32
    h ^= _scramble(int.from_bytes(data[whole:], "little"))  # the tail; of no bytes, _scramble(0) is 0
    h ^= len(data)
    h = (h ^ h >> 16) * 0x85EB_CA6B & M32
    h = (h ^ h >> 13) * 0xC2B2_AE35 & M32
    return h ^ h >> 16


def _scramble(k: int) -> int:
    k = k * 0xCC9E_2D51 & M32
    return _rotate32(k, 15) * 0x1B87_3593 & M32


def _rotate32(x: int, bits: int) -> int:
    return (x << bits | x >> (32 - bits)) & M32


def jenkins_mix(a: int, b: int, c: int) -> int:
    """Return the third word of Robert Jenkins' 96-bit mix, in 32-bit words (docs/primer.md §12, 116).

    >>> jenkins_mix(1, 2, 3)
    3082062082
    """
    for right, left, last in ((13, 8, 13), (12, 16, 5), (3, 10, 15)):
        a = (a - b - c ^ c >> right) & M32
        b = (b - c - a ^ a << left) & M32
        c = (c - a - b ^ b >> last) & M32
    return c


# -- §6 the band key of the source report ----------------------------------------------------------------------------


def hash_vec64(values: Iterable[int]) -> int:
    """Combine numbers in 64 bits as the source report A does (docs/primer.md §12, 111).

    >>> hash_vec64([1, 2, 3])
    11093819480084
    """
    return _hash_vec(list(values), M64)


def hash_vec32(values: Iterable[int]) -> int:
    """Combine numbers in 32 bits as the source report's program does.

    >>> hash_vec32([1, 2, 3])
    4213921812
    """
    return _hash_vec(list(values), M32)


def _hash_vec(values: list[int], mask: int) -> int:
    seed = len(values)
    for value in values:
        seed ^= (value + 0x9E37_79B9 + (seed << 6) + (seed >> 2)) & mask
    return seed
