"""`lookalike scan --format md`: the same as the table, to paste into a page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lookalike.cli.compare_table import percent
from lookalike.cli.group_by import left_out
from lookalike.cli.scan_table import OLD, numbers_of
from lookalike.tables.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lookalike.cli.scan_table import View

__all__ = ["to_markdown"]


def to_markdown(view: View) -> str:
    """Return a page: pairs, groups, and the closing line."""
    return "\n".join(_lines(view)) + "\n"


def _lines(view: View) -> Iterator[str]:
    result = view.result
    yield from ("# Documents that look alike", "", escaped(result.summary()), "")
    if view.authors is not None:
        yield from (escaped(left_out(view.authors)), "")
    if not view.pairs:
        yield "Nothing was found."
        return
    yield from ("## Pairs", "", "| # | Jaccard | A in B | B in A | A | B |", "|--:|--:|--:|--:|---|---|")
    for rank, pair in enumerate(view.pairs, start=1):
        scores = (percent(pair[name]) for name in ("jaccard", "containment_a", "containment_b"))
        names = (_name(view, pair[side]) for side in "ab")
        yield f"| {rank} | {' | '.join(scores)} | {' | '.join(names)} |"
    yield from ("", "## Groups", "")
    for rank, group in enumerate(view.groups, start=1):
        others = ", ".join(_name(view, member) for member in numbers_of(group) if member != group.principal)
        yield f"{rank}. **{_name(view, int(group.principal))}** and {others}"


def _name(view: View, number: int) -> str:
    ids = view.result.id_of
    return escaped(str(ids[number])) + (OLD if ids.is_old(number) else "")


def escaped(text: str) -> str:
    r"""Return a text in which nothing means anything to Markdown.

    >>> print(escaped("a|b_*c*.txt"))
    a\|b\_\*c\*.txt
    """
    return re.sub(r"([\\`*_\[\]<>|#~])", r"\\\1", visible(text))
