"""What a search on Spark found, as DataFrames that are made when they are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from lookalike.engine.strategy import Strategy
    from lookalike.result import Recall, Result
    from lookalike.result.audit import Audit
    from lookalike.spark.answers import Answers

__all__ = ["SparkResult"]


class SparkResult:
    """The outcome of `lookalike.spark.find`.

    The DataFrames have the columns and the order of the tables of `Result`. They read files of the work folder, so it
    must stay as long as they are used; `close` removes it.
    """

    def __init__(self, answers: Answers, recall: Recall) -> None:
        """Keep what gives the answers."""
        self._answers, self.recall = answers, recall

    @property
    def documents(self) -> int:
        """How many documents were searched, old ones included."""
        return self._answers.documents

    @property
    def strategy(self) -> Strategy:
        """How they were searched."""
        return self._answers.strategy

    @property
    def hot(self) -> int:
        """Documents of buckets so large that the engine's rules for hot clusters hold for them (docs/design.md).

        Star groups are those of all pairs; their own pairs may be listed in part.
        """
        return self._answers.hot

    @property
    def pairs(self) -> DataFrame:
        """a, b, jaccard, containment_a, containment_b, in the order of the documents; with `against`, b_old too."""
        return self._answers.pairs()

    @property
    def groups(self) -> DataFrame:
        """A row for each document that is in a group, in the order of the documents.

        * ``id``, with `against` also ``old``;
        * ``group``: its number, in the order of first members;
        * ``principal``: the id of the document that all others of the group were compared with; ``principal_old``.
        """
        return self._answers.groups()

    def plan(self, keep: str = "first", *, drop_all: bool = False) -> DataFrame:
        """Return a row for each document that is not old: id, kept, kept_id, score, group.

        `keep` is a rule as `Result.plan` takes it; a column that it names is one of the DataFrame that was searched.
        """
        return self._answers.plan(keep, drop_all=drop_all)

    def audit(self, sample: int = 1000, *, seed: int = 1) -> Audit:
        """Measure the recall: draw documents, find all their true pairs exactly, and count those that were found."""
        return self._answers.audit(sample, seed)

    def sample(self, documents: int = 1000) -> Result:
        """Return a `Result` of some whole clusters, the largest first, of about so many documents in all.

        It has their texts, so it can be shown, reported and saved like any other: ``found.sample().report("r.html")``.
        """
        return self._answers.sample(documents)

    def close(self) -> None:
        """Remove the work folder; the DataFrames cannot be read any more."""
        self._answers.close()

    def __repr__(self) -> str:
        """Return one line."""
        return f"<SparkResult: {self.documents:,} documents ≥ {self.strategy.threshold:g}, {self.strategy.method}>"
