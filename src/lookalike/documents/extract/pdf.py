"""PDF, by PDFium, the reader of Chromium: the lines of each page and where they stand; hidden text kept apart."""

from __future__ import annotations

import ctypes
import re
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from lookalike.documents.extract.limits import LARGEST_TEXT
from lookalike.documents.extract.model import Extracted, RefusedError
from lookalike.documents.extract.pdf_flags import PageLook, flags_of_pages, unmapped_share
from lookalike.documents.extract.pdf_hidden import hidden_objects
from lookalike.documents.extract.pdf_lines import DIVIDED, Line, Page, flowing_text, without_furniture
from lookalike.documents.extract.pdf_order import Glyph, has_right_to_left, in_reading_order, is_leftward
from lookalike.documents.extract.writing import finished

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["read_pdf"]

# What PDFium puts in the place of a hyphen at the end of a line and the break after it. The line behind it may be a
# footer, so the two are parted here, and put together when that is gone.
_HYPHENS: Final = ("\ufffe", "\x02")
_PIECES: Final = re.compile("[^\ufffe\x02]+[\ufffe\x02]?|[\ufffe\x02]")
_CONTROL: Final = {code: None for code in range(32) if code not in (9, 10, 13)} | {2: DIVIDED, 0xFFFF: None}
_LONGEST_FONT: Final = 64
_USUAL_SIZE: Final = 10.0
_LONGEST_LINE: Final = 4000
"""Letters of a line that is put in order: no page has longer ones."""


def read_pdf(file: BinaryIO, encoding: str) -> Extracted:
    """Read a document page by page."""
    del encoding
    document = _opened(file)
    try:
        pages: list[Page] = []
        hidden: list[str] = []
        looks: list[PageLook] = []
        size = 0
        for number in range(len(document)):
            page, unseen, look = _page(document, number)
            pages.append(page)
            hidden.append(unseen)
            looks.append(look)
            size += sum(len(line.text) for line in page.lines)
            if size > LARGEST_TEXT:
                raise RefusedError("too large", f"its text is longer than {LARGEST_TEXT >> 20} MiB")
    finally:
        document.close()
    text = flowing_text(without_furniture(pages))
    if not text.strip():
        raise _no_text(looks, "".join(hidden))
    return finished(text, " ".join(" ".join(hidden).split()), tuple(flags_of_pages(looks, text)))


def _no_text(looks: Sequence[PageLook], hidden: str) -> RefusedError:
    pictures = any(look.picture for look in looks)
    if any(look.is_unreadable for look in looks):
        return RefusedError(
            "no text", "its font does not tell which letters it shows; ask for another file, or use OCR"
        )
    if hidden.strip():
        return RefusedError("no text", "all its text is hidden from a reader")
    if pictures:
        return RefusedError("no text", "a scan: its pages are pictures; have the text recognised first (OCR)")
    return RefusedError("no text", "its pages have no text")


def _opened(file: BinaryIO) -> Any:
    import pypdfium2

    start = file.read(1024)
    file.seek(0)
    if b"%PDF-" not in start:
        raise RefusedError("damaged", "it is not what its name says: no PDF document")
    name = getattr(file, "name", None)
    try:
        document = pypdfium2.PdfDocument(name if isinstance(name, str) else file.read())
        if not len(document):
            raise RefusedError("damaged", "it has no pages")
    except pypdfium2.PdfiumError as error:
        if "assword" in str(error) or "ecurity" in str(error):
            raise RefusedError("encrypted", "it has a password; save it without one") from None
        raise RefusedError("damaged", "it is not a whole PDF document") from None
    return document


def _page(document: Any, number: int) -> tuple[Page, str, PageLook]:
    """Return the lines of a page, its hidden text, and what it looks like."""
    import pypdfium2

    try:
        page = document[number]
    except pypdfium2.PdfiumError:
        return Page([], 0.0, 1.0), "", PageLook(0)
    try:
        _, bottom, _, top = page.get_bbox()
        text_page = page.get_textpage()
        hidden, pictures, drawn = hidden_objects(page)
        reader = _Letters(text_page)
        if hidden:
            lines, unseen = reader.lines_without(hidden)
        else:
            lines, unseen = list(reader.lines()), ""
        unmapped = unmapped_share(text_page, text_page.count_chars())
        text_page.close()
    finally:
        page.close()
    letters = sum(len(line.text) for line in lines)
    return Page(lines, bottom, top), unseen, PageLook(letters, pictures, drawn, unmapped)


