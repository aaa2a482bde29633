"""Rows as the lines of a file: what stands before them, and another text in one, all else as it is, byte for byte."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lookalike.documents.json_line import with_text as with_json_text

__all__ = ["LineForm"]


@dataclass(frozen=True, slots=True)
class LineForm:
    """What the lines of a table are."""

    format: str
    """``jsonl``, ``csv`` or ``tsv``."""
    head: bytes | None = None
    """The line before the first row, without its end."""
    delimiter: str = ""
    columns: tuple[str, ...] = ()

    def with_text(self, line: bytes, column: str, text: str) -> bytes:
        r"""Return a line with another text in a column.

        >>> LineForm("csv", b"id,text", ",", ("id", "text")).with_text(b'"1",two\r', "text", "a, b")
        b'"1","a, b"\r'
        """
        if self.format == "jsonl":
            return with_json_text(line, column, text)
        row = line.decode("utf-8", "surrogateescape")
        body = row.rstrip("\r\n")
        cells = _cells(body, self.delimiter)
        cells[self.columns.index(column)] = '"' + text.replace('"', '""') + '"'
        return (self.delimiter.join(cells) + row[len(body) :]).encode("utf-8", "surrogateescape")


def _cells(row: str, delimiter: str) -> list[str]:
    """Part a row into its cells, with their quotes: a quote that does not begin a cell is a character like others."""
    other = f"[^{re.escape(delimiter)}]*+"
    cell = re.compile(f'"(?:[^"]|"")*+"?{other}|{other}', re.DOTALL)
    cells: list[str] = []
    at = 0
    while at <= len(row):
        found = cell.match(row, at)
        end = found.end() if found else len(row)
        cells.append(row[at:end])
        at = end + len(delimiter)
    return cells
