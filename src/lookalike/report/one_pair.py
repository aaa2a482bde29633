"""The page of one pair, for `lookalike compare A B --html pair.html`: the same page, opened at its only pair."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from lookalike.report.blocks import Document, blocks_of
from lookalike.report.collect import Limits, Page, made_now, recipe_values, short
from lookalike.report.reasons import REASONS, Span

if TYPE_CHECKING:
    from lookalike.documents.text_file import TextFile
    from lookalike.text.comparison import Comparison

__all__ = ["collect_pair"]


def collect_pair(a: TextFile, b: TextFile, found: Comparison, *, least: int | None = None, command: str = "") -> Page:
    """Gather what the page of one pair shows."""
    documents = [
        Document.of(file.text, found.recipe, [Span(span.start, span.end, REASONS[span.reason]) for span in spans])
        for file, spans in ((a, found.spans_a), (b, found.spans_b))
    ]
    blocks = blocks_of(documents[0], documents[1], found.recipe, least)
    digests = [hashlib.sha256(document.text.encode()).hexdigest() for document in documents]
    reasons = {span.reason for span in (*found.spans_a, *found.spans_b)}
    head = {
        **_run(a, b, command),
        **recipe_values(found.recipe, least),
        "leftOutOfScores": [reason for reason in REASONS if reason in reasons],
        "documents": {
            "id": [a.name, b.name] if a.name != b.name else [f"{a.name} (A)", f"{b.name} (B)"],
            "length": [len(document.text) for document in documents],
            "units": [document.counts() for document in documents],
            "sha256": digests,
            "flags": [[[flag.kind, flag.detail] for flag in file.flags] for file in (a, b)],
        },
        "pairs": {
            "a": [0],
            "b": [1],
            "jaccard": [short(found.jaccard)],
            "containment_a": [short(found.containment_a)],
            "containment_b": [short(found.containment_b)],
        },
        "digest": hashlib.sha256("".join(digests).encode()).hexdigest(),
    }
    body = {
        "texts": {number: document.text for number, document in enumerate(documents)},
        "spans": {number: document.span_values() for number, document in enumerate(documents) if document.spans},
        "letters": {n: letters for n, file in enumerate((a, b)) if (letters := documents[n].letter_values(file.flags))},
        "blocks": [[block.values(documents[0], documents[1]) for block in blocks]],
        "runs": [[block.unit_runs(documents[0], documents[1]) for block in blocks]],
        "back": {},
        "masked": {number: masked for number, document in enumerate(documents) if (masked := document.masked())},
        "shared": [],
    }
    return Page(head, body)


def _run(a: TextFile, b: TextFile, command: str) -> dict[str, Any]:
    """Return what a search would have told."""
    return {
        **made_now("pair"),
        "title": f"{a.name} and {b.name}",
        "command": command,
        "summary": "",
        "threshold": 0.0,
        "low": 0.0,
        "searched": 0.0,
        "metric": "jaccard",
        "method": "compare",
        "linkage": "star",
        "order": None,
        "recall": "recall 1",
        "oldFrom": None,
        "pairCount": 1,
        "copies": "all",
        "groupCount": 1,
        "skipped": [],
        "notes": [],
        "pairsLeftOut": [],
        "reasons": dict(REASONS),
        "minWords": None,
        "limits": {"pairs": 1, "text": Limits().text, "shared": Limits().shared},
        "leftOut": {"pairs": 0, "texts": 0, "shared": 0},
        "problem": "",
        "marks": [],
    }
