"""All that the page shows, as plain values: the head, which is small, and the body with texts and passages.

The texts are read again from where they were searched.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import compress
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from lookalike import _native
from lookalike.documents import Both
from lookalike.errors import LookalikeError
from lookalike.report.pair_passages import REASONS, MarkedText, PassageBlock, Reasons, blocks_of, to_utf16
from lookalike.report.shared import shared_passages
from lookalike.text.comparison import SHORTEST

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from lookalike.documents import Flag, Source
    from lookalike.documents.metadata import Metadata
    from lookalike.recipe import Recipe
    from lookalike.report.shared import Shared
    from lookalike.report.side_files import Marks
    from lookalike.tables.columns import DocumentIds
    from lookalike.text.excluded import Exclusions

    _Numbers: TypeAlias = dict[str, int]

__all__ = [
    "PageInput",
    "PageLimits",
    "PagePairs",
    "Read",
    "ReportPage",
    "collect",
    "digest_of",
    "made_now",
    "read_texts",
    "recipe_values",
    "short",
]

MOST_PAIRS: Final = 20_000
MOST_LOWER: Final = 5_000
MOST_TEXT: Final = 24_000_000
MOST_SHARED: Final = 2_000
SCHEMA: Final = "lookalike-report/1"
_HELD: Final = 200_000_000
"""Characters of texts without a pair that are held, to look for passages in them too."""


@dataclass(frozen=True, slots=True)
class PageLimits:
    """How much goes into the page."""

    pairs: int = MOST_PAIRS
    """The closest pairs that are listed."""
    lower: int = MOST_LOWER
    """Those of them below the threshold that was asked for."""
    text: int = MOST_TEXT
    """Characters of all texts together."""
    shared: int = MOST_SHARED
    """Passages that are listed once for all documents."""


@dataclass(slots=True)
class ReportPage:
    """What goes into the file."""

    head: dict[str, Any]
    body: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class PagePairs:
    """The listed pairs, by the numbers of their documents."""

    a: list[int]
    b: list[int]
    scores: dict[str, list[float]]
    """By name: jaccard, containment_a, containment_b."""
    blocks: list[list[PassageBlock]] = field(default_factory=list)
    """The passages of each, in the order of a."""
    back: list[list[PassageBlock]] = field(default_factory=list)
    """The same from the side of b, with b first, where that finds more of b: a text that repeats what the other has."""

    def __len__(self) -> int:
        return len(self.a)

    @property
    def documents(self) -> list[int]:
        """The numbers of their documents, each once, by the rank of its best pair."""
        return list(dict.fromkeys(number for pair in zip(self.a, self.b, strict=True) for number in pair))

    def only(self, kept: Sequence[bool]) -> PagePairs:
        """Return the pairs for which `kept` says so."""
        scores = {name: list(compress(column, kept)) for name, column in self.scores.items()}
        a, b = (list(compress(side, kept)) for side in (self.a, self.b))
        return PagePairs(a, b, scores, list(compress(self.blocks, kept)), list(compress(self.back, kept)))


@dataclass(frozen=True, slots=True)
class PageInput:
    """What the page tells of a search, as plain values."""

    run: Mapping[str, Any]
    """What was run and what it found, by the names that the page knows."""
    recipe: Recipe
    pairs: PagePairs
    """The closest ones."""
    above: int
    """How many of these reach the requested threshold; those after them are below it."""
    short: int
    """How many at the end share only passages that are too short to count."""
    short_count: int
    """Of all such pairs."""
    pair_count: int
    """Of all that reach it."""
    ids: DocumentIds
    lengths: Sequence[int] | None
    """Of the texts, in characters."""
    flags: Mapping[int, Sequence[Flag]]
    metadata: Mapping[int, Metadata]
    """Both by the numbers of documents."""
    ignored: Sequence[int]
    """Excluded shingles."""
    exclusions: Exclusions
    source: Source | None
    """Where the texts can be read again."""


def collect(searched: PageInput, *, marks: Marks | None = None, limits: PageLimits | None = None) -> ReportPage:
    """Gather what the page of a search shows."""
    limits = limits or PageLimits()
    recipe = searched.recipe
    wanted = searched.pairs.documents
    read = read_texts(searched.source, searched.ids, searched.lengths, frozenset(wanted), _HELD)
    reasons = Reasons(recipe, searched.ignored, searched.exclusions)
    documents = {
        number: MarkedText.of(read.texts[number], recipe, reasons.spans(read.texts[number]))
        for number in wanted
        if number in read.texts
    }
    pairs = _with_blocks(searched, documents)
    documents = {number: documents[number] for number in pairs.documents if number in documents}
    shared = _shared_passages(pairs, documents, read, recipe, reasons)
    body = _body(pairs, documents, shared[: limits.shared], limits.text)
    body["letters"] = {
        number: letters
        for number in body["texts"]
        if (letters := documents[number].letter_values(searched.flags.get(number, ())))
    }
    omitted = {
        "pairs": searched.pair_count - searched.above,
        "texts": sum(number not in body["texts"] for number in documents),
        "shared": max(0, len(shared) - limits.shared),
    }
    head = {
        **made_now("scan"),
        **searched.run,
        "reasons": dict(REASONS),
        "leftOutOfScores": reasons.excluded_from_scores,
        **recipe_values(recipe, searched.exclusions.min_words),
        "limits": {"pairs": limits.pairs, "text": limits.text, "shared": limits.shared},
        "leftOut": omitted,
        "documents": _documents(searched, documents, read),
        "pairs": {"a": pairs.a, "b": pairs.b, **pairs.scores},
        "short": {"from": len(pairs) - searched.short, "count": searched.short_count},
        "problem": read.problem,
        "digest": digest_of([read.digests.get(number, "") for number in range(len(searched.ids))]),
        "marks": _marks(marks),
    }
    return ReportPage(head, body)


def _with_blocks(searched: PageInput, documents: Mapping[int, MarkedText]) -> PagePairs:
    """Find the passages of all pairs; below the threshold that was asked for, a pair without any is omitted."""
    pairs = searched.pairs
    both = _blocks(pairs, documents, searched.recipe, searched.exclusions.min_words)
    pairs.blocks, pairs.back = [forth for forth, _ in both], [back for _, back in both]
    unknown = [not {a, b} <= documents.keys() for a, b in zip(pairs.a, pairs.b, strict=True)]
    below = range(searched.above, len(pairs) - searched.short)
    return pairs.only([rank not in below or bool(pairs.blocks[rank]) or unknown[rank] for rank in range(len(pairs))])


def made_now(kind: str) -> dict[str, Any]:
    """Return what every page says of itself."""
    made = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return {"schema": SCHEMA, "kind": kind, "made": made, "version": _native.build_info()["version"]}


def _blocks(
    pairs: PagePairs, documents: Mapping[int, MarkedText], recipe: Recipe, min_words: int | None
) -> list[tuple[list[PassageBlock], list[PassageBlock]]]:
    """Return the passages of every pair, and those from the other side if these have more of it.

    The core lets other threads run meanwhile.
    """
    from concurrent.futures import ThreadPoolExecutor

    def of_pair(a: int, b: int) -> tuple[list[PassageBlock], list[PassageBlock]]:
        if a not in documents or b not in documents:
            return [], []
        one, other = documents[a], documents[b]
        forth, back = blocks_of(one, other, recipe, min_words), blocks_of(other, one, recipe, min_words)
        seen = {unit for block in forth for unit in block.units_of(one, other, 1)}
        own = {unit for block in back for unit in block.units_of(other, one, 0)}
        return forth, back if own - seen else []

    with ThreadPoolExecutor() as pool:
        return list(pool.map(of_pair, pairs.a, pairs.b))


def _shared_passages(
    pairs: PagePairs, documents: Mapping[int, MarkedText], read: Read, recipe: Recipe, reasons: Reasons
) -> list[Shared]:
    bits = {REASONS[reason] for reason in reasons.excluded_from_scores}
    excluded = {n: [span for span in document.spans if span.bit in bits] for n, document in documents.items()}
    return shared_passages(list(zip(pairs.a, pairs.b, strict=True)), pairs.blocks, read.texts, recipe, excluded)


def short(score: float) -> float:
    """Return a score with six digits; what is below 1 stays below it.

    >>> short(0.123456789), short(0.99999999), short(1.0)
    (0.123457, 0.999999, 1.0)
    """
    return score if score >= 1.0 else min(round(score, 6), 0.999999)


def recipe_values(recipe: Recipe, least: int | None = None) -> dict[str, Any]:
    """Return the recipe as the page shows it, and the shortest passage that it knows."""
    return {
        "recipe": {name: value for name, value in recipe.to_dict().items() if name != "format"},
        "recipeText": str(recipe),
        "recipeDigest": recipe.digest,
        "unit": recipe.unit,
        "least": SHORTEST[recipe.unit] if least is None else least,
    }


def _documents(searched: PageInput, documents: Mapping[int, MarkedText], read: Read) -> dict[str, Any]:
    """Return what is known of each document, column by column; a column without any value is omitted."""
    ids = list(searched.ids)
    known = [_values(searched.metadata[i]) if i in searched.metadata else {} for i in range(len(ids))]
    columns: dict[str, list[Any]] = {
        "id": ids,
        "length": list(searched.lengths or ()),
        "units": [documents[i].counts() if i in documents else None for i in range(len(ids))],
        "sha256": [read.digests.get(i) for i in range(len(ids))],
        "flags": [[[flag.kind, flag.detail] for flag in searched.flags.get(i, ())] for i in range(len(ids))],
        **{name: [values.get(name) for values in known] for name in ("name", "author", "date", "label", "file")},
    }
    return {name: values for name, values in columns.items() if name == "id" or any(values)}


def _values(known: Metadata) -> dict[str, str]:
    when = known.date
    day = "" if when is None else f"{when:%Y-%m-%d}"
    if when is not None and (when.hour, when.minute, when.second) != (0, 0, 0):
        day = f"{when:%Y-%m-%d %H:%M}"
    return {"name": known.name, "author": known.author, "date": day, "label": known.label, "file": known.file}


def _body(pairs: PagePairs, documents: Mapping[int, MarkedText], shared: Sequence[Shared], most: int) -> dict[str, Any]:
    """Return texts, the spans in them that may be excluded, passages by pair, and each passage once.

    Passages are given by characters, to be shown, and by units, to be counted.

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
        "runs": [
            [block.unit_runs(documents[a], documents[b]) for block in blocks]
            for a, b, blocks in zip(pairs.a, pairs.b, pairs.blocks, strict=True)
        ],
        "back": {
            place: [
                [block.values(documents[b], documents[a]), block.unit_runs(documents[b], documents[a])]
                for block in back
            ]
            for place, (a, b, back) in enumerate(zip(pairs.a, pairs.b, pairs.back, strict=True))
            if back
        },
        "masked": {number: masked for number, document in documents.items() if (masked := document.masked())},
        "shared": [_shared(one, documents) for one in shared],
    }


