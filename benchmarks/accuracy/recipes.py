"""The recipes that are judged: the presets on every collection, and a grid of k where it makes sense."""

from __future__ import annotations

from typing import Final

import lookalike as la

__all__ = ["GRID", "IN_PART", "OWN", "SEARCHED", "name_of", "own_recipes", "recipes_for"]

OWN: Final = ("prose", "edited", "code", "cjk")
"""The presets that are lookalike's own: each is made for a kind of text, and has to be good at it."""
IN_PART: Final = ("essays",)
"""Our presets for documents of which parts were copied: no kind of text, but a way to search prose."""
SEARCHED: Final = (*OWN, *IN_PART, "fineweb")
"""The presets with which recall is measured; agreement is measured with all."""


def _by_k(start: la.Recipe, *sizes: int) -> dict[str, la.Recipe]:
    return {str(k): start.replace(k=k) for k in sizes}


_CODE: Final = la.Recipe(lowercase=False, punctuation="keep")
"""Source code word by word."""

GRID: Final[dict[str, tuple[tuple[str, ...], dict[str, la.Recipe]]]] = {
    "words": (
        ("prose", "edited", "code"),
        {**_by_k(la.Recipe(), 1, 2), "3": la.PRESETS["essays"].recipe, **_by_k(la.Recipe(), 4, 5, 7, 10)},
    ),
    "characters": (("prose", "edited"), _by_k(la.PRESETS["edited"].recipe, 4, 5, 7, 9, 13, 20)),
    "tokens": (("code",), _by_k(la.PRESETS["code"].recipe, 4, 6, 8, 10, 12, 16)),
    "code as words": (
        ("code",),
        {
            **_by_k(_CODE, 5, 8, 12),
            "24 characters without white space": _CODE.replace(unit="char", k=24, whitespace="remove"),
        },
    ),
    "cjk": (("cjk",), _by_k(la.PRESETS["cjk"].recipe, 2, 3, 4, 5, 7)),
}
"""Families of recipes: the kinds of text that they are tried on, and each k."""


def own_recipes() -> dict[str, la.Recipe]:
    """Return the recipes of our own presets."""
    return {name: la.PRESETS[name].recipe for name in OWN}


def recipes_for(kind: str | None) -> dict[str, la.Recipe]:
    """Return what is tried on texts of a kind: presets by their name, and of the grid what is no preset."""
    chosen = {name: preset.recipe for name, preset in la.PRESETS.items()}
    for family, (kinds, sizes) in GRID.items():
        if kind in kinds:
            chosen |= {name_of(family, k): recipe for k, recipe in sizes.items()}
    return chosen


def name_of(family: str, k: str) -> str:
    """Return what a recipe of the grid is called: as the preset that it is, if it is one."""
    recipe = GRID[family][1][k]
    return next((name for name, preset in la.PRESETS.items() if preset.recipe == recipe), f"{family}, k = {k}")
