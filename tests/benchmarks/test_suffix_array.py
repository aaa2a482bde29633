"""A suffix array, which shares no code with the core or the reference, cuts the same words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from benchmarks import corpus
from benchmarks.suffix_array import left_words


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=40), max_size=5), st.integers(1, 12))
def test_the_same_words_are_left(documents: list[list[str]], least: int) -> None:
    left = la.drop_repeated_passages([" ".join(words) for words in documents], words=least)
    assert [text.split() for text in left] == left_words(documents, least)


@pytest.mark.parametrize("words", [8, 50])
def test_on_pages_with_copies(words: int) -> None:
    texts = [" ".join(la.normalize(text).split()) for text in corpus.texts(60, "latin")]
    left = la.drop_repeated_passages(texts, words=words)
    assert left != texts
    assert [text.split() for text in left] == left_words([text.split() for text in texts], words)
