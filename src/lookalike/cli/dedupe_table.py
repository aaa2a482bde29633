"""`lookalike dedupe` for a person, when nothing is written: what would be removed, and in whose favour."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.text import Text

from lookalike.cli.compare_table import percent
from lookalike.cli.names import common_folder, shorten
from lookalike.cli.output import width
from lookalike.cli.scan_table import OLD, grid, next_step
from lookalike.tables.wording import count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType
    from rich.table import Table

    from lookalike.result import Result
    from lookalike.result.plan import Plan

__all__ = ["closing", "to_table"]

SHOWN: Final = 20
"""Removals that are shown."""


def closing(plan: Plan, result: Result) -> str:
    """Return what the plan comes to; old documents, which are always kept, do not count.

    >>> import lookalike as la
    >>> result = la.find(["one two three", "one two three", "four"])
    >>> closing(result.plan("first"), result)
    '2 of 3 documents kept (first), 1 removed from 1 group'
    """
    new = result.documents if result.old_from is None else result.old_from
    rule = "no member of a group" if plan.drop_all else plan.keep
    removed = f"{plan.removed:,} removed from {count(plan.groups, 'group')}"
    return f"{new - plan.removed:,} of {count(new, 'document')} kept ({rule}), {removed}"


def to_table(plan: Plan, result: Result, next_command: str) -> Iterator[RenderableType]:
    """Give what is printed, part by part."""
    if plan.removed:
        shown = plan.removals.slice(0, SHOWN).to_pylist()
        yield Text(f"{count(plan.removed, 'document')} would be removed", style="bold")
        yield _removals(shown)
        if plan.removed > len(shown):
            yield Text(f"… and {plan.removed - len(shown):,} more; --plan FILE writes all", style="dim")
        yield Text()
        yield Text(f"{closing(plan, result)}. Nothing is written yet.")
    else:
        yield Text("There is nothing to remove.", style="bold")
        yield Text()
    yield Text(result.summary())
    if next_command and plan.removed:
        yield next_step(next_command)


def _removals(rows: list[dict[str, object]]) -> Table:
    names = [str(name) for row in rows for name in (row["id"], _kept(row)) if name is not None]
    folder = common_folder(names)
    half = (width() - len("  100.0%  ") - len(OLD) * any(row.get("kept_old") for row in rows)) // 2
    table = grid(("Removed", "left"), ("Score", "right"), ("Kept in its place", "left"))
    for row in rows:
        removed, kept = _name(row["id"], folder, half), _name(_kept(row), folder, half)
        kept += OLD if row.get("kept_old") else ""
        score = row["score"]
        table.add_row(removed, percent(score) if isinstance(score, float) else "–", kept)
    return table


def _kept(row: dict[str, object]) -> object:
    """Return the id of the kept document; that of an old one has a column of its own if it is of another kind."""
    return row["kept_id"] if row["kept_id"] is not None else row.get("kept_old_id")


def _name(name: object, folder: str, cells: int) -> str:
    return "–" if name is None else shorten(str(name).removeprefix(folder), cells)
