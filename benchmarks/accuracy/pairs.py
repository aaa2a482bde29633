"""Which pairs of a labelled collection are judged, and how they are scored: every recipe on the same pairs.

A collection of thousands of documents has millions of pairs that do not belong together, and nearly all of them score
next to nothing. Counting only what a search finds above some floor would favour recipes with few and short shingles,
whose scores are higher throughout. So the pairs are drawn in three strata, each with the weight that makes up for what
was left out: those that belong together, those that do not and that a search finds near, and the rest, at random.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

import lookalike as la
from benchmarks.accuracy.labelled import NOT_A_PAIR
from lookalike.engine import Strategy, stages

if TYPE_CHECKING:
    import numpy.typing as npt

    from benchmarks.accuracy.labelled import Labelled

__all__ = ["METRICS", "SAMPLE", "Judged", "choose_pairs", "score"]

METRICS: Final = ("Jaccard", "containment", "Jaccard of bags")
SAMPLE: Final = 20_000
"""At most so many pairs are drawn from a stratum."""
NEAR: Final = 0.3
"""A Jaccard from which on pairs that do not belong together are a stratum of their own: they decide precision."""
INSIDE: Final = 0.7
"""The same for containment."""
SEED: Final = 1
LEAST: Final = 1e-300
"""A threshold that every pair reaches that shares anything."""


@dataclass(frozen=True, slots=True)
class Judged:
    """Pairs of documents a < b with the weight of each, and the units that are drawn anew to see what chance does.

    A unit is a group of documents that belong together: pairs of one group are no independent witnesses. Where only
    labelled pairs count, each has a document of its own, and is a unit.
    """

    a: npt.NDArray[np.int64]
    b: npt.NDArray[np.int64]
    together: npt.NDArray[np.bool_]
    weight: npt.NDArray[np.float64]
    unit_a: npt.NDArray[np.int64]
    unit_b: npt.NDArray[np.int64]
    label: tuple[str, ...] | None = None
    """The label of each pair, if only labelled pairs are judged."""
    source: npt.NDArray[np.int64] | None = None
    """Then also the document that each pair is about: that of its two which is in more pairs."""

    def __len__(self) -> int:
        return len(self.a)

    @property
    def units(self) -> int:
        """How many units there are."""
        return int(max(self.unit_a.max(), self.unit_b.max())) + 1


def choose_pairs(collection: Labelled, recipes: dict[str, la.Recipe], *, sample: int = SAMPLE) -> Judged:
    """Draw the pairs to judge. The recipes are those that look for near pairs; every recipe can be judged on them."""
    if collection.only_labelled:
        return _labelled_pairs(collection)
    rng = np.random.default_rng(SEED)
    n = len(collection.texts)
    groups = _groups(collection)
    yes = _pairs_within(groups)
    if n * (n - 1) // 2 <= sample:
        first, second = np.triu_indices(n, 1)
        near, rest = np.setdiff1d(first * n + second, yes), np.empty(0, np.int64)
    else:
        near = np.setdiff1d(_near(collection, recipes), yes)
        rest = _at_random(rng, n, sample, np.concatenate([yes, near]))
    strata = [(_drawn(rng, yes, sample), len(yes)), (_drawn(rng, near, sample), len(near))]
    strata.append((rest, collection.negatives - len(near)))
    keys = np.concatenate([drawn for drawn, _ in strata])
    weight = np.concatenate([np.full(len(drawn), whole / max(1, len(drawn))) for drawn, whole in strata])
    order = np.argsort(keys)
    a, b = keys[order] // n, keys[order] % n
    return Judged(a, b, groups[a] == groups[b], weight[order], groups[a], groups[b])


def _labelled_pairs(collection: Labelled) -> Judged:
    rows = sorted((min(a, b), max(a, b), label) for a, b, label in collection.pairs)
    a, b = (np.array([row[side] for row in rows], np.int64) for side in (0, 1))
    labels = tuple(row[2] for row in rows)
    together = np.array([label != NOT_A_PAIR for label in labels], np.bool_)
    numbers = np.arange(len(rows))
    uses = np.bincount(np.concatenate([a, b]))
    source = np.where(uses[a] > uses[b], a, b)
    return Judged(a, b, together, np.ones(len(rows)), numbers, numbers, labels, source)


def _groups(collection: Labelled) -> npt.NDArray[np.int64]:
    """Return the group of each document: its cluster, or the documents that it makes a pair with."""
    if collection.clusters:
        return np.array(collection.clusters, np.int64)
    group = list(range(len(collection.texts)))
    for a, b, _ in collection.pairs:
        old, new = group[a], group[b]
        group = [new if number == old else number for number in group]
    return np.unique(group, return_inverse=True)[1].astype(np.int64)


def _pairs_within(groups: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the keys of all pairs of documents of one group."""
    n = len(groups)
    order = np.argsort(groups, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(groups[order])) + 1)
    found = [np.empty(0, np.int64)]
    for members in parts:
        first, second = np.triu_indices(len(members), 1)
        found.append(members[first] * n + members[second])
    return np.sort(np.concatenate(found))


