"""`lookalike check - --jsonl`: a document a line in, an answer a line out, as they come."""

from __future__ import annotations

import json
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Final

from lookalike.cli.reading import limits_of
from lookalike.opening import stdin
from lookalike.tables.json import to_json
from lookalike.tables.packed import Texts, encoded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lookalike.cli.reading import Reading
    from lookalike.index.duplicate_check import Checking
    from lookalike.index.query import Hits
    from lookalike.tables.packed import Id

__all__ = ["answer", "check_lines"]

_BLOCK: Final = 1 << 18
_LARGEST_ID: Final = 2**63


def answer(hits: Hits) -> dict[str, Any]:
    """Return what JSON says of one document."""
    return {"id": hits.query, "hits": [hit.to_dict() for hit in hits], "truncated": hits.truncated}


def check_lines(stream: IO[bytes], checking: Checking, reading: Reading) -> int:
    """Answer each line of standard input in its order; returns how many could not be read.

    Lines that have come together are worked on as one; nobody waits for a line that has not come yet.
    """
    most = limits_of(reading.max_document, reading.max_expansion).document
    columns = reading.text_column or "text", reading.id_column or "id"
    number = wrong = 0
    for lines in _arrived(stdin(), most):
        read: list[tuple[Id, str] | dict[str, Any]] = []
        for line in lines:
            number += 1
            if line is None or line.strip():
                read.append(_document(line, number, columns, checking))
        documents = [one for one in read if isinstance(one, tuple)]
        found = checking.check([name for name, _ in documents], Texts.of(text for _, text in documents))
        for one in read:
            wrong += isinstance(one, dict)
            stream.write(to_json(one if isinstance(one, dict) else answer(next(found)), indent=None).encode())
        stream.flush()
    return wrong


def _arrived(stream: BinaryIO, most: int) -> Iterator[list[bytes | None]]:
    """Give the lines that have come so far, again and again; None for one that is longer than `most` bytes."""
    held: list[bytes] = []
    size = 0
    while block := stream.read1(_BLOCK):  # type: ignore[attr-defined]
        lines: list[bytes | None] = []
        for place, part in enumerate(block.split(b"\n")):
            if place:  # a line has ended before this part
                lines.append(b"".join(held) if size <= most else None)
                held, size = [], 0
            size += len(part)
            if size <= most:
                held.append(part)
            else:
                held.clear()
        yield lines
    yield [b"".join(held) if size <= most else None] if size else []


def _document(
    line: bytes | None, number: int, columns: tuple[str, str], checking: Checking
) -> tuple[Id, str] | dict[str, Any]:
    """Return the id and the text of a line; if it has none, what to answer."""
    if line is None:
        return _wrong(number, "is larger than --max-document allows")
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return _wrong(number, "is not JSON")
    text_column, id_column = columns
    if not isinstance(row, dict) or not isinstance(text := row.get(text_column), str):
        return _wrong(number, f"is no object with a text in {text_column!r}")
    name = row.get(id_column)
    if name is None:
        return _wrong(number, f"has no id in {id_column!r}; --add needs one") if checking.add else (number - 1, text)
    if (
        not isinstance(name, int | str)
        or isinstance(name, bool)
        or (isinstance(name, int) and abs(name) >= _LARGEST_ID)
    ):
        return _wrong(number, f"has an id in {id_column!r} that is neither a text nor a whole number of 64 bits")
    name = encoded(name).decode() if isinstance(name, str) else name
    if checking.add and (problem := checking.refuses(name)):
        return {"line": number, "error": f"id {problem}"}
    return name, text


def _wrong(number: int, problem: str) -> dict[str, Any]:
    return {"line": number, "error": f"line {number} {problem}"}
