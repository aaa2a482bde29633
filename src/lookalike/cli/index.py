"""`lookalike index`: documents that stay; what an index is, and its upkeep: verify, repair, compact, backup."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from lookalike.cli.commands import examples
from lookalike.cli.input import nothing_read, open_index, opened, say_flags, say_notes, skipped_lines
from lookalike.cli.messages import FOUND, complain
from lookalike.cli.options import command_line
from lookalike.cli.output import Color, ColorOption, Format, FormatOption, send, send_drawn, wants_color, wants_json
from lookalike.documents.document_batches import skipped_words as words_of
from lookalike.errors import StoreError
from lookalike.tables.json import to_json
from lookalike.tables.wording import at_least, count, size, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from rich.console import RenderableType

    from lookalike.cli.messages import Report
    from lookalike.documents import Source
    from lookalike.index import Check

__all__ = [
    "HELP",
    "INDEX_BACKUP_HELP",
    "INDEX_COMPACT_HELP",
    "INDEX_INFO_HELP",
    "INDEX_REPAIR_HELP",
    "INDEX_VERIFY_HELP",
    "MODULES",
    "SUBCOMMANDS",
    "IndexArgument",
    "ThreadsOption",
    "counting",
    "index",
    "index_backup",
    "index_compact",
    "index_info",
    "index_repair",
    "index_verify",
    "say_read",
    "skipped_words",
]


SUBCOMMANDS: Final = {
    "build": "Build a new index.",
    "add": "Add documents: all or none.",
    "remove": "Remove documents by id.",
    "query": "Find stored documents that are similar to others.",
    "info": "Show the settings and the size of an index.",
    "verify": "Check every document and every key.",
    "repair": "Repair what can be repaired, and report what is lost.",
    "compact": "Free the space taken by removed documents.",
    "backup": "Write a copy to a new file.",
}
MODULES: Final = {
    **dict.fromkeys(("build", "add", "remove", "query"), "index_contents"),
    **dict.fromkeys(("info", "verify", "repair", "compact", "backup"), "index"),
}
"""The file of each."""

HELP = examples(
    "Keep documents in an index, and query it with new ones.",
    "lookalike index build class.db essays/",
    "lookalike index add class.db new/",
    "lookalike index query class.db new.txt --top 5",
    "lookalike index remove class.db one.txt",
    "lookalike index info class.db",
    "lookalike index verify class.db",
    "lookalike index backup class.db copy.db",
    last="INDEX is a file, or a schema in PostgreSQL: postgresql://host/database#schema. What was added is safely "
    "stored when a command ends. lookalike check NEW --index INDEX queries it too, and lookalike scan NEW "
    "--against INDEX compares whole collections.",
)


def index(context: typer.Context) -> None:
    """Show the help if no command is given."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


IndexArgument = Annotated[
    str,
    typer.Argument(metavar="INDEX", help="A file, or postgresql://host/database#schema.", show_default=False),
]

ThreadsOption = Annotated[
    str | None,
    typer.Option("--threads", metavar="N", help="Threads (default: one per processor).", show_default=False),
]


def counting(report: Report | None, source: Source) -> Callable[[int], None] | None:
    """Return what shows how many documents are added; None if nobody watches."""
    if report is None:
        return None
    total = source.size().documents
    return lambda done: report("adding", done, total)


def say_read(source: Source, read: int, *, quiet: bool, verbose: bool) -> None:
    """Tell what was decided while a source was read; one without any document is an error."""
    skipped = source.skipped()
    if not read:
        raise nothing_read(source.name, skipped)
    if not quiet:
        say_notes(source.notes())
        say_flags(source.flags())
    if verbose:
        for line in skipped_lines(skipped):
            complain(line)


def skipped_words(source: Source) -> str:
    """Return how much of a source was skipped, and why.

    >>> from lookalike.documents import open_documents
    >>> skipped_words(open_documents(["one"]))
    ''
    """
    words = words_of(source.skipped())
    return f" ({words})" if words else ""


INDEX_INFO_HELP = examples(
    "Show the settings and the size of an index.",
    "lookalike index info class.db",
    "lookalike index info class.db --format json",
)

_SCORES: Final = {"text": "exact, with passages", "shingles": "exact", "signature": "estimated"}


def index_info(where: IndexArgument, format: FormatOption = Format.TABLE, color: ColorOption = Color.AUTO) -> None:  # noqa: A002 — the option's name
    """Print the facts of an index."""
    from lookalike.index import Index

    as_json, in_color = wants_json(format), wants_color(color)
    with opened(where) as store:
        info = Index(store).info()
        if as_json:
            send(to_json({"schema": "lookalike/1", "index": store.name, **info}), None, encoding="utf-8")
        else:
            send_drawn(_info_table(store.name, info), None, color=in_color)


def _percent(share: float) -> str:
    return f"{100 * float(at_least(share)):g} %"


