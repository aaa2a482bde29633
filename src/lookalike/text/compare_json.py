"""A comparison as plain values, with the lines and the words of its passages: `lookalike compare --format json`."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from lookalike.text.compare import Comparison
    from lookalike.text.passages import Passage

__all__ = ["Lines", "Named", "longest", "to_values"]


class Named(Protocol):
    """A text with a name."""

    @property
    def name(self) -> str | None:
        """What it is called; None if it has no name."""

    @property
    def text(self) -> str:
        """The text itself."""


class Lines:
    r"""Line numbers of a text, counted from 1 as editors do: \n, \r\n and \r end a line; and pages, if it has any.

    >>> lines = Lines("one\r\ntwo\rthree")
    >>> lines.at(0), lines.at(5), lines.at(9), lines.page(9)
    (1, 2, 3, None)
    >>> Lines("first page\n\n\fsecond page").page(15)
    2
    """

    def __init__(self, text: str) -> None:
        """Note where the lines begin, and the pages."""
        self._starts = [0, *(end.end() for end in re.finditer("\r\n|\r|\n", text))]
        # A form feed on a line of its own is what programmers put between two parts of a program.
        pages = "\f" in text and not re.search("\f\r?\n", text)
        self._pages = [0, *(end.end() for end in re.finditer("\f", text))] if pages else []

    def at(self, offset: int) -> int:
        """Return the number of the line that holds the character at `offset`."""
        return bisect_right(self._starts, offset)

    def page(self, offset: int) -> int | None:
        """Return the number of the page that holds the character at `offset`; None if the text has no pages."""
        return bisect_right(self._pages, offset) if self._pages else None


def longest(passages: tuple[Passage, ...], top: int) -> list[Passage]:
    """Return the `top` longest passages, longest first; 0 means all. Equal ones keep their order in A."""
    ranked = sorted(passages, key=lambda passage: -passage.units)
    return ranked[:top] if top else ranked


def to_values(a: Named, b: Named, found: Comparison, *, top: int = 0) -> dict[str, Any]:
    """Return the JSON object; passages come in the order of A, the `top` longest of them alone unless that is 0."""
    chosen = set(longest(found.passages, top))
    lines_a, lines_b = Lines(a.text), Lines(b.text)
    values = found.to_dict()
    values["passages"] = [
        {
            **plain,
            "a_line": lines_a.at(passage.a_start),
            "b_line": lines_b.at(passage.b_start),
            "a_page": lines_a.page(passage.a_start),
            "b_page": lines_b.page(passage.b_start),
            "text": a.text[passage.a_start : passage.a_end],
        }
        for passage, plain in zip(found.passages, values["passages"], strict=True)
        if passage in chosen
    ]
    return {"schema": values.pop("schema"), "a": a.name, "b": b.name, **values}