def _near(collection: Labelled, recipes: dict[str, la.Recipe]) -> npt.NDArray[np.int64]:
    """Return the keys of the pairs that a search finds. One that it misses is among the rest: nothing is lost by it."""
    searches: list[dict[str, Any]] = [
        {"threshold": NEAR, "method": "signatures", "recall": 0.99, "recipe": recipe} for recipe in recipes.values()
    ]
    searches.append({"threshold": INSIDE, "metric": "containment", "recipe": next(iter(recipes.values()))})
    found = [collection.keys(la.find(collection.texts, **search).pairs).to_numpy() for search in searches]
    return reduce(np.union1d, found)


def _drawn(rng: np.random.Generator, keys: npt.NDArray[np.int64], most: int) -> npt.NDArray[np.int64]:
    return keys if len(keys) <= most else rng.choice(keys, most, replace=False)


def _at_random(rng: np.random.Generator, n: int, wanted: int, left_out: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the keys of about so many random pairs, each once, that are not among those left out."""
    one, other = rng.integers(0, n, wanted), rng.integers(0, n, wanted)
    keys = np.minimum(one, other) * n + np.maximum(one, other)
    return np.setdiff1d(keys[one != other], left_out)


def score(texts: list[str], recipe: la.Recipe, judged: Judged) -> dict[str, npt.NDArray[np.float64]]:
    """Return the exact scores of all judged pairs, by metric."""
    sets, bags = (_verified(texts, recipe.replace(bag=bag), judged) for bag in (False, True))
    containment = np.maximum(sets["containment_a"], sets["containment_b"])
    return dict(zip(METRICS, (sets["jaccard"], containment, bags["jaccard"]), strict=True))


def _verified(texts: list[str], recipe: la.Recipe, judged: Judged) -> dict[str, npt.NDArray[np.float64]]:
    """Let the engine compare all pairs on shingle sets that are made once."""
    strategy = Strategy(recipe, "exact", "jaccard", LEAST, None, 0, 1.0)
    pairs = pa.table({"a": pa.array(judged.a, pa.uint32()), "b": pa.array(judged.b, pa.uint32())})
    found = stages.verify_sets(pairs, stages.sets(texts, strategy), strategy)
    keys = judged.a.astype("<u8") << np.uint64(32) | judged.b.astype("<u8")
    a, b = (found[side].to_numpy().astype("<u8") for side in "ab")
    order = np.argsort(keys)
    places = order[np.searchsorted(keys, a << np.uint64(32) | b, sorter=order)]
    scores = {}
    for name in ("jaccard", "containment_a", "containment_b"):
        scores[name] = np.zeros(len(judged))  # what shares nothing is left out
        scores[name][places] = found[name].to_numpy()
    return scores
