"""Near-duplicates out of a table, a list or a dataset, in one line."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from lookalike.documents import Batch, Size, Source
from lookalike.result.keep import KeepRule
from lookalike.result.plan import Plan, make_plan
from lookalike.search.find import find
from lookalike.search.frames import frame_of
from lookalike.tables.columns import compute, counting
from lookalike.tables.packed import Ids, Texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lookalike.documents import Skipped
    from lookalike.recipe import Recipe
    from lookalike.search.frames import Frame
    from lookalike.tables.columns import Column

__all__ = ["TextRows", "drop_near_duplicates", "id_values"]

Data = TypeVar("Data")


@overload
def drop_near_duplicates(
    data: Data,
    text_column: str | None = None,
    *,
    threshold: float = ...,
    keep: str = ...,
    recall: float = ...,
    recipe: Recipe | None = ...,
    drop_all: bool = ...,
    id_column: str | None = ...,
    values: Any = ...,
    return_plan: Literal[False] = ...,
    **find_options: Any,
) -> Data: ...


@overload
def drop_near_duplicates(
    data: Data,
    text_column: str | None = None,
    *,
    threshold: float = ...,
    keep: str = ...,
    recall: float = ...,
    recipe: Recipe | None = ...,
    drop_all: bool = ...,
    id_column: str | None = ...,
    values: Any = ...,
    return_plan: Literal[True],
    **find_options: Any,
) -> tuple[Data, Plan]: ...


def drop_near_duplicates(
    data: Any,
    text_column: str | None = None,
    *,
    threshold: float = 0.8,
    keep: str = "first",
    recall: float = 0.99,
    recipe: Recipe | None = None,
    drop_all: bool = False,
    id_column: str | None = None,
    values: Any = None,
    return_plan: bool = False,
    **find_options: Any,
) -> Any:
    """Return the data without near-duplicates: the same type, the rows in their order, everything else untouched.

    `data` is a list or tuple of texts, or of dicts; a dict id → text; a Table, RecordBatch, Array or ChunkedArray of
    pyarrow; a DataFrame or Series of pandas (the index stays) or polars; a LazyFrame, which is collected and made lazy
    again; or a Dataset of Hugging Face. `text_column` may be left out where only one column can be meant.

    `keep` says which document of a group stays, as `KeepRule` explains, and may name columns of the data:
    ``keep="max:stars"``, ``keep="newest:date"``. `values` gives values that are in no column. With `drop_all`, no
    document that has a near-duplicate stays. Other arguments are those of `find`.

    Rows without a text are kept and never match; the plan counts them. With `return_plan`, the plan comes too: its ids
    are those of `id_column`, the keys of a dict, or the positions of the rows.

    >>> drop_near_duplicates(["one two three", "One, two, three!", None, "four five six"])
    ['one two three', None, 'four five six']
    >>> rows = [{"text": "one two three", "stars": 2}, {"text": "One, two, three!", "stars": 5}]
    >>> drop_near_duplicates(rows, "text", keep="max:stars")
    [{'text': 'One, two, three!', 'stars': 5}]
    >>> _, plan = drop_near_duplicates({"a": "one two three", "b": "one two three"}, return_plan=True)
    >>> plan.removals.to_pylist()
    [{'id': 'b', 'kept_id': 'a', 'score': 1.0, 'group': 0}]
    """
    frame = frame_of(data)
    rule = KeepRule.parse(keep)
    texts = frame.texts(text_column)
    given = TextRows.of(texts)
    if rule.column is not None and values is None:
        values = frame.column(rule.column)
    if values is not None:
        values = rule.values(values, len(frame)).take(given.rows)
    result = find(given.documents, threshold, recall=recall, recipe=recipe, **find_options)
    ids = frame.ids() if id_column is None else id_values(frame, id_column)
    result = result.with_ids(ids.take(given.rows))
    plan = _for_all_rows(make_plan(result, rule, values=values, drop_all=drop_all), given.rows, ids)
    kept = frame.filter(plan.kept_mask)
    return (kept, plan) if return_plan else kept


@dataclass(frozen=True, slots=True)
class TextRows:
    """The documents of a frame: the rows that have a text."""

    documents: Any
    rows: Column

    @classmethod
    def of(cls, texts: Column | list[str | None]) -> TextRows:
        """Leave out the rows without a text."""
        import pyarrow as pa

        if isinstance(texts, list):
            rows = [row for row, text in enumerate(texts) if text is not None]
            return cls([text for text in texts if text is not None], pa.array(rows, pa.uint32()))
        there = compute().is_valid(texts)
        return cls(_Texts(texts.filter(there)), counting(len(texts)).filter(there))


class _Texts(Source):
    """A column of texts as documents: what `find` reads without a copy."""

    name = "the text column"

    def __init__(self, texts: Column) -> None:
        self._texts = texts

    def batches(self, *, rows: bool = False) -> Iterator[Batch]:  # noqa: ARG002 — there are no rows to give
        if len(self._texts):
            yield Batch(Ids(range(len(self._texts))), Texts.from_arrow(self._texts))

    def skipped(self) -> list[Skipped]:
        return []

    def notes(self) -> list[str]:
        return []

    def size(self) -> Size:
        return Size(len(self._texts), self._texts.nbytes)


def id_values(frame: Frame, name: str) -> Column:
    """Return the ids of a column: whole numbers as they are, all else as text."""
    import pyarrow as pa

    column = frame.column(name)
    return column.cast(pa.int64() if pa.types.is_signed_integer(column.type) else pa.large_string())


def _for_all_rows(plan: Plan, rows: Column, ids: Column) -> Plan:
    """Return the plan for all rows of a frame: those without a text are kept."""
    pc = compute()
    every = plan.table.take(pc.index_in(counting(len(ids)), value_set=rows))
    every = every.set_column(0, "id", ids)
    every = every.set_column(1, "kept", pc.fill_null(every["kept"], fill_value=True))
    return replace(plan, table=every, without_text=len(ids) - len(rows))
