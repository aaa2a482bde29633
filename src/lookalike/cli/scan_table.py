"""`lookalike scan` for a person, as a table or as Markdown: the closest pairs, the clusters, and what to do next."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from rich.cells import cell_len
from rich.text import Text

from lookalike.cli.drawing import common_folder, grid, next_step, percent, shorten
from lookalike.cli.output import width
from lookalike.documents.metadata import first_of
from lookalike.result.describe import excluded_words_of, shortest, texts_of, without_excluded
from lookalike.result.pairs import omitted_by_author, rows_of
from lookalike.tables.columns import COLUMNS
from lookalike.tables.spelling import count, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from rich.console import RenderableType
    from rich.table import Table

    from lookalike.cli.scan_output import Hint
    from lookalike.documents.metadata import Metadata
    from lookalike.engine.groups import Group as Documents
    from lookalike.result import Result
    from lookalike.result.pairs import Authors

__all__ = ["LONGEST_TEXT", "OLD", "PASSAGE_ENDS", "TableView", "to_markdown", "to_table"]


PLACES: Final = {"quotes": "quotes", "references": "references", "template": "templates", "common": "common text"}
MOST: Final = 5
"""Pairs whose longest passage is shown below the table."""
PASSAGE_ENDS: Final = (160, 80)
"""Characters of the two ends of a long passage: fewer than compare shows, because there are several pairs."""
LONGEST_TEXT: Final = 2_000_000
"""Characters: of longer documents no passage is looked for, so that a scan ends at once."""


@dataclass(frozen=True)
class About:
    """Further columns, which are there if there is something to say."""

    excluded: Mapping[int, Mapping[str, int]]
    known: Mapping[int, Metadata]
    """Both by the numbers of documents."""
    shortest: str = ""
    """The shortest passage that counts, in words."""
    dated_by: str = "--meta"
    """What tells the dates."""

    @classmethod
    def of(cls, result: Result, pairs: list[dict[str, Any]]) -> About:
        """Look at the documents of the pairs that are shown."""
        numbers = {pair[side] for pair in pairs for side in "ab"}
        dated = any(values.date is not None for values in result.metadata.values())
        by = "the date of the submission" if result.platforms else "--meta"
        return cls(
            excluded_words_of(result, numbers),
            result.metadata_of if dated else {},
            shortest(result.exclusions, result.recipe),
            by,
        )

    @property
    def headers(self) -> list[tuple[str, str]]:
        """The names of the columns and their sides."""
        return [*([("Excluded", "right")] if self.excluded else []), *([("First", "left")] if self.known else [])]

    @property
    def cells(self) -> int:
        """How wide they are together."""
        wide = max((len(self._words(number)) for number in self.excluded), default=0)
        return (max(len("Excluded"), 2 * wide + 3) + 2 if self.excluded else 0) + (7 if self.known else 0)

    def values(self, pair: Mapping[str, Any]) -> list[str]:
        """Return what the columns say of a pair."""
        said = [f"{self._words(pair['a'])} + {self._words(pair['b'])}"] if self.excluded else []
        if self.known:
            first = first_of(self.known.get(pair["a"]), self.known.get(pair["b"]))
            said.append({"a": "A", "b": "B", "same": "same"}.get(first or "", "?"))
        return said

    @property
    def legend(self) -> str:
        """What the columns mean."""
        there = {reason for words in self.excluded.values() for reason in words}
        reasons = ", ".join(place for reason, place in PLACES.items() if reason in there)
        said = [f"Excluded: words of A + words of B that do not count ({reasons})."] if self.excluded else []
        if self.shortest:
            said.append(f"Only passages of at least {self.shortest} count.")
        if self.known:
            said.append(f"First: the older of the two, by {self.dated_by}.")
        return " ".join(said)

    def _words(self, number: int) -> str:
        return f"{sum(self.excluded.get(number, {}).values()):,}"


def longest_passages(
    result: Result, pairs: list[dict[str, Any]], show: Callable[[int, int], Text]
) -> Iterator[RenderableType]:
    """Give the longest passage of each of the closest pairs."""
    from lookalike.cli.drawing import Passages
    from lookalike.cli.output import width
    from lookalike.text.comparison import passages

    texts = texts_of(result, {pair[side] for pair in pairs[:MOST] for side in "ab"})
    shown = False
    for rank, pair in enumerate(pairs[:MOST], start=1):
        a, b = texts.get(pair["a"]), texts.get(pair["b"])
        if a is None or b is None or max(len(a), len(b)) > LONGEST_TEXT:
            continue
        found = passages(*without_excluded(result, a, b), result.recipe, least=result.exclusions.min_words)
        if not found:
            continue
        if not shown:
            which = "each pair" if len(pairs) <= MOST else f"the {MOST} closest pairs"
            yield Text(f"Longest shared passage of {which}", style="bold")
            shown = True
        title = Text("  in ")
        room = (width() - 20) // 2
        title.append_text(show(pair["a"], room)).append(" and ").append_text(show(pair["b"], room))
        longest = max(found, key=lambda passage: passage.units)
        yield from Passages(a, b, result.recipe, PASSAGE_ENDS).show(longest, rank, title.plain)


MEMBERS: Final = 5
"""Members of a cluster that are shown."""
OLD: Final = " (old)"
BETWEEN: Final = " · "
_FILES: Final = "Files: pairs of similar files"
SCORE: Final = {"cosine": "Cosine", "euclidean": "1/(1+d)"}
"""Headings of what a metric measures; of the others it is Jaccard."""
_SCORES: Final = len("  Jaccard  A in B  B in A  ")
"""Cells between the rank of a pair and its names."""


@dataclass(frozen=True)
class TableView:
    """What is shown, and how much of it."""

    result: Result
    rows: list[list[dict[str, Any]]]
    """The closest pairs, as many as are wanted; a and b are the numbers of their documents. A row has the pairs of two
    submissions, the closest first; without authors, one pair."""
    row_count: int
    """How many rows there are in all."""
    groups: list[Documents]
    """The largest clusters, by the numbers of their documents."""
    short: list[dict[str, Any]]
    """The closest pairs that share only passages that are too short to count, as many as are wanted."""
    next_command: str = ""
    more: str = ""
    """What another search would find."""
    files: bool = False
    """Whether all pairs of a row are listed."""

    @classmethod
    def of(cls, result: Result, top: int, hint: Hint, *, files: bool = False) -> TableView:
        """Take the `top` closest pairs and largest clusters; 0 means all."""
        groups = result.largest_by_number(top or result.group_count)
        short = [row[0] for row in rows_of(result.listed_short.pairs, None, top or None)[0]]
        authors = result.authors
        if authors is not None and authors.are_submissions:
            rows, there = rows_of(result.closest(result.pair_count), authors, top or None)
            return cls(result, rows, there, groups, short, hint.next_command, hint.more, files)
        rows, _ = rows_of(result.closest(top or result.pair_count), None)
        return cls(result, rows, result.pair_count, groups, short, hint.next_command, hint.more)

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
        yield from (pair[side] for pair in self.short for side in "ab")

    @property
    def short_title(self) -> str:
        """The heading of the pairs that share only short passages."""
        short, result = self.result.listed_short, self.result
        there = count(short.count, "pair")
        number = there if len(self.short) == short.count else f"the {len(self.short):,} closest of {there}"
        least = "" if short.threshold >= result.threshold else f" ≥ {percent(short.threshold)}"
        return f"Similar only in passages shorter than {_shortest(result)} ({number}{least}, not counted)"

    @property
    def short_legend(self) -> str:
        """What the scores of these pairs are."""
        least = _shortest(self.result)
        return f"Scored with passages of any length; by exact passages of at least {least} below the threshold."


def _shortest(result: Result) -> str:
    return shortest(result.exclusions, result.recipe)


def numbers_of(group: Documents) -> list[int]:
    """Return the numbers of the members of a cluster that was given by number."""
    return list(map(int, group.members))


class _ShownNames:
    """Names as they are shown: without the folder that all share, cut to a width, and old ones marked."""

    def __init__(self, view: TableView) -> None:
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


def to_table(view: TableView, *, passages: bool = False) -> Iterator[RenderableType]:
    """Give what is printed, part by part."""
    names = _ShownNames(view)
    if view.pairs:
        noun = "pair of submissions" if view.has_submissions else "pair"
        yield _heading(noun, len(view.rows), view.row_count, "closest", names.folder)
        about = About.of(view.result, view.pairs)
        yield _pairs(view, view.rows, names, about, submissions=view.has_submissions)
        files = f"{_FILES}{'.' if view.files else '; the closest is shown, and --files lists all.'}"
        if legend := " ".join(filter(None, (files if view.has_submissions else "", about.legend))):
            yield Text(legend, style="dim")
        yield Text()
        if passages:
            yield from longest_passages(view.result, view.pairs, names.show)
        yield _heading("cluster", len(view.groups), view.result.group_count, "largest", "")
        yield _groups(view, names)
    else:
        yield Text(_nothing(view.result), style="bold")
    if view.short:
        yield Text()
        yield Text(view.short_title, style="bold")
        yield _pairs(view, [[pair] for pair in view.short], names, About.of(view.result, view.short))
        yield Text(view.short_legend, style="dim")
    yield Text()
    if view.authors is not None:
        yield Text(omitted_by_author(view.authors))
    yield Text(view.result.summary())
    if view.more:
        yield Text(view.more, style="yellow")
    if view.next_command:
        yield next_step(view.next_command)


def _nothing(result: Result) -> str:
    if result.documents < 2:
        return "There is only one document, so there is nothing to compare it with."
    return f"No two documents are at least {percent(result.threshold)} similar."


def _heading(noun: str, shown: int, there: int, which: str, folder: str) -> Text:
    first, _, of = noun.partition(" ")
    counted = f"{there:,} {first}{'s' * (there != 1)} {of}".rstrip()
    text = counted if shown == there else f"The {shown:,} {which} of {counted}"
    heading = Text(text, style="bold")
    if folder:
        heading.append(f" in {shorten(folder, width() - len(text) - 4)}", style="not bold dim")
    return heading


def _pairs(
    view: TableView, rows: list[list[dict[str, Any]]], names: _ShownNames, about: About, *, submissions: bool = False
) -> Table:
    """List the pairs: both names beside each other if they fit, else one above the other."""
    files = [("Files", "right")] if submissions else []
    room = width() - _SCORES - len(f"{len(rows)}") - about.cells - (len("Files ") if files else 0)
    listed = [pair for row in rows for pair in (row if view.files else row[:1])]
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
    for rank, row in enumerate(rows, start=1):
        for place, pair in enumerate(row if view.files else row[:1]):
            numbers = (percent(pair[name]) for name in ("jaccard", "containment_a", "containment_b"))
            shown = [names.show(pair[side], room) for side in "ab"]
            names_of_both = shown if beside else [Text("\n").join(shown)]
            first = ("" if place else f"{rank}", *numbers, *about.values(pair))
            table.add_row(*first, *(["" if place else f"{len(row)}"] if files else []), *names_of_both)
    return table


def _groups(view: TableView, names: _ShownNames) -> Table:
    """List the clusters: what each is called, and its members below each other."""
    sizes = max(len("Size"), *(len(f"{len(group)}") for group in view.groups))
    room = width() - len(f"{len(view.groups)}    ") - sizes
    authors = view.authors
    if authors is None:
        first = max(min(names.longest(int(group.principal) for group in view.groups), room // 2), len("Representative"))
        table = grid(("#", "right"), ("Size", "right"), ("Representative", "left"), ("Other members", "left"))
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


def _written_by(view: TableView, group: Documents, authors: Authors) -> str:
    named = ((number, str(view.result.id_of[number])) for number in numbers_of(group))
    return ", ".join(dict.fromkeys(authors.name(number) or name for number, name in named))


def to_markdown(view: TableView) -> str:
    """Return a page: pairs, clusters, and the closing line."""
    return "\n".join(_lines(view)) + "\n"


def _lines(view: TableView) -> Iterator[str]:
    result = view.result
    yield from ("# Near-duplicate documents", "", escaped(result.summary()), "")
    if view.more:
        yield from (escaped(view.more), "")
    if view.authors is not None:
        yield from (escaped(omitted_by_author(view.authors)), "")
    if not view.pairs:
        yield "Nothing was found."
        yield from _short_lines(view)
        return
    files = (" Files |", "--:|") if view.has_submissions else ("", "")
    title = "Pairs of submissions" if view.has_submissions else "Pairs"
    yield from (
        f"## {title}",
        "",
        f"| # | {SCORE.get(view.result.metric, 'Jaccard')} | A in B | B in A |{files[0]} A | B |",
    )
    yield f"|--:|--:|--:|--:|{files[1]}---|---|"
    for rank, row in enumerate(view.rows, start=1):
        for place, pair in enumerate(row if view.files else row[:1]):
            scores = [percent(pair[name]) for name in ("jaccard", "containment_a", "containment_b")]
            scores += (["" if place else f"{len(row)}"]) if view.has_submissions else []
            names = (_escaped_name(view, pair[side]) for side in "ab")
            yield f"| {'' if place else rank} | {' | '.join(scores)} | {' | '.join(names)} |"
    yield from ("", "## Clusters", "")
    for rank, group in enumerate(view.groups, start=1):
        others = ", ".join(_escaped_name(view, member) for member in numbers_of(group) if member != group.principal)
        yield f"{rank}. **{_escaped_name(view, int(group.principal))}** and {others}"
    yield from _short_lines(view)


def _short_lines(view: TableView) -> Iterator[str]:
    if not view.short:
        return
    scores = f"| # | {SCORE.get(view.result.metric, 'Jaccard')} | A in B | B in A | A | B |"
    yield from ("", f"## {escaped(view.short_title)}", "", scores, "|--:|--:|--:|--:|---|---|")
    for rank, pair in enumerate(view.short, start=1):
        numbers = " | ".join(percent(pair[name]) for name in COLUMNS[2:])
        yield f"| {rank} | {numbers} | {' | '.join(_escaped_name(view, pair[side]) for side in 'ab')} |"
    yield from ("", escaped(view.short_legend))


def _escaped_name(view: TableView, number: int) -> str:
    ids, known = view.result.id_of, view.result.metadata_of.get(number)
    name = f"{known.author} ({known.file})" if known and known.file else str(ids[number])
    return escaped(name) + (OLD if ids.is_old(number) else "")


def escaped(text: str) -> str:
    r"""Return a text in which nothing means anything to Markdown.

    >>> print(escaped("a|b_*c*.txt"))
    a\|b\_\*c\*.txt
    """
    return re.sub(r"([\\`*_\[\]<>|#~])", r"\\\1", visible(text))
