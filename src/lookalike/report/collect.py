"""All that the page shows, as plain values: the head, which is small, and the body with texts and passages."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from lookalike.report.blocks import Block, Document, blocks_of, to_utf16
from lookalike.report.cut import suggested_cut
from lookalike.report.reasons import REASONS, Reasons
from lookalike.report.shared import shared_passages
from lookalike.report.texts import Read, read_texts
from lookalike.similarity.passages import SHORTEST

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lookalike.documents.metadata import Metadata
    from lookalike.recipe import Recipe
    from lookalike.report.marks import Marks
    from lookalike.report.shared import Shared
    from lookalike.result import Result

__all__ = ["MOST_PAIRS", "MOST_SHARED", "MOST_TEXT", "Limits", "Page", "collect", "recipe_values", "short"]

MOST_PAIRS: Final = 20_000
MOST_TEXT: Final = 24_000_000
MOST_SHARED: Final = 2_000
SCHEMA: Final = "lookalike-report/1"
_HELD: Final = 200_000_000
"""Characters of texts without a pair that are held, to look for passages in them too."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much goes into the page."""

    pairs: int = MOST_PAIRS
    """The closest pairs that are listed."""
    text: int = MOST_TEXT
    """Characters of all texts together."""
    shared: int = MOST_SHARED
    """Passages that are listed once for all documents."""


@dataclass(slots=True)
class Page:
    """What goes into the file."""

    head: dict[str, Any]
    body: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class _Pairs:
    """The listed pairs, by the numbers of their documents."""

    a: list[int]
    b: list[int]
    scores: dict[str, list[float]]
    blocks: list[list[Block]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.a)

    def best(self, metric: str) -> dict[int, float]:
        """Return the best score of each document that has one."""
        found: dict[int, float] = {}
        if metric == "containment":
            score = list(map(max, self.scores["containment_a"], self.scores["containment_b"]))
        else:
            score = self.scores["jaccard"]
        for a, b, value in zip(self.a, self.b, score, strict=True):
            found[a] = max(value, found.get(a, 0.0))
            found[b] = max(value, found.get(b, 0.0))
        return found


def collect(
    result: Result,
    *,
    texts: Any = None,
    metadata: Mapping[str, Metadata] | None = None,
    marks: Marks | None = None,
    limits: Limits | None = None,
) -> Page:
    """Gather what the page of a result shows."""
    limits = limits or Limits()
    pairs = _pairs(result, limits.pairs)
    wanted = dict.fromkeys(number for pair in zip(pairs.a, pairs.b, strict=True) for number in pair)
    read = read_texts(result, texts, wanted.keys(), _HELD)
    reasons = Reasons(result.recipe, result)
    documents = {
        number: Document.of(read.texts[number], result.recipe, reasons.spans(read.texts[number]))
        for number in wanted
        if number in read.texts
    }
    pairs.blocks = _blocks(pairs, documents, result)
    shared = _shared_passages(pairs, documents, read, result.recipe, reasons)
    body = _body(pairs, documents, shared[: limits.shared], limits.text)
    best = pairs.best(result.metric)
    left_out = {
        "pairs": result.pair_count - len(pairs),
        "texts": sum(number not in body["texts"] for number in documents),
        "shared": max(0, len(shared) - limits.shared),
    }
    head = {
        **_run(result, reasons),
        "limits": {"pairs": limits.pairs, "text": limits.text, "shared": limits.shared},
        "leftOut": left_out,
        "suggested": suggested_cut(list(best.values()), result.threshold, result.documents - len(best)),
        "documents": _documents(result, documents, read, metadata),
        "pairs": {"a": pairs.a, "b": pairs.b, **pairs.scores},
        "problem": read.problem,
        "digest": _digest(read, result.documents),
        "marks": _marks(marks),
    }
    return Page(head, body)


def _pairs(result: Result, most: int) -> _Pairs:
    table: Any = result._closest(most)  # noqa: SLF001 — the pairs by number, which only the result itself knows
    scores = {
        name: [short(score) for score in table[name].to_pylist()]
        for name in ("jaccard", "containment_a", "containment_b")
    }
    return _Pairs(table["a"].to_pylist(), table["b"].to_pylist(), scores)


def _blocks(pairs: _Pairs, documents: Mapping[int, Document], result: Result) -> list[list[Block]]:
    """Return the passages of every pair; the core lets other threads run meanwhile."""
    from concurrent.futures import ThreadPoolExecutor

    def of_pair(a: int, b: int) -> list[Block]:
        if a not in documents or b not in documents:
            return []
        return blocks_of(documents[a], documents[b], result.recipe, result.uncounted.min_words)

    with ThreadPoolExecutor() as pool:
        return list(pool.map(of_pair, pairs.a, pairs.b))


def _shared_passages(
    pairs: _Pairs, documents: Mapping[int, Document], read: Read, recipe: Recipe, reasons: Reasons
) -> list[Shared]:
    bits = {REASONS[reason] for reason in reasons.left_out_of_scores}
    left_out = {n: [span for span in document.spans if span.bit in bits] for n, document in documents.items()}
    return shared_passages(list(zip(pairs.a, pairs.b, strict=True)), pairs.blocks, read.texts, recipe, left_out)


def short(score: float) -> float:
    """Return a score with six digits; what is below 1 stays below it.

    >>> short(0.123456789), short(0.99999999), short(1.0)
    (0.123457, 0.999999, 1.0)
    """
    return score if score >= 1.0 else min(round(score, 6), 0.999999)


