"""The measurements behind report A's eight conclusions, one small table for all of them (item 86)."""

from __future__ import annotations

import random
from itertools import combinations, pairwise
from statistics import fmean
from typing import TYPE_CHECKING, Final

import lookalike as la
from lookalike.experiments import data
from lookalike.experiments.experiment import Cell, Column, Progress, Setup, Table, each
from lookalike.experiments.s_curve import pair_of_sets
from lookalike.experiments.timing import best_time
from lookalike.hashing import FAMILIES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["ALIKE", "BANDS", "CHANGED", "HASHES", "UNLIKE", "WORDS_CHANGED", "measure"]

HASHES: Final = 200
BANDS: Final = la.Bands(20, 10)
"""Report A's bands, of its comparison of approaches."""
CALLED_ALIKE: Final = 0.5
WORDS_CHANGED: Final = 0.1
CHANGED: Final = f"near copies ({WORDS_CHANGED:.0%} of the words changed)"
ALIKE: Final = 0.9
UNLIKE: Final = 0.5
PAGE: Final = 2000

Row = tuple[Cell, ...]
COLUMNS: Final = (
    Column("conclusion"),
    Column("series"),
    Column("x"),
    Column("value"),
    Column("time", "ms", timed=True),
)


def measure(setup: Setup, progress: Progress) -> Table:
    """Measure what the eight conclusions need; 6 and 8 use the times of 4."""
    parts: tuple[Callable[[Setup], Iterator[Row]], ...] = (
        _sizes_of_shingles,
        _times_by_k,
        _families,
        _approaches,
        _numbers_of_hashes,
        _shapes_of_bands,
    )
    table = Table(COLUMNS)
    for part in each(parts, progress):
        table.rows.extend(part(setup))
    return table


def _recipe(setup: Setup, k: int) -> la.Recipe:
    return la.Recipe(unit="char", k=k, sketch="classic", family="modular", hashes=HASHES, seed=setup.seed % 2**64)


def _sizes_of_shingles(setup: Setup) -> Iterator[Row]:
    """Conclusion 1: how many unrelated pages, and how many near copies, are called alike at each k."""
    count = 12 if setup.quick else 60
    text = data.book(setup, count * PAGE, "conclusions")
    pages = [text[start : start + PAGE] for start in range(0, len(text), PAGE)]
    chance = random.Random(f"{setup.seed}/conclusions/edits")
    yield 1, "pages", 0, len(pages), ""
    copies = [(page, _edited(page, text.split(), chance)) for page in pages]
    for k in (1, 2, 3, 4, 5, 6, 7, 9, 12, 16, 20, 30, 45, 64):
        for name, pairs in (("unrelated pages", list(pairwise(pages))), (CHANGED, copies)):
            called = [la.jaccard(a, b, recipe=_recipe(setup, k)) >= CALLED_ALIKE for a, b in pairs]
            yield 1, name, k, fmean(called), ""


def _edited(page: str, vocabulary: list[str], chance: random.Random) -> str:
    words = page.split()
    for place in chance.sample(range(len(words)), round(WORDS_CHANGED * len(words))):
        words[place] = chance.choice(vocabulary)
    return " ".join(words)


def _times_by_k(setup: Setup) -> Iterator[Row]:
    """Conclusion 2: different shingles of a text, and the times to compare and to sign it."""
    text, other = (data.book(setup, 30_000, f"conclusions/{n}") for n in range(2))
    for k in (1, 2, 3, 5, 7, 9, 12, 16, 20):
        recipe = _recipe(setup, k)
        shingles = len({shingle.text for shingle in la.shingles(text, recipe)})
        compared = best_time(lambda r=recipe: la.jaccard(text, other, recipe=r), 3)  # type: ignore[misc]
        signed = best_time(lambda r=recipe: la.sign([text, other], r, threads=1), 3)  # type: ignore[misc]
        yield 2, "exact comparison", k, shingles, 1000 * compared
        yield 2, f"two signatures, h = {HASHES}", k, shingles, 1000 * signed


