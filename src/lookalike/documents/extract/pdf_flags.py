"""What is unusual about a PDF: invisible text, letters that no program can read, pages that are pictures."""

from __future__ import annotations

import ctypes
import math
import unicodedata
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lookalike.documents.document_batches import PICTURES, UNREADABLE, Flag, RefusedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["PageLook", "flags_of_pages", "hidden_objects", "refused_without_text", "unmapped_share"]


# -- hidden text -------------------------------------------------------------------------------------------------------

_TEXT, _PATH, _IMAGE, _SHADING, _FORM = 1, 2, 3, 4, 5
_INVISIBLE: Final = 3
_WHITE: Final = 250
_TINY: Final = 2.0
_MOST_OBJECTS: Final = 5000
"""Pages with more are drawings; looking at each of their objects would take longer than reading a book."""


@dataclass(frozen=True, slots=True)
class _Box:
    left: float
    bottom: float
    right: float
    top: float

    def covers(self, other: _Box) -> bool:
        x, y = (other.left + other.right) / 2, (other.bottom + other.top) / 2
        return self.left <= x <= self.right and self.bottom <= y <= self.top

    def misses(self, other: _Box) -> bool:
        apart = self.right < other.left or self.left > other.right
        return apart or self.top < other.bottom or self.bottom > other.top


def hidden_objects(page: Any) -> tuple[set[int], bool, float]:
    """Return the addresses of the text objects that cannot be seen, whether the page has a picture, and roughly
    how many letters are visible.
    """
    from pypdfium2 import raw

    count = raw.FPDFPage_CountObjects(page)
    sheet = _Box(*page.get_bbox())
    inkless: set[int] = set()
    hidden: set[int] = set()
    texts = 0
    pictures = False
    drawn = 0.0
    coloured: list[_Box] = []
    for number in range(min(count, _MOST_OBJECTS)):
        handle = raw.FPDFPage_GetObject(page, number)
        kind = raw.FPDFPageObj_GetType(handle)
        pictures = pictures or kind == _IMAGE
        if kind != _TEXT:
            if _colours(handle, kind):
                coloured.append(_bounds(handle))
            continue
        texts += 1
        address = ctypes.cast(handle, ctypes.c_void_p).value or 0
        if raw.FPDFTextObj_GetTextRenderMode(handle) == _INVISIBLE:
            inkless.add(address)
        elif _unseen(handle, sheet, coloured):
            hidden.add(address)
        else:
            drawn += _letters_in(_bounds(handle), _size(handle))
    # A scan with recognised text: the invisible letters lie over their own picture.
    if pictures and len(inkless) == texts:
        inkless = set()
    return hidden | inkless, pictures, drawn


def _colours(handle: Any, kind: int) -> bool:
    """Return whether an object may colour what is behind a text."""
    from pypdfium2 import raw

    if kind != _PATH:
        return kind in (_IMAGE, _SHADING, _FORM)
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    raw.FPDFPath_GetDrawMode(handle, ctypes.byref(fill), ctypes.byref(stroke))
    return bool(fill.value) and not _is_white(handle)


def _unseen(handle: Any, sheet: _Box, coloured: list[_Box]) -> bool:
    box = _bounds(handle)
    if box.left == box.right:  # blanks
        return False
    if box.misses(sheet) or _size(handle) < _TINY:
        return True
    return _is_white(handle) and not any(area.covers(box) for area in coloured)


def _letters_in(box: _Box, size: float) -> float:
    """Return roughly how many letters take this space: a letter is half as wide as it is high."""
    return max(box.right - box.left, box.top - box.bottom) / (0.5 * size) if size > 0 else 0.0


def _bounds(handle: Any) -> _Box:
    from pypdfium2 import raw

    edges = [ctypes.c_float() for _ in range(4)]
    raw.FPDFPageObj_GetBounds(handle, *map(ctypes.byref, edges))
    return _Box(*(edge.value for edge in edges))


