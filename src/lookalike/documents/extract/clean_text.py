"""The text of a document, cleaned: decoded, white space tidied, hidden pieces and look-alike letters found."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from typing import TYPE_CHECKING, BinaryIO, Final

from lookalike.documents.document_batches import HIDDEN, LETTERS, Extracted, Flag, RefusedError
from lookalike.documents.extract import LARGEST_TEXT
from lookalike.documents.text_file import NotTextError, codec_of_mark, decode_bytes, spoken_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = [
    "INVISIBLE",
    "TextWriter",
    "decoded",
    "finished",
    "read_marked",
    "read_plain",
    "unmasked",
    "without_invisible",
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
    seen = without_invisible(text)
    odd = [flag for flag in unmasked(text)[1] if flag.kind != LETTERS] if len(seen) != len(text) else []
    clean, letters = unmasked(seen)
    return Extracted(clean, (*found, *letters, *odd), encoding)


# -- look-alike letters and invisible characters -----------------------------------------------------------------------

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
_NEAR: Final = 20
_LOOKED_AT: Final = 100_000
"""Characters that decide the alphabet of a text."""
_MOST_PLACES: Final = 10_000

INVISIBLE: Final = "\u200b\u200c\u200d\u2060\u2061\u2062\u2063\u2064\u180e\ufeff"
"""Characters without width. Some scripts and emoji need the joiners among them: only between letters that never do."""
_ALPHABETIC: Final = _LATIN + _GREEK + _CYRILLIC
_SPLIT: Final = re.compile(f"(?<=[{_ALPHABETIC}])[{INVISIBLE}]+(?=[{_ALPHABETIC}])")
_SHOWN: Final = 3


def unmasked(text: str) -> tuple[str, tuple[Flag, ...]]:
    r"""Return a text with look-alike letters replaced by what they look like, as long as before, and its flags.

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
    waiting: list[tuple[int, str]] = []  # words that are all look-alikes, after a Latin one
    latin_before = True
    for found in _LETTERS.finditer(text):
        word = found[0]
        is_latin = _OTHERS.search(word) is None
        if not is_latin and _is_phonetic(text, found):
            continue
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


def without_invisible(text: str) -> str:
    """Return a text without invisible characters inside words, and without soft hyphens."""
    return text if text.isascii() else _SPLIT.sub("", text.replace("\xad", ""))