def _families(setup: Setup) -> Iterator[Row]:
    """Conclusion 3: the time to sign a text by each family."""
    text = data.book(setup, 30_000, "conclusions/0")
    for n, family in enumerate(FAMILIES):
        recipe = _recipe(setup, 9).replace(family=family)
        yield 3, family, n, HASHES, 1000 * best_time(lambda r=recipe: la.sign([text], r, threads=1))  # type: ignore[misc]
    fast = _recipe(setup, 9).replace(sketch="fast")
    yield 3, "fast sketch", len(FAMILIES), HASHES, 1000 * best_time(lambda: la.sign([text], fast, threads=1))


def _approaches(setup: Setup) -> Iterator[Row]:
    """Conclusions 4, 6 and 8: the time of each approach for more and more documents, and the error of an estimate."""
    recipe = _recipe(setup, 5).replace(family="multiplicative")  # the fastest, so that signing hides the least
    texts = data.permutations(setup, 800 if setup.quick else 3200)
    count = 50 if not setup.quick else 100
    while count <= len(texts):
        some = texts[:count]
        pairs = count * (count - 1) // 2
        for name, method, bands in (
            ("all pairs, exact", "brute", None),
            ("all pairs of signatures", "signatures", None),
            ("signatures and LSH", "lsh", BANDS),
        ):
            work = lambda m=method, b=bands, s=some: la.find(s, 0.8, method=m, bands=b, recipe=recipe, threads=1)  # noqa: E731
            yield 4, name, count, pairs, 1000 * best_time(work, 3 if setup.quick or count > 800 else 7, least=0.02)
        count *= 2
    signatures = la.sign(texts[:20], recipe, threads=1)
    errors = [
        abs(signatures.estimate(i, j) - la.jaccard(texts[i], texts[j], recipe=recipe))
        for i, j in combinations(range(20), 2)
    ]
    yield 4, "mean error of an estimate", HASHES, fmean(errors), ""


def _numbers_of_hashes(setup: Setup) -> Iterator[Row]:
    """Conclusion 5: the mean error of an estimate of the pair of similarity 0.6, over many signatures."""
    pair = data.pair_of_similarity(setup, 0.6, 9)
    exact = la.jaccard(*pair, recipe=_recipe(setup, 9))
    chance = random.Random(f"{setup.seed}/conclusions/hashes")
    for hashes in (1, 4, 16, 64, 256, 1024):
        seeds = [chance.getrandbits(64) for _ in range(60 if setup.quick else 400)]
        recipes = (_recipe(setup, 9).replace(hashes=hashes, seed=seed) for seed in seeds)
        errors = [abs(la.sign(pair, recipe, threads=1).estimate(0, 1) - exact) for recipe in recipes]
        yield 5, "measured", hashes, fmean(errors), ""


def _shapes_of_bands(setup: Setup) -> Iterator[Row]:
    """Conclusion 7: which share of alike and of unlike pairs becomes a candidate, for every b that divides h."""
    chance = random.Random(f"{setup.seed}/conclusions/bands")
    pairs = 100 if setup.quick else 500
    for similarity, name in ((ALIKE, f"pairs of similarity {ALIKE}"), (UNLIKE, f"pairs of similarity {UNLIKE}")):
        sets = [members for _ in range(pairs) for members in pair_of_sets(chance, similarity)]
        recipe = la.Recipe(sketch="classic", family="murmur3", hashes=HASHES, seed=chance.getrandbits(64))
        signatures = la.sign_sets(sets, recipe, threads=1)
        for bands in (b for b in range(1, HASHES + 1) if HASHES % b == 0):
            found = la.candidates(signatures, la.Bands(bands, HASHES // bands), threads=1)
            yield 7, name, bands, sum(a % 2 == 0 and b == a + 1 for a, b in found) / pairs, ""
