"""Find the pairs of a collection, by one of four methods that end in the same verified form."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any, Final

from lookalike import _native, checks
from lookalike.engine.min_words import rescored
from lookalike.engine.strategy import METRICS, Method, Strategy, choose_strategy
from lookalike.errors import RecipeError
from lookalike.recipe import DEFAULT, Recipe, suggest
from lookalike.result import Recall, Result
from lookalike.search.budget import plan_files
from lookalike.search.load import Loaded, load, together
from lookalike.search.signing import Signing
from lookalike.settings import settings
from lookalike.tables.found import Found, Metric
from lookalike.text.counted import check_min_words
from lookalike.text.excluded import check_kinds
from lookalike.text.uncounted import Gaps, Uncounted, template_shingles

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Sequence

    from lookalike.engine.bands import Bands
    from lookalike.engine.groups import Linkage

__all__ = ["find"]

LINKAGES: Final = ("star", "linked")

FEW: Final = 5
"""A shingle of fewer documents than this is never common, however small the collection."""


def find(
    documents: Any,
    threshold: float = 0.8,
    *,
    recall: float = 0.99,
    method: Method = "auto",
    metric: Metric = "jaccard",
    recipe: Recipe | None = None,
    bands: Bands | None = None,
    against: Any = None,
    ignore: Iterable[str] = (),
    common: float | None = None,
    skip: Iterable[str] = (),
    min_words: int | None = None,
    linkage: Linkage = "star",
    order: Sequence[int] | None = None,
    memory: int | None = None,
    work: str | os.PathLike[str] | None = None,
    threads: int = 0,
    progress: Callable[[str, int, int | None], None] | None = None,
) -> Result:
    """Find all pairs whose similarity is at least `threshold`, each with its exact score.

    `documents` is a list or dict of texts, a path, or a table: pyarrow, pandas, polars, DuckDB, Hugging Face datasets.

    Methods:

    * ``lsh``: signatures in bands, chosen so that at least the share `recall` of the pairs is found, or given.
    * ``exact``: a join by prefix filter: every pair, without any probability.
    * ``signatures``: all pairs of signatures are compared; `recall` decides how far below the threshold is looked.
    * ``brute``: all pairs of documents are compared.
    * ``auto``: exact for a small collection, lsh for a large one.

    Metrics: ``jaccard``; ``bag``, which counts repeated shingles; ``containment``, the share of the smaller document
    that is in the larger one, always found exactly.

    * `against`: old documents; new ones are compared with each other and with them, old ones never with each other.
    * `ignore`: template texts whose shingles count on no side. Documents that are equal still read 1.
    * `common`: shingles that more than this share of the documents have (and at least five) do not count either.
    * `skip`: ``"quotes"``, ``"references"`` or both are left out of every text, found by their marks and headings.
    * `min_words`: the shortest passage that counts; what is shared in shorter ones adds nothing to a score.
    * `memory`: bytes to stay below; what does not fit goes to files, in `work` or a temporary folder. A search in
      `work` that was interrupted goes on when it is started again.

    >>> result = find(["the quick brown fox jumps over the lazy dog", "The quick brown fox jumps over the lazy dog!",
    ...                "something else altogether, not like the others"])
    >>> result.pairs.to_pylist()
    [{'a': 0, 'b': 1, 'jaccard': 1.0, 'containment_a': 1.0, 'containment_b': 1.0}]
    """
    started = time.perf_counter()
    recipe = _with_metric(recipe or DEFAULT, metric)
    if linkage not in LINKAGES:
        raise RecipeError("linkage", linkage, "'star' or 'linked'")
    threads = checks.threads(threads)
    templates = template_shingles(recipe, ignore)
    uncounted = Uncounted(check_kinds(skip), check_min_words(min_words, recipe), tuple(sorted(templates)))
    if memory is not None or work is not None:
        plan = plan_files(documents, against, recipe, memory, work)
        if plan is not None:
            method = _only_lsh(method, metric, common, uncounted)
            strategy = choose_strategy(threshold, recall, method, metric, recipe, bands, 0)
            loaded, old_from, found = plan.run(strategy, recipe, templates, threads, progress)
            found["ignored"] = sorted(templates)
            return _result(loaded, found, strategy, recipe, metric, linkage, order, old_from, started, uncounted)
    gaps = Gaps(uncounted.skip, recipe) if uncounted.skip else None

    def strategy_for(size: int) -> Strategy:
        return choose_strategy(threshold, recall, method, metric, recipe, bands, size)

    def needs_signatures(size: int) -> bool:
        # Gaps and common shingles do not count, and are known only when all is read.
        return not gaps and common is None and strategy_for(size).method in ("lsh", "signatures")

    with Signing(settings(recipe), sorted(templates), threads, wanted=needs_signatures) as signing:
        loaded, old_from = _read(documents, against, signing, progress, gaps)
        signer = signing.finish()
    reading = time.perf_counter() - started - signing.seconds
    strategy = strategy_for(loaded.size)
    at_gaps = gaps.shingles if gaps else set()
    ignored = sorted(templates | _common_shingles(loaded, recipe, common, threads, at_gaps))
    uncounting = sorted({*ignored, *at_gaps})
    found = _run(strategy, loaded, recipe, uncounting, old_from, threads, progress, signer)
    found["seconds"] = {"reading": reading} | found["seconds"]
    if signer is not None:
        found["seconds"]["sign"] += signing.seconds
    found["ignored"] = ignored
    result = _result(loaded, found, strategy, recipe, metric, linkage, order, old_from, started, uncounted)
    return result if uncounted.min_words is None else _with_long_passages(result, loaded, uncounting)


def _read(
    documents: Any,
    against: Any,
    signing: Signing,
    progress: Callable[[str, int, int | None], None] | None,
    gaps: Gaps | None,
) -> tuple[Loaded, int | None]:
    """Load new and old documents; return them together, and where the old ones begin."""
    new = load(documents, progress, gaps, signing.add)
    if against is None:
        return new, None
    # Only the first documents may be signed beforehand, and those of a list are not.
    taken = signing.add if signing.documents == len(new) else None
    return together(new, load(against, progress, gaps, taken)), len(new)


def _with_long_passages(result: Result, loaded: Loaded, ignored: list[int]) -> Result:
    """Return the result with scores that count long passages only, and say how many pairs it lost."""
    least = result.uncounted.min_words or 1
    before = result.pair_count
    found = rescored(result._found, loaded.text, result.recipe, ignored, least)  # noqa: SLF001 — find makes the result
    result = result.with_found(found.at_least(result.threshold, result.metric))
    return result.with_short_pairs(before - result.pair_count)


def _only_lsh(method: str, metric: str, common: float | None, uncounted: Uncounted) -> Method:
    """Say what a search in files cannot do."""
    for name, given in (("skip", uncounted.skip or None), ("min_words", uncounted.min_words)):
        if given is not None:
            raise RecipeError(name, given, "left out in a search larger than memory")
    if metric == "containment":
        raise RecipeError("metric", metric, "'jaccard' or 'bag' in a search larger than memory")
    if common is not None:
        raise RecipeError("common", common, "None in a search larger than memory")
    if method not in ("auto", "lsh"):
        raise RecipeError("method", method, "'auto' or 'lsh' in a search larger than memory")
    return "lsh"


def _result(
    loaded: Loaded,
    found: dict[str, Any],
    strategy: Strategy,
    recipe: Recipe,
    metric: Metric,
    linkage: Linkage,
    order: Sequence[int] | None,
    old_from: int | None,
    started: float,
    uncounted: Uncounted,
) -> Result:
    stages: dict[str, float] = found["seconds"]
    return Result(
        ids=loaded.ids,
        found=Found.of_core(found),
        threshold=strategy.threshold,
        recipe=recipe,
        method=strategy.method,
        metric=metric,
        bands=strategy.bands,
        recall=Recall(promised=strategy.promised),
        linkage=linkage,
        order=order,
        skipped=loaded.skipped,
        notes=loaded.notes,
        flags=loaded.flags,
        timings=stages | {"other": max(0.0, time.perf_counter() - started - sum(stages.values()))},
        lengths=loaded.lengths,
        old_from=old_from,
        ignored=found["ignored"],
        source=loaded.source,
        uncounted=uncounted,
    )


def _with_metric(recipe: Recipe, metric: str) -> Recipe:
    if metric not in METRICS:
        raise RecipeError("metric", metric, "one of " + ", ".join(METRICS), suggest(metric, METRICS))
    return recipe.replace(bag=True) if metric == "bag" else recipe


def _common_shingles(loaded: Loaded, recipe: Recipe, common: float | None, threads: int, at_gaps: set[int]) -> set[int]:
    """Return the shingles that too many documents have; how many they are is said in the notes."""
    if common is None:
        return set()
    if not 0.0 < checks.number("common", common, "a share between 0 and 1") < 1.0:
        raise RecipeError("common", common, "a share between 0 and 1")
    least = max(FEW, math.floor(common * len(loaded)) + 1)
    frequent = set(_native.common(loaded.texts, settings(recipe.replace(bag=False)), least, threads)) - at_gaps
    loaded.notes.append(f"{len(frequent)} shingles that at least {least} of {len(loaded)} documents have do not count")
    return frequent


def _run(
    strategy: Strategy,
    loaded: Loaded,
    recipe: Recipe,
    ignored: list[int],
    old_from: int | None,
    threads: int,
    progress: Callable[[str, int, int | None], None] | None = None,
    signer: _native.Signer | None = None,
) -> dict[str, Any]:
    """Search in memory; what a signer has are the signatures of the first documents."""
    return _native.find(
        loaded.texts,
        settings(recipe),
        threshold=strategy.threshold,
        method=strategy.method,
        metric="containment" if strategy.metric == "containment" else "jaccard",
        bands=strategy.bands.bands if strategy.bands else 1,
        rows=strategy.bands.rows if strategy.bands else 1,
        least=strategy.least,
        old_from=len(loaded) if old_from is None else old_from,
        ignored=ignored,
        threads=threads,
        signer=signer,
        progress=progress and (lambda stage, done, total: progress(stage, done, total or None)),
    )
