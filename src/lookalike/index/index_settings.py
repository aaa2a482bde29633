"""The settings of an index: fixed when it is created, kept with it, checked when it is opened."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal

from lookalike.checks import suggest
from lookalike.engine.bands import Bands
from lookalike.engine.strategy import Asked, Strategy, choose_strategy, least_agreeing
from lookalike.errors import MismatchError, RecipeError, StoreError
from lookalike.recipe import DEFAULT, Recipe

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["FORMAT", "KEEPS", "IndexSettings", "Keep"]

FORMAT: Final = "lookalike-index/1"
Keep = Literal["text", "shingles", "signature"]
KEEPS: Final = ("text", "shingles", "signature")
RECALL: Final = 0.999
THRESHOLD: Final = 0.8


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """What decides the answers of an index.

    >>> settings = IndexSettings.chosen()
    >>> settings.threshold, settings.bands, settings.keep
    (0.8, Bands(bands=30, rows=7), 'text')
    """

    recipe: Recipe
    threshold: float
    """Queries at or above it are answered from the bands; others examine every signature."""
    recall: float
    """The share of the documents at the threshold that the bands find, at least."""
    bands: Bands
    keep: Keep = "text"
    """What is kept of a document beside its signature: with text or shingles, scores are exact."""
    secret: bool = False
    """Whether the seed was drawn at random, and is never shown."""

    @classmethod
    def chosen(
        cls,
        recipe: Recipe | None = None,
        threshold: float | None = None,
        recall: float | None = None,
        keep: str | None = None,
        secret: bool = False,
    ) -> IndexSettings:
        """Return the settings of a new index."""
        recipe = recipe or DEFAULT
        keep = keep or "text"
        if keep not in KEEPS:
            raise RecipeError("keep", keep, "'text', 'shingles' or 'signature'", suggest(keep, KEEPS))
        if secret:
            recipe = recipe.replace(seed=secrets.randbits(64))
        asked = Asked(
            recipe, THRESHOLD if threshold is None else threshold, RECALL if recall is None else recall, "lsh"
        )
        strategy = choose_strategy(asked, size=0)
        bands = strategy.bands or Bands(1, 1)
        return cls(recipe, strategy.threshold, float(asked.recall), bands, keep, secret)  # type: ignore[arg-type]

    def check_asked(
        self,
        recipe: Recipe | None,
        threshold: float | None,
        recall: float | None,
        keep: str | None,
        secret: bool,
        index: str,
    ) -> None:
        """Refuse what this index is not; None was not asked for."""
        if secret and not self.secret:
            raise StoreError(index, "was created without a secret seed", "make a new index with secret=True")
        if recipe is not None:
            own = self.recipe.replace(seed=recipe.seed) if self.secret else self.recipe
            own.check_same(recipe, this=index, that="the recipe that was given")
        asked = {"threshold": threshold, "recall": recall, "keep": keep}
        differ: dict[str, tuple[object, object]] = {
            name: (getattr(self, name), given)
            for name, given in asked.items()
            if given is not None and given != getattr(self, name)
        }
        if differ:
            out = "leave it out" if len(differ) == 1 else "leave them out"
            raise MismatchError(index, "what was asked for", differ, f"{out}, or make another index")

    def strategy(self, threshold: float | None = None) -> Strategy:
        """Return how rows are signed and, at a threshold, which pairs are verified."""
        least = self.threshold if threshold is None else threshold
        lost = (1.0 - self.recall) / 50
        return Strategy(
            recipe=self.recipe,
            method="lsh",
            metric="bag" if self.recipe.bag else "jaccard",
            threshold=least,
            bands=self.bands,
            least=least_agreeing(least, self.recipe.hashes, lost),
            promised=self.bands.recall(self.threshold) - lost,
        )

    def to_json(self) -> str:
        """Return them as text, to be kept with the index: the seed is in it."""
        return json.dumps(
            {
                "format": FORMAT,
                "recipe": str(self.recipe),
                "threshold": self.threshold,
                "recall": self.recall,
                "bands": self.bands.bands,
                "rows": self.bands.rows,
                "keep": self.keep,
                "secret": self.secret,
            }
        )

    @classmethod
    def of_json(cls, text: str) -> IndexSettings:
        """Read them back; `ValueError` if they are not what this version writes."""
        given: Any = json.loads(text)
        if not isinstance(given, dict) or given.get("format") != FORMAT:
            raise ValueError("the settings have a different format")
        _check_types(given)
        bands = Bands(given["bands"], given["rows"])
        recipe = Recipe.parse(given["recipe"])
        if not 0.0 < given["threshold"] <= 1.0 or not 0.0 < given["recall"] <= 1.0 or given["keep"] not in KEEPS:
            raise ValueError("the settings are out of range")
        if not 1 <= bands.bands * bands.rows <= recipe.hashes:
            raise ValueError("the bands do not fit the signature")
        return cls(recipe, given["threshold"], given["recall"], bands, given["keep"], given["secret"])

    def shown(self) -> IndexSettings:
        """Return them as anybody may see them: without a secret seed."""
        return replace(self, recipe=self.recipe.replace(seed=0)) if self.secret else self


_TYPES: Final[Mapping[str, type]] = {
    "format": str,
    "recipe": str,
    "threshold": float,
    "recall": float,
    "bands": int,
    "rows": int,
    "keep": str,
    "secret": bool,
}


def _check_types(given: Mapping[str, Any]) -> None:
    if set(given) != set(_TYPES) or any(type(given[name]) is not kind for name, kind in _TYPES.items()):
        raise ValueError("the settings have different fields from those of this version")
