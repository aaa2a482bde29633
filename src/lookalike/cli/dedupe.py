"""`lookalike dedupe PATH…`: one document of each group stays; what is removed, and for which one, is written down."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli.dedupe_parts import Parts, cut_parts, with_parts
from lookalike.cli.dedupe_parts import to_table as cuts_table
from lookalike.cli.dedupe_rows import column_values, mixed_columns, split_rows
from lookalike.cli.dedupe_table import closing, to_table
from lookalike.cli.finishing import Attempts, is_unwritten, keep_search
from lookalike.cli.help import examples
from lookalike.cli.hints import command_line
from lookalike.cli.messages import complain
from lookalike.cli.options import typed
from lookalike.cli.output import (
    Color,
    ColorOption,
    QuietOption,
    RawCsvOption,
    VerboseOption,
    check_raw_csv,
    send_drawn,
    wants_color,
)
from lookalike.cli.reading import Reading, say_notes, with_reading
from lookalike.cli.recipe_options import with_recipe
from lookalike.cli.row_files import KINDS, RowOptions, form_of, kind_of
from lookalike.cli.row_folder import check_folder, is_folder
from lookalike.cli.row_target import as_lines, check_target
from lookalike.cli.running import StrictOption, exit_if_strict, run_search, say_skipped, skipped_lines
from lookalike.cli.searching import Search, with_removal
from lookalike.cli.values import completion, whole_number
from lookalike.cli.writing import destination, extension, keep_sources
from lookalike.documents.table_errors import BAD_ROW
from lookalike.errors import DocumentError, RecipeError
from lookalike.recipe import Recipe
from lookalike.result.plan import KeepRule
from lookalike.tables.output_files import squeezed
from lookalike.tables.row_writers import CODECS
from lookalike.tables.wording import count
from lookalike.tables.write_table import write_table

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from lookalike.documents import Source
    from lookalike.result import Result
    from lookalike.result.plan import Plan

__all__ = ["HELP", "dedupe"]

HELP = examples(
    "Keep one document of each group; write what is kept, and why.",
    "lookalike dedupe corpus.parquet                show what would be removed",
    "lookalike dedupe corpus.parquet -o kept.parquet --plan plan.csv",
    "lookalike dedupe corpus.jsonl --keep max:stars --removed removed.jsonl",
    "lookalike dedupe essays/ --keep oldest -o kept.txt",
    "lookalike dedupe essays/ --removed removed.txt --null",
    "lookalike dedupe --result run.lookalike --plan plan.csv",
    "lookalike dedupe corpus.jsonl --by paragraph -o kept.jsonl --plan cuts.csv",
    "lookalike dedupe corpus.parquet --passages 50 -o kept.parquet",
    "lookalike dedupe corpus.parquet -o kept/ --rows-per-file 1000000",
    last="No source is ever changed. Names of outputs end in .parquet, .jsonl, .csv or .tsv, the last three also in "
    ".gz or .zst; in a slash for a folder of files; of texts, .txt lists paths. Rows of a table are written as "
    "they are: in CSV, formulas too.",
)

_BAD_SHOWN = 3
"""Bad rows that are named after the outputs are written."""

KEEP = "longest"
"""The rule unless another is given."""

MaybePaths = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="PATH", help="Folders, text files or tables; may be left out with --result.", show_default=False
    ),
]
KeepOption = Annotated[
    str,
    typer.Option(
        "--keep",
        metavar="RULE",
        help="longest (default), shortest, first, newest, oldest, max:COLUMN, min:COLUMN or source:A,B.",
        show_default=False,
        autocompletion=completion("longest", "shortest", "first", "newest", "oldest", "max:", "min:", "source:"),
    ),
]
DropOption = Annotated[bool, typer.Option("--drop-all", help="Keep none of a group.")]
KeptOption = Annotated[
    str | None, typer.Option("-o", "--output", metavar="FILE", help="Write what is kept; to a folder: NAME/.")
]
RemovedOption = Annotated[str | None, typer.Option("--removed", metavar="FILE", help="Write what is removed.")]
PlanOption = Annotated[
    str | None, typer.Option("--plan", metavar="FILE", help="Write each removed id, the kept one and the score.")
]
DateOption = Annotated[
    str | None, typer.Option("--date-column", metavar="NAME", help="The date, for --keep newest and oldest.")
]
ResultOption = Annotated[
    str | None, typer.Option("--result", metavar="FILE", help="Use what scan --save wrote; do not search again.")
]
NullOption = Annotated[
    bool, typer.Option("--null", "-0", help="In a list of paths, end each with NUL instead of a line break: xargs -0.")
]
CodecOption = Annotated[
    str | None,
    typer.Option(
        "--codec",
        metavar="NAME",
        help="Compress rows with zstd, snappy, gzip, lz4, brotli or none; default: as they were.",
        show_default=False,
        autocompletion=completion(*CODECS),
    ),
]
FileRowsOption = Annotated[
    str | None,
    typer.Option("--rows-per-file", metavar="N", help="With -o FOLDER/: begin another file after N rows."),
]
ForceOption = Annotated[bool, typer.Option("--force", help="Write over files that exist.")]


@dataclass(frozen=True, slots=True)
class Outputs:
    """The files that are written."""

    kept: str | None
    removed: str | None
    plan: str | None
    options: RowOptions

    @property
    def rows(self) -> list[str]:
        """What is written of the documents themselves."""
        return [name for name in (self.kept, self.removed) if name is not None]

    def check_source(self, source: Source | None) -> None:
        """Refuse what these documents cannot be written to, before they are searched."""
        for name in self.rows:
            check_target(name, source, self.options.codec)

    def check(self, paths: list[str], *, force: bool, names: bool = True) -> None:
        """Refuse what cannot be written, before anything is read; `names` allows lists of names."""
        rows = self.rows
        self._check_rows(rows)
        for name in rows:
            if is_folder(name):
                check_folder(name, paths)
            else:
                form_of(name, self.options.codec, names=names, rows=True)
        if self.plan is not None:
            kind_of(self.plan)
        plans = [] if self.plan is None else [self.plan]
        named = [*(name for name in rows if not is_folder(name)), *plans]
        check_raw_csv(self.options.raw_csv, any(extension(name) == "csv" for name in named))
        if self.options.null and not any(form_of(name, names=True, rows=True).kind == "txt" for name in named):
            raise RecipeError("--null", "given", "left out where no list of paths (.txt) is written")
        keep_sources(named, paths, force=force)

    def _check_rows(self, rows: list[str]) -> None:
        """Refuse options that would do nothing, and one folder for two outputs."""
        self.options.check()
        if self.options.codec is not None and not rows:
            raise RecipeError("--codec", self.options.codec, "left out where no rows are written")
        if self.options.rows_per_file is not None and not any(map(is_folder, rows)):
            hint = "end the name of the output in a slash: -o kept/"
            raise RecipeError("--rows-per-file", self.options.rows_per_file, "given with an output folder", hint)
        if len(rows) == 2 and all(map(is_folder, rows)) and Path(rows[0]).resolve() == Path(rows[1]).resolve():
            raise DocumentError(rows[1], "file", "is named twice", "write each result to a folder of its own")

    @property
    def any(self) -> bool:
        """Whether anything is written."""
        return any((self.kept, self.removed, self.plan))


@with_recipe
@with_reading
@with_removal
@with_parts
def dedupe(
    paths: MaybePaths = None,
    *,
    reading: Reading,
    search: Search,
    recipe: Recipe,
    parts: Parts,
    keep: KeepOption = KEEP,
    drop_all: DropOption = False,
    output: KeptOption = None,
    removed: RemovedOption = None,
    plan: PlanOption = None,
    date_column: DateOption = None,
    result: ResultOption = None,
    null: NullOption = False,
    codec: CodecOption = None,
    rows_per_file: FileRowsOption = None,
    raw_csv: RawCsvOption = False,
    force: ForceOption = False,
    strict: StrictOption = False,
    color: ColorOption = Color.AUTO,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Search, plan, and write or show the plan."""
    given = paths or []
    in_color = wants_color(color)
    rule = _rule(keep, date_column)
    each = None if rows_per_file is None else whole_number("--rows-per-file", rows_per_file, least=1)
    outputs = Outputs(output, removed, plan, RowOptions(null, raw_csv, codec, each))
    rules = {"keep": keep if keep != KEEP else None, "drop_all": drop_all, "date_column": date_column}
    parts.check(search, {**rules, "removed": removed, "result": result})
    read = [*given, *search.against, *search.ignore, *([result] if result else [])]
    outputs.check(read, force=force, names=not parts)
    source = reading.open(given, search.memory) if given else None
    outputs.check_source(source)
    if parts:
        _cut(source, parts, search, recipe, reading, outputs, given, quiet=quiet, verbose=verbose, color=in_color)
        exit_if_strict(strict, source.skipped() if source is not None else ())
        return
    with _found(source, result, recipe, reading, search, quiet=quiet, verbose=verbose) as found:
        values = column_values(found, source, rule, given) if rule.needs_values else None
        made = found.plan(str(rule), values=values, drop_all=drop_all)
        if not quiet:
            say_notes(made.notes)
        if outputs.any:
            attempts = Attempts()
            _write(made, found, source, outputs, given, attempts, quiet=quiet)
            attempts.finish(partial(keep_search, found, work=search.work) if result is None else str)
        else:
            kept = [*(["--keep", str(rule)] if keep != KEEP else []), *(["--drop-all"] if drop_all else [])]
            same = [*kept, *typed(reading, Reading()), *typed(search.shown(), Search()), *typed(recipe, Recipe())]
            hint = "" if quiet else _hint(given, result, source, same)
            send_drawn(to_table(made, found, hint), None, color=in_color)
        exit_if_strict(strict, found.skipped)


