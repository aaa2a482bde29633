"""The generated texts: what they are made of, that a seed decides them, and that similarities are as constructed."""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import replace

import pytest

import lookalike as la
from lookalike.errors import RecipeError
from lookalike.experiments import Setup, data
from lookalike.experiments.data import EXCERPTS
from lookalike.experiments.text_collections import different_share, page_similarity

SETUP = Setup(seed=3)


def test_the_base_text_has_the_words_of_report_b() -> None:
    words = data.words(Setup())
    assert (len(words), sum(map(len, words)) / len(words)) == (50, 5.84)


def test_shuffles_have_the_same_words_in_other_orders() -> None:
    texts = data.permutations(SETUP, 20)
    assert len(set(texts)) == 20
    assert all(Counter(text.split()) == Counter(data.words(SETUP)) for text in texts)


def test_a_seed_decides_the_texts_and_the_first_ones_do_not_depend_on_their_number() -> None:
    assert data.permutations(SETUP, 5) == data.permutations(SETUP, 410)[:5]
    assert data.permutations(SETUP, 5) != data.permutations(Setup(seed=4), 5)
    assert data.permutations(SETUP, 5) != data.permutations(SETUP, 5, "other")
    assert data.book(SETUP, 999) == data.book(SETUP, 999) != data.book(SETUP, 999, "other")
    assert data.collection(SETUP, 30) == data.collection(SETUP, 60)[:30]


def test_these_texts_stay_as_they_are() -> None:
    """Another generator would make other numbers of everything that was ever published with a seed."""
    assert data.permutations(Setup(), 1)[0].split()[:4] == ["about", "morning", "described", "travellers"]


@pytest.mark.parametrize("k", [5, 9, 20])
@pytest.mark.parametrize("similarity", [0.0, 0.1, 1 / 3, 0.6, 0.9, 1.0])
def test_a_pair_has_the_wanted_similarity(similarity: float, k: int) -> None:
    a, b = data.pair_of_similarity(SETUP, similarity, k)
    assert la.jaccard(a, b, recipe=la.Recipe(unit="char", k=k)) == pytest.approx(similarity, abs=0.001)


def test_the_pair_of_report_a_is_exact() -> None:
    a, b = data.pair_of_similarity(Setup(), 0.6, 9)
    assert la.jaccard(a, b, recipe=la.Recipe(unit="char", k=9)) == 0.6


@pytest.mark.parametrize(("similarity", "k"), [(1.5, 9), (-0.1, 9), (0.6, 1)])
def test_a_pair_that_cannot_be(similarity: float, k: int) -> None:
    with pytest.raises(RecipeError):
        data.pair_of_similarity(SETUP, similarity, k)


def test_five_pairs() -> None:
    pairs = data.pairs(SETUP)
    assert len(pairs) == 5
    assert len({text for pair in pairs for text in pair}) == 10


@pytest.mark.parametrize("count", [1, 3, 50, 99])
def test_an_edited_copy_has_so_many_other_words(count: int) -> None:
    words = data.edited(SETUP, data.BASE, count).split()
    assert sum(a != b for a, b in zip(words, data.BASE.split(), strict=True)) == min(count, 50)


def test_every_tenth_text_of_a_collection_is_a_near_copy() -> None:
    texts = data.collection(SETUP, 40)
    recipe = la.Recipe(unit="char", k=5)
    alike = {(i, j) for i in range(40) for j in range(i + 1, 40) if la.jaccard(texts[i], texts[j], recipe=recipe) > 0.8}
    assert alike == {(8, 9), (18, 19), (28, 29), (38, 39)}


def test_common_words_of_a_book_are_as_common_as_zipf_says() -> None:
    text = data.book(SETUP, 430_000)
    assert len(text) == 430_000
    counts = [count for _, count in Counter(text.lower().replace(".", "").split()).most_common()]
    assert 1.5 <= counts[9] / counts[39] <= 6  # four times as common by the law, less by Mandelbrot's correction
    assert counts[0] / counts[999] > 100


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_shingles_of_a_book_repeat_as_in_english(seed: int) -> None:
    """An English novel of 600 kB has 40 % different 9-shingles, and its pages a similarity of 0.046."""
    text = data.book(Setup(seed=seed), 600_000)
    assert 0.33 <= different_share(text) <= 0.47
    assert 0.025 <= page_similarity(text) <= 0.06


def test_a_long_text_of_ones_own_is_the_book_and_its_beginning_is_shuffled() -> None:
    novel = " ".join(f"word{n}" for n in range(5000))
    mine = Setup(text=novel, more=("short text",))
    assert data.words(mine) == novel.split()[:50]
    assert data.book(mine, 10_000) in novel
    assert data.book(mine, 10_000, "first") != data.book(mine, 10_000, "second")
    assert data.book(mine, 60_000) not in novel
    assert {data.book(replace(mine, more=("x" * 20_000,)), 10_000, str(n))[:4] for n in range(9)} > {"xxxx"}


def test_bundled_texts_can_be_shuffled() -> None:
    assert len(EXCERPTS) == 6
    for excerpt in EXCERPTS.values():
        assert len(data.words(Setup(text=excerpt.text))) >= 50
        assert unicodedata.is_normalized("NFC", excerpt.text)


def test_a_text_of_ones_own() -> None:
    mine = Setup(text="Überall grünt, was früher grau war, und kein Zaun steht dazwischen.")
    assert Counter(data.permutations(mine, 1)[0].split()) == Counter(str(mine.text).split())
    letters = set("".join(data.words(mine)).lower())
    assert set("".join(data.pair_of_similarity(mine, 0.6, 9)).replace(" ", "")) <= letters
    assert set(data.book(mine, 500).lower()) - set(" .\n") <= letters


@pytest.mark.parametrize("text", ["", " \n", "word", "word word word"])
def test_a_text_without_two_words_is_refused(text: str) -> None:
    with pytest.raises(RecipeError, match="at least two different words"):
        data.permutations(Setup(text=text), 2)


def test_a_text_of_few_letters_still_makes_pairs_and_books() -> None:
    few = Setup(text="aa ab ba bb")
    assert len(data.book(few, 100)) == 100
    data.pair_of_similarity(few, 0.6, 9)
