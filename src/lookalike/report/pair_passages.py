"""The passages of a pair as a reader sees them, and the text in them that may be excluded from a score.

Runs that only a few words separate are one passage with differences. Excluded text is quotations, references, template
text and common text.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lookalike import _native
from lookalike.recipe import settings
from lookalike.text.comparison import SHORTEST
from lookalike.text.excluded import KINDS, Exclusions, excluded_spans

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lookalike.documents import Flag
    from lookalike.recipe import Recipe

    Run = tuple[int, int, int, int, int]

__all__ = ["REASONS", "SHORTEST_RUN", "MarkedSpan", "MarkedText", "PassageBlock", "Reasons", "blocks_of", "to_utf16"]

REASONS: Final = {"quotes": 1, "references": 2, "template": 4, "common": 8}
"""Each reason and its bit, in the page as well."""

SHORTEST_RUN: Final = {"word": 4, "char": 20, "token": 8}
"""The shortest run that may be part of a passage: shorter ones meet by chance too often."""
_GAP: Final = {"word": 6, "char": 30, "token": 10}
"""How many units on either side may part two runs of one passage."""


class MarkedSpan(NamedTuple):
    """A piece of a text that may be excluded; offsets are in code points."""

    start: int
    end: int
    bit: int


class Reasons:
    """Finds the spans of a text: quotations and references always, so that the page can exclude them on demand."""

    def __init__(self, recipe: Recipe, ignored: Iterable[int] = (), exclusions: Exclusions | None = None) -> None:
        """Take the shingles that the search excluded, and what else it excluded."""
        exclusions = exclusions or Exclusions()
        self._recipe = recipe
        self._ignored, self._templates = frozenset(ignored), frozenset(exclusions.templates)
        self._skipped = exclusions.skip

    @property
    def excluded_from_scores(self) -> list[str]:
        """The reasons for which the search itself excluded text."""
        found = {
            "template": self._ignored & self._templates,
            "common": self._ignored - self._templates,
            **dict.fromkeys(self._skipped, True),
        }
        return [reason for reason in REASONS if found.get(reason)]

    def spans(self, text: str) -> list[MarkedSpan]:
        """Return all spans of a text in order; none overlaps another."""
        found = excluded_spans(text, self._recipe, KINDS, self._ignored, self._templates)
        return [MarkedSpan(span.start, span.end, REASONS[span.reason]) for span in found]


@dataclass(slots=True)
class MarkedText:
    """A text, where its units are, and for each unit why it may be excluded: a bit for each reason."""

    text: str
    starts: list[int]
    masks: bytes
    spans: list[MarkedSpan] = field(default_factory=list)
    moved: list[int] = field(default_factory=list)
    """The places of characters that JavaScript counts twice."""

    @classmethod
    def of(cls, text: str, recipe: Recipe, spans: Iterable[MarkedSpan] = ()) -> MarkedText:
        """Find the units of a text and mark those in a span."""
        starts = [unit[1] for unit in _native.units(text, settings(recipe))]
        masks = bytearray(len(starts))
        listed = list(spans)
        for span in listed:
            for unit in range(bisect_left(starts, span.start), bisect_left(starts, span.end)):
                masks[unit] |= span.bit
        moved = [] if text.isascii() or max(text) <= "\uffff" else [i for i, c in enumerate(text) if c > "\uffff"]
        return cls(text, starts, bytes(masks), listed, moved)

    @property
    def units(self) -> int:
        """How many units the text has."""
        return len(self.starts)

    def counts(self) -> list[int]:
        """Return how many units have which reasons to be excluded: mask, units, mask, units …"""
        return _flat(Counter(self.masks))

    def letter_values(self, flags: Iterable[Flag]) -> list[Any]:
        """Return the look-alike letters for the page: place, letter, place, letter … as JavaScript counts."""
        places = (place for flag in flags for place in flag.places)
        return [value for at, letter in places for value in (to_utf16(self.moved, at), letter)]

    def masked(self) -> list[int]:
        """Return which units may be excluded: start, end, mask, start, end, mask …"""
        made: list[int] = []
        for at, mask in enumerate(self.masks) if any(self.masks) else ():
            if mask and made and made[-2:] == [at, mask]:
                made[-2] += 1
            elif mask:
                made += [at, at + 1, mask]
        return made

    def span_values(self) -> list[int]:
        """Return the spans for the page: start, end, bit, start, end, bit … as JavaScript counts."""
        return [value for span in self.spans for value in (*(to_utf16(self.moved, at) for at in span[:2]), span.bit)]


def _flat(counts: Counter[int]) -> list[int]:
    return [number for pair in sorted(counts.items()) for number in pair]


@dataclass(frozen=True, slots=True)
class PassageBlock:
    """A shared passage: its runs, in the order of the first document, and how many units they have by mask."""

    runs: tuple[tuple[int, int, int, int], ...]
    units: int
    masks: tuple[int, ...] = ()
    """mask, units, mask, units …; empty if nothing in it may be excluded."""

    @property
    def ends(self) -> tuple[int, int, int, int]:
        """The place of the whole block: a_start, a_end, b_start, b_end."""
        return self.runs[0][0], self.runs[-1][1], self.runs[0][2], self.runs[-1][3]

    def values(self, a: MarkedText, b: MarkedText) -> list[Any]:
        """Return it for the page: units, the places of the runs as JavaScript counts, and the masks if there are."""
        places = [
            to_utf16(document.moved, place)
            for run in self.runs
            for document, place in zip((a, a, b, b), run, strict=True)
        ]
        return [self.units, places, list(self.masks)] if self.masks else [self.units, places]

    def unit_runs(self, a: MarkedText, b: MarkedText) -> list[int]:
        """Return its runs in units: where each begins in a, where in b, and how long it is."""
        made: list[int] = []
        for a_start, a_end, b_start, _ in self.runs:
            first = bisect_left(a.starts, a_start)
            made += [first, bisect_left(b.starts, b_start), bisect_left(a.starts, a_end) - first]
        return made

    def units_of(self, a: MarkedText, b: MarkedText, side: int) -> Iterator[int]:
        """Yield the numbers of its units in a (side 0) or in b (side 1)."""
        flat = self.unit_runs(a, b)
        for at in range(0, len(flat), 3):
            yield from range(flat[at + side], flat[at + side] + flat[at + 2])


def to_utf16(moved: list[int], place: int) -> int:
    """Return a place as JavaScript counts it, where a character beyond U+FFFF is two."""
    return place + bisect_left(moved, place) if moved else place


def blocks_of(a: MarkedText, b: MarkedText, recipe: Recipe, least: int | None = None) -> list[PassageBlock]:
    """Return the passages that two documents share, in the order of the first; `least` units make one.

    >>> from lookalike.recipe import Recipe
    >>> texts = "one two three four five six seven eight", "one two three four FIVE six zwei drei eight nine ten"
    >>> a, b = (MarkedText.of(text, Recipe()) for text in texts)
    >>> blocks_of(a, b, Recipe(), least=6)
    [PassageBlock(runs=((0, 27, 0, 27),), units=6, masks=())]
    """
    shortest = SHORTEST[recipe.unit] if least is None else least
    run = min(SHORTEST_RUN[recipe.unit], shortest)
    found: Sequence[Run] = _native.passages(a.text, b.text, settings(recipe), run)
    made = []
    masked = any(a.masks) or any(b.masks)
    for runs in _joined(found, a, b, _GAP[recipe.unit]):
        units = sum(run[4] for run in runs)
        if units >= shortest:
            made.append(PassageBlock(tuple(run[:4] for run in runs), units, _masks(runs, a, b) if masked else ()))
    return made


def _joined(found: Sequence[Run], a: MarkedText, b: MarkedText, gap: int) -> list[list[Run]]:
    """Put runs together that follow each other in both documents with at most `gap` units between them."""
    made: list[list[Run]] = []
    for run in found:
        last = made[-1][-1] if made else None
        if (
            last is not None
            and run[2] >= last[3]
            and _between(a.starts, last[1], run[0]) <= gap
            and _between(b.starts, last[3], run[2]) <= gap
        ):
            made[-1].append(run)
        else:
            made.append([run])
    return made


def _between(starts: list[int], end: int, start: int) -> int:
    return bisect_left(starts, start) - bisect_left(starts, end)


def _masks(runs: list[Run], a: MarkedText, b: MarkedText) -> tuple[int, ...]:
    """Count the units of the runs by their reasons; a unit that one document excludes is excluded."""
    counts: Counter[int] = Counter()
    for a_start, _, b_start, _, units in runs:
        in_a, in_b = bisect_left(a.starts, a_start), bisect_left(b.starts, b_start)
        pairs = zip(a.masks[in_a : in_a + units], b.masks[in_b : in_b + units], strict=False)
        counts.update(one | other for one, other in pairs)
    if set(counts) <= {0}:
        return ()
    return tuple(_flat(counts))
