"""What `check` and `index query` share: their options, and a run of checks."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import typer

from lookalike.cli.index_options import opened
from lookalike.cli.messages import FOUND, complain
from lookalike.cli.options import flag, makes, option
from lookalike.cli.output import check_raw_csv, wants_color
from lookalike.cli.reading import say_flags, say_notes
from lookalike.cli.running import nothing_read, say_skipped
from lookalike.cli.values import one_of, share, threads_of, whole_number
from lookalike.cli.writing import destination, extension, keep_sources
from lookalike.errors import RecipeError
from lookalike.tables.wording import count

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager

    from lookalike.cli.reading import Reading
    from lookalike.documents import Source
    from lookalike.index.duplicate_check import Checking, StoredDocuments
    from lookalike.index.query import Hits

__all__ = ["Asked", "HitsFormat", "in_index", "run_checks", "with_asked"]


class HitsFormat(StrEnum):
    """What hits look like."""

    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"


_PANEL: Final = "Check"
_OPTIONS: Final[dict[str, tuple[Any, Any]]] = {
    "threshold": option(
        "-t", "--threshold", panel=_PANEL, metavar="T", help="Least similarity; default that of the index."
    ),
    "top": option(
        "--top", panel=_PANEL, metavar="N", help="At most N hits each, 0: all; default 10, for programs all."
    ),
    "own": flag("--self", panel=_PANEL, help="Show a document that is in the index under its own id too."),
    "add": flag("--add", panel=_PANEL, help="Add each document without a hit, so that later ones meet it."),
    "jsonl": flag("--jsonl", panel=_PANEL, help='Lines {"id": …, "text": …} in, one line of JSON out for each.'),
    "fail_over": option("--fail-over", panel=_PANEL, metavar="T", help="Exit with 1 if a hit is alike by T or more."),
    "threads": option("--threads", panel=_PANEL, metavar="N", help="Threads; default: one for each processor."),
    "format": option(
        "--format",
        panel=_PANEL,
        metavar="FORMAT",
        help="table, json, jsonl or csv; default by the name of FILE.",
        values=tuple(HitsFormat),
    ),
    "output": option("-o", "--output", panel=_PANEL, metavar="FILE", help="Write to a file."),
    "raw_csv": flag(
        "--raw-csv", panel=_PANEL, help="In CSV, leave texts that a spreadsheet would run as formulas as they are."
    ),
    "color": option(
        "--color",
        panel=_PANEL,
        metavar="WHEN",
        help="auto (on a terminal), always or never.",
        values=("auto", "always", "never"),
    ),
    "quiet": flag("--quiet", "-q", panel=_PANEL, help="No notes."),
}


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of an index, and how the answer is shown."""

    threshold: float | None
    top: int | None
    """At most so many hits of each document, 0: all; None if it was not said."""
    own: bool
    add: bool
    jsonl: bool
    fail_over: float | None
    threads: int
    format: HitsFormat
    output: str | None
    raw_csv: bool
    color: bool
    quiet: bool

    def start(self, stored: StoredDocuments) -> Checking:
        """Begin the checks."""
        from lookalike.index.duplicate_check import Checking

        least = stored.settings.threshold if self.threshold is None else self.threshold
        if self.fail_over is not None and self.fail_over < least:
            hint = "documents below the threshold are not searched for"
            raise RecipeError("--fail-over", self.fail_over, f"at least the threshold, {least:g}", hint)
        return Checking(stored, least, self.top or None, self.own, self.add)


