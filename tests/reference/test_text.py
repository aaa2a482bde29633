from __future__ import annotations

import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.recipe import Recipe
from lookalike.reference import normalise, segments, shingles, units, windows

# -- UAX #29, by hand ------------------------------------------------------------------------------------------------

WORD_BREAKS = {
    "nothing": ("", []),
    "a letter": ("a", ["a"]),
    "WB3 carriage return and line feed": ("a\r\nb", ["a", "\r\n", "b"]),
    "WB3 line feed and carriage return": ("\n\r", ["\n", "\r"]),
    "WB3a after a line feed": ("\n\N{COMBINING DIAERESIS}a", ["\n", "\N{COMBINING DIAERESIS}", "a"]),
    "WB3b before a line separator": ("a\N{LINE SEPARATOR}", ["a", "\N{LINE SEPARATOR}"]),
    "WB3c family": ("👩‍👩‍👧!", ["👩‍👩‍👧", "!"]),
    "WB3c needs a pictograph": ("👩‍,", ["👩‍", ","]),
    "WB3c without a pictograph before": ("a\N{ZERO WIDTH JOINER}👧", ["a\N{ZERO WIDTH JOINER}👧"]),
    "WB3d spaces": ("a  b", ["a", "  ", "b"]),
    "WB3d not tabs": ("\t\t", ["\t", "\t"]),
    "WB3d ends at a combining mark": (" \u0308 ", [" \u0308", " "]),
    "WB4 combining mark": ("e\u0301a", ["e\u0301a"]),
    "WB4 soft hyphen": ("co\N{SOFT HYPHEN}op", ["co\N{SOFT HYPHEN}op"]),
    "WB4 skin tone": ("👍🏽👍", ["👍🏽", "👍"]),
    "WB4 at the start": ("\u0308a", ["\u0308", "a"]),
    "WB5 letters": ("wordслово", ["wordслово"]),
    "WB6 and WB7 apostrophe": ("don't", ["don't"]),
    "WB6 typographic apostrophe": ("can’t", ["can’t"]),
    "WB6 at the end": ("dogs' ", ["dogs", "'", " "]),
    "WB6 at the start": ("'tis", ["'", "tis"]),
    "WB6 twice": ("a''b", ["a", "'", "'", "b"]),
    "WB6 across a combining mark": ("can'\u0308t", ["can'\u0308t"]),
    "WB6 full stops": ("a.b.c", ["a.b.c"]),
    "WB6 full stop at the end": ("a.b.", ["a.b", "."]),
    "WB6 colon": ("a:b", ["a:b"]),
    "WB6 not a comma": ("a,b", ["a", ",", "b"]),
    "WB7a Hebrew and single quote": ("א' ", ["א'", " "]),
    "WB7b and WB7c Hebrew with double quote": ('צה"ל', ['צה"ל']),
    "WB7b only before Hebrew": ('צה" ל', ["צה", '"', " ", "ל"]),
    "WB7b not for Latin": ('a"b', ["a", '"', "b"]),
    "WB8 digits": ("12345", ["12345"]),
    "WB9 and WB10 letters and digits": ("A3b4", ["A3b4"]),
    "WB11 and WB12 decimal point": ("3.14", ["3.14"]),
    "WB11 thousands": ("1,234,567.89", ["1,234,567.89"]),
    "WB12 at the end": ("3.", ["3", "."]),
    "WB11 not a colon": ("3:4", ["3", ":", "4"]),
    "no rule for letter, point, digit": ("a.3", ["a", ".", "3"]),
    "WB13 katakana": ("カタカナ", ["カタカナ"]),
    "no rule for hiragana": ("ひら", ["ひ", "ら"]),
    "no rule for ideographs": ("漢字", ["漢", "字"]),
    "katakana and letters": ("カa", ["カ", "a"]),
    "WB13a and WB13b underscores": ("__snake_case_1_カ", ["__snake_case_1_カ"]),
    "WB15 flags": ("🇩🇪🇫🇷🇪", ["🇩🇪", "🇫🇷", "🇪"]),
    "WB15 flag with a joiner inside": ("🇩\N{ZERO WIDTH JOINER}🇪🇫", ["🇩\N{ZERO WIDTH JOINER}🇪", "🇫"]),
    "WB16 flags after a letter": ("a🇩🇪🇫🇷", ["a", "🇩🇪", "🇫🇷"]),
    "WB999 hyphen": ("well-known", ["well", "-", "known"]),
    "WB999 emoji": ("🙂🙂", ["🙂", "🙂"]),
}


@pytest.mark.parametrize(("text", "expected"), WORD_BREAKS.values(), ids=WORD_BREAKS.keys())
def test_word_boundaries(text: str, expected: list[str]) -> None:
    assert segments(text) == expected


