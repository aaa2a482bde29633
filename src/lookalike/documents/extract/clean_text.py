"""The text of a document, cleaned: decoded, white space tidied, and what a reader does not see found."""

from __future__ import annotations

import codecs
import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, BinaryIO, Final

from lookalike.documents.document_batches import (
    HIDDEN,
    INVISIBLE,
    LETTERS,
    MARKS,
    REVERSED,
    Extracted,
    Flag,
    RefusedError,
)
from lookalike.documents.extract import LARGEST_TEXT
from lookalike.documents.extract.visual_order import in_visual_order
from lookalike.documents.text_file import NotTextError, codec_of_mark, decode_bytes, spoken_name
from lookalike.tables.spelling import count as counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = [
    "TextWriter",
    "decoded",
    "finished",
    "read_marked",
    "read_plain",
    "unmasked",
]


# -- from bytes to characters ------------------------------------------------------------------------------------------

# What web pages and mails call an encoding, and what is meant: browsers do the same (WHATWG Encoding).
_MEANT: Final = {
    "iso-8859-1": "cp1252",
    "latin-1": "cp1252",
    "latin1": "cp1252",
    "us-ascii": "cp1252",
    "ascii": "cp1252",
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "sjis": "cp932",
    "x-sjis": "cp932",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc-kr": "cp949",
    "ks_c_5601-1987": "cp949",
    "x-x-big5": "big5",
    "iso-8859-9": "cp1254",
}


def decoded(data: bytes, encoding: str, declared: str | None = None) -> tuple[str, str, bool]:
    """Return text, the name of its encoding, and whether that is a guess; what the document declares is tried first."""
    if encoding == "auto" and declared and not codec_of_mark(data):
        try:
            codec = codecs.lookup(_MEANT.get(declared.lower(), declared)).name
            # A page that calls itself UTF-16 in letters of one byte is not.
            if not codec.startswith(("utf-16", "utf-32")) or b"\0" in data[:1024]:
                return data.decode(codec), spoken_name(codec), False
        except (LookupError, UnicodeError, ValueError):
            pass
    try:
        return decode_bytes(data, encoding)
    except NotTextError as error:
        raise RefusedError(error.reason, f"the file {error.problem}; {error.remedy}") from None


def read_plain(file: BinaryIO, encoding: str) -> Extracted:
    """Read a text as it is."""
    text, spoken, guessed = decoded(file.read(), encoding)
    return Extracted(*unmasked(text), spoken, guessed)


def read_marked(file: BinaryIO, encoding: str, to_text: Callable[[str], Extracted]) -> Extracted:
    """Read a text with mark-up, which `to_text` removes."""
    text, spoken, guessed = decoded(file.read(), encoding)
    found = to_text(text)
    return Extracted(found.text, found.flags, spoken, guessed)


# -- from pieces to a text ---------------------------------------------------------------------------------------------

_SPACES: Final = re.compile(r"[ \t\r\f\v\xa0]+")
_AROUND_BREAK: Final = re.compile(r" ?\n ?")
_BREAKS: Final = re.compile(r"\n{3,}")
_SHOWN_HIDDEN: Final = 60


