"""The one step from a `Recipe` to the settings of the native core."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from lookalike._native import Settings

if TYPE_CHECKING:
    from lookalike.recipe import Recipe

__all__ = ["settings"]


@lru_cache(maxsize=64)
def settings(recipe: Recipe) -> Settings:
    """Return the native settings of a recipe; equal recipes share them."""
    return Settings(
        unit=recipe.unit,
        k=recipe.k,
        bag=recipe.bag,
        lowercase=recipe.lowercase,
        whitespace=recipe.whitespace,
        punctuation=recipe.punctuation,
        accents=recipe.accents,
        digits=recipe.digits,
        stop_words=list(recipe.stop_list),
        form=recipe.form,
        sketch=recipe.sketch,
        family=recipe.family,
        hashes=recipe.hashes,
        seed=recipe.seed,
    )
