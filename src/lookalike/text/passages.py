"""Passages: the runs of text that two documents share."""

from __future__ import annotations

from dataclasses import dataclass

from lookalike import _native, checks
from lookalike.recipe import DEFAULT, Recipe, settings

__all__ = ["SHORTEST", "Passage", "passages"]

SHORTEST = {"word": 8, "char": 40, "token": 16}
"""The shortest run that is shown as a passage, by unit: shorter ones are shared by chance."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A run that both documents contain, with its place in each original (Python string offsets)."""

    a_start: int
    a_end: int
    b_start: int
    b_end: int
    units: int
    """Its length in words, characters or tokens, as the recipe counts them."""


def passages(a: str, b: str, recipe: Recipe | None = None, *, least: int | None = None) -> list[Passage]:
    """Return the passages that two texts share, in the order of the first.

    From left to right in `a`: the longest run that occurs anywhere in `b`, if it has at least `least` units
    (default 8 words, 40 characters or 16 tokens); the search goes on behind it. Case, marks and the like count as
    little as the recipe says.

    >>> a, b = "So we beat on, boats against the current.", "He wrote: “Boats against the current …”"
    >>> [(a[p.a_start:p.a_end], b[p.b_start:p.b_end], p.units) for p in passages(a, b, least=3)]
    [('boats against the current', 'Boats against the current', 4)]
    """
    recipe = recipe or DEFAULT
    least = checks.whole("least", SHORTEST[recipe.unit] if least is None else least, 1)
    a, b = checks.text("a", a), checks.text("b", b)
    return [Passage(*found) for found in _native.passages(a, b, settings(recipe), least)]
