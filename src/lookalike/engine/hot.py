"""When documents are hot, for who counts the buckets elsewhere: the limits and the rule of `propose`.

See docs/design.md, "Hot clusters". `propose` applies the rule to rows in memory; a job whose buckets are spread
over many machines, counts them there and asks here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from lookalike import _native

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Limits", "largest_bucket", "limits_for"]

_LARGE: Final = 256
"""Where some documents are hot, no bucket of so many is paired."""


class Limits(NamedTuple):
    """How many pairs there may be before documents are hot."""

    proposals: int
    """Those that all buckets propose, repeats included."""
    pairs: int
    """Distinct candidates."""


def limits_for(documents: int) -> Limits:
    """Return the limits of a collection.

    >>> limits_for(1_000_000)
    Limits(proposals=80777216, pairs=9048576)
    """
    return Limits(*_native.limits(documents))


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
