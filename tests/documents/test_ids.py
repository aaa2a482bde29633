"""Ids that are given twice."""

from __future__ import annotations

import pickle
import tracemalloc
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike import DuplicateIdError
from lookalike.documents import in_memory as module
from lookalike.documents.in_memory import IdCheck
from lookalike.tables.packed import Ids, Texts

if TYPE_CHECKING:
    from collections.abc import Sequence


def check(batches: Sequence[Ids]) -> None:
    checking = IdCheck()
    for number, ids in enumerate(batches):
        checking.add(ids, lambda row, number=number: f"{number}.{row}")  # type: ignore[misc]
    checking.finish()


@given(st.lists(st.lists(st.integers(0, 300)) | st.lists(st.integers(-(2**63), 2**63 - 1)), max_size=8), st.booleans())
def test_the_first_that_is_twice_is_found(batches: list[list[int]], as_texts: bool) -> None:
    flat = [value for ids in batches for value in ids]
    made = [Ids(Texts.of(map(str, ids))) if as_texts else Ids.of(ids) for ids in batches if ids]
    before = module._FIRST_CHECK
    module._FIRST_CHECK = 4  # type: ignore[misc]
    try:
        check(made)
        twice = None
    except DuplicateIdError as error:
        twice = error
    finally:
        module._FIRST_CHECK = before  # type: ignore[misc]
    assert (twice is None) == (len(set(flat)) == len(flat))
    if twice is not None:
        batches_with_ids = [ids for ids in batches if ids]
        for place in (twice.first, twice.second):
            number, row = map(int, place.split("."))
            assert str(batches_with_ids[number][row]) == str(twice.document)


def test_places_survive_pickling() -> None:
    with pytest.raises(DuplicateIdError) as caught:
        check([Ids.of(["a", "b"]), Ids.of(["c", "a"])])
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    assert "id is used by more than one document: 0.0 and 1.1; give every document its own id, or" in str(again)


def test_many_ids_take_little_memory() -> None:
    size = 10_000
    ids = [Ids(Texts.of(f"document {start + number}" for number in range(size))) for start in range(0, 20 * size, size)]
    tracemalloc.start()
    try:
        check(ids)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 50 * 20 * size
