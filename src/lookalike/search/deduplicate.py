"""Remove near-duplicates, or parts that occurred before, from a table, a list or a dataset, in one call."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar, overload

from lookalike.documents import one_name, open_documents
from lookalike.documents.data_frames import STREAMED
from lookalike.documents.kinds import Given, accepted
from lookalike.documents.open import check_no_text
from lookalike.errors import DocumentError, RecipeError, suggest
from lookalike.presets import with_preset
from lookalike.recipe import Recipe
from lookalike.result.plan import KeepRule, Plan, make_plan
from lookalike.search.find import find
from lookalike.search.frames import Frame, SplitFrame, TextArray, TextDict, TextList, TextRows
from lookalike.search.repeats import Cuts, Repeats, Sought
from lookalike.search.table_frames import ArrowFrame, DatasetFrame, HeldFrame, PandasFrame, PolarsFrame, StreamedFrame
from lookalike.tables.columns import compute, counting

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lookalike.search.repeats import Part
    from lookalike.tables.columns import Column

__all__ = ["drop_near_duplicates", "drop_repeated_parts", "drop_repeated_passages", "id_values"]

Data = TypeVar("Data")


@overload
def drop_near_duplicates(
    data: Data,
    text: str | None = None,
    *,
    threshold: float | None = ...,
    preset: str | None = ...,
    keep: str | None = ...,
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
    threshold: float | None = ...,
    preset: str | None = ...,
    keep: str | None = ...,
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
    threshold: float | None = None,
    preset: str | None = None,
    keep: str | None = None,
    recall: float = 0.99,
    recipe: Recipe | None = None,
    drop_all: bool = False,
    id: str | None = None,  # noqa: A002 - the public name
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
    ``doc``. `text` is optional if only one column can be meant. Of several tables in a dict, such as a
    DatasetDict, a row of a later table goes if it is like one of an earlier table, with the rule ``first``.
    `tokens` names a column of lists of tokens instead, as in `find`. (`text_column` and `id_column` are the older names
    of `text` and `id`.)

    `keep` says which document of a cluster stays, as `KeepRule` explains, and may name columns of the data:
    ``keep="max:stars"``, ``keep="newest:date"``. Unless it is given, that is the first one; with
    ``metric="containment"`` the longest, because the first may be an excerpt of another. `values` gives values that are
    in no column. With `drop_all`, no document that has a near-duplicate stays. Other arguments are those of `find`.

    `threshold` is 0.8 by default, or that of a `preset` that repeats a published deduplication or is meant for one. The
    presets that are meant for finding, essays, edited and code, bring only their recipe: write a threshold or a metric
    to remove by another.

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
    search = removal_search(threshold, preset, recipe, find_options)
    text, own_id = one_name("text", text, text_column), one_name("id", id, id_column)
    frame = frame_of(data)
    rule = None if keep is None else KeepRule.parse(keep)
    given = frame.documents(text) if tokens is None else _token_rows(frame, text, tokens)
    ids = id_values(frame, own_id) if own_id else None
    if rule is not None and rule.column is not None and values is None:
        values = frame.column(rule.column)
    if values is not None:
        values = (rule or KeepRule("first")).values(values, len(frame))
    result = find(given.documents, tokens=tokens, recall=recall, **find_options | search)
    rows = given.found(result)
    ids = frame.ids() if ids is None else ids
    result = result.with_ids(ids.take(rows))
    chosen = None if values is None else values.take(rows)
    plan = _for_all_rows(make_plan(result, rule, values=chosen, drop_all=drop_all), rows, ids)
    kept = frame.filter(plan.kept_mask)
    return (kept, plan) if return_plan else kept


def removal_search(
    threshold: float | None, preset: str | None, recipe: Recipe | None, others: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the arguments of `find` that are decided by a preset where documents are removed.

    >>> removal_search(None, "essays", None, {})
    {'threshold': 0.8, 'metric': 'jaccard', 'min_words': None, 'recipe': Recipe(k=3, form='nfkc')}
    """
    given = (threshold, others.get("metric"), others.get("min_words"))
    least, metric, min_words = with_preset(preset, *given, removing=True)
    recipe = Recipe.preset(preset) if recipe is None and preset is not None else recipe
    return {"threshold": least, "metric": metric, "min_words": min_words, "recipe": recipe}


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


