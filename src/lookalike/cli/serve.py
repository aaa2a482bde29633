"""`lookalike serve INDEX`: an HTTP API for programs and a page for people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lookalike.cli.commands import examples
from lookalike.cli.options import size, whole_number
from lookalike.errors import MissingExtraError, RecipeError
from lookalike.tables.wording import visible

if TYPE_CHECKING:
    from lookalike.server.server_settings import ServerSettings

__all__ = ["HELP", "serve"]

HELP = examples(
    "Serve an index: a web page for people, an HTTP API for programs.",
    "lookalike serve class.db",
    "lookalike serve class.db --port 0",
    "lookalike serve --make-tokens tokens.txt",
    "lookalike serve class.db --host 0.0.0.0 --token-file tokens.txt",
    last="It prints its address and runs until Ctrl-C or SIGTERM; no acknowledged change is lost. Without tokens it "
    "accepts connections from this machine only. INDEX is a file, or postgresql://host/database#schema, and "
    "must exist.",
)

_WHO = "Access"
_LIMITS = "Limits"


def serve(
    where: Annotated[
        str | None,
        typer.Argument(metavar="INDEX", help="A file, or postgresql://host/database#schema.", show_default=False),
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
    """Serve until told to end."""
    from lookalike.server.server_settings import ServerLimits, ServerSettings

    tokens = _tokens(token_file, make_tokens)
    if where is None:
        if make_tokens is None:
            raise RecipeError("INDEX", where, "an index", "make one with: lookalike index build")
        print(f"{visible(make_tokens)}: a token for reading and one for writing")
        return
    limits = {
        "body": None if max_body is None else size("--max-body", max_body),
        "batch": _count("--max-batch", max_batch),
        "connections": _count("--max-connections", max_connections),
        "in_work": _count("--max-in-work", max_in_work),
        "waiting": _count("--max-waiting", max_waiting),
        "seconds": _count("--max-seconds", max_seconds),
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
    from lookalike.server.server_settings import make_tokens as make
    from lookalike.server.server_settings import read_tokens

    if token_file is not None and make_tokens is not None:
        raise RecipeError("--make-tokens", make_tokens, "left out where --token-file is given")
    if make_tokens is not None:
        return make(Path(make_tokens))
    return None if token_file is None else read_tokens(Path(token_file))


def _count(option: str, given: str | None) -> int | None:
    return None if given is None else whole_number(option, given, least=1)


def _port(given: str) -> int:
    found = whole_number("--port", given, least=0)
    if found > 65_535:
        raise RecipeError("--port", found, "a whole number from 0 to 65535")
    return found
