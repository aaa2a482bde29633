"""`lookalike index`: what an index is, and its upkeep: verify, repair, compact, backup. `lookalike serve`: serve it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from lookalike.cli.commands import examples
from lookalike.cli.input import open_index, opened
from lookalike.cli.messages import FOUND
from lookalike.cli.options import command_line, maybe_number, size, whole_number
from lookalike.cli.output import Color, ColorOption, Format, FormatOption, send, send_drawn, wants_color, wants_json
from lookalike.errors import MissingExtraError, RecipeError, StoreError
from lookalike.opening import SERVER_FORM
from lookalike.tables.spelling import at_least, count, to_json, visible
from lookalike.tables.spelling import size as size_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.console import RenderableType

    from lookalike.index import Check
    from lookalike.server import ServerSettings

__all__ = [
    "INDEX_BACKUP_HELP",
    "INDEX_COMPACT_HELP",
    "INDEX_HELP",
    "INDEX_INFO_HELP",
    "INDEX_REPAIR_HELP",
    "INDEX_VERIFY_HELP",
    "MODULES",
    "SERVE_HELP",
    "SUBCOMMANDS",
    "IndexArgument",
    "ThreadsOption",
    "index",
    "index_backup",
    "index_compact",
    "index_info",
    "index_repair",
    "index_verify",
    "serve",
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

INDEX_HELP = examples(
    "Keep documents in an index, and query it with new ones.",
    "lookalike index build class.db essays/",
    "lookalike index add class.db new/",
    "lookalike index query class.db new.txt --top 5",
    "lookalike index remove class.db one.txt",
    "lookalike index info class.db",
    "lookalike index verify class.db",
    "lookalike index backup class.db copy.db",
    last=f"INDEX is a file, or a schema in PostgreSQL: {SERVER_FORM}. What was added is safely stored when a command "
    "ends. lookalike check NEW --index INDEX queries it too, and lookalike scan NEW "
    "--against INDEX compares whole collections.",
)


def index(context: typer.Context) -> None:
    """Show the help if no command is given."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


IndexArgument = Annotated[
    str,
    typer.Argument(metavar="INDEX", help=f"A file, or {SERVER_FORM}.", show_default=False),
]

ThreadsOption = Annotated[
    str | None,
    typer.Option("--threads", metavar="N", help="Threads (default: one per processor).", show_default=False),
]


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


def _found(info: Mapping[str, Any]) -> str:
    if info["keep"] == "signature":
        return f"scores are estimates: about half of the hits at {info['threshold']:g} are found, and more above it"
    return f"at least {_percent(info['recall'])} of the hits at {info['threshold']:g} are found"


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
        "Size": size_words(info["bytes"]),
        "Keeps": f"{info['keep']}: scores are {_SCORES[info['keep']]}",
        "Threshold": _found(info),
        "Bands": f"{info['bands']} of {info['rows']} rows",
        "Preset": info["preset"] or "none",
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
    "again. The damaged file is kept as INDEX.damaged. Exit code 1 means that documents are lost.",
)


def index_repair(where: IndexArgument, format: FormatOption = Format.TABLE) -> None:  # noqa: A002 — the option's name
    """Repair an index, and print what was done."""
    as_json = wants_json(format)
    name, done = _repaired(where)
    if as_json:
        send(checked_json(name, done), None, encoding="utf-8")
    else:
        lines = [f"{name}: {count(done.documents, 'document')} whole, {len(done.lost):,} lost"]
        lines += [f"  {problem}" for problem in done.problems]
        lines += [f"  lost: {document!r}" for document in done.lost]
        if done.lost or done.problems:
            lines.append("Add lost documents again: lookalike index add")
        send("".join(f"{visible(line)}\n" for line in lines), None)
    if done.lost or not done.ok:
        raise typer.Exit(FOUND)


def _repaired(where: str) -> tuple[str, Check]:
    """Repair an index, also one that cannot be opened; return its name, and what was done."""
    from contextlib import closing
    from pathlib import Path

    from lookalike.index.sqlite_sessions import followed
    from lookalike.index.store_opening import is_server, may_be_repaired, repair_file

    try:
        store = open_index(where)
    except StoreError as error:
        if is_server(where) or not may_be_repaired(error):
            raise
        return where, repair_file(followed(Path(where)))
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
        send(f"{visible(store.name)}: {size_words(before)} before, {size_words(store.info()['bytes'])} now\n", None)


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