@overload
def drop_repeated_parts(
    data: Data,
    text: str | None = None,
    *,
    by: Part = ...,
    min_words: int | None = ...,
    recipe: Recipe | None = ...,
    drop_empty: bool = ...,
    id: str | None = ...,
    text_column: str | None = ...,
    id_column: str | None = ...,
    memory: int | None = ...,
    threads: int = ...,
    return_cuts: Literal[False] = ...,
) -> Data: ...


@overload
def drop_repeated_parts(
    data: Data,
    text: str | None = None,
    *,
    by: Part = ...,
    min_words: int | None = ...,
    recipe: Recipe | None = ...,
    drop_empty: bool = ...,
    id: str | None = ...,
    text_column: str | None = ...,
    id_column: str | None = ...,
    memory: int | None = ...,
    threads: int = ...,
    return_cuts: Literal[True],
) -> tuple[Data, Cuts]: ...


def drop_repeated_parts(
    data: Any,
    text: str | None = None,
    *,
    by: Part = "paragraph",
    min_words: int | None = None,
    recipe: Recipe | None = None,
    drop_empty: bool = False,
    id: str | None = None,  # noqa: A002 - the public name
    memory: int | None = None,
    threads: int = 0,
    return_cuts: bool = False,
    text_column: str | None = None,
    id_column: str | None = None,
) -> Any:
    r"""Return the data without the lines, paragraphs or sentences that occurred before, in the same text or another.

    `data`, `text` and `id` are as for `drop_near_duplicates`; the same type comes back, with the rows in their order
    and all other columns untouched. The first of equal parts stays. Two parts are equal if they have the same words,
    normalised as the recipe says; its `unit`, `k` and signature do not matter. Parts of fewer than `min_words` words (5
    unless given) are never cut.

    A document with no word left has an empty text, or is dropped with `drop_empty`. With `return_cuts`, what was cut
    comes too, as `Cuts`: its ids are those of the column `id`, the keys of a dict, or the positions of the rows.
    `memory` is as for `find`; what does not fit is kept in temporary files.

    >>> drop_repeated_parts(["Read more of our stories here.\nOne.", "Two.\nRead more of our stories here!"], by="line")
    ['Read more of our stories here.\nOne.', 'Two.']
    """
    sought = Sought.parts(by, min_words)
    text, own_id = one_name("text", text, text_column), one_name("id", id, id_column)
    return _drop(data, text, sought, recipe, drop_empty, own_id, memory, threads, return_cuts)


@overload
def drop_repeated_passages(
    data: Data,
    text: str | None = None,
    *,
    words: int = ...,
    recipe: Recipe | None = ...,
    drop_empty: bool = ...,
    id: str | None = ...,
    text_column: str | None = ...,
    id_column: str | None = ...,
    memory: int | None = ...,
    threads: int = ...,
    return_cuts: Literal[False] = ...,
) -> Data: ...


@overload
def drop_repeated_passages(
    data: Data,
    text: str | None = None,
    *,
    words: int = ...,
    recipe: Recipe | None = ...,
    drop_empty: bool = ...,
    id: str | None = ...,
    text_column: str | None = ...,
    id_column: str | None = ...,
    memory: int | None = ...,
    threads: int = ...,
    return_cuts: Literal[True],
) -> tuple[Data, Cuts]: ...


def drop_repeated_passages(
    data: Any,
    text: str | None = None,
    *,
    words: int = 50,
    recipe: Recipe | None = None,
    drop_empty: bool = False,
    id: str | None = None,  # noqa: A002 - the public name
    memory: int | None = None,
    threads: int = 0,
    return_cuts: bool = False,
    text_column: str | None = None,
    id_column: str | None = None,
) -> Any:
    """Return the data without the passages of at least `words` words that occurred before, wherever they begin.

    A passage is cut if the same words stand anywhere before it, in the same text or an earlier one, without overlapping
    it. The other arguments are those of `drop_repeated_parts`.

    >>> texts = ["So we beat on, boats against the current.", "He wrote: “Boats against the current …” and more."]
    >>> drop_repeated_passages(texts, words=4)
    ['So we beat on, boats against the current.', 'He wrote: “…” and more.']
    """
    sought = Sought.passages(words)
    text, own_id = one_name("text", text, text_column), one_name("id", id, id_column)
    return _drop(data, text, sought, recipe, drop_empty, own_id, memory, threads, return_cuts)


