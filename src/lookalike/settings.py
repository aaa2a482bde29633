"""The one step from a `Recipe` to the settings of the native core."""

from __future__ import annotations

from functools import lru_cache

from lookalike._native import Settings
from lookalike.errors import RecipeError
from lookalike.recipe import Recipe

__all__ = ["settings"]


def settings(recipe: Recipe) -> Settings:
    """Return the native settings of a recipe; equal recipes share them."""
    if not isinstance(recipe, Recipe):
        raise RecipeError("recipe", recipe, "a Recipe, for example Recipe(k=3) or Recipe.preset('code')")
    return _settings(recipe)


@lru_cache(maxsize=64)
def _settings(recipe: Recipe) -> Settings:
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
