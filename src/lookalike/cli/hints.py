"""The command that comes next: shown at the end, with the real names, ready to be copied."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.cli.names import path_of, quoted
from lookalike.cli.options import typed
from lookalike.cli.reading import Reading
from lookalike.cli.searching import Search
from lookalike.cli.writing import extension
from lookalike.recipe import Recipe

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lookalike.result import Result

__all__ = ["after_scan", "command_line"]

TABLES = ("parquet", "jsonl", "csv")
LOWER = 0.5
"""A threshold to try when nothing was found."""


def after_scan(result: Result, paths: Sequence[str], recipe: Recipe, reading: Reading, search: Search) -> str:
    """Return what to do after a scan: look at the closest pair, remove the copies of a table, or search wider."""
    same = [*typed(reading, Reading()), *typed(search, Search()), *typed(recipe, Recipe())]
    closest = result.top(1).to_pylist()
    if closest:
        files = [path_of(closest[0][side], [*paths, *search.against]) for side in "ab"]
        if None not in files:
            return command_line("compare", map(str, files), typed(recipe, Recipe()))
        kept = extension(paths[0]) if extension(paths[0]) in TABLES else TABLES[0]
        return command_line("dedupe", paths, same, ["-o", f"kept.{kept}", "--plan", "plan.csv"])
    if result.documents > 1 and search.least > LOWER:
        return command_line("scan", paths, _without(same, "--threshold"), ["-t", f"{LOWER:g}"])
    if result.documents > 1 and search.metric == "jaccard":
        return command_line("scan", paths, same, ["--metric", "containment"])
    return ""


def command_line(command: str, *parts: Iterable[str]) -> str:
    """Return a command as it is typed.

    >>> command_line("compare", ["two words.txt", "b.txt"], ["-k", "3"])
    "lookalike compare 'two words.txt' b.txt -k 3"
    """
    return " ".join(["lookalike", command, *(quoted(word) for part in parts for word in part)])


def _without(arguments: list[str], option: str) -> list[str]:
    if option not in arguments:
        return arguments
    place = arguments.index(option)
    return arguments[:place] + arguments[place + 2 :]
