"""Texts without words in an index: they are stored, and are copies of nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import lookalike as la
from lookalike.index.new_documents import Checking, StoredHere
from lookalike.tables.packed import Texts

if TYPE_CHECKING:
    from pathlib import Path

FOX = "the quick brown fox jumps over the lazy dog"
STORED = {"empty": "", "a": FOX, "marks": "--- ***", "b": f"{FOX}!", "blank": " \n"}


@pytest.fixture(params=["text", "shingles", "signature"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    with la.Index.open(tmp_path / "i.db", keep=request.param) as index:
        index.add(STORED)
        yield index


def test_they_are_stored_and_answered_with_nothing(index: la.Index) -> None:
    assert set(index.ids()) == set(STORED)
    for text in ("", "!!!", "\t"):
        for asked in ({}, {"threshold": 0.1}, {"top": 3}):
            hits = index.query(text, **asked)
            assert (list(hits), hits.not_judged, hits.recall) == ([], True, None)
            assert hits.to_dict()["not_judged"] is True


def test_the_others_of_a_batch_are_answered(index: la.Index) -> None:
    answers = index.query({"x": "!!!", "y": FOX, "z": "", "a": FOX})
    assert [(hits.query, hits.ids, hits.not_judged) for hits in answers] == [
        ("x", [], True),
        ("y", ["a", "b"], False),
        ("z", [], True),
        ("a", ["a", "b"], False),
    ]


def test_they_are_in_no_pair_and_no_cluster(index: la.Index) -> None:
    assert [(pair["a"], pair["b"]) for pair in index.pairs().to_pylist()] == [("a", "b")]
    assert [group.members for group in index.groups()] == [("a", "b")]


def test_each_is_added_although_others_are_stored(tmp_path: Path) -> None:
    with la.Index.open(tmp_path / "i.db") as index:
        index.add(STORED)
        decisions = index.add_unless_similar({"c": "", "d": "???", "e": FOX}, 0.5)
        assert [(decision.id, decision.is_added) for decision in decisions] == [("c", True), ("d", True), ("e", False)]


@pytest.mark.parametrize("preset", [None, "essays"])
def test_it_is_said_of_each_that_is_added(tmp_path: Path, preset: str | None) -> None:
    """Also of one that comes after another was added, and where the call is repeated."""
    texts = {"y": "...", "w": "abc def ghi", "w2": "???", "w3": ""}
    with la.Index.open(tmp_path / "i.db", preset=preset) as index:
        for _ in range(2):
            decisions = index.add_unless_similar(texts)
            assert [decision.hits.not_judged for decision in decisions] == [True, False, True, True]
            assert [decision.hits.recall is None for decision in decisions] == [True, False, True, True]
    with la.Index.open(tmp_path / "j.db", preset=preset) as index:
        checking = Checking(StoredHere(index._store), 0.8, add=True)
        answers = list(checking.check(list(texts), Texts.of(texts.values())))
        assert [hits.not_judged for hits in answers] == [True, False, True, True]


def test_they_take_no_recall_from_the_others(tmp_path: Path) -> None:
    with la.Index.open(tmp_path / "i.db") as index:
        index.add(STORED)
        for texts in (["!!!", FOX], [FOX, ""], ["", "?", FOX, "-"]):
            checking = Checking(StoredHere(index._store), 0.8)
            for text in texts:  # each in a batch of its own
                list(checking.check(["new"], Texts.of([text])))
            assert checking.recall == index.query(FOX).recall is not None
        checking = Checking(StoredHere(index._store), 0.8)
        list(checking.check(["new"], Texts.of([""])))
        assert checking.recall is None
