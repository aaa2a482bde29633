"""Letters that look like others, and characters that nobody sees: a copied word that is not the same word any more."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from lookalike.documents.extract.model import LETTERS, Flag

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["INVISIBLE", "flag_letters", "without_invisible"]

_LATIN: Final = "A-Za-zÀ-ÖØ-öø-ɏ"
_GREEK: Final = "ͰͲ-Ͽἀ-῿"
_CYRILLIC: Final = "Ѐ-ԯ"
_ARMENIAN: Final = "Ա-և"

# In a word of one script, these letters of another look the same. μ, π, Ω and their kind do not: they are units and
# formulas.
_LIKE_LATIN: Final = frozenset(
    "аеорсухіјѕһԁԛԝАВЕКМНОРСТХУІЈЅҮԌ"  # Cyrillic
    "οινυρκχΑΒΕΖΗΙΚΜΝΟΡΤΥΧϲϳ"  # Greek
    "օոսհցզ"  # Armenian
)
_LIKE_CYRILLIC: Final = frozenset("aeopcyxijsABEKMHOPCTXYIJSékr")
_LIKE_GREEK: Final = frozenset("oivupkxABEZHIKMNOPTYX")

# Two neighbours of different scripts: found by one quick pass, after which only such words are looked at closely.
_OTHER: Final = _GREEK + _CYRILLIC + _ARMENIAN
_MIXED: Final = re.compile(f"[{_LATIN}][{_OTHER}]|[{_OTHER}][{_LATIN}]")
_OTHERS: Final = re.compile(f"[{_OTHER}]")
_LETTERS: Final = re.compile(f"[{_LATIN}{_OTHER}]+")
_IN_LATIN: Final = re.compile(f"[{_LATIN}]")
_IN_CYRILLIC: Final = re.compile(f"[{_CYRILLIC}]")
_SHORTEST: Final = 2

INVISIBLE: Final = "\u200b\u200c\u200d\u2060\u2061\u2062\u2063\u2064\u180e\ufeff"
"""Characters without width. Some scripts and emoji need the joiners among them: only between letters that never do."""
_ALPHABETIC: Final = _LATIN + _GREEK + _CYRILLIC
_SPLIT: Final = re.compile(f"(?<=[{_ALPHABETIC}])[{INVISIBLE}]+(?=[{_ALPHABETIC}])")
_SHOWN: Final = 3


def flag_letters(text: str) -> tuple[Flag, ...]:
    r"""Return what is odd about the letters of a text.

    >>> flag_letters("a ѕtudent сopies")[0].detail
    '2 words mix letters of two alphabets that look alike: ѕtudent (U+0455), сopies (U+0441)'
    >>> flag_letters("5 μm, kΩ and Москва") + flag_letters("plain ASCII")
    ()
    >>> flag_letters("in\u200bvis\u200bible")[0].kind
    'invisible characters'
    """
    if text.isascii():
        return ()
    flags: list[Flag] = []
    # Most texts have one alphabet and no invisible characters, which is quickly seen.
    mixed = _mixed_words(text) if _OTHERS.search(text) and _IN_LATIN.search(text) else None
    if mixed:
        count = sum(mixed.values())
        words = "word mixes" if count == 1 else "words mix"
        shown = ", ".join(f"{word} ({_odd_codes(word)})" for word in list(mixed)[:_SHOWN])
        more = " …" if len(mixed) > _SHOWN else ""
        flags.append(Flag(LETTERS, f"{count} {words} letters of two alphabets that look alike: {shown}{more}", count))
    if any(mark in text for mark in INVISIBLE) and (split := len(_SPLIT.findall(text))):
        places = "place" if split == 1 else "places"
        flags.append(
            Flag("invisible characters", f"words have invisible characters in them, in {split} {places}", split)
        )
    return tuple(flags)


def _mixed_words(text: str) -> Counter[str]:
    found: Counter[str] = Counter()
    end = 0
    while (pair := _MIXED.search(text, end)) is not None:
        start = pair.start()
        while start > end and _LETTERS.match(text[start - 1]):
            start -= 1
        word = _LETTERS.match(text, start)
        if word is None:  # cannot be: the pair is letters
            break
        end = word.end()
        if len(word[0]) >= _SHORTEST and _odd(word[0]):
            found[word[0][:40]] += 1
    return found


def _odd(word: str) -> list[str]:
    """Return the letters of a word that are of another script than most, if all of these look like letters of it."""
    latin = _IN_LATIN.findall(word)
    cyrillic = _IN_CYRILLIC.findall(word)
    other = [letter for letter in word if not _IN_LATIN.match(letter)]
    if len(latin) >= len(other):
        return other if all(letter in _LIKE_LATIN for letter in other) else []
    like = _LIKE_CYRILLIC if len(cyrillic) == len(other) else _LIKE_GREEK
    return latin if all(letter in like for letter in latin) else []


def _odd_codes(word: str) -> str:
    return ", ".join(f"U+{ord(letter):04X}" for letter in _first(_odd(word)))


def _first(letters: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(letters))[:_SHOWN]


def without_invisible(text: str) -> str:
    """Return a text without invisible characters inside words, and without soft hyphens."""
    return text if text.isascii() else _SPLIT.sub("", text.replace("\xad", ""))