def _cut(
    source: Source | None,
    parts: Parts,
    search: Search,
    recipe: Recipe,
    reading: Reading,
    outputs: Outputs,
    paths: list[str],
    *,
    quiet: bool,
    verbose: bool,
    color: bool,
) -> None:
    """Cut what occurred before, or show what would be cut."""
    if source is None:
        raise DocumentError("PATH", "file", "is missing", "give documents")
    how, kept = outputs.options, outputs.kept
    found = cut_parts(source, parts, search, recipe, paths, output=kept, plan=outputs.plan, how=how, quiet=quiet)
    if not quiet:
        _say_rows(source, outputs)
    if verbose:
        for line in (f"recipe: {recipe}", *skipped_lines(source.skipped())):
            complain(line)
    if not outputs.any:
        same = [
            *typed(parts, Parts()),
            *typed(reading, Reading()),
            *typed(search.shown(), Search()),
            *typed(recipe, Recipe()),
        ]
        written = ["-o", f"kept.{KINDS.get(extension(paths[0]), 'parquet')}", "--plan", "cuts.csv"]
        hint = "" if quiet else command_line("dedupe", paths, [], same, written)
        send_drawn(cuts_table(found, hint), None, color=color)


def _rule(keep: str, date_column: str | None) -> KeepRule:
    rule = KeepRule.parse(keep)
    if date_column is None:
        return rule
    if rule.kind not in ("newest", "oldest"):
        raise RecipeError("--date-column", date_column, "given with --keep newest or oldest")
    return KeepRule(rule.kind, date_column)


