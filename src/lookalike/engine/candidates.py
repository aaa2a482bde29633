"""Bands of signatures: their keys, and the candidates that equal bands propose."""

from __future__ import annotations

from array import array
from itertools import combinations, product
from typing import TYPE_CHECKING, Literal

from lookalike import checks
from lookalike.engine.bands import Bands, check_bands
from lookalike.errors import BandsError, RecipeError
from lookalike.recipe import suggest

if TYPE_CHECKING:
    from lookalike.engine.sign import Signatures

__all__ = ["Key", "band_keys", "candidates"]

Key = Literal["mix64", "hash_vec64", "hash_vec32"]
KEYS = ("mix64", "hash_vec64", "hash_vec32")

MOST_PAIRS = 10_000_000
"""More pairs than this come from equal signatures only; they are refused rather than made one by one."""


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

    Equality of keys is confirmed on the rows of the band, so a collision of keys proposes nothing (seed item 111).

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
