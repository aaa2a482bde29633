"""Which text of a PDF page nobody sees: without ink, white on white, tiny, or beside the page."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Final

__all__ = ["hidden_objects"]

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
    """Return the addresses of the text objects that cannot be seen, whether the page has a picture, and about how many
    letters one sees.
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
    # A scan with recognised text: the letters lie unseen over the picture of themselves.
    if pictures and len(inkless) == texts:
        inkless = set()
    return hidden | inkless, pictures, drawn


def _colours(handle: Any, kind: int) -> bool:
    """Say whether an object may colour what is behind a text."""
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
    """Return about how many letters take this room: one is half as wide as it is high."""
    return max(box.right - box.left, box.top - box.bottom) / (0.5 * size) if size > 0 else 0.0


def _bounds(handle: Any) -> _Box:
    from pypdfium2 import raw

    edges = [ctypes.c_float() for _ in range(4)]
    raw.FPDFPageObj_GetBounds(handle, *map(ctypes.byref, edges))
    return _Box(*(edge.value for edge in edges))


def _is_white(handle: Any) -> bool:
    """Say whether an object is filled with white, or with a colour that one sees through."""
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