SERVE_HELP = examples(
    "Serve an index: a web page for people, an HTTP API for programs.",
    "lookalike serve class.db",
    "lookalike serve class.db --port 0",
    "lookalike serve --make-tokens tokens.txt",
    "lookalike serve class.db --host 0.0.0.0 --token-file tokens.txt",
    last="It prints its address and runs until Ctrl-C or SIGTERM; no acknowledged change is lost. Without tokens it "
    f"accepts connections from this machine only. INDEX is a file, or {SERVER_FORM}, and must exist.",
)

_WHO = "Access"
_LIMITS = "Limits"


def serve(
    where: Annotated[
        str | None,
        typer.Argument(metavar="INDEX", help=f"A file, or {SERVER_FORM}.", show_default=False),
    ] = None,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Where to listen.")] = "127.0.0.1",
    port: Annotated[str, typer.Option(metavar="N", help="The port; 0 picks a free one.")] = "8765",
    workers: Annotated[str, typer.Option(metavar="N", help="Number of processes.")] = "1",
    read_only: Annotated[bool, typer.Option("--read-only", help="Refuse every change.")] = False,
    token_file: Annotated[
        str | None, typer.Option(metavar="FILE", help="File with the read and write tokens.", rich_help_panel=_WHO)
    ] = None,
    make_tokens: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write new tokens to a new file.", rich_help_panel=_WHO)
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A host name that the server answers to; repeatable.", rich_help_panel=_WHO),
    ] = None,
    max_body: Annotated[
        str | None, typer.Option(metavar="SIZE", help="Largest request (default: 10MB).", rich_help_panel=_LIMITS)
    ] = None,
    max_batch: Annotated[
        str | None,
        typer.Option(metavar="N", help="Most documents per request (default: 1000).", rich_help_panel=_LIMITS),
    ] = None,
    max_connections: Annotated[
        str | None, typer.Option(metavar="N", help="Most connections (default: 64).", rich_help_panel=_LIMITS)
    ] = None,
    max_in_work: Annotated[
        str | None,
        typer.Option(metavar="N", help="Most requests handled at once (default: 16).", rich_help_panel=_LIMITS),
    ] = None,
    max_waiting: Annotated[
        str | None, typer.Option(metavar="N", help="Most requests waiting (default: 64).", rich_help_panel=_LIMITS)
    ] = None,
    max_seconds: Annotated[
        str | None,
        typer.Option(metavar="N", help="Time limit per request, in seconds (default: 30).", rich_help_panel=_LIMITS),
    ] = None,
) -> None:
    """Serve until stopped."""
    from lookalike.server import ServerLimits, ServerSettings

    tokens = _tokens(token_file, make_tokens)
    if where is None:
        if make_tokens is None:
            how = "given, as in: lookalike serve essays.db"
            raise RecipeError("INDEX", where, how, "lookalike index build makes an index")
        print(f"{visible(make_tokens)}: a token for reading and one for writing")
        return
    limits = {
        "body": None if max_body is None else size("--max-body", max_body),
        "batch": maybe_number("--max-batch", max_batch),
        "connections": maybe_number("--max-connections", max_connections),
        "in_work": maybe_number("--max-in-work", max_in_work),
        "waiting": maybe_number("--max-waiting", max_waiting),
        "seconds": maybe_number("--max-seconds", max_seconds),
    }
    given = {name: value for name, value in limits.items() if value is not None}
    if "body" in given:
        given["line"] = given["body"]
    settings = ServerSettings(
        host=host,
        port=_port(port),
        tokens=tokens,
        allowed=frozenset(allow_host or ()),
        read_only=read_only,
        workers=whole_number("--workers", workers, least=1),
        limits=ServerLimits(**given),
    )
    _run(where, settings)


def _run(where: str, settings: ServerSettings) -> None:
    try:
        from lookalike.server.serving import serve as run
    except ImportError as error:
        if (error.name or "").startswith("lookalike"):
            raise
        raise MissingExtraError("lookalike serve", "server") from None
    run(where, settings, _say_address)


def _say_address(address: str) -> None:
    print(f"Serving at {address}", flush=True)


def _tokens(token_file: str | None, make_tokens: str | None) -> Any:
    from lookalike.server import make_tokens as make
    from lookalike.server import read_tokens

    if token_file is not None and make_tokens is not None:
        raise RecipeError("--make-tokens", make_tokens, "left out with --token-file")
    if make_tokens is not None:
        return make(Path(make_tokens))
    return None if token_file is None else read_tokens(Path(token_file))


def _port(given: str) -> int:
    found = whole_number("--port", given, least=0)
    if found > 65_535:
        raise RecipeError("--port", found, "a whole number from 0 to 65535")
    return found
