"""Letters that look like others, and characters that nobody sees: a copied word that is not the same word any more."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from lookalike.documents.extract.model import LETTERS, Flag

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["INVISIBLE", "unmasked", "without_invisible"]

_LATIN: Final = "A-Za-zÀ-ÖØ-öø-ɏ"
_GREEK: Final = "ͰͲ-Ͽἀ-῿"
_CYRILLIC: Final = "Ѐ-ԯ"
_ARMENIAN: Final = "Ա-և"

# In a word of one script, these letters of another look the same, and are read as it. μ, π, Ω and their kind do not:
# they are units and formulas. Each is one code point for another, so that places in the text stay as they are.
_LIKE_LATIN: Final = dict(
    zip(
        "аеорсухіјѕһԁԛԝѵӏёїАВЕКМНОРСТХУІЈЅҮԌԚԜЁЇ"  # Cyrillic
        "οινυρκχΑΒΕΖΗΙΚΜΝΟΡΤΥΧϲϳ"  # Greek
        "օոսհցզ",  # Armenian
        "aeopcyxijshdqwvlëïABEKMHOPCTXYIJSYGQWËÏoivupkxABEZHIKMNOPTYXcjonuhgq",
        strict=True,
    )
)
_LIKE_CYRILLIC: Final = dict(zip("aeopcyxijsABEKMHOPCTXYIJSékr", "аеорсухіјѕАВЕКМНОРСТХУІЈЅекг", strict=True))
_LIKE_GREEK: Final = dict(zip("oivupkxABEZHIKMNOPTYX", "οινυρκχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", strict=True))

# Two neighbours of different scripts: found by one quick pass, after which only such words are looked at closely.
_OTHER: Final = _GREEK + _CYRILLIC + _ARMENIAN
_MIXED: Final = re.compile(f"[{_LATIN}][{_OTHER}]|[{_OTHER}][{_LATIN}]")
_OTHERS: Final = re.compile(f"[{_OTHER}]")
_LETTERS: Final = re.compile(f"[{_LATIN}{_OTHER}]+")
_IN_LATIN: Final = re.compile(f"[{_LATIN}]")
_IN_CYRILLIC: Final = re.compile(f"[{_CYRILLIC}]")
_LOOKED_AT: Final = 100_000
"""Characters by which the alphabet of a text is told."""
_MOST_PLACES: Final = 10_000

INVISIBLE: Final = "\u200b\u200c\u200d\u2060\u2061\u2062\u2063\u2064\u180e\ufeff"
"""Characters without width. Some scripts and emoji need the joiners among them: only between letters that never do."""
_ALPHABETIC: Final = _LATIN + _GREEK + _CYRILLIC
_SPLIT: Final = re.compile(f"(?<=[{_ALPHABETIC}])[{INVISIBLE}]+(?=[{_ALPHABETIC}])")
_SHOWN: Final = 3


def unmasked(text: str) -> tuple[str, tuple[Flag, ...]]:
    r"""Return a text with its look-alike letters as what they look like, as long as before, and what is odd about it.

    Only words that mix two alphabets change, and between them words that are all look-alikes, such as an article: real
    Russian and Greek stay as they are.

    >>> text, flags = unmasked("а ѕtudent сopies а соре")
    >>> text
    'a student copies a cope'
    >>> flags[0].detail
    '2 words mix letters of two alphabets that look alike: ѕtudent (U+0455), сopies (U+0441)'
    >>> unmasked("5 μm, kΩ and Москва")
    ('5 μm, kΩ and Москва', ())
    >>> unmasked("in\u200bvis\u200bible")[1][0].kind
    'invisible characters'
    """
    if text.isascii():
        return text, ()
    flags: list[Flag] = []
    # Most texts have one alphabet and no invisible characters, which is quickly seen.
    if _OTHERS.search(text) and _IN_LATIN.search(text) and _MIXED.search(text):
        mixed, changes = _look_alikes(text)
        if mixed:
            flags.append(_letters_flag(mixed, [(place, text[place]) for place in changes]))
            letters = list(text)
            for place, letter in changes.items():
                letters[place] = letter
            text = "".join(letters)
    if any(mark in text for mark in INVISIBLE) and (split := len(_SPLIT.findall(text))):
        places = "place" if split == 1 else "places"
        flags.append(
            Flag("invisible characters", f"words have invisible characters in them, in {split} {places}", split)
        )
    return text, tuple(flags)


def _letters_flag(mixed: Counter[str], places: list[tuple[int, str]]) -> Flag:
    count = sum(mixed.values())
    words = "word mixes" if count == 1 else "words mix"
    shown = ", ".join(list(mixed)[:_SHOWN])
    more = " …" if len(mixed) > _SHOWN else ""
    detail = f"{count} {words} letters of two alphabets that look alike: {shown}{more}"
    return Flag(LETTERS, detail, count, tuple(places[:_MOST_PLACES]))


def _look_alikes(text: str) -> tuple[Counter[str], dict[int, str]]:
    """Return the words that mix alphabets, and for each place with a look-alike the letter that is meant."""
    latin_text = _is_latin(text[:_LOOKED_AT])
    mixed: Counter[str] = Counter()
    changes: dict[int, str] = {}
    waiting: list[tuple[int, str]] = []  # words that are all look-alikes, behind a Latin one
    latin_before = True
    for found in _LETTERS.finditer(text):
        word = found[0]
        is_latin = _OTHERS.search(word) is None
        if not is_latin and (like := _meant(word, latin_text)):
            mixed[f"{word[:40]} ({_codes(letter for letter in word if letter in like)})"] += 1
            changes.update((found.start() + at, like[letter]) for at, letter in enumerate(word) if letter in like)
            is_latin = like is _LIKE_LATIN
        elif latin_text and not is_latin and all(letter in _LIKE_LATIN for letter in word):
            if latin_before:
                waiting.append((found.start(), word))
            continue
        if is_latin:
            changes.update((at + i, _LIKE_LATIN[letter]) for at, one in waiting for i, letter in enumerate(one))
        waiting, latin_before = [], is_latin
    changes.update((at + i, _LIKE_LATIN[letter]) for at, one in waiting for i, letter in enumerate(one))
    return mixed, dict(sorted(changes.items()))


def _meant(word: str, latin_text: bool) -> dict[str, str]:
    """Return the look-alikes of the alphabet that a word is meant in; none, if it has one alphabet or says no word."""
    latin = [letter for letter in word if _IN_LATIN.match(letter)]
    others = [letter for letter in word if not _IN_LATIN.match(letter)]
    if not latin or not others:
        return {}
    cyrillic = all(_IN_CYRILLIC.match(letter) for letter in others)
    like = _LIKE_CYRILLIC if cyrillic else _LIKE_GREEK
    like_latin = all(letter in _LIKE_LATIN for letter in others)
    like_other = all(letter in like for letter in latin)
    few = len(others) <= len(latin)
    if like_latin and (latin_text or few or not like_other):
        return _LIKE_LATIN
    return {} if few or not like_other else like


def _is_latin(text: str) -> bool:
    """Say whether a text is in Latin letters, by those that look like no other."""
    latin = sum(letter not in _LIKE_CYRILLIC and letter not in _LIKE_GREEK for letter in _IN_LATIN.findall(text))
    return latin >= sum(letter not in _LIKE_LATIN for letter in _OTHERS.findall(text))


def _codes(letters: Iterable[str]) -> str:
    return ", ".join(f"U+{ord(letter):04X}" for letter in list(dict.fromkeys(letters))[:_SHOWN])


def without_invisible(text: str) -> str:
    """Return a text without invisible characters inside words, and without soft hyphens."""
    return text if text.isascii() else _SPLIT.sub("", text.replace("\xad", ""))
