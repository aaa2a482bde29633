"""Small collections: the driver reads the texts and calls `find`, which takes the exact join for them too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F  # noqa: N812 — as everybody calls it

from lookalike.errors import DuplicateIdError
from lookalike.result.keep import KeepRule
from lookalike.search.find import find
from lookalike.spark.answers import Answers
from lookalike.spark.columns import quoted
from lookalike.spark.signing import in_order
from lookalike.tables.columns import compute

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from lookalike.engine.strategy import Strategy
    from lookalike.result import Result
    from lookalike.result.audit import Audit

__all__ = ["OnDriver", "find_on_driver"]


def find_on_driver(documents: DataFrame, df: DataFrame, own_id: str, strategy: Strategy, options: Any) -> OnDriver:
    """Search documents (`old`, `id`, `text`) in their order; `df` has the columns that a keep rule may name."""
    ordered = documents.orderBy(*in_order(documents.columns)).select("old", "id", "text").toArrow()
    twice = ordered.group_by(["old", "id"]).aggregate([([], "count_all")])
    twice = twice.filter(compute().greater(twice["count_all"], 1)).sort_by([("old", "ascending"), ("id", "ascending")])
    if twice.num_rows:
        raise DuplicateIdError(twice["id"][0].as_py())
    against = options.pop("against")
    new, old = (ordered.filter(_is(ordered["old"], value=value)).drop_columns(["old"]) for value in (False, True))
    result = find(new, text="text", id="id", against=old if against else None, **options)
    return OnDriver(result, df, own_id, strategy)


def _is(column: Any, *, value: bool) -> Any:
    return column if value else compute().invert(column)


class OnDriver(Answers):
    """A result of `find`, as DataFrames."""

    def __init__(self, result: Result, df: DataFrame, own_id: str, strategy: Strategy) -> None:
        """Take the result, and the DataFrame that was searched."""
        self.result, self.strategy = result, strategy
        self._df, self._id = df, own_id
        self._spark = df.sparkSession
        self.documents, self.hot = result.documents, result.limited

    def _frame(self, table: pa.Table) -> DataFrame:
        """Return a table as a DataFrame; Spark knows no numbers without a sign."""
        import pyarrow as pa

        signed = [pa.int64() if pa.types.is_unsigned_integer(field.type) else field.type for field in table.schema]
        named = zip(table.schema.names, signed, strict=True)
        return self._spark.createDataFrame(table.cast(pa.schema(list(named))))

    def pairs(self) -> DataFrame:
        """Return the pairs."""
        return self._frame(self.result.pairs)

    def groups(self) -> DataFrame:
        """Return the groups, a row for each member."""
        import pyarrow as pa

        against = self.result.old_from is not None
        rows: list[dict[str, Any]] = []
        for number, group in enumerate(self.result.groups):
            old = group.members_old or (False,) * len(group)
            for own, is_old in zip(group.members, old, strict=True):
                named = {"id": own} | ({"old": is_old} if against else {})
                principal = {"principal": group.principal}
                principal |= {"principal_old": group.principal_old} if against else {}
                rows.append(named | {"group": number} | principal)
        kind = self.result.ids.type
        columns = {"id": kind} | ({"old": pa.bool_()} if against else {}) | {"group": pa.int64(), "principal": kind}
        columns |= {"principal_old": pa.bool_()} if against else {}
        return self._frame(self._in_order(pa.Table.from_pylist(rows, pa.schema(list(columns.items())))))

    def _in_order(self, groups: pa.Table) -> pa.Table:
        """Return the rows in the order of the documents."""
        place = {(False, own): at for at, own in enumerate(self.result.id_of.new)}
        place |= {(True, own): at + len(place) for at, own in enumerate(self.result.id_of.old or ())}
        old = groups["old"].to_pylist() if "old" in groups.schema.names else [False] * groups.num_rows
        named: Any = zip(old, groups["id"].to_pylist(), strict=True)
        keys = [place[key] for key in named]
        return groups.take(sorted(range(len(keys)), key=keys.__getitem__))

    def plan(self, keep: str, *, drop_all: bool) -> DataFrame:
        """Return a plan."""
        rule = KeepRule.parse(keep)
        values = None
        if rule.column is not None:
            wanted = self._df.select(F.col(quoted(self._id)).alias("id"), F.col(quoted(rule.column)).alias("value"))
            read = wanted.toArrow()
            found = dict(zip(read["id"].to_pylist(), range(read.num_rows), strict=True))
            new = read["value"].take([found[own] for own in self.result.ids.to_pylist()])
            values = _with_old(new, self.result.documents - len(new))
        return self._frame(self.result.plan(rule, values=values, drop_all=drop_all).table)

    def audit(self, sample: int, seed: int) -> Audit:
        """Measure the recall."""
        seen = self.result.audit(sample, seed=seed).audited
        assert seen is not None  # noqa: S101 — it was just made
        return seen

    def sample(self, documents: int) -> Result:
        """Return the result itself: it is small."""
        del documents
        return self.result

    def close(self) -> None:
        """Nothing is kept in files."""


def _with_old(values: Any, old: int) -> Any:
    """Return values with nothing for the old documents, which are kept whatever the rule."""
    import pyarrow as pa

    return pa.concat_arrays([*values.chunks, pa.nulls(old, values.type)])