class TextWriter:
    """Collects the pieces of a text; what is hidden is counted and not written."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._pieces: list[str] = []
        self._hidden: list[str] = []
        self._size = 0

    def add(self, piece: str, *, hidden: bool = False) -> None:
        """Add a piece of text."""
        self._size += len(piece)
        if self._size > LARGEST_TEXT:
            raise RefusedError("too large", f"its text is longer than {LARGEST_TEXT >> 20} MiB")
        (self._hidden if hidden else self._pieces).append(piece)

    def paragraph(self) -> None:
        """End a paragraph."""
        self._pieces.append("\n\n")
        if self._hidden:
            self._hidden.append(" ")

    def line(self) -> None:
        """End a line."""
        self._pieces.append("\n")

    @property
    def is_empty(self) -> bool:
        """Whether nothing that can be seen was written."""
        return not any(piece.strip() for piece in self._pieces)

    @property
    def text(self) -> str:
        """All that was written, with tidy white space."""
        text = _SPACES.sub(" ", "".join(self._pieces))
        text = _AROUND_BREAK.sub("\n", text)
        return _BREAKS.sub("\n\n", text).strip()

    @property
    def hidden(self) -> str:
        """All that was hidden."""
        return " ".join("".join(self._hidden).split())

    def extracted(self) -> Extracted:
        """Return text and flags."""
        return finished(self.text, self.hidden)


def finished(text: str, hidden: str = "", flags: tuple[Flag, ...] = (), encoding: str = "") -> Extracted:
    """Return a text with all its flags; what is hidden is flagged, and is not in the text."""
    found = list(flags)
    words = len(hidden.split())
    if words:
        shown = hidden if len(hidden) <= _SHOWN_HIDDEN else hidden[:_SHOWN_HIDDEN].rstrip() + " …"
        noun = "word is" if words == 1 else "words are"
        found.append(Flag(HIDDEN, f"{words} {noun} invisible to a reader, and excluded: {shown}", words))
    clean, odd = unmasked(text)
    return Extracted(clean, (*found, *odd), encoding)


# -- look-alike letters -----------------------------------------------------------------------------------------------

_LATIN: Final = "A-Za-zÀ-ÖØ-öø-ɏ"
_GREEK: Final = "ͰͲ-Ͽἀ-῿"
_CYRILLIC: Final = "Ѐ-ԯ"
_ARMENIAN: Final = "Ա-և"

# In a word of one script, these letters of another look the same, and are read as it. μ, π, Ω and the like do not:
# they are units and formulas. Each is one code point for another, so that places in the text stay as they are.
_LIKE_LATIN: Final = dict(
    zip(
        "аеорсухіјѕһԁԛԝѵӏёїАВЕКМНОРСТХУІЈЅҮԌԚԜЁЇ"  # Cyrillic
        "οινυρκχΑΒΕΖΗΙΚΜΝΟΡΤΥΧϲϳ"  # Greek
        "օոսհցզ"  # Armenian
        "ɑɡ",  # phonetic
        "aeopcyxijshdqwvlëïABEKMHOPCTXYIJSYGQWËÏoivupkxABEZHIKMNOPTYXcjonuhgqag",
        strict=True,
    )
)
_LIKE_CYRILLIC: Final = dict(zip("aeopcyxijsABEKMHOPCTXYIJSékr", "аеорсухіјѕАВЕКМНОРСТХУІЈЅекг", strict=True))
_LIKE_GREEK: Final = dict(zip("oivupkxABEZHIKMNOPTYX", "οινυρκχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", strict=True))

# Two neighbours of different scripts: found by one quick pass, after which only such words are examined closely.
_OTHER: Final = _GREEK + _CYRILLIC + _ARMENIAN + "ɑɡ"
_MIXED: Final = re.compile(f"[{_LATIN}][{_OTHER}]|[{_OTHER}][{_LATIN}]")
_OTHERS: Final = re.compile(f"[{_OTHER}]")
_LETTERS: Final = re.compile(f"[{_LATIN}{_OTHER}]+")
_IN_LATIN: Final = re.compile(f"[{_LATIN}]")
_IN_CYRILLIC: Final = re.compile(f"[{_CYRILLIC}]")
# ɑ and ɡ are as they should be in a transcription, and in the languages that are written with letters of this alphabet.
_PHONETIC: Final = re.compile("[ɐɒ-ɠɢ-˿]")
_PLAIN: Final = {"ɑ": "a", "ɡ": "g"}
_TO_ONE: Final = 4
"""Phonetic letters to one that they look like: in a text about pronunciation, its own words have at least as many."""
_NEAR: Final = 20
_LOOKED_AT: Final = 100_000
"""Characters that decide the alphabet of a text."""
_MOST_PLACES: Final = 10_000

_SHOWN: Final = 3


def unmasked(text: str) -> tuple[str, tuple[Flag, ...]]:
    r"""Return a text as a reader sees it, and its flags: look-alike letters replaced, reversed text turned around.

    Only words that mix two alphabets change, and between them words that are all look-alikes, such as an article: real
    Russian and Greek stay as they are. Invisible characters stay too: whether they count is for the recipe to say.

    >>> text, flags = unmasked("а ѕtudent сopies а соре")
    >>> text
    'a student copies a cope'
    >>> flags[0].detail
    '2 words mix letters of two alphabets that look alike: ѕtudent (U+0455), сopies (U+0441)'
    >>> unmasked("5 μm, kΩ and Москва")
    ('5 μm, kΩ and Москва', ())
    >>> text, flags = unmasked("he \u202eseipoc\u202c a ho\u200bu\u200bse and i\u200bts ga\u200brden")
    >>> text[:10], [flag.kind for flag in flags]
    ('he copies ', ['invisible characters', 'reversed text'])
    """
    if text.isascii():
        return text, ()
    if _ODD.search(text) is None:  # most texts: they are in one alphabet, with nothing invisible
        return text, tuple(_marks_flags(text))
    text, backwards = in_visual_order(text)
    text, letters = _read_as_meant(text) if _OTHERS.search(text) and _IN_LATIN.search(text) else (text, [])
    flags = [*letters, *_invisible_flags(text), *_reversed_flags(backwards), *_marks_flags(text)]
    return text, tuple(flags)


def _read_as_meant(text: str) -> tuple[str, list[Flag]]:
    """Return a text with look-alike letters replaced, and the flag that says so; invisible characters hide none."""
    bare, gaps = _without_gaps(text)
    if not _MIXED.search(bare):
        return text, []
    mixed, changes, flagged = _look_alikes(bare)
    letters = list(text)
    for place, letter in changes.items():
        letters[place + _before(gaps, place)] = letter
    moved = [place + _before(gaps, place) for place in flagged]
    return "".join(letters), [_letters_flag(mixed, [(place, text[place]) for place in moved])] if mixed else []


def _letters_flag(mixed: Counter[str], places: list[tuple[int, str]]) -> Flag:
    count = sum(mixed.values())
    words = "word mixes" if count == 1 else "words mix"
    shown = ", ".join(list(mixed)[:_SHOWN])
    more = " …" if len(mixed) > _SHOWN else ""
    detail = f"{count} {words} letters of two alphabets that look alike: {shown}{more}"
    return Flag(LETTERS, detail, count, tuple(places[:_MOST_PLACES]))


def _look_alikes(text: str) -> tuple[Counter[str], dict[int, str], list[int]]:
    """Return the words that mix alphabets, for each place with a look-alike the letter that is meant, and what to flag.

    A pronunciation has the phonetic letters too (hɑt), so they are flagged only if they stand for most letters.
    """
    latin_text = _is_latin(text[:_LOOKED_AT])
    mixed: Counter[str] = Counter()
    phonetic: Counter[str] = Counter()
    transcribed = 0
    changes: dict[int, str] = {}
    waiting: list[tuple[int, str]] = []  # words that are all look-alikes, after a Latin one
    latin_before = True
    for found in _LETTERS.finditer(text):
        word = found[0]
        is_latin = _OTHERS.search(word) is None
        if not is_latin and _is_phonetic(text, found):
            transcribed += 1
            continue
        if not is_latin and (like := _meant(word, latin_text)):
            words = phonetic if all(letter in _PLAIN for letter in _OTHERS.findall(word)) else mixed
            words[f"{word[:40]} ({_codes(letter for letter in word if letter in like)})"] += 1
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
    if not mixed and not phonetic:
        return mixed, {}, []
    is_disguise = phonetic.total() >= max(_MANY, transcribed) and any(
        text.count(letter) >= _TO_ONE * max(1, text.count(plain)) for letter, plain in _PLAIN.items()
    )
    if is_disguise:
        mixed.update(phonetic)
    flagged = sorted(place for place in changes if is_disguise or text[place] not in _PLAIN)
    return mixed, changes, flagged


def _is_phonetic(text: str, found: re.Match[str]) -> bool:
    """Return whether a word with ɑ or ɡ is written so on purpose: by letters nearby, or between slashes or brackets."""
    start, end = found.span()
    beside = text[max(0, start - 1) : start] + text[end : end + 1]
    near = text[max(0, start - _NEAR) : end + _NEAR]
    return ("ɑ" in found[0] or "ɡ" in found[0]) and (any(c in "/[]" for c in beside) or bool(_PHONETIC.search(near)))


def _meant(word: str, latin_text: bool) -> dict[str, str]:
    """Return the look-alikes of the alphabet that a word is meant in; none, if it has one alphabet or is not a word."""
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
    """Return whether a text is in Latin letters, by those that look like no other."""
    latin = sum(letter not in _LIKE_CYRILLIC and letter not in _LIKE_GREEK for letter in _IN_LATIN.findall(text))
    return latin >= sum(letter not in _LIKE_LATIN for letter in _OTHERS.findall(text))


def _codes(letters: Iterable[str]) -> str:
    return ", ".join(f"U+{ord(letter):04X}" for letter in list(dict.fromkeys(letters))[:_SHOWN])


# -- invisible characters ----------------------------------------------------------------------------------------------

_BMP: Final = (
    "\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufffc"
)
_UNSEEN: Final = _BMP + "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
"""Characters that show nothing (Default_Ignorable_Code_Point, and what marks annotations and objects), but for the soft
hyphen, which every word may have."""
_COUNTED: Final = frozenset("\ufff9\ufffa\ufffb\ufffc")
"""Those of them that the recipe does not drop, as they are no Default_Ignorable_Code_Point."""

# These alphabets need none of them inside a word. Others do: Persian and Hindi the joiners, Khmer and Thai breaks
# between words that no space separates, Mongolian and Chinese variation selectors; emoji several.
_LETTER: Final = _LATIN + "Ḁ-ỿ" + _GREEK + _CYRILLIC + _ARMENIAN
_IN_WORD: Final = _LETTER + "\u0300-\u034e\u0350-\u036f"
_GAP: Final = re.compile(f"[{_UNSEEN}](?=[{_LETTER}\xad])")
_GAPS: Final = re.compile(f"(?<=[{_IN_WORD}])[{_UNSEEN}\xad]++(?=[{_LETTER}])")
_SPLIT_WORD: Final = re.compile(
    f"(?<![{_IN_WORD}])[{_LETTER}][{_IN_WORD}]*+(?:[{_UNSEEN}\xad]++[{_LETTER}][{_IN_WORD}]*+)+"
)
_FUNCTIONS: Final = "(?<=ln|lg)|(?<=cosh|coth|sinh|tanh)|(?<=arg|cos|cot|det|dim|exp|gcd|ker|lim|log|max|min|sin|tan)"
_USEFUL: Final = re.compile(
    f"\xad|(?<=[fſ])\u200c|(?:{_FUNCTIONS})\u2061|[\u2061-\u2064](?=[{_LETTER}](?![{_IN_WORD}]))|(?<![{_IN_WORD}])[{_LETTER}][\u2061-\u2064]"
)
"""What a word may have: German keeps letters apart that are no ligature, where two words meet as in Auf-lage; formulas
have operators next to a single letter or a function."""
_TYPESET: Final = frozenset("\u200c\u2061\u2062\u2063\u2064")
"""What typesetting puts between other letters too: German where any two words meet, formulas between long names."""
_SPACE: Final = frozenset("\u200b")
_WITHOUT_SPACES: Final = "\u0e00-\u109f\u1780-\u17ff\u1950-\u1aaf\u1b00-\u1b7f\u3040-\u30ff\u3400-\u9fff\ua980-\uaadf"
_BESIDE_SPACE: Final = re.compile(f"[{_WITHOUT_SPACES}]\u200b|\u200b[{_WITHOUT_SPACES}]")
"""Thai, Khmer and others separate words by a space that shows nothing, and so two Latin names among them: it is flagged
in more words than there are such places."""
_ODD: Final = re.compile(f"[{_OTHER}{_BMP}\xad\U00010000-\U0010ffff]")
"""What makes a text worth a closer look; few ranges, since every text that is not ASCII is searched."""
_ONE_UNSEEN: Final = re.compile(f"[{_UNSEEN}]")

# A few come along when a text is copied from a web page. Who hides copying has to disturb many words.
_ACCIDENTS: Final = 2
_SHARE_OF_WORDS: Final = 100
_MANY: Final = 20
_SHARE_OF_TYPESET: Final = 2 / 3
"""What typesetting puts between letters must be in twenty words, and in this share of all words."""


def _without_gaps(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Return a text without invisible characters inside words, and where in it they were: place, how many so far."""
    pieces: list[str] = []
    sizes: list[int] = []
    end = 0
    for gap in _GAPS.finditer(text):
        pieces.append(text[end : gap.start()])
        sizes.append(len(gap[0]))
        end = gap.end()
    places = accumulate(map(len, pieces))
    return "".join((*pieces, text[end:])), list(zip(places, accumulate(sizes), strict=True))


