"""From a text to its shingles: normalise, cut into units, take every window of k (docs/format.md §1-3).

The properties of a character (its word-break class, whether it is white space, its lower case) come from the native
core's tables, not from Python's `unicodedata`: each Python brings the Unicode version of its own year, and the
reference must mean the same characters as the core on all of them. Only the normalisation forms are Python's; Unicode
promises never to change those for characters that both versions know.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import TYPE_CHECKING, Final

from lookalike._native import char_properties
from lookalike.reference.code import code_units

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lookalike.recipe import Recipe

__all__ = ["normalise", "segments", "shingles", "units", "windows"]


# -- the properties of one character ---------------------------------------------------------------------------------


@cache
def _word_break(char: str) -> str:
    return char_properties(ord(char)).word_break


@cache
def _is_pictograph(char: str) -> bool:
    return char_properties(ord(char)).extended_pictographic


@cache
def _is_space(char: str) -> bool:
    return char_properties(ord(char)).white_space


@cache
def _is_mark(char: str) -> bool:
    return char_properties(ord(char)).mark


@cache
def _is_accent(char: str) -> bool:
    combining_class = char_properties(ord(char)).combining_class
    return combining_class == 1 or 10 <= combining_class <= 36 or 200 <= combining_class <= 240


@cache
def _is_invisible(char: str) -> bool:
    return char_properties(ord(char)).default_ignorable


@cache
def _lower(char: str) -> str:
    return chr(char_properties(ord(char)).lower)


@cache
def _zero_digit(char: str) -> str:
    return "0" if char_properties(ord(char)).decimal else char


# -- §1 normalise ----------------------------------------------------------------------------------------------------


def normalise(text: str, recipe: Recipe) -> str:
    """Return the text without invisible characters, in the recipe's Unicode form, case, accents and digits.

    >>> from lookalike.recipe import Recipe
    >>> normalise("Été 2024", Recipe(accents="strip", digits="zero"))
    'ete 0000'
    """
    text = _visible(text, recipe)
    text = _to_form(text, recipe.form)
    if recipe.accents == "strip":
        decomposed = _to_form(text, "nfkd" if recipe.form in ("nfkc", "nfkd") else "nfd")
        bare = "".join(char for char in decomposed if not _is_accent(char))
        text = _to_form(bare, "nfc" if recipe.form == "none" else recipe.form)
    if recipe.lowercase:
        text = "".join(_lower(char) for char in text)
    if recipe.digits == "zero":
        text = "".join(_zero_digit(char) for char in text)
    return text


def _visible(text: str, recipe: Recipe) -> str:
    text = "".join("\N{REPLACEMENT CHARACTER}" if "\ud800" <= char <= "\udfff" else char for char in text)
    return text if recipe.invisible == "keep" else "".join(char for char in text if not _is_invisible(char))


def _to_form(text: str, form: str) -> str:
    match form:
        case "nfc":
            return unicodedata.normalize("NFC", text)
        case "nfd":
            return unicodedata.normalize("NFD", text)
        case "nfkc":
            return unicodedata.normalize("NFKC", text)
        case "nfkd":
            return unicodedata.normalize("NFKD", text)
        case _:
            return text


# -- §2 segments: the default word boundaries of UAX #29 --------------------------------------------------------------

_NEWLINE: Final = frozenset({"CR", "LF", "Newline"})
_IGNORED: Final = frozenset({"Extend", "Format", "ZWJ"})
_LETTER: Final = frozenset({"ALetter", "Hebrew_Letter"})  # AHLetter in the rules
_MID_LETTER: Final = frozenset({"MidLetter", "MidNumLet", "Single_Quote"})  # MidLetter | MidNumLetQ
_MID_NUMBER: Final = frozenset({"MidNum", "MidNumLet", "Single_Quote"})  # MidNum | MidNumLetQ
_WORDLIKE: Final = _LETTER | {"Numeric", "Katakana"}


def segments(text: str) -> list[str]:
    """Cut the text at every default word boundary; joined, the segments are the text again.

    >>> segments("Don't pay 3.14, ok?")
    ["Don't", ' ', 'pay', ' ', '3.14', ',', ' ', 'ok', '?']
    """
    classes = [_word_break(char) for char in text]
    result: list[str] = []
    start = 0
    for position in range(1, len(text)):  # WB1, WB2: the text begins and ends at a boundary
        if not _is_joined(text, classes, position):
            result.append(text[start:position])
            start = position
    return [*result, text[start:]] if text else []


def _is_joined(text: str, classes: list[str], position: int) -> bool:
    """Return whether there is no boundary before text[position]: the rules of UAX #29, in their order."""
    left, right = classes[position - 1], classes[position]
    if left == "CR" and right == "LF":  # WB3
        return True
    if left in _NEWLINE or right in _NEWLINE:  # WB3a, WB3b
        return False
    if left == "ZWJ" and _is_pictograph(text[position]):  # WB3c
        return True
    if left == right == "WSegSpace":  # WB3d
        return True
    if right in _IGNORED:  # WB4: these belong to what they follow …
        return True
    # … and from here on they are not there: the rules look at the characters that they belong to.
    before = _step(classes, position, -1)
    left = _class(classes, before)
    further_left = _class(classes, _step(classes, before, -1))
    further_right = _class(classes, _step(classes, position, +1))
    if _is_one_word(further_left, left, right, further_right):
        return True
    # WB15, WB16: regional indicators join in pairs, counted from the start of their run.
    return left == right == "Regional_Indicator" and _run_of_indicators(classes, before) % 2 == 1


