"""Globs on paths: ``*``, ``?`` and ``[…]`` inside a name, ``**`` across folders.

The work for one path grows with the length of the pattern times the length of the path, whatever the pattern: one from
an unknown ``.gitignore`` cannot make it run for ever.
"""

from __future__ import annotations

import re
from fnmatch import translate
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["Glob"]

# fnmatch puts each "*" with what follows it into an atomic group, so that matching never goes back.
_ANYTHING: Final = "**"


class Glob:
    """One pattern for POSIX paths that are relative to a folder.

    A pattern without a slash is for the last name of a path, in any folder; one with a slash, for the whole path.

    >>> Glob("*.txt").matches("notes/a.txt"), Glob("/*.txt").matches("notes/a.txt")
    (True, False)
    >>> Glob("drafts/**/*.txt").matches("drafts/a.txt"), Glob("drafts/**").matches("drafts")
    (True, False)
    """

    __slots__ = ("_parts", "pattern")

    def __init__(self, pattern: str) -> None:
        """Compile a pattern; a slash at the end is taken off."""
        self.pattern = pattern
        body = pattern.rstrip("/")
        anchored = "/" in body
        parts = [part for part in body.split("/") if part not in ("", ".")]
        if not anchored:
            parts = [_ANYTHING, *parts]
        self._parts: list[Callable[[str], object] | None] = [
            None if part == _ANYTHING else re.compile(translate(_without_escapes(part))).match for part in parts
        ]

    def matches(self, path: str) -> bool:
        """Say whether the whole of a path matches."""
        return self.matches_names(path.split("/"))

    def matches_names(self, names: Sequence[str]) -> bool:
        """Say whether the whole of a path, given as its names, matches."""
        # reached[i]: the parts so far can stand for the first i names.
        reached = [True] + [False] * len(names)
        last = len(self._parts) - 1
        for number, part in enumerate(self._parts):
            if part is None:
                first = reached.index(True) if True in reached else len(reached)
                if number == last:
                    first += 1  # "a/**" is what is in a, not a itself
                reached = [i >= first for i in range(len(reached))]
            else:
                reached = [False] + [bool(before and part(name)) for before, name in zip(reached, names, strict=False)]
        return reached[-1]


def _without_escapes(part: str) -> str:
    r"""Turn ``\*``, as in .gitignore, into ``[*]``."""
    return re.sub(r"\\(.)", lambda found: f"[{found[1]}]" if found[1] in "*?[" else found[1], part)
