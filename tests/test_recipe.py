from __future__ import annotations

import dataclasses
import enum
import hashlib
import json
import pickle
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.engine.bands import Bands, check_bands, choose_bands
from lookalike.errors import MismatchError, RecipeError
from lookalike.presets import PRESETS, Preset, find_preset
from lookalike.recipe import ENGLISH, FORMAT, Recipe

CHOICES = {
    "unit": ("char", "word"),
    "whitespace": ("keep", "collapse", "remove"),
    "punctuation": ("keep", "remove"),
    "accents": ("keep", "strip"),
    "digits": ("keep", "zero"),
    "invisible": ("drop", "keep"),
    "form": ("none", "nfc", "nfd", "nfkc", "nfkd"),
    "sketch": ("fast", "classic"),
    "family": ("modular", "multiplicative", "murmur3", "jenkins"),
}

words = st.one_of(st.sampled_from(["none", "english"]), st.lists(st.text().filter(str.strip), max_size=4))
settings = st.fixed_dictionaries(
    {
        **{name: st.sampled_from(choices) for name, choices in CHOICES.items()},
        "k": st.integers(1, 64),
        "hashes": st.integers(1, 65_535),
        "seed": st.integers(0, 2**64 - 1),
        "bag": st.booleans(),
        "lowercase": st.booleans(),
        "stop_words": words,
    }
)


recipes = settings.map(lambda chosen: make(**chosen))


def make(**chosen: Any) -> Recipe:
    """Make a recipe of settings that the type checker cannot see, good or bad."""
    return Recipe(**chosen)


# -- values ----------------------------------------------------------------------------------------------------------


def test_the_defaults_are_those_of_the_design() -> None:
    assert str(Recipe()) == (
        "lookalike-recipe/2 unit=word k=5 bag=no lowercase=yes punctuation=remove accents=keep digits=keep "
        "stop_words=none invisible=drop form=nfc sketch=fast hashes=256 seed=1"
    )


def test_the_digest_is_pinned() -> None:
    # Stored data carries it; a change here is a new format.
    assert Recipe().digest == "81f24cdbde03e467"
    assert Recipe().digest == hashlib.sha256(str(Recipe()).encode()).hexdigest()[:16]


def test_the_english_stop_list_is_pinned() -> None:
    assert hashlib.sha256(" ".join(ENGLISH).encode()).hexdigest()[:16] == "1693b0af6289873b"
    assert list(ENGLISH) == sorted(set(ENGLISH))
    assert all(word.isascii() and word == word.lower() for word in ENGLISH)


def test_no_stop_word_without_its_apostrophe_is_a_word_of_content() -> None:
    assert not {"id", "ill", "hell", "shed", "shell", "wed", "well"} & {word.replace("'", "") for word in ENGLISH}


@pytest.mark.parametrize("name", CHOICES)
def test_each_choice_is_accepted_and_nothing_else(name: str) -> None:
    for choice in CHOICES[name]:
        assert getattr(make(**{name: choice}), name) == choice
    for bad in ("", "Word", "zzz", None, 1, True, ["keep"], b"word"):
        with pytest.raises(RecipeError) as caught:
            make(**{name: bad})
        assert caught.value.field == name
        assert caught.value.given == bad
        assert all(repr(choice) in str(caught.value) for choice in CHOICES[name])


@pytest.mark.parametrize(("name", "low", "high"), [("k", 1, 64), ("hashes", 1, 65_535), ("seed", 0, 2**64 - 1)])
def test_each_number_is_accepted_in_its_range_only(name: str, low: int, high: int) -> None:
    for good in (low, high):
        assert getattr(make(**{name: good}), name) == good
    for bad in (low - 1, high + 1, True, False, 2.0, "5", None, float("nan"), [5], 10**5000):
        with pytest.raises(RecipeError, match=f"^{name} must be a whole number from {low} to {high}, not "):
            make(**{name: bad})


@pytest.mark.parametrize("name", ["bag", "lowercase"])
@pytest.mark.parametrize("bad", [0, 1, "yes", None, "True"])
def test_each_flag_is_true_or_false(name: str, bad: object) -> None:
    with pytest.raises(RecipeError, match=f"^{name} must be True or False, not "):
        make(**{name: bad})


def test_whole_numbers_of_other_types_become_int() -> None:
    class Number:
        def __index__(self) -> int:
            return 9

    assert type(make(k=Number()).k) is int


def test_a_member_of_a_text_enum_becomes_plain_text() -> None:
    class Unit(enum.StrEnum):
        CHAR = "char"

    assert type(make(unit=Unit.CHAR).unit) is str


