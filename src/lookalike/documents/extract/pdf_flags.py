"""What is odd about a PDF as a whole: pages that are pictures among typed ones, letters that no program can read."""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lookalike.documents.extract.model import PICTURES, UNREADABLE, Flag

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["PageLook", "flags_of_pages", "unmapped_share"]

_SAMPLED: Final = 200
"""Letters of a page that are looked at."""
_UNMAPPED: Final = 0.2
"""The share of letters without a usable map from which a page counts as unreadable."""
_LEAST_DRAWN: Final = 200
_LEAST_READ: Final = 0.3
_LEAST_LETTERS: Final = 400
_MOST_LETTERS: Final = 20_000
_NO_LANGUAGE: Final = 4.75
"""Bits for a letter. Of nine languages measured, from English to Vietnamese, the highest takes 4.49; of texts in which
the letters of English are exchanged at random, 98 in 100 take more than this."""
_SHARES: Final = dict(
    zip(
        "abcdefghijklmnopqrstuvwxyz",
        (
            *(9.5, 1.6, 2.9, 4.2, 13, 1.4, 1.8, 2.8, 7.8, 0.8, 1.8, 4.5, 3),
            *(7.5, 6.5, 2.4, 0.4, 6.5, 6.5, 6.5, 4.3, 1.6, 1.3, 0.25, 1.6, 1.6),
        ),
        strict=True,
    )
)
"""How often a letter is met, in per cent, over the languages with the Latin alphabet."""


@dataclass(frozen=True, slots=True)
class PageLook:
    """What a page looks like."""

    letters: int
    """How many were read."""
    picture: bool = False
    drawn: float = 0.0
    """About how many letters one sees, by the room that they take."""
    unmapped: float = 0.0
    """The share of letters that have no usable map to Unicode."""

    @property
    def is_picture(self) -> bool:
        """Whether there is nothing on the page but a picture."""
        return self.picture and not self.letters

    @property
    def is_unreadable(self) -> bool:
        """Whether one sees letters that a program does not."""
        lost = self.drawn >= _LEAST_DRAWN and self.letters < _LEAST_READ * self.drawn
        return lost or self.unmapped > _UNMAPPED


def flags_of_pages(pages: Sequence[PageLook], text: str) -> Iterator[Flag]:
    """Give the flags of a document.

    >>> pages = [PageLook(1800), PageLook(0, picture=True), PageLook(0, picture=True), PageLook(900)]
    >>> [flag.detail for flag in flags_of_pages(pages, "text")]
    ['pages 2–3 are pictures, whose text is not read; have it recognised (OCR)']
    """
    unreadable = [number for number, page in enumerate(pages, 1) if page.is_unreadable]
    if unreadable:
        use = "uses" if len(unreadable) == 1 else "use"
        said = f"{_listed(unreadable)} {use} a font that does not say which letters it shows"
        detail = f"{said}; what is read is not what one sees: ask for another file, or use OCR"
        yield Flag(UNREADABLE, detail, len(unreadable))
    elif _says_nothing(text):
        detail = "its letters are not spread as in any language; what one sees may be other text: look, or use OCR"
        yield Flag(UNREADABLE, detail, len(pages))
    pictures = [number for number, page in enumerate(pages, 1) if page.is_picture]
    if pictures:
        are = "is a picture" if len(pictures) == 1 else "are pictures"
        detail = f"{_listed(pictures)} {are}, whose text is not read; have it recognised (OCR)"
        yield Flag(PICTURES, detail, len(pictures))


def _listed(numbers: Sequence[int]) -> str:
    """Name pages.

    >>> _listed([3]), _listed([2, 3, 7])
    ('page 3', 'pages 2–3, 7')
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    named = ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in runs[:10])
    return f"page{'s' * (len(numbers) > 1)} {named}{' …' * (len(runs) > 10)}"


def unmapped_share(text_page: Any, count: int) -> float:
    """Return the share of the letters of a page that have no usable map to Unicode, by a sample."""
    from pypdfium2 import raw

    numbers = range(0, count, max(1, count // _SAMPLED))
    seen = bad = 0
    for number in numbers:
        letter = chr(raw.FPDFText_GetUnicode(text_page, number))
        if letter.isspace() or raw.FPDFText_IsGenerated(text_page, number) == 1:
            continue
        seen += 1
        bad += raw.FPDFText_HasUnicodeMapError(text_page, number) == 1 or _is_no_letter(letter)
    return bad / seen if seen else 0.0


def _is_no_letter(letter: str) -> bool:
    """Say whether a character is none that a text has: private, not assigned, or the sign for an unknown one."""
    return letter == "\ufffd" or (not letter.isascii() and unicodedata.category(letter) in ("Co", "Cn"))


def _says_nothing(text: str) -> bool:
    """Say whether a text in Latin letters has them as often as no language has: its font tells the wrong ones."""
    sample = _plain(text[:_MOST_LETTERS])
    counts = Counter(letter for letter in sample if letter in _SHARES)
    letters = counts.total()
    if letters < _LEAST_LETTERS or letters < 0.8 * sum(letter.isalpha() for letter in sample):
        return False
    whole = sum(_SHARES.values())
    bits = -sum(number * math.log2(_SHARES[letter] / whole) for letter, number in counts.items()) / letters
    return bits > _NO_LANGUAGE


def _plain(text: str) -> Iterable[str]:
    return [letter for letter in unicodedata.normalize("NFD", text.casefold()) if not unicodedata.combining(letter)]
