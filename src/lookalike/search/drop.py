"""Near-duplicates out of a table, a list or a dataset, in one line."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from lookalike.checks import suggest
from lookalike.documents import one_name
from lookalike.documents.tokens import check_no_text
from lookalike.errors import DocumentError, RecipeError
from lookalike.result.keep import KeepRule
from lookalike.result.plan import Plan, make_plan
from lookalike.search.find import find
from lookalike.search.frames import TextRows, frame_of
from lookalike.tables.number_columns import compute, counting

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lookalike.recipe import Recipe
    from lookalike.search.frames import Frame
    from lookalike.tables.number_columns import Column

__all__ = ["drop_near_duplicates", "id_values"]

Data = TypeVar("Data")


@overload
def drop_near_duplicates(
    data: Data,
    text: str | None = None,
    *,
    threshold: float = ...,
    keep: str = ...,
    recall: float = ...,
    recipe: Recipe | None = ...,
    drop_all: bool = ...,
    id: str | None = ...,
    values: Any = ...,
    tokens: str | None = ...,
    return_plan: Literal[False] = ...,
    **find_options: Any,
) -> Data: ...


@overload
def drop_near_duplicates(
    data: Data,
    text: str | None = None,
    *,
    threshold: float = ...,
    keep: str = ...,
    recall: float = ...,
    recipe: Recipe | None = ...,
    drop_all: bool = ...,
    id: str | None = ...,
    values: Any = ...,
    tokens: str | None = ...,
    return_plan: Literal[True],
    **find_options: Any,
) -> tuple[Data, Plan]: ...


def drop_near_duplicates(
    data: Any,
    text: str | None = None,
    *,
    threshold: float = 0.8,
    keep: str = "first",
    recall: float = 0.99,
    recipe: Recipe | None = None,
    drop_all: bool = False,
    id: str | None = None,  # noqa: A002 - the name that it has everywhere
    values: Any = None,
    return_plan: bool = False,
    tokens: str | None = None,
    text_column: str | None = None,
    id_column: str | None = None,
    **find_options: Any,
) -> Any:
    """Return the data without near-duplicates: the same type, the rows in their order, everything else untouched.

    `data` is whatever `find` takes in memory. A generator becomes a list; a Dataset or Scanner of pyarrow, and whatever
    only exports an Arrow stream, a Table. `text` and `id` name columns; ``doc.text`` is a field inside the column
    ``doc``. `text` may be left out where only one column can be meant. Of several tables in a dict, such as a
    DatasetDict, a row of a later table goes if it is like one of an earlier table, with ``keep="first"``.
    `tokens` names a column of lists of tokens instead, as in `find`. (`text_column` and `id_column` are the older names
    of `text` and `id`.)

    `keep` says which document of a group stays, as `KeepRule` explains, and may name columns of the data:
    ``keep="max:stars"``, ``keep="newest:date"``. `values` gives values that are in no column. With `drop_all`, no
    document that has a near-duplicate stays. Other arguments are those of `find`.

    Rows without a text are kept and never match; the plan counts them. With `return_plan`, the plan comes too: its ids
    are those of the column `id`, the keys of a dict, or the positions of the rows.

    >>> drop_near_duplicates(["one two three", "One, two, three!", None, "four five six"])
    ['one two three', None, 'four five six']
    >>> rows = [{"text": "one two three", "stars": 2}, {"text": "One, two, three!", "stars": 5}]
    >>> drop_near_duplicates(rows, "text", keep="max:stars")
    [{'text': 'One, two, three!', 'stars': 5}]
    >>> _, plan = drop_near_duplicates({"a": "one two three", "b": "one two three"}, return_plan=True)
    >>> plan.removals.to_pylist()
    [{'id': 'b', 'kept_id': 'a', 'score': 1.0, 'group': 0}]
    """
    _check_options(find_options)
    text, own_id = one_name("text", text, text_column), one_name("id", id, id_column)
    frame = frame_of(data)
    rule = KeepRule.parse(keep)
    given = frame.documents(text) if tokens is None else _token_rows(frame, text, tokens)
    ids = id_values(frame, own_id) if own_id else None
    if rule.column is not None and values is None:
        values = frame.column(rule.column)
    if values is not None:
        values = rule.values(values, len(frame))
    result = find(given.documents, threshold, tokens=tokens, recall=recall, recipe=recipe, **find_options)
    rows = given.found(result)
    ids = frame.ids() if ids is None else ids
    result = result.with_ids(ids.take(rows))
    chosen = None if values is None else values.take(rows)
    plan = _for_all_rows(make_plan(result, rule, values=chosen, drop_all=drop_all), rows, ids)
    kept = frame.filter(plan.kept_mask)
    return (kept, plan) if return_plan else kept


def _check_options(given: Mapping[str, Any]) -> None:
    """Refuse an argument that neither this function nor `find` has; `find` would name itself in the error."""
    others = find.__kwdefaults__ or {}
    for name in given:
        if name not in others:
            hint = suggest(name, [*(drop_near_duplicates.__kwdefaults__ or {}), *others])
            problem = f"drop_near_duplicates() got an unexpected keyword argument {name!r}"
            raise TypeError(f"{problem}; {hint}" if hint else problem)


def _token_rows(frame: Frame, text: str | None, tokens: str) -> TextRows:
    """Return the rows that have tokens, as a table of the one column."""
    import pyarrow as pa

    check_no_text(text)
    if not isinstance(tokens, str):
        raise RecipeError("tokens", tokens, "the name of a column of lists")
    column = frame.column(tokens)
    there = column.is_valid()
    return TextRows(pa.table({tokens: column.filter(there)}), counting(len(column)).filter(there))


def id_values(frame: Frame, name: str) -> Column:
    """Return the ids of a column: whole numbers as they are, all else as text."""
    import pyarrow as pa

    column = frame.column(name)
    if column.null_count:
        row = column.is_null().index(True).as_py()
        raise DocumentError(row, f"column {name!r}", "has no id", "give every row an id, or name another column")
    ids = column.cast(pa.int64() if pa.types.is_signed_integer(column.type) else pa.large_string())
    return frame.own_ids(ids)


def _for_all_rows(plan: Plan, rows: Column, ids: Column) -> Plan:
    """Return the plan for all rows of a frame: those without a text are kept."""
    pc = compute()
    every = plan.table.take(pc.index_in(counting(len(ids)), value_set=rows))
    every = every.set_column(0, "id", ids)
    every = every.set_column(1, "kept", pc.fill_null(every["kept"], fill_value=True))
    return replace(plan, table=every, without_text=len(ids) - len(rows))
