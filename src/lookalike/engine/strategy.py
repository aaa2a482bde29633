"""How a search is done: the method, the bands and the filter that keep what was promised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from lookalike import checks
from lookalike.engine.bands import Bands, check_bands, choose_bands
from lookalike.engine.chance import binomial
from lookalike.errors import BandsError, RecipeError
from lookalike.recipe import suggest

if TYPE_CHECKING:
    from lookalike.recipe import Recipe

__all__ = ["METHODS", "METRICS", "Method", "Strategy", "choose_strategy", "least_agreeing"]

Method = Literal["auto", "lsh", "exact", "signatures", "brute"]
METHODS: Final = ("auto", "lsh", "exact", "signatures", "brute")
METRICS: Final = ("jaccard", "containment", "bag")

SMALL: Final = 5_000_000
"""Up to about this many shingles the exact join takes a fraction of a second, and its recall is 1."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """How a search will be done, and what it promises."""

    method: str
    metric: str
    threshold: float
    bands: Bands | None
    least: int
    """Slots of two signatures that must agree before a pair is verified."""
    promised: float


def choose_strategy(
    threshold: float, recall: float, method: str, metric: str, recipe: Recipe, bands: Bands | None, size: int
) -> Strategy:
    """Decide how to search a collection whose texts have `size` characters."""
    threshold, recall = _share("threshold", threshold), _share("recall", recall)
    chosen = _choose(method, metric, threshold, recall, recipe, bands, size)
    if chosen != "lsh":
        bands = None
    elif bands is None:
        bands = _bands(threshold, recall, recipe)
    else:
        check_bands(bands, recipe.hashes)
    lost = _allowed_loss(chosen, recall)
    least = least_agreeing(threshold, recipe.hashes, lost) if lost else 0
    return Strategy(chosen, metric, threshold, bands, least, _promised(chosen, threshold, recall, bands, lost))


def _share(name: str, given: float) -> float:
    allowed = "a number above 0 and at most 1"
    value = checks.number(name, given, allowed)
    if not 0.0 < value <= 1.0:
        raise RecipeError(name, given, allowed)
    return value


def _choose(
    method: str, metric: str, threshold: float, recall: float, recipe: Recipe, bands: Bands | None, size: int
) -> str:
    if method not in METHODS:
        raise RecipeError("method", method, "one of " + ", ".join(METHODS), suggest(method, METHODS))
    if metric == "containment":
        if method in ("lsh", "signatures"):
            raise RecipeError("method", method, "'auto', 'exact' or 'brute' for containment: signatures do not know it")
        return "exact" if method == "auto" else method
    if method != "auto":
        return method
    if bands is not None:
        return "lsh"
    shingles = size // (6 if recipe.unit == "word" else 1)  # a word and its blank are about six letters
    if shingles <= SMALL or recall == 1.0:
        return "exact"
    try:
        _bands(threshold, recall, recipe)
    except BandsError:
        return "exact"
    return "lsh"


def _bands(threshold: float, recall: float, recipe: Recipe) -> Bands:
    """Return bands for a recall that the sketch filter may then lower to what was asked for."""
    return choose_bands(threshold, recall=recall + _allowed_loss("lsh", recall), hashes=recipe.hashes)


def _allowed_loss(method: str, recall: float) -> float:
    """Return the share of true pairs that the filter on agreeing slots may lose."""
    return {"lsh": (1.0 - recall) / 50, "signatures": 1.0 - recall}.get(method, 0.0)


def _promised(method: str, threshold: float, recall: float, bands: Bands | None, lost: float) -> float:
    if method == "lsh" and bands is not None:
        return bands.recall(threshold) - lost
    return recall if method == "signatures" else 1.0


def least_agreeing(threshold: float, hashes: int, lost: float) -> int:
    """Return how many slots must agree so that a pair at the threshold is lost with at most the chance `lost`.

    The number of slots that agree is binomial (classic), or varies less than that (fast).

    >>> least_agreeing(0.8, 256, 0.0002)
    181
    """
    below, slots = binomial(0, hashes, threshold), 0
    while below <= lost and slots < hashes:
        slots += 1
        below += binomial(slots, hashes, threshold)
    return slots