def test_a_misspelt_choice_gets_a_suggestion() -> None:
    with pytest.raises(RecipeError, match="did you mean 'word'"):
        make(unit="words")
    with pytest.raises(RecipeError, match="did you mean 'multiplicative'"):
        make(family="multiplikative")


# -- stop words ------------------------------------------------------------------------------------------------------


def test_stop_words_of_any_iterable_become_one_sorted_tuple() -> None:
    expected = Recipe(stop_words=("a", "the"))
    assert expected.stop_words == ("a", "the")
    for same in (["the", "a"], {"the", "a"}, frozenset({"a", "the"}), ["a", "the", "a"], {"a": 1, "the": 2}):
        assert Recipe(stop_words=same) == expected
    assert Recipe(stop_words=(word for word in ["the", "a"])) == expected


def test_the_named_stop_lists_have_one_spelling() -> None:
    assert Recipe(stop_words=[]).stop_words == "none"
    assert Recipe(stop_words=reversed(ENGLISH)).stop_words == "english"
    assert Recipe(stop_words="english").stop_list == ENGLISH
    assert Recipe().stop_list == ()


def test_a_lone_surrogate_in_a_stop_word_is_replaced_as_in_a_text() -> None:
    assert Recipe(stop_words=["a\ud800"]).stop_list == ("a\ufffd",)


@pytest.mark.parametrize("bad", ["the", "English", 5, None, [""], [" "], ["a", 1], [None], b"ab"])
def test_bad_stop_words_are_refused(bad: Any) -> None:
    with pytest.raises(RecipeError, match="stop_words must be"):
        Recipe(stop_words=bad)


# -- one meaning, one form -------------------------------------------------------------------------------------------


@given(recipes)
def test_the_canonical_form_reads_back(recipe: Recipe) -> None:
    line = str(recipe)
    assert line.isascii()
    assert line.isprintable()
    assert Recipe.parse(line) == recipe
    assert str(Recipe.parse(line)) == line


@given(recipes)
def test_json_and_pickle_keep_every_setting(recipe: Recipe) -> None:
    for again in (Recipe.from_dict(json.loads(json.dumps(recipe.to_dict()))), pickle.loads(pickle.dumps(recipe))):
        assert again.to_dict() == recipe.to_dict()
        assert again == recipe


@given(recipes, recipes)
def test_equal_recipes_have_equal_forms_and_others_do_not(a: Recipe, b: Recipe) -> None:
    assert (a == b) == (str(a) == str(b)) == (a.digest == b.digest) == (not a.differences(b))
    if a == b:
        assert hash(a) == hash(b)


@given(settings, settings)
def test_differences_are_the_settings_that_differ(a: dict[str, Any], b: dict[str, Any]) -> None:
    left, right = Recipe(**a), Recipe(**b)
    unlike = {name for name in a if getattr(left, name) != getattr(right, name)}
    found = set(left.differences(right))
    assert found <= unlike
    assert unlike - found <= {"family", "whitespace"}  # the two that may have no effect


@given(recipes)
def test_repr_is_the_call_that_makes_it(recipe: Recipe) -> None:
    assert eval(repr(recipe), {"Recipe": Recipe}).to_dict() == recipe.to_dict()


def test_a_setting_without_effect_does_not_count() -> None:
    assert Recipe(family="jenkins") == Recipe()
    assert Recipe(family="jenkins", sketch="classic") != Recipe(sketch="classic")
    assert Recipe(whitespace="remove") == Recipe()
    assert Recipe(whitespace="remove", unit="char") != Recipe(unit="char")
    assert Recipe() != "lookalike-recipe/2"


def test_a_setting_without_effect_is_kept_for_later() -> None:
    assert Recipe(family="jenkins").replace(sketch="classic").family == "jenkins"


def test_a_recipe_is_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Recipe().k = 9  # type: ignore[misc]
    with pytest.raises(TypeError):
        Recipe("word")  # type: ignore[call-arg]


