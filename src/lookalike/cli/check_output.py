"""`lookalike check`: the hits of documents, for programs and for people."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Any, Final

from lookalike.cli.check_lines import answer
from lookalike.cli.output import send_drawn
from lookalike.cli.writing import destination
from lookalike.tables.json import to_json, write_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lookalike.cli.checking import Asked
    from lookalike.documents import Source
    from lookalike.index.duplicate_check import Checking
    from lookalike.index.query import Hit, Hits

__all__ = ["write"]

_EXACT: Final = ("jaccard", "containment_query", "containment_document")
_ESTIMATED: Final = ("jaccard", "standard_error")


def write(found: Iterator[Hits], source: Source, checking: Checking, texts: Sequence[str], asked: Asked) -> None:
    """Write the hits as they are found; people see them when all are."""
    if asked.format == "table":
        from lookalike.cli.check_table import to_table

        send_drawn(to_table(found, checking, texts, asked.top), asked.output, color=asked.color)
        return
    with destination(asked.output) as stream:
        if asked.format == "json":
            _write_json(stream, found, source, checking)
        elif asked.format == "jsonl":
            stream.writelines(to_json(answer(hits), indent=None).encode() for hits in found)
        else:
            _write_csv(stream, found, checking, raw=asked.raw_csv)


def _write_json(stream: IO[bytes], found: Iterator[Hits], source: Source, checking: Checking) -> None:
    head: dict[str, Any] = {"schema": "lookalike/1", "index": checking.stored.name, "threshold": checking.threshold}
    documents = (to_json(answer(hits), indent=None).rstrip("\n") for hits in found)
    write_json(stream, head, {"documents": documents, "skipped": _skipped(source)})


def _skipped(source: Source) -> Iterator[str]:
    """Give what was skipped; asked for when all documents were read."""
    for one in source.skipped():
        listed = {"id": one.id, "reason": one.reason, "detail": one.detail}
        yield to_json(listed, indent=None).rstrip("\n")


def _write_csv(stream: IO[bytes], found: Iterator[Hits], checking: Checking, *, raw: bool) -> None:
    from lookalike.tables.csv import CsvTable

    scores = _ESTIMATED if checking.stored.settings.keep == "signature" else _EXACT
    table = CsvTable(stream, ["id", "hit", *scores], raw=raw)
    for hits in found:
        if rows := [(str(hits.query), str(hit.id), *_values(hit, scores)) for hit in hits]:
            table.write_columns(list(zip(*rows, strict=True)))


def _values(hit: Hit, names: Sequence[str]) -> Iterator[Any]:
    return (getattr(hit, name) for name in names)
