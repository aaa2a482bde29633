"""Text as it is put together from the pieces of a document: white space tidied, hidden pieces kept apart."""

from __future__ import annotations

import re
from typing import Final

from lookalike.documents.extract.letters import unmasked, without_invisible
from lookalike.documents.extract.limits import LARGEST_TEXT
from lookalike.documents.extract.model import HIDDEN, LETTERS, Extracted, Flag, RefusedError

__all__ = ["Writer", "finished"]

_SPACES: Final = re.compile(r"[ \t\r\f\v\xa0]+")
_AROUND_BREAK: Final = re.compile(r" ?\n ?")
_BREAKS: Final = re.compile(r"\n{3,}")
_SHOWN: Final = 60


class Writer:
    """Collects the pieces of a text; what is hidden is counted and not written."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._pieces: list[str] = []
        self._hidden: list[str] = []
        self._size = 0

    def add(self, piece: str, *, hidden: bool = False) -> None:
        """Add a piece of text."""
        self._size += len(piece)
        if self._size > LARGEST_TEXT:
            raise RefusedError("too large", f"its text is longer than {LARGEST_TEXT >> 20} MiB")
        (self._hidden if hidden else self._pieces).append(piece)

    def paragraph(self) -> None:
        """End a paragraph."""
        self._pieces.append("\n\n")
        if self._hidden:
            self._hidden.append(" ")

    def line(self) -> None:
        """End a line."""
        self._pieces.append("\n")

    @property
    def is_empty(self) -> bool:
        """Whether nothing that can be seen was written."""
        return not any(piece.strip() for piece in self._pieces)

    @property
    def text(self) -> str:
        """All that was written, with tidy white space."""
        text = _SPACES.sub(" ", "".join(self._pieces))
        text = _AROUND_BREAK.sub("\n", text)
        return _BREAKS.sub("\n\n", text).strip()

    @property
    def hidden(self) -> str:
        """All that was hidden."""
        return " ".join("".join(self._hidden).split())

    def extracted(self) -> Extracted:
        """Return text and flags."""
        return finished(self.text, self.hidden)


def finished(text: str, hidden: str = "", flags: tuple[Flag, ...] = (), encoding: str = "") -> Extracted:
    """Return a text with all its flags; what is hidden is flagged, and is not in the text."""
    found = list(flags)
    words = len(hidden.split())
    if words:
        shown = hidden if len(hidden) <= _SHOWN else hidden[:_SHOWN].rstrip() + " …"
        noun = "word is" if words == 1 else "words are"
        found.append(Flag(HIDDEN, f"{words} {noun} in the file that a reader cannot see, and left out: {shown}", words))
    seen = without_invisible(text)
    odd = [flag for flag in unmasked(text)[1] if flag.kind != LETTERS] if len(seen) != len(text) else []
    clean, letters = unmasked(seen)
    return Extracted(clean, (*found, *letters, *odd), encoding)
