"""Parts and passages that occurred before, and what is left of a text without them (docs/format.md §10)."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from lookalike._native import char_properties
from lookalike.reference.text import units

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from lookalike.recipe import Recipe

__all__ = ["Repeat", "passage_cuts", "repeated_parts", "repeated_passages", "split", "without"]

# -- parts ---------------------------------------------------------------------------------------------------------

_BREAK: Final = "\n\r\x85\u2028\u2029"
_STOP: Final = ".!?…‼⁇⁈⁉؟۔।॥።"
_WIDE_STOP: Final = "。．！？｡"
_CLOSER: Final = "\"'”’»›)]}」』）】〉》］｝"


class Repeat(NamedTuple):
    """What is cut out of a text: its place, in code points or in words, its words, and the document of the first."""

    start: int
    end: int
    words: int
    first: int


def _is_white(char: str) -> bool:
    return char_properties(ord(char)).white_space


def split(text: str, by: str) -> list[str]:
    r"""Cut a text into lines, paragraphs or sentences; joined, they are the text again.

    >>> split("One. Two!\nThree\n\nFour", "sentence")
    ['One. ', 'Two!\n', 'Three\n\n', 'Four']
    >>> split("One. Two!\nThree\n\nFour", "paragraph")
    ['One. Two!\nThree\n\n', 'Four']
    """
    begins = {"line": _begins_line, "paragraph": _begins_paragraph, "sentence": _begins_sentence}[by]
    starts = [at for at in range(len(text)) if at == 0 or begins(text, at)]
    return [text[start:end] for start, end in pairwise([*starts, len(text)])]


def _begins_line(text: str, at: int) -> bool:
    return text[at - 1] in _BREAK and text[at - 1 : at + 1] != "\r\n"


def _begins_paragraph(text: str, at: int) -> bool:
    """Return whether a line begins here that is not blank, behind one that is."""
    rest = text[at:]
    visible = next((place for place, char in enumerate(rest) if not _is_white(char)), None)
    if not _begins_line(text, at) or visible is None or any(char in _BREAK for char in rest[:visible]):
        return False
    before = at
    while before and _is_white(text[before - 1]):
        before -= 1
    return len(re.findall(f"\r\n|[{_BREAK}]", text[before:at])) > 1


def _begins_sentence(text: str, at: int) -> bool:
    """Return whether something visible begins here, behind a line break, or a stop and what closes with it."""
    if _is_white(text[at]):
        return False
    before = at
    while before and _is_white(text[before - 1]):
        before -= 1
    if any(char in _BREAK for char in text[before:at]):
        return True
    wide = before
    while wide and text[wide - 1] in _STOP + _CLOSER:
        wide -= 1
    if wide and text[wide - 1] in _WIDE_STOP:
        return before < at or text[at] not in _STOP + _WIDE_STOP + _CLOSER
    end = before
    while end and text[end - 1] in _CLOSER:
        end -= 1
    return before < at and end > 0 and text[end - 1] in _STOP


def repeated_parts(texts: Sequence[str], by: str, least: int, recipe: Recipe) -> list[list[Repeat]]:
    r"""Return the parts of each text that occurred before, in it or in another, by code points.

    >>> from lookalike.recipe import Recipe
    >>> repeated_parts(["one two\nthree", "x\nOne, two!\n"], "line", 2, Recipe())
    [[], [Repeat(start=2, end=12, words=2, first=0)]]
    """
    first: dict[tuple[str, ...], int] = {}
    found: list[list[Repeat]] = []
    for document, text in enumerate(texts):
        found.append([])
        start = 0
        for part in split(text, by):
            words = tuple(units(part, recipe))
            if len(words) >= max(least, 1):
                if words in first:
                    found[-1].append(Repeat(start, start + len(part), len(words), first[words]))
                first.setdefault(words, document)
            start += len(part)
    return found


# -- passages ------------------------------------------------------------------------------------------------------


def repeated_passages(documents: Sequence[Sequence[Hashable]], least: int) -> list[list[Repeat]]:
    """Return the passages of each document, given as its words, that occurred before without overlap, by words.

    A repeat goes as far as it can; where another reaches further, that one goes on behind its end.

    >>> repeated_passages(["abcde", "xbcdy", "aaaaaaa"], 3)
    [[], [Repeat(start=1, end=4, words=3, first=0)], [Repeat(start=3, end=6, words=3, first=2), \
Repeat(start=6, end=7, words=1, first=2)]]
    """
    first: dict[tuple[Hashable, ...], tuple[int, int]] = {}
    found: list[list[Repeat]] = []
    for number, words in enumerate(documents):
        repeats: dict[int, tuple[int, int]] = {}  # where a passage begins → the document and the word of its first
        for at in range(len(words) - least + 1):
            document, place = first.setdefault(tuple(words[at : at + least]), (number, at))
            if document < number or place + least <= at:
                repeats[at] = (document, place)
        found.append(_joined(repeats, least))
    return found


def _joined(repeats: dict[int, tuple[int, int]], least: int) -> list[Repeat]:
    """Cover all that lies in repeats from left to right, each time by the one that reaches furthest."""
    covered: list[Repeat] = []
    end = 0
    for word in sorted({at + i for at in repeats for i in range(least)}):
        if word < end:
            continue
        last = max(at for at in repeats if at <= word < at + least)
        document, place = repeats[last]
        more = 1
        while repeats.get(last + more) == (document, place + more):
            more += 1
        end = last + more - 1 + least
        covered.append(Repeat(word, end, end - word, document))
    return covered


# -- cutting -------------------------------------------------------------------------------------------------------


def passage_cuts(text: str, places: Sequence[tuple[int, int]], repeats: Sequence[Repeat]) -> list[Repeat]:
    """Return repeats by code points, given those by words and the place of each word.

    Repeats that follow each other are cut as one. With them go the marks right behind, up to the next word, and the
    blanks behind these; at the begin of a line the line breaks too; at the end of one the blanks before instead.
    """
    begun = {repeat.start for repeat in repeats}
    cuts: list[Repeat] = []
    least = 0
    for repeat in repeats:
        # Several words may come of one character, such as a ligature: it is cut once.
        start = max(places[repeat.start][0], least)
        end = places[repeat.end][0] if repeat.end in begun else places[repeat.end - 1][1]
        least = max(start, end)
        cuts.append(repeat._replace(start=start, end=least))
    return _by_runs(cuts, lambda start, end, least: _widened(text, start, end, least, places))


def _by_runs(cuts: list[Repeat], change: Callable[[int, int, int], tuple[int, int]]) -> list[Repeat]:
    """Change where each run of cuts that follow each other begins and ends; it stays behind the run before it."""
    least = 0
    first = 0
    for last, cut in enumerate(cuts):
        if last + 1 < len(cuts) and cuts[last + 1].start == cut.end:
            continue
        start, end = change(cuts[first].start, cut.end, least)
        cuts[last] = cuts[last]._replace(end=end)
        cuts[first] = cuts[first]._replace(start=start)
        least, first = end, last + 1
    return cuts


def _widened(text: str, start: int, end: int, least: int, places: Sequence[tuple[int, int]]) -> tuple[int, int]:
    most = min((begin for begin, _ in places if begin >= end), default=len(text))
    while end < most and char_properties(ord(text[end])).mark:
        end += 1
    gap = end
    while gap < len(text) and _is_white(text[gap]):
        gap += 1
    breaks = [place for place in range(end, gap) if text[place] in _BREAK]
    if start == 0 or text[start - 1] in _BREAK:
        return start, breaks[-1] + 1 if breaks else gap
    if breaks or gap == len(text):
        while start > least and _is_white(text[start - 1]) and text[start - 1] not in _BREAK:
            start -= 1
    return start, breaks[0] if breaks else gap


def without(text: str, cuts: Sequence[Repeat], recipe: Recipe) -> tuple[str, list[Repeat]]:
    """Return what is left of a text, and the cuts as they were made; a text without a word left is empty.

    Where the end of a text is cut and no white space ended it, the white space before the cut goes too.
    """

    def trimmed(start: int, end: int, least: int) -> tuple[int, int]:
        if end == len(text) and not _is_white(text[-1]):
            while start > least and _is_white(text[start - 1]):
                start -= 1
        return start, end

    made = _by_runs(list(cuts), trimmed)
    gone = {place for cut in made for place in range(cut.start, cut.end)}
    left = "".join(char for place, char in enumerate(text) if place not in gone)
    return (left if not made or units(left, recipe) else ""), made
