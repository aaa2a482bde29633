"""Characters that nobody sees, and letters that look like others, do not make a text another."""

from __future__ import annotations

import re

import pytest

import lookalike as la
from lookalike.presets import Recipe

ESSAY = """
Cars have changed the way we live, but many towns now ask whether life without them would be better. In one suburb in
Germany, seven in ten families own no car at all. Parents who moved there say that they feel less tense than before:
"When I had a car I was always tense," one mother told a reporter. Streets are quiet enough to hear the swish of
bicycles and the chatter of wandering children. Critics answer that such a place is only for the rich, and that people
in the country have 40 miles to drive to work every day. Both are right, and that is what makes the question hard.
"""

UNSEEN = {
    "left-to-right mark": "\u200e",
    "right-to-left override": "\u202e",
    "combining grapheme joiner": "\u034f",
    "variation selector": "\ufe0f",
    "tag": "\U000e0061",
    "soft hyphen": "\u00ad",
    "zero-width space": "\u200b",
    "zero-width joiner": "\u200d",
    "word joiner": "\u2060",
    "Hangul filler": "\u3164",
    "byte order mark": "\ufeff",
}
OWN = ("prose", "edited", "essays", "cjk")


def in_every_word(mark: str) -> str:
    return re.sub(r"(?<=\w)(?=\w)", mark, ESSAY)


def bold(letter: str) -> str:
    """Return a mathematical bold letter, or what is no letter as it is."""
    if "A" <= letter <= "Z":
        return chr(0x1D400 + ord(letter) - ord("A"))
    return chr(0x1D41A + ord(letter) - ord("a")) if "a" <= letter <= "z" else letter


def wide(letter: str) -> str:
    """Return a full-width character of ASCII."""
    return chr(ord(letter) + 0xFEE0) if "!" <= letter <= "~" else letter


@pytest.mark.parametrize("preset", OWN)
@pytest.mark.parametrize("name", UNSEEN)
def test_what_nobody_sees_does_not_hide_a_copy(name: str, preset: str) -> None:
    recipe = Recipe.preset(preset)
    disguised = in_every_word(UNSEEN[name])
    assert la.jaccard(ESSAY, disguised, recipe=recipe) == 1.0
    assert la.jaccard(ESSAY, disguised, recipe=recipe.replace(invisible="keep")) < 0.2


@pytest.mark.parametrize("name", UNSEEN)
def test_passages_have_their_places_in_the_disguised_text(name: str) -> None:
    mark = UNSEEN[name]
    start, part = 20, in_every_word(mark).split("\n")[2]
    disguised = f"{'x' * start} {mark}{part}{mark} {'y' * 9}"
    (passage,) = la.passages(ESSAY, disguised, least=5)
    assert disguised[passage.b_start : passage.b_end] == part.rstrip(":")
    assert ESSAY[passage.a_start : passage.a_end] == part.replace(mark, "").rstrip(":")


@pytest.mark.parametrize("preset", ["essays", "edited", "cjk"])
@pytest.mark.parametrize("disguise", [bold, wide])
def test_letters_of_other_styles_do_not_hide_a_copy(preset: str, disguise: object) -> None:
    assert callable(disguise)
    disguised = "".join(disguise(letter) for letter in ESSAY)
    assert la.jaccard(ESSAY, disguised, recipe=Recipe.preset(preset)) == 1.0


def test_a_byte_order_mark_is_not_part_of_a_text() -> None:
    words = "one two three four five six seven eight"
    assert la.jaccard(words, "\ufeff" + words) == 1.0


def test_code_is_read_without_what_nobody_sees() -> None:
    recipe = Recipe.preset("code")
    code = "def f(n):\n    return n // 2 if n > 1 else g(n)\n"
    disguised = "\ufeff" + code.replace("return", "ret\u200burn").replace(" if", "\u200e if")
    assert la.jaccard(code, disguised, recipe=recipe) == 1.0
    keyword = next(unit for unit in la.units(disguised, recipe) if unit.text == "return")
    assert disguised[keyword.start : keyword.end] == "ret\u200burn"


def test_stop_words_and_templates_are_found_in_disguise() -> None:
    recipe = Recipe(k=1, stop_words=["th\u00ade"])
    assert la.normalize("t\u200bhe cat", recipe) == "cat"
    template, own = "please answer all of the following questions in full", "tides rise because the moon pulls"
    texts = [f"{template} {own} one two three", f"{template} cats sleep all day long because they can"]
    disguised = template.replace("s", "s\u200b")
    assert la.find(texts, 0.05, recipe=Recipe(k=3)).pair_count == 1
    assert la.find(texts, 0.05, recipe=Recipe(k=3), ignore=[disguised]).pair_count == 0


def test_presets_named_after_other_projects_keep_what_those_keep() -> None:
    kept = {name for name, preset in la.PRESETS.items() if preset.recipe.invisible == "keep"}
    assert kept == {"fineweb", "lee2022", "slimpajama", "redpajama2", "stack", "nemo"}


def test_tokens_are_compared_as_they_are() -> None:
    result = la.find(tokens=[["a\u200b", "b"], ["a", "b"]], threshold=0.1)
    assert result.recipe.invisible == "keep"
    assert result.pairs.to_pylist()[0]["jaccard"] == pytest.approx(1 / 3)
