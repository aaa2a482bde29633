"""`find` and `drop_near_duplicates`: check what is asked, then run the stages, or search on the driver.

A collection for which `lookalike.find` takes the exact join is small: the driver reads its texts and calls it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql import functions as F  # noqa: N812 — its usual name

from lookalike.engine import SMALL, UNIT_LENGTH, Asked, choose_strategy
from lookalike.engine.stages import empty_digest
from lookalike.errors import DuplicateIdError, LookalikeError, RecipeError, StoreError, suggest
from lookalike.presets import finding_preset, with_preset
from lookalike.recipe import DEFAULT, Recipe
from lookalike.search.deduplicate import removal_search
from lookalike.search.find import checked_linkage, checked_max_pairs, recipe_for
from lookalike.search.find import find as find_here
from lookalike.spark.candidates import find_candidates, find_copies
from lookalike.spark.clusters import COMPONENTS, BlockSettings, How, components_of, in_components
from lookalike.spark.spark_result import ClusterResult, DriverResult, SparkResult, Stages
from lookalike.spark.spark_sign import (
    CollectionSize,
    TextStore,
    choose_columns,
    combined,
    fingerprint,
    hashed,
    in_order,
    numbered,
    quoted,
    selected,
    signed_documents,
    size_of,
)
from lookalike.spark.verify import verified_pairs
from lookalike.spark.work import Work, batch_settings
from lookalike.tables.columns import MEASURES, compute
from lookalike.text.excluded import check_kinds, check_min_words, template_shingles

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql import DataFrame

    from lookalike.engine import Strategy
    from lookalike.engine.bands import Bands
    from lookalike.engine.groups import Linkage
    from lookalike.tables.columns import Metric

__all__ = ["drop_near_duplicates", "find"]

METHODS: Final = ("auto", "lsh", "exact")
_SETTINGS: Final = "the settings of Spark decide"
NOT_ON_SPARK: Final = {
    "common": "give the text that documents share: ignore=",
    "tokens": "give texts, or use lookalike.find",
    "min_length": "filter the DataFrame first",
    "memory": _SETTINGS,
    "threads": _SETTINGS,
    "progress": "the web page of Spark shows it",
}
"""What only `lookalike.find` takes, and what to do instead."""


def find(
    df: DataFrame,
    threshold: float | None = None,
    *,
    preset: str | None = None,
    text: str | None = None,
    id: str | None = None,  # noqa: A002 — its name everywhere
    order: str | None = None,
    recall: float = 0.99,
    method: str = "auto",
    metric: Metric | None = None,
    recipe: Recipe | None = None,
    bands: Bands | None = None,
    against: DataFrame | None = None,
    ignore: Iterable[str] = (),
    skip: Iterable[str] = (),
    min_words: int | None = None,
    linkage: Linkage = "star",
    max_pairs: int | None = None,
    components: How = "auto",
    work: str | None = None,
    **others: Any,
) -> SparkResult:
    """Find all pairs whose similarity is at least `threshold`, 0.8 by default: those that `lookalike.find` finds.

    * `text`, `id`: columns of the DataFrame, and of `against`; by default those with these names, or the only column of
      text. Ids are strings or whole numbers, and unique.
    * `order`: the column that says which document comes first. Documents that are equal in it, and all documents if
      there is none, are ordered by id. `lookalike.find` returns the same clusters for the documents in this order.
    * `work`: a folder that every machine can read and write. Each stage writes what it found there, as Parquet; a
      search that was interrupted resumes when it is started again. On one machine, a temporary folder is the default.
    * `components`: ``one`` task links all pairs, or rounds of ``stars`` do; ``auto`` decides by their number.

    The other arguments are those of `lookalike.find`. A collection for which that takes the exact join, by its size or
    because it is told to, is searched on the driver; an exact join of a larger one is refused.
    """
    _refuse(others)
    threshold_preset = finding_preset(preset, threshold)
    threshold, metric, min_words = with_preset(preset, threshold, metric, min_words)
    recipe = Recipe.preset(preset) if recipe is None and preset is not None else recipe
    if metric in MEASURES:
        raise RecipeError("metric", metric, "jaccard, containment or bag", "lookalike.find takes it")
    recipe = recipe_for(recipe or DEFAULT, metric)
    ignored = ignore if isinstance(ignore, str) else tuple(ignore)
    templates = tuple(sorted(template_shingles(recipe, ignored)))
    kinds, least = check_kinds(skip), check_min_words(min_words, recipe)
    most = checked_max_pairs(max_pairs)
    asked = Asked(recipe, threshold, recall, method, metric, bands, templates, kinds, least, most)
    asked.check()
    for name, given, allowed in (("method", method, METHODS), ("components", components, COMPONENTS)):
        if given not in allowed:
            raise RecipeError(name, given, "one of " + ", ".join(allowed), suggest(given, allowed))
    choice = choose_columns(df, text, id)
    new = selected(df, choice, order, old=False)
    old = None if against is None else selected(against, choose_columns(against, text, id), order, old=True)
    task = _Task(
        df=df,
        id_column=str(choice.id),
        documents=combined(new, old),
        asked=asked,
        ignore=tuple(ignored),
        linkage=checked_linkage(linkage),
        components=components,
        against=against is not None,
    )
    with batch_settings(df.sparkSession):
        found = _search(task, work)
    found.threshold_preset = threshold_preset
    return found


def _refuse(others: dict[str, Any]) -> None:
    """Refuse arguments that only `lookalike.find` takes, and those that nothing takes."""
    for name, given in others.items():
        if name not in NOT_ON_SPARK:
            raise TypeError(f"find() got an unexpected keyword argument {name!r}")
        raise RecipeError(name, given, "not supported on Spark", NOT_ON_SPARK[name])


def drop_near_duplicates(
    df: DataFrame,
    text: str | None = None,
    *,
    threshold: float | None = None,
    preset: str | None = None,
    keep: str | None = None,
    id: str | None = None,  # noqa: A002 — its name everywhere
    recall: float = 0.99,
    recipe: Recipe | None = None,
    drop_all: bool = False,
    **find_options: Any,
) -> DataFrame:
    """Return the DataFrame without near-duplicates: all its columns, in no particular order.

    `keep` says which document of a cluster stays, as `KeepRule` explains, and may name a column: ``keep="max:stars"``.
    Unless it is given, that is the first one, and with ``metric="containment"`` the longest. With `drop_all`, no
    document that has a near-duplicate stays. Other arguments are those of `lookalike.spark.find`; a preset brings the
    same as in `lookalike.drop_near_duplicates`.
    """
    choice = choose_columns(df, text, id)
    search = removal_search(threshold, preset, recipe, find_options)
    found = find(df, text=choice.text, id=choice.id, recall=recall, **find_options | search)
    removed = found.plan(keep, drop_all=drop_all).where(~F.col("kept"))
    own = F.col(quoted(str(choice.id)))
    return df.join(removed.select(F.col("id").alias("_removed")), own == F.col("_removed"), "left_anti")


@dataclass(frozen=True, slots=True)
class _Task:
    """What was asked for, checked."""

    df: DataFrame
    id_column: str
    documents: DataFrame
    """New and old documents: `old`, perhaps `place`, `id` and `text`."""
    asked: Asked
    ignore: tuple[str, ...]
    """Texts of templates, whose shingles `asked` ignores."""
    linkage: Linkage
    components: How
    against: bool


def _search(task: _Task, folder: str | None) -> SparkResult:
    strategy = _by_bands(task.asked)
    if strategy is None:
        size = size_of(hashed(task.documents))
        return _on_driver(task, choose_strategy(task.asked, size.characters), size)
    work = Work(task.df.sparkSession, folder, _about(strategy, task))
    _check_documents(task.documents, work)
    signed = signed_documents(task.documents, strategy, work)
    size = size_of(signed, work)
    likely = choose_strategy(task.asked, size.characters)
    if likely.method == "exact":
        return _on_driver(task, likely, size)
    return _on_executors(task, strategy, size, numbered(signed, size.documents, work), work)


def _by_bands(asked: Asked) -> Strategy | None:
    """Return the strategy for a large collection; None if only an exact join can do what is asked."""
    if asked.method == "exact" or (asked.method == "auto" and asked.bands is None and asked.exact_up_to is None):
        return None
    return choose_strategy(replace(asked, method="lsh"), size=0)


def _about(strategy: Strategy, task: _Task) -> str:
    """Return what distinguishes a search from others, apart from its documents."""
    decides = [
        strategy.signs,
        strategy.threshold,
        strategy.least,
        strategy.min_words,
        strategy.max_pairs,
        task.linkage,
        task.components,
    ]
    return json.dumps(decides)


def _check_documents(documents: DataFrame, work: Work) -> None:
    """Refuse to resume a search of other documents."""
    if not work.is_done("signed"):
        return
    given = hashed(documents)
    if fingerprint(given) != fingerprint(given, work):
        problem = "holds the work of a search of other documents"
        raise StoreError(work.folder, problem, "name another folder, or remove this one")


# -- on the driver -----------------------------------------------------------------------------------------------------


def _on_driver(task: _Task, strategy: Strategy, size: CollectionSize) -> SparkResult:
    most = SMALL * UNIT_LENGTH[strategy.recipe.unit]
    if size.characters > most:
        problem = f"an exact join of {size.characters:,} characters is too large for the driver, which takes {most:,}"
        raise LookalikeError(f"{problem}; ask for a recall below 1, by jaccard or bag (method='lsh')")
    new, old = _read(task.documents)
    asked = task.asked
    result = find_here(
        new,
        asked.threshold,
        text="text",
        id="id",
        recall=asked.recall,
        method=asked.method,  # type: ignore[arg-type]  # checked above
        metric=asked.metric,
        recipe=asked.recipe,
        bands=asked.bands,
        against=old if task.against else None,
        ignore=task.ignore,
        skip=asked.skip,
        min_words=asked.min_words,
        linkage=task.linkage,
        max_pairs=asked.max_pairs or None,
    )
    return DriverResult(result, task.df, task.id_column, strategy)


def _read(documents: DataFrame) -> tuple[Any, Any]:
    """Return the new and the old documents in their order; equal ids are an error."""
    pc = compute()
    ordered = documents.orderBy(*in_order(documents.columns)).select("old", "id", "text").toArrow()
    counted = ordered.group_by(["old", "id"]).aggregate([([], "count_all")])
    repeated = counted.filter(pc.greater(counted["count_all"], 1)).sort_by([("old", "ascending"), ("id", "ascending")])
    if repeated.num_rows:
        raise DuplicateIdError(repeated["id"][0].as_py())
    rows = ordered.select(["id", "text"])
    return rows.filter(pc.invert(ordered["old"])), rows.filter(ordered["old"])


# -- on executors ------------------------------------------------------------------------------------------------------


def _on_executors(task: _Task, strategy: Strategy, size: CollectionSize, rows: DataFrame, work: Work) -> SparkResult:
    texts = TextStore(task.documents, rows)
    with_words = rows.where(F.col("digest") != F.lit(bytearray(empty_digest(strategy))))
    copies = find_copies(with_words, texts, strategy, size.documents, work)
    candidates = find_candidates(with_words, copies, size.documents, strategy, work)
    components = components_of(*candidates.edges(with_words), work, task.components)
    members = work.stage("members", lambda: in_components(with_words, copies, components))
    verified = verified_pairs(candidates, components, texts, strategy, size.documents, work)
    return ClusterResult(
        Stages(
            df=task.df,
            id_column=task.id_column,
            rows=rows,
            texts=texts,
            copies=copies,
            members=members,
            verified=verified,
            candidates=candidates,
            settings=BlockSettings(strategy, task.linkage, task.against),
            documents=size.documents,
            work=work,
        )
    )
