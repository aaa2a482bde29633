"""The core finds and cuts repeats as the reference does, in memory and in files."""

from __future__ import annotations

import tempfile
from array import array
from typing import TYPE_CHECKING

from hypothesis import example, given
from hypothesis import strategies as st

import lookalike as la
from lookalike import _native
from lookalike import reference as ref
from lookalike.recipe import Recipe
from lookalike.recipe import settings as native
from lookalike.tables.packed import Texts
from tests.property.strategies import known_texts, recipes, tries, u64

if TYPE_CHECKING:
    from collections.abc import Sequence

# Little is repeated in texts that are drawn one by one: these have few words, and many ends of lines and sentences.
PIECES = (
    "a",
    "b ",
    "c, ",
    " a",
    "B. ",
    "é",
    "e\u0301 ",
    "\n",
    "\r\n",
    "\n\n",
    " \t",
    "! ",
    "?” ",
    "。",
    "漢字",
    "(",
    "-",
)
repetitive = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)
collections = st.lists(st.one_of(repetitive, known_texts(10)), max_size=6)
memories = st.sampled_from([0, 1 << 20])


def plain(texts: Sequence[str]) -> list[str]:
    """Replace lone surrogates, which UTF-8 cannot spell, as every reader does."""
    return ["".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text) for text in texts]


def cut_by_core(
    texts: list[str], by: str, least: int, recipe: Recipe, secret: int, memory: int
) -> list[tuple[str, list[ref.Repeat]]]:
    with tempfile.TemporaryDirectory() as folder:
        repeats = _native.Repeats(native(recipe), by=by, least=least, secret=secret, memory=memory, folder=folder)
        for text in texts:
            repeats.add([text], 1)
        repeats.find()
        found = repeats.cut(list(texts), 1)
    assert not isinstance(found, int)
    offsets, data, cuts = found
    columns = [list(array(kind, part)) for part, kind in zip(cuts, "IQQQI", strict=True)]
    made: list[tuple[str, list[ref.Repeat]]] = [(text, []) for text in Texts(offsets, data)]
    for row, *cut in zip(*columns, strict=True):
        made[row][1].append(ref.Repeat(*cut))
    return made


@given(collections, st.sampled_from(["line", "paragraph", "sentence"]), st.integers(1, 4), recipes(), u64, memories)
@example(["a b\r\n", "\r\na b"], "line", 2, Recipe(), 1, 0)
@tries(2)
def test_parts(texts: list[str], by: str, least: int, recipe: Recipe, secret: int, memory: int) -> None:
    texts, recipe = plain(texts), recipe.replace(unit="word")
    expected = [
        ref.without(text, cuts, recipe)
        for text, cuts in zip(texts, ref.repeated_parts(texts, by, least, recipe), strict=True)
    ]
    assert cut_by_core(texts, by, least, recipe, secret, memory) == expected


@given(collections, st.integers(1, 12), recipes(), u64, memories)
@example(["a b c", "x (a b c), a b c! y\n"], 3, Recipe(), 1, 0)
@example(["صلى", "عليه", "a \ufdfa b"], 1, Recipe(form="nfkc"), 1, 0)  # one character, four words, two of them cut
@tries(2)
def test_passages(texts: list[str], least: int, recipe: Recipe, secret: int, memory: int) -> None:
    texts, recipe = plain(texts), recipe.replace(unit="word")
    placed = [la.units(text, recipe) for text in texts]
    expected = []
    for text, words, repeats in zip(
        texts, placed, ref.repeated_passages([[word.text for word in words] for words in placed], least), strict=True
    ):
        places = [(word.start, word.end) for word in words]
        expected.append(ref.without(text, ref.passage_cuts(text, places, repeats), recipe))
    assert cut_by_core(texts, "passage", least, recipe, secret, memory) == expected


@given(st.lists(st.lists(st.integers(0, 2), max_size=60), max_size=4), st.integers(1, 20), memories)
def test_words_of_passages(documents: list[list[int]], least: int, memory: int) -> None:
    """The definition itself: a word goes if it lies in a passage that stands before, without overlap."""
    texts = [" ".join(f"w{word}" for word in words) for words in documents]
    left = []
    for number, words in enumerate(documents):
        gone = set()
        for at in range(len(words) - least + 1):
            before = [(d, i) for d in range(number + 1) for i in range(len(documents[d]) - least + 1)]
            if any(
                documents[d][i : i + least] == words[at : at + least] and (d < number or i + least <= at)
                for d, i in before
            ):
                gone |= set(range(at, at + least))
        left.append(" ".join(f"w{word}" for at, word in enumerate(words) if at not in gone))
    found = cut_by_core(texts, "passage", least, Recipe(), 3, memory)
    assert [" ".join(text.split()) for text, _ in found] == left


@given(repetitive, st.sampled_from(["line", "paragraph", "sentence"]))
def test_parts_are_the_text(text: str, by: str) -> None:
    assert "".join(ref.split(text, by)) == text
    assert "" not in ref.split(text, by)