@contextmanager
def _found(
    source: Source | None,
    saved: str | None,
    recipe: Recipe,
    reading: Reading,
    search: Search,
    *,
    quiet: bool,
    verbose: bool,
) -> Iterator[Result]:
    """Return the saved result, if there is one, at the threshold that is wanted; else search."""
    if saved is None:
        if source is None:
            raise DocumentError("PATH", "file", "is missing", "give documents, or a saved result with --result FILE")
        with run_search(source, recipe, reading, search, quiet=quiet, verbose=verbose) as result:
            yield result
        return
    from lookalike.result import Result as Saved

    # Of the search only the threshold can still change: an option that would do nothing must not seem to do something.
    idle = [*typed(replace(search.shown(), threshold=None), Search(threshold=None)), *typed(recipe, Recipe())]
    if idle:
        raise RecipeError(" ".join(idle), saved, "given when documents are searched, not with --result")
    found = Saved.load(saved)
    yield found if search.threshold is None else found.rethreshold(search.threshold)


def _write(
    plan: Plan,
    result: Result,
    source: Source | None,
    outputs: Outputs,
    paths: list[str],
    attempts: Attempts,
    *,
    quiet: bool,
) -> None:
    notes: list[str] = []

    def rows(kept: str | None, removed: str | None) -> None:
        notes[:] = split_rows(plan, result, source, kept, removed, paths, outputs.options)

    kept, removed, written = outputs.kept, outputs.removed, list[str]()
    if kept is not None and removed is not None:
        try:
            rows(kept, removed)  # both in one read
            written += [kept, removed]
        except DocumentError as error:
            if not is_unwritten(error):
                raise
            written += attempts.each({kept: partial(rows, kept, None), removed: partial(rows, None, removed)})
    elif kept is not None or removed is not None:
        written += attempts.each({kept or removed or "": partial(rows, kept, removed)})
    if outputs.plan is not None:
        written += attempts.each({outputs.plan: partial(_write_plan, plan, outputs)})
    if not quiet:
        say_notes(notes)
        say_skipped(result.skipped)
        _say_written(plan, result, source, outputs, written)