def _is_one_word(further_left: str, left: str, right: str, further_right: str) -> bool:
    """Apply WB5 to WB13b to the classes of four neighbours, the possible boundary being between `left` and `right`."""
    return (
        (left in _LETTER and right in _LETTER)  # WB5
        or (left in _LETTER and right in _MID_LETTER and further_right in _LETTER)  # WB6
        or (further_left in _LETTER and left in _MID_LETTER and right in _LETTER)  # WB7
        or (left == "Hebrew_Letter" and right == "Single_Quote")  # WB7a
        or (left == "Hebrew_Letter" and right == "Double_Quote" and further_right == "Hebrew_Letter")  # WB7b
        or (further_left == "Hebrew_Letter" and left == "Double_Quote" and right == "Hebrew_Letter")  # WB7c
        or (left == "Numeric" and right == "Numeric")  # WB8
        or (left in _LETTER and right == "Numeric")  # WB9
        or (left == "Numeric" and right in _LETTER)  # WB10
        or (further_left == "Numeric" and left in _MID_NUMBER and right == "Numeric")  # WB11
        or (left == "Numeric" and right in _MID_NUMBER and further_right == "Numeric")  # WB12
        or (left == "Katakana" and right == "Katakana")  # WB13
        or ((left in _WORDLIKE or left == "ExtendNumLet") and right == "ExtendNumLet")  # WB13a
        or (left == "ExtendNumLet" and right in _WORDLIKE)  # WB13b
    )


def _step(classes: list[str], position: int, direction: int) -> int:
    """Return the next position in a direction that WB4 does not ignore; it may lie outside the text."""
    position += direction
    while 0 <= position < len(classes) and classes[position] in _IGNORED:
        position += direction
    return position


def _class(classes: list[str], position: int) -> str:
    return classes[position] if 0 <= position < len(classes) else ""


def _run_of_indicators(classes: list[str], position: int) -> int:
    """Count the regional indicators in a row that end at `position`."""
    count = 0
    while _class(classes, position) == "Regional_Indicator":
        count += 1
        position = _step(classes, position, -1)
    return count


# -- §2 units --------------------------------------------------------------------------------------------------------


def units(text: str, recipe: Recipe) -> list[str]:
    """Return the words or the characters that shingles are made of.

    >>> from lookalike.recipe import Recipe
    >>> units("It's a well-known fact.", Recipe(stop_words=["a"]))
    ['its', 'well', 'known', 'fact']
    >>> units("Ab  c", Recipe(unit="char"))
    ['a', 'b', ' ', 'c']
    """
    if recipe.unit == "token":
        return code_units(_visible(text, recipe))
    text = normalise(text, recipe)
    stop_words = {_without_marks(normalise(word, recipe), recipe) for word in recipe.stop_list}
    if recipe.unit == "word":
        words = (_without_marks(segment, recipe) for segment in segments(text) if _is_word(segment))
        return [word for word in words if word and word not in stop_words]
    kept = (s for s in segments(text) if not (_is_word(s) and _without_marks(s, recipe) in stop_words))
    return list(_with_spaces(_without_marks("".join(kept), recipe), recipe.whitespace))


def _is_word(segment: str) -> bool:
    return not all(_is_space(char) for char in segment)


def _without_marks(text: str, recipe: Recipe) -> str:
    """Delete the marks if the recipe does; the words of a stop list go the same way, so that both still meet."""
    if recipe.punctuation == "keep":
        return text
    return "".join(char for char in text if not _is_mark(char))


def _with_spaces(text: str, whitespace: str) -> str:
    if whitespace == "keep":
        return text
    between = "".join(" " if _is_space(char) else char for char in text).split(" ")
    return (" " if whitespace == "collapse" else "").join(run for run in between if run)


# -- §3 shingles -----------------------------------------------------------------------------------------------------


def windows(items: Sequence[str], k: int) -> list[tuple[str, ...]]:
    """Return every k consecutive items, or all of them as one window if they are fewer than k.

    >>> windows("match", 2)
    [('m', 'a'), ('a', 't'), ('t', 'c'), ('c', 'h')]
    >>> windows([], 2)
    [()]
    """
    if len(items) < k:
        return [tuple(items)]
    return [tuple(items[i : i + k]) for i in range(len(items) - k + 1)]


def shingles(text: str, recipe: Recipe) -> list[str]:
    """Return the texts of all shingles in order, repeats included.

    >>> from lookalike.recipe import Recipe
    >>> shingles("Its quite sunny today", Recipe(k=2))
    ['its quite', 'quite sunny', 'sunny today']
    """
    joiner = "" if recipe.unit == "char" else " "
    return [joiner.join(window) for window in windows(units(text, recipe), recipe.k)]