class _Letters:
    """The letters of a page, which PDFium numbers, and their places."""

    def __init__(self, text_page: Any) -> None:
        self._page = text_page
        self._leftward: bool | None = None

    def lines(self) -> Iterator[Line]:
        """Give the lines: the text at once, then the place of the first and the last letter of each line."""
        from pypdfium2.raw import FPDFText_GetCharIndexFromTextIndex

        position = 0
        for row in self._page.get_text_range().split("\r\n"):
            for piece in _PIECES.findall(row):
                if text := piece.translate(_CONTROL).strip():
                    start = position + len(piece) - len(piece.lstrip())
                    end = position + _units(piece.rstrip()) - (2 if text[-1] == DIVIDED and len(text) > 1 else 1)
                    first = FPDFText_GetCharIndexFromTextIndex(self._page, start)
                    last = FPDFText_GetCharIndexFromTextIndex(self._page, end)
                    yield self._line(text, range(first, last + 1))
                position += _units(piece)
            position += 2

    def lines_without(self, hidden: set[int]) -> tuple[list[Line], str]:
        """Return the lines without the letters of hidden objects, and those letters; letter by letter."""
        from pypdfium2.raw import FPDFText_GetTextObject, FPDFText_GetUnicode

        lines: list[Line] = []
        unseen: list[str] = []
        seen: list[str] = []
        numbers: list[int] = []
        hiding = False
        count = self._page.count_chars()
        for index in range(count + 1):
            letter = chr(FPDFText_GetUnicode(self._page, index)) if index < count else "\n"
            handle = ctypes.cast(FPDFText_GetTextObject(self._page, index), ctypes.c_void_p).value
            hiding = handle in hidden if handle else hiding
            if letter in "\r\n" or hiding:
                unseen.append(letter if hiding else "\n")
            if letter not in "\r\n" and not hiding:
                seen.append(letter)
                if not letter.isspace() and letter not in _HYPHENS:
                    numbers.append(index)
            if letter in "\r\n" or (letter in _HYPHENS and not hiding):
                text = _whole("".join(seen)).translate(_CONTROL).strip()
                if text and numbers:
                    lines.append(self._line(text, numbers))
                seen, numbers = [], []
        return lines, " ".join(_whole("".join(unseen)).split())

    def _line(self, text: str, numbers: Sequence[int]) -> Line:
        first, last = numbers[0], numbers[-1]
        left, baseline = self._place(first)
        style = self._style(first)
        right = self._edges(last)[1]
        if len(numbers) <= _LONGEST_LINE and has_right_to_left(text):
            glyphs = [Glyph(self._letter(number), *self._edges(number), self._ink(number)) for number in numbers]
            end = DIVIDED if text.endswith(DIVIDED) else ""
            if self._leftward is None:
                self._leftward = is_leftward(self._page.get_text_range())
            text = in_reading_order(glyphs, style[0] or _USUAL_SIZE, leftward=self._leftward) + end or text
            left, right = min(glyph.left for glyph in glyphs), max(glyph.right for glyph in glyphs)
        return Line(text, left, baseline, right, style if style == self._style(last) else None)

    def _letter(self, index: int) -> str:
        from pypdfium2.raw import FPDFText_GetUnicode

        return chr(FPDFText_GetUnicode(self._page, index))

    def _place(self, index: int) -> tuple[float, float]:
        """Return left and baseline of a letter."""
        from pypdfium2.raw import FPDFText_GetCharOrigin

        x, y = ctypes.c_double(), ctypes.c_double()
        if index < 0 or not FPDFText_GetCharOrigin(self._page, index, ctypes.byref(x), ctypes.byref(y)):
            return 0.0, 0.0
        return x.value, y.value

    def _edges(self, index: int) -> tuple[float, float]:
        """Return the left and the right edge of the room that a letter takes."""
        from pypdfium2 import raw

        box = raw.FS_RECTF()
        left = self._place(index)[0]
        if index < 0 or not raw.FPDFText_GetLooseCharBox(self._page, index, ctypes.byref(box)):
            return left, left
        return min(left, box.left, box.right), max(box.left, box.right)

    def _ink(self, index: int) -> tuple[float, float] | None:
        """Return the left and the right edge of what is drawn of a letter."""
        from pypdfium2.raw import FPDFText_GetCharBox

        edges = [ctypes.c_double() for _ in range(4)]  # left, right, bottom, top
        if not FPDFText_GetCharBox(self._page, index, *map(ctypes.byref, edges)):
            return None
        return edges[0].value, edges[1].value

    def _style(self, index: int) -> tuple[float, str]:
        """Return the size of a letter on the page, and its font."""
        from pypdfium2 import raw

        if index < 0:
            return 0.0, ""
        matrix, name = raw.FS_MATRIX(), ctypes.create_string_buffer(_LONGEST_FONT)
        scale = 1.0
        if raw.FPDFText_GetMatrix(self._page, index, ctypes.byref(matrix)):
            scale = max(abs(matrix.c), abs(matrix.d))
        length = raw.FPDFText_GetFontInfo(self._page, index, name, _LONGEST_FONT, None)
        size = raw.FPDFText_GetFontSize(self._page, index) * scale
        return round(size, 1), name.value.decode("utf-8", "replace") if length else ""


def _units(text: str) -> int:
    """Return the length in units of UTF-16, in which PDFium counts."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _whole(letters: str) -> str:
    """Put the two halves of rare characters together."""
    return letters.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
