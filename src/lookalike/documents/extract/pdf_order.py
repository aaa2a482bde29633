"""Lines of Arabic, Hebrew and their kind in the order in which they are read: by where each letter stands.

A PDF has glyphs and their places. Programs write those of such lines from left to right, from right to left, or word by
word, and text extraction has to guess. Where the letters stand on the page is the one thing that is always right.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Glyph", "has_right_to_left", "in_reading_order", "is_leftward"]

_RIGHT: Final = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
_RIGHT_LETTER: Final = re.compile(f"[{_RIGHT}]")
_BLANK: Final = 0.17
"""A gap that is a blank, as a share of the size of the letters: the blanks of fonts are wider."""
_JOINS: Final = 0.04
"""The widest gap between two letters that are joined, as a share of their size; most overlap."""
_MOST_PARTED: Final = 0.35
"""The share of the letters of a line that may stand apart although they could join: a font with more never joins."""
_ARABIC: Final = re.compile("[\u0620-\u064a\u066e-\u06d3]")
_LAST_IN_JOIN: Final = frozenset("ءآأؤإاةدذرزوىٱژڈڑڌۆۇۈۋےۓەۀ")
"""Letters that never join the one behind them."""
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
    """Say whether a text has letters that are written from right to left.

    >>> has_right_to_left("Moby Dick"), has_right_to_left("Moby Dick, מובי דיק")
    (False, True)
    """
    return not text.isascii() and _RIGHT_LETTER.search(text) is not None


def is_leftward(text: str) -> bool:
    """Say whether most letters of a text are written from right to left.

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
    """Part letters from the marks above and below them, which belong to the letter that they stand at."""
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
    """Return R for a letter of a script from right to left, L for one of another, N for digits, else a blank."""
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
    """Say whether two numbers are two: with a blank between them and no word beside them."""
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
