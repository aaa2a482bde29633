"""One small face for all kinds of data that are taken and given back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from lookalike.checks import suggest
from lookalike.documents.arrow_columns import texts_of
from lookalike.documents.paths_inside import inside, split_path
from lookalike.errors import DocumentError
from lookalike.search.frames.rows import TextRows
from lookalike.tables.number_columns import counting, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lookalike.tables.number_columns import Column

__all__ = ["Frame", "as_texts", "check_name", "checked", "column_at", "column_of"]


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
