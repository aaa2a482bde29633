"""What is said about tables that cannot be read, whichever reader found it."""

from __future__ import annotations

from lookalike.documents.model import Skipped
from lookalike.errors import DocumentError, DuplicateIdError

__all__ = [
    "bad_json",
    "changed",
    "damaged_rows",
    "duplicate_id",
    "empty_table",
    "field_not_text",
    "first_line",
    "id_not_a_number",
    "line_not_an_object",
    "line_not_utf8",
    "line_too_deep",
    "line_too_long",
    "long_number",
    "missing_id",
    "not_a_table",
    "place",
    "row_without_text",
    "truncated",
    "unread_after",
]

_MEND = "mend or remove the line"


def place(name: str, row: int) -> str:
    """Name a row, counted from 0, for a person, who counts from 1.

    >>> place("corpus.jsonl", 16)
    'row 17 of corpus.jsonl'
    """
    return f"row {row + 1} of {name}"


def first_line(error: object) -> str:
    """Return the beginning of what a library says."""
    lines = str(error).splitlines()
    return lines[0][:160] if lines else type(error).__name__


# -- whole files -------------------------------------------------------------------------------------------------------


def not_a_table(name: str, format: str, why: object, size: int) -> DocumentError:  # noqa: A002 - what it is
    """Say that a file of so many bytes is no table of a format, such as Parquet."""
    problem = f"is not a readable {format} file ({first_line(why)})" if size else "is empty"
    return DocumentError(name, "file", problem, "write it again, or give it its right name")


def unread_after(name: str, row: int, why: object) -> DocumentError:
    """Say that a file is damaged behind its first `row` rows."""
    problem = f"cannot be read after row {row} ({first_line(why)})"
    return DocumentError(name, "file", problem, "write it again, or leave it out")


def truncated(name: str, why: object) -> DocumentError:
    """Say that a compressed file is damaged, and why."""
    return DocumentError(name, "file", f"cannot be read to its end: {why}", "get the file again")


def damaged_rows(name: str, row: int | None, why: object) -> DocumentError:
    """Say that rows hold what they cannot hold."""
    first = name if row is None else f"{name}:{row + 1}"
    problem = f"and those after it are damaged ({str(why)[:160]})"
    return DocumentError(first, "row", problem, "write the file again, or leave it out")


def changed(name: str) -> DocumentError:
    """Say that a source is not what it was when it was read first."""
    return DocumentError(name, "file", "has changed since it was read", "search again")


def empty_table(name: str) -> Skipped:
    """Say that a table has no rows."""
    return Skipped(name, "empty", "the table has no rows")


# -- ids and texts -----------------------------------------------------------------------------------------------------


def missing_id(name: str, row: int) -> DocumentError:
    """Say that a row has no id."""
    remedy = "give every row an id, or name another column with --id-column ('' numbers the rows)"
    return DocumentError(f"{name}:{row + 1}", "id", "is missing", remedy)


def duplicate_id(value: object, first: str, second: str) -> DuplicateIdError:
    """Say that an id is given twice, and where."""
    return DuplicateIdError(value, first, second)


def row_without_text(name: str, row: int, own_id: object, column: str, *, named: bool, broken: bool) -> Skipped:
    """List a row without a text, or with one that is not UTF-8, under the id that it has or would have had."""
    if own_id is None:
        own_id = f"{name}:{row + 1}" if named else row
    if broken:
        return Skipped(str(own_id), "not text", f"{place(name, row)}: the column {column!r} is not valid UTF-8")
    return Skipped(str(own_id), "null text", f"nothing in the column {column!r}")


# -- JSON --------------------------------------------------------------------------------------------------------------


def line_too_long(name: str, row: int, most: int) -> DocumentError:
    """Say that a line has more bytes than a line may have."""
    remedy = "cut it into several documents, or check that each object is on a line of its own"
    return DocumentError(f"{name}:{row + 1}", "line", f"is longer than {most >> 20} MB", remedy)


def line_not_utf8(name: str, row: int, byte: int) -> Skipped:
    """List a line that is not UTF-8; `byte` is the first wrong one, counted from 0."""
    detail = f"line {row + 1} is not UTF-8 (byte {byte + 1}); save the file as UTF-8"
    return Skipped(f"{name}:{row + 1}", "not text", detail)


def bad_json(name: str, row: int, why: str, character: int) -> DocumentError:
    """Say what is wrong with a line, and at which character, counted from 0."""
    return DocumentError(f"{name}:{row + 1}", "line", f"is not JSON ({why} at character {character + 1})", _MEND)


def line_too_deep(name: str, row: int) -> DocumentError:
    """Say that the brackets of a line go too deep."""
    return DocumentError(f"{name}:{row + 1}", "line", "is nested too deeply", _MEND)


def long_number(name: str, row: int) -> DocumentError:
    """Say that a number of a line has more digits than Python takes."""
    return DocumentError(f"{name}:{row + 1}", "line", "has a number that is too long", _MEND)


def line_not_an_object(name: str, row: int, kind: str) -> DocumentError:
    """Say that a line is another value than an object; `kind` is as Python calls it."""
    return DocumentError(f"{name}:{row + 1}", "line", f"is a {kind}, not an object in braces", _MEND)


def field_not_text(name: str, row: int, column: str, kind: str) -> DocumentError:
    """Say that the text of a row is, for example, "a number"."""
    remedy = "put it in quotes, or use another --text-column"
    return DocumentError(f"{name}:{row + 1}", f"field {column!r}", f"is {kind}, not text", remedy)


def id_not_a_number(name: str, row: int, column: str, kind: str) -> DocumentError:
    """Say that the id of a row is, for example, "text" where those before it are numbers."""
    problem = f"is {kind}, where the ids before it are whole numbers of 64 bits"
    return DocumentError(f"{name}:{row + 1}", f"field {column!r}", problem, "give all ids as text, or all as numbers")
