"""Messages about tables that cannot be read, whichever reader found the problem."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from lookalike.documents.document_batches import BY_RULE, NO_WORDS, SHORT, Skipped
from lookalike.errors import DocumentError, DuplicateIdError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lookalike.documents.raw_input import Limits

__all__ = [
    "BAD_ROW",
    "LONG_LINE",
    "NOT_TEXT",
    "bad_element",
    "bad_line",
    "changed",
    "csv_row_too_long",
    "damaged_rows",
    "duplicate_id",
    "element_too_long",
    "empty_file",
    "empty_table",
    "first_line",
    "id_not_a_number",
    "line_too_long",
    "lost_lines",
    "missing_id",
    "no_json_lines",
    "not_a_table",
    "not_judged",
    "other_text",
    "place",
    "ragged_row",
    "row_not_utf8",
    "row_too_large",
    "row_without_text",
    "skipped_row",
    "truncated",
    "unread_after",
]

BAD_ROW: Final = "bad row"
"""Why a line is skipped of which no row can be made; the detail says more."""
LONG_LINE: Final = "line too long"
"""Why a line is skipped that is longer than a document may be: no row is made of it."""
NOT_TEXT: Final = "not text"
"""Why a row is skipped whose text is none: a number, or bytes that are not UTF-8. It is a row all the same."""
_NO_ROWS: Final = "the table has no rows"
_NOT_ASKED: Final = BY_RULE - SHORT - {"empty", "null text", NO_WORDS}
"""Why something is skipped that is not of the collection: nobody wants it kept."""

_FAULTS: Final = {
    "not utf-8": "is not UTF-8 (byte {place:,})",
    "not an object": "is not a JSON object: it does not begin with {{",
    "cut off": "is cut off: the JSON object has no end",
    "malformed": "is not JSON (character {place:,})",
    "deep": "is nested more than 500 deep",
    "long number": "has a number of more than 4,300 digits",
}
"""What is wrong with a line, by the name that the native reader has for it."""


def place(name: str, row: int) -> str:
    """Name a row, counted from 0, for a person, who counts from 1.

    >>> place("corpus.jsonl", 16)
    'row 17 of corpus.jsonl'
    """
    return f"row {row + 1} of {name}"


def first_line(error: object) -> str:
    """Return the beginning of the message of a library."""
    lines = str(error).splitlines()
    return lines[0][:160] if lines else type(error).__name__


_OF_LIBRARIES: Final = re.compile(r"magic bytes|footer|thrift|corrupted|not an Arrow file", re.IGNORECASE)
"""What a library says of any damage, in words that help nobody."""


def _reason(why: object) -> str:
    """Return in brackets what a library says, if it says more than that a file is damaged."""
    return "" if _OF_LIBRARIES.search(str(why)) else f" ({first_line(why)})"


# -- what becomes of what was skipped ----------------------------------------------------------------------------------


def lost_lines(skipped: Iterable[Skipped]) -> list[Skipped]:
    """Return the lines of which no row was made: no output of rows has them."""
    return [one for one in skipped if one.reason in (BAD_ROW, LONG_LINE)]


def not_judged(skipped: Iterable[Skipped]) -> list[Skipped]:
    """Return the rows and files that belong to the collection and were compared with nothing: they are kept."""
    others = _NOT_ASKED | {BAD_ROW, LONG_LINE}
    return [
        one
        for one in skipped
        if one.reason not in others and one.detail != _NO_ROWS and not one.id.endswith("/")  # a folder is no document
    ]


# -- whole files -------------------------------------------------------------------------------------------------------


def not_a_table(name: str, format: str, why: object, size: int) -> DocumentError:  # noqa: A002 - what it is
    """Return the error for a file of this size that is not a table of a format, such as Parquet."""
    problem = f"is not a {format} file, or is incomplete{_reason(why)}" if size else "is empty"
    return DocumentError(name, "file", problem, "write it again, or correct its name")


def unread_after(name: str, row: int, why: object) -> DocumentError:
    """Return the error for a file that is damaged after its first `row` rows."""
    problem = f"is damaged after row {row}{_reason(why)}"
    return DocumentError(name, "file", problem, "write it again, or remove it")


def truncated(name: str, why: object) -> DocumentError:
    """Return the error for a compressed file that is damaged."""
    return DocumentError(name, "file", f"cannot be read to its end: {why}", "get the file again")


def damaged_rows(name: str, row: int | None, why: object) -> DocumentError:
    """Return the error for rows with invalid values."""
    first = name if row is None else f"{name}:{row + 1}"
    problem = f"and those after it are damaged ({str(why)[:160]})"
    return DocumentError(first, "row", problem, "write the file again, or remove it")


def changed(name: str) -> DocumentError:
    """Return the error for a source that has changed since it was first read."""
    return DocumentError(name, "file", "has changed since it was read", "search again")


def empty_file(name: str, *, is_table: bool) -> Skipped:
    """List a file without any bytes: a document of the collection, but none of its rows."""
    return empty_table(name) if is_table else Skipped(name, "empty", "the file has no bytes")


def empty_table(name: str) -> Skipped:
    """List a table that has no rows."""
    return Skipped(name, "empty", _NO_ROWS)


# -- ids and texts -----------------------------------------------------------------------------------------------------


def missing_id(name: str, row: int) -> DocumentError:
    """Return the error for a row without an id."""
    remedy = "give every row an id, or name another column with --id-column (in Python: id=; '' numbers the rows)"
    return DocumentError(f"{name}:{row + 1}", "id", "is missing", remedy)


def duplicate_id(value: object, first: str, second: str) -> DuplicateIdError:
    """Return the error for a duplicate id, which names both places."""
    return DuplicateIdError(value, first, second)


def row_too_large(name: str, row: int, own_id: object, column: str, limits: Limits, *, named: bool) -> Skipped:
    """List a row whose text is larger than a document may be, under the id that it has or would have had."""
    if own_id is None:
        own_id = f"{name}:{row + 1}" if named else row
    return Skipped(str(own_id), "too large", limits.too_large(f"{place(name, row)}: the column {column!r}"))


def row_without_text(name: str, row: int, own_id: object, column: str, *, named: bool, broken: bool) -> Skipped:
    """List a row without a text, or with one that is not UTF-8, under the id that it has or would have had."""
    if own_id is None:
        own_id = f"{name}:{row + 1}" if named else row
    if broken:
        return Skipped(str(own_id), NOT_TEXT, f"{place(name, row)}: the column {column!r} is not valid UTF-8")
    return Skipped(str(own_id), "null text", f"no value in the column {column!r}")


def skipped_row(
    name: str, row: int, reason: str, about: int | str | None, own_id: object, column: str, *, named: bool
) -> Skipped:
    """List a row that a native reader skipped, as the other readers do; `about` is the place, or what the text is."""
    if reason == "other text":
        return other_text(name, row, column, str(about))
    if isinstance(about, int):
        return bad_line(name, row, reason, about)
    return row_without_text(name, row, own_id, column, named=named, broken=reason == NOT_TEXT)


# -- CSV ---------------------------------------------------------------------------------------------------------------


def ragged_row(name: str, row: int, cells: int, wanted: int, line: int) -> Skipped:
    """List a row that has more or fewer cells than the header."""
    problem = f"has {cells:,} cell{'s' * (cells != 1)} and the header {wanted:,}"
    return _bad_row(
        name, row, f"row {row + 1} (line {line}) {problem}; put cells with separators or line ends in quotes"
    )


def row_not_utf8(name: str, row: int, line: int) -> Skipped:
    """List a row of a CSV file with bytes that are not UTF-8."""
    return _bad_row(name, row, f"row {row + 1} (line {line}) is not UTF-8")


def csv_row_too_long(name: str, row: int, limits: Limits) -> Skipped:
    """List a row of a CSV file that is larger than a document may be."""
    return Skipped(f"{name}:{row + 1}", LONG_LINE, limits.too_large(place(name, row)))


# -- JSON --------------------------------------------------------------------------------------------------------------


def line_too_long(name: str, row: int, limits: Limits) -> Skipped:
    """List a line that is larger than a document may be."""
    return Skipped(f"{name}:{row + 1}", LONG_LINE, limits.too_large(f"line {row + 1}"))


def element_too_long(name: str, row: int, limits: Limits) -> Skipped:
    """List an element of an array that is larger than a document may be."""
    return Skipped(f"{name}:{row + 1}", LONG_LINE, limits.too_large(f"element {row + 1}"))


def bad_line(name: str, row: int, fault: str, at: int) -> Skipped:
    """List a line that is no JSON object; `at` is the first wrong character, or byte, counted from 0.

    >>> bad_line("corpus.jsonl", 16, "malformed", 4).detail
    'line 17 is not JSON (character 5)'
    """
    return _bad_row(name, row, f"line {row + 1} {_FAULTS[fault].format(place=at + 1)}")


def no_json_lines(name: str, row: int, fault: str, at: int, looked_at: int) -> DocumentError:
    """Return what is wrong with the first line of a file in which none of the sampled lines is good."""
    problem = _FAULTS[fault].format(place=at + 1)
    if looked_at > 1:
        problem += f", and none of the first {looked_at} lines is a JSON object"
    return DocumentError(f"{name}:{row + 1}", "line", problem, "put each object on its own line")


def bad_element(name: str, row: int, problem: str) -> Skipped:
    """List an element of an array that cannot be a row."""
    return _bad_row(name, row, f"element {row + 1} {problem}")


def other_text(name: str, row: int, column: str, kind: str) -> Skipped:
    """List a row whose text is, for example, "a number"."""
    return Skipped(f"{name}:{row + 1}", NOT_TEXT, f"the field {column!r} is {kind}, not text")


def _bad_row(name: str, row: int, detail: str) -> Skipped:
    # Identified by its place: its own id may be what cannot be read.
    return Skipped(f"{name}:{row + 1}", BAD_ROW, detail)


def id_not_a_number(name: str, row: int, column: str, kind: str) -> DocumentError:
    """Return the error for an id that is, for example, "text" where those before it are numbers."""
    problem = f"is {kind}, where the ids before it are 64-bit integers"
    return DocumentError(f"{name}:{row + 1}", f"field {column!r}", problem, "give all ids as text, or all as numbers")