# Characters of every class of the rules, so that a random text exercises them all.
INTERESTING = "\r\n\x0b\u0308\u200d\u00adカאa'\".:,3_🇩🇪 \u2003👩🏽漢-\t"


@given(st.one_of(st.text(INTERESTING), st.text()))
def test_segments_join_to_the_text(text: str) -> None:
    text = "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
    pieces = segments(text)
    assert "".join(pieces) == text
    assert all(pieces)


# -- normalise -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "settings", "expected"),
    [
        ("a\ud800b", {}, "a\ufffdb"),
        ("ＡＢ ﬁ", {"form": "nfkc"}, "ab fi"),
        ("ＡＢ", {"form": "nfc"}, "ａｂ"),
        ("e\u0301", {"form": "nfc"}, "é"),
        ("é", {"form": "nfd"}, "e\u0301"),
        ("e\u0301", {"form": "none"}, "e\u0301"),
        ("ΟΔΟΣ İ ẞ", {}, "οδοσ i ß"),
        ("ΟΔΟΣ", {"lowercase": False}, "ΟΔΟΣ"),
        ("Été Ångström ΰ й", {"accents": "strip"}, "ete angstrom υ и"),
        ("שָׁלוֹם مُحَمَّد", {"accents": "strip"}, "שלום محمد"),
        ("क़ が กำ", {"accents": "strip"}, "\u0915\u093c が กำ"),
        ("e\u0301", {"accents": "strip", "form": "none"}, "e"),
        ("ｶﾞ", {"accents": "strip", "form": "nfkc"}, "ガ"),
        ("Room 101, ٣, ½", {"digits": "zero"}, "room 000, 0, ½"),
    ],
)
def test_normalise(text: str, settings: dict[str, Any], expected: str) -> None:
    assert normalise(text, Recipe(**settings)) == expected


# -- units and shingles ----------------------------------------------------------------------------------------------


def test_the_marks_of_ascii_are_pythons_punctuation() -> None:
    keep = "".join(units("".join(map(chr, range(33, 127))), Recipe(unit="char", lowercase=False)))
    assert keep == string.digits + string.ascii_uppercase + string.ascii_lowercase


@pytest.mark.parametrize(
    ("text", "settings", "expected"),
    [
        ("Don't, well-known!", {}, ["dont", "well", "known"]),
        ("Don't, well-known!", {"punctuation": "keep"}, ["don't", ",", "well", "-", "known", "!"]),
        ("a = b+1", {"punctuation": "keep"}, ["a", "=", "b", "+", "1"]),
        ("I like 🙂 and €5 + ☃", {}, ["i", "like", "🙂", "and", "5", "☃"]),
        ("The cat isn't the dog", {"stop_words": "english"}, ["cat", "dog"]),
        ("The cat isn't the dog", {"stop_words": "english", "punctuation": "keep"}, ["cat", "dog"]),
        ("The Cat", {"stop_words": ["the"], "lowercase": False}, ["The", "Cat"]),
        ("The Cat", {"stop_words": ["THE"]}, ["cat"]),
        ("  \t\r\n ", {}, []),
        ("?!…", {}, []),
        ("a  b", {"whitespace": "keep"}, ["a", "b"]),
    ],
)
def test_words(text: str, settings: dict[str, Any], expected: list[str]) -> None:
    assert units(text, Recipe(**settings)) == expected


@pytest.mark.parametrize(
    ("text", "settings", "expected"),
    [
        (" a\t\n b\u00a0", {}, "a b"),
        (" a\t\n b\u00a0", {"whitespace": "remove"}, "ab"),
        (" a\t\n b\u00a0", {"whitespace": "keep"}, " a\t\n b\u00a0"),
        ("a , b", {}, "a b"),
        ("a , b", {"punctuation": "keep"}, "a , b"),
        ("the cat, the dog", {"stop_words": ["the"]}, "cat dog"),
        ("the cat, the dog", {"stop_words": ["the"], "whitespace": "keep", "punctuation": "keep"}, " cat,  dog"),
        ("don't stop", {"stop_words": ["don't"]}, "stop"),
        ("theatre", {"stop_words": ["the"]}, "theatre"),
        ("?!", {}, ""),
    ],
)
def test_characters(text: str, settings: dict[str, Any], expected: str) -> None:
    assert "".join(units(text, Recipe(unit="char", **settings))) == expected


def test_a_short_text_is_one_shingle() -> None:
    assert shingles("two words", Recipe(k=5)) == ["two words"]
    assert shingles("", Recipe()) == [""]
    assert shingles("?!", Recipe(unit="char")) == [""]


@given(st.lists(st.text(max_size=3), max_size=20), st.integers(1, 25))
def test_windows(items: list[str], k: int) -> None:
    found = windows(items, k)
    assert len(found) == max(1, len(items) - k + 1)
    assert all(len(window) == min(k, len(items)) for window in found)
    assert [window[0] for window in found if window] == list(items[: len(found)])
