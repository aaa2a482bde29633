"""`lookalike scan PATH…`: the pairs and clusters of a collection."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer

from lookalike.cli.commands import examples
from lookalike.cli.input import PathsArgument, Reading, say_notes, say_skipped_names, with_reading
from lookalike.cli.messages import FOUND, complain, describe
from lookalike.cli.options import completion, makes, option, share, typed, whole_number
from lookalike.cli.output import (
    Color,
    ColorOption,
    OutputOption,
    QuietOption,
    RawCsvOption,
    VerboseOption,
    check_ending,
    keep_sources,
)
from lookalike.cli.running import (
    AnonymiseOption,
    Attempts,
    ReportOption,
    StrictOption,
    exit_if_strict,
    files_of,
    keep_search,
    origin,
    refuse_mixed_columns,
    run_search,
    write_html,
)
from lookalike.cli.scan_output import Display, Hint, ResultFormat, after_scan, below_threshold, show
from lookalike.cli.search_options import Search, with_recipe, with_search
from lookalike.errors import LookalikeError, RecipeError
from lookalike.recipe import Recipe  # noqa: TC001 — the signature is read at run time
from lookalike.result.pairs import KNOWN, check_rule, group_by, omitted_by_author, without_marked
from lookalike.tables.columns import score_columns
from lookalike.tables.spelling import count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from lookalike.documents.metadata import Metadata
    from lookalike.report.side_files import Marks
    from lookalike.result import Result

__all__ = ["HELP", "FormatOption", "SaveOption", "TopOption", "scan"]


_PANEL: Final = "Documents and pairs"
_PAIR_RULES: Final[dict[str, tuple[Any, Any]]] = {
    "meta": option("--meta", panel=_PANEL, metavar="FILE", help="CSV with id, name, author, date and label."),
    "group_by": option(
        "--group-by",
        panel=_PANEL,
        metavar="RULE",
        help="Omit pairs by one author: lms, dir, a pattern with one group, author or label (from --meta), or none.",
        values=("lms", "dir", *KNOWN, "none"),
    ),
    "min_length": option(
        "--min-length", panel=_PANEL, metavar="WORDS", help="Skip documents with fewer words (0: none)."
    ),
    "marks": option("--marks", panel=_PANEL, metavar="FILE", help="Omit pairs marked 'not an issue' in a report."),
}


SHORT: Final = 200
"""Characters: texts that are shorter fill the top of a list, because they are easily similar."""


@dataclass(frozen=True, kw_only=True)
class PairRules:
    """The options, as they were typed."""

    meta: str | None = None
    group_by: str | None = None
    """None: by student, if the names of files are those of a learning platform."""
    min_length: int | None = None
    marks: str | None = None

    def read(self, paths: Sequence[str]) -> Known:
        """Read the files, before anything is searched."""
        if self.group_by in KNOWN and self.meta is None:
            raise RecipeError("--group-by", self.group_by, "given with --meta FILE, which has that column")
        if self.group_by not in (None, "none"):
            check_rule(self.group_by, "--group-by")
        metadata, marks = {}, None
        if self.meta is not None:
            from lookalike.documents.metadata import read_metadata

            metadata = read_metadata(self.meta)
        if self.marks is not None:
            from lookalike.report.side_files import read_marks

            marks = read_marks(self.marks)
        return Known(self, paths, metadata, marks)

    def files(self) -> Iterator[str]:
        """Give the names of the files, which nothing may be written over."""
        yield from (name for name in (self.meta, self.marks) if name is not None)


class Known(NamedTuple):
    """What the files say."""

    given: PairRules
    paths: Sequence[str]
    metadata: Mapping[str, Metadata]
    marks: Marks | None

    def apply(self, result: Result) -> tuple[Result, list[str]]:
        """Return the result with names and without omitted pairs, and notes."""
        notes: list[str] = []
        if self.given.meta is not None:
            from lookalike.documents.metadata import for_documents

            absent: list[str] = []
            known = for_documents(self.metadata, result.id_of, self.given.meta, absent)
            if absent:
                rows = "1 row names" if len(absent) == 1 else f"{len(absent):,} rows name"
                notes.append(
                    f"{self.given.meta}: {rows} no document that was read: {', '.join(absent[:3])}"
                    f"{' …' if len(absent) > 3 else ''}"
                )
            result = result.with_metadata({str(name): values for name, values in known.items()})
        if self.marks is not None:
            before = result.pair_count
            result = without_marked(result, self.marks)
            number = before - result.pair_count
            those = "pair marked as not an issue is" if number == 1 else "pairs marked as not an issue are"
            notes.append(f"{number:,} {those} omitted (--marks {self.given.marks})")
        rule = self.given.group_by
        if rule is None and result.platforms:
            rule = "lms"
            notes.append("the files of each student count as one submission (--group-by none: each file on its own)")
            notes += self._short(result)
        if rule not in (None, "none"):
            result = group_by(result, rule, self.paths, "--group-by")
        return result, notes

    def _short(self, result: Result) -> list[str]:
        """Say that there are texts of a few words, which are easily similar."""
        short = sum(length < SHORT for length in result.length_of or ())
        if self.given.min_length is not None or not short:
            return []
        return [f"{count(short, 'document')} of fewer than {SHORT} characters; --min-length 40 skips short ones"]


def omitted_pairs(notes: Sequence[str], result: Result) -> list[str]:
    """Return a sentence for each rule that omitted a pair: a report has to say it too."""
    said = [*notes, *([] if result.authors is None else [omitted_by_author(result.authors)])]
    return [note for note in said if "omitted" in note and not note.startswith("0 ")]


def _make_rules(given: dict[str, Any]) -> PairRules:
    least = given["min_length"]
    words = None if least is None else whole_number("--min-length", least, least=0)
    return PairRules(**given | {"min_length": words})


with_pair_rules = makes("rules", _PAIR_RULES, _make_rules)
"""Give a command that takes `rules` the options that make them."""

SAMPLE = 1000
"""Documents that an audit draws unless it is told otherwise."""

HELP = examples(
    "Find near-duplicate documents in a collection.",
    "lookalike scan essays/ --preset essays --report report.html",
    "lookalike scan new/ --preset essays --against old/ --ignore sheet.txt",
    "lookalike scan corpus.parquet --text-column text --format json",
    "lookalike scan moodle.zip --min-length 40 --report report.html",
    "lookalike scan essays/ --group-by dir --fail-over 0.9",
    "lookalike scan corpus.jsonl -o pairs.csv --save run.lookalike",
    last="--preset essays finds copied passages in a folder of documents; without it, scan finds documents that are "
    "similar as a whole. lookalike advise PATH recommends a preset. Scores are exact. Similarity is not proof "
    "of copying: read the passages with lookalike compare.",
)

FormatOption = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help="table, json, jsonl, csv, parquet, xlsx or md (default: by the name of FILE).",
        autocompletion=completion(*ResultFormat),
    ),
]
TopOption = Annotated[
    str | None,
    typer.Option(
        "--top", metavar="N", help="Show the N closest pairs; 0 for all (default: 10 in a table, otherwise all)."
    ),
]
PassagesOption = Annotated[
    bool | None,
    typer.Option(
        "--passages/--no-passages", help="Show the longest shared passage of each pair (default: on a terminal)."
    ),
]
FilesOption = Annotated[bool, typer.Option("--files", help="List every pair of similar files of two submissions.")]
FailOption = Annotated[str | None, typer.Option("--fail-over", metavar="T", help="Exit with 1 if any pair scores ≥ T.")]
AuditOption = Annotated[
    str | None, typer.Option("--audit", metavar="[=N]", help="Measure the recall on a sample of N documents.")
]
SaveOption = Annotated[str | None, typer.Option("--save", metavar="FILE", help="Save the result for later use.")]


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
    shown = Display.chosen(format, output, top, color, passages, raw_csv, files, page="--report")
    known = rules.read(paths)
    worst, sample = _fail_over(fail_over, search.least), _sample(audit)
    if anonymise and report is None:
        raise RecipeError("--anonymise", "given", "given with --report FILE")
    written = [output, save, *files_of(report, anonymise=anonymise)]
    keep_sources(written, [*paths, *search.against, *search.ignore, *rules.files()])
    check_ending(save, "saved")
    check_ending(report, "html")
    source = reading.open(paths, search.memory, alone=not search.against)
    refuse_mixed_columns(strict, source)
    with run_search(
        source,
        recipe,
        reading,
        search,
        min_length=rules.min_length,
        quiet=quiet,
        verbose=verbose,
    ) as searched:
        audited = searched if sample is None else _audited(searched, sample, quiet=quiet)
        result, notes = known.apply(audited)
        if not quiet:
            from lookalike.result.describe import short_pairs

            say_notes([*short_pairs(result), *notes])
        named = verbose or (not quiet and say_skipped_names(result, result.skipped))
        made = origin(paths, recipe, reading, search, [*typed(rules, PairRules())])
        result = result.with_origin(made | {"left_out": omitted_pairs(notes, result)})
        hint = Hint()
        if shown.for_people and not quiet:
            from lookalike.search.derived import find_below

            below = find_below(audited)
            below = None if below is None else known.apply(below)[0]
            more = below_threshold(result, below, paths, recipe, search)
            hint = Hint(after_scan(result, paths, recipe, reading, search), more)
        attempts = Attempts()
        saved = attempts.each({} if save is None else {save: partial(result.save, save)})
        if report is not None:
            write = partial(write_html, output=report, marks=known.marks, anonymise=anonymise, quiet=quiet)
            write = partial(_write_report, audited, known, made, search.threads, write)
            attempts.each({report: write})
        attempts.each({output or "-": partial(show, result, shown, hint, quiet=quiet, named=named)})
        attempts.finish(partial(keep_search, result, work=search.work, saved=next(iter(saved), None)))
        exit_if_strict(strict, result.skipped)
        if worst is not None and _closest(result) >= worst:
            raise typer.Exit(FOUND)


def _audited(searched: Result, sample: int, *, quiet: bool) -> Result:
    """Measure the recall; what prevents it is a note, because the search is done and its outputs are wanted."""
    try:
        audited = searched.audit(sample=sample)
    except (LookalikeError, OSError) as error:
        audited = searched.with_note(f"the recall was not measured: {describe(error)}")
    if not quiet:
        seen = audited.audited
        complain(f"note: {audited.notes[-1]}" if seen is None else f"audit: {seen}")
    return audited


def _write_report(
    found: Result, known: Known, made: Mapping[str, Any], threads: int, write: Callable[[Result], None]
) -> None:
    """Write the report, with the pairs below the threshold too where they are quickly found: a reader can go down."""
    from lookalike.search.derived import search_lower

    lower = search_lower(found, threads=threads)
    result, notes = known.apply(lower.rethreshold(lower.searched_threshold))
    omitted = omitted_pairs(notes, result)
    result = result.rethreshold(found.threshold).with_origin({**made, "left_out": omitted})
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
