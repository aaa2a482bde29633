"""What all kinds of data that are taken and given back have in common; and texts in lists, dicts and arrays.

Several tables by name, such as the splits of a dataset, are searched together and given back apart.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING, Any

from lookalike.documents import Batch, Size, Source
from lookalike.documents.arrow_columns import texts_of
from lookalike.documents.in_memory import are_records, columns_of_records, list_of_array, of_one_kind
from lookalike.documents.table_columns import check_outer, choose, inside, split_path, value_at
from lookalike.errors import DocumentError, suggest
from lookalike.tables.columns import compute, counting, whole
from lookalike.tables.packed import Ids, Texts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lookalike.documents import Skipped
    from lookalike.result import Result
    from lookalike.tables.columns import Column

__all__ = [
    "Frame",
    "SplitFrame",
    "TextArray",
    "TextDict",
    "TextList",
    "TextRows",
    "as_texts",
    "check_name",
    "checked",
    "column_at",
    "column_of",
]


@dataclass(frozen=True, slots=True)
class TextRows:
    """The documents of a frame: the rows that have a text."""

    documents: Any
    rows: Any
    """Their positions; None where only reading tells, and the documents have them as ids."""

    @classmethod
    def of(cls, texts: Column | list[str | None]) -> TextRows:
        """Drop the rows without a text."""
        import pyarrow as pa

        if isinstance(texts, list):
            rows = [row for row, text in enumerate(texts) if text is not None]
            return cls([text for text in texts if text is not None], pa.array(rows, pa.uint32()))
        there = compute().is_valid(texts)
        return cls(_TextColumn(texts.filter(there)), counting(len(texts)).filter(there))

    def found(self, result: Result) -> Column:
        """Return their positions, after a search of them."""
        import pyarrow as pa

        known: Column | None = self.rows
        return known if known is not None else result.ids.slice(0, result.old_from).cast(pa.uint32())


class _TextColumn(Source):
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


class Frame(ABC):
    """Rows with a text each, of whatever type."""

    kind: str
    """What a message calls it."""

    def __init__(self, data: Any) -> None:
        """Take the data; nothing is copied."""
        self.data = data

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.data)

    @abstractmethod
    def texts(self, column: str | None) -> Column | list[str | None]:
        """Return the text of each row, None or null where there is none."""

    @abstractmethod
    def filter(self, kept: Column) -> Any:
        """Return the data of the same type with the kept rows only."""

    @abstractmethod
    def with_texts(self, column: str | None, texts: list[str | None]) -> Any:
        """Return data of the same type with these texts in the place of those that `texts` returned."""

    def documents(self, column: str | None) -> TextRows:
        """Return the rows that have a text, as documents."""
        return TextRows.of(self.texts(column))

    def column(self, name: str) -> Column:
        """Return the values of a column, which may be inside another: ``doc.text``."""
        problem = f"does not exist: a {self.kind} has no columns"
        raise DocumentError(self.kind, f"column {name!r}", problem, "give a table, or the values themselves: values=…")

    def own_ids(self, ids: Column) -> Column:
        """Return what a plan calls the rows, if a column has their ids."""
        return ids

    def ids(self) -> Column:
        """Return what a plan calls the rows, if no column is named: their positions."""
        import pyarrow as pa

        return counting(len(self)).cast(pa.int64())


def checked(row: Any, text: Any) -> str | None:
    """Return a text or None; anything else is an error that names the row."""
    if text is None or isinstance(text, str):
        return text
    raise DocumentError(row, "text", f"is {type(text).__name__}, not str", "give its text as str, or None")


def check_name(kind: str, name: Any, names: Sequence[Any]) -> None:
    """Raise an error that lists the columns, unless there is exactly one of that name."""
    count = list(names).count(name)
    if count == 1:
        return
    listed = ", ".join(repr(str(known)) for known in names[:12]) + (" …" if len(names) > 12 else "")
    problem = f"is there {count} times" if count else f"does not exist; the columns are {listed}"
    remedy = suggest(name, [str(known) for known in names]) or "name another"
    raise DocumentError(kind, f"column {name!r}", problem, "give every column its own name" if count else remedy)


def column_of(values: Any, name: str, what: str = "value") -> Column:
    """Return Python values as a column; NaN is none."""
    import pyarrow as pa

    try:
        return whole(pa.array(values, from_pandas=True))
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        first = str(error).partition("\n")[0][:100]
        problem = f"has values that do not go together ({first})"
        raise DocumentError(what, f"column {name!r}", problem, "give values of one type") from None


def as_texts(column: Column, name: str) -> Column:
    """Return a column of texts as large_string; one of anything else is refused."""
    import pyarrow as pa

    kind = column.type
    if not (pa.types.is_null(kind) or "string" in str(kind) or pa.types.is_dictionary(kind)):
        raise DocumentError(name, "text", f"is {kind}, not text", "name the column of texts with text=")
    texts, bad, _ = texts_of(column)
    if bad:
        raise DocumentError(bad[0], "text", "is not valid UTF-8", "give its text as str")
    return texts


def column_at(path: str, names: Sequence[str], read: Callable[[str], Column], kind: str) -> Column:
    """Return a column, or what is inside one: `read` returns the column of a name."""
    found = split_path(path, names)
    if found is None or names.count(found[0]) != 1:
        check_name(kind, path, names)
        return read(path)
    column: Any = inside(read(found[0]), found[1])
    if column is None:
        check_name(kind, path, names)
    return whole(column)


class TextList(Frame):
    """A list or tuple of texts, or of rows that are dicts."""

    kind = "list"

    def texts(self, column: str | None) -> list[str | None]:
        if column is None and are_records(self.data):
            column = choose(self.kind, columns_of_records(self.data), None, "").text
        values = self.data if column is None else self._values(column)
        return [checked(row, text) for row, text in enumerate(values)]

    def column(self, name: str) -> Column:
        return column_of(self._values(name), name)

    def _values(self, name: str) -> list[Any]:
        for row, value in enumerate(self.data):
            if not isinstance(value, Mapping):
                problem = f"is {type(value).__name__}, which has no column {name!r}"
                raise DocumentError(row, "row", problem, "give a list of dicts, or no column")
        values = [value_at(row, name) for row in self.data]
        if self.data and not any(name in row for row in self.data) and all(value is None for value in values):
            raise DocumentError(self.kind, f"column {name!r}", "does not exist", "name one that the rows have")
        return values

    def filter(self, kept: Column) -> Any:
        chosen = compress(self.data, kept.to_pylist())
        return tuple(chosen) if isinstance(self.data, tuple) else list(chosen)

    def with_texts(self, column: str | None, texts: list[str | None]) -> Any:
        rows: list[Any] = texts
        if column is None and are_records(self.data):
            column = choose(self.kind, columns_of_records(self.data), None, "").text
        if column is not None:
            check_outer(column, [name for row in self.data for name in row])
            pairs = zip(self.data, texts, strict=True)
            rows = [row if text is None else {**row, column: text} for row, text in pairs]
        return tuple(rows) if isinstance(self.data, tuple) else rows


class TextDict(Frame):
    """A dict of texts by id."""

    kind = "dict"

    def texts(self, column: str | None) -> list[str | None]:
        if column is not None:
            self.column(column)
        return [checked(name, text) for name, text in self.data.items()]

    def ids(self) -> Column:
        return column_of(of_one_kind(list(self.data)), "id")

    def filter(self, kept: Column) -> Any:
        return dict(compress(self.data.items(), kept.to_pylist()))

    def with_texts(self, column: str | None, texts: list[str | None]) -> Any:
        del column  # there is none
        return dict(zip(self.data, texts, strict=True))


class TextArray(Frame):
    """An array of texts of numpy."""

    kind = "array"

    def texts(self, column: str | None) -> list[str | None]:
        if column is not None:
            self.column(column)
        return [checked(row, text) for row, text in enumerate(list_of_array(self.data))]

    def filter(self, kept: Column) -> Any:
        return self.data[kept.to_numpy(zero_copy_only=False)]

    def with_texts(self, column: str | None, texts: list[str | None]) -> Any:
        del column  # there is none
        changed = self.data.copy()
        for row, text in enumerate(texts):
            if text is not None:
                changed[row] = text
        return changed


class SplitFrame(Frame):
    """Tables by name; a row is called by its table and its position in it: ``train:0``."""

    kind = "dict of tables"

    def __init__(self, data: Any, frame_of: Callable[[Any], Frame]) -> None:
        """Take the tables, and the function that adapts each."""
        super().__init__(data)
        self._frames = {str(name): frame_of(table) for name, table in data.items()}

    def __len__(self) -> int:
        return sum(map(len, self._frames.values()))

    def texts(self, column: str | None) -> list[str | None]:
        return [text for frame in self._frames.values() for text in _listed(frame.texts(column))]

    def column(self, name: str) -> Column:
        import pyarrow as pa

        columns = [pa.table({name: frame.column(name)}) for frame in self._frames.values()]
        try:
            together = pa.concat_tables(columns, promote_options="permissive")  # texts are large in one library only
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            problem = f"has other types in some tables ({str(error).splitlines()[0]})"
            raise DocumentError(self.kind, f"column {name!r}", problem, "give it one type in all tables") from None
        return whole(together.column(0)) if columns else pa.nulls(0)

    def ids(self) -> Column:
        import pyarrow as pa

        names = [f"{name}:{row}" for name, frame in self._frames.items() for row in range(len(frame))]
        return pa.array(names, pa.large_string())

    def own_ids(self, ids: Column) -> Column:
        import pyarrow as pa

        named = [f"{name}:{own}" for name, part in self._parts(ids.to_pylist()) for own in part]
        return pa.array(named, pa.large_string())

    def filter(self, kept: Column) -> Any:
        return self._like_before({name: self._frames[name].filter(part) for name, part in self._parts(kept)})

    def with_texts(self, column: str | None, texts: list[str | None]) -> Any:
        changed = {name: self._frames[name].with_texts(column, part) for name, part in self._parts(texts)}
        return self._like_before(changed)

    def _parts(self, values: Any) -> Iterator[tuple[str, Any]]:
        start = 0
        for name, frame in self._frames.items():
            yield name, values[start : start + len(frame)]
            start += len(frame)

    def _like_before(self, tables: dict[str, Any]) -> Any:
        named = dict(zip(self.data, tables.values(), strict=True))
        return named if type(self.data) is dict else type(self.data)(named)


def _listed(texts: Column | list[str | None]) -> list[str | None]:
    return texts if isinstance(texts, list) else texts.to_pylist()
