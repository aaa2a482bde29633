"""`lookalike scan PATH…`: the pairs and groups of a collection."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lookalike.cli.finishing import Attempts, keep_search
from lookalike.cli.help import examples
from lookalike.cli.hints import after_scan, below_threshold
from lookalike.cli.messages import FOUND, complain
from lookalike.cli.options import typed
from lookalike.cli.origin import origin
from lookalike.cli.output import Color, ColorOption, OutputOption, QuietOption, RawCsvOption, VerboseOption
from lookalike.cli.pair_rules import PairRules, pairs_left_out, with_pair_rules
from lookalike.cli.reading import PathsArgument, Reading, say_notes, with_reading
from lookalike.cli.recipe_options import with_recipe
from lookalike.cli.report import AnonymiseOption, ReportOption, files_of, write_html
from lookalike.cli.running import StrictOption, exit_if_strict, run_search
from lookalike.cli.scan_output import Hint, ResultFormat, Shown, show
from lookalike.cli.searching import Search, with_search
from lookalike.cli.values import completion, share, whole_number
from lookalike.cli.writing import keep_sources
from lookalike.errors import RecipeError
from lookalike.recipe import Recipe  # noqa: TC001 — the signature is read at run time
from lookalike.search.below import find_below
from lookalike.tables.found import score_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lookalike.cli.pair_rules import Known
    from lookalike.result import Result

__all__ = ["HELP", "scan"]

SAMPLE = 1000
"""Documents that an audit draws unless it is told otherwise."""

HELP = examples(
    "Find the documents of a collection that look alike.",
    "lookalike scan essays/ --preset essays --report report.html",
    "lookalike scan new/ --preset essays --against old/ --ignore sheet.txt",
    "lookalike scan corpus.parquet --text-column text --format json",
    "lookalike scan moodle.zip --min-length 40 --report report.html",
    "lookalike scan essays/ --group-by dir --fail-over 0.9",
    "lookalike scan corpus.jsonl -o pairs.csv --save run.lookalike",
    last="--preset essays finds copied passages in a folder of documents; without it, documents that are alike as a "
    "whole. lookalike advise PATH says what suits a collection. Scores are exact. Similarity is not proof of copying: "
    "read the passages with lookalike compare.",
)

FormatOption = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help="table, json, jsonl, csv, parquet, xlsx or md; default by the name of FILE.",
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
FilesOption = Annotated[
    bool, typer.Option("--files", help="Below two submissions, list all files of theirs that are alike.")
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
    files: FilesOption = False,
    fail_over: FailOption = None,
    strict: StrictOption = False,
    audit: AuditOption = None,
    format: FormatOption = None,  # noqa: A002 — the option's name
    output: OutputOption = None,
    raw_csv: RawCsvOption = False,
    save: SaveOption = None,
    report: ReportOption = None,
    anonymise: AnonymiseOption = False,
    color: ColorOption = Color.AUTO,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Search a collection and print what was found."""
    shown = Shown.chosen(format, output, top, color, passages, raw_csv, files)
    known = rules.read(paths)
    worst, sample = _fail_over(fail_over, search.least), _sample(audit)
    if anonymise and report is None:
        raise RecipeError("--anonymise", "given", "used with --report FILE")
    written = [output, save, *files_of(report, anonymise=anonymise)]
    keep_sources(written, [*paths, *search.against, *search.ignore, *rules.files()])
    with run_search(
        reading.open(paths, search.memory),
        recipe,
        reading,
        search,
        min_length=rules.min_length,
        quiet=quiet,
        verbose=verbose,
    ) as searched:
        audited = searched if sample is None else searched.audit(sample=sample)
        if audited.audited is not None and not quiet:
            complain(f"audit: {audited.audited}")
        result, notes = known.apply(audited)
        if not quiet:
            say_notes(notes)
        made = origin(paths, recipe, reading, search, [*typed(rules, PairRules())])
        result = result.with_origin(made | {"left_out": pairs_left_out(notes, result)})
        hint = Hint()
        if not quiet:
            below = find_below(audited) if shown.for_people else None
            below = None if below is None else known.apply(below)[0]
            more = below_threshold(result, below, paths, recipe, search)
            hint = Hint(after_scan(result, paths, recipe, reading, search), more)
        attempts = Attempts()
        saved = attempts.each({} if save is None else {save: partial(result.save, save)})
        if report is not None:
            write = partial(write_html, output=report, marks=known.marks, anonymise=anonymise, quiet=quiet)
            write = partial(_write_report, audited, known, made, search.threads, write)
            attempts.each({report: write})
        attempts.each({output or "-": partial(show, result, shown, hint, quiet=quiet)})
        attempts.finish(partial(keep_search, result, work=search.work, saved=next(iter(saved), None)))
        exit_if_strict(strict, result.skipped)
        if worst is not None and _closest(result) >= worst:
            raise typer.Exit(FOUND)


def _write_report(
    found: Result, known: Known, made: Mapping[str, Any], threads: int, write: Callable[[Result], None]
) -> None:
    """Write the report, with the pairs below the threshold too where they are quickly found: a reader can go down."""
    from lookalike.search.below import search_lower

    lower = search_lower(found, threads=threads)
    result, notes = known.apply(lower.rethreshold(lower.searched_threshold))
    left_out = pairs_left_out(notes, result)
    result = result.rethreshold(found.threshold).with_origin({**made, "left_out": left_out})
    if found.audited is not None:
        result = result.with_audit(found.audited)
    write(result)


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
    names = ("containment_a", "containment_b") if result.metric == "containment" else score_columns(result.metric)[:1]
    return max(float(best[0][name]) for name in names)
