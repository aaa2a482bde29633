"""`lookalike check FILE… --index INDEX`, or `--server URL`: which stored documents are like these?"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from lookalike.cli.commands import examples
from lookalike.cli.input import (
    PathsArgument,
    Reading,
    nothing_read,
    opened,
    say_flags,
    say_notes,
    say_skipped,
    skipped_lines,
    with_reading,
)
from lookalike.cli.messages import FOUND, complain
from lookalike.cli.options import flag, makes, option, share, threads_of, whole_number
from lookalike.cli.output import check_raw_csv, destination, format_for, keep_sources, wants_color
from lookalike.documents.document_batches import unread
from lookalike.errors import DocumentError, LookalikeError, RecipeError
from lookalike.opening import SERVER_FORM, open_error, open_file
from lookalike.tables.spelling import count

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager

    from lookalike.documents import Source
    from lookalike.index.new_documents import Checking, StoredDocuments
    from lookalike.index.query import Hits

__all__ = ["HELP", "CheckOptions", "check", "in_index", "on_server", "run_checks", "token_in", "with_asked"]


class HitsFormat(StrEnum):
    """What hits look like."""

    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"


_PANEL: Final = "Check"
_CHECK: Final[dict[str, tuple[Any, Any]]] = {
    "threshold": option(
        "-t", "--threshold", panel=_PANEL, metavar="T", help="Minimum similarity (default: that of the index)."
    ),
    "top": option(
        "--top",
        panel=_PANEL,
        metavar="N",
        help="At most N hits per document; 0 for all (default: 10 in a table, otherwise all).",
    ),
    "skip_same_id": flag(
        "--skip-same-id", panel=_PANEL, help="Do not compare a document with the stored one of the same id."
    ),
    "add": flag(
        "--add", panel=_PANEL, help="Add each document without a hit, so that later ones are compared with it."
    ),
    "jsonl": flag("--jsonl", panel=_PANEL, help='Read lines {"id": …, "text": …}, write a line of JSON for each.'),
    "fail_over": option("--fail-over", panel=_PANEL, metavar="T", help="Exit with 1 if any hit scores ≥ T."),
    "threads": option("--threads", panel=_PANEL, metavar="N", help="Threads (default: one per processor)."),
    "format": option(
        "--format",
        panel=_PANEL,
        metavar="FORMAT",
        help="table, json, jsonl or csv (default: by the name of FILE).",
        values=tuple(HitsFormat),
    ),
    "output": option("-o", "--output", panel=_PANEL, metavar="FILE", help="Write to a file."),
    "raw_csv": flag(
        "--raw-csv",
        panel=_PANEL,
        help="In CSV, do not escape text that a spreadsheet would run as a formula.",
    ),
    "color": option(
        "--color",
        panel=_PANEL,
        metavar="WHEN",
        help="auto (on a terminal), always or never.",
        values=("auto", "always", "never"),
    ),
    "quiet": flag("--quiet", "-q", panel=_PANEL, help="No notes, except for what CSV has no column for."),
}


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """What is asked of an index, and how the answer is shown."""

    threshold: float | None
    top: int | None
    """At most this many hits per document, 0: all; None if not given."""
    skip_same_id: bool
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
        from lookalike.index.new_documents import Checking

        least = stored.settings.threshold if self.threshold is None else self.threshold
        if self.fail_over is not None and self.fail_over < least:
            hint = "documents below the threshold are not searched for"
            raise RecipeError("--fail-over", self.fail_over, f"at least the threshold, {least:g}", hint)
        return Checking(stored, least, self.top or None, self.skip_same_id, self.add)


def _make_asked(given: dict[str, Any]) -> CheckOptions:
    output, jsonl = given["output"], bool(given["jsonl"])
    to_file = output not in (None, "-")
    kind = format_for(given["format"] or ("jsonl" if jsonl else None), output, HitsFormat)
    if jsonl and kind is not HitsFormat.JSONL:
        raise RecipeError("--format", given["format"], "jsonl with --jsonl")
    threshold = None if given["threshold"] is None else share("--threshold", given["threshold"], zero=True)
    top = None if given["top"] is None else whole_number("--top", given["top"], least=0)
    if threshold == 0.0 and (not top or given["add"]):
        raise RecipeError(
            "--threshold", given["threshold"], "above 0 unless --top N asks for the nearest, without --add"
        )
    check_raw_csv(bool(given["raw_csv"]), kind is HitsFormat.CSV)
    return CheckOptions(
        threshold=threshold,
        top=top,
        skip_same_id=bool(given["skip_same_id"]),
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


with_asked = makes("asked", _CHECK, _make_asked)
"""Give a command that takes what is `asked` the options that make it."""


@contextmanager
def in_index(where: str, asked: CheckOptions) -> Iterator[StoredDocuments]:
    """Open an index that is there."""
    with opened(where) as store:
        from lookalike.index.new_documents import StoredHere

        yield StoredHere(store, asked.threads)


def run_checks(
    opening: AbstractContextManager[StoredDocuments],
    paths: Sequence[str],
    reading: Reading,
    asked: CheckOptions,
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
        say_notes(_notes(checking, asked))
    if not asked.quiet or asked.format is HitsFormat.CSV:  # which has no place for what these say
        say_notes(_notes_on_answers(checking, asked))
    if asked.fail_over is not None and checking.closest >= asked.fail_over:
        raise typer.Exit(FOUND)


def _run_lines(paths: Sequence[str], checking: Checking, reading: Reading, asked: CheckOptions) -> None:
    from lookalike.cli.check_output import check_lines

    if list(paths) != ["-"]:
        raise RecipeError("--jsonl", True, "given with - (standard input)", "name a .jsonl file without it")
    with destination(asked.output) as stream:
        wrong = check_lines(stream, checking, reading)
    if wrong and not asked.quiet:
        complain(f"note: {count(wrong, 'line')} could not be read; the output says why")


def _run_paths(paths: Sequence[str], checking: Checking, reading: Reading, asked: CheckOptions) -> None:
    from lookalike.cli.check_output import write_hits

    if asked.add and "-" in paths:
        hint = '--jsonl takes lines {"id": …, "text": …}'
        raise RecipeError("--add", True, "given with documents that have ids; a text on standard input has none", hint)
    source = reading.open(paths)
    texts: list[str] = []
    found = _hits(source, checking, texts)
    first = next(found, None)
    if first is None:
        raise nothing_read(source.name, source.skipped())
    write_hits(chain([first], found), source, checking, texts, asked)
    if not asked.quiet:
        say_notes(source.notes())
        say_flags(source.flags())
        skipped = source.skipped()
        if asked.format in (HitsFormat.TABLE, HitsFormat.CSV):  # JSON has them all
            for line in skipped_lines(unread(skipped)):
                complain(line)
        say_skipped(skipped)


def _hits(source: Source, checking: Checking, texts: list[str]) -> Iterator[Hits]:
    """Give the hits of all documents; `texts` gets the first one."""
    for batch in source.batches():
        if not texts:
            texts.append(batch.texts[0])
        yield from checking.check(batch.ids, batch.texts)


def _notes(checking: Checking, asked: CheckOptions) -> Iterator[str]:
    """Give what a person should know about what was done, and left out because it was asked for."""
    name = checking.stored.name
    if checking.added:
        yield f"{count(checking.added, 'document')} added to {name}"
    if checking.not_added:
        own = count(checking.not_added, "document")
        yield f"{own} not added: {name} has the same ids; {checking.stored.to_replace}"
    if checking.cut and asked.format in (HitsFormat.TABLE, HitsFormat.CSV):  # JSON has it as `truncated`
        yield f"{count(checking.cut, 'document')} may have more hits than --top {checking.top:,} lists"


def _notes_on_answers(checking: Checking, asked: CheckOptions) -> Iterator[str]:
    """Give what a person should know about the answers."""
    from lookalike.cli.check_output import WHOLE_DOCUMENTS

    if checking.not_judged and asked.format is HitsFormat.CSV:
        yield f"{count(checking.not_judged, 'document')} not compared: no words"
    if checking.skipped:
        yield f"{checking.skipped:,} stored under the same id, not compared"
    if checking.stored.settings.nearest and asked.format is not HitsFormat.TABLE:  # the table says it itself
        yield WHOLE_DOCUMENTS
    if checking.truncated:
        most = "share a part with too many stored documents to examine all of them"
        yield f"{count(checking.truncated, 'document')} {most}"


ENVIRONMENT: Final = "LOOKALIKE_TOKEN"
"""Where the token is if no file is named. On a command line everybody could read it."""
_LONGEST_TOKEN: Final = 4096


@contextmanager
def on_server(url: str, token_file: str | None, *, writes: bool) -> Iterator[StoredDocuments]:
    """Ask a server; with the write token, where a file has both and something is to be added."""
    from lookalike.client import Client, StoredThere

    token = os.environ.get(ENVIRONMENT) or None
    if token_file is not None:
        token = token_in(token_file, writes=writes)
    with Client(url, token) as client:
        yield StoredThere(client)


def token_in(path: str, *, writes: bool) -> str:
    """Return the token in a file: its one line, or that of the kind wanted in a token file of `lookalike serve`."""
    try:
        with open_file(path) as file:
            content = file.read(_LONGEST_TOKEN + 1)
            mode = os.fstat(file.fileno()).st_mode
    except OSError as error:
        raise open_error(path, error, "put the token into a file") from None
    if os.name == "posix" and mode & 0o077:
        raise DocumentError(path, "file", "can be read by others than its owner", f"run: chmod 600 {path}")
    words = content.decode("utf-8", "replace").split()
    if len(words) == 1 and len(content) <= _LONGEST_TOKEN:
        return words[0]
    if words[:1] in (["read"], ["write"]):
        from lookalike.server import read_tokens

        tokens = read_tokens(Path(path))
        return tokens.write if writes else tokens.read
    problem, remedy = "is not a token", "put the token on one line, or give the token file of lookalike serve"
    raise DocumentError(path, "file", problem, remedy)


HELP = examples(
    "Find the documents in an index that are similar to new ones.",
    "lookalike check new.txt --index class.db",
    "lookalike check essay.pdf --index class.db --format json",
    "lookalike check new/ --index class.db -t 0.5 --top 3",
    "lookalike check new/ --index class.db --add",
    "cat new.jsonl | lookalike check - --index class.db --jsonl",
    "lookalike check new.txt --server http://localhost:8765",
    last="lookalike index build makes an index; lookalike serve puts it on a server. What is stored "
    "under the id of a checked document is marked as (same id). Similarity is not proof of copying: read the passages "
    "with lookalike compare.",
)

IndexOption = Annotated[
    str | None,
    typer.Option("--index", metavar="INDEX", help=f"A file, or {SERVER_FORM}.", show_default=False),
]
ServerOption = Annotated[
    str | None,
    typer.Option("--server", metavar="URL", help="The URL of a lookalike server.", show_default=False),
]
TokenOption = Annotated[
    str | None,
    typer.Option(
        "--token-file",
        metavar="FILE",
        help="File with the server's token (default: the variable LOOKALIKE_TOKEN).",
        show_default=False,
    ),
]


@with_reading
@with_asked
def check(
    paths: PathsArgument,
    *,
    index: IndexOption = None,
    server: ServerOption = None,
    token_file: TokenOption = None,
    reading: Reading,
    asked: CheckOptions,
) -> None:
    """Check documents, and print what they are like."""
    if index is not None and server is not None:
        raise LookalikeError("give --index or --server, not both")
    if index is not None:
        if token_file is not None:
            raise LookalikeError("--token-file is for --server: an index needs none")
        run_checks(in_index(index, asked), paths, reading, asked, index)
    elif server is not None:
        run_checks(on_server(server, token_file, writes=asked.add), paths, reading, asked)
    else:
        raise LookalikeError("give the index with --index INDEX, or a server with --server URL")
