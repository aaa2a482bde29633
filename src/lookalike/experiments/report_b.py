"""What the experiments of report B share: five random pairs of shuffles, the sizes, and the estimates of signatures.

The estimates are kept while the program runs, because several figures show the same ones; each experiment also runs
alone. Every estimate has hash functions of its own, so that any two are independent.
"""

from __future__ import annotations

import random
from functools import lru_cache
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

import lookalike as la
from lookalike.experiments import data, figures

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from lookalike.experiments.experiment import Setup

__all__ = [
    "HASHES",
    "LABELS",
    "PAIRS",
    "SIZES",
    "SKETCHES",
    "STEPS",
    "ZOOMS",
    "estimates",
    "exact",
    "mark_word_length",
    "pairs",
    "recipe",
    "runs",
    "sample",
    "word_length",
    "zoom_legend",
]

PAIRS: Final = 5
SIZES: Final = tuple(range(1, 16))
"""The shingle sizes k of report B, which begins at 0; a shingle of no characters means nothing (item 121)."""
HASHES: Final = (1, 25, 50, 100, 250, 500, 750, 1000)
STEPS: Final = (1, 25, 50, *range(100, 1001, 50))
"""The numbers of hashes of the report's figure in three dimensions."""
ZOOMS: Final = (1, 25, 50)
"""The least number of hashes of each of the three panels of an error plot."""
SKETCHES: Final = ("modular", "jenkins", "multiplicative", "murmur3", "fast")
LABELS: Final = {
    "modular": "modular hashing",
    "jenkins": "Jenkins' mix",
    "multiplicative": "multiplicative hashing",
    "murmur3": "MurmurHash3",
    "fast": "our fast sketch",
}


def runs(setup: Setup) -> int:
    """Return how many times each estimate is made, with other hash functions."""
    return 6 if setup.quick else 100


def pairs(setup: Setup) -> list[tuple[str, str]]:
    """Return the five pairs of shuffles."""
    return data.pairs(setup, PAIRS)


def word_length(setup: Setup) -> float:
    """Return the mean number of characters of a word of the base text."""
    return fmean(map(len, data.words(setup)))


def recipe(k: int, sketch: str = "fast", hashes: int = 1, **others: Any) -> la.Recipe:
    """Return the recipe of report B: characters, white space included."""
    kind = {"sketch": "fast"} if sketch == "fast" else {"sketch": "classic", "family": sketch}
    settings = {"unit": "char", "whitespace": "keep", "punctuation": "keep", **kind, **others}
    return la.Recipe(k=k, hashes=hashes, **settings)


@lru_cache(maxsize=256)
def exact(setup: Setup, k: int) -> tuple[float, ...]:
    """Return the Jaccard similarity of each pair."""
    return tuple(la.jaccard(a, b, recipe=recipe(k)) for a, b in pairs(setup))


@lru_cache(maxsize=4096)
def estimates(setup: Setup, sketch: str, hashes: int, k: int, count: int) -> tuple[tuple[float, ...], ...]:
    """Return for each of `count` runs the estimates of the five pairs."""
    chance = random.Random(f"{setup.seed}/estimates/{sketch}/{hashes}/{k}")
    texts = pairs(setup)

    def estimate(pair: tuple[str, str]) -> float:
        signatures = la.sign(pair, recipe(k, sketch, hashes, seed=chance.getrandbits(64)), threads=1)
        return signatures.estimate(0, 1)

    return tuple(tuple(map(estimate, texts)) for _ in range(count))


def sample(setup: Setup, more: str = "") -> str:
    """Return what stands at the foot of a figure: the sizes of the sample and the seed."""
    words = len(data.words(setup))
    return f"{PAIRS} random pairs of shuffles of {words} words{more}. Seed {setup.seed}{', quick run' * setup.quick}."


def mark_word_length(axes: Axes, setup: Setup, *, label: bool = True) -> None:
    """Draw a vertical line at the mean word length."""
    length = word_length(setup)
    axes.axvline(
        length,
        color=figures.GREY,
        linestyle=":",
        linewidth=1,
        label=f"mean word length {length:.2f}" if label else None,
    )


def zoom_legend(figure: Figure, panels: Sequence[Axes], title: str) -> None:
    """Put one legend beside the panels, from the first of them."""
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right upper", title=title, alignment="left")
