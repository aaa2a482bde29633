"""Find the pairs of a DataFrame: check what is asked, sign, search on executors, or on the driver if it is small."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from lookalike.engine.strategy import SMALL, UNIT_LENGTH, Asked, choose_strategy
from lookalike.errors import LookalikeError, RecipeError, StoreError
from lookalike.recipe import DEFAULT, Recipe, suggest
from lookalike.result import Recall
from lookalike.search.find import checked_linkage, recipe_for
from lookalike.spark.blocks import BlockSettings, in_components
from lookalike.spark.candidates import find_candidates
from lookalike.spark.columns import chosen, named, put_together
from lookalike.spark.components import COMPONENTS, How, components_of
from lookalike.spark.copies import find_copies, firsts_of
from lookalike.spark.hot import edges_of_hot
from lookalike.spark.on_driver import find_on_driver
from lookalike.spark.result import SparkResult
from lookalike.spark.searched import Searched, Stages
from lookalike.spark.signing import Facts, facts_of, fingerprint, hashed, numbered, signed_documents
from lookalike.spark.texts import TextStore
from lookalike.spark.verify import verified_pairs
from lookalike.spark.work import Work, batch_settings
from lookalike.text.counted import check_min_words
from lookalike.text.excluded import check_kinds
from lookalike.text.uncounted import template_shingles

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql import DataFrame

    from lookalike.engine.bands import Bands
    from lookalike.engine.groups import Linkage
    from lookalike.engine.strategy import Strategy
    from lookalike.spark.answers import Answers
    from lookalike.tables.found import Metric

__all__ = ["find"]

METHODS: Final = ("auto", "lsh", "exact")


def find(
    df: DataFrame,
    threshold: float = 0.8,
    *,
    text: str | None = None,
    id: str | None = None,  # noqa: A002 - the name that it has everywhere
    order: str | None = None,
    recall: float = 0.99,
    method: str = "auto",
    metric: Metric = "jaccard",
    recipe: Recipe | None = None,
    bands: Bands | None = None,
    against: DataFrame | None = None,
    ignore: Iterable[str] = (),
    skip: Iterable[str] = (),
    min_words: int | None = None,
    linkage: Linkage = "star",
    components: How = "auto",
    work: str | None = None,
) -> SparkResult:
    """Find all pairs whose similarity is at least `threshold`: what `lookalike.find` gives for the same documents.

    * `text`, `id`: columns of the DataFrame, and of `against`; by default those that are called so. Ids are texts or
      whole numbers, and no two documents have the same.
    * `order`: the column that says which document comes first; those that it finds equal, and all without it, come in
      the order of their ids. `lookalike.find` gives the same groups when it is given the documents in this order.
    * `work`: a folder that every machine can read and write. What each stage found is written there as Parquet; a
      search that was interrupted goes on when it is started again. On one machine a temporary folder will do.
    * `components`: ``one`` task links all pairs, or rounds of ``stars`` do; ``auto`` decides by how many there are.

    The other arguments are those of `lookalike.find`. A collection for which that takes the exact join, by its size or
    because it is asked to, is searched on the driver; an exact join of a larger one is refused.
    """
    recipe = recipe_for(recipe or DEFAULT, metric)
    ignored = ignore if isinstance(ignore, str) else tuple(ignore)
    templates = tuple(sorted(template_shingles(recipe, ignored)))
    kinds, least = check_kinds(skip), check_min_words(min_words, recipe)
    asked = Asked(recipe, threshold, recall, method, metric, bands, templates, kinds, least)
    asked.check()
    for name, given, allowed in (("method", method, METHODS), ("components", components, COMPONENTS)):
        if given not in allowed:
            raise RecipeError(name, given, "one of " + ", ".join(allowed), suggest(given, allowed))
    task = _Task(df, asked, tuple(ignored), checked_linkage(linkage), components, against is not None)
    choice = named(df, text, id)
    new = chosen(df, choice, order, old=False)
    old = None if against is None else chosen(against, named(against, text, id), order, old=True)
    documents = put_together(new, old)
    with batch_settings(df.sparkSession):
        answers = _search(task, documents, str(choice.id), work)
    return SparkResult(answers, Recall(promised=answers.strategy.promised))


@dataclass(frozen=True, slots=True)
class _Task:
    """What was asked for, checked."""

    df: DataFrame
    asked: Asked
    ignore: tuple[str, ...]
    """Texts of templates, whose shingles `asked` ignores."""
    linkage: Linkage
    components: How
    against: bool

    def options(self) -> dict[str, Any]:
        """Return what `lookalike.find` is called with on the driver."""
        asked = self.asked
        return {
            "threshold": asked.threshold,
            "recall": asked.recall,
            "method": asked.method,
            "metric": asked.metric,
            "recipe": asked.recipe,
            "bands": asked.bands,
            "ignore": self.ignore,
            "skip": asked.skip,
            "min_words": asked.min_words,
            "linkage": self.linkage,
            "against": self.against,
        }


def _search(task: _Task, documents: DataFrame, own_id: str, folder: str | None) -> Answers:
    strategy = _by_bands(task.asked)
    if strategy is None:
        facts = facts_of(hashed(documents))
        return _on_driver(task, documents, own_id, choose_strategy(task.asked, facts.characters), facts)
    work = Work(task.df.sparkSession, folder, _about(strategy, task))
    _check_documents(documents, work)
    signed = signed_documents(documents, strategy, work)
    facts = facts_of(signed, work)
    likely = choose_strategy(task.asked, facts.characters)
    if likely.method == "exact":
        return _on_driver(task, documents, own_id, likely, facts)
    return _on_executors(task, documents, own_id, strategy, facts, numbered(signed, facts.documents, work), work)


def _by_bands(asked: Asked) -> Strategy | None:
    """Return the strategy of a large collection; None if only an exact join can do what is asked."""
    if asked.method == "exact" or (asked.method == "auto" and asked.bands is None and asked.exact_up_to is None):
        return None
    return choose_strategy(replace(asked, method="lsh"), size=0)


def _about(strategy: Strategy, task: _Task) -> str:
    """Return what tells a search from others, beside its documents."""
    decides = [strategy.signs, strategy.threshold, strategy.least, strategy.min_words, task.linkage, task.components]
    return json.dumps(decides)


def _check_documents(documents: DataFrame, work: Work) -> None:
    """Refuse to go on with the work that was done on other documents."""
    if work.mark("signed") is None:
        return
    given = hashed(documents)
    if fingerprint(given) != fingerprint(given, work):
        problem = "has the work of a search of other documents"
        raise StoreError(work.folder, problem, "name another folder, or remove this one")


def _on_driver(task: _Task, documents: DataFrame, own_id: str, strategy: Strategy, facts: Facts) -> Answers:
    most = SMALL * UNIT_LENGTH[strategy.recipe.unit]
    if facts.characters > most:
        problem = f"an exact join of {facts.characters:,} characters is too much for the driver, which takes {most:,}"
        raise LookalikeError(f"{problem}; ask for a recall below 1, by jaccard or bag (method='lsh')")
    return find_on_driver(documents, task.df, own_id, strategy, task.options())


def _on_executors(
    task: _Task, documents: DataFrame, own_id: str, strategy: Strategy, facts: Facts, rows: DataFrame, work: Work
) -> Answers:
    texts = TextStore(documents, rows)
    copies = find_copies(rows, texts, strategy, facts.documents, work)
    firsts = firsts_of(rows, copies)
    candidates = find_candidates(rows, firsts, facts.documents, strategy, work)
    edges, count = candidates.pairs, candidates.count
    if candidates.hot is not None:
        of_hot, added = edges_of_hot(candidates, rows)
        edges, count = edges.unionByName(of_hot), count + added
    components = components_of(edges, count, work, task.components)
    placed = work.stage("placed", lambda: in_components(rows, copies, components))
    verified = verified_pairs(candidates, components, texts, strategy, facts.documents, work)
    settings = BlockSettings(strategy, task.linkage, task.against)
    return Searched(
        Stages(
            df=task.df,
            own_id=own_id,
            rows=rows,
            texts=texts,
            copies=copies,
            placed=placed,
            verified=verified,
            candidates=candidates,
            settings=settings,
            documents=facts.documents,
            work=work,
        )
    )