def test_replace_checks_what_it_is_given() -> None:
    assert Recipe(k=9).replace(unit="char") == Recipe(k=9, unit="char")
    with pytest.raises(RecipeError, match="k must be"):
        Recipe().replace(k=0)
    with pytest.raises(RecipeError, match="did you mean 'hashes'"):
        Recipe().replace(hashs=9)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the format of a recipe must be 'lookalike-recipe/2'"),
        ("lookalike-recipe/1 unit=word", "the format of a recipe must be 'lookalike-recipe/2'"),
        (str(Recipe()).replace("k=5", "k=0"), "k must be a whole number from 1 to 64, not 0"),
        (str(Recipe()).replace("k=5", "k=5_0"), "k must be a whole number from 1 to 64, not '5_0'"),
        (str(Recipe()).replace("k=5", "k=٥"), "k must be a whole number"),
        (str(Recipe()).replace("k=5", "k=" + "9" * 10_000), "k must be a whole number"),
        (str(Recipe()).replace("k=5 ", ""), "k must be given"),
        (str(Recipe()).replace("k=5", "k=5 k=6"), "k can be given only once; it was 5 before"),
        (str(Recipe()).replace("k=5", "k"), "a part of a recipe must be setting=value, not 'k'"),
        (str(Recipe()).replace("k=5", "kk=5"), "a setting must be one of .* not 'kk'"),
        (str(Recipe()).replace("bag=no", "bag=maybe"), "bag must be yes or no, not 'maybe'"),
        (str(Recipe()).replace("stop_words=none", 'stop_words=["a"'), "stop_words must be"),
        (str(Recipe()).replace("stop_words=none", "stop_words=[1]"), "stop_words must be"),
        (str(Recipe(sketch="classic")).replace("family=multiplicative ", ""), "family must be given"),
    ],
)
def test_a_bad_canonical_form_names_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        Recipe.parse(text)


def test_from_dict_refuses_another_format() -> None:
    assert Recipe.from_dict({"k": 9}) == Recipe(k=9)
    assert Recipe().to_dict()["format"] == FORMAT
    with pytest.raises(RecipeError, match="another version"):
        Recipe.from_dict({"format": "lookalike-recipe/1"})


def test_check_same_names_the_fields_that_differ() -> None:
    Recipe().check_same(Recipe(family="jenkins"))
    with pytest.raises(MismatchError, match="the index and the query differ: k is 5 and 9, seed is 1 and 2") as caught:
        Recipe().check_same(Recipe(k=9, seed=2), this="the index", that="the query")
    assert caught.value.fields == ("k", "seed")


# -- presets ---------------------------------------------------------------------------------------------------------


def test_the_presets_are_those_of_the_issue() -> None:
    own = ["prose", "edited", "essays", "code", "cjk"]
    names = [*own, "fineweb", "lee2022", "slimpajama", "redpajama2", "stack", "nemo"]
    assert list(PRESETS) == names
    assert all(PRESETS[name].name == name for name in names)
    assert all(Recipe.preset(name) == PRESETS[name].recipe for name in names)


@pytest.mark.parametrize("preset", PRESETS.values(), ids=lambda preset: preset.name)
def test_each_preset_fits_its_signature_and_says_where_it_comes_from(preset: Preset) -> None:
    bands = Bands(preset.bands, preset.rows)
    check_bands(bands, preset.recipe.hashes)
    assert preset.recall == (1.0 if preset.metric == "containment" else bands.recall(preset.threshold))
    assert preset.source
    assert preset.note


# The table of the survey: chance of finding a pair of similarity .7, .8 and .9.
@pytest.mark.parametrize(
    ("name", "chances"),
    [
        ("lee2022", (0.30, 0.995, 1.0)),
        ("fineweb", (0.565, 0.924, 1.0)),
        ("slimpajama", (0.084, 0.399, 0.929)),
        ("redpajama2", (0.084, 0.399, 0.929)),
        ("stack", (0.511, 0.942, 1.0)),
        ("nemo", (0.177, 0.677, 0.997)),
    ],
)
def test_the_published_presets_find_what_the_survey_says(name: str, chances: tuple[float, ...]) -> None:
    bands = Bands(PRESETS[name].bands, PRESETS[name].rows)
    for similarity, chance in zip((0.7, 0.8, 0.9), chances, strict=True):
        assert bands.probability(similarity) == pytest.approx(chance, abs=0.006)


@pytest.mark.parametrize("name", ["prose", "edited", "essays", "code", "cjk"])
def test_our_own_presets_keep_their_promise(name: str) -> None:
    preset = PRESETS[name]
    assert preset.recall >= 0.99
    chosen = choose_bands(preset.threshold, recall=0.99, hashes=preset.recipe.hashes)
    assert chosen == Bands(preset.bands, preset.rows)


def test_prose_is_the_default() -> None:
    assert PRESETS["prose"].recipe == Recipe()


def test_a_preset_needs_no_other_import() -> None:
    program = "import lookalike as la; print(la.Recipe.preset('code').unit)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "token\n"


@pytest.mark.parametrize("bad", ["", "Prosa", None, 5, ["prose"]])
def test_an_unknown_preset_is_refused(bad: Any) -> None:
    with pytest.raises(RecipeError, match="preset must be one of prose, edited"):
        find_preset(bad)


def test_presets_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        PRESETS["mine"] = PRESETS["prose"]  # type: ignore[index]
