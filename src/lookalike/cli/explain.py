"""`lookalike explain [TERM]`: a word of the vocabulary in three sentences."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli.commands import examples
from lookalike.cli.options import completion
from lookalike.cli.output import Color, ColorOption, Format, FormatOption, send, send_drawn, wants_color, wants_json
from lookalike.tables.json import to_json
from lookalike.vocabulary import TERMS, Term, look_up

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

__all__ = ["HELP", "explain"]

HELP = examples(
    "Explain a term, such as recall, in three sentences.",
    "lookalike explain             list all terms",
    "lookalike explain recall",
    "lookalike explain s-curve",
)


def explain(
    term: Annotated[
        str | None,
        typer.Argument(
            metavar="TERM", help="The term; without it, all terms are listed.", autocompletion=completion(*TERMS)
        ),
    ] = None,
    format: FormatOption = Format.TABLE,  # noqa: A002 — the option's name
    color: ColorOption = Color.AUTO,
) -> None:
    """Print what a word means, or the list of words."""
    as_json, in_color = wants_json(format), wants_color(color)
    terms = list(TERMS.values()) if term is None else [look_up(term)]
    if as_json:
        values = [asdict(each) for each in terms]
        send(to_json(values if term is None else values[0]), None, encoding="utf-8")
    else:
        send_drawn(_list(terms) if term is None else _one(terms[0]), None, color=in_color)


def _one(term: Term) -> Iterator[RenderableType]:
    from rich.text import Text

    yield Text(term.name, style="bold")
    yield Text(term.text)
    yield Text()
    yield Text(f"See also: {', '.join(term.see)}.", style="dim")


def _list(terms: list[Term]) -> Iterator[RenderableType]:
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold cyan", no_wrap=True)
    for term in terms:
        grid.add_row(term.name, term.short)
    yield grid
    yield Text()
    yield Text("lookalike explain TERM explains a term.")
