"""`lookalike index compact INDEX`: the space of removed documents is freed."""

from __future__ import annotations

from lookalike.cli.help import examples
from lookalike.cli.index_options import IndexArgument, opened
from lookalike.cli.output import send
from lookalike.tables.wording import size, visible

__all__ = ["HELP", "index_compact"]

HELP = examples(
    "Free the space of removed documents.",
    "lookalike index compact class.db",
    last="It also makes queries as quick as they can be. Meanwhile it needs as much space again.",
)


def index_compact(where: IndexArgument) -> None:
    """Make an index as small and as quick as it can be."""
    from lookalike.index import Index

    with opened(where) as store:
        before = store.info()["bytes"]
        Index(store).compact()
        send(f"{visible(store.name)}: {size(before)} before, {size(store.info()['bytes'])} now\n", None)
