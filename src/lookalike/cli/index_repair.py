"""`lookalike index repair INDEX`: what can be mended is, and what is lost is said."""

from __future__ import annotations

from lookalike.cli.help import examples
from lookalike.cli.index_options import IndexArgument, opened
from lookalike.cli.index_verify import checked_json
from lookalike.cli.output import Format, FormatOption, send, wants_json
from lookalike.tables.visible import visible
from lookalike.tables.wording import count

__all__ = ["HELP", "index_repair"]

HELP = examples(
    "Mend what can be mended; say what is lost.",
    "lookalike index repair class.db",
    "lookalike index repair class.db --format json",
    last="Keys are made anew, and documents from their texts where those are whole. What is lost is removed and named: "
    "add it again. Of a file that is worth much, make a copy first.",
)


def index_repair(where: IndexArgument, format: FormatOption = Format.TABLE) -> None:  # noqa: A002 — the option's name
    """Mend an index, and print what was done."""
    from lookalike.index import Index

    as_json = wants_json(format)
    with opened(where) as store:
        done = Index(store).repair()
        if as_json:
            send(checked_json(store.name, done), None, encoding="utf-8")
            return
        lines = [f"{store.name}: {count(done.documents, 'document')} whole, {len(done.lost):,} lost"]
        lines += [f"  {problem}" for problem in done.problems]
        lines += [f"  lost: {one!r}" for one in done.lost]
        if done.lost:
            lines.append("Add what is lost again: lookalike index add")
        send("".join(f"{visible(line)}\n" for line in lines), None)
