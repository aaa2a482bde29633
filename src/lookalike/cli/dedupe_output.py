"""What `lookalike dedupe` writes, and what it shows when nothing is written: what is removed, and in whose favour.

Then the same for `--by` and `--passages`: what occurred before is cut out of the texts.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer

from lookalike.cli.input import nothing_read, say_flags, say_notes, say_skipped
from lookalike.cli.messages import UNREADABLE, complain, showing_progress
from lookalike.cli.options import command_line
from lookalike.cli.output import check_raw_csv, destination, extension, keep_sources, width
from lookalike.cli.running import Attempts, is_unwritten
from lookalike.documents.document_batches import NO_WORDS
from lookalike.documents.table_errors import NOT_TEXT, lost_lines, not_judged
from lookalike.documents.text_tables import UnreadLines
from lookalike.errors import DocumentError, RecipeError
from lookalike.search.kept_rows import (
    as_lines,
    check_target,
    cut_rows_file,
    mixed_columns,
    split_rows,
    unjudged_names,
)
from lookalike.search.repeats import Repeats
from lookalike.search.row_files import (
    KINDS,
    RowOptions,
    RowShape,
    check_folder,
    form_of,
    is_folder,
    kind_of,
    listed_path,
    row_file,
)
from lookalike.tables.output_files import ENDINGS, squeezed
from lookalike.tables.spelling import count
from lookalike.tables.write_table import write_table

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    import pyarrow as pa
    from rich.console import RenderableType
    from rich.table import Table

    from lookalike.cli.dedupe import Parts
    from lookalike.cli.search_options import Search
    from lookalike.documents import Skipped, Source
    from lookalike.recipe import Recipe
    from lookalike.result import Result
    from lookalike.result.plan import Plan
    from lookalike.search.repeats import CutBatch

__all__ = [
    "CutSummary",
    "Outputs",
    "Tally",
    "cut_parts",
    "cuts_table",
    "exit_if_lost",
    "next_command",
    "say_rows",
    "tally",
    "to_table",
    "write_outputs",
    "write_unread",
]

SHOWN: Final = 20
"""Removals or cuts that are shown."""


@dataclass(frozen=True, slots=True)
class Tally:
    """What became of all documents, rows and lines that were read; old documents do not count.

    >>> str(Tally(kept=2, removed=1)), str(Tally(kept=3, removed=1, unread=2, unjudged=1))
    ('2 of 3 documents kept, 1 removed', '3 of 6 documents kept (of these 1 not judged), 1 removed, 2 unread')
    """

    kept: int
    removed: int
    unread: int = 0
    """Lines of which no row could be made."""
    unjudged: int = 0
    """How many of those kept were compared with none."""

    def __str__(self) -> str:
        """Return it in words."""
        return self.said()

    def of_plan(self, plan: Plan) -> str:
        """Return it with the rule and the clusters.

        >>> import lookalike as la
        >>> plan = la.find(["one two three", "one two three", "four"]).plan("first")
        >>> Tally(kept=2, removed=1).of_plan(plan)
        '2 of 3 documents kept (first), 1 removed from 1 cluster'
        """
        rule = "no member of a cluster" if plan.drop_all else plan.keep
        return self.said(rule, f" from {count(plan.groups, 'cluster')}")

    def said(self, rule: str = "", clusters: str = "") -> str:
        """Return it in words, with what is put in."""
        read = self.kept + self.removed + self.unread
        unjudged = f"of these {self.unjudged:,} not judged" if self.unjudged else ""
        more = "; ".join(filter(None, (rule, unjudged)))
        kept = f"{self.kept:,} of {count(read, 'document')} kept" + (f" ({more})" if more else "")
        return f"{kept}, {self.removed:,} removed{clusters}" + (f", {self.unread:,} unread" if self.unread else "")


def tally(plan: Plan, result: Result, source: Source | None, kept: int | None = None) -> Tally:
    """Count what became of everything; how many are `kept` is known if the source was read again."""
    skipped = result.new_skipped
    documents = plan.documents - plan.removed
    wordless = sum(one.reason == NO_WORDS for one in skipped)
    if kept is None:
        rows = source is not None and not source.has_files
        others = [one for one in skipped if one.reason != NO_WORDS]  # which are documents already
        kept = documents + (len(not_judged(others)) if rows else len(unjudged_names(result.ids, others)))
    return Tally(kept, plan.removed, len(lost_lines(skipped)), kept - documents + wordless)


def to_table(plan: Plan, counted: Tally, summary: str, next_command: str) -> Iterator[RenderableType]:
    """Give what is printed, part by part."""

    from rich.text import Text

    from lookalike.cli.drawing import next_step

    if plan.removed:
        shown = plan.removals.slice(0, SHOWN).to_pylist()
        yield Text(f"{count(plan.removed, 'document')} would be removed", style="bold")
        yield _removals(shown)
        if plan.removed > len(shown):
            yield Text(f"… and {plan.removed - len(shown):,} more; --plan FILE writes all", style="dim")
        yield Text()
        yield Text(f"{counted.of_plan(plan)}. Nothing has been written.")
    else:
        yield Text("Nothing to remove.", style="bold")
        yield Text()
    yield Text(summary)
    if next_command and plan.removed:
        yield next_step(next_command)


def _removals(rows: list[dict[str, object]]) -> Table:
    from lookalike.cli.drawing import common_folder, grid, percent
    from lookalike.cli.scan_table import OLD

    names = [str(name) for row in rows for name in (row["id"], _kept(row)) if name is not None]
    folder = common_folder(names)
    half = (width() - len("  100.0%  ") - len(OLD) * any(row.get("kept_old") for row in rows)) // 2
    table = grid(("Removed", "left"), ("Score", "right"), ("Kept instead", "left"))
    for row in rows:
        removed, kept = _shown_name(row["id"], folder, half), _shown_name(_kept(row), folder, half)
        kept += OLD if row.get("kept_old") else ""
        score = row["score"]
        table.add_row(removed, percent(score) if isinstance(score, float) else "–", kept)
    return table


def _kept(row: dict[str, object]) -> object:
    """Return the id of the kept document; that of an old one has a column of its own if it is of another kind."""
    return row["kept_id"] if row["kept_id"] is not None else row.get("kept_old_id")


def _shown_name(name: object, folder: str, cells: int) -> str:
    from lookalike.cli.drawing import shorten

    return "–" if name is None else shorten(str(name).removeprefix(folder), cells)


_FILES_SHOWN: Final = 3
"""Files that are named because lines of them are lost."""


@dataclass(frozen=True, slots=True)
class Outputs:
    """The files that are written."""

    kept: str | None
    removed: str | None
    plan: str | None
    options: RowOptions
    unread: str | None = None
    """For lines of which no row can be made."""
    skip_bad: bool = False
    """Whether such lines may be left out."""

    @property
    def rows(self) -> list[str]:
        """What is written of the documents themselves."""
        return [name for name in (self.kept, self.removed) if name is not None]

    def check_source(self, source: Source | None) -> None:
        """Refuse what these documents cannot be written to, before they are searched."""
        if self.unread is not None and source is None:
            raise RecipeError("--unread", self.unread, "given with PATH, the documents")
        for name in self.rows:
            check_target(name, source, self.options.codec)

    def check(self, paths: list[str], *, force: bool, names: bool = True, strict: bool = False) -> None:
        """Refuse what cannot be written, before anything is read; `names` allows lists of names."""
        rows = self.rows
        self._check_rows(rows)
        if self.skip_bad and (other := "--unread" if self.unread is not None else "--strict" if strict else ""):
            raise RecipeError("--skip-bad", "given", f"left out with {other}")
        if self.skip_bad and not rows:
            raise RecipeError("--skip-bad", "given", "left out if no rows are written")
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
            raise RecipeError("--null", "given", "left out unless a list of paths (.txt) is written")
        keep_sources([*named, self.unread], paths, force=force)

    def _check_rows(self, rows: list[str]) -> None:
        """Refuse options that would do nothing, and one folder for two outputs."""
        self.options.check()
        if self.options.codec is not None and not rows:
            raise RecipeError("--codec", self.options.codec, "left out if no rows are written")
        if self.options.rows_per_file is not None and not any(map(is_folder, rows)):
            hint = "end the name of the output in a slash: -o kept/"
            raise RecipeError("--rows-per-file", self.options.rows_per_file, "given with an output folder", hint)
        if len(rows) == 2 and all(map(is_folder, rows)) and Path(rows[0]).resolve() == Path(rows[1]).resolve():
            raise DocumentError(rows[1], "file", "is named twice", "write each result to a folder of its own")

    @property
    def any(self) -> bool:
        """Whether anything is written."""
        return any((self.kept, self.removed, self.plan, self.unread))

    def say_unread(self, skipped: Iterable[Skipped]) -> None:
        """Say how many lines were written."""
        if self.unread is not None:
            complain(f"{self.unread}: {count(len(lost_lines(skipped)), 'line')} unread")


def write_outputs(
    plan: Plan,
    result: Result,
    source: Source | None,
    outputs: Outputs,
    paths: list[str],
    attempts: Attempts,
    *,
    quiet: bool,
) -> None:
    """Write the outputs that were asked for, each whatever becomes of the others, and say what was written."""
    notes: list[str] = []
    every: list[int] = []

    def rows(kept: str | None, removed: str | None) -> None:
        number, notes[:] = split_rows(plan, result, source, kept, removed, paths, outputs.options)
        every[:] = [number]

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
    if outputs.unread is not None and source is not None:
        written += attempts.each({outputs.unread: partial(write_unread, source, outputs)})
    if not quiet:
        say_notes(notes)
        say_skipped(result.skipped)
        say_rows(source, outputs)
        _say_written(plan, tally(plan, result, source, *every), outputs, written)
        if outputs.unread in written and source is not None:
            outputs.say_unread(source.skipped())


def write_unread(source: Source, outputs: Outputs) -> None:
    """Write the lines of which no row can be made, byte for byte."""
    output = outputs.unread or ""
    codec = next((codec for codec, ending in ENDINGS.items() if ending == extension(output)), None)
    with outputs.options.opening(output, private=False) as stream, squeezed(stream, codec) as inner:

        def write(data: bytes | bytearray) -> None:
            try:
                inner.write(data)
            except OSError as error:  # which a reader would take for one of its own
                problem = f"cannot be written ({error.strerror or error})"
                raise DocumentError(output, "file", problem, "check the name and the disk") from None

        source.write_unread(UnreadLines(write))


def exit_if_lost(outputs: Outputs, paths: Sequence[str], skipped: Iterable[Skipped]) -> None:
    """Name the lines that are in no output, and end the command with 3 unless that was accepted."""
    files: dict[str, list[Skipped]] = {}
    for one in lost_lines(skipped) if outputs.rows and outputs.unread is None else ():
        files.setdefault(listed_path(one.id.rpartition(":")[0], paths), []).append(one)
    if not files:
        return
    writes = "--unread FILE" if paths else "--unread FILE, given with PATH,"
    remedy = "" if outputs.skip_bad else f"; {writes} writes them, --skip-bad accepts the loss"
    for name, lines in [*files.items()][:_FILES_SHOWN]:
        verb, them = ("is", "it") if len(lines) == 1 else ("are", "them")
        lost = f"{count(len(lines), 'line')} of {name} {verb} in no output: no row can be made of {them}"
        complain(f"{lost} (first: {lines[0].detail}){remedy}")
    if more := [*files.values()][_FILES_SHOWN:]:
        complain(f"nor are {count(sum(map(len, more)), 'line')} of {count(len(more), 'other file')}{remedy}")
    if not outputs.skip_bad:
        raise typer.Exit(UNREADABLE)


def _write_plan(plan: Plan, outputs: Outputs) -> None:
    form = form_of(outputs.plan or "")
    with destination(outputs.plan) as stream, squeezed(stream, form.codec) as inner:
        write_table(inner, plan.removals, form.kind, raw_csv=outputs.options.raw_csv)


def _say_written(plan: Plan, counted: Tally, outputs: Outputs, written: Collection[str]) -> None:
    for name, said in (
        (outputs.kept, str(counted)),
        (outputs.removed, f"{count(plan.removed, 'document')} removed"),
        (outputs.plan, counted.of_plan(plan)),
    ):
        if name in written:
            complain(f"{name}: {said}")


def say_rows(source: Source | None, outputs: Outputs) -> None:
    """Tell which rows are not as they were."""
    changed = [name for name in outputs.rows if not as_lines(name, source, outputs.options.codec)]
    if changed and (mixed := mixed_columns(source)):
        columns = ", ".join(repr(name) for name in mixed)
        complain(f"note: {', '.join(changed)}: values of several kinds written as JSON text in {columns}")
    of_json = source is not None and source.form is not None and source.form.format in ("json", "jsonl")
    others = sum(one.reason == NOT_TEXT for one in source.skipped()) if source is not None and of_json else 0
    if changed and others:
        spelled = f"{count(others, 'value')} that {'is' if others == 1 else 'are'} no text"
        complain(f"note: {', '.join(changed)}: {spelled} written as JSON text in the text column")


def next_command(paths: list[str], saved: str | None, source: Source | None, same: list[str]) -> str:
    """Return the command that writes what was shown."""
    kept = "txt" if source is None or source.schema is None else KINDS.get(extension(paths[0]), "parquet")
    result = ["--result", saved] if saved else []
    return command_line("dedupe", paths, result, same, ["-o", f"kept.{kept}", "--plan", "plan.csv"])


@dataclass(slots=True)
class CutSummary:
    """What was cut, counted; of the cuts themselves only the first are held."""

    documents: int
    changed: int = 0
    emptied: int = 0
    cuts: int = 0
    words: int = 0
    first: list[dict[str, Any]] = field(default_factory=list)

    def add(self, cut: CutBatch) -> None:
        """Count some documents."""
        self.changed += len(cut.changed)
        self.emptied += len(cut.emptied)
        self.cuts += len(cut.cuts["id"])
        self.words += sum(cut.cuts["words"].to_pylist())
        more = SHOWN - len(self.first)
        if more > 0:
            columns = {name: column.slice(0, more).to_pylist() for name, column in cut.cuts.items()}
            self.first += [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def said(self) -> str:
        """Return what it comes to.

        >>> CutSummary(documents=3, changed=2, cuts=4, words=120).said()
        '4 cuts in 2 of 3 documents, 120 words'
        """
        said = f"{count(self.cuts, 'cut')} in {self.changed:,} of {count(self.documents, 'document')}"
        return f"{said}, {count(self.words, 'word')}"


def cut_parts(
    source: Source,
    parts: Parts,
    search: Search,
    recipe: Recipe,
    paths: Sequence[str],
    *,
    output: str | None,
    plan: str | None,
    how: RowOptions,
    quiet: bool,
) -> CutSummary:
    """Find the repeats; write the rows without them, and the list of cuts, as far as these are asked for."""
    sought = parts.sought(search)
    notes: list[str] = []
    with showing_progress(quiet=quiet) as report, ExitStack() as files:
        made = Repeats(source, sought, recipe, memory=search.memory, threads=search.threads, progress=report)
        repeats = files.enter_context(made)
        found = CutSummary(len(repeats.ids))
        if not found.documents:
            raise nothing_read(source.name, source.skipped())
        cuts = rows = None
        if plan is not None:
            shape = RowShape(repeats.cuts_schema, own=True)
            cuts = files.enter_context(row_file(plan, form_of(plan), shape, how, notes, private=True))
        if output is not None:
            rows = files.enter_context(cut_rows_file(output, source, paths, how, notes, drop_empty=parts.drop_empty))
        for cut in repeats.cut(rows=rows is not None and rows.whole, lines=rows is not None and rows.lines):
            found.add(cut)
            if cuts is not None and len(cut.cuts["id"]):
                cuts.write(_batch(cut.cuts))
            if rows is not None:
                rows.write(cut)
        if rows is not None and source.has_files:
            rows.write_files(repeats.ids.to_arrow(), source.skipped())
    if not quiet:
        say_notes([*source.notes(), *notes])
        say_flags(source.flags())
        say_skipped(source.skipped())
        _say(found, parts, source.skipped(), output, 0 if rows is None else rows.written, plan)
    return found


def _say(
    found: CutSummary, parts: Parts, skipped: Sequence[Skipped], output: str | None, kept: int, plan: str | None
) -> None:
    if output is not None:
        gone = found.emptied if parts.drop_empty else 0
        counted = Tally(kept, gone, len(lost_lines(skipped)), kept + gone - found.documents)
        emptied = f"{found.emptied:,} {'dropped' if parts.drop_empty else 'now empty'}"
        complain(f"{output}: {counted}; {found.changed:,} cut, {emptied}")
    if plan is not None:
        complain(f"{plan}: {found.said()}")


def _batch(columns: dict[str, Any]) -> pa.RecordBatch:
    import pyarrow as pa

    return pa.RecordBatch.from_arrays(list(columns.values()), list(columns))


def cuts_table(found: CutSummary, next_command: str) -> Iterator[RenderableType]:
    """Give what is printed for a person when nothing is written, part by part."""

    from rich.text import Text

    from lookalike.cli.drawing import next_step

    if not found.cuts:
        yield Text("Nothing to cut.", style="bold")
        return
    yield Text(f"{count(found.cuts, 'cut')} would be made", style="bold")
    yield _cuts(found.first)
    if found.cuts > len(found.first):
        yield Text(f"… and {found.cuts - len(found.first):,} more; --plan FILE writes all", style="dim")
    yield Text()
    yield Text(f"{found.said()}; {count(found.emptied, 'document')} left empty. Nothing has been written.")
    if next_command:
        yield next_step(next_command)


def _cuts(rows: list[dict[str, Any]]) -> Table:
    from lookalike.cli.drawing import common_folder, grid, shorten

    folder = common_folder([str(row[side]) for row in rows for side in ("id", "kept_id")])
    half = (width() - len("  10,000–10,000  100  ")) // 2
    table = grid(("Cut from", "left"), ("Characters", "right"), ("Words", "right"), ("First in", "left"))
    for row in rows:
        own, kept = (shorten(str(row[side]).removeprefix(folder), half) for side in ("id", "kept_id"))
        table.add_row(own, f"{row['start']:,}–{row['end']:,}", f"{row['words']:,}", kept)
    return table
