"""Ids that a caller gives to a result, and what worker processes send back."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

import lookalike as la
from lookalike.tables.packed import Ids, Texts

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "ids",
    [["a", "b"], ("a", "b"), range(2), [7, 5], pa.array(["a", "b"]), pa.array([1, 2], pa.int32()), np.array([3, 4])],
    ids=lambda ids: type(ids).__name__,
)
def test_ids_of_any_kind_are_saved_and_loaded(ids: Any, tmp_path: Path) -> None:
    named = la.find(["one two three", "one two three"]).with_ids(ids)
    listed = ids.tolist() if hasattr(ids, "tolist") else list(ids)
    assert (named.pairs["a"].to_pylist(), named.pairs["b"].to_pylist()) == (listed[:1], listed[1:])
    named.save(tmp_path / "named.lookalike")
    assert la.Result.load(tmp_path / "named.lookalike").pairs.equals(named.pairs)


@pytest.mark.parametrize(
    ("ids", "says"),
    [
        (["a", "a"], "used by more than one document"),
        (pa.array([1, 1]), "used by more than one document"),
        (["a", 1], "not of the same type as the first"),
        ([1, None], "document 1: id is missing"),
        (pa.array(["a", None]), "document 1: id is missing"),
        ([1, 2**63], "does not fit in 64 bits"),
        ([1, True], "is bool, not str or int"),
    ],
)
def test_ids_that_cannot_be_are_refused(ids: Any, says: str) -> None:
    with pytest.raises(la.DocumentError, match=says):
        la.find(["one two three", "one two three"]).with_ids(ids)


def test_what_workers_send_can_be_pickled() -> None:
    signatures = la.sign(["one two three", "four"])
    again = pickle.loads(pickle.dumps(signatures))
    assert (again.to_bytes(), again.recipe) == (signatures.to_bytes(), signatures.recipe)
    assert copy.deepcopy(signatures)[1] == signatures[1]
    twice = pickle.loads(pickle.dumps(la.DuplicateIdError("a", "line 1", "line 2")))
    assert (str(twice), twice.first) == (str(la.DuplicateIdError("a", "line 1", "line 2")), "line 1")
    for ids in (Ids.of(["a", "é"]), Ids(Texts.of(["a", "é"])), Ids.of_numbers(bytes(16)), Ids(range(3))):
        assert pickle.loads(pickle.dumps(ids)) == ids
