"""What comes out of a document: its text and what is odd about it; or why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["HIDDEN", "LETTERS", "PICTURES", "UNREADABLE", "Extracted", "Flag", "RefusedError"]

HIDDEN: Final = "hidden text"
LETTERS: Final = "look-alike letters"
UNREADABLE: Final = "unreadable letters"
PICTURES: Final = "pictures"


@dataclass(frozen=True, slots=True)
class Flag:
    """Something in a document that a reader would not see, and that copiers use."""

    kind: str
    """``hidden text``, ``look-alike letters``, ``invisible characters``, ``unreadable letters``, ``pictures`` or
    ``attachments``."""
    detail: str
    """A sentence for a person."""
    count: int = 1
    """How many words, or pages, are concerned."""
    places: tuple[tuple[int, str], ...] = ()
    """Look-alike letters: where the text has another letter than the document, and which that has."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """The text of a document, without mark-up."""

    text: str
    flags: tuple[Flag, ...] = ()
    encoding: str = ""
    """The encoding it was read in, if the document is a text with mark-up."""
    guessed: bool = False
    """Whether the encoding is a guess."""


class RefusedError(Exception):
    """A document that cannot be read: why, in one word to count and in a sentence for a person."""

    def __init__(self, reason: str, detail: str) -> None:
        """Keep both."""
        self.reason = reason
        self.detail = detail
        super().__init__(f"{reason}: {detail}")
