"""`lookalike index verify INDEX`: whether everything in it is as it was written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from lookalike.cli.help import examples
from lookalike.cli.hints import command_line
from lookalike.cli.index_options import IndexArgument, opened
from lookalike.cli.messages import FOUND
from lookalike.cli.output import Format, FormatOption, send, wants_json
from lookalike.tables.json import to_json
from lookalike.tables.wording import count, visible

if TYPE_CHECKING:
    from lookalike.index import Check

__all__ = ["HELP", "checked_json", "index_verify"]

HELP = examples(
    "Look at every document and every key.",
    "lookalike index verify class.db",
    "lookalike index verify class.db --format json",
    last="Exit code 1 says that something is damaged; each problem is named. It changes nothing.",
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
