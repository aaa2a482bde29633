"""The core cuts every text as the reference does: normalised text, units, shingles, elements, and places."""

from __future__ import annotations

import sys
import unicodedata
from itertools import pairwise
from typing import Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import lookalike as la
from lookalike import _native
from lookalike import reference as ref
from lookalike.recipe import Recipe
from lookalike.recipe import settings as native
from tests.property.strategies import Case, any_texts, cases, is_known, known_texts, recipes, tries

VERBATIM = Recipe(
    unit="char", k=1, lowercase=False, whitespace="keep", punctuation="keep", invisible="keep", form="none"
)

# White space is no word, so no list of words can delete it: not even a list whose word becomes a blank by NFKC and
# `accents=strip`, as the accent that stands alone does.
BLANK_STOP_WORD = Recipe(
    unit="char", k=1, whitespace="keep", punctuation="keep", accents="strip", form="nfkc", stop_words=["´"]
)


@given(cases(1))
@example(Case(BLANK_STOP_WORD, ["a b"]))
@tries(5)
def test_units(case: Case) -> None:
    assert [unit.text for unit in la.units(case.text, case.recipe)] == ref.units(case.text, case.recipe)


@given(cases(1))
def test_shingles(case: Case) -> None:
    assert [s.text for s in la.shingles(case.text, case.recipe)] == ref.shingles(case.text, case.recipe)


@given(cases(1))
@example(Case(BLANK_STOP_WORD, ["a b"]))
@tries(5)
def test_elements(case: Case) -> None:
    # Not the path of `units`: this one hashes without keeping places, and in ASCII with vector instructions.
    assert _native.elements(case.text, native(case.recipe)) == sorted(ref.elements(case.text, case.recipe))


@given(cases(1))
def test_normalize(case: Case) -> None:
    joiner = "" if case.recipe.unit == "char" else " "
    assert la.normalize(case.text, case.recipe) == joiner.join(ref.units(case.text, case.recipe))


@given(known_texts(), recipes(unit="char", whitespace="keep", punctuation="keep", stop_words="none"))
def test_normalize_deletes_nothing_that_the_recipe_keeps(text: str, recipe: Recipe) -> None:
    assert la.normalize(text, recipe) == ref.normalise(text, recipe)


# One or two of every class of the rules of word boundaries: short texts of these meet every rule many times over.
BOUNDARY = "aאЖ1٣カー_'’\".:·,;-\r\n\u2028 \u3000\u0301\u200d\u00ad🇪🇸☃😀漢ก\x00"


@given(st.one_of(any_texts(), st.text(BOUNDARY, max_size=12)))
@tries(10)
def test_words_are_the_segments_that_are_not_white_space(text: str) -> None:
    recipe = VERBATIM.replace(unit="word")
    whole = ref.normalise(text, recipe)
    assert "".join(ref.segments(whole)) == whole
    visible = [s for s in ref.segments(whole) if not all(_native.char_properties(ord(c)).white_space for c in s)]
    assert [unit.text for unit in la.units(text, recipe)] == visible
    # The other path, which keeps hashes only.
    assert _native.elements(text, native(recipe)) == sorted(ref.elements(text, recipe))


# -- every code point ------------------------------------------------------------------------------------------------

SCALARS = [chr(c) for c in range(sys.maxunicode + 1) if not 0xD800 <= c <= 0xDFFF]
FORMS: dict[str, Literal["NFC", "NFKC"]] = {"nfc": "NFC", "nfkc": "NFKC"}
IGNORABLE = {char for char in SCALARS if _native.char_properties(ord(char)).default_ignorable}


def check_units(chars: list[str], context: str, recipe: Recipe) -> None:
    """Compare core and reference on many code points in one text; if they differ, on each of them."""

    def same(text: str) -> bool:
        return [unit.text for unit in la.units(text, recipe)] == ref.units(text, recipe)

    if not same("".join(context.format(char) for char in chars)):
        wrong = [char for char in chars if not same(context.format(char))]
        pytest.fail(f"core and reference differ for {wrong[:5]!a} in {context!a}, {recipe}")


@pytest.mark.parametrize("unit", ["word", "char"])
def test_units_of_every_code_point(unit: str) -> None:
    # `form` is left out: the forms of the reference are those of this Python, which does not know every code point.
    recipe = Recipe().replace(unit=unit, form="none", whitespace="remove", punctuation="keep")
    # Those without any property, such as ideographs and what is not assigned, are units by themselves. The reference
    # knows them by their properties alone, so a few of a million that have the same speak for all.
    plain: list[str] = []
    others: list[str] = []
    for char in SCALARS:
        found = _native.char_properties(ord(char))
        nothing = found.word_break == "Other" and found.lower == ord(char) and not found.combining_class
        other = found.white_space or found.mark or found.decimal or found.extended_pictographic
        (others if other or char in IGNORABLE or not nothing else plain).append(char)
    assert [found.text for found in la.units("".join(plain), recipe)] == plain
    check_units(plain[::50], "{}", recipe)
    check_units(others, "a{} ", recipe)


