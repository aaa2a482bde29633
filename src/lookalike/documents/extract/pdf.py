"""PDF files, read by PDFium, the reader of Chromium: the lines of each page and where they stand.

A PDF holds glyphs and their positions. Programs write Arabic and Hebrew lines from left to right, from right to left,
or word by word, so these lines are put in reading order by the positions of their letters, which are always right.
"""

from __future__ import annotations

import ctypes
import re
import unicodedata
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from lookalike.documents.document_batches import Extracted, RefusedError
from lookalike.documents.extract import LARGEST_TEXT
from lookalike.documents.extract.clean_text import finished
from lookalike.documents.extract.pdf_flags import (
    PageLook,
    flags_of_pages,
    hidden_objects,
    refused_without_text,
    unmapped_share,
)
from lookalike.documents.extract.pdf_lines import DIVIDED, Line, PdfPage, flowing_text, without_furniture

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Glyph", "has_right_to_left", "in_reading_order", "is_leftward", "read_pdf"]

# What PDFium puts in place of a hyphen at the end of a line and the break after it. The line after it may be a
# footer, so the two are separated here, and joined when that is gone.
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
        pages: list[PdfPage] = []
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
        raise refused_without_text(looks, "".join(hidden))
    return finished(text, " ".join(" ".join(hidden).split()), tuple(flags_of_pages(looks, text)))


def _opened(file: BinaryIO) -> Any:
    import pypdfium2

    start = file.read(1024)
    file.seek(0)
    if b"%PDF-" not in start:
        raise RefusedError("damaged", "it is not a PDF document, despite its name")
    name = getattr(file, "name", None)
    try:
        document = pypdfium2.PdfDocument(name if isinstance(name, str) else file.read())
        if not len(document):
            raise RefusedError("damaged", "it has no pages")
    except pypdfium2.PdfiumError as error:
        if "assword" in str(error) or "ecurity" in str(error):
            raise RefusedError("encrypted", "it has a password; save it without one") from None
        raise RefusedError("damaged", "it is not a complete PDF document") from None
    return document


def _page(document: Any, number: int) -> tuple[PdfPage, str, PageLook]:
    """Return the lines of a page, its hidden text, and what it looks like."""
    import pypdfium2

    try:
        page = document[number]
    except pypdfium2.PdfiumError:
        return PdfPage([], 0.0, 1.0), "", PageLook(0)
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
    return PdfPage(lines, bottom, top), unseen, PageLook(letters, pictures, drawn, unmapped)


class _Letters:
    """The letters of a page, which PDFium numbers, and their places."""

    def __init__(self, text_page: Any) -> None:
        self._page = text_page
        self._leftward: bool | None = None

    def lines(self) -> Iterator[Line]:
        """Yield the lines: the text at once, then the place of the first and the last letter of each line."""
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


# -- lines from right to left ------------------------------------------------------------------------------------------

_RIGHT: Final = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
_RIGHT_LETTER: Final = re.compile(f"[{_RIGHT}]")
_BLANK: Final = 0.17
"""A gap that is a space, as a share of the size of the letters: the spaces of fonts are wider."""
_JOINS: Final = 0.04
"""The widest gap between two letters that are joined, as a share of their size; most overlap."""
_MOST_PARTED: Final = 0.35
"""The share of the letters of a line that may stand apart although they could join: a font with more never joins."""
_ARABIC: Final = re.compile("[\u0620-\u064a\u066e-\u06d3]")
_LAST_IN_JOIN: Final = frozenset("ءآأؤإاةدذرزوىٱژڈڑڌۆۇۈۋےۓەۀ")
"""Letters that never join the one after them."""
_NON_JOINER: Final = "\u200c"
_PAIRS: Final = ("()", "[]", "{}", "«»", "‹›", "<>")
_OPENING: Final = {pair[1]: pair[0] for pair in _PAIRS} | {pair[0]: pair[0] for pair in _PAIRS}
_CLOSING: Final = {pair[0]: pair[1] for pair in _PAIRS} | {pair[1]: pair[1] for pair in _PAIRS}


@dataclass(frozen=True, slots=True)
class Glyph:
    """A letter and the left and right edge of the room that it takes."""

    letter: str
    left: float
    right: float
    ink: tuple[float, float] | None = None
    """The left and right edge of what is drawn."""


def has_right_to_left(text: str) -> bool:
    """Return whether a text has letters that are written from right to left.

    >>> has_right_to_left("Moby Dick"), has_right_to_left("Moby Dick, מובי דיק")
    (False, True)
    """
    return not text.isascii() and _RIGHT_LETTER.search(text) is not None


def is_leftward(text: str) -> bool:
    """Return whether most letters of a text are written from right to left.

    >>> is_leftward("הספר Moby Dick של הרמן מלוויל"), is_leftward("a word: שלום")
    (True, False)
    """
    return len(_RIGHT_LETTER.findall(text)) > sum(map(str.isalpha, text)) / 2


