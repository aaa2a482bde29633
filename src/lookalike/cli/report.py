"""`lookalike report RESULT`: the report of a search that was saved, as one HTML file."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lookalike.cli.help import examples
from lookalike.cli.hints import command_line
from lookalike.cli.messages import complain
from lookalike.cli.options import typed
from lookalike.cli.output import QuietOption  # noqa: TC001 — the signature is read at run time
from lookalike.cli.reading import Reading, with_reading
from lookalike.cli.searching import Search
from lookalike.cli.values import share
from lookalike.cli.writing import keep_sources
from lookalike.recipe import Recipe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lookalike.report.marks import Marks
    from lookalike.result import Result

__all__ = ["HELP", "ReportOption", "origin", "report", "write_html"]

HELP = examples(
    "Write the report of a saved search: one HTML file to read, print and hand on.",
    "lookalike report run.lookalike -o report.html",
    "lookalike report run.lookalike essays/ -o report.html",
    "lookalike report run.lookalike -o report.html -t 0.9",
    last="RESULT is what lookalike scan essays/ --save run.lookalike wrote. Documents are read again where the scan "
    "found them, or at PATH. lookalike scan --report does both at once.",
)

ReportOption = Annotated[
    str | None,
    typer.Option("--report", metavar="FILE", help="Write a report with passages, one HTML file.", show_default=False),
]


@with_reading
def report(
    result: Annotated[
        str, typer.Argument(metavar="RESULT", help="What lookalike scan --save wrote.", show_default=False)
    ],
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="PATH", help="The documents; default: where the scan found them.", show_default=False),
    ] = None,
    *,
    reading: Reading,
    output: Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="Default report.html.")] = "report.html",
    threshold: Annotated[
        str | None, typer.Option("-t", "--threshold", metavar="T", help="Least similarity; default: that of the scan.")
    ] = None,
    meta: Annotated[
        str | None, typer.Option("--meta", metavar="FILE", help="Names, authors, dates and labels: a CSV file.")
    ] = None,
    marks: Annotated[
        str | None, typer.Option("--marks", metavar="FILE", help="Marks of an earlier report, to go on with.")
    ] = None,
    quiet: QuietOption = False,
) -> None:
    """Load the result, read its documents again and write the report."""
    from lookalike.documents.metadata import read_metadata
    from lookalike.report.marks import read_marks
    from lookalike.result import Result as Saved

    least = None if threshold is None else share("--threshold", threshold)
    given = paths or []
    keep_sources([output], [result, *given, *(name for name in (meta, marks) if name is not None)])
    found = Saved.load(result)
    if least is not None:
        found = found.rethreshold(least)
    if meta is not None:
        found = found.with_metadata(read_metadata(meta))
    kept = None if marks is None else read_marks(marks)
    write_html(found, output, texts=_texts(found, given, reading), marks=kept, quiet=quiet)


def _texts(result: Result, paths: list[str], reading: Reading) -> Any:
    """Open the documents: those that are named, else those that the scan was told of."""
    if paths:
        return reading.open(paths)
    told = result.origin
    if not told.get("paths"):
        return None
    known = {field.name for field in fields(Reading)}
    kept: dict[str, Any] = {name: value for name, value in told.get("reading", {}).items() if name in known}
    for name in ("include", "exclude"):  # JSON has no tuples
        kept[name] = tuple(kept.get(name, ()))
    return Reading(**kept).open([*told["paths"], *told.get("against", ())])


def write_html(
    result: Result, output: str, *, texts: Any = None, marks: Marks | None = None, quiet: bool = False
) -> None:
    """Write a report, and say on standard error where it is and what it lacks."""
    from lookalike.result.report import write_report

    problem = write_report(result, output, texts=texts, marks=marks)
    if problem:
        complain(f"note: {problem}")
    if not quiet:
        complain(f"{output}: report of {result.summary()}")


def origin(
    paths: Sequence[str], recipe: Recipe, reading: Reading, search: Search, more: Sequence[str] = ()
) -> dict[str, Any]:
    """Return how a scan was called, for its report: the command, and where the documents are."""
    same = (typed(reading, Reading()), typed(search, Search()), typed(recipe, Recipe()), more)
    return {
        "command": command_line("scan", paths, *same),
        "paths": list(paths),
        "against": list(search.against),
        "reading": asdict(reading),
    }