def _make(given: dict[str, Any]) -> Asked:
    output, jsonl = given["output"], bool(given["jsonl"])
    to_file = output not in (None, "-")
    form = given["format"]
    if form is None:
        ending = {"ndjson": "jsonl"}.get(extension(output or ""), extension(output or ""))
        form = "jsonl" if jsonl else ending if ending in list(HitsFormat) else "table"
    kind = one_of("--format", form, HitsFormat)
    if jsonl and kind is not HitsFormat.JSONL:
        raise RecipeError("--format", form, "jsonl with --jsonl")
    threshold = None if given["threshold"] is None else share("--threshold", given["threshold"], zero=True)
    top = None if given["top"] is None else whole_number("--top", given["top"], least=0)
    if threshold == 0.0 and (not top or given["add"]):
        raise RecipeError(
            "--threshold", given["threshold"], "above 0 unless --top N asks for the nearest, without --add"
        )
    check_raw_csv(bool(given["raw_csv"]), kind is HitsFormat.CSV)
    return Asked(
        threshold=threshold,
        top=top,
        own=bool(given["own"]),
        add=bool(given["add"]),
        jsonl=jsonl,
        fail_over=None if given["fail_over"] is None else share("--fail-over", given["fail_over"]),
        threads=threads_of(given["threads"]),
        format=kind,
        output=output,
        raw_csv=bool(given["raw_csv"]),
        color=wants_color(given["color"] or "auto", to_file=to_file),
        quiet=bool(given["quiet"]),
    )


with_asked = makes("asked", _OPTIONS, _make)
"""Give a command that takes what is `asked` the options that make it."""


@contextmanager
def in_index(where: str, asked: Asked) -> Iterator[StoredDocuments]:
    """Open an index that is there."""
    with opened(where) as store:
        from lookalike.index.duplicate_check import StoredHere

        yield StoredHere(store, asked.threads)


def run_checks(
    opening: AbstractContextManager[StoredDocuments],
    paths: Sequence[str],
    reading: Reading,
    asked: Asked,
    file: str = "",
) -> None:
    """Check documents against those that are stored, and write what was found, but not over the `file` of an index."""
    if "-" in paths and sys.stdin is not None and sys.stdin.isatty():
        complain("reading standard input; end it with Ctrl-D")
    keep_sources([asked.output], [*paths, file] if file else paths)
    with opening as stored:
        checking = asked.start(stored)
        if asked.jsonl:
            _run_lines(paths, checking, reading, asked)
        else:
            _run_paths(paths, checking, reading, asked)
    if not asked.quiet:
        say_notes(_notes(checking))
    if asked.fail_over is not None and checking.closest >= asked.fail_over:
        raise typer.Exit(FOUND)


def _run_lines(paths: Sequence[str], checking: Checking, reading: Reading, asked: Asked) -> None:
    from lookalike.cli.check_lines import check_lines

    if list(paths) != ["-"]:
        raise RecipeError("--jsonl", " ".join(paths), "given with -, standard input", "name a .jsonl file without it")
    with destination(asked.output) as stream:
        wrong = check_lines(stream, checking, reading)
    if wrong and not asked.quiet:
        complain(f"note: {count(wrong, 'line')} could not be read; the output says why")


def _run_paths(paths: Sequence[str], checking: Checking, reading: Reading, asked: Asked) -> None:
    from lookalike.cli import check_output

    if asked.add and "-" in paths:
        hint = '--jsonl takes lines {"id": …, "text": …}'
        raise RecipeError("--add", "-", "given for documents with ids, which a text on standard input has not", hint)
    source = reading.open(paths)
    texts: list[str] = []
    found = _hits(source, checking, texts)
    first = next(found, None)
    if first is None:
        raise nothing_read(source.name, source.skipped())
    check_output.write(chain([first], found), source, checking, texts, asked)
    if not asked.quiet:
        say_notes(source.notes())
        say_flags(source.flags())
        say_skipped(source.skipped())


def _hits(source: Source, checking: Checking, texts: list[str]) -> Iterator[Hits]:
    """Give the hits of all documents; `texts` gets the first one."""
    for batch in source.batches():
        if not texts:
            texts.append(batch.texts[0])
        yield from checking.check(batch.ids, batch.texts)


def _notes(checking: Checking) -> Iterator[str]:
    """Give what a person should know about the answers."""
    name = checking.stored.name
    if checking.added:
        yield f"{count(checking.added, 'document')} added to {name}"
    if checking.not_added:
        own = count(checking.not_added, "document")
        yield f"{own} not added: {name} has the same ids; {checking.stored.to_replace}"
    if checking.own_left_out:
        yield f"{count(checking.own_left_out, 'document')} found under the same id in {name}: --self shows that as well"
    if checking.truncated:
        most = "share a part with so many stored documents that not all were looked at"
        yield f"{count(checking.truncated, 'document')} {most}"
