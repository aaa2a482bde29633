"""`lookalike index remove INDEX ID…`: documents go, by their ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer

from lookalike.cli.help import examples
from lookalike.cli.index_options import IndexArgument, opened
from lookalike.cli.messages import complain
from lookalike.cli.output import QuietOption, send
from lookalike.cli.values import number
from lookalike.errors import RecipeError
from lookalike.tables.wording import count, visible

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lookalike.index import Index
    from lookalike.tables.packed import Id

__all__ = ["HELP", "index_remove"]

HELP = examples(
    "Remove documents by their ids.",
    "lookalike index remove class.db one.txt two.txt",
    "cat ids.txt | lookalike index remove class.db -",
    last="With - the ids come from standard input, one a line. All are removed or none; those that are not there are "
    "named. If an id begins with -, put -- before the ids. lookalike index compact frees the space on the disk.",
)

_NAMED: Final = 5
"""Ids that a message names, at most."""
IdsArgument = Annotated[
    list[str], typer.Argument(metavar="ID", help="Ids of documents, - for standard input.", show_default=False)
]
NullOption = Annotated[bool, typer.Option("--null", "-0", help="Ids on standard input end with NUL: find -print0.")]


def index_remove(
    where: IndexArgument, ids: IdsArgument, *, null: NullOption = False, quiet: QuietOption = False
) -> None:
    """Remove documents in one transaction."""
    from lookalike.index import Index

    if null and "-" not in ids:
        raise RecipeError("--null", "given", "left out where no ids come from standard input")
    with opened(where) as store:
        index = Index(store)
        wanted = list(dict.fromkeys(_as_stored(_given(ids, null=null), index)))
        missing = [one for one in wanted if one not in index]
        removed = index.remove(wanted)
        if missing and not quiet:
            complain(f"note: not in {store.name}: {_listed(missing)}")
        send(f"{visible(store.name)}: {count(removed, 'document')} removed · {len(index):,} left\n", None)


def _given(ids: Iterable[str], *, null: bool) -> Iterable[str]:
    for one in ids:
        if one == "-":
            yield from _read(null=null)
        else:
            yield one


def _read(*, null: bool) -> list[str]:
    from lookalike.opening import STDIN, pipe_blocks, stdin

    text = b"".join(pipe_blocks(stdin(), STDIN, most=1 << 30)).decode("utf-8", "replace")
    lines = text.split("\0") if null else [line.removesuffix("\r") for line in text.split("\n")]
    return [line for line in lines if line]


def _as_stored(ids: Iterable[str], index: Index) -> Iterable[Id]:
    """Return ids as the index has them: whole numbers, where its ids are that."""
    first = next(index.ids(), None)
    return map(number, ids) if isinstance(first, int) else ids


def _listed(ids: list[Id]) -> str:
    more = f" and {len(ids) - _NAMED:,} more" if len(ids) > _NAMED else ""
    return ", ".join(repr(one) for one in ids[:_NAMED]) + more
