"""`lookalike scan --format md`: the same as the table, to paste into a page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lookalike.cli.compare_table import percent
from lookalike.cli.scan_table import OLD, SCORE, numbers_of
from lookalike.result.authors import left_out
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
    if view.more:
        yield from (escaped(view.more), "")
    if view.authors is not None:
        yield from (escaped(left_out(view.authors)), "")
    if not view.pairs:
        yield "Nothing was found."
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
            names = (_name(view, pair[side]) for side in "ab")
            yield f"| {'' if place else rank} | {' | '.join(scores)} | {' | '.join(names)} |"
    yield from ("", "## Groups", "")
    for rank, group in enumerate(view.groups, start=1):
        others = ", ".join(_name(view, member) for member in numbers_of(group) if member != group.principal)
        yield f"{rank}. **{_name(view, int(group.principal))}** and {others}"


def _name(view: View, number: int) -> str:
    ids, known = view.result.id_of, view.result.metadata_of.get(number)
    name = f"{known.author} ({known.file})" if known and known.file else str(ids[number])
    return escaped(name) + (OLD if ids.is_old(number) else "")


def escaped(text: str) -> str:
    r"""Return a text in which nothing means anything to Markdown.

    >>> print(escaped("a|b_*c*.txt"))
    a\|b\_\*c\*.txt
    """
    return re.sub(r"([\\`*_\[\]<>|#~])", r"\\\1", visible(text))
