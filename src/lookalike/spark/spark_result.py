"""The outcome of a search on Spark: DataFrames, made of the stages in the work folder or of a result on the driver."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F  # noqa: N812 — its usual name

from lookalike.errors import RecipeError, suggest
from lookalike.presets import PRESETS, check_removal
from lookalike.result import Recall
from lookalike.result.plan import KeepRule
from lookalike.result.view import limited_recall
from lookalike.spark.clusters import (
    grouped_shape,
    grouper,
    listed_shape,
    lister,
    most_copies,
    planned_shape,
    planner,
    with_pairs,
)
from lookalike.spark.spark_sign import number_from_zero, quoted
from lookalike.spark.verify import add_hot_pairs, audit_of, sample_of
from lookalike.spark.work import SCORES, batch_settings, by_cells, partitions_for

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from lookalike.engine import Strategy
    from lookalike.engine.groups import Linkage
    from lookalike.result import Result
    from lookalike.result.audit import Audit
    from lookalike.spark.candidates import BucketPairs, Copies
    from lookalike.spark.clusters import BlockSettings
    from lookalike.spark.spark_sign import TextStore
    from lookalike.spark.verify import VerifiedPairs
    from lookalike.spark.work import Work

__all__ = ["ClusterResult", "DriverResult", "SparkResult", "Stages"]


class SparkResult(ABC):
    """The outcome of `lookalike.spark.find`.

    The DataFrames have the columns and the order of the tables of `Result`, and are made when they are asked for. They
    read files of the work folder, so it must stay as long as they are used; `close` removes it.
    """

    def __init__(self, documents: int, strategy: Strategy, hot: int, linkage: Linkage) -> None:
        """Take what is known without a table."""
        self.documents = documents
        """How many documents were searched, old ones included."""
        self.strategy = strategy
        """How they were searched."""
        self.hot = hot
        """How many documents are in buckets so large that the rules for hot clusters apply (docs/design.md).

        Star clusters are those of all pairs, but not all pairs of hot documents may be listed."""
        self.recall = limited_recall(Recall(promised=strategy.promised), hot, linkage, strategy.metric)
        """The recall that the strategy promises; `audit` measures it."""
        self.threshold_preset: str | None = None
        """As in `lookalike.Result`: the preset for finding whose threshold this is; there is no plan then."""

    @property
    @abstractmethod
    def pairs(self) -> DataFrame:
        """a, b, jaccard, containment_a, containment_b, in the order of the documents; with `against`, b_old too."""

    @property
    @abstractmethod
    def groups(self) -> DataFrame:
        """A row for each document that is in a cluster, in the order of the documents.

        * ``id``, and with `against` also ``old``;
        * ``group``: the number of the cluster, in the order of first members;
        * ``principal``: the id of the representative, and ``principal_old``.
        """

    def plan(self, keep: str | None = None, *, drop_all: bool = False) -> DataFrame:
        """Return a row for each document that is not old: id, kept, kept_id, score, group.

        `keep` is a rule as `Result.plan` takes it, with the same default; a column it names is one of the DataFrame
        that was searched.
        """
        check_removal(self.threshold_preset, f"search again with threshold={PRESETS['prose'].threshold:g}")
        return self._plan(KeepRule.for_search(keep, self.strategy.metric), drop_all=drop_all)

    @abstractmethod
    def _plan(self, rule: KeepRule, *, drop_all: bool) -> DataFrame:
        """Return the plan by a rule."""

    @abstractmethod
    def audit(self, sample: int = 1000, *, seed: int = 1) -> Audit:
        """Measure the recall: draw documents, find all their true pairs exactly, and count those that were found."""

    @abstractmethod
    def sample(self, documents: int = 1000) -> Result:
        """Return a `Result` of some whole clusters, the largest first, with at most so many documents altogether.

        It has their texts, so it can be shown, reported and saved like any other: ``found.sample().report("r.html")``.
        """

    @abstractmethod
    def close(self) -> None:
        """Remove the work folder; the DataFrames cannot be read any more."""

    def __repr__(self) -> str:
        """Return one line."""
        return f"<SparkResult: {self.documents:,} documents ≥ {self.strategy.threshold:g}, {self.strategy.method}>"


# -- found by executors ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Stages:
    """What the stages of a search left."""

    df: DataFrame
    """The new documents as they were given, for the columns that a keep rule names."""
    id_column: str
    """The column of `df` with the ids."""
    rows: DataFrame
    texts: TextStore
    copies: Copies
    members: DataFrame
    """The documents that are in a pair or have a copy, each with its component."""
    verified: VerifiedPairs
    """Verified pairs, without those of two hot documents."""
    candidates: BucketPairs
    settings: BlockSettings
    documents: int
    work: Work

    @property
    def id_type(self) -> str:
        """The type of ids, in Spark's words."""
        return self.rows.schema["id"].dataType.simpleString()

    def pairs(self, members: DataFrame | None = None, rule: KeepRule | None = None) -> VerifiedPairs:
        """Return all verified pairs; `rule` says which hot documents become representatives first."""
        known = self.members if members is None else members
        return add_hot_pairs(
            *(self.verified, known, self.candidates, self.texts, self.settings, self.documents, self.work), rule=rule
        )


