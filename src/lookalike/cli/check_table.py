"""`lookalike check` for a person: the closest stored documents of each, and the longest shared passage of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from rich.text import Text

from lookalike.cli.compare_table import percent
from lookalike.cli.names import shorten
from lookalike.cli.output import width
from lookalike.cli.scan_about import LONGEST_TEXT
from lookalike.cli.scan_about import SHOWN as PASSAGE
from lookalike.cli.scan_table import grid
from lookalike.tables.visible import visible
from lookalike.tables.wording import count

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType
    from rich.table import Table

    from lookalike.index.duplicate_check import Checking
    from lookalike.index.query import Hits

__all__ = ["to_table"]

SHOWN: Final = 10
"""Hits of a document that a person sees unless --top says otherwise."""


def to_table(
    found: Iterator[Hits], checking: Checking, texts: Sequence[str], top: int | None
) -> Iterator[RenderableType]:
    """Give what is printed, part by part; `texts` has the first document when it was read."""
    most = SHOWN if top is None else top
    last: Hits | None = None
    nothing_before = False
    for hits in found:
        if hits and nothing_before:
            yield Text()
        nothing_before = not hits
        last = hits
        yield from _one(hits, checking, most)
    if last and checking.documents == 1 and checking.stored.settings.keep == "text":
        yield from _passage(last, checking, texts[0])
    if nothing_before:
        yield Text()
    yield Text(_summary(checking))


def _one(hits: Hits, checking: Checking, most: int) -> Iterator[RenderableType]:
    name = shorten(str(hits.query), width() - len(": nothing like it"))
    if not hits:
        yield Text.assemble((name, "bold"), ": nothing like it")
        return
    yield Text(name, style="bold")
    yield _hits(hits, most or len(hits), estimated=checking.stored.settings.keep == "signature")
    if most and len(hits) > most:
        yield Text(f"… and {len(hits) - most:,} more (--top 0 shows all)", style="dim")
    yield Text()


def _hits(hits: Hits, most: int, *, estimated: bool) -> Table:
    shown = hits[:most]
    scores = ("Jaccard", "±") if estimated else ("Jaccard", "New in stored", "Stored in new")
    table = grid(("#", "right"), *((header, "right") for header in scores), ("Stored document", "left"))
    used = len(f"{len(shown)}") + sum(max(len(header), 6) + 2 for header in scores) + 2
    room = max(12, min(width() - used, max(cell_len(visible(str(hit.id))) for hit in shown)))
    for rank, hit in enumerate(shown, start=1):
        more = (hit.standard_error,) if estimated else (hit.containment_query, hit.containment_document)
        values = (percent(value or 0.0) for value in (hit.jaccard, *more))
        table.add_row(f"{rank}", *values, shorten(str(hit.id), room))
    return table


def _passage(hits: Hits, checking: Checking, text: str) -> Iterator[RenderableType]:
    """Give the longest passage that the document shares with the closest one."""
    from lookalike.cli.passage_table import Passages
    from lookalike.text.passages import passages

    closest = hits[0].id
    try:
        stored = checking.stored.get(closest)
    except KeyError:  # somebody has just removed it
        return
    recipe = checking.stored.settings.recipe
    if max(len(text), len(stored)) > LONGEST_TEXT:
        return
    shared = passages(text, stored, recipe)
    if shared:
        longest = max(shared, key=lambda passage: passage.units)
        yield Text("The longest passage that it shares with the closest one", style="bold")
        title = f"  in {shorten(str(hits.query), 24)} (A) and {shorten(str(closest), 24)} (B)"
        yield from Passages(text, stored, recipe, PASSAGE).show(longest, 1, title)


def _summary(checking: Checking) -> str:
    stored = count(checking.stored.count(), "document")
    alike = f"{checking.alike:,} with hits ≥ {checking.threshold:.2f}"
    if not checking.threshold:
        alike = f"{checking.alike:,} that {'shares' if checking.alike == 1 else 'share'} something with them"
    exact = "estimated" if checking.stored.settings.keep == "signature" else "exact"
    name = visible(checking.stored.name)
    return f"{count(checking.documents, 'document')} checked against {name} ({stored}) · {alike} · scores {exact}"