def _shared(one: Shared, documents: Mapping[int, MarkedText]) -> list[Any]:
    places = [
        [number, *(to_utf16(documents[number].moved, place) for place in (start, end))]
        for number, start, end in one.places
    ]
    listed = {place[0] for place in one.places}
    others = [other for other in one.documents if other not in listed]
    return [places, [list(block) for block in one.blocks], others]


def digest_of(digests: Sequence[str]) -> str:
    """Return one digest of all texts in their order, from the digest of each; empty if one is missing."""
    return hashlib.sha256("".join(digests).encode()).hexdigest() if digests and all(digests) else ""


def _marks(marks: Marks | None) -> list[dict[str, Any]]:
    return [] if marks is None else list(marks.to_dict()["pairs"])


@dataclass(slots=True)
class Read:
    """What could be read again."""

    texts: dict[int, str] = field(default_factory=dict)
    """Texts by the number of the document: all that are wanted, and others."""
    digests: dict[int, str] = field(default_factory=dict)
    """SHA-256 of every text as UTF-8, by the number of the document."""
    problem: str = ""
    """One line for people if texts are missing."""


def read_texts(
    source: Source | None,
    ids: DocumentIds,
    lengths: Sequence[int] | None,
    wanted: Collection[int],
    room: int = 0,
) -> Read:
    """Read the texts of the `wanted` documents, of others while there is `room` for their characters, and all digests.

    Documents are known by their ids; of a new and an old one with the same id, the source gives the new one first. A
    document whose length is another than at the time of the search has changed, and its text is not shown.
    """
    read = Read()
    if source is None:
        read.problem = "The texts were not given to this report, so passages cannot be shown."
        return read
    if lengths is None:
        read.problem = "Nobody can tell whether the texts are still those of the search, so passages cannot be shown."
        return read
    new = {str(name): number for number, name in enumerate(ids.new)}
    old = {str(name): number for number, name in enumerate(ids.old or (), len(new))}
    changed = 0
    try:
        for sides, name, text in _documents_again(source, new, old):
            number = next((side.pop(name) for side in sides if name in side), None)
            if number is None:
                continue
            if lengths[number] != len(text):
                changed += 1
                continue
            read.digests[number] = hashlib.sha256(text.encode()).hexdigest()
            if number in wanted or len(text) <= room:
                read.texts[number] = text
                room -= 0 if number in wanted else len(text)
    except (LookalikeError, OSError) as error:
        read.problem = f"The documents could not be read again ({error}), so some passages cannot be shown."
        return read
    read.problem = _problem(changed, len(new) + len(old), source.name)
    return read


def _documents_again(source: Source, new: _Numbers, old: _Numbers) -> Iterator[tuple[Sequence[_Numbers], str, str]]:
    """Yield each document, and among which ones its name has to be looked up."""
    parts = [(source, [new, old])]
    if isinstance(source, Both):
        parts = [(source.sources[0], [new]), (source.sources[1], [old])]
    for part, sides in parts:
        for batch in part.batches():
            for name, text in zip(map(str, batch.ids), batch.texts, strict=True):
                yield sides, name, text


def _problem(changed: int, gone: int, name: str) -> str:
    if not changed and not gone:
        return ""
    parts = [
        f"{number:,} {'document' if number == 1 else 'documents'} of {name} {said} since the search"
        for number, said in ((changed, "changed"), (gone, "cannot be found any more"))
        if number
    ]
    return f"{' and '.join(parts)}; passages of such documents are not shown."
