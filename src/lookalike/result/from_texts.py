"""What is made from a result and the texts that were searched: the report, and one document with all its sources.

For the sources of a document, its words that other documents have too are found in passages, and each is counted once.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lookalike.documents import Both, open_documents
from lookalike.documents.document_batches import unread_first
from lookalike.documents.in_memory import MemorySource
from lookalike.errors import RecipeError
from lookalike.recipe import UNIT_NAMES
from lookalike.report import write_page
from lookalike.report.collect import PageInput, PageLimits, PagePairs, ReportPage, short
from lookalike.report.collect import collect as page_of
from lookalike.report.pair_passages import REASONS, MarkedText, Reasons, blocks_of
from lookalike.result.describe import summary, texts_of
from lookalike.result.view import recall_of, recall_values
from lookalike.tables.columns import COLUMNS
from lookalike.tables.spelling import count
from lookalike.text.comparison import SHORTEST, LineNumbers, Passage

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

    from lookalike.documents import Flag, Skipped, Source
    from lookalike.documents.metadata import Metadata
    from lookalike.recipe import Recipe
    from lookalike.report.pair_passages import PassageBlock
    from lookalike.report.side_files import Marks
    from lookalike.result import Recall, Result

__all__ = ["ShortMatch", "SourceMatch", "Sources", "collect", "short_matches", "sources_of", "write_report"]


# -- the report --------------------------------------------------------------------------------------------------------


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
        from lookalike.report.side_files import anonymised, key_path, write_key

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
    below = result.listed_short
    searched = PageInput(
        run=_run(result) | {"low": low, "searched": result.searched_threshold},
        recipe=result.recipe,
        pairs=pairs,
        above=min(result.pair_count, len(pairs) - len(below.pairs)),
        short=len(below.pairs),
        short_count=below.count,
        pair_count=result.pair_count,
        ids=result.id_of,
        lengths=result.length_of,
        flags=_flags(result),
        metadata=(result if metadata is None else result.with_metadata(metadata)).metadata_of,
        ignored=result.excluded_shingles,
        exclusions=result.exclusions,
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

    So a reader can lower the threshold in the page as far as the search went. Pairs that share only passages that are
    too short to count come last, with the scores that these give them.
    """
    everything = result if result.limited else result.rethreshold(result.searched_threshold)
    most = min(limits.pairs, result.pair_count + limits.lower)
    pairs = everything.closest(most)
    low = everything.threshold
    if everything.pair_count > most:
        lowest = max(short(pairs.values(name)[-1]) for name in _counts(result.metric)) if most else 1.0
        low = min(result.threshold, math.ceil(100 * lowest) / 100)
    last = result.listed_short.pairs
    known = set(zip(last.values("a"), last.values("b"), strict=True))
    pairs = pairs.select(pair not in known for pair in zip(pairs.values("a"), pairs.values("b"), strict=True))
    a, b = ([*pairs.values(side), *last.values(side)] for side in COLUMNS[:2])
    scores = {name: [*map(short, pairs.values(name)), *map(short, last.values(name))] for name in COLUMNS[2:]}
    return PagePairs(a, b, scores), low


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
        "limited": result.limited,
        "copies": result.copies_listed,
        "groupCount": result.group_count,
        "skipped": [[skipped.id, skipped.reason, skipped.detail] for skipped in unread_first(result.skipped)],
        "notes": list(result.notes),
        "pairsLeftOut": [*map(str, origin.get("left_out", ()))],
        "minWords": result.exclusions.min_words,
        "submissions": _submissions(result),
    }


def _submissions(result: Result) -> dict[str, Any] | None:
    """Return the authors, and the author of each document; None if documents have no authors."""
    authors = result.authors
    if authors is None or not authors.are_submissions:
        return None
    return {"names": list(authors.names), "of": list(authors.of)}


# -- the sources of one document ---------------------------------------------------------------------------------------

_ENDS_AND_SHARES: Final = ("a", "b", "containment_a", "containment_b")
_LEAST_SHARE: Final = 0.1
_MOST_SHORT: Final = 100
_RANKED: Final = 60
"""Sources that are ordered by what they add; those after them by what they have."""