class ClusterResult(SparkResult):
    """Pairs, groups and plans of a search by executors, each made once and kept in the work folder."""

    def __init__(self, stages: Stages) -> None:
        """Take what the stages left."""
        super().__init__(
            stages.documents, stages.settings.strategy, stages.candidates.hot_count, stages.settings.linkage
        )
        self._stages, self._against = stages, stages.settings.against

    @property
    def pairs(self) -> DataFrame:
        """See `SparkResult.pairs`."""
        stages = self._stages
        with batch_settings(stages.work.spark):
            verified = stages.pairs()

            def make() -> DataFrame:
                most = most_copies(stages.members, stages.copies, verified)
                return self._by_blocks(verified, lister(stages.settings, most), listed_shape(stages.id_type))

            listed = stages.work.stage("pairs", make).orderBy("a", "b")
        ends = [F.col("a_id").alias("a"), F.col("b_id").alias("b")]
        return listed.select(*ends, *(["b_old"] if self._against else []), *SCORES)

    def _by_blocks(
        self, verified: VerifiedPairs, make: Any, shape: dict[str, str], members: DataFrame | None = None
    ) -> DataFrame:
        stages = self._stages
        rows = with_pairs(stages.members if members is None else members, verified.pairs)
        return by_cells(rows, ["component"], partitions_for(stages.work.spark, stages.documents), make, shape)

    @property
    def groups(self) -> DataFrame:
        """See `SparkResult.groups`."""
        stages = self._stages
        with batch_settings(stages.work.spark):
            make, shape = grouper(stages.settings), grouped_shape(stages.id_type)
            made, group = self._grouped("groups", lambda: self._by_blocks(stages.pairs(), make, shape))
        age, its_age = (["old"], ["principal_old"]) if self._against else ([], [])
        return made.join(group, "lead").orderBy("number").select("id", *age, "group", "principal", *its_age)

    def _grouped(self, stage: str, make: Any) -> tuple[DataFrame, DataFrame]:
        """Return the rows of a stage, and the number of each group by its first member (`lead`)."""
        work, leads = self._stages.work, F.col("number") == F.col("lead")
        made = work.stage(stage, make, groups=F.count_if(leads))
        groups = work.measured(stage, "groups")
        first = made.where(leads).select("lead")
        return made, number_from_zero(first, "lead", groups, "group", f"{stage}-numbers", work)

    def _plan(self, rule: KeepRule, *, drop_all: bool) -> DataFrame:
        """See `SparkResult.plan`."""
        stages = self._stages
        name = hashlib.sha256(f"{rule} {drop_all}".encode()).hexdigest()[:16]
        with batch_settings(stages.work.spark):
            members = self._with_values(rule)
            in_order = None if rule.kind == "first" else rule
            make = planner(stages.settings, rule, drop_all=drop_all)
            shape = planned_shape(stages.id_type, against=self._against)
            made, group = self._grouped(
                f"plan-{name}", lambda: self._by_blocks(stages.pairs(members, in_order), make, shape, members)
            )
        own = stages.rows.where(~F.col("old")).select("number", "id")
        every = own.join(made, "number", "left").join(group, "lead", "left").orderBy("number")
        kept = F.coalesce("kept", F.lit(True)).alias("kept")
        return every.select("id", kept, "kept_id", *(["kept_old"] if self._against else []), "score", "group")

    def _with_values(self, rule: KeepRule) -> DataFrame:
        """Return the members of components with the values that a rule compares."""
        stages = self._stages
        if not rule.needs_values:
            return stages.members
        if rule.column is None:
            raise RecipeError("keep", str(rule), "given with a column", "name it, as in newest:date")
        if rule.column not in stages.df.columns:
            raise RecipeError(
                "keep", str(rule), "a rule with a column of the DataFrame", suggest(rule.column, stages.df.columns)
            )
        own = F.col(quoted(stages.id_column)).cast(stages.rows.schema["id"].dataType)
        values = stages.df.select(own.alias("id"), F.col(quoted(rule.column)).alias("value"))
        return stages.members.join(values.withColumn("old", F.lit(False)), ["old", "id"], "left")

    def audit(self, sample: int = 1000, *, seed: int = 1) -> Audit:
        """See `SparkResult.audit`."""
        with batch_settings(self._stages.work.spark):
            return audit_of(self._stages, sample, seed)

    def sample(self, documents: int = 1000) -> Result:
        """See `SparkResult.sample`."""
        with batch_settings(self._stages.work.spark):
            return sample_of(self._stages, documents)

    def close(self) -> None:
        """See `SparkResult.close`."""
        self._stages.work.clear()


