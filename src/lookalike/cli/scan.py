"""`lookalike scan PATH…`: the pairs and groups of a collection."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli.finishing import Attempts, keep_search
from lookalike.cli.help import examples
from lookalike.cli.hints import after_scan
from lookalike.cli.messages import FOUND, complain
from lookalike.cli.options import typed
from lookalike.cli.origin import origin
from lookalike.cli.output import Color, ColorOption, OutputOption, QuietOption, RawCsvOption, VerboseOption
from lookalike.cli.pair_rules import PairRules, pairs_left_out, with_pair_rules
from lookalike.cli.reading import PathsArgument, Reading, say_notes, with_reading
from lookalike.cli.recipe_options import with_recipe
from lookalike.cli.report import ReportOption, write_html
from lookalike.cli.running import StrictOption, exit_if_strict, run_search
from lookalike.cli.scan_output import ResultFormat, Shown, show
from lookalike.cli.searching import Search, with_search
from lookalike.cli.values import completion, share, whole_number
from lookalike.cli.writing import keep_sources
from lookalike.errors import RecipeError
from lookalike.recipe import Recipe  # noqa: TC001 — the signature is read at run time

if TYPE_CHECKING:
    from lookalike.result import Result

__all__ = ["HELP", "scan"]

SAMPLE = 1000
"""Documents that an audit draws unless it is told otherwise."""

HELP = examples(
    "Find the documents of a collection that look alike.",
    "lookalike scan essays/ --report report.html",
    "lookalike scan new/ --against old/ --ignore sheet.txt -t 0.5",
    "lookalike scan corpus.parquet --text-column text --format json",
    "lookalike scan essays/ --group-by dir --fail-over 0.9",
    "lookalike scan corpus.jsonl -o pairs.csv --save run.lookalike",
    last="Scores are exact. Similarity is not proof of copying: read the passages with lookalike compare.",
)

FormatOption = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help="table, json, jsonl, csv, parquet or md; default by the name of FILE.",
        autocompletion=completion(*ResultFormat),
    ),
]
TopOption = Annotated[
    str | None,
    typer.Option("--top", metavar="N", help="Show the N closest pairs, 0: all; default 10, for programs all."),
]
PassagesOption = Annotated[
    bool | None,
    typer.Option("--passages/--no-passages", help="Show the longest passage of each pair; default on a terminal."),
]
FailOption = Annotated[
    str | None, typer.Option("--fail-over", metavar="T", help="Exit with 1 if a pair is alike by T or more.")
]
AuditOption = Annotated[
    str | None, typer.Option("--audit", metavar="[=N]", help="Measure the recall on a sample of N documents.")
]
SaveOption = Annotated[str | None, typer.Option("--save", metavar="FILE", help="Save the result, to use it again.")]


@with_recipe
@with_reading
@with_search
@with_pair_rules
def scan(
    paths: PathsArgument,
    *,
    reading: Reading,
    search: Search,
    recipe: Recipe,
    rules: PairRules,
    top: TopOption = None,
    passages: PassagesOption = None,
    fail_over: FailOption = None,
    strict: StrictOption = False,
    audit: AuditOption = None,
    format: FormatOption = None,  # noqa: A002 — the option's name
    output: OutputOption = None,
    raw_csv: RawCsvOption = False,
    save: SaveOption = None,
    report: ReportOption = None,
    color: ColorOption = Color.AUTO,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Search a collection and print what was found."""
    shown = Shown.chosen(format, output, top, color, passages, raw_csv)
    known = rules.read(paths)
    worst, sample = _fail_over(fail_over, search.least), _sample(audit)
    keep_sources([output, save, report], [*paths, *search.against, *search.ignore, *rules.files()])
    with run_search(
        reading.open(paths, search.memory), recipe, reading, search, quiet=quiet, verbose=verbose
    ) as searched:
        audited = searched if sample is None else searched.audit(sample=sample)
        if audited.audited is not None and not quiet:
            complain(f"audit: {audited.audited}")
        result, authors, notes = known.apply(audited)
        if not quiet:
            say_notes(notes)
        made = origin(paths, recipe, reading, search, [*typed(rules, PairRules())])
        result = result.with_origin(made | {"left_out": pairs_left_out(notes, authors)})
        hint = "" if quiet else after_scan(result, paths, recipe, reading, search)
        attempts = Attempts()
        saved = attempts.each({} if save is None else {save: partial(result.save, save)})
        if report is not None:
            attempts.each({report: partial(write_html, result, report, marks=known.marks, quiet=quiet)})
        attempts.each({output or "-": partial(show, result, shown, authors, hint, quiet=quiet)})
        attempts.finish(partial(keep_search, result, work=search.work, saved=next(iter(saved), None)))
        exit_if_strict(strict, result.skipped)
        if worst is not None and _closest(result) >= worst:
            raise typer.Exit(FOUND)


def _fail_over(given: str | None, threshold: float) -> float | None:
    if given is None:
        return None
    value = share("--fail-over", given)
    if value < threshold:
        hint = "pairs below the threshold are not searched for"
        raise RecipeError("--fail-over", given, f"at least the threshold, {threshold:g}", hint)
    return value


def _sample(given: str | None) -> int | None:
    if given is None:
        return None
    return SAMPLE if given == "default" else whole_number("--audit", given, least=2)


def _closest(result: Result) -> float:
    """Return the highest score, by the metric of the search."""
    best = result.top_rows(1)
    if not best:
        return 0.0
    names = ("containment_a", "containment_b") if result.metric == "containment" else ("jaccard",)
    return max(float(best[0][name]) for name in names)