def in_reading_order(glyphs: Sequence[Glyph], size: float, *, leftward: bool = True) -> str:
    """Return the text of a line by the places of its letters; `size` is that of the letters.

    `leftward` says that the text around is written from right to left, which no line can tell of itself.

    >>> word = [Glyph("ג", 0, 5), Glyph("א", 10, 15), Glyph("ב", 5, 10), Glyph("1", -12, -8), Glyph("2", -8, -4)]
    >>> in_reading_order(word, 10)
    'אבג 12'
    """
    letters, marks = _without_marks(glyphs)
    letters.sort(key=lambda glyph: glyph.left + glyph.right)
    parted = _parted(letters, size)
    visual: list[str] = []
    for number, glyph in enumerate(letters):
        if number and glyph.left - letters[number - 1].right > _BLANK * size:
            visual.append(" ")
        visual.append(glyph.letter + marks.get(id(glyph), "") + (_NON_JOINER if number in parted else ""))
    return _closed(_logical(visual, leftward)).strip()


def _parted(letters: list[Glyph], size: float) -> set[int]:
    """Return which letters are not joined to the one on their left although they could be, by their numbers.

    Persian writes a non-joiner there, which is no glyph, and so in no PDF.
    """
    joined = 0
    found: set[int] = set()
    for number, (left, right) in enumerate(pairwise(letters), start=1):
        both = _ARABIC.match(left.letter) and _ARABIC.match(right.letter) and left.letter != "ء"
        if not both or right.letter[-1] in _LAST_IN_JOIN or left.ink is None or right.ink is None:
            continue
        if left.ink[1] < right.ink[0] - _JOINS * size:
            if right.left - left.right <= _BLANK * size:
                found.add(number)
        else:
            joined += 1
    return found if len(found) <= _MOST_PARTED * (joined + len(found)) else set()


def _without_marks(glyphs: Sequence[Glyph]) -> tuple[list[Glyph], dict[int, str]]:
    """Separate letters from the marks above and below them; each mark belongs to the nearest letter."""
    letters: list[Glyph] = []
    marks: dict[int, str] = {}
    waiting: list[Glyph] = []
    for glyph in glyphs:
        if glyph.letter.isspace() or not glyph.letter.isprintable():
            continue
        # Other forms of a letter are that letter: the form is a matter of the font.
        letter = unicodedata.normalize("NFKC", glyph.letter) if "\ufb1d" <= glyph.letter <= "\ufefc" else glyph.letter
        one = Glyph(letter, glyph.left, glyph.right, glyph.ink)
        (waiting if unicodedata.combining(letter[0]) else letters).append(one)
    if waiting and letters:
        places = sorted(letters, key=lambda glyph: glyph.left + glyph.right)
        middles = [place.left + place.right for place in places]
        for mark in waiting:
            owner = places[_nearest(middles, mark.left + mark.right)]
            marks[id(owner)] = marks.get(id(owner), "") + mark.letter
    return letters, marks


def _nearest(places: list[float], place: float) -> int:
    from bisect import bisect_left

    after = bisect_left(places, place)
    if after == len(places) or (after and place - places[after - 1] <= places[after] - place):
        return after - 1
    return after


def _logical(visual: list[str], leftward: bool) -> str:
    """Turn letters from left to right into the order in which they are read."""
    kinds = [_kind(letter) for letter in visual]
    if leftward:
        turned, kinds = visual[::-1], kinds[::-1]
        return "".join(_turned(turned, kinds, "LN", "LN"))
    return "".join(_turned(visual, kinds, "R", "RN"))


def _kind(letter: str) -> str:
    """Return R for a letter of a script from right to left, L for one of another, N for digits, else a space."""
    kind = unicodedata.bidirectional(letter[0])
    if kind in ("R", "AL"):
        return "R"
    return "L" if kind == "L" else "N" if kind in ("EN", "AN") else " "


def _turned(letters: list[str], kinds: list[str], ends: str, inside: str) -> list[str]:
    """Turn each run around that begins and ends with one of the kinds; signs between two of them belong to it."""
    made: list[str] = []
    at = 0
    while at < len(letters):
        if kinds[at] not in ends:
            made.append(letters[at])
            at += 1
            continue
        end = here = at + 1
        while here < len(letters) and (kinds[here] in inside or kinds[here] == " "):
            here += 1
            if kinds[here - 1] in ends and not _apart(letters[end : here - 1], kinds[at:here]):
                end = here
            elif kinds[here - 1] in ends:
                break
        run = letters[at:end][::-1]
        made += run if "L" in ends else _turned(run, kinds[at:end][::-1], "N", "N") if "R" in ends else run
        at = end
    return made


def _apart(between: list[str], kinds: list[str]) -> bool:
    """Return whether two numbers are two: with a space between them and no word next to them."""
    return " " in between and "L" not in kinds and "R" not in kinds


def _closed(text: str) -> str:
    """Turn brackets and quotation marks to what they open or close: a font draws them the other way round."""
    if not has_right_to_left(text) or not any(mark in text for mark in _OPENING):
        return text
    made = list(text)
    for at, letter in enumerate(text):
        if letter in _OPENING:
            before, after = text[at - 1 : at] or " ", text[at + 1 : at + 2] or " "
            opens, closes = before.isspace() and not after.isspace(), after.isspace() and not before.isspace()
            if not (opens or closes):
                opens, closes = after.isalnum() and not before.isalnum(), before.isalnum() and not after.isalnum()
            if opens or closes:
                made[at] = (_OPENING if opens else _CLOSING)[letter]
    return "".join(made)
