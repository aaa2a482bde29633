"""Parts that occurred before, out of the texts of a table, a list or a dataset, in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from lookalike.documents import one_name, open_documents
from lookalike.result.cuts import Cuts
from lookalike.search.drop import id_values
from lookalike.search.frames import TextRows, frame_of
from lookalike.search.repeats import Repeats, Sought

if TYPE_CHECKING:
    from lookalike.recipe import Recipe
    from lookalike.search.repeats import Part
    from lookalike.tables.number_columns import Column

__all__ = ["drop_repeated_parts", "drop_repeated_passages"]

Data = TypeVar("Data")


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
    id: str | None = None,  # noqa: A002 - the name that it has everywhere
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

    A document with no word left has an empty text, or is left out with `drop_empty`. With `return_cuts`, what was cut
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
    id: str | None = None,  # noqa: A002 - the name that it has everywhere
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