def _info_table(name: str, info: Mapping[str, Any]) -> Iterator[RenderableType]:
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    secret = " (its seed is secret)" if info["secret"] else ""
    facts = {
        "Index": name,
        "Documents": f"{info['documents']:,}",
        "Size": size(info["bytes"]),
        "Keeps": f"{info['keep']}: scores are {_SCORES[info['keep']]}",
        "Threshold": f"at least {_percent(info['recall'])} of the hits at {info['threshold']:g} are found",
        "Bands": f"{info['bands']} of {info['rows']} rows",
        "Recipe": info["recipe"] + secret,
    }
    for fact, value in facts.items():
        grid.add_row(fact, Text(visible(value)))
    yield grid


INDEX_VERIFY_HELP = examples(
    "Check every document and every key.",
    "lookalike index verify class.db",
    "lookalike index verify class.db --format json",
    last="Exit code 1 means that something is damaged; each problem is named. Nothing is changed.",
)


def index_verify(where: IndexArgument, format: FormatOption = Format.TABLE) -> None:  # noqa: A002 — the option's name
    """Look at an index, and print what is wrong."""
    from lookalike.index import Index

    as_json = wants_json(format)
    with opened(where) as store:
        found = Index(store).verify()
        if as_json:
            send(checked_json(store.name, found), None, encoding="utf-8")
        elif found.ok:
            send(f"{visible(store.name)}: {count(found.documents, 'document')}, all is well\n", None)
        else:
            lines = [f"{store.name} is damaged:", *(f"  {problem}" for problem in found.problems)]
            if repair := command_line("index", ["repair", store.name]):
                lines.append(f"Next: {repair}")
            send("".join(f"{visible(line)}\n" for line in lines), None)
    if not found.ok:
        raise typer.Exit(FOUND)


def checked_json(name: str, found: Check) -> str:
    """Return what was found, or repaired, as JSON."""
    values = {"documents": found.documents, "ok": found.ok, "problems": found.problems, "lost": found.lost}
    return to_json({"schema": "lookalike/1", "index": name, **values})


INDEX_REPAIR_HELP = examples(
    "Repair what can be repaired, and report what is lost.",
    "lookalike index repair class.db",
    "lookalike index repair class.db --format json",
    last="Keys are rebuilt, and documents too where their texts are whole. What is lost is removed and named: add it "
    "again. The damaged file is kept as INDEX.damaged.",
)


def index_repair(where: IndexArgument, format: FormatOption = Format.TABLE) -> None:  # noqa: A002 — the option's name
    """Repair an index, and print what was done."""
    as_json = wants_json(format)
    name, done = _repaired(where)
    if as_json:
        send(checked_json(name, done), None, encoding="utf-8")
        return
    lines = [f"{name}: {count(done.documents, 'document')} whole, {len(done.lost):,} lost"]
    lines += [f"  {problem}" for problem in done.problems]
    lines += [f"  lost: {one!r}" for one in done.lost]
    if done.lost:
        lines.append("Add lost documents again: lookalike index add")
    send("".join(f"{visible(line)}\n" for line in lines), None)


def _repaired(where: str) -> tuple[str, Check]:
    """Repair an index, also one that cannot be opened; return its name, and what was done."""
    from contextlib import closing
    from pathlib import Path

    from lookalike.index.store_opening import is_server, may_be_repaired, repair_file

    try:
        store = open_index(where)
    except StoreError as error:
        if is_server(where) or not may_be_repaired(error):
            raise
        return where, repair_file(Path(where))
    with closing(store):
        return store.name, store.repair()


INDEX_COMPACT_HELP = examples(
    "Free the space taken by removed documents.",
    "lookalike index compact class.db",
    last="Queries become as fast as they can be. While it runs, it needs as much space again.",
)


def index_compact(where: IndexArgument) -> None:
    """Make an index as small and as quick as it can be."""
    from lookalike.index import Index

    with opened(where) as store:
        before = store.info()["bytes"]
        Index(store).compact()
        send(f"{visible(store.name)}: {size(before)} before, {size(store.info()['bytes'])} now\n", None)


INDEX_BACKUP_HELP = examples(
    "Write a copy to a new file.",
    "lookalike index backup class.db copy.db",
    last="The index can be used meanwhile; the copy is a snapshot. An index in PostgreSQL is copied to a file too. "
    "To restore a backup, put it in the place of the index.",
)

FileArgument = Annotated[str, typer.Argument(metavar="FILE", help="The new file.", show_default=False)]


def index_backup(where: IndexArgument, file: FileArgument) -> None:
    """Copy an index."""
    from lookalike.index import Index

    with opened(where) as store:
        Index(store).backup(file)
    with opened(file) as copy:
        send(f"{visible(file)}: {count(len(Index(copy)), 'document')}\n", None)
