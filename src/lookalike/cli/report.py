"""`lookalike report RESULT`: the report of a search that was saved, as one HTML file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from lookalike.cli.help import examples
from lookalike.cli.messages import complain
from lookalike.cli.origin import reopened
from lookalike.cli.output import QuietOption  # noqa: TC001 — the signature is read at run time
from lookalike.cli.reading import Reading, with_reading
from lookalike.cli.values import share
from lookalike.cli.writing import keep_sources
from lookalike.errors import RecipeError

if TYPE_CHECKING:
    from lookalike.report.marks import Marks
    from lookalike.result import Result

__all__ = ["HELP", "AnonymiseOption", "ReportOption", "files_of", "report", "write_html"]

HELP = examples(
    "Write the report of a saved search: one HTML file to read, print and hand on.",
    "lookalike report run.lookalike essays/ -o report.html",
    "lookalike report run.lookalike essays/ -o report.html -t 0.9",
    "lookalike report run.lookalike essays/ --anonymise",
    "lookalike report run.lookalike --trust",
    last="RESULT is what lookalike scan essays/ --save run.lookalike wrote. Documents are read again at PATH. Without "
    "PATH lookalike asks before it reads the files that RESULT names. lookalike scan --report does both at once.",
)

ReportOption = Annotated[
    str | None,
    typer.Option("--report", metavar="FILE", help="Write a report with passages, one HTML file.", show_default=False),
]
AnonymiseOption = Annotated[
    bool,
    typer.Option("--anonymise", help="A report without names; who is who goes to a key file beside it, .key.csv."),
]


@with_reading
def report(
    result: Annotated[
        str, typer.Argument(metavar="RESULT", help="What lookalike scan --save wrote.", show_default=False)
    ],
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="PATH", help="The documents that were scanned.", show_default=False),
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
    against: Annotated[
        list[str] | None,
        typer.Option("--against", metavar="OLD", help="The old documents of the scan; repeatable.", show_default=False),
    ] = None,
    trust: Annotated[
        bool,
        typer.Option("--trust", help="Read the files that RESULT names without asking; only for results of yours."),
    ] = False,
    anonymise: AnonymiseOption = False,
    quiet: QuietOption = False,
) -> None:
    """Load the result, read its documents again and write the report."""
    from lookalike.documents.metadata import read_metadata
    from lookalike.report.marks import read_marks
    from lookalike.result import Result as Saved

    least = None if threshold is None else share("--threshold", threshold)
    given, old = paths or [], against or []
    if old and not given:
        raise RecipeError("--against", old[0], "given with PATH, the new documents")
    keep_sources(
        files_of(output, anonymise=anonymise),
        [result, *given, *old, *(name for name in (meta, marks) if name is not None)],
    )
    found = Saved.load(result)
    if least is not None:
        found = found.rethreshold(least)
    if meta is not None:
        found = found.with_metadata(read_metadata(meta))
    kept = None if marks is None else read_marks(marks)
    source = reading.open(given) if given else reopened(found, result, output, trust=trust, quiet=quiet)
    given_texts: dict[str, Any] = {"texts": source, "against": reading.open(old) if old else None}
    write_html(found, output, **given_texts, marks=kept, anonymise=anonymise, quiet=quiet)


def files_of(output: str | None, *, anonymise: bool) -> list[str | None]:
    """Return the files that a report is written to."""
    if not anonymise or output is None:
        return [output]
    from lookalike.report.anonymous import key_path

    return [output, key_path(output)]


def write_html(
    result: Result,
    output: str,
    *,
    texts: Any = None,
    against: Any = None,
    marks: Marks | None = None,
    anonymise: bool = False,
    quiet: bool = False,
) -> None:
    """Write a report, and say on standard error where it is and what it lacks."""
    from lookalike.result.report import write_report

    problem = write_report(result, output, texts=texts, against=against, marks=marks, anonymise=anonymise)
    if problem:
        complain(f"note: {problem}")
    if not quiet:
        complain(f"{output}: report of {result.summary()}")
    if anonymise and not quiet:
        from lookalike.report.anonymous import key_path

        complain(f"{key_path(output)}: who is who; keep it to yourself")