def _write_plan(plan: Plan, outputs: Outputs) -> None:
    form = form_of(outputs.plan or "")
    with destination(outputs.plan) as stream, squeezed(stream, form.codec) as inner:
        write_table(inner, plan.removals, form.kind, raw_csv=outputs.options.raw_csv)


def _say_written(plan: Plan, result: Result, source: Source | None, outputs: Outputs, written: Collection[str]) -> None:
    _say_rows(source, outputs)
    new = result.documents if result.old_from is None else result.old_from
    for name, said in (
        (outputs.kept, f"{count(new - plan.removed, 'document')} kept"),
        (outputs.removed, f"{count(plan.removed, 'document')} removed"),
        (outputs.plan, closing(plan, result)),
    ):
        if name in written:
            complain(f"{name}: {said}")


def _say_rows(source: Source | None, outputs: Outputs) -> None:
    """Tell what became of rows that are not as they were, or that are no documents."""
    changed = [name for name in outputs.rows if not as_lines(name, source, outputs.options.codec)]
    if changed and (mixed := mixed_columns(source)):
        columns = ", ".join(repr(name) for name in mixed)
        complain(f"note: {', '.join(changed)}: values of several kinds written as JSON text in {columns}")
    skipped = source.skipped() if source is not None else []
    without = sum(one.reason == "null text" for one in skipped)
    if without and outputs.kept is not None:
        complain(f"note: {count(without, 'row')} without a text kept; lookalike files lists them")
    bad = [one for one in skipped if one.reason == BAD_ROW]
    if bad and outputs.rows:
        complain(f"note: {count(len(bad), 'bad row')} neither kept nor removed; lookalike files lists them")
        for one in bad[:_BAD_SHOWN]:
            complain(f"note: {one.id}: {one.detail}")


def _hint(paths: list[str], saved: str | None, source: Source | None, same: list[str]) -> str:
    """Return the command that writes what was shown."""
    kept = "txt" if source is None or source.schema is None else KINDS.get(extension(paths[0]), "parquet")
    result = ["--result", saved] if saved else []
    return command_line("dedupe", paths, result, same, ["-o", f"kept.{kept}", "--plan", "plan.csv"])
