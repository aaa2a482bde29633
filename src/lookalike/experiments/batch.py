"""The program of report A on one's own documents: three approaches, each with its time and the work it does.

All pairs of sets, all pairs of signatures, or only the pairs that LSH proposes. Candidates may be scored by Jaccard, or
by the cosine or the Euclidean distance of the counts of shingles (article C).
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import lookalike as la
from lookalike.errors import LookalikeError, RecipeError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["APPROACHES", "MEASURES", "Approach", "batch", "closeness"]

EXACT, SIGNATURES, LSH = "exact", "signatures", "lsh"
APPROACHES: Final = {
    EXACT: "exact, all pairs",
    SIGNATURES: "signatures, all pairs",
    LSH: "signatures and LSH",
}
MEASURES: Final = ("jaccard", "cosine", "euclidean")
MOST: Final = 2_000
"""Documents: two of the three approaches compare all pairs, in Python."""


class Approach(NamedTuple):
    """What one approach did and found."""

    name: str
    seconds: float
    comparisons: int
    """Pairs of documents, or of signatures, that were compared."""
    evaluations: int
    """Values of hash functions that were computed: each of h functions for each different shingle of each document."""
    pairs: list[tuple[int, int, float]]
    """Two documents by number and their score, the most similar first."""

    def as_dict(self, names: Sequence[str]) -> dict[str, Any]:
        """Return it as plain values."""
        pairs = [{"a": names[a], "b": names[b], "score": score} for a, b, score in self.pairs]
        return {**self._asdict(), "pairs": pairs}


def batch(
    texts: Mapping[str, str],
    threshold: float,
    *,
    recipe: la.Recipe,
    bands: la.Bands,
    measure: str = "jaccard",
    approaches: Sequence[str] = tuple(APPROACHES),
) -> list[Approach]:
    """Compare documents by each approach; what is found are the pairs at or above the threshold.

    The Euclidean distance d counts as the similarity 1 / (1 + d). Signatures estimate Jaccard, whatever the measure: so
    LSH proposes pairs that are alike by Jaccard, and a pair that is alike by the other measure alone may be missed.

    >>> found = batch({"a": "the cat sat", "b": "the cat sat!", "c": "dogs"}, 0.5, bands=la.Bands(4, 4),
    ...               recipe=la.Recipe(unit="char", k=3, sketch="classic", hashes=16))
    >>> [(one.name, one.comparisons, one.evaluations, one.pairs) for one in found if one.name != "signatures"]
    [('exact', 3, 0, [(0, 1, 1.0)]), ('lsh', 1, 320, [(0, 1, 1.0)])]
    """
    if not 2 <= len(texts) <= MOST:
        raise LookalikeError(f"give from 2 to {MOST:,} documents, not {len(texts):,}; lookalike scan takes any number")
    if measure not in MEASURES:
        raise RecipeError("measure", measure, "one of " + ", ".join(MEASURES))
    run = {EXACT: _exact, SIGNATURES: _signatures, LSH: _lsh}
    found = []
    for name in approaches:
        started = perf_counter()
        comparisons, pairs = run[name](list(texts.values()), recipe, bands, closeness(measure))
        pairs = sorted((pair for pair in pairs if pair[2] >= threshold), key=lambda pair: (-pair[2], pair[:2]))
        seconds = perf_counter() - started
        shingles = 0 if name == EXACT else sum(map(len, _bags(list(texts.values()), recipe)))
        found.append(Approach(name, seconds, comparisons, recipe.hashes * shingles, pairs))
    return found


def closeness(measure: str) -> Callable[[Counter[str], Counter[str]], float]:
    """Return the measure of two bags of shingles as a similarity from 0 to 1.

    >>> a, b = Counter("aab"), Counter("ab")
    >>> [round(closeness(name)(a, b), 3) for name in MEASURES]
    [1.0, 0.949, 0.5]
    """
    return {
        "jaccard": lambda a, b: la.jaccard(a.keys(), b.keys()),
        "cosine": la.cosine,
        "euclidean": lambda a, b: 1 / (1 + la.euclidean(a, b)),
    }[measure]


Outcome = tuple[int, "list[tuple[int, int, float]]"]


def _bags(texts: list[str], recipe: la.Recipe) -> list[Counter[str]]:
    return [Counter(shingle.text for shingle in la.shingles(text, recipe)) for text in texts]


def _exact(texts: list[str], recipe: la.Recipe, _bands: la.Bands, close: Callable[..., float]) -> Outcome:
    bags = _bags(texts, recipe)
    pairs = [(a, b, close(bags[a], bags[b])) for a, b in combinations(range(len(texts)), 2)]
    return len(pairs), pairs


def _signatures(texts: list[str], recipe: la.Recipe, _bands: la.Bands, _close: Callable[..., float]) -> Outcome:
    signed = la.sign(texts, recipe)
    pairs = [(a, b, signed.estimate(a, b)) for a, b in combinations(range(len(texts)), 2)]
    return len(pairs), pairs


def _lsh(texts: list[str], recipe: la.Recipe, bands: la.Bands, close: Callable[..., float]) -> Outcome:
    proposed = la.candidates(la.sign(texts, recipe), bands)
    bags = dict.fromkeys(number for pair in proposed for number in pair)
    cut = dict(zip(bags, _bags([texts[number] for number in bags], recipe), strict=True))
    return len(proposed), [(a, b, close(cut[a], cut[b])) for a, b in proposed]
