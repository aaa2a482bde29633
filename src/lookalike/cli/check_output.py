"""The hits of documents that `lookalike check` and `index query` write: JSON Lines as they come, JSON, CSV, a table."""

from __future__ import annotations

import json
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Final

from lookalike.cli.input import limits_of
from lookalike.cli.output import destination, send_drawn, width
from lookalike.opening import stdin
from lookalike.result.view import recall_of
from lookalike.tables.packed import Texts, encoded
from lookalike.tables.spelling import count, to_json, visible, write_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType
    from rich.table import Table

    from lookalike.cli.check import CheckOptions
    from lookalike.cli.input import Reading
    from lookalike.documents import Source
    from lookalike.index.new_documents import Checking
    from lookalike.index.query import Hit, Hits
    from lookalike.tables.packed import Id

__all__ = ["NOT_SEARCHED", "WHOLE_DOCUMENTS", "check_lines", "write_hits"]

NOT_SEARCHED: Final = "a copied paragraph is not searched: use lookalike scan NEW --preset essays --against OLD"
WHOLE_DOCUMENTS: Final = f"whole documents were compared; {NOT_SEARCHED}"
"""What to know about an answer of an index whose preset is meant for copied passages."""

_BLOCK: Final = 1 << 18
_LARGEST_ID: Final = 2**63


def answer(hits: Hits, checking: Checking) -> dict[str, Any]:
    """Return what JSON says of one document."""
    return {"id": hits.query, **hits.to_dict(nearest=checking.stored.settings.nearest > 0)}


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
            stream.write(to_json(one if isinstance(one, dict) else answer(next(found), checking), indent=None).encode())
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


_EXACT: Final = ("jaccard", "containment_query", "containment_document", "same_id")
_ESTIMATED: Final = ("estimate", "standard_error", "same_id")


def write_hits(
    found: Iterator[Hits], source: Source, checking: Checking, texts: Sequence[str], asked: CheckOptions
) -> None:
    """Write the hits as they are found; people see them when all are."""
    if asked.format == "table":
        send_drawn(to_table(found, checking, texts, asked.top), asked.output, color=asked.color)
        return
    with destination(asked.output) as stream:
        if asked.format == "json":
            _write_json(stream, found, source, checking)
        elif asked.format == "jsonl":
            stream.writelines(to_json(answer(hits, checking), indent=None).encode() for hits in found)
        else:
            _write_csv(stream, found, checking, raw=asked.raw_csv)


def _write_json(stream: IO[bytes], found: Iterator[Hits], source: Source, checking: Checking) -> None:
    stored = checking.stored
    head: dict[str, Any] = {"schema": "lookalike/1", "index": stored.name, "preset": stored.settings.preset}
    head["threshold"] = checking.threshold
    documents = (to_json(answer(hits, checking), indent=None).rstrip("\n") for hits in found)
    write_json(stream, head, {"documents": documents, "skipped": _skipped(source)})


def _skipped(source: Source) -> Iterator[str]:
    """Give what was skipped; asked for when all documents were read."""
    for one in source.skipped():
        listed = {"id": one.id, "reason": one.reason, "detail": one.detail}
        yield to_json(listed, indent=None).rstrip("\n")


def _write_csv(stream: IO[bytes], found: Iterator[Hits], checking: Checking, *, raw: bool) -> None:
    from lookalike.tables.write_table import CsvWriter

    scores = _ESTIMATED if checking.stored.settings.keep == "signature" else _EXACT
    table = CsvWriter(stream, ["id", "hit", *scores], raw=raw)
    for hits in found:
        if rows := [(str(hits.query), str(hit.id), *_values(hit, scores)) for hit in hits]:
            table.write_columns(list(zip(*rows, strict=True)))


def _values(hit: Hit, names: Sequence[str]) -> Iterator[Any]:
    return (getattr(hit, name) for name in names)


_SAME_ID: Final = " (same id)"
SHOWN: Final = 10
"""Hits of a document that a person sees unless --top says otherwise."""


def to_table(
    found: Iterator[Hits], checking: Checking, texts: Sequence[str], top: int | None
) -> Iterator[RenderableType]:
    """Give what is printed, part by part; `texts` has the first document when it was read."""

    from rich.text import Text

    most = SHOWN if top is None else top
    last: Hits | None = None
    nothing_before = False
    for hits in found:
        if (hits or hits.nearest) and nothing_before:
            yield Text()
        nothing_before = not (hits or hits.nearest)
        last = hits
        yield from _one(hits, checking, most)
    if last and checking.documents == 1 and checking.stored.settings.keep == "text":
        yield from _longest_passage(last, checking, texts[0])
    if nothing_before:
        yield Text()
    if checking.stored.settings.nearest:
        yield Text(f"{WHOLE_DOCUMENTS[0].upper()}{WHOLE_DOCUMENTS[1:]}")
        yield Text()
    yield Text(_summary(checking))