def _before(gaps: list[tuple[int, int]], place: int) -> int:
    """Return how many characters `_without_gaps` left out before a place."""
    at = bisect_right(gaps, place, key=lambda gap: gap[0])
    return gaps[at - 1][1] if at else 0


def _invisible_flags(text: str) -> list[Flag]:
    """Flag a text with invisible characters in three words and one of a hundred, or in twenty words."""
    if _GAP.search(text) is None:
        return []
    split = _split_words(text)
    words = split.total()
    if words <= _ACCIDENTS or (words < _MANY and words * _SHARE_OF_WORDS < len(text.split())):
        return []
    codes: Counter[str] = Counter()
    for signs, number in split.items():
        codes.update(dict.fromkeys(sorted(signs), number))
    shown = _codes(code for code, _ in codes.most_common())
    how = [f"with {_codes(sorted(codes.keys() & _COUNTED))}"] if codes.keys() & _COUNTED else []
    if codes.keys() - _COUNTED:
        how.append(f"without {'the others' if how else 'them'}, unless invisible=keep")
    detail = f"inside {words:,} words ({shown}); the text is compared {' and '.join(how)}"
    return [Flag(INVISIBLE, detail, words)]


def _split_words(text: str) -> Counter[frozenset[str]]:
    """Count the words with invisible characters, by these; without those that a writer may have put there."""
    found = (frozenset(_ONE_UNSEEN.findall(_USEFUL.sub("", word[0]))) for word in _SPLIT_WORD.finditer(text))
    words = Counter(signs for signs in found if signs)
    if words[_SPACE] and words[_SPACE] <= sum(1 for _ in _BESIDE_SPACE.finditer(text)):
        del words[_SPACE]
    typeset = [signs for signs in words if signs <= _TYPESET]
    number = sum(words[signs] for signs in typeset)
    if number < _MANY or number < _SHARE_OF_TYPESET * len(text.split()):
        for signs in typeset:
            del words[signs]
    return words


