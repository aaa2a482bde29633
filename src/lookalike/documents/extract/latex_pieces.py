"""A long LaTeX source in pieces: the parser takes quadratic time, so it is never given much at once."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["pieces"]

LEAST: Final = 1 << 14
"""Characters after which a source is cut at the next good place: between paragraphs, outside all braces."""
MOST: Final = 1 << 16
"""Characters after which it is cut anywhere."""

_MARK: Final = re.compile(r"\\(?:begin|end)(?![a-zA-Z])|\\.|%[^\n]*+|[{}]|\n[ \t\r]*+\n", re.DOTALL)


def pieces(source: str, least: int = LEAST, most: int = MOST) -> Iterator[str]:
    r"""Cut a source between paragraphs where no group or environment is open, if there is such a place.

    >>> list(pieces("one {\n\n two}\n\nthree\n\nfour", 6, 20))
    ['one {\n\n two}\n\n', 'three\n\n', 'four']
    """
    good, blank = _places(source) if len(source) > least else ([], [])
    start = 0
    while len(source) - start > least:
        end = _end(source, start, good, blank, least, most)
        yield source[start:end]
        start = end
    yield source[start:]


def _end(source: str, start: int, good: list[int], blank: list[int], least: int, most: int) -> int:
    """Return where to cut: at a good place, else behind a blank line, a line, a blank, or anywhere."""
    last = start + most
    if (at := bisect_left(good, start + least)) < len(good) and good[at] <= last:
        return good[at]
    if last >= len(source):
        return len(source)
    if (at := bisect_right(blank, last)) and blank[at - 1] > start:
        return blank[at - 1]
    return source.rfind("\n", start, last) + 1 or source.rfind(" ", start, last) + 1 or last


def _places(source: str) -> tuple[list[int], list[int]]:
    """Return the ends of blank lines that are outside all braces and environments, and of all of them."""
    good: list[int] = []
    blank: list[int] = []
    depth = environments = 0
    for found in _MARK.finditer(source):
        mark = found[0]
        if mark[0] == "\n":
            blank.append(found.end())
            if not depth and not environments:
                good.append(found.end())
        elif mark == "{":
            depth += 1
        elif mark == "}":
            depth = max(0, depth - 1)
        elif mark == r"\begin":
            environments += 1
        elif mark == r"\end":
            environments = max(0, environments - 1)
    return good, blank
