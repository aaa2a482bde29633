"""`lookalike dedupe PATH…`: one document of each cluster stays; what is removed, and for which one, is written down.

With `--by` and `--passages` all documents stay, and what occurred before is cut out of their texts.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from lookalike.cli.commands import examples
from lookalike.cli.dedupe_output import (
    Outputs,
    cut_parts,
    cuts_table,
    exit_if_lost,
    next_command,
    say_rows,
    tally,
    to_table,
    write_outputs,
    write_unread,
)
from lookalike.cli.input import Reading, check_read, say_notes, skipped_lines, with_reading
from lookalike.cli.messages import complain
from lookalike.cli.options import command_line, completion, flag, makes, option, typed, whole_number
from lookalike.cli.output import (
    Color,
    ColorOption,
    QuietOption,
    RawCsvOption,
    VerboseOption,
    destination,
    extension,
    send_drawn,
    wants_color,
)
from lookalike.cli.running import (
    Attempts,
    StrictOption,
    exit_if_strict,
    keep_search,
    refuse_mixed_columns,
    run_search,
)
from lookalike.cli.search_options import THRESHOLD, Search, as_typed, usual, with_recipe, with_removal
from lookalike.errors import DocumentError, RecipeError
from lookalike.presets import check_removal
from lookalike.recipe import Recipe  # noqa: TC001 — the signature is read at run time
from lookalike.result.plan import KEEP as RULES
from lookalike.result.plan import KeepRule
from lookalike.search.kept_rows import column_values
from lookalike.search.repeats import PARTS, Sought
from lookalike.search.row_files import KINDS, RowOptions
from lookalike.tables.row_writers import CODECS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lookalike.documents import Source
    from lookalike.result import Result

__all__ = ["HELP", "Parts", "dedupe", "with_parts"]

_PANEL: Final = "Parts of documents"


@dataclass(frozen=True, slots=True)
class Parts:
    """Which parts of documents are cut out when they occur again."""

    by: str | None = None
    passages: int | None = None
    drop_empty: bool = False

    def __bool__(self) -> bool:
        """Say whether parts are cut, and not whole documents removed."""
        return self.by is not None or self.passages is not None

    def sought(self, search: Search) -> Sought:
        """Return what is looked for."""
        if self.by is None:
            return Sought.passages(self.passages or 0, option="--passages")
        return Sought.parts(self.by, search.min_words, option="--by")

    def check(self, search: Search, others: Mapping[str, object]) -> None:
        """Refuse what belongs to whole documents: an option that would do nothing must not seem to do something."""
        if self.drop_empty and not self:
            raise RecipeError("--drop-empty", True, "given with --by or --passages")
        if not self:
            return
        if self.by is not None and self.passages is not None:
            raise RecipeError("--passages", self.passages, "left out with --by", "give one of the two")
        idle = replace(search.shown(), memory=None, threads=0, min_words=search.min_words if self.by is None else None)
        given: list[object] = [*typed(idle, replace(usual(idle), preset=idle.preset))]  # its recipe has an effect
        given += [word for name, value in others.items() if value for word in (f"--{name.replace('_', '-')}", value)]
        if given:
            mode = "--passages" if self.by is None else "--by"
            raise RecipeError(str(given[0]), given[1], f"left out with {mode}")


def _make(given: dict[str, Any]) -> Parts:
    passages = given["passages"]
    return Parts(
        by=given["by"],
        passages=None if passages is None else whole_number("--passages", passages, least=1),
        drop_empty=bool(given["drop_empty"]),
    )


_OPTIONS: Final[dict[str, tuple[Any, Any]]] = {
    "by": option(
        "--by",
        panel=_PANEL,
        metavar="PART",
        help="Cut each line, paragraph or sentence that occurred before, if it has --min-words words (default: 5).",
        values=PARTS,
    ),
    "passages": option(
        "--passages", panel=_PANEL, metavar="N", help="Cut each run of N or more words that occurred before."
    ),
    "drop_empty": flag("--drop-empty", panel=_PANEL, help="Drop documents that have no words left."),
}

with_parts = makes("parts", _OPTIONS, _make)
"""Give a command that takes `parts` the options that make them."""


HELP = examples(
    "Keep one document of each cluster; write what is kept, and why.",
    "lookalike dedupe corpus.parquet                show what would be removed",
    "lookalike dedupe corpus.parquet -o kept.parquet --plan plan.csv",
    "lookalike dedupe corpus.jsonl --keep max:stars --removed removed.jsonl",
    "lookalike dedupe essays/ --keep oldest -o kept.txt",
    "lookalike dedupe essays/ --removed removed.txt --null",
    "lookalike dedupe --result run.lookalike --plan plan.csv",
    "lookalike dedupe corpus.jsonl --by paragraph -o kept.jsonl --plan cuts.csv",
    "lookalike dedupe corpus.parquet --passages 50 -o kept.parquet",
    "lookalike dedupe corpus.parquet -o kept/ --rows-per-file 1000000",
    last="Sources are never changed. An output ends in .parquet, .jsonl, .csv or .tsv (the last three also in .gz "
    "or .zst), in a slash for a folder of files, or in .txt for a list of paths. Rows of a table are written "
    "unchanged, including formulas in CSV.",
)

MaybePaths = Annotated[
    list[str] | None,
    typer.Argument(metavar="PATH", help="Folders, text files or tables; optional with --result.", show_default=False),
]
KeepOption = Annotated[
    str | None,
    typer.Option(
        "--keep",
        metavar="RULE",
        help=f"{', '.join(RULES[:-1])} or {RULES[-1]} (default: first; with containment longest).",
        show_default=False,
        autocompletion=completion(*(kind + colon for kind, colon, _ in (rule.partition(":") for rule in RULES))),
    ),
]
DropOption = Annotated[bool, typer.Option("--drop-all", help="Keep no member of a cluster.")]
KeptOption = Annotated[
    str | None, typer.Option("-o", "--output", metavar="FILE", help="Write what is kept; NAME/ is a folder.")
]
RemovedOption = Annotated[str | None, typer.Option("--removed", metavar="FILE", help="Write what is removed.")]
PlanOption = Annotated[
    str | None, typer.Option("--plan", metavar="FILE", help="Write the removal plan: removed id, kept id and score.")
]
DateOption = Annotated[
    str | None,
    typer.Option("--date-column", metavar="NAME", help="Column with the date, for --keep newest and oldest."),
]
ResultOption = Annotated[
    str | None, typer.Option("--result", metavar="FILE", help="Use a result of scan --save instead of searching.")
]
UnreadOption = Annotated[
    str | None,
    typer.Option("--unread", metavar="FILE", help="Write the lines that no row can be made of, byte for byte."),
]
SkipBadOption = Annotated[
    bool, typer.Option("--skip-bad", help="Leave such lines out of all outputs, without exit code 3.")
]
NullOption = Annotated[
    bool, typer.Option("--null", "-0", help="End each path in a list with NUL instead of a line break (for xargs -0).")
]
CodecOption = Annotated[
    str | None,
    typer.Option(
        "--codec",
        metavar="NAME",
        help="Compress rows with zstd, snappy, gzip, lz4, brotli or none (default: as in the source).",
        show_default=False,
        autocompletion=completion(*CODECS),
    ),
]
FileRowsOption = Annotated[
    str | None,
    typer.Option("--rows-per-file", metavar="N", help="With -o FOLDER/: start a new file after N rows."),
]
ForceOption = Annotated[bool, typer.Option("--force", help="Overwrite existing files.")]


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
    keep: KeepOption = None,
    drop_all: DropOption = False,
    output: KeptOption = None,
    removed: RemovedOption = None,
    plan: PlanOption = None,
    date_column: DateOption = None,
    result: ResultOption = None,
    unread: UnreadOption = None,
    skip_bad: SkipBadOption = False,
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
    asked = _keep_rule(keep, date_column)
    each = None if rows_per_file is None else whole_number("--rows-per-file", rows_per_file, least=1)
    outputs = Outputs(output, removed, plan, RowOptions(null, raw_csv, codec, each, destination), unread, skip_bad)
    rules = {"keep": keep, "drop_all": drop_all, "date_column": date_column}
    parts.check(search, {**rules, "removed": removed, "result": result})
    read = [*given, *search.against, *search.ignore, *([result] if result else [])]
    outputs.check(read, force=force, names=not parts, strict=strict)
    check_read(reading, "PATH", reads=bool(given) or result is None)  # without a result, PATH itself is missing
    source = reading.open(given, search.memory, alone=not search.against) if given else None
    outputs.check_source(source)
    refuse_mixed_columns(strict, source)
    if parts:
        _cut(source, parts, search, recipe, reading, outputs, given, quiet=quiet, verbose=verbose, color=in_color)
        skipped = source.skipped() if source is not None else ()
        exit_if_lost(outputs, given, skipped)
        exit_if_strict(strict, skipped)
        return
    with _found(source, result, recipe, reading, search, quiet=quiet, verbose=verbose) as found:
        rule = KeepRule.for_search(asked, found.metric)
        values = column_values(found, source, rule, given) if rule.needs_values else None
        made = found.plan(rule, values=values, drop_all=drop_all)
        if not quiet:
            say_notes(made.notes)
        if outputs.any:
            attempts = Attempts()
            write_outputs(made, found, source, outputs, given, attempts, quiet=quiet)
            attempts.finish(partial(keep_search, found, work=search.work) if result is None else str)
        else:
            kept = [*(["--keep", str(rule)] if asked is not None else []), *(["--drop-all"] if drop_all else [])]
            same = [*kept, *typed(reading, Reading()), *as_typed(search.shown(), recipe)]
            hint = "" if quiet else next_command(given, result, source, same)
            send_drawn(to_table(made, tally(made, found, source), found.summary(), hint), None, color=in_color)
        exit_if_lost(outputs, given, found.new_skipped)
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
    if outputs.unread is not None:
        write_unread(source, outputs)
    if not quiet:
        say_rows(source, outputs)
        outputs.say_unread(source.skipped())
    if verbose:
        for line in (f"recipe: {recipe}", *skipped_lines(source.skipped())):
            complain(line)
    if not outputs.any:
        same = [
            *typed(parts, Parts()),
            *typed(reading, Reading()),
            *as_typed(search.shown(), recipe),
        ]
        written = ["-o", f"kept.{KINDS.get(extension(paths[0]), 'parquet')}", "--plan", "cuts.csv"]
        hint = "" if quiet else command_line("dedupe", paths, [], same, written)
        send_drawn(cuts_table(found, hint), None, color=color)


def _keep_rule(keep: str | None, date_column: str | None) -> KeepRule | None:
    rule = None if keep is None else KeepRule.parse(keep)
    if date_column is None:
        return rule
    if rule is None or rule.kind not in ("newest", "oldest"):
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
            if not quiet:
                from lookalike.result.describe import short_pairs

                say_notes(short_pairs(result))
            yield result
        return
    from lookalike.result import Result as Saved

    # Of the search only the threshold can still change: an option that would do nothing must not seem to do something.
    idle = as_typed(replace(search.shown(), threshold=None), recipe)
    if idle:
        raise RecipeError(" ".join(idle), True, "left out with --result", "settings of the search were saved with it")
    found = Saved.load(saved)
    if search.threshold is not None:
        found = found.rethreshold(search.threshold)
    check_removal(found.threshold_preset, f"write it: -t {THRESHOLD:g}", option="--threshold")
    yield found
