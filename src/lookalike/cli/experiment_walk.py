"""`lookalike experiment walk 'text one' 'text two' …`: the method step by step on texts of one's own."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from lookalike.cli.commands import examples
from lookalike.cli.messages import complain
from lookalike.cli.options import makes, number, whole_number
from lookalike.cli.output import (
    Color,
    ColorOption,
    FormatOption,
    OutputOption,
    check_ending,
    extension,
    keep_sources,
    send,
    send_drawn,
    wants_color,
    wants_json,
)
from lookalike.cli.search_options import RECIPE as OPTIONS
from lookalike.cli.search_options import make_recipe
from lookalike.documents.open import read_document
from lookalike.errors import DocumentError, RecipeError
from lookalike.recipe import Recipe  # noqa: TC001 — the signature is read at run time
from lookalike.tables.spelling import to_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from lookalike.experiments.walk import Walk
    from lookalike.experiments.walk_page import ShownTable

__all__ = ["HELP", "experiment_walk"]

HELP = examples(
    "Go through the method step by step, on your own texts.",
    "lookalike experiment walk Nadal Nadia -k 2",
    "lookalike experiment walk 'the cat sat' 'a cat sat down' --html walk.html",
    "lookalike experiment walk one.txt two.txt three.txt --unit word -k 2",
    last="Shingles, characteristic matrix, signatures row by row, bands, candidates, scores. The page that --html "
    "writes has sliders for k, the hashes, bands and rows. An argument that is the name of a file is read.",
)

SHOWN: Final = 20
_KEPT: Final = (
    *("unit", "k", "lowercase", "whitespace", "punctuation", "accents", "digits"),
    *("stop_words", "invisible", "form"),
)


def _recipe(given: dict[str, Any]) -> Recipe:
    """Return the recipe of a walk: short shingles of characters or words and few hashes, unless others are wanted."""
    from lookalike.experiments.walk import CHAR, HASHES

    unit = given.get("unit") or "char"
    usual = {"unit": unit, "k": str(CHAR.k if unit == "char" else 1), "hashes": str(HASHES)}
    return make_recipe(usual | {name: value for name, value in given.items() if value is not None})


with_recipe: Final = makes("recipe", {name: OPTIONS[name] for name in (*_KEPT, "hashes", "seed")}, _recipe)


@with_recipe
def experiment_walk(
    texts: Annotated[
        list[str], typer.Argument(metavar="TEXT", help="Texts, or names of files; two or more.", show_default=False)
    ],
    *,
    recipe: Recipe,
    bands: Annotated[
        str | None, typer.Option("--bands", metavar="N", help="Bands of a signature; default: as many as fit.")
    ] = None,
    rows: Annotated[str | None, typer.Option("--rows", metavar="N", help="Rows per band; default 2.")] = None,
    function: Annotated[
        list[str] | None,
        typer.Option("--function", metavar="A,B", help="The next hash function, (A·x + B) mod p; repeatable."),
    ] = None,
    sort: Annotated[bool, typer.Option("--sort", help="Rows of the matrix in alphabetical order.")] = False,
    top: Annotated[
        str | None, typer.Option("--top", metavar="N", help=f"Print N rows of the matrix, 0: all; default {SHOWN}.")
    ] = None,
    html: Annotated[
        str | None, typer.Option("--html", metavar="FILE", help="Write the page with sliders: one HTML file.")
    ] = None,
    format: FormatOption = None,  # noqa: A002 — the option's name
    color: ColorOption = Color.AUTO,
    output: OutputOption = None,
) -> None:
    """Print the steps, and write the page."""
    from lookalike.experiments.walk import walk

    shown = SHOWN if top is None else whole_number("--top", top, least=0)
    if html is None and output is not None and extension(output) in ("html", "htm"):
        html, output = output, None
    as_json, in_color = wants_json(format, output), wants_color(color, to_file=output not in (None, "-"))
    check_ending(html, "html")
    named = dict(_named(texts))
    keep_sources([html, output], [text for text in texts if _is_file(text)])
    made = walk(
        named,
        recipe=recipe,
        hashes=recipe.hashes,
        bands=None if bands is None else whole_number("--bands", bands, least=1),
        rows=None if rows is None else whole_number("--rows", rows, least=1),
        functions=[_function(each) for each in function or ()],
        sort=sort,
    )
    if html is not None:
        made.write(html)
        complain(f"{html}: the steps with sliders; open it in a browser")
    if as_json:
        send(to_json(made.as_dict()), output, encoding="utf-8")
    else:
        send_drawn(_drawn(made, shown), output, color=in_color)


def _named(texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Give each text with its name: that of its file, or the number of the argument."""
    for place, text in enumerate(texts, start=1):
        if _is_file(text):
            document = read_document(text)
            yield (document.name if texts.count(text) == 1 else f"{document.name} ({place})"), document.text
        else:
            if re.fullmatch(r"\S*/\S*|\S+\.\w{1,5}", text):
                remedy = "check the name; a text of several words is put in quotes"
                raise DocumentError(text, "file", "does not exist", remedy)
            yield f"S{place}", text


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # a text may be longer than a name can be
        return False


def _function(given: str) -> tuple[int, int]:
    parts = [number(part.strip()) for part in given.split(",")]
    if len(parts) != 2 or not all(isinstance(part, int) for part in parts):
        raise RecipeError("--function", given, "two whole numbers such as 3,1")
    return int(parts[0]), int(parts[1])


def _drawn(made: Walk, top: int) -> Iterator[RenderableType]:
    from rich.text import Text

    from lookalike.experiments.walk_page import tables

    for table in tables(made, top):
        yield Text(table.title, style="bold")
        yield Text(table.says, style="dim")
        if table.id == "matrix":
            yield Text("; ".join(table.header[-len(made.functions) :]) + ".", style="dim")
            table = _joined(table, len(made.functions))  # noqa: PLW2901
        yield _grid(table)
        yield Text()


def _joined(table: ShownTable, functions: int) -> ShownTable:
    """Return the matrix with all hash values in one column, so that it fits a terminal."""
    title = "h1(x)" if functions == 1 else f"h1(x) … h{functions}(x)"
    wide = max((len(cell) for row in table.rows for cell in row[-functions:] if len(row) > 2), default=1)
    rows = [
        [*row[:-functions], " ".join(cell.rjust(wide) for cell in row[-functions:])] if len(row) > 2 else row
        for row in table.rows
    ]
    return table._replace(header=[*table.header[:-functions], title], rows=rows)


def _grid(table: ShownTable) -> RenderableType:
    from rich.text import Text

    from lookalike.cli.drawing import grid

    left = {"Shingle", "Document", "The set", "Changes", "Pair", "Same bucket", "Same in bands", "What", "LSH"}
    drawn = grid(*((title, "left" if title in left else "right") for title in table.header))
    for column in drawn.columns:
        column.no_wrap = False
        column.overflow = "fold"
    for row in table.rows:
        drawn.add_row(*(Text(cell) for cell in row))
    return drawn
