"""`lookalike index repair INDEX`: what can be repaired is, and what is lost is said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.cli.help import examples
from lookalike.cli.index_opening import open_index
from lookalike.cli.index_options import IndexArgument  # noqa: TC001 — the signature is read at run time
from lookalike.cli.index_verify import checked_json
from lookalike.cli.output import Format, FormatOption, send, wants_json
from lookalike.errors import StoreError
from lookalike.tables.visible import visible
from lookalike.tables.wording import count

if TYPE_CHECKING:
    from lookalike.index import Check

__all__ = ["HELP", "index_repair"]

HELP = examples(
    "Repair what can be repaired; say what is lost.",
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
        lines.append("Add what is lost again: lookalike index add")
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