def _is_white(handle: Any) -> bool:
    """Return whether an object is filled with white, or with a transparent colour."""
    from pypdfium2 import raw

    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    if not raw.FPDFPageObj_GetFillColor(handle, *map(ctypes.byref, (red, green, blue, alpha))):
        return False
    return alpha.value == 0 or min(red.value, green.value, blue.value) >= _WHITE


def _size(handle: Any) -> float:
    """Return the size of letters on the page, in points."""
    from pypdfium2 import raw

    size = ctypes.c_float()
    matrix = raw.FS_MATRIX()
    if not raw.FPDFTextObj_GetFontSize(handle, ctypes.byref(size)):
        return _TINY
    raw.FPDFPageObj_GetMatrix(handle, ctypes.byref(matrix))
    scale = max(abs(matrix.a), abs(matrix.b), abs(matrix.c), abs(matrix.d))
    return float(abs(size.value) * scale)


# -- unreadable letters, and pages that are pictures -------------------------------------------------------------------

_SAMPLED: Final = 200
"""Letters of a page that are sampled."""
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
    """Roughly how many letters are visible, by the space that they take."""
    unmapped: float = 0.0
    """The share of letters that have no usable map to Unicode."""

    @property
    def is_picture(self) -> bool:
        """Whether there is nothing on the page but a picture."""
        return self.picture and not self.letters

    @property
    def is_unreadable(self) -> bool:
        """Whether there are visible letters that a program cannot read."""
        lost = self.drawn >= _LEAST_DRAWN and self.letters < _LEAST_READ * self.drawn
        return lost or self.unmapped > _UNMAPPED


def flags_of_pages(pages: Sequence[PageLook], text: str) -> Iterator[Flag]:
    """Yield the flags of a document.

    >>> pages = [PageLook(1800), PageLook(0, picture=True), PageLook(0, picture=True), PageLook(900)]
    >>> [flag.detail for flag in flags_of_pages(pages, "text")]
    ['pages 2–3 are pictures, whose text is not read; use OCR']
    """
    unreadable = [number for number, page in enumerate(pages, 1) if page.is_unreadable]
    if unreadable:
        use = "uses" if len(unreadable) == 1 else "use"
        said = f"{_listed(unreadable)} {use} a font that does not say which letters it shows"
        detail = f"{said}; what is read differs from what is visible: ask for another file, or use OCR"
        yield Flag(UNREADABLE, detail, len(unreadable))
    elif _says_nothing(text):
        detail = (
            "its letters are not distributed as in any language; the visible text may differ: look at it, or use OCR"
        )
        yield Flag(UNREADABLE, detail, len(pages))
    pictures = [number for number, page in enumerate(pages, 1) if page.is_picture]
    if pictures:
        are = "is a picture" if len(pictures) == 1 else "are pictures"
        detail = f"{_listed(pictures)} {are}, whose text is not read; use OCR"
        yield Flag(PICTURES, detail, len(pictures))


def refused_without_text(pages: Sequence[PageLook], hidden: str) -> RefusedError:
    """Say why no text is left of a document; `hidden` is what a reader does not see."""
    if any(page.is_unreadable for page in pages):
        return RefusedError("no text", "its font does not say which letters it shows; ask for another file, or use OCR")
    if hidden.strip():
        return RefusedError("no text", "all its text is hidden from a reader")
    if any(page.picture for page in pages):
        return RefusedError("no text", "a scan: its pages are pictures; run text recognition (OCR) first")
    return RefusedError("no text", "its pages have no text")


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
    """Return whether a character is none that a text has: private, not assigned, or the sign for an unknown one."""
    return letter == "\ufffd" or (not letter.isascii() and unicodedata.category(letter) in ("Co", "Cn"))


def _says_nothing(text: str) -> bool:
    """Return whether a text in Latin letters has them in frequencies of no language: its font maps them wrongly."""
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
