"""Ids and texts without pyarrow."""

import subprocess
import sys

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.tables.packed import Ids, Texts, encoded

NUMBERS = st.integers(-(2**63), 2**63 - 1)
WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=9)


def test_nothing_of_it_loads_pyarrow() -> None:
    program = """
import sys
from lookalike.tables.packed import Ids, Texts
texts = Texts.joined([Texts.of(["a", "b"]), Texts.of(["c"])])
assert Ids(texts).take([2]) == ["c"] and Ids.joined([Ids(range(2)), Ids(texts)]).repeated() is None
assert "pyarrow" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)


@given(st.lists(WORDS), st.data())
def test_texts_are_what_a_list_would_be(words: list[str], data: st.DataObject) -> None:
    texts = Texts.of(words)
    assert (list(texts), len(texts)) == (words, len(words))
    assert [texts[number] for number in range(-len(words), len(words))] == words * 2
    start, stop = sorted(data.draw(st.tuples(st.integers(0, len(words)), st.integers(0, len(words)))))
    part = texts[start:stop]
    assert list(part) == words[start:stop] == part.take(range(stop - start))
    assert part == Texts.of(words[start:stop])
    assert part.nbytes == len("".join(words[start:stop]).encode())
    assert list(Texts.joined([part, texts, part])) == words[start:stop] + words + words[start:stop]


@given(st.lists(WORDS), st.integers(0, 9))
def test_texts_go_to_arrow_and_back(words: list[str], start: int) -> None:
    column = Texts.of(words)[start:].to_arrow()
    column.validate(full=True)
    assert column.equals(pa.array(words[start:], pa.large_string()))
    for kind in (pa.large_string(), pa.string()):
        assert list(Texts.from_arrow(pa.array(words, kind).slice(min(start, len(words))))) == words[start:]


def test_a_lone_surrogate_is_replaced() -> None:
    assert list(Texts.of(["a\ud83d\ude00\udcff", b"b"])) == ["a\ufffd\ufffd\ufffd", "b"]
    assert encoded("é") == b"\xc3\xa9"


@pytest.mark.parametrize("place", [3, -4])
def test_beyond_the_texts_there_is_none(place: int) -> None:
    with pytest.raises(IndexError):
        Texts.of(["a", "b", "c"])[place]


def test_offsets_must_hold_the_texts() -> None:
    with pytest.raises(ValueError, match="1 offsets do not hold 2 texts from 0"):
        Texts(bytes(8), b"", 0, 2)


def test_equal_lengths_are_not_equal_texts() -> None:
    assert Texts.of(["ab", "c"]) != Texts.of(["a", "bc"])
    assert Texts.of(["ab"]) != ["ab"]


@given(st.one_of(st.lists(NUMBERS), st.lists(WORDS)))
def test_ids_are_what_a_list_would_be(values: list[str] | list[int]) -> None:
    ids = Ids.of(values)
    assert (list(ids), len(ids)) == (values, len(values))
    assert ids.take(range(len(values))) == values
    assert list(ids[1:]) == values[1:]
    assert ids == Ids.of(values) == Ids.from_arrow(ids.to_arrow())
    seen = [one for place, one in enumerate(values) if one in values[:place]]
    assert ids.repeated() == (seen[0] if seen else None)


def test_ids_have_two_kinds() -> None:
    assert Ids(range(3)).to_arrow().type == pa.int64()
    assert Ids.of_numbers((5).to_bytes(8, "little")).to_arrow().to_pylist() == [5]
    assert Ids.of([]).to_arrow().type == pa.large_string()
    assert list(Ids.of_texts(bytes(8) + (1).to_bytes(8, "little"), b"x")) == ["x"]
    assert Ids.of([1]) != Ids.of(["1"])
    assert Ids.of([1]).as_texts() == Ids.of(["1"])
    assert Ids.joined([Ids(range(2)), Ids.of([7])]).are_numbers
    assert not Ids.joined([]).are_numbers


@given(st.lists(NUMBERS, min_size=1), st.integers(0, 5))
def test_a_slice_of_an_arrow_array_is_read_from_its_start(values: list[int], start: int) -> None:
    assert list(Ids.from_arrow(pa.array(values, pa.int64()).slice(min(start, len(values))))) == values[start:]


def test_other_kinds_of_arrow_arrays_are_taken_and_nulls_refused() -> None:
    assert list(Texts.from_arrow(pa.array(["a", "b", "c"], pa.string()).slice(1))) == ["b", "c"]
    assert list(Ids.from_arrow(pa.array([1, 2], pa.uint8()))) == [1, 2]
    assert list(Ids.from_arrow(pa.array([2**63], pa.uint64()))) == [str(2**63)]
    assert list(Ids.from_arrow(pa.nulls(0))) == []
    for column in (pa.array(["a", None]), pa.array([1, None])):
        with pytest.raises(ValueError, match=r"1 .* null"):
            Ids.from_arrow(column)
    texts, ids = Texts.of(["a"]), Ids.of(["a"])
    assert Texts.from_arrow(texts) is texts
    assert Ids.from_arrow(ids) is ids
