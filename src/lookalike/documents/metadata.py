"""What the user knows of the documents: a table with a name, an author, a date and a label for each."""

from __future__ import annotations

import io
import os
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from lookalike.documents.text_file import read_small
from lookalike.errors import DocumentError, suggest
from lookalike.tables.spelling import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from lookalike.documents.text_tables import CsvRowReader

__all__ = ["Metadata", "first_of", "for_documents", "merged", "metadata_of", "read_metadata", "shown_date"]

_COLUMNS: Final = {
    "id": ("id", "filename", "file", "path"),
    "name": ("name", "full_name", "title"),
    "author": ("author", "student", "author_id"),
    "date": ("date", "created_at", "submitted", "timestamp"),
    "label": ("label", "group", "class"),
}
"""The columns, each with the names that it may have; Dolos calls them filename, full_name, created_at and label."""
_DATES: Final = ("%Y-%m-%d %H:%M:%S %z", "%Y-%m-%d %H:%M", "%d.%m.%Y", "%Y/%m/%d", "%Y/%m/%d %H:%M:%S")
"""Forms of dates beside ISO 8601; none that reads differently in two countries."""
_LONGEST_CELL: Final = 1 << 17
_LOOKED_AT: Final = 100
"""Columns that are checked for misspellings."""
_REMEDY: Final = "write dates as 2026-03-31 or 2026-03-31 14:05"


@dataclass(frozen=True, slots=True)
class Metadata:
    """What is known of one document; what is not given is empty."""

    name: str = ""
    """What to call it instead of its id."""
    author: str = ""
    date: datetime | None = None
    """When it was written or handed in; times without a zone count as UTC."""
    label: str = ""
    line: int = field(default=0, compare=False, repr=False)
    """Where the table has it, for messages."""
    file: str = ""
    """What the author called it, where a learning platform renamed it."""

    def to_dict(self) -> dict[str, Any]:
        """Return what is given, as JSON can hold it.

        >>> Metadata("Essay", date=datetime(2026, 3, 31, tzinfo=UTC)).to_dict()
        {'name': 'Essay', 'date': '2026-03-31'}
        """
        when = "" if self.date is None else self.date.isoformat().removesuffix("+00:00").removesuffix("T00:00:00")
        values = {"name": self.name, "author": self.author, "date": when, "label": self.label, "file": self.file}
        return {name: value for name, value in values.items() if value}


def metadata_of(values: Mapping[str, str]) -> Metadata:
    """Return what `Metadata.to_dict` wrote down.

    >>> metadata_of({"name": "Essay", "date": "2026-03-31"}).to_dict()
    {'name': 'Essay', 'date': '2026-03-31'}
    """
    when = _date(values.get("date", ""), "metadata", "a row")
    known = (values.get("name", ""), values.get("author", ""), when, values.get("label", ""))
    return Metadata(*known, file=values.get("file", ""))


def merged(before: Metadata | None, told: Metadata) -> Metadata:
    """Return what is given, and what was known before where nothing is given.

    >>> merged(Metadata(author="Al Li", file="a.txt"), Metadata(name="Tides", author="Li, Al"))
    Metadata(name='Tides', author='Li, Al', date=None, label='', file='a.txt')
    """
    if before is None:
        return told
    given = {name: getattr(told, name) or getattr(before, name) for name in ("name", "author", "date", "label", "file")}
    return Metadata(**given, line=told.line)


def shown_date(when: datetime | None) -> str:
    """Return a date for people; the time only if there is one."""
    if when is None:
        return ""
    return f"{when:%Y-%m-%d}" if _is_day(when) else f"{when:%Y-%m-%d %H:%M}"


def read_metadata(path: str | os.PathLike[str]) -> dict[str, Metadata]:
    """Read a CSV or TSV file with the columns id (or filename), name, author, date and label.

    All but the id may be missing, and further columns are ignored. The encoding is detected; a comma, a semicolon
    or a tab may separate the cells.
    """
    import csv

    from lookalike.documents.text_tables import CsvRowReader, guess_layout

    source = os.fspath(path)
    text = read_small(source, "remove the columns that are not needed").removeprefix("\ufeff")
    if not text.strip():
        raise DocumentError(source, "file", "is empty", f"its first line names the columns: {', '.join(_COLUMNS)}")
    ended = text if text.endswith(("\n", "\r")) else f"{text}\n"  # so that the last line is counted too
    layout = guess_layout(text, ",;\t", whole=True)
    rows = CsvRowReader(io.StringIO(ended, newline=""), layout.delimiter, len(ended), strict=True)
    try:
        return dict(_documents(rows, source))
    except csv.Error as error:
        raise DocumentError(source, f"line {rows.lines}", f"is not CSV ({error})", "check its quotes") from None


def _columns(header: list[str], source: str) -> dict[str, int]:
    """Return the place of each column that is there."""
    given = [name.strip().lower().replace(" ", "_") for name in header]
    found: dict[str, int] = {}
    for column, names in _COLUMNS.items():
        places = [given.index(name) for name in names if name in given]
        if places:
            found[column] = places[0]
    known = [name for names in _COLUMNS.values() for name in names]
    if "id" not in found:
        hints = (suggest(name, ("id", "filename")) for name in given[:_LOOKED_AT])
        hint = next((hint for hint in hints if hint), "name one of them id or filename")
        raise DocumentError(source, "line 1", f"has no column id or filename, but {_listed(header)}", hint)
    if len(found) == 1:
        hints = (suggest(name, known) for name in given[:_LOOKED_AT] if name not in known)
        hint = next((hint for hint in hints if hint), "add name, author, date or label")
        raise DocumentError(source, "line 1", "has no column besides the id", hint)
    return found


