"""`lookalike dedupe --by` and `--passages`: documents stay, and what occurred before is cut out of their texts."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from lookalike.cli.input import nothing_read, say_flags, say_notes, say_skipped
from lookalike.cli.messages import complain, showing_progress
from lookalike.cli.options import flag, makes, option, typed, whole_number
from lookalike.cli.output import width
from lookalike.cli.search_options import Search
from lookalike.errors import RecipeError
from lookalike.search.kept_rows import cut_rows_file
from lookalike.search.repeats import PARTS, Repeats, Sought
from lookalike.search.row_files import RowShape, form_of, row_file
from lookalike.tables.wording import count

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa
    from rich.console import RenderableType
    from rich.table import Table

    from lookalike.documents import Source
    from lookalike.recipe import Recipe
    from lookalike.search.repeats import CutBatch
    from lookalike.search.row_files import RowOptions

__all__ = ["Parts", "cut_parts", "to_table", "with_parts"]

_PANEL: Final = "Parts of documents"
SHOWN: Final = 20
"""Cuts that are shown."""


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
        given: list[object] = [*typed(idle, Search())]
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
    if not quiet:
        say_notes([*source.notes(), *notes])
        say_flags(source.flags())
        say_skipped(source.skipped())
        _say(found, parts, output, plan)
    return found


def _say(found: CutSummary, parts: Parts, output: str | None, plan: str | None) -> None:
    if output is not None:
        kept = found.documents - (found.emptied if parts.drop_empty else 0)
        emptied = f"{found.emptied:,} {'left out' if parts.drop_empty else 'now empty'}"
        complain(f"{output}: {count(kept, 'document')}; {found.changed:,} cut, {emptied}")
    if plan is not None:
        complain(f"{plan}: {found.said()}")


def _batch(columns: dict[str, Any]) -> pa.RecordBatch:
    import pyarrow as pa

    return pa.RecordBatch.from_arrays(list(columns.values()), list(columns))


def to_table(found: CutSummary, next_command: str) -> Iterator[RenderableType]:
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