@pytest.mark.parametrize("unit", ["word", "char"])
def test_keeping_differs_from_dropping_only_for_what_is_dropped(unit: str) -> None:
    text = "".join(f"a{char} " for char in SCALARS if char not in IGNORABLE)
    drop = Recipe().replace(unit=unit, k=1)
    assert _native.elements(text, native(drop)) == _native.elements(text, native(drop.replace(invisible="keep")))


@pytest.mark.parametrize("invisible", ["drop", "keep"])
@pytest.mark.parametrize("unit", ["word", "char"])
@pytest.mark.parametrize("form", ["none", "nfc", "nfkc"])
def test_units_of_every_code_point_that_goes_or_changes(unit: str, form: str, invisible: str) -> None:
    recipe = Recipe().replace(unit=unit, form=form, invisible=invisible)
    changing = IGNORABLE
    if form in FORMS:
        changing = changing | {c for c in SCALARS if is_known(c) and unicodedata.normalize(FORMS[form], c) != c}
    # Alone, and among letters, blanks and a mark: what stands around a code point that goes meets.
    check_units(sorted(changing), "{0}\na{0}b {0} c.{0}e\n", recipe)


def test_what_is_dropped_is_what_unicode_calls_default_ignorable() -> None:
    assert len(IGNORABLE) == 4_174  # most of them are reserved for what is to come
    everything = Recipe(unit="char", whitespace="keep", punctuation="keep", lowercase=False, form="none")
    assert la.normalize("a" + "".join(sorted(IGNORABLE)) + "b", everything) == "ab"


# -- long texts: the core works in blocks of 64 bytes and of 4096 shingles -------------------------------------------

LONG_PIECES = (
    "a",
    "to",
    "The",
    "don't",
    "e.g.",
    "x" * 63,
    "well-known",
    "3.14",
    "1,000",
    ",",
    "'",
    "_",
    " ",
    "\n",
    "é",
)


@given(
    words=st.lists(st.sampled_from(LONG_PIECES), min_size=1, max_size=40),
    times=st.integers(1, 120),
    joiner=st.sampled_from(("", " ")),
    recipe=recipes(form="nfc", accents="keep", hashes=8, k=3, stop_words="none"),
)
@tries(0.7)
def test_elements_of_long_texts(words: list[str], times: int, joiner: str, recipe: Recipe) -> None:
    text = joiner.join(words * times)[:9_000]
    assert _native.elements(text, native(recipe)) == sorted(ref.elements(text, recipe))


@pytest.mark.parametrize("unit", ["char", "word"])
@pytest.mark.parametrize("letter", ["a", "é"])
@pytest.mark.parametrize("shingles", [1, 4095, 4096, 4097, 8192])
def test_elements_at_the_border_of_a_block(unit: str, letter: str, shingles: int) -> None:
    recipe = Recipe(unit="char" if unit == "char" else "word", k=2, bag=True)
    units = [letter * (i % 7 + 1) for i in range(shingles + 1)]
    text = "".join(units)[: shingles + 1] if unit == "char" else " ".join(units)
    found = _native.elements(text, native(recipe))
    assert len(found) == shingles
    assert found == sorted(ref.elements(text, recipe))


# -- places ----------------------------------------------------------------------------------------------------------


@given(cases(1))
@tries(3.3)
def test_places_lie_in_the_text_and_in_order(case: Case) -> None:
    for found in (la.units(case.text, case.recipe), la.shingles(case.text, case.recipe)):
        for unit in found:
            # The one shingle of a text without units stands nowhere.
            assert 0 <= unit.start < unit.end <= len(case.text) or (unit.text == "" and unit.start == unit.end == 0)
        assert all(a.start <= b.start and a.end <= b.end for a, b in pairwise(found))


@given(st.sampled_from(("char", "word")).flatmap(lambda unit: cases(1, unit=unit)))
@tries(3.3)
def test_the_original_at_a_place_holds_the_unit(case: Case) -> None:
    for unit in la.units(case.text, case.recipe):
        original = ref.normalise(case.text[unit.start : unit.end], case.recipe)
        # Marks are deleted from the middle of a word, and a blank may stand for any white space: letter by letter then.
        rest = iter(original)
        assert all(char == " " or char in rest for char in unit.text), (unit, original)
        if case.recipe.punctuation == "keep" and unit.text != " ":
            assert unit.text in original


@given(cases(1, unit="word", form="none", accents="keep"))
def test_a_word_cut_out_of_the_original_is_that_word(case: Case) -> None:
    found = la.units(case.text, case.recipe)
    for unit in found:
        assert [u.text for u in la.units(case.text[unit.start : unit.end], case.recipe)] == [unit.text]
    assert all(a.end <= b.start for a, b in pairwise(found))


@given(any_texts())
def test_every_character_has_its_own_place(text: str) -> None:
    assert [(unit.start, unit.end) for unit in la.units(text, VERBATIM)] == [(i, i + 1) for i in range(len(text))]


@given(cases(1))
def test_a_shingle_reaches_from_its_first_unit_to_its_last(case: Case) -> None:
    units, shingles = la.units(case.text, case.recipe), la.shingles(case.text, case.recipe)
    k = min(case.recipe.k, len(units))
    if units:
        assert [(s.start, s.end) for s in shingles] == [
            (units[i].start, units[i + k - 1].end) for i in range(len(units) - k + 1)
        ]
