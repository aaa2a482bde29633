"""`lookalike index info INDEX`: what it is, and how large."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lookalike.cli.help import examples
from lookalike.cli.index_options import IndexArgument, opened
from lookalike.cli.output import Color, ColorOption, Format, FormatOption, send, send_drawn, wants_color, wants_json
from lookalike.tables.json import to_json
from lookalike.tables.wording import at_least, size, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.console import RenderableType

__all__ = ["HELP", "index_info"]

HELP = examples(
    "Tell what an index is, and how large.",
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
            send_drawn(_to_table(store.name, info), None, color=in_color)


def _percent(share: float) -> str:
    return f"{100 * float(at_least(share)):g} %"


def _to_table(name: str, info: Mapping[str, Any]) -> Iterator[RenderableType]:
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
