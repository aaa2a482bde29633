"""Candidate pairs: the keys of bands, the pairs that equal bands propose, and when there are too many of them.

Documents are hot if they are in so many candidate pairs that not all of these are verified (docs/design.md, "Hot
clusters"). `propose` in `stages` applies the rule to rows in memory. A job whose buckets are spread over many machines
counts them there and asks `largest_bucket`.
"""

from __future__ import annotations

from array import array
from itertools import combinations, product
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from lookalike import _native, checks
from lookalike.checks import suggest
from lookalike.engine.bands import Bands, check_bands
from lookalike.errors import BandsError, RecipeError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lookalike.engine.sign import Signatures

__all__ = ["Key", "PairLimits", "band_keys", "candidates", "largest_bucket", "limits_for"]

Key = Literal["mix64", "hash_vec64", "hash_vec32"]
KEYS = ("mix64", "hash_vec64", "hash_vec32")

MOST_PAIRS = 10_000_000
"""More pairs than this come from equal signatures only; they are refused rather than made one by one."""

_LARGE: Final = 256
"""Where some documents are hot, no bucket of so many is paired."""


def band_keys(signatures: Signatures, bands: Bands, *, key: Key = "mix64", threads: int = 0) -> list[list[int]]:
    """Return for each document one key per band; documents with an equal key in the same band are candidates.

    >>> from lookalike.engine.sign import sign_texts
    >>> keys = band_keys(sign_texts(["same text", "same text", "another"]), Bands(4, 8))
    >>> keys[0] == keys[1], keys[0] == keys[2]
    (True, False)
    """
    check_bands(bands, signatures.recipe.hashes)
    _check_key(key)
    values = array("Q", signatures.native.band_keys(bands.bands, bands.rows, key, checks.threads(threads)))
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
    classes, pairs = signatures.native.candidates(bands.bands, bands.rows, key, checks.threads(threads))
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


def limits_for(documents: int) -> PairLimits:
    """Return the limits of a collection.

    >>> limits_for(1_000_000)
    PairLimits(proposals=80777216, pairs=9048576)
    """
    return PairLimits(*_native.limits(documents))


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
