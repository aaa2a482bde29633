"""The command that comes next: shown at the end, with the real names, ready to be copied."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from lookalike.cli.against import is_index
from lookalike.cli.left_out import LeftOut
from lookalike.cli.names import path_of, quoted
from lookalike.cli.options import typed
from lookalike.cli.reading import Reading
from lookalike.cli.recipe_options import as_typed
from lookalike.cli.searching import Search
from lookalike.cli.writing import extension
from lookalike.recipe import Recipe
from lookalike.tables.wording import visible
from lookalike.urls import shown_url

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lookalike.result import Result

__all__ = ["after_scan", "are_files", "below_threshold", "command_line", "folded"]

TABLES = ("parquet", "jsonl", "csv")
LOWER = 0.5
"""A threshold to try when nothing was found."""
FEW = 5
"""Documents: among fewer, all may well be alike without a common text."""
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
            least = [] if search.threshold is None else ["-t", f"{search.threshold:g}"]
            return command_line("check", [a], ["--index", search.against[0]], least)
        if a is not None and b is not None:
            left_out = LeftOut(preset=search.preset, ignore=search.ignore, skip=search.skip, min_words=search.min_words)
            return command_line("compare", [a, b], as_typed(left_out, recipe))
        if search.metric == "containment" and search.least < LOWER:  # who shares a passage is no duplicate
            return command_line("scan", paths, read, same, ["--report", "report.html"])
        kept = extension(paths[0]) if extension(paths[0]) in TABLES else TABLES[0]
        removal = [*typed(replace(search, preset=None), Search()), *typed(recipe, Recipe())]
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
            return f"{said}; leave out the text that most documents share with --ignore FILE or --common 0.5."
        return f"{said}; {finds} finds such pairs."
    if _share_a_text(result) and not search.ignore and search.common is None:
        return "Most documents share some text, as of a task sheet: --ignore FILE or --common 0.5 leaves it out."
    plain = search.threshold is None and search.metric == "jaccard" and recipe == Recipe()
    if plain and for_essays and result.documents > 1 and are_files(result, paths):
        return f"--preset {ESSAYS} finds partial copying too: a few sentences, or words exchanged."
    return ""


def _half_of_all(documents: int) -> int:
    """Return half the number of all pairs."""
    return documents * (documents - 1) // 4


def _share_a_text(result: Result) -> bool:
    """Tell whether most pairs of several documents are alike, each in a small part."""
    partial = result.metric == "containment" and result.threshold < LOWER
    return partial and result.documents >= FEW and result.pair_count > _half_of_all(result.documents)


def are_files(result: Result, paths: Sequence[str]) -> bool:
    """Tell whether the documents are files, and not rows of a table."""
    return result.documents > 0 and _file(str(result.id_of[0]), paths) is not None


def command_line(command: str, *parts: Iterable[str]) -> str:
    """Return a command as it is typed; nothing, if a name has characters that cannot be shown.

    >>> command_line("compare", ["two words.txt", "b.txt"], ["-k", "3"])
    "lookalike compare 'two words.txt' b.txt -k 3"
    """
    words = [shown_url(word) for part in parts for word in part]
    if any(word != visible(word) for word in words):
        return ""
    return " ".join(["lookalike", command, *(quoted(word) for word in words)])


def _file(name: str, paths: Sequence[str]) -> str | None:
    """Return the path of a document that was read from these paths, also of one in an archive."""
    if path := path_of(name, paths):
        return path
    from lookalike.documents.one import archive_above

    folders = (Path(folder) / name for folder in paths if Path(folder).is_dir())
    inside = (path for path in (*folders, Path(name)) if archive_above(path))
    return next(map(str, inside), None)


def folded(command: str, cells: int) -> str:
    r"""Return a command over several lines that can be copied as they are, none longer than `cells` if possible.

    >>> print(folded("lookalike compare essays/one.txt essays/two.txt -k 3", 36))
    lookalike compare essays/one.txt \
        essays/two.txt -k 3
    """
    lines = [""]
    for word in re.findall(r"(?:'[^']*'|\S)+", command):
        if lines[-1].strip() and len(lines[-1]) + 1 + len(word) > cells - 2:
            lines.append("   ")
        lines[-1] += f" {word}" if lines[-1] else word
    return " \\\n".join(lines)


def _without(arguments: list[str], option: str) -> list[str]:
    if option not in arguments:
        return arguments
    place = arguments.index(option)
    return arguments[:place] + arguments[place + 2 :]