# -- reversed text, and marks on vowels --------------------------------------------------------------------------------

_LONGEST_SHOWN: Final = 40

# One kind of mark on every vowel. No language writes so: of the vowels of pinyin, Yoruba, Navajo or Vietnamese, at most
# half have the same mark, so that forty in a row are no accident. Lines through or under letters are decoration.
_VOWELS: Final = "aeiouаеоуыэюяαεηιουω"
_MARK: Final = re.compile("[\u0300-\u0304\u0306-\u0331\u0339-\u033e\u0340-\u034e\u0350-\u035b\u0363-\u036f]")
_ANY_MARK: Final = "\u0300-\u036f"
_MARKED: Final = re.compile(f"[À-ɏḀ-ỿ{_ANY_MARK}]")
_NO_PLAIN_VOWEL: Final = re.compile(f"(?:[^{_VOWELS}]|[{_VOWELS}](?=[{_ANY_MARK}]))*")
_SAMPLE, _EVERY, _IN_SAMPLE, _AROUND = 24, 90, 4, 500
"""Characters of a sample, from one to the next, marked ones in a sample, and characters around one to be looked at."""
_IN_A_ROW: Final = 40
_BETWEEN: Final = 200


def _reversed_flags(backwards: list[str]) -> list[Flag]:
    words = sum(len(span.split()) for span in backwards)
    if not words:
        return []
    verb = "is" if words == 1 else "are"
    detail = f"{counted(words, 'word')} {verb} stored backwards under U+202E, and compared as shown on the screen: "
    return [Flag(REVERSED, detail + _excerpt(backwards[0]), words)]