def _listed(names: list[str]) -> str:
    """Return names for a message, the first of many and the beginning of long ones."""
    return ", ".join(visible(name[:40]) for name in names[:8]) + (" …" if len(names) > 8 else "")


def _documents(rows: CsvRowReader, source: str) -> Iterator[tuple[str, Metadata]]:
    seen: dict[str, int] = {}
    columns: dict[str, int] = {}
    for row in rows:
        line = f"line {rows.lines}"
        if row is None:  # cannot be: no row is longer than the text
            continue
        if not columns:
            columns = _columns(row, source)
            continue
        if max(map(len, row), default=0) > _LONGEST_CELL:
            problem = f"has a cell of more than {_LONGEST_CELL:,} characters"
            raise DocumentError(source, line, problem, "check its quotes, or shorten the cell")
        if not any(cell.strip() for cell in row):
            continue
        if len(row) <= max(columns.values()):
            problem = f"has {len(row)} cells, and the columns need {max(columns.values()) + 1}"
            raise DocumentError(source, line, problem, "check the separators and quotes")
        values = {column: row[place].strip() for column, place in columns.items()}
        document = values.pop("id")
        if not document:
            raise DocumentError(source, line, "has no id", "name the document, or remove the line")
        if document in seen:
            problem = f"repeats {_short(document)} from line {seen[document]}"
            raise DocumentError(source, line, problem, "keep one of them")
        seen[document] = rows.lines
        when = _date(values.get("date", ""), source, line)
        known = (values.get("name", ""), values.get("author", ""), when, values.get("label", ""))
        yield document, Metadata(*known, rows.lines)


def _date(given: str, source: str, line: str) -> datetime | None:
    if not given:
        return None
    made = _moment(given)
    if made is None:
        problem = f"has the date {_short(given)}, which is ambiguous or not a date"
        raise DocumentError(source, line, problem, _REMEDY)
    return made


def _moment(given: str) -> datetime | None:
    """Return a date in UTC, if there is one way to read it and it is within the years that Python knows."""
    made: datetime | None = None
    try:
        made = datetime.fromisoformat(given)
    except ValueError:
        for form in _DATES:
            try:
                made = datetime.strptime(given, form)  # noqa: DTZ007 — the zone is added below
                break
            except ValueError:
                continue
    try:
        return made and (made.replace(tzinfo=UTC) if made.tzinfo is None else made.astimezone(UTC))
    except OverflowError:
        return None


def _short(given: str) -> str:
    return repr(given if len(given) <= 100 else f"{given[:100]}…")


def for_documents(
    metadata: Mapping[str, Metadata],
    ids: Iterable[object],
    source: str | os.PathLike[str] = "the metadata",
    absent: list[str] | None = None,
) -> dict[Any, Metadata]:
    """Return the metadata by the ids of the documents; a row may name a document by the end of its path.

    A row that fits more than one document is an error that names `source`, and so is one that fits none, unless they
    are wanted in `absent` (a class list names who has handed in nothing) and some row fits. Documents need no row.
    """
    names: dict[str, object] = {}
    for name in ids:
        names.setdefault(str(name), name)  # an old document may have the id of a new one, which comes first
    # Only ends that a row could name: a path of a thousand folders has a thousand ends.
    lengths = {given.removeprefix("./").count("/") + 1 for given in metadata}
    ends: dict[str, list[str]] = {}
    for name in names:
        parts = name.replace("\\", "/").split("/")
        for length in lengths:
            if length <= len(parts):
                ends.setdefault("/".join(parts[-length:]), []).append(name)
    found: dict[Any, Metadata] = {}
    for given, values in metadata.items():
        fits = [given] if given in names else ends.get(given.removeprefix("./"), [])
        if len(fits) == 1:
            found[names[fits[0]]] = values
        elif absent is None or fits:
            raise _no_document(os.fspath(source), given, values.line, fits, ends)
        else:
            absent.append(given)
    if absent and not found:
        raise _no_document(os.fspath(source), absent[0], metadata[absent[0]].line, [], ends)
    return found


def _no_document(source: str, given: str, line: int, fits: list[str], ends: Mapping[str, list[str]]) -> DocumentError:
    place = f"line {line}" if line else "id"
    if fits:
        problem = f"names {_short(given)}, which fits {_short(fits[0])} and {_short(fits[1])}"
        return DocumentError(source, place, problem, "write more of its path")
    hint = suggest(given, list(ends)) or "remove it, or name the documents as lookalike files lists them"
    return DocumentError(source, place, f"names {_short(given)}, which is none of the documents", hint)


def first_of(a: Metadata | None, b: Metadata | None) -> str | None:
    """Return which of two documents was first: ``a``, ``b`` or ``same``; None if a date is missing.

    A date without a time is a whole day: it is neither before nor after a time of that day.
    """
    if a is None or b is None or a.date is None or b.date is None:
        return None
    if a.date.date() == b.date.date() and (a.date == b.date or _is_day(a.date) or _is_day(b.date)):
        return "same"
    return "a" if a.date < b.date else "b"


def _is_day(when: datetime) -> bool:
    return (when.hour, when.minute, when.second) == (0, 0, 0)
