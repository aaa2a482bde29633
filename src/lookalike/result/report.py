"""The report of a result: what `lookalike.report` shows, as the plain values that it takes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lookalike.documents import Both, open_documents
from lookalike.documents.document_batches import unread_first
from lookalike.documents.in_memory import MemorySource
from lookalike.report.assemble import write_page
from lookalike.report.collect import PageInput, PageLimits, PagePairs, ReportPage, short
from lookalike.report.collect import collect as page_of
from lookalike.result.describe import short_pairs, summary
from lookalike.result.view import recall_of
from lookalike.tables.found import COLUMNS
from lookalike.tables.wording import count

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from lookalike.documents import Flag, Source
    from lookalike.documents.metadata import Metadata
    from lookalike.report.marks import Marks
    from lookalike.result.result import Result

__all__ = ["collect", "write_report"]


def write_report(
    result: Result,
    path: str | os.PathLike[str],
    *,
    texts: Any = None,
    against: Any = None,
    metadata: Mapping[str, Metadata] | None = None,
    marks: Marks | None = None,
    limits: PageLimits | None = None,
    anonymise: bool = False,
    opens: str | int | None = None,
) -> str:
    """Write the report of a result, and return what could not be shown, as one line for people, or nothing.

    With `anonymise` the file has no names, and the key to them is written beside it. `opens` is the id of the document
    that it shows first, with its sources.
    """
    page = collect(result, texts=texts, against=against, metadata=metadata, marks=marks, limits=limits)
    problem = str(page.head["problem"])
    if opens is not None:
        page.head["opens"] = f"document-{list(result.id_of).index(opens) + 1}"
    if anonymise:
        from lookalike.report.anonymous import anonymised, key_path, write_key

        page, key = anonymised(page)
        write_key(key, key_path(path))
    write_page(page, path)
    return problem


def collect(
    result: Result,
    *,
    texts: Any = None,
    against: Any = None,
    metadata: Mapping[str, Metadata] | None = None,
    marks: Marks | None = None,
    limits: PageLimits | None = None,
) -> ReportPage:
    """Gather what the page of a result shows.

    `texts` is anything that holds documents: a dict id → text, a source, a list of texts in the order of the result;
    `against` has the old ones. By default the source of the result is read once more.
    """
    limits = limits or PageLimits()
    pairs, low = _pairs(result, limits)
    searched = PageInput(
        run=_run(result) | {"low": low, "searched": result.searched_threshold},
        recipe=result.recipe,
        pairs=pairs,
        above=min(result.pair_count, len(pairs)),
        pair_count=result.pair_count,
        ids=result.id_of,
        lengths=result.length_of,
        flags=_flags(result),
        metadata=(result if metadata is None else result.with_metadata(metadata)).metadata_of,
        ignored=result.ignored,
        uncounted=result.uncounted,
        source=_source(result, texts, against),
    )
    return page_of(searched, marks=marks, limits=limits)


def _source(result: Result, texts: Any, against: Any) -> Source | None:
    if texts is None:
        return result.source
    given = [
        {str(name): text for name, text in one.items()} if isinstance(one, Mapping) else one for one in (texts, against)
    ]
    new = open_documents(given[0])
    return new if against is None else Both(new, open_documents(given[1]))


def _flags(result: Result) -> dict[int, list[Flag]]:
    """Return what is odd about documents, by their numbers."""
    if not result.flags and not result.old_flags:
        return {}
    ids = result.id_of
    found = {n: (result.old_flags if ids.is_old(n) else result.flags).get(str(name)) for n, name in enumerate(ids)}
    return {number: flags for number, flags in found.items() if flags}


def _pairs(result: Result, limits: PageLimits) -> tuple[PagePairs, float]:
    """Return the closest pairs, also those below the threshold if they are known, and how far down they are all there.

    So a reader can lower the threshold in the page as far as the search went.
    """
    everything = result if result.limited else result.rethreshold(result.searched_threshold)
    most = min(limits.pairs, result.pair_count + limits.lower)
    pairs = everything.closest(most)
    scores = {name: [short(score) for score in pairs.values(name)] for name in COLUMNS[2:]}
    low = everything.threshold
    if everything.pair_count > most:
        lowest = max(scores[name][-1] for name in _counts(result.metric)) if most else 1.0
        low = min(result.threshold, math.ceil(100 * lowest) / 100)
    return PagePairs(pairs.values("a").tolist(), pairs.values("b").tolist(), scores), low


def _counts(metric: str) -> Sequence[str]:
    """Return the scores of which the larger one counts."""
    return COLUMNS[3:] if metric == "containment" else COLUMNS[2:3]


def _run(result: Result) -> dict[str, Any]:
    """Return what was run, and what it found."""
    origin = result.origin
    name = ", ".join(origin.get("paths", ()))
    if not name and result.source is not None and not isinstance(result.source, MemorySource):
        name = result.source.name
    return {
        "title": name or count(result.documents, "document"),
        "command": origin.get("command", ""),
        "summary": summary(result),
        "threshold": result.threshold,
        "metric": result.metric,
        "method": result.method,
        "linkage": result.linkage,
        "order": None if result.order is None else list(result.order),
        "recall": recall_of(result.recall, of_what=False),
        "oldFrom": result.old_from,
        "pairCount": result.pair_count,
        "copies": result.copies_listed,
        "groupCount": result.group_count,
        "skipped": [[skipped.id, skipped.reason, skipped.detail] for skipped in unread_first(result.skipped)],
        "notes": list(result.notes),
        "pairsLeftOut": [*map(str, origin.get("left_out", ())), *short_pairs(result.uncounted, result.recipe)],
        "minWords": result.uncounted.min_words,
        "submissions": _submissions(result),
    }


def _submissions(result: Result) -> dict[str, Any] | None:
    """Return the authors, and the author of each document; None if documents stand by themselves."""
    authors = result.authors
    if authors is None or not authors.are_submissions:
        return None
    return {"names": list(authors.names), "of": list(authors.of)}