def _one(hits: Hits, checking: Checking, most: int) -> Iterator[RenderableType]:
    from rich.text import Text

    from lookalike.cli.drawing import shorten

    said = _nothing(hits, checking) + (" (1 stored under the same id, not compared)" if hits.skipped_same_id else "")
    name = shorten(str(hits.query), max(12, width() - len(said)))
    yield Text.assemble((name, "bold"), said)
    if not hits and not hits.nearest:
        return
    estimated = checking.stored.settings.keep == "signature"
    if hits:
        yield _hits(hits[: most or len(hits)], estimated=estimated)
        if most and len(hits) > most:
            yield Text(f"… and {len(hits) - most:,} more (--top 0 shows all)", style="dim")
    if others := [hit for hit in hits.nearest if hit not in hits]:
        if hits:
            yield Text()
            yield Text("The nearest others", style="dim")
        yield _hits(others, estimated=estimated)
    yield Text()


def _nothing(hits: Hits, checking: Checking) -> str:
    """Return what is said behind the name of a document if it has no hits."""
    if hits:
        return ""
    if hits.not_judged:
        return ": not compared, it has no words"
    if not checking.stored.settings.nearest:
        return ": nothing similar"
    # Parts of it may well be similar.
    return f": none ≥ {checking.threshold:.2f}; the nearest:" if hits.nearest else ": none near as a whole"


def _hits(shown: Sequence[Hit], *, estimated: bool) -> Table:
    from rich.cells import cell_len

    from lookalike.cli.drawing import grid, percent, shorten

    scores = ("≈ Jaccard", "±") if estimated else ("Jaccard", "New in stored", "Stored in new")
    table = grid(("#", "right"), *((header, "right") for header in scores), ("Stored document", "left"))
    used = len(f"{len(shown)}") + sum(max(len(header), 6) + 2 for header in scores) + 2
    marks = [_SAME_ID if hit.same_id else "" for hit in shown]
    longest = max(cell_len(visible(str(hit.id))) + len(mark) for hit, mark in zip(shown, marks, strict=True))
    room = max(12, min(width() - used, longest))
    for rank, (hit, mark) in enumerate(zip(shown, marks, strict=True), start=1):
        more = (hit.standard_error,) if estimated else (hit.containment_query, hit.containment_document)
        values = (percent(value or 0.0) for value in (hit.similarity, *more))
        table.add_row(f"{rank}", *values, shorten(str(hit.id), max(12, room - len(mark))) + mark)
    return table


def _longest_passage(hits: Hits, checking: Checking, text: str) -> Iterator[RenderableType]:
    """Give the longest passage that the document shares with the closest one."""

    from rich.text import Text

    from lookalike.cli.drawing import Passages, shorten
    from lookalike.cli.scan_table import LONGEST_TEXT, PASSAGE_ENDS
    from lookalike.text.comparison import passages

    closest = hits[0].id
    try:
        stored = checking.stored.get(closest)
    except KeyError:  # somebody has just removed it
        return
    recipe = checking.stored.settings.recipe
    if max(len(text), len(stored)) > LONGEST_TEXT:
        return
    shared = passages(text, stored, recipe)
    if shared:
        longest = max(shared, key=lambda passage: passage.units)
        yield Text("Longest passage shared with the closest document", style="bold")
        title = f"  in {shorten(str(hits.query), 24)} (A) and {shorten(str(closest), 24)} (B)"
        yield from Passages(text, stored, recipe, PASSAGE_ENDS).show(longest, 1, title)


def _summary(checking: Checking) -> str:
    stored = count(checking.stored.count(), "document")
    alike = f"{checking.alike:,} with hits ≥ {checking.threshold:.2f}"
    if not checking.threshold:
        alike = f"{checking.alike:,} that {'shares' if checking.alike == 1 else 'share'} something with them"
    exact = "estimated" if checking.stored.settings.keep == "signature" else "exact"
    name = visible(checking.stored.name)
    judged = checking.documents - checking.not_judged
    wordless = f" ({checking.not_judged:,} without words not compared)" if checking.not_judged else ""
    checked = f"{count(judged, 'document')} checked{wordless} against {name} ({stored})"
    if not judged:
        return checked
    recall = "recall not promised"
    if checking.recall is not None:
        recall = f"{recall_of(checking.recall, of_what=False)} of documents ≥ {checking.threshold:.2f}"
    return f"{checked} · {alike} · scores {exact} · {recall}"
