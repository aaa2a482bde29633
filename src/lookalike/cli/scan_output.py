"""`lookalike scan`: which form the result takes, where it goes, and which command comes next."""

from __future__ import annotations

import sys
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from lookalike.cli.input import Reading, is_index, say_skipped
from lookalike.cli.messages import complain
from lookalike.cli.options import command_line, typed, whole_number
from lookalike.cli.output import check_raw_csv, destination, extension, format_for, send, send_drawn, wants_color
from lookalike.cli.search_options import ExcludedText, Removal, Search, as_typed
from lookalike.errors import DocumentError
from lookalike.recipe import Recipe
from lookalike.result.pairs import omitted_by_author

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lookalike.result import Result
    from lookalike.tables.write_table import Format

__all__ = ["Display", "Hint", "ResultFormat", "after_scan", "below_threshold", "show"]


SHOWN: Final = 10
"""Pairs and clusters that a person sees unless --top says otherwise."""


class ResultFormat(StrEnum):
    """What the result of a search looks like."""

    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"
    PARQUET = "parquet"
    XLSX = "xlsx"
    MD = "md"


class Display(NamedTuple):
    """How the result is shown."""

    format: ResultFormat
    output: str | None
    top: int | None
    color: bool
    passages: bool = False
    """Whether the longest passage of each pair is shown below the table."""
    raw_csv: bool = False
    files: bool = False
    """Whether all files of two submissions are listed."""

    @property
    def for_people(self) -> bool:
        """Whether a person reads it, and not a program."""
        return self.format in (ResultFormat.TABLE, ResultFormat.MD)

    @classmethod
    def chosen(
        cls,
        format: str | None,  # noqa: A002 — the option's name
        output: str | None,
        top: str | None,
        color: str,
        passages: bool | None = None,
        raw_csv: bool = False,
        files: bool = False,
        page: str = "",
    ) -> Display:
        """Take the options; without --format, the name of the output decides. `page` is as in `format_for`."""
        to_file = output not in (None, "-")
        kind = format_for(format, output, ResultFormat, page=page)
        check_raw_csv(raw_csv, kind is ResultFormat.CSV)
        in_color = wants_color(color, to_file=to_file)
        binary = kind in (ResultFormat.PARQUET, ResultFormat.XLSX)
        if binary and not to_file and sys.stdout is not None and sys.stdout.isatty():
            raise DocumentError(str(kind), "file", "cannot be shown on a terminal", "write it to a file with -o FILE")
        if passages is None:
            passages = not to_file and sys.stdout is not None and sys.stdout.isatty()
        most = None if top is None else whole_number("--top", top, least=0)
        return cls(kind, output, most, in_color, passages, raw_csv, files)


class Hint(NamedTuple):
    """What a person may do next."""

    next_command: str = ""
    more: str = ""
    """What another search would find."""


def show(result: Result, shown: Display, hint: Hint, *, quiet: bool, named: bool = False) -> None:
    """Write the result; what was written to a file, and what formats for programs leave out, goes to standard error.

    `named` says that what was skipped is there already.
    """
    for_people = shown.for_people
    if for_people:
        _show_people(result, shown, hint)
    else:
        with destination(shown.output) as stream:
            kind = cast("Format", str(shown.format))
            result.write_pairs(stream, kind, top=shown.top or None, raw_csv=shown.raw_csv)
    if quiet:
        return
    if result.authors is not None and not for_people:
        complain(f"note: {omitted_by_author(result.authors)}")
    if shown.output not in (None, "-"):
        complain(f"{shown.output}: {result.summary()}")
    elif not for_people and not named:
        say_skipped(result.skipped)


def _show_people(result: Result, shown: Display, hint: Hint) -> None:
    from lookalike.cli.scan_table import TableView, to_table

    view = TableView.of(result, SHOWN if shown.top is None else shown.top, hint, files=shown.files)
    if shown.format is ResultFormat.TABLE:
        send_drawn(to_table(view, passages=shown.passages), shown.output, color=shown.color)
    else:
        from lookalike.cli.scan_table import to_markdown

        send(to_markdown(view), shown.output)


TABLES = ("parquet", "jsonl", "csv")
LOWER = 0.5
"""A threshold to try when nothing was found."""
FEW = 5
"""Documents: among fewer, all may well be similar without a common text."""
ESSAYS = "essays"
"""The preset that finds copied passages."""


