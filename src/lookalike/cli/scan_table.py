"""`lookalike scan` for a person: the closest pairs, the groups, what was skipped, and what to do next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from rich import box
from rich.cells import cell_len
from rich.console import Group
from rich.table import Table
from rich.text import Text

from lookalike.cli.compare_table import percent
from lookalike.cli.hints import folded
from lookalike.cli.names import common_folder, shorten
from lookalike.cli.output import width
from lookalike.cli.scan_about import About, longest_passages
from lookalike.result.authors import left_out, rows_of
from lookalike.tables.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.console import RenderableType

    from lookalike.cli.scan_output import Hint
    from lookalike.engine.groups import Group as Documents
    from lookalike.result import Result
    from lookalike.result.authors import Authors

__all__ = ["OLD", "SCORE", "View", "grid", "next_step", "numbers_of", "to_table"]

MEMBERS: Final = 5
"""Members of a group that are shown."""
OLD: Final = " (old)"
BETWEEN: Final = " · "
_FILES: Final = "Files: pairs of files that are alike"
SCORE: Final = {"cosine": "Cosine", "euclidean": "1/(1+d)"}
"""Headings of what a metric measures; of the others it is Jaccard."""
_SCORES: Final = len("  Jaccard  A in B  B in A  ")
"""Cells between the rank of a pair and its names."""


@dataclass(frozen=True)
class View:
    """What is shown, and how much of it."""

    result: Result
    rows: list[list[dict[str, Any]]]
    """The closest pairs, as many as are wanted; a and b are the numbers of their documents. A row has the pairs of two
    submissions, the closest first; without authors, one pair."""
    row_count: int
    """How many rows there are in all."""
    groups: list[Documents]
    """The largest groups, by the numbers of their documents."""
    next_command: str = ""
    more: str = ""
    """What another search would find."""
    files: bool = False
    """Whether all pairs of a row are listed."""

    @classmethod
    def of(cls, result: Result, top: int, hint: Hint, *, files: bool = False) -> View:
        """Take the `top` closest pairs and largest groups; 0 means all."""
        groups = result.largest_by_number(top or result.group_count)
        authors = result.authors
        if authors is not None and authors.are_submissions:
            rows, there = rows_of(result.closest(result.pair_count), authors, top or None)
            return cls(result, rows, there, groups, hint.next_command, hint.more, files)
        rows, _ = rows_of(result.closest(top or result.pair_count), None)
        return cls(result, rows, result.pair_count, groups, hint.next_command, hint.more)

    @property
    def authors(self) -> Authors | None:
        """Who wrote what."""
        return self.result.authors

    @property
    def pairs(self) -> list[dict[str, Any]]:
        """The closest pair of each row."""
        return [row[0] for row in self.rows]

    @property
    def has_submissions(self) -> bool:
        """Whether some row has more than one pair."""
        return self.row_count < self.result.pair_count

    @property
    def shown(self) -> Iterator[int]:
        """The numbers of all documents that are shown."""
        yield from (pair[side] for row in self.rows for pair in (row if self.files else row[:1]) for side in "ab")
        yield from (number for group in self.groups for number in numbers_of(group)[: MEMBERS + 1])


def numbers_of(group: Documents) -> list[int]:
    """Return the numbers of the members of a group that was given by number."""
    return list(map(int, group.members))


class _Names:
    """Names as they are shown: without the folder that all share, cut to a width, and old ones marked."""

    def __init__(self, view: View) -> None:
        self._ids, self._known = view.result.id_of, view.result.metadata_of
        self.folder = common_folder(str(self._ids[number]) for number in view.shown)

    def show(self, number: int, cells: int) -> Text:
        mark = OLD if self._ids.is_old(number) else ""
        return Text.assemble(shorten(self._bare(number), cells - len(mark)), (mark, "magenta"))

    def longest(self, numbers: Iterable[int]) -> int:
        cells = (cell_len(visible(self._bare(one))) + len(OLD) * self._ids.is_old(one) for one in numbers)
        return max(cells, default=0)

    def _bare(self, number: int) -> str:
        """Return what a person calls a document, as --meta has it, and the file."""
        known = self._known.get(number)
        bare = (known.file if known else "") or str(self._ids[number]).removeprefix(self.folder)
        called = ", ".join(filter(None, (known.name, known.author))) if known else ""
        return f"{called} ({bare})" if called else bare


def to_table(view: View, *, passages: bool = False) -> Iterator[RenderableType]:
    """Give what is printed, part by part."""
    names = _Names(view)
    if view.pairs:
        noun = "pair of submissions" if view.has_submissions else "pair"
        yield _heading(noun, len(view.rows), view.row_count, "closest", names.folder)
        about = About.of(view.result, view.pairs)
        yield _pairs(view, names, about)
        files = f"{_FILES}{'.' if view.files else '; the closest is shown, and --files lists all.'}"
        if legend := " ".join(filter(None, (files if view.has_submissions else "", about.legend))):
            yield Text(legend, style="dim")
        yield Text()
        if passages:
            yield from longest_passages(view.result, view.pairs, names.show)
        yield _heading("group", len(view.groups), view.result.group_count, "largest", "")
        yield _groups(view, names)
    else:
        yield Text(_nothing(view.result), style="bold")
    yield Text()
    if view.authors is not None:
        yield Text(left_out(view.authors))
    yield Text(view.result.summary())
    if view.more:
        yield Text(view.more, style="yellow")
    if view.next_command:
        yield next_step(view.next_command)


def next_step(command: str) -> Group:
    """Return the command that comes next, in lines that can be copied."""
    lines = folded(command, width() - len("Next: "))
    # In a group, because a bare text loses its no_wrap when it is printed.
    return Group(Text.assemble(("Next: ", "bold"), (lines, "cyan"), overflow="ignore", no_wrap=True))


def _nothing(result: Result) -> str:
    if result.documents < 2:
        return "There is only one document, so there is nothing that it could be like."
    return f"No two documents are alike by {percent(result.threshold)} or more."


def _heading(noun: str, shown: int, there: int, which: str, folder: str) -> Text:
    first, _, of = noun.partition(" ")
    counted = f"{there:,} {first}{'s' * (there != 1)} {of}".rstrip()
    text = counted if shown == there else f"The {shown:,} {which} of {counted}"
    heading = Text(text, style="bold")
    if folder:
        heading.append(f" in {shorten(folder, width() - len(text) - 4)}", style="not bold dim")
    return heading


def grid(*headers: tuple[str, Any]) -> Table:
    """Return an empty table with these columns, each with its side."""
    table = Table(
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        header_style="dim",
        border_style="dim",
    )
    for header, justify in headers:
        table.add_column(header, justify=justify, no_wrap=True)
    return table


def _pairs(view: View, names: _Names, about: About) -> Table:
    """List the pairs: both names beside each other if they fit, else one above the other."""
    files = [("Files", "right")] if view.has_submissions else []
    room = width() - _SCORES - len(f"{len(view.rows)}") - about.cells - (len("Files ") if files else 0)
    listed = [pair for row in view.rows for pair in (row if view.files else row[:1])]
    wide_a, wide_b = (max(names.longest(pair[side] for pair in listed), 1) for side in "ab")
    scores: list[tuple[str, str]] = [
        ("#", "right"),
        (SCORE.get(view.result.metric, "Jaccard"), "right"),
        ("A in B", "right"),
        ("B in A", "right"),
    ]
    scores += [*about.headers, *files]
    beside = wide_a + wide_b + 2 <= room
    table = grid(*scores, *([("A", "left"), ("B", "left")] if beside else [("A, and below it B", "left")]))
    for rank, row in enumerate(view.rows, start=1):
        for place, pair in enumerate(row if view.files else row[:1]):
            numbers = (percent(pair[name]) for name in ("jaccard", "containment_a", "containment_b"))
            shown = [names.show(pair[side], room) for side in "ab"]
            names_of_both = shown if beside else [Text("\n").join(shown)]
            first = ("" if place else f"{rank}", *numbers, *about.values(pair))
            table.add_row(*first, *(["" if place else f"{len(row)}"] if files else []), *names_of_both)
    return table


def _groups(view: View, names: _Names) -> Table:
    """List the groups: what each is called, and its members below each other."""
    sizes = max(len("Size"), *(len(f"{len(group)}") for group in view.groups))
    room = width() - len(f"{len(view.groups)}    ") - sizes
    authors = view.authors
    if authors is None:
        first = max(min(names.longest(int(group.principal) for group in view.groups), room // 2), len("Principal"))
        table = grid(("#", "right"), ("Size", "right"), ("Principal", "left"), ("Other members", "left"))
    else:
        longest = max(cell_len(_written_by(view, group, authors)) for group in view.groups)
        first = max(min(longest, room // 3), len("Authors"))
        table = grid(("#", "right"), ("Size", "right"), ("Authors", "left"), ("Documents", "left"))
    for rank, group in enumerate(view.groups, start=1):
        if authors is None:
            title = names.show(int(group.principal), first)
            members = [member for member in numbers_of(group) if member != group.principal]
        else:
            title, members = Text(shorten(_written_by(view, group, authors), first)), numbers_of(group)
        cells = room - first - 2
        shown = [names.show(member, cells) for member in members[:MEMBERS]]
        if len(members) > MEMBERS:
            shown.append(Text(f"… and {len(members) - MEMBERS:,} more", style="dim"))
        table.add_row(f"{rank}", f"{len(group)}", title, _filled(shown, cells))
    return table


def _filled(names: list[Text], cells: int) -> Text:
    """Return names on as few lines as they fit on."""
    lines: list[Text] = []
    for name in names:
        if lines and lines[-1].cell_len + len(BETWEEN) + name.cell_len <= cells:
            lines[-1] = Text(BETWEEN, style="dim").join([lines[-1], name])
        else:
            lines.append(name)
    return Text("\n").join(lines)


def _written_by(view: View, group: Documents, authors: Authors) -> str:
    named = ((number, str(view.result.id_of[number])) for number in numbers_of(group))
    return ", ".join(dict.fromkeys(authors.name(number) or name for number, name in named))