def _run(result: Result, reasons: Reasons) -> dict[str, Any]:
    """Return what was run, and with which settings."""
    from lookalike import __version__
    from lookalike.documents.memory import MemorySource
    from lookalike.result.say import count, recall_of, summary

    origin = result.origin
    name = ", ".join(origin.get("paths", ()))
    if not name and result.source is not None and not isinstance(result.source, MemorySource):
        name = result.source.name
    return {
        "schema": SCHEMA,
        "kind": "scan",
        "title": name or count(result.documents, "document"),
        "made": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "version": __version__,
        "command": origin.get("command", ""),
        "summary": summary(result),
        "threshold": result.threshold,
        "metric": result.metric,
        "method": result.method,
        "linkage": result.linkage,
        "order": None if result.order is None else list(result.order),
        "recall": recall_of(result.recall),
        "oldFrom": result.old_from,
        "pairCount": result.pair_count,
        "copies": result.copies_listed,
        "groupCount": len(result.groups),
        "skipped": [[skipped.id, skipped.reason, skipped.detail] for skipped in result.skipped],
        "notes": list(result.notes),
        "pairsLeftOut": _pairs_left_out(result),
        "reasons": dict(REASONS),
        "leftOutOfScores": reasons.left_out_of_scores,
        "minWords": result.uncounted.min_words,
        **recipe_values(result.recipe, result.uncounted.min_words),
    }


def _pairs_left_out(result: Result) -> list[str]:
    """Return what is known of pairs that are not in the result: by --group-by, --marks and --min-words."""
    short_ones = [note for note in result.notes if "alike only with passages shorter than" in note]
    return [*map(str, result.origin.get("left_out", ())), *short_ones]


def recipe_values(recipe: Recipe, least: int | None = None) -> dict[str, Any]:
    """Return the recipe as the page shows it, and the shortest passage that it knows."""
    return {
        "recipe": {name: value for name, value in recipe.to_dict().items() if name != "format"},
        "recipeText": str(recipe),
        "recipeDigest": recipe.digest,
        "unit": recipe.unit,
        "least": SHORTEST[recipe.unit] if least is None else least,
    }


def _documents(
    result: Result, documents: Mapping[int, Document], read: Read, metadata: Mapping[str, Metadata] | None
) -> dict[str, Any]:
    """Return what is known of each document, column by column; a column without any value is left out."""
    ids = result.ids.to_pylist()
    known = _known(result.metadata if metadata is None else metadata, ids)
    columns: dict[str, list[Any]] = {
        "id": ids,
        "length": [] if result.lengths is None else result.lengths.to_pylist(),
        "units": [documents[i].counts() if i in documents else None for i in range(len(ids))],
        "sha256": [read.digests.get(i) for i in range(len(ids))],
        "flags": [[[flag.kind, flag.detail] for flag in result.flags.get(str(name), ())] for name in ids],
        **{name: [values.get(name) for values in known] for name in ("name", "author", "date", "label")},
    }
    return {name: values for name, values in columns.items() if name == "id" or any(values)}


def _known(metadata: Mapping[Any, Metadata], ids: Sequence[Any]) -> list[dict[str, Any]]:
    if not metadata:
        return [{} for _ in ids]
    from lookalike.documents.metadata import for_documents

    found = for_documents({str(name): values for name, values in metadata.items()}, ids)
    return [_values(found[name]) if name in found else {} for name in ids]


def _values(known: Metadata) -> dict[str, str]:
    when = known.date
    day = "" if when is None else f"{when:%Y-%m-%d}"
    if when is not None and (when.hour, when.minute, when.second) != (0, 0, 0):
        day = f"{when:%Y-%m-%d %H:%M}"
    return {"name": known.name, "author": known.author, "date": day, "label": known.label}


def _body(pairs: _Pairs, documents: Mapping[int, Document], shared: Sequence[Shared], most: int) -> dict[str, Any]:
    """Return texts, the spans in them that may be left out, passages by pair, and each passage once.

    Texts go in by the rank of their pairs, until there is no more room.
    """
    texts: dict[int, str] = {}
    room = most
    for number, document in documents.items():
        if len(document.text) <= room:
            texts[number] = document.text
            room -= len(document.text)
    return {
        "texts": texts,
        "spans": {number: documents[number].span_values() for number in texts if documents[number].spans},
        "blocks": [
            [block.values(documents[a], documents[b]) for block in blocks]
            for a, b, blocks in zip(pairs.a, pairs.b, pairs.blocks, strict=True)
        ],
        "shared": [_shared(one, documents) for one in shared],
    }


def _shared(one: Shared, documents: Mapping[int, Document]) -> list[Any]:
    places = [
        [number, *(to_utf16(documents[number].moved, place) for place in (start, end))]
        for number, start, end in one.places
    ]
    listed = {place[0] for place in one.places}
    others = [other for other in one.documents if other not in listed]
    return [places, [list(block) for block in one.blocks], others]


def _digest(read: Read, documents: int) -> str:
    """Return one digest of all texts in their order; empty if one is missing."""
    if len(read.digests) != documents or not documents:
        return ""
    return hashlib.sha256("".join(read.digests[number] for number in range(documents)).encode()).hexdigest()


def _marks(marks: Marks | None) -> list[dict[str, Any]]:
    return [] if marks is None else list(marks.to_dict()["pairs"])