@dataclass(frozen=True, slots=True)
class SourceMatch:
    """A document that has passages of another one."""

    id: str | int
    text: str
    units: int
    """How many words (or characters) of the document it has."""
    adds: int
    """How many of them no source before it has."""
    passages: tuple[Passage, ...]
    """In the order of the document, which is a; this source is b. A few words inside a passage may differ."""
    old: bool = False
    """Whether it is one of the old documents (`against`)."""


@dataclass(frozen=True, slots=True)
class ShortMatch:
    """A document that is similar to another one only in short passages."""

    id: str | int
    share: float
    """The share of the document's shingles that it has."""
    k: int
    """How many units a shingle has here."""
    old: bool = False
    """Whether it is one of the old documents (`against`)."""


@dataclass(frozen=True, slots=True, repr=False)
class Sources:
    """A document and the documents that have parts of its text: first the one that has the most, then what adds most.

    >>> import lookalike as la
    >>> one, two = "it was a bright cold day in april and", "the clocks were striking thirteen as he went home"
    >>> found = la.sources(f"{one} {two} by himself", {"x": f"see: {one}", "y": f"then {two} again", "z": "no more"})
    >>> [(source.id, source.units) for source in found.sources], found.found, found.units
    ([('x', 9), ('y', 9)], 18, 20)
    >>> found.share
    0.9
    """

    id: str | int
    text: str
    units: int
    """How many words (or characters) the document has, without excluded text."""
    found: int
    """How many of them are found elsewhere: in any source, each counted once."""
    sources: tuple[SourceMatch, ...]
    recipe: Recipe
    least: int
    """Of the shortest passage that counts."""
    recall: Recall | None
    """The share of the documents at or above the threshold of the search that was found: for `la.sources`, of all that
    share a shingle with it. None if none is promised, because only a part of the pairs is listed,
    or because the document has no words that count."""
    short: tuple[ShortMatch, ...] = ()
    """Documents that have at least a tenth of its shingles, and no passage: the one that has the most first."""
    skipped: tuple[Skipped, ...] = ()
    """What was not read, and so not searched; the document itself is among them if it has no words."""

    def __repr__(self) -> str:
        """Return it without the texts."""
        share = f"{self.found} of {self.units} {UNIT_NAMES[self.recipe.unit]}s"
        return f"<Sources of {self.id!r}: {share} found elsewhere, {count(len(self.sources), 'source')}>"

    @property
    def share(self) -> float:
        """The share of the document that is found elsewhere."""
        return self.found / self.units if self.units else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, ready for JSON (the schema of `lookalike sources --format json`)."""
        lines = LineNumbers(self.text)
        return {
            "schema": "lookalike/1",
            "id": self.id,
            "recipe": self.recipe.to_dict(),
            "min_passage": self.least,
            "units": self.units,
            "found": self.found,
            "share": self.share,
            "recall": recall_values(self.recall),
            "sources": [self._source(source, lines) for source in self.sources],
            "short_passages": [{"id": one.id, "share": one.share, "k": one.k} for one in self.short],
            "skipped": [{"id": one.id, "reason": one.reason} for one in self.skipped],
        }

    def _source(self, source: SourceMatch, lines: LineNumbers) -> dict[str, Any]:
        of_source = LineNumbers(source.text)
        return {
            "id": source.id,
            "units": source.units,
            "adds": source.adds,
            "share": source.units / self.units if self.units else 0.0,
            "passages": [
                {
                    "start": one.a_start,
                    "end": one.a_end,
                    "source_start": one.b_start,
                    "source_end": one.b_end,
                    "line": lines.at(one.a_start),
                    "end_line": lines.at(one.a_end - 1),
                    "source_line": of_source.at(one.b_start),
                    "source_end_line": of_source.at(one.b_end - 1),
                    "units": one.units,
                    "text": self.text[one.a_start : one.a_end],
                }
                for one in source.passages
            ],
        }


@dataclass(slots=True)
class _Candidate:
    number: int
    text: str
    words: frozenset[int]
    """The units of the document that it has."""
    passages: tuple[Passage, ...]


def sources_of(result: Result, name: str | int, least: int | None = None) -> Sources:
    """Return a document of a result with its sources among the others; `least` units make a passage."""
    number = next((number for number, own in enumerate(result.id_of) if own == name), None)
    if number is None:
        raise RecipeError("id", name, "the id of a document of the result")
    recipe = result.recipe
    shortest = least if least is not None else result.exclusions.min_words or SHORTEST[recipe.unit]
    everything = result if result.limited else result.rethreshold(result.searched_threshold)
    partners: dict[int, float] = {}
    for pairs in (everything.listed, result.listed_short.pairs):
        for a, b, of_a, of_b in zip(*(pairs.values(column) for column in _ENDS_AND_SHARES), strict=True):
            if number in (a, b):
                partners.setdefault(*((b, of_a) if a == number else (a, of_b)))
    texts = texts_of(result, [number, *partners])
    if number not in texts:
        raise RecipeError("id", name, "a document whose text can still be read")
    reasons = Reasons(recipe, result.excluded_shingles, result.exclusions)
    excluded = sum(REASONS[reason] for reason in reasons.excluded_from_scores)
    own = MarkedText.of(texts[number], recipe, reasons.spans(texts[number]))
    counted = frozenset(unit for unit, mask in enumerate(own.masks) if not mask & excluded)
    found = []
    for partner in partners:
        if partner in texts:
            other = MarkedText.of(texts[partner], recipe, reasons.spans(texts[partner]))
            blocks = [block for block in blocks_of(own, other, recipe, shortest) if _units(block, excluded) >= shortest]
            words = counted.intersection(unit for block in blocks for unit in block.units_of(own, other, 0))
            passages = tuple(Passage(*block.ends, _units(block, excluded)) for block in blocks)
            found.append(_Candidate(partner, texts[partner], words, passages))
    ranked = list(_ranked([one for one in found if one.words]))
    listed = tuple(
        SourceMatch(
            *(result.id_of[one.number], one.text, len(one.words), adds, one.passages), result.id_of.is_old(one.number)
        )
        for one, adds in ranked
    )
    union = frozenset[int]().union(*(one.words for one, _ in ranked))
    recall = everything.recall if counted and not result.limited else None
    there = {one.number for one, _ in ranked}
    short = short_matches(result, {one: share for one, share in partners.items() if one not in there})
    units = (len(counted), len(union))
    return Sources(name, texts[number], *units, listed, recipe, shortest, recall, short, result.skipped)


def short_matches(result: Result, shares: Mapping[int, float], k: int | None = None) -> tuple[ShortMatch, ...]:
    """Return the documents that have enough of another one's shingles, by number, the one that has the most first."""
    ids, size = result.id_of, k or result.recipe.k
    enough = sorted((-share, number) for number, share in shares.items() if share >= _LEAST_SHARE)
    return tuple(ShortMatch(ids[number], -share, size, ids.is_old(number)) for share, number in enough[:_MOST_SHORT])


def _units(block: PassageBlock, excluded: int) -> int:
    """Return how many units of a passage count."""
    if not block.masks:
        return block.units
    counts = zip(block.masks[::2], block.masks[1::2], strict=True)
    return sum(units for mask, units in counts if not mask & excluded)


def _ranked(left: list[_Candidate]) -> Iterable[tuple[_Candidate, int]]:
    """Yield the one that has the most, then always the one that adds the most, and what each adds."""
    left = sorted(left, key=lambda one: -len(one.words))
    covered: frozenset[int] = frozenset()
    for rank in range(len(left)):
        best = _best(left, covered) if rank < _RANKED else 0
        one = left.pop(best)
        yield one, len(one.words - covered)
        covered |= one.words


def _best(left: Sequence[_Candidate], covered: frozenset[int]) -> int:
    best, most = 0, -1
    for place, one in enumerate(left):
        if len(one.words) <= most:  # and so have all after it
            break
        if (adds := len(one.words - covered)) > most:
            best, most = place, adds
    return best
