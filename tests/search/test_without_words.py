"""Texts without words are no copies of one another: they stay documents, are in no pair, and are listed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import lookalike as la
from lookalike.search.shards import find_shards, sign_shard

if TYPE_CHECKING:
    from pathlib import Path

FOX = "the quick brown fox jumps over the lazy dog"
EMPTY = ["", "---- ****", "!!! ???", " \n\t", "$$$"]
TEXTS = [EMPTY[0], FOX, *EMPTY[1:3], f"{FOX}!", *EMPTY[3:]]
WITHOUT = [number for number, text in enumerate(TEXTS) if text in EMPTY]

HOW: dict[str, dict[str, Any]] = {
    "auto": {},
    "lsh": {"method": "lsh"},
    "exact": {"method": "exact"},
    "brute": {"method": "brute"},
    "signatures": {"method": "signatures"},
    "in files": {"method": "lsh", "memory": 1 << 29},
    "bag": {"metric": "bag"},
    "containment": {"metric": "containment"},
    "cosine": {"metric": "cosine"},
    "min_words": {"min_words": 6},
    "skip": {"skip": ["quotes", "references"]},
    "ignore": {"ignore": ["***", "another text"]},
    "common": {"common": 0.9},
    "characters": {"recipe": la.Recipe(unit="char", k=5)},
    "classic": {"recipe": la.Recipe(sketch="classic", family="murmur3"), "method": "lsh"},
}


def pairs_of(result: la.Result) -> list[tuple[Any, Any]]:
    return [(pair["a"], pair["b"]) for pair in result.pairs.to_pylist()]


def without_words(result: la.Result) -> list[str]:
    return [skipped.id for skipped in result.skipped if skipped.reason == "no words"]


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("in_folder", [False, True])
def test_they_are_in_no_pair_and_are_listed(how: str, in_folder: bool, tmp_path: Path) -> None:
    options = HOW[how] | ({"work": tmp_path} if in_folder else {})
    result = la.find(TEXTS, 0.5, **options)
    assert pairs_of(result) == [(1, 4)]
    assert without_words(result) == [str(number) for number in WITHOUT]
    assert result.documents == len(TEXTS)
    assert [len(group) for group in result.groups] == [2]


@pytest.mark.parametrize("how", HOW)
def test_old_documents_without_words_match_nothing_either(how: str) -> None:
    result = la.find({"a": FOX, "b": ""}, 0.5, against={"c": "", "d": "---", "e": FOX}, **HOW[how])
    assert pairs_of(result) == [("a", "e")]
    assert without_words(result) == ["b"]


def test_stop_words_and_comments_alone_are_no_words() -> None:
    assert pairs_of(la.find(["the of", "and", "the"], 0.5, recipe=la.Recipe(stop_words="english"))) == []
    assert pairs_of(la.find(["# a", "# b", "x = 1"], 0.5, recipe=la.Recipe(unit="token", k=1))) == []
    assert pairs_of(la.find(tokens=[[], [], ["a"], ["a"]])) == [(2, 3)]


def test_texts_all_of_which_is_excluded_still_equal_their_copies() -> None:
    assert pairs_of(la.find(["a form", "a form", ""], 0.5, ignore=["a form"])) == [(0, 1)]


def test_shards_agree(tmp_path: Path) -> None:
    for number, texts in enumerate(({"a": FOX, "b": ""}, {"c": "---", "d": FOX})):
        sign_shard(texts, tmp_path / f"{number}.sig")
    result = find_shards(sorted(tmp_path.glob("*.sig")))
    assert pairs_of(result) == [("a", "d")]
    assert without_words(result) == ["b", "c"]


@pytest.mark.parametrize("keep", ["first", "longest"])
def test_none_of_them_is_removed(keep: str) -> None:
    assert la.drop_near_duplicates([*TEXTS, *TEXTS], keep=keep).count("---- ****") == 2
    assert la.drop_near_duplicates([*EMPTY, FOX, *EMPTY, FOX], keep=keep) == [*EMPTY, FOX, *EMPTY]


def test_two_texts_without_words_are_equal_sets() -> None:
    assert la.jaccard("", "---") == 1.0
