"""Text that may be left out of a score, and why: quotations, references, template text, common text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from lookalike.text.excluded import KINDS, Exclusions, excluded_spans

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lookalike.recipe import Recipe

__all__ = ["REASONS", "Reasons", "Span"]

REASONS: Final = {"quotes": 1, "references": 2, "template": 4, "common": 8}
"""Each reason and its bit, in the page as well."""


class Span(NamedTuple):
    """A piece of a text that may be left out; places are those of Python."""

    start: int
    end: int
    bit: int


class Reasons:
    """Finds the spans of a text: quotations and references always, so that the page can leave them out on demand."""

    def __init__(self, recipe: Recipe, ignored: Iterable[int] = (), uncounted: Exclusions | None = None) -> None:
        """Take the shingles that the search ignored, and what else it left out."""
        uncounted = uncounted or Exclusions()
        self._recipe = recipe
        self._ignored, self._templates = frozenset(ignored), frozenset(uncounted.templates)
        self._skipped = uncounted.skip

    @property
    def left_out_of_scores(self) -> list[str]:
        """The reasons for which the search itself left text out."""
        found = {
            "template": self._ignored & self._templates,
            "common": self._ignored - self._templates,
            **dict.fromkeys(self._skipped, True),
        }
        return [reason for reason in REASONS if found.get(reason)]

    def spans(self, text: str) -> list[Span]:
        """Return all spans of a text in order; none overlaps another."""
        found = excluded_spans(text, self._recipe, KINDS, self._ignored, self._templates)
        return [Span(span.start, span.end, REASONS[span.reason]) for span in found]