def _marks_flags(text: str) -> list[Flag]:
    words: Counter[str] = Counter()
    for start, end in _without_plain_vowels(text):
        apart = unicodedata.normalize("NFD", text[start:end])
        for mark, number in Counter(_MARK.findall(apart)).items():
            if number >= _IN_A_ROW:
                words[mark] += sum(len(run[0].split()) for run in _marked_vowels(mark).finditer(apart))
    flags: list[Flag] = []
    for mark, number in (+words).items():
        name = unicodedata.name(mark).removeprefix("COMBINING ").lower()
        article = "an" if name[0] in "aeioux" else "a"
        has = f"{article} {name} (U+{ord(mark):04X})"
        detail = f"every vowel of {number:,} words has {has}, which counts, unless accents=strip"
        flags.append(Flag(MARKS, detail, number))
    return flags


def _without_plain_vowels(text: str) -> Iterator[tuple[int, int]]:
    """Yield where a text may have vowels in a row that all have marks: samples show where there are only such."""
    start = end = 0
    for at in range(0, len(text), _EVERY):
        found = _NO_PLAIN_VOWEL.match(text, at, at + _SAMPLE)
        if found is None or found.end() < at + _SAMPLE - 1 or len(_MARKED.findall(found[0])) < _IN_SAMPLE:
            continue
        if at - _AROUND > end:
            if end:
                yield start, end
            start = max(0, at - _AROUND)
        end = at + _AROUND
    if end:
        yield start, end


@cache
def _marked_vowels(mark: str) -> re.Pattern[str]:
    """Find vowels in a row that all have a mark; it begins with the mark because a single letter is found quickly."""
    others = f"(?:(?!{mark})[{_ANY_MARK}])*"
    between = f"[^{_VOWELS}]{{0,{_BETWEEN}}}+"  # limited, so that many marks without a vowel are read once
    return re.compile(f"{mark}{between}(?:[{_VOWELS}]{others}{mark}{between}){{{_IN_A_ROW - 1},}}")


def _excerpt(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN].rstrip() + " …"