def after_scan(result: Result, paths: Sequence[str], recipe: Recipe, reading: Reading, search: Search) -> str:
    """Return what to do after a scan: look at the closest pair, remove the copies of a table, or search wider."""
    search = search.shown()
    read, same = list(typed(reading, Reading())), as_typed(search, recipe)
    closest = result.top_rows(1)
    if closest:
        pair = closest[0]
        a = _file(str(pair["a"]), paths)
        b = _file(str(pair["b"]), search.against if pair.get("b_old") else paths)
        if a is not None and pair.get("b_old") and is_index(search.against[0]):
            is_usual = search.threshold is None and search.preset is None
            least = [] if is_usual else ["-t", f"{search.least:g}"]
            return command_line("check", [a], ["--index", search.against[0]], least)
        if a is not None and b is not None:
            excluded = ExcludedText(
                preset=search.preset, ignore=search.ignore, skip=search.skip, min_words=search.min_words
            )
            return command_line("compare", [a, b], as_typed(excluded, recipe))
        if search.metric == "containment" and search.least < LOWER:  # who shares a passage is no duplicate
            return command_line("scan", paths, read, same, ["--report", "report.html"])
        kept = extension(paths[0]) if extension(paths[0]) in TABLES else TABLES[0]
        removal = as_typed(Removal.at(search), recipe)
        return command_line("dedupe", paths, read, removal, ["-o", f"kept.{kept}", "--plan", "plan.csv"])
    if result.documents < 2:
        return ""
    if search.preset is None and recipe == Recipe() and are_files(result, paths):
        others = typed(replace(search, threshold=None, metric="jaccard"), Search())
        return command_line("scan", paths, read, ["--preset", ESSAYS], others)
    if search.least > LOWER:
        return command_line("scan", paths, read, _without(same, "--threshold"), ["-t", f"{LOWER:g}"])
    if search.metric == "jaccard":
        return command_line("scan", paths, read, same, ["--metric", "containment"])
    return ""


def below_threshold(result: Result, below: Result | None, paths: Sequence[str], recipe: Recipe, search: Search) -> str:
    """Return what a search for copied passages would find besides; `below` is what was found by such a search."""
    from lookalike.search.derived import LEAST, count_more, shortest_passage

    more = 0 if below is None else count_more(result, below)
    for_essays = recipe.unit == "word" and search.preset is None
    if more:
        low = f"-t {LEAST:g} --metric containment --min-words {shortest_passage(recipe)}"
        share = "pair shares" if more == 1 else "pairs share"
        finds = f"--preset {ESSAYS}" if for_essays else low
        said = f"{more:,} more {share} passages below this threshold"
        if more > _half_of_all(result.documents):
            return f"{said}; exclude the text that most documents share with --ignore FILE or --common 0.5."
        return f"{said}; {finds} finds such pairs."
    if _share_a_text(result) and not search.ignore and search.common is None:
        return "Most documents share some text, such as a task sheet: exclude it with --ignore FILE or --common 0.5."
    plain = search.threshold is None and search.metric == "jaccard" and recipe == Recipe()
    if plain and for_essays and result.documents > 1 and are_files(result, paths):
        return f"--preset {ESSAYS} finds partial copying too: a few sentences, or words replaced."
    return ""


def _half_of_all(documents: int) -> int:
    """Return half the number of all pairs."""
    return documents * (documents - 1) // 4


def _share_a_text(result: Result) -> bool:
    """Return whether most pairs of several documents are similar, each in a small part."""
    partial = result.metric == "containment" and result.threshold < LOWER
    return partial and result.documents >= FEW and result.pair_count > _half_of_all(result.documents)


def are_files(result: Result, paths: Sequence[str]) -> bool:
    """Tell whether the documents are files, and not rows of a table."""
    return result.documents > 0 and _file(str(result.id_of[0]), paths) is not None


def _file(name: str, paths: Sequence[str]) -> str | None:
    """Return the path of a document that was read from these paths, also of one in an archive."""
    from lookalike.documents.kinds import archive_above
    from lookalike.search.row_files import path_of

    if path := path_of(name, paths):
        return path

    folders = (Path(folder) / name for folder in paths if Path(folder).is_dir())
    inside = (path for path in (*folders, Path(name)) if archive_above(path))
    return next(map(str, inside), None)


def _without(arguments: list[str], option: str) -> list[str]:
    if option not in arguments:
        return arguments
    place = arguments.index(option)
    return arguments[:place] + arguments[place + 2 :]
