"""PDF, by PDFium, the reader of Chromium: the lines of each page and where they stand; hidden text kept apart."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from lookalike.documents.extract.limits import LARGEST_TEXT
from lookalike.documents.extract.model import Extracted, RefusedError
from lookalike.documents.extract.pdf_hidden import hidden_objects
from lookalike.documents.extract.pdf_lines import Line, Page, flowing_text, without_furniture
from lookalike.documents.extract.writing import finished

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["read_pdf"]

# U+FFFE or U+0002 is what PDFium puts in the place of a hyphen at the end of a line and the break after it: without it
# the word is whole again.
_CONTROL: Final = {code: None for code in range(32) if code not in (9, 10, 13)} | {0xFFFE: None, 0xFFFF: None}


def read_pdf(file: BinaryIO, encoding: str) -> Extracted:
    """Read a document page by page."""
    del encoding
    document = _opened(file)
    try:
        pages: list[Page] = []
        hidden: list[str] = []
        size = pictures = 0
        for number in range(len(document)):
            page, unseen, has_picture = _page(document, number)
            pages.append(page)
            hidden.append(unseen)
            pictures += has_picture
            size += sum(len(line.text) for line in page.lines)
            if size > LARGEST_TEXT:
                raise RefusedError("too large", f"its text is longer than {LARGEST_TEXT >> 20} MiB")
    finally:
        document.close()
    text = flowing_text(without_furniture(pages))
    if not text:
        raise _no_text(bool(pictures), "".join(hidden))
    return finished(text, " ".join(" ".join(hidden).split()))


def _no_text(pictures: bool, hidden: str) -> RefusedError:
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


def _page(document: Any, number: int) -> tuple[Page, str, bool]:
    """Return the lines of a page, its hidden text, and whether it has a picture."""
    import pypdfium2

    try:
        page = document[number]
    except pypdfium2.PdfiumError:
        return Page([], 0.0, 1.0), "", False
    try:
        _, bottom, _, top = page.get_bbox()
        text_page = page.get_textpage()
        hidden, pictures = hidden_objects(page)
        if hidden:
            lines, unseen = _lines_without(text_page, hidden)
        else:
            lines, unseen = list(_lines(text_page)), ""
        text_page.close()
    finally:
        page.close()
    return Page(lines, bottom, top), unseen, pictures


def _lines(text_page: Any) -> Iterator[Line]:
    """Give the lines of a page: the text at once, then the place of the first and the last letter of each line."""
    from pypdfium2.raw import FPDFText_GetCharIndexFromTextIndex

    position = 0
    for line in text_page.get_text_range().split("\r\n"):
        text = line.translate(_CONTROL).strip()
        if text:
            first = FPDFText_GetCharIndexFromTextIndex(text_page, position + len(line) - len(line.lstrip()))
            last = FPDFText_GetCharIndexFromTextIndex(text_page, position + _units(line.rstrip()) - 1)
            yield Line(text, *_place(text_page, first), _place(text_page, last)[1])
        position += _units(line) + 2


def _units(text: str) -> int:
    """Return the length in units of UTF-16, in which PDFium counts."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _lines_without(text_page: Any, hidden: set[int]) -> tuple[list[Line], str]:
    """Return the lines of a page without the letters of hidden objects, and those letters; letter by letter."""
    from pypdfium2.raw import FPDFText_GetTextObject, FPDFText_GetUnicode

    lines: list[Line] = []
    unseen: list[str] = []
    seen: list[str] = []
    first = last = -1
    hiding = False
    for index in range(text_page.count_chars() + 1):
        letter = chr(FPDFText_GetUnicode(text_page, index)) if index < text_page.count_chars() else "\n"
        handle = ctypes.cast(FPDFText_GetTextObject(text_page, index), ctypes.c_void_p).value
        hiding = handle in hidden if handle else hiding
        if letter in "\r\n" or hiding:
            unseen.append(letter if hiding else "\n")
        if letter in "\r\n":
            text = _whole("".join(seen)).translate(_CONTROL).strip()
            if text:
                lines.append(Line(text, *_place(text_page, first), _place(text_page, last)[1]))
            seen, first = [], -1
        elif not hiding:
            if not letter.isspace():
                first, last = index if first < 0 else first, index
            seen.append(letter)
    return lines, " ".join(_whole("".join(unseen)).split())


def _whole(letters: str) -> str:
    """Put the two halves of rare characters together."""
    return letters.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _place(text_page: Any, index: int) -> tuple[float, float]:
    """Return left and baseline of a letter."""
    from pypdfium2.raw import FPDFText_GetCharOrigin

    x, y = ctypes.c_double(), ctypes.c_double()
    if index < 0 or not FPDFText_GetCharOrigin(text_page, index, ctypes.byref(x), ctypes.byref(y)):
        return 0.0, 0.0
    return x.value, y.value
