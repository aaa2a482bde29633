"""The command that comes next: shown at the end, with the real names, ready to be copied."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from lookalike.cli.against import is_index
from lookalike.cli.left_out import LeftOut
from lookalike.cli.names import path_of, quoted
from lookalike.cli.options import typed
from lookalike.cli.reading import Reading
from lookalike.cli.searching import Search
from lookalike.cli.writing import extension
from lookalike.documents.one import archive_above
from lookalike.recipe import Recipe
from lookalike.tables.visible import visible
from lookalike.urls import shown_url

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lookalike.result import Result

__all__ = ["after_scan", "command_line", "folded"]

TABLES = ("parquet", "jsonl", "csv")
LOWER = 0.5
"""A threshold to try when nothing was found."""


def after_scan(result: Result, paths: Sequence[str], recipe: Recipe, reading: Reading, search: Search) -> str:
    """Return what to do after a scan: look at the closest pair, remove the copies of a table, or search wider."""
    search = search.shown()
    same = [*typed(reading, Reading()), *typed(search, Search()), *typed(recipe, Recipe())]
    closest = result.top_rows(1)
    if closest:
        pair = closest[0]
        a = _file(str(pair["a"]), paths)
        b = _file(str(pair["b"]), search.against if pair.get("b_old") else paths)
        if a is not None and pair.get("b_old") and is_index(search.against[0]):
            least = [] if search.threshold is None else ["-t", f"{search.threshold:g}"]
            return command_line("check", [a], ["--index", search.against[0]], least)
        if a is not None and b is not None:
            left_out = LeftOut(ignore=search.ignore, skip=search.skip, min_words=search.min_words)
            return command_line("compare", [a, b], typed(left_out, LeftOut()), typed(recipe, Recipe()))
        kept = extension(paths[0]) if extension(paths[0]) in TABLES else TABLES[0]
        return command_line("dedupe", paths, same, ["-o", f"kept.{kept}", "--plan", "plan.csv"])
    if result.documents > 1 and search.least > LOWER:
        return command_line("scan", paths, _without(same, "--threshold"), ["-t", f"{LOWER:g}"])
    if result.documents > 1 and search.metric == "jaccard":
        return command_line("scan", paths, same, ["--metric", "containment"])
    return ""


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
    inside = (path for path in (*(Path(folder) / name for folder in paths), Path(name)) if archive_above(path))
    return path_of(name, paths) or next(map(str, inside), None)


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
