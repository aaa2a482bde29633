"""Each shared passage once, with every document that has it: the rarest first, since they tell the most.

Passages of different pairs are the same if they lie at the same place of a document, or if they have the same words.
Then every text is searched for each passage, so that one that half the class has is not taken for a rare one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from lookalike import _native
from lookalike.recipe import settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lookalike.recipe import Recipe
    from lookalike.report.pair_passages import MarkedSpan, PassageBlock

__all__ = ["Shared", "shared_passages"]

_SAME: Final = 0.7
"""Two places of a document are the same passage if they have this share of the longer one in common."""
_HAS: Final = 0.7
"""A document has a passage if it has this share of its shingles."""
_NEAR: Final = 1000
"""Passages are looked up by parts of a document of this many characters."""
_CONSIDERED: Final = 20_000
"""Passages that all texts are searched for: the rarest of them, as the pairs tell."""


@dataclass(frozen=True, slots=True)
class Shared:
    """A passage and the documents that have it."""

    units: int
    """Of its longest form."""
    places: tuple[tuple[int, int, int], ...]
    """Document, start and end, one place for each document, the longest form first."""
    blocks: tuple[tuple[int, int], ...]
    """Where it is in the pairs: the number of the pair, and which of its passages."""
    documents: tuple[int, ...] = ()
    """All documents that have it, also those without a pair."""

    @property
    def pairs(self) -> tuple[int, ...]:
        """The numbers of the pairs that share it."""
        return tuple(sorted({pair for pair, _ in self.blocks}))


@dataclass(slots=True)
class _Place:
    document: int
    start: int
    end: int
    units: int
    block: tuple[int, int]


def shared_passages(
    pairs: Sequence[tuple[int, int]],
    blocks: Iterable[Sequence[PassageBlock]],
    texts: Mapping[int, str],
    recipe: Recipe,
    excluded: Mapping[int, Sequence[MarkedSpan]] | None = None,
) -> list[Shared]:
    """Return the passages of all pairs, each once, those of the fewest documents first, then the longest.

    A document that has only the excluded text of a passage, such as the template, does not have the passage.

    >>> from lookalike.recipe import Recipe
    >>> from lookalike.report.pair_passages import PassageBlock
    >>> texts = dict.fromkeys(range(4), "the same eight words in each of them here")
    >>> same = [PassageBlock(((0, 41, 0, 41),), 9)]
    >>> [(one.places, one.documents) for one in shared_passages([(0, 1), (0, 2)], [same, same], texts, Recipe())]
    [(((0, 0, 41), (1, 0, 41), (2, 0, 41)), (0, 1, 2, 3))]
    """
    found = sorted(_by_place(pairs, blocks), key=_rarest)[:_CONSIDERED]
    shingles = [_that_count(one.places[0], texts, recipe, excluded or {}) for one in found]
    kept, index = _by_words(found, shingles)
    has: defaultdict[int, set[int]] = defaultdict(set)
    for number, text in texts.items():
        counts = Counter(passage for shingle in _shingles(text, recipe) for passage in index.get(shingle, ()))
        for passage, common in counts.items():
            if common >= _HAS * len(shingles[passage]):
                has[passage].add(number)
    made = [
        replace(one, documents=tuple(sorted(has[passage] | {place[0] for place in one.places})))
        for passage, one in kept.items()
    ]
    return sorted(_by_documents(made), key=_rarest)


def _rarest(one: Shared) -> tuple[int, int, tuple[tuple[int, int, int], ...]]:
    return max(len(one.places), len(one.documents)), -one.units, one.places


def _shingles(text: str, recipe: Recipe) -> frozenset[str]:
    return frozenset(shingle[0] for shingle in _native.shingles(text, settings(recipe)))


def _that_count(
    place: tuple[int, int, int], texts: Mapping[int, str], recipe: Recipe, excluded: Mapping[int, Sequence[MarkedSpan]]
) -> frozenset[str]:
    """Return the shingles of a place without excluded text; if all of it is excluded, all of them."""
    document, start, end = place
    text, pieces, at = texts[document], [], start
    for span in excluded.get(document, ()):
        if span.end > at and span.start < end:
            pieces.append(text[at : max(at, span.start)])
            at = span.end
    pieces.append(text[at : max(at, end)])
    found: frozenset[str] = frozenset().union(*(_shingles(piece, recipe) for piece in pieces if piece.strip()))
    return found or _shingles(text[start:end], recipe)


def _by_words(
    found: Sequence[Shared], shingles: Sequence[frozenset[str]]
) -> tuple[dict[int, Shared], dict[str, list[int]]]:
    """Join passages that have the same words; the longest stands for all. Also return which passages have a shingle."""
    kept: dict[int, Shared] = {}
    index: dict[str, list[int]] = {}
    for passage in sorted(range(len(found)), key=lambda number: -found[number].units):
        own = shingles[passage]
        common = Counter(other for shingle in own for other in index.get(shingle, ()))
        for other, number in common.items():
            if number >= _SAME * max(len(own), len(shingles[other])):
                kept[other] = _joined(kept[other], found[passage])
                break
        else:
            kept[passage] = found[passage]
            for shingle in own:
                index.setdefault(shingle, []).append(passage)
    return kept, index


def _joined(one: Shared, other: Shared) -> Shared:
    have = {place[0] for place in one.places}
    places = one.places + tuple(place for place in other.places if place[0] not in have)
    return replace(one, places=places, blocks=tuple(sorted({*one.blocks, *other.blocks})))


def _by_documents(made: Iterable[Shared]) -> list[Shared]:
    """Join a passage with a longer one that it lies in and that all its documents have: a reader sees one passage."""
    kept: list[Shared] = []
    near: defaultdict[tuple[int, int], set[int]] = defaultdict(set)
    for one in sorted(made, key=lambda one: (-one.units, one.places)):
        middles = {(document, (start + end) // 2 // _NEAR) for document, start, end in one.places}
        longer = sorted(set().union(*(near[middle] for middle in middles if middle in near)))
        number = next((number for number in longer if _inside(one, kept[number])), len(kept))
        if number < len(kept):
            kept[number] = _joined(kept[number], one)
        else:
            kept.append(one)
        for document, start, end in kept[number].places:
            for part in range(start // _NEAR, end // _NEAR + 1):
                near[document, part].add(number)
    return kept


def _inside(one: Shared, longer: Shared) -> bool:
    """Return whether all documents of a passage have the longer one, and most of it is part of that in one of them."""
    if not set(one.documents) <= set(longer.documents):
        return False
    of_longer = {document: place for document, *place in longer.places}
    for document, start, end in one.places:
        if document in of_longer:
            other_start, other_end = of_longer[document]
            if min(end, other_end) - max(start, other_start) >= _SAME * (end - start):
                return True
    return False


def _by_place(pairs: Sequence[tuple[int, int]], blocks: Iterable[Sequence[PassageBlock]]) -> list[Shared]:
    """Return the passages of all pairs, joined where they lie at the same place of a document."""
    places: list[_Place] = []
    for pair, ((a, b), listed) in enumerate(zip(pairs, blocks, strict=True)):
        for number, block in enumerate(listed):
            a_start, a_end, b_start, b_end = block.ends
            places.append(_Place(a, a_start, a_end, block.units, (pair, number)))
            places.append(_Place(b, b_start, b_end, block.units, (pair, number)))
    heads = list(range(len(places)))
    for one in range(0, len(places), 2):
        _join(heads, one, one + 1)
    for one, other in _overlapping(places):
        _join(heads, one, other)
    found: defaultdict[int, list[_Place]] = defaultdict(list)
    for number, place in enumerate(places):
        found[_head(heads, number)].append(place)
    return [_shared(members) for members in found.values()]


def _overlapping(places: list[_Place]) -> Iterable[tuple[int, int]]:
    """Yield the places of one document that are nearly the same."""
    by_document: defaultdict[int, list[int]] = defaultdict(list)
    for number, place in enumerate(places):
        by_document[place.document].append(number)
    for numbers in by_document.values():
        numbers.sort(key=lambda number: (places[number].start, places[number].end))
        open_ones: list[int] = []
        for number in numbers:
            this = places[number]
            open_ones = [other for other in open_ones if places[other].end > this.start]
            for other in open_ones:
                that = places[other]
                common = min(this.end, that.end) - this.start
                if common >= _SAME * max(this.end - this.start, that.end - that.start):
                    yield other, number
                    break  # what is the same as this one was joined with that one before
            else:
                open_ones.append(number)


def _shared(members: list[_Place]) -> Shared:
    longest: dict[int, _Place] = {}
    for place in members:
        if place.document not in longest or place.units > longest[place.document].units:
            longest[place.document] = place
    ordered = sorted(longest.values(), key=lambda place: (-place.units, place.document))
    blocks = tuple(sorted({place.block for place in members}))
    return Shared(ordered[0].units, tuple((one.document, one.start, one.end) for one in ordered), blocks)


def _head(heads: list[int], number: int) -> int:
    while heads[number] != number:
        heads[number] = heads[heads[number]]
        number = heads[number]
    return number


def _join(heads: list[int], one: int, other: int) -> None:
    one, other = _head(heads, one), _head(heads, other)
    heads[max(one, other)] = min(one, other)