# -- found on the driver -----------------------------------------------------------------------------------------------


class DriverResult(SparkResult):
    """The result of `lookalike.find` for a small collection, as DataFrames."""

    def __init__(self, result: Result, df: DataFrame, id_column: str, strategy: Strategy) -> None:
        """Take the result, and the DataFrame that was searched."""
        super().__init__(result.documents, strategy, result.limited, result.linkage)
        self._result, self._df, self._id = result, df, id_column

    def _frame(self, table: pa.Table) -> DataFrame:
        """Return a table as a DataFrame; Spark has no unsigned numbers."""
        import pyarrow as pa

        signed = [pa.int64() if pa.types.is_unsigned_integer(field.type) else field.type for field in table.schema]
        named = zip(table.schema.names, signed, strict=True)
        return self._df.sparkSession.createDataFrame(table.cast(pa.schema(list(named))))

    @property
    def pairs(self) -> DataFrame:
        """See `SparkResult.pairs`."""
        return self._frame(self._result.pairs)

    @property
    def groups(self) -> DataFrame:
        """See `SparkResult.groups`."""
        import pyarrow as pa

        against = self._result.old_from is not None
        rows: list[dict[str, Any]] = []
        for number, group in enumerate(self._result.groups):
            old = group.members_old or (False,) * len(group)
            principal = {"principal": group.principal}
            principal |= {"principal_old": group.principal_old} if against else {}
            for own, is_old in zip(group.members, old, strict=True):
                named = {"id": own} | ({"old": is_old} if against else {})
                rows.append(named | {"group": number} | principal)
        kind = self._result.ids.type
        columns = {"id": kind} | ({"old": pa.bool_()} if against else {}) | {"group": pa.int64(), "principal": kind}
        columns |= {"principal_old": pa.bool_()} if against else {}
        return self._frame(self._in_order(pa.Table.from_pylist(rows, pa.schema(list(columns.items())))))

    def _in_order(self, groups: pa.Table) -> pa.Table:
        """Return the rows in the order of the documents."""
        place = {(False, own): at for at, own in enumerate(self._result.id_of.new)}
        place |= {(True, own): at + len(place) for at, own in enumerate(self._result.id_of.old or ())}
        old = groups["old"].to_pylist() if "old" in groups.schema.names else [False] * groups.num_rows
        named: Any = zip(old, groups["id"].to_pylist(), strict=True)
        keys = [place[key] for key in named]
        return groups.take(sorted(range(len(keys)), key=keys.__getitem__))

    def _plan(self, rule: KeepRule, *, drop_all: bool) -> DataFrame:
        """See `SparkResult.plan`."""
        values = None
        if rule.column is not None:
            wanted = self._df.select(F.col(quoted(self._id)).alias("id"), F.col(quoted(rule.column)).alias("value"))
            read = wanted.toArrow()
            found = dict(zip(read["id"].to_pylist(), range(read.num_rows), strict=True))
            new = read["value"].take([found[own] for own in self._result.ids.to_pylist()])
            values = _with_old(new, self._result.documents - len(new))
        return self._frame(self._result.plan(rule, values=values, drop_all=drop_all).table)

    def audit(self, sample: int = 1000, *, seed: int = 1) -> Audit:
        """See `SparkResult.audit`."""
        audited = self._result.audit(sample, seed=seed).audited
        assert audited is not None  # noqa: S101 — it was just made
        return audited

    def sample(self, documents: int = 1000) -> Result:
        """Return the whole result: it is small."""
        del documents
        return self._result

    def close(self) -> None:
        """Do nothing: there are no files."""


def _with_old(values: Any, old: int) -> Any:
    """Return values with nulls for the old documents, which are kept whatever the rule."""
    import pyarrow as pa

    return pa.concat_arrays([*values.chunks, pa.nulls(old, values.type)])
