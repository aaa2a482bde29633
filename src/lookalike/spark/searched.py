"""The answers of a search that executors have done: made of the stages in the work folder, and kept there too."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812 — as everybody calls it

from lookalike.errors import RecipeError
from lookalike.recipe import suggest
from lookalike.result.keep import KeepRule
from lookalike.spark.answers import Answers
from lookalike.spark.blocks import BlockSettings, with_pairs
from lookalike.spark.cells import by_cells
from lookalike.spark.columns import quoted
from lookalike.spark.hot import add_hot_pairs
from lookalike.spark.listing import grouped_shape, grouper, listed_shape, lister, most_copies, planned_shape, planner
from lookalike.spark.sampling import audit_of, sample_of
from lookalike.spark.shapes import SCORES
from lookalike.spark.signing import ranked
from lookalike.spark.work import batch_settings, parts_of

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from lookalike.result import Result
    from lookalike.result.audit import Audit
    from lookalike.spark.candidates import Candidates
    from lookalike.spark.copies import Copies
    from lookalike.spark.texts import TextStore
    from lookalike.spark.verify import VerifiedPairs
    from lookalike.spark.work import Work

__all__ = ["Searched", "Stages"]


@dataclass(frozen=True, slots=True)
class Stages:
    """What the stages of a search left."""

    df: DataFrame
    """The new documents as they were given, for the columns that a keep rule names."""
    own_id: str
    """The column of `df` with the ids."""
    rows: DataFrame
    texts: TextStore
    copies: Copies
    placed: DataFrame
    verified: VerifiedPairs
    """Verified pairs, without those of two hot documents."""
    candidates: Candidates
    settings: BlockSettings
    documents: int
    work: Work

    @property
    def id_type(self) -> str:
        """The type of ids, as Spark calls it."""
        return self.rows.schema["id"].dataType.simpleString()

    def pairs(self, placed: DataFrame | None = None, rule: KeepRule | None = None) -> VerifiedPairs:
        """Return all verified pairs; `rule` says who becomes a representative first where clusters are hot."""
        hot, count = self.candidates.hot, self.candidates.hot_count
        if hot is None:
            return self.verified
        known = self.placed if placed is None else placed
        return add_hot_pairs(
            *(self.verified, known, hot, count, self.texts, self.settings, self.documents, self.work), rule=rule
        )


class Searched(Answers):
    """Pairs, groups and plans, each made once."""

    def __init__(self, stages: Stages) -> None:
        """Take what was found."""
        self.stages = stages
        self.documents, self.strategy = stages.documents, stages.settings.strategy
        self.hot = stages.candidates.hot_count

    @property
    def _against(self) -> bool:
        return self.stages.settings.against

    def pairs(self) -> DataFrame:
        """Return the pairs with those of copies."""
        stages = self.stages
        with batch_settings(stages.work.spark):
            verified = stages.pairs()

            def made() -> DataFrame:
                most = most_copies(stages.placed, stages.copies, verified)
                return self._of_blocks(verified.pairs, lister(stages.settings, most), listed_shape(stages.id_type))

            listed = stages.work.stage("pairs", made).orderBy("a", "b")
        ends = [F.col("a_id").alias("a"), F.col("b_id").alias("b")]
        return listed.select(*ends, *(["b_old"] if self._against else []), *SCORES)

    def _of_blocks(
        self, pairs: DataFrame, make: object, shape: dict[str, str], placed: DataFrame | None = None
    ) -> DataFrame:
        stages = self.stages
        rows = with_pairs(stages.placed if placed is None else placed, pairs)
        parts = parts_of(stages.work.spark, stages.documents)
        return by_cells(rows, ["component"], parts, make, shape)  # type: ignore[arg-type]

    def groups(self) -> DataFrame:
        """Return the groups."""
        stages = self.stages
        with batch_settings(stages.work.spark):
            shape = grouped_shape(stages.id_type)
            make = grouper(stages.settings)
            made = stages.work.stage(
                "groups", lambda: self._of_blocks(stages.pairs().pairs, make, shape), groups=_count_leads()
            )
            group = self._numbers(made, "groups")
        age, its_age = (["old"], ["principal_old"]) if self._against else ([], [])
        return made.join(group, "lead").orderBy("number").select("id", *age, "group", "principal", *its_age)

    def _numbers(self, made: DataFrame, stage: str) -> DataFrame:
        """Return the number of each group by its first member."""
        leads = made.where("number = lead").select("lead")
        count = self.stages.work.measured(stage, "groups")
        return ranked(leads, "lead", count, "group", f"{stage}-numbers", self.stages.work)

    def plan(self, keep: str, *, drop_all: bool) -> DataFrame:
        """Return a plan for all documents that are not old."""
        stages, rule = self.stages, KeepRule.parse(keep)
        name = hashlib.sha256(f"{rule} {drop_all}".encode()).hexdigest()[:16]
        with batch_settings(stages.work.spark):
            placed = self._with_values(rule)
            in_order = None if rule.kind == "first" else rule
            shape = planned_shape(stages.id_type, against=self._against)
            made = stages.work.stage(
                f"plan-{name}",
                lambda: self._of_blocks(
                    stages.pairs(placed, in_order).pairs,
                    planner(stages.settings, rule, drop_all=drop_all),
                    shape,
                    placed,
                ),
                groups=_count_leads(),
            )
            group = self._numbers(made, f"plan-{name}")
        own = stages.rows.where(~F.col("old")).select("number", "id")
        every = own.join(made, "number", "left").join(group, "lead", "left").orderBy("number")
        kept = F.coalesce("kept", F.lit(True)).alias("kept")
        return every.select("id", kept, "kept_id", *(["kept_old"] if self._against else []), "score", "group")

    def _with_values(self, rule: KeepRule) -> DataFrame:
        """Return the documents of blocks with the values that a rule asks for."""
        stages = self.stages
        if not rule.needs_values:
            return stages.placed
        if rule.column is None:
            raise RecipeError("keep", str(rule), "given with a column", "name it, as in newest:date")
        if rule.column not in stages.df.columns:
            raise RecipeError(
                "keep", str(rule), "given with a column there is", suggest(rule.column, stages.df.columns)
            )
        own = F.col(quoted(stages.own_id)).cast(stages.rows.schema["id"].dataType)
        values = stages.df.select(own.alias("id"), F.col(quoted(rule.column)).alias("value"))
        return stages.placed.join(values.withColumn("old", F.lit(False)), ["old", "id"], "left")

    def audit(self, sample: int, seed: int) -> Audit:
        """Measure the recall."""
        with batch_settings(self.stages.work.spark):
            return audit_of(self.stages, sample, seed)

    def sample(self, documents: int) -> Result:
        """Return some clusters as a result."""
        with batch_settings(self.stages.work.spark):
            return sample_of(self.stages, documents)

    def close(self) -> None:
        """Remove the work folder."""
        self.stages.work.clear()


def _count_leads() -> Column:
    """Count the groups by their first members."""
    return F.count_if(F.col("number") == F.col("lead"))
