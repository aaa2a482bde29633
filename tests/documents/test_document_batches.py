from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from lookalike.documents import Batch
from lookalike.documents import document_batches as module
from lookalike.documents.document_batches import number_array, regroup, string_array, text_array
from lookalike.tables.packed import Ids, Texts

if TYPE_CHECKING:
    import pytest


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_arrays_of_texts(texts: list[str]) -> None:
    for made in (string_array(texts), text_array([text.encode() for text in texts])):
        made.validate(full=True)
        assert made.to_pylist() == texts
        assert made.type == pa.large_string()


@given(st.lists(st.integers(-(2**63), 2**63 - 1)))
def test_arrays_of_numbers(numbers: list[int]) -> None:
    made = number_array(numbers)
    made.validate(full=True)
    assert made.to_pylist() == numbers


@given(
    st.lists(st.lists(st.integers(0, 60), max_size=8), max_size=8),
    st.booleans(),
    st.integers(0, 3),
)
def test_regrouping_keeps_documents_and_order(sizes: list[list[int]], with_rows: bool, offset: int) -> None:
    limits = {"TARGET": 50, "LARGE": 80, "_SMALL": 20, "_MOST_DOCUMENTS": 5}
    before = {name: getattr(module, name) for name in limits}
    try:
        for name, value in limits.items():
            setattr(module, name, value)
        batches, expected, number = [], [], 0
        for group in sizes:
            texts = ["x" * size for size in group]
            ids = list(range(number, number + len(texts)))
            number += len(texts)
            expected += list(zip(ids, texts, strict=True))
            # Slices of larger arrays, as readers give them.
            padded = Texts.of(["pad"] * offset + texts)[offset:]
            row = pa.RecordBatch.from_arrays([number_array(ids)], ["n"]) if with_rows else None
            batches.append(Batch(Ids.of_numbers(array("q", [0] * offset + ids))[offset:], padded, row))
        found = list(regroup(batches))
    finally:
        for name, value in before.items():
            setattr(module, name, value)
    assert [pair for batch in found for pair in zip(batch.ids, batch.texts, strict=True)] == expected
    for batch in found:
        assert 0 < len(batch) <= 5
        assert len(batch) == 1 or sum(map(len, batch.texts)) <= 80
        assert (batch.rows is not None) == with_rows
        if batch.rows is not None:
            assert batch.rows.column("n").to_pylist() == list(batch.ids)


@given(st.lists(st.booleans(), max_size=12), st.integers(1, 4))
def test_rows_that_are_no_documents_keep_their_places(chosen: list[bool], most: int) -> None:
    before = module._MOST_DOCUMENTS
    try:
        module._MOST_DOCUMENTS = most  # type: ignore[misc]
        ids = [number for number, is_one in enumerate(chosen) if is_one]
        rows = pa.RecordBatch.from_arrays([number_array(range(len(chosen)))], ["n"])
        batch = Batch(Ids.of_numbers(array("q", ids)), Texts.of(["x"] * len(ids)), rows, pa.array(chosen, pa.bool_()))
        found = list(regroup([batch]))
    finally:
        module._MOST_DOCUMENTS = before  # type: ignore[misc]
    assert [row for batch in found for row in batch.rows.column("n").to_pylist()] == list(range(len(chosen)))  # type: ignore[union-attr]
    assert [own for batch in found for own in batch.ids] == ids
    for one in found:
        assert one.rows is not None
        assert one.is_document is not None
        assert one.rows.filter(one.is_document).column("n").to_pylist() == list(one.ids)


def test_a_batch_of_good_size_is_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    batch = Batch(Ids(range(1)), Texts.of([b"x" * 5_000_000]))
    assert list(regroup([batch])) == [batch]
