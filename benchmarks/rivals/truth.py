"""What the right answer is, and how far an answer is from it.

The truth is the exact join of lookalike over the same shingles, and it is not taken on trust: for a sample of documents
all pairs are compared again in plain Python, which shares no code with lookalike.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from itertools import combinations
from math import sqrt
from typing import TYPE_CHECKING, Any, Final

import lookalike as la
from benchmarks.engines.protocol import read_texts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from benchmarks.rivals.tasks import Job

__all__ = ["Pair", "Truth", "cross_check", "find_truth", "plain_shingles"]

Pair = tuple[int, int]
SAMPLE: Final = 300
"""Documents that are compared in plain Python, half of them from pairs of the truth."""


@dataclass(frozen=True, slots=True)
class Truth:
    """The pairs of a task by exact Jaccard, each as (smaller, larger) row."""

    documents: int
    pairs: dict[Pair, float] = field(repr=False)

    def between(self, old: int) -> Truth:
        """Keep the pairs of one document before `old` and one after: what queries should find."""
        return Truth(self.documents, {pair: score for pair, score in self.pairs.items() if pair[0] < old <= pair[1]})

    def judge(self, form: str, found: Sequence[Any]) -> tuple[float, float]:
        """Return recall and precision of an answer.

        pairs: of the pairs. kept: recall is the share of the true pairs of which not both are kept; a removal is
        right as long as one document of the same true group stays. marked: of the documents that have a copy.
        """
        if form == "pairs":
            given = {(int(a), int(b)) for a, b in found}
            return _shares(len(given & self.pairs.keys()), len(self.pairs), len(given))
        if form == "marked":
            have = {row for pair in self.pairs for row in pair}
            return _shares(len(have & set(found)), len(have), len(found))
        removed = set(range(self.documents)) - set(found)
        resolved = sum(a in removed or b in removed for a, b in self.pairs)
        right = sum(min(len(group & removed), len(group) - 1) for group in self.groups())
        return resolved / max(1, len(self.pairs)), right / len(removed) if removed else 1.0

    def groups(self) -> list[set[int]]:
        """Return the documents that pairs link, directly or not."""
        group_of: dict[int, set[int]] = {}
        for a, b in self.pairs:
            one, other = group_of.get(a, {a}), group_of.get(b, {b})
            if one is not other:
                one |= other
                group_of.update(dict.fromkeys(one, one))
        return list({id(group): group for group in group_of.values()}.values())

    def error(self, asked: Sequence[Pair], estimates: Sequence[float], slots: int) -> float:
        """Return the root mean square error of estimates, to that of independent hash functions."""
        exact = [self.pairs[pair] for pair in asked]
        expected = sum(j * (1 - j) / slots for j in exact)
        squares = sum((estimate - j) ** 2 for estimate, j in zip(estimates, exact, strict=True))
        return sqrt(squares / expected) if expected else float(squares > 0)


def _shares(right: int, true: int, given: int) -> tuple[float, float]:
    return right / true if true else 1.0, right / given if given else 1.0


def find_truth(job: Job, path: Path) -> Truth:
    """Join exactly, and check a sample in plain Python."""
    recipe = la.Recipe(unit=job.unit, k=job.k)
    result = la.find(la.open_paths([path]), job.threshold, method="exact", recipe=recipe)
    columns = [result.pairs[name].to_pylist() for name in ("a", "b", "jaccard")]
    pairs = {}
    for a, b, score in zip(*columns, strict=True):
        one, other = int(str(a)[1:]), int(str(b)[1:])
        pairs[min(one, other), max(one, other)] = float(score)
    truth = Truth(job.documents, pairs)
    cross_check(truth, read_texts(str(path)), job)
    return truth


def plain_shingles(text: str, job: Job) -> frozenset[tuple[str, ...]]:
    """Return the shingles by their definition, for text that is normalised already."""
    units = text.split(" ") if job.unit == "word" else list(text)
    last = max(1, len(units) - job.k + 1)
    return frozenset(tuple(units[at : at + job.k]) for at in range(last))


def cross_check(truth: Truth, texts: Sequence[str], job: Job, sample: int = SAMPLE) -> int:
    """Compare all pairs of a sample by brute force; raise ValueError on any difference. Return how many pairs agree."""
    rng = random.Random(job.name)
    some = rng.sample(sorted(truth.pairs), min(sample // 4, len(truth.pairs)))
    rows = {row for pair in some for row in pair}
    rows |= set(rng.sample(range(len(texts)), min(sample // 2, len(texts))))
    sets = {row: plain_shingles(texts[row], job) for row in sorted(rows)}
    for a, b in combinations(sets, 2):
        shared = len(sets[a] & sets[b])
        jaccard = shared / (len(sets[a]) + len(sets[b]) - shared)
        if truth.pairs.get((a, b)) != (jaccard if jaccard >= job.threshold else None):
            raise ValueError(
                f"{job.name}: rows {a} and {b} have {jaccard}, but the join says {truth.pairs.get((a, b))}"
            )
    return len(sets) * (len(sets) - 1) // 2
