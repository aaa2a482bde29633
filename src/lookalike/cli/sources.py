"""`lookalike sources ESSAY PATH…`: one document and all documents that have passages of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli.commands import examples
from lookalike.cli.input import PathsArgument, Reading, limits_of, say_flags, with_reading
from lookalike.cli.messages import showing_progress
from lookalike.cli.options import whole_number
from lookalike.cli.output import (
    Color,
    ColorOption,
    Format,
    FormatOption,
    OutputOption,
    QuietOption,
    keep_sources,
    send,
    send_drawn,
    wants_color,
    wants_json,
)
from lookalike.cli.search_options import LONGEST, ExcludedText, template_texts, with_excluded, with_recipe
from lookalike.documents.one_document import read_document
from lookalike.recipe import Recipe  # noqa: TC001 — the signature is read at run time
from lookalike.tables.json import to_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.console import RenderableType

    from lookalike.result.source_matches import Sources

__all__ = ["HELP", "sources"]

SHOWN = 10
PASSAGES = 3
"""Sources whose longest passage is shown."""

HELP = examples(
    "Show how much of one document is found in others, and where.",
    "lookalike sources essay.pdf essays/",
    "lookalike sources essay.pdf essays/ moodle.zip --skip quotes,references",
    "lookalike sources essay.txt essays/ --html essay.html",
    "lookalike sources essay.txt corpus.parquet --format json",
    last="Passages from all documents count together, each word once. Similarity is not proof of copying: read the "
    "passages.",
)


@with_recipe
@with_reading
@with_excluded
def sources(
    essay: Annotated[
        str, typer.Argument(metavar="ESSAY", help="The document, or - for standard input.", show_default=False)
    ],
    paths: PathsArgument,
    *,
    recipe: Recipe,
    reading: Reading,
    excluded: ExcludedText,
    top: Annotated[
        str | None,
        typer.Option("--top", metavar="N", help=f"Show N sources; 0 for all (default: {SHOWN}, in JSON all)."),
    ] = None,
    format: FormatOption = Format.TABLE,  # noqa: A002 — the option's name
    color: ColorOption = Color.AUTO,
    output: OutputOption = None,
    html: Annotated[
        str | None,
        typer.Option("--html", metavar="FILE", help="Write the document with its sources in colour to an HTML file."),
    ] = None,
    quiet: QuietOption = False,
) -> None:
    """Read a document, look for its text in others and print what was found."""
    from lookalike.search.derived import find_sources

    as_json, in_color = wants_json(format), wants_color(color, to_file=output not in (None, "-"))
    shown = None if top is None else whole_number("--top", top, least=0)
    keep_sources([output, html], [essay, *paths, *excluded.ignore])
    own = read_document(essay, limits_of(reading.max_document, reading.max_expansion))
    if not quiet:
        say_flags({own.name: own.flags} if own.flags else {})
    with showing_progress(quiet=quiet) as report:
        result = find_sources(
            own.text,
            reading.open(paths),
            name=own.name,
            recipe=recipe,
            ignore=template_texts(excluded.ignore, reading),
            skip=excluded.skip,
            is_itself=_same_file(essay, paths),
            progress=report,
        )
    found = result.sources(own.name, least=None if excluded.min_words is None else min(excluded.min_words, LONGEST))
    if html is not None:
        from lookalike.result.report import write_report

        write_report(result, html, opens=own.name)
    if as_json:
        values = found.to_dict()
        values["sources"] = values["sources"][: shown or None]
        send(to_json(values), output, encoding="utf-8")
    else:
        send_drawn(_table(found, SHOWN if shown is None else shown), output, color=in_color)


def _same_file(essay: str, paths: Sequence[str]) -> Callable[[str | int], bool] | None:
    """Return what tells whether a document that was read from the paths is the essay itself."""
    from lookalike.search.row_files import path_of

    if not Path(essay).is_file():
        return None

    def is_itself(name: str | int) -> bool:
        if Path(str(name)).name != Path(essay).name:
            return False
        found = path_of(str(name), paths)
        return found is not None and Path(found).is_file() and Path(found).samefile(essay)

    return is_itself


def _table(found: Sources, top: int) -> Iterator[RenderableType]:
    """Give what is printed, part by part."""
    from rich.text import Text

    from lookalike.cli.drawing import Passages, count_of, grid, percent, shorten
    from lookalike.cli.output import width
    from lookalike.recipe import UNIT_NAMES
    from lookalike.tables.wording import visible

    unit = UNIT_NAMES[found.recipe.unit]
    yield Text(visible(str(found.id)), overflow="fold")
    yield Text()
    yield Text(f"{percent(found.share)} of its text is found elsewhere", style="bold")
    said = f"{found.found:,} of {count_of(found.units, unit)}, in passages of at least {count_of(found.least, unit)}"
    yield Text(f"{said}; {count_of(len(found.sources), 'source')}.")
    yield Text()
    listed = found.sources[: top or None]
    if listed:
        headers = ("#", "Share", f"{unit.capitalize()}s", "New", "Longest")
        table = grid(*((header, "right") for header in headers), ("Source", "left"))
        for rank, one in enumerate(listed, start=1):
            longest = max(passage.units for passage in one.passages)
            numbers = (percent(one.units / found.units), f"{one.units:,}", f"{one.adds:,}", f"{longest:,}")
            table.add_row(f"{rank}", *numbers, shorten(str(one.id), width() - 40))
        yield table
        yield Text(f"New: {unit}s not found in any source above.", style="dim")
        yield Text()
    for rank, one in enumerate(listed[:PASSAGES], start=1):
        longest_one = max(one.passages, key=lambda passage: passage.units)
        title = f"  in {visible(str(one.id))}"
        yield from Passages(found.text, one.text, found.recipe).show(longest_one, rank, title)
    yield Text("Similarity is not proof of copying: read the passages.", style="italic")