def _drop(
    data: Any,
    text_column: str | None,
    sought: Sought,
    recipe: Recipe | None,
    drop_empty: bool,
    id_column: str | None,
    memory: int | None,
    threads: int,
    return_cuts: bool,
) -> Any:
    frame = frame_of(data)
    texts = frame.texts(text_column)
    given = TextRows.of(texts)
    ids = (id_values(frame, id_column) if id_column else frame.ids()).take(given.rows)
    with Repeats(open_documents(given.documents), sought, recipe, memory=memory, threads=threads) as repeats:
        left, cuts = _cut(repeats, ids)
    rows: list[Any] = given.rows.to_pylist()
    listed: list[Any] = list(texts) if isinstance(texts, list) else texts.to_pylist()
    for place, text in left.items():
        listed[rows[place]] = text
    kept = frame.with_texts(text_column, listed)
    if drop_empty:
        kept = _without_rows(kept, len(listed), {rows[place] for place, text in left.items() if not text})
    return (kept, cuts) if return_cuts else kept


def _cut(repeats: Repeats, ids: Column) -> tuple[dict[int, str], Cuts]:
    """Return what is left of the documents that lost something, by their numbers, and the cuts under these ids."""
    import pyarrow as pa

    left: dict[int, str] = {}
    tables = [repeats.cuts_schema.empty_table()]
    done = 0
    for cut in repeats.cut():
        left |= {done + place: cut.texts[place] for place in cut.changed}
        done += len(cut.batch)
        tables.append(pa.table(cut.cuts))
    table = pa.concat_tables(tables)
    for place, name in ((0, "id"), (4, "kept_id")):
        table = table.set_column(place, name, ids.take(table[name].cast(pa.int64()).combine_chunks()))
    return left, Cuts(table, done, len(left), sum(not text for text in left.values()))


def _without_rows(data: Any, rows: int, gone: set[int]) -> Any:
    import pyarrow as pa

    return frame_of(data).filter(pa.array([row not in gone for row in range(rows)], pa.bool_()))


# -- the kinds of data -------------------------------------------------------------------------------------------------

_FACES: Final[dict[Given, type[Frame]]] = {
    Given.ARROW: ArrowFrame,
    Given.ARROW_READER: HeldFrame,
    Given.ARROW_SCANNER: HeldFrame,
    Given.DUCKDB: HeldFrame,
    Given.STREAM: HeldFrame,
    Given.PANDAS: PandasFrame,
    Given.POLARS: PolarsFrame,
    Given.POLARS_LAZY: PolarsFrame,
    Given.DATASET: DatasetFrame,
    Given.NUMPY: TextArray,
    Given.MAPPING: TextDict,
    Given.SEQUENCE: TextList,
    Given.ITERABLE: TextList,
    **dict.fromkeys(STREAMED, StreamedFrame),
}


def frame_of(data: Any) -> Frame:
    """Return the adapter of some data.

    >>> frame_of(["one", "two"]).kind
    'list'
    >>> frame_of({"a", "b"})
    Traceback (most recent call last):
        ...
    lookalike.errors.DocumentError: data has the unsupported type 'set'; give a list, a dict, an array of texts, or \
a table
    """
    given = accepted(data)
    if given is Given.SPLITS:
        return SplitFrame(data, frame_of)
    if given in (Given.PATH, Given.PATHS, Given.SOURCE):
        what = "a source of documents" if given is Given.SOURCE else "files"
        remedy = "run lookalike dedupe PATH -o FILE, or give the table that pyarrow, pandas or polars reads from it"
        raise DocumentError(None, "data", f"names {what}, and only rows in memory can be returned", remedy)
    face = _FACES.get(given)
    if face is not None:
        return face(list(data) if given is Given.ITERABLE else data)
    kind = type(data).__name__
    remedy = "give a list, a dict, an array of texts, or a table"
    raise DocumentError(None, "data", f"has the unsupported type {kind!r}", remedy)
