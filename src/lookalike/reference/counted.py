"""What counts of two documents where text is left out, and where only long passages count (docs/format.md §4.1).

A text is given by its units. A unit that is a wall stands for blanked text.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final, NamedTuple

from lookalike.reference.text import windows

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

__all__ = ["WALL", "Counted", "counted"]

WALL: Final = "\ufdd0"

Shingle = tuple[str, ...]


class Counted(NamedTuple):
    """The sizes behind the scores of a pair."""

    shared: int
    """Shingles that both have, as far as they count."""
    a: int
    b: int
    union: int

    @property
    def scores(self) -> tuple[float, float, float]:
        """Return Jaccard, the containment of the first, and that of the second."""
        return self.shared / self.union, self.shared / self.a, self.shared / self.b


def counted(
    units_a: Sequence[str],
    units_b: Sequence[str],
    k: int,
    least: int | None = None,
    ignored: AbstractSet[Shingle] = frozenset(),
) -> Counted:
    """Count the shingles that two texts share in passages of at least `least` units.

    >>> a, b = "one two three four x five six".split(), "y one two three four z five six".split()
    >>> counted(a, b, k=2).shared, counted(a, b, k=2, least=4).shared, counted(a, b, k=2, least=5).shared
    (4, 3, 0)
    """
    of_a, of_b = _elements(units_a, k, ignored), _elements(units_b, k, ignored)
    shared = of_a & of_b
    counts = shared
    if least is not None and not (of_a == of_b and _stretches(units_a, k) == _stretches(units_b, k)):
        counts = shared & _in_shared_runs(units_a, units_b, k, max(least, k))
    return Counted(len(counts), len(of_a), len(of_b), len(of_a | of_b))


def _elements(units: Sequence[str], k: int, ignored: AbstractSet[Shingle]) -> set[Shingle]:
    """Return the shingles that count; if none does, one element that only the same text has."""
    every = windows(units, k)
    left = {shingle for shingle in every if WALL not in shingle and shingle not in ignored}
    return left or {("nothing else", *(" ".join(shingle) for shingle in every))}


def _stretches(units: Sequence[str], k: int) -> list[list[Shingle]]:
    """Return the shingles between walls, in their order: two texts in which they are equal are copies."""
    by_wall = groupby(windows(units, k), key=lambda shingle: WALL in shingle)
    return [list(stretch) for touches_wall, stretch in by_wall if not touches_wall]


def _in_shared_runs(units_a: Sequence[str], units_b: Sequence[str], k: int, least: int) -> set[Shingle]:
    """Return the shingles in the runs of `least` units that both texts have: a longer run is made of those."""
    runs = _runs(units_a, least) & _runs(units_b, least)
    return {shingle for run in runs for shingle in windows(run, k)}


def _runs(units: Sequence[str], least: int) -> set[Shingle]:
    places = range(len(units) - least + 1)
    runs = {tuple(units[place : place + least]) for place in places}
    return {run for run in runs if WALL not in run}
