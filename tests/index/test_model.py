"""Any sequence of operations on any store gives what a dictionary and exact scores give."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import lookalike as la
from tests.index.stores import KINDS, Place, places

RECIPE = la.Recipe(k=1)
THRESHOLD = 0.5
WORDS = ("ash", "birch", "cedar", "elm", "fir", "hazel", "ivy", "juniper", "larch", "maple", "oak", "pine", "yew")

# Few words and single-word shingles: many texts are alike by something between nothing and everything.
texts = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
ids = st.sampled_from([f"d{number}" for number in range(14)])
batches = st.dictionaries(ids, texts, max_size=6)


class Model(RuleBasedStateMachine):
    """An index beside a dictionary."""

    kind = "memory"

    def __init__(self) -> None:
        super().__init__()
        self._folder = tempfile.TemporaryDirectory()
        self.place: Place = places(self.kind, Path(self._folder.name))()
        self.expected: dict[str, str] = {}
        self.index: la.Index

    @initialize(keep=st.sampled_from(["text", "shingles"]))
    def create(self, keep: str) -> None:
        # With so high a recall a pair at the threshold is missed once in ten thousand times, and examples are fixed.
        self.index = self.place.open(recipe=RECIPE, threshold=THRESHOLD, recall=0.9999, keep=keep)

    @rule(batch=batches)
    def add(self, batch: dict[str, str]) -> None:
        if self.expected.keys() & batch.keys():
            with pytest.raises(la.DuplicateIdError) as caught:
                self.index.add(batch)
            assert caught.value.document in self.expected.keys() & batch.keys()
        else:
            assert self.index.add(batch) == len(batch)
            self.expected |= batch

    @rule(batch=batches)
    def replace(self, batch: dict[str, str]) -> None:
        assert self.index.replace(batch) == len(batch)
        for id in batch:
            self.expected.pop(id, None)
        self.expected |= batch

    @rule(given=st.lists(ids, max_size=5, unique=True))
    def remove(self, given: list[str]) -> None:
        assert self.index.remove(given) == len(self.expected.keys() & set(given))
        for id in given:
            self.expected.pop(id, None)

    @rule(text=texts, threshold=st.sampled_from([None, 0.2, 0.5, 0.8, 1.0]))
    def query(self, text: str, threshold: float | None) -> None:
        hits = self.index.query(text, threshold)
        least = THRESHOLD if threshold is None else threshold
        scores = {id: la.compare(text, stored, RECIPE) for id, stored in self.expected.items()}
        assert {hit.id: (hit.jaccard, hit.containment_query, hit.containment_document) for hit in hits} == {
            id: (found.jaccard, found.containment_a, found.containment_b)
            for id, found in scores.items()
            if found.jaccard >= least
        }

    @rule(text=texts, top=st.integers(1, 4))
    def nearest(self, text: str, top: int) -> None:
        hits = self.index.query(text, top=top)
        scores = sorted((la.compare(text, stored, RECIPE).jaccard for stored in self.expected.values()), reverse=True)
        assert [hit.jaccard for hit in hits] == [score for score in scores[:top] if score > 0]

    @rule()
    def compact(self) -> None:
        self.index.compact()

    @precondition(lambda self: self.place.lasts)
    @rule()
    def reopen(self) -> None:
        self.index.close()
        self.index = self.place.open(create=False)

    @invariant()
    def the_same_documents(self) -> None:
        assert len(self.index) == len(self.expected)
        assert list(self.index) == list(self.expected)

    def teardown(self) -> None:
        if hasattr(self, "index"):
            found = self.index.verify()
            assert found.ok, found.problems
            assert self.index.repair().ok
            assert list(self.index) == list(self.expected)
            self.index.close()
        self._folder.cleanup()


@pytest.mark.parametrize("kind", KINDS)
def test_as_a_dictionary(kind: str) -> None:
    from hypothesis.stateful import run_state_machine_as_test

    class Machine(Model):
        pass

    Machine.kind = kind
    run_state_machine_as_test(Machine, settings=settings(max_examples=30, stateful_step_count=30))


@pytest.mark.parametrize("kind", ["sqlite"])
def test_as_a_dictionary_with_a_short_tail(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Postings in the file, and merges, at every turn."""
    from hypothesis.stateful import run_state_machine_as_test

    import lookalike.index.sqlite_postings as postings
    import lookalike.index.sqlite_rows as store

    settings_: Any = settings(max_examples=30, stateful_step_count=30)
    monkeypatch.setattr(store, "TAIL", 2)
    monkeypatch.setattr(postings, "MOST_SEGMENTS", 2)
    monkeypatch.setattr(postings, "PER_PAGE", 5)
    monkeypatch.setattr(postings, "_WINDOW", 40)
    monkeypatch.setattr("lookalike.index.sqlite_repair.PER_PAGE", 5)
    monkeypatch.setattr("lookalike.index.sqlite_repair._WINDOW", 40)

    class Machine(Model):
        pass

    Machine.kind = kind
    run_state_machine_as_test(Machine, settings=settings_)
