"""The options for the recipe: every one of them does what it says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import lookalike as la
from lookalike.cli.search_options import RECIPE as OPTIONS
from lookalike.cli.search_options import make_recipe
from lookalike.recipe import _CHOICES

if TYPE_CHECKING:
    from tests.cli.conftest import Run

WORDS = "the quick brown fox jumps over the lazy dog and runs away again"


def compare(run: Run, a: str, b: str, *options: str) -> Any:
    Path("a.txt").write_text(a, encoding="utf-8")
    Path("b.txt").write_text(b, encoding="utf-8")
    done = run("compare", "a.txt", "b.txt", "--format", "json", *options)
    assert done.code == 0, done.err
    return done.json


# Each line: two texts; options under which they are the same; options under which they are not.
EFFECTS = {
    "preset": ("Big Cat", "big cat", ["--preset", "prose"], ["--preset", "stack"]),
    "preset code": ("big = 1  # cat", "Dog=2", ["--preset", "code"], ["--preset", "prose"]),
    "lowercase": ("Big Cat", "big cat", ["--preset", "stack", "--lowercase"], ["--no-lowercase"]),
    "unit token": ("int a;", "int b", ["--unit", "token"], ["--unit", "word"]),
    "unit": ("ab cd", "ab  cd", ["--unit", "word"], ["--unit", "char", "--whitespace", "keep"]),
    "k": ("a b c", "c b a", ["-k", "1"], ["-k", "2"]),
    "bag": ("a a b", "a b b", ["-k", "1", "--no-bag"], ["-k", "1", "--bag"]),
    "whitespace collapse": (
        "ab cd",
        "ab  cd",
        ["--unit", "char", "--whitespace", "collapse"],
        ["--unit", "char", "--whitespace", "keep"],
    ),
    "whitespace remove": (
        "ab cd",
        "abcd",
        ["--unit", "char", "--whitespace", "remove"],
        ["--unit", "char", "--whitespace", "collapse"],
    ),
    "punctuation": ("one, two", "one two", ["--punctuation", "remove"], ["--punctuation", "keep"]),
    "accents": ("café", "cafe", ["--accents", "strip"], ["--accents", "keep"]),
    "digits": ("room 12", "room 34", ["--digits", "zero"], ["--digits", "keep"]),
    "stop_words": ("the cat", "a cat", ["--stop-words", "english"], ["--stop-words", "none"]),
    "invisible": ("o\u00adne two", "one t\u200bwo", ["--invisible", "drop"], ["--invisible", "keep"]),
    "invisible code": ("i\u00adf x", "if x", ["--unit", "token"], ["--unit", "token", "--invisible", "keep"]),
    "form": ("caf\u00e9", "cafe\u0301", ["--form", "nfc"], ["--form", "none"]),
    "form K": ("ﬁn", "fin", ["--form", "nfkd"], ["--form", "nfd"]),
}


@pytest.mark.parametrize("name", EFFECTS)
def test_an_option_of_the_text_has_an_effect(run: Run, name: str) -> None:
    a, b, same, different = EFFECTS[name]
    assert compare(run, a, b, *same)["jaccard"] == 1.0
    assert compare(run, a, b, *different)["jaccard"] < 1.0


@pytest.mark.parametrize(
    ("options", "settings"),
    [
        (["--sketch", "classic"], {"sketch": "classic"}),
        (["--family", "murmur3"], {"sketch": "classic", "family": "murmur3"}),
        (["--family", "jenkins", "--sketch", "classic"], {"sketch": "classic", "family": "jenkins"}),
        (["--family", "modular"], {"sketch": "classic", "family": "modular"}),
        (["--hashes", "64"], {"hashes": 64}),
        (["--seed", "7"], {"seed": 7}),
        (["--seed", str(2**64 - 1)], {"seed": 2**64 - 1}),
    ],
)
def test_an_option_of_the_signature_has_an_effect(run: Run, options: list[str], settings: dict[str, Any]) -> None:
    a, b = " ".join(map(str, range(300))), " ".join(map(str, range(70, 370)))
    usual, changed = compare(run, a, b), compare(run, a, b, *options)
    assert changed["estimate"] != usual["estimate"]
    assert changed["jaccard"] == usual["jaccard"]
    assert changed["recipe"] == usual["recipe"] | settings
    assert changed["estimate"] == la.compare(a, b, la.Recipe(**settings)).estimate


def test_stop_words_from_a_file(run: Run) -> None:
    Path("words.txt").write_bytes("\ufeffbig\r\n\r\n  lazy \n".encode())
    assert compare(run, "big cat", "lazy cat", "--stop-words", "words.txt")["jaccard"] == 1.0
    result = compare(run, WORDS, WORDS, "--stop-words", "words.txt")
    assert result["recipe"]["stop_words"] == ["big", "lazy"]


def test_options_change_the_preset(run: Run) -> None:
    result = compare(run, WORDS, WORDS, "--preset", "slimpajama", "-k", "7", "--unit", "word")
    assert la.Recipe.from_dict(result["recipe"]) == la.Recipe.preset("slimpajama").replace(k=7, unit="word")


@pytest.mark.parametrize("name", la.PRESETS)
def test_every_preset_works(run: Run, name: str) -> None:
    assert la.Recipe.from_dict(compare(run, WORDS, WORDS, "--preset", name)["recipe"]) == la.Recipe.preset(name)


def test_the_table_says_what_was_counted(run: Run) -> None:
    compare(run, WORDS, WORDS)
    options = ("--unit", "char", "-k", "1", "--bag", "--family", "murmur3", "--hashes", "1")
    words = " ".join(run("compare", "a.txt", "b.txt", *options).out.split())
    assert "each is 1 character, repeats count" in words
    assert "1 hash, classic sketch, murmur3" in words


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-k", "0"], "k must be a whole number from 1 to 64, not 0"),
        (["-k", "65"], "k must be a whole number from 1 to 64, not 65"),
        (["-k", "five"], "k must be a whole number from 1 to 64, not 'five'"),
        (["-k", ""], "k must be a whole number from 1 to 64, not ''"),
        (["-k", "9" * 5000], "k must be a whole number from 1 to 64, not '99999"),
        (["--hashes", "0"], "hashes must be a whole number from 1 to 65535, not 0"),
        (["--hashes", "1.5"], "hashes must be a whole number from 1 to 65535, not '1.5'"),
        (["--seed", "-1"], "seed must be a whole number from 0 to 18446744073709551615, not -1"),
        (["--preset", "pros"], "did you mean 'prose'?"),
        (["--unit", "words"], "unit must be 'char', 'word' or 'token', not 'words'; did you mean 'word'?"),
        (["--whitespace", "x"], "whitespace must be 'keep', 'collapse' or 'remove', not 'x'"),
        (["--punctuation", "x"], "punctuation must be 'keep' or 'remove', not 'x'"),
        (["--accents", "x"], "accents must be 'keep' or 'strip', not 'x'"),
        (["--digits", "x"], "digits must be 'keep' or 'zero', not 'x'"),
        (["--invisible", "x"], "invisible must be 'drop' or 'keep', not 'x'"),
        (["--form", "nfq"], "form must be 'none', 'nfc', 'nfd', 'nfkc' or 'nfkd', not 'nfq'"),
        (["--sketch", "slow"], "sketch must be 'fast' or 'classic', not 'slow'"),
        (["--family", "md5"], "family must be 'modular', 'multiplicative', 'murmur3' or 'jenkins', not 'md5'"),
        (["--family", "murmur3", "--sketch", "fast"], "it belongs to --sketch classic"),
        (["--stop-words", "englsh"], "or a file of words, one per line, not 'englsh'; did you mean 'english'?"),
        (["--stop-words", "no/file"], "not 'no/file'; no such file"),
        (["--stop-words", "."], ". is a directory: give one file"),
    ],
)
def test_a_bad_value_is_one_clear_line(run: Run, options: list[str], message: str) -> None:
    # The documents do not exist: the recipe is checked first.
    assert message in run("compare", "a.txt", "b.txt", *options).complaint


def test_whitespace_without_effect_is_said(run: Run) -> None:
    compare(run, WORDS, WORDS)
    done = run("compare", "a.txt", "b.txt", "--whitespace", "keep")
    assert (done.code, done.err) == (0, "lookalike: note: --whitespace has no effect while the unit is word\n")
    assert run("compare", "a.txt", "b.txt", "--whitespace", "keep", "--unit", "char").err == ""


def test_there_is_an_option_for_every_setting_and_its_help_names_every_value() -> None:
    import dataclasses

    assert set(OPTIONS) == {"preset", *(field.name for field in dataclasses.fields(la.Recipe))}
    for name, choices in (*_CHOICES.items(), ("preset", tuple(la.PRESETS))):
        help_text = OPTIONS[name][1].help
        assert all(choice in help_text for choice in choices), name


def test_no_option_is_the_default_recipe() -> None:
    assert make_recipe(dict.fromkeys(OPTIONS)) == la.Recipe()
