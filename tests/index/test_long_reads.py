"""Reading for long, or never to the end: nobody waits, and what was promised to be of one moment is."""

from __future__ import annotations

import threading
from itertools import islice
from typing import TYPE_CHECKING, Any

import pytest

import lookalike as la
from tests.index.stores import Place, check
from tests.index.workload import contents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_PATIENCE = 60.0


def text(number: int) -> str:
    return " ".join(f"w{number}x{place}" for place in range(12))


def in_thread(function: Callable[[], Any]) -> Any:
    """Run a function in another thread; an error if it does not end."""
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(function()), daemon=True)
    thread.start()
    thread.join(_PATIENCE)
    assert not thread.is_alive(), "a thread waits for a list that nobody reads on"
    return results[0]


def half_read(index: la.Index, what: str) -> Iterator[Any]:
    """Begin to read, and stop."""
    iterator: Iterator[Any] = iter(index) if what == "ids" else index.documents().batches()
    next(iterator)
    return iterator


@pytest.mark.parametrize("what", ["ids", "documents"])
def test_nobody_waits_for_a_list_that_is_half_read(new: Callable[[], Place], what: str) -> None:
    index = new().open()
    index.add({f"d{number}": text(number) for number in range(30)})
    iterator = half_read(index, what)
    assert in_thread(lambda: index.query(text(3)).ids) == ["d3"]
    assert in_thread(lambda: index.add({"new": text(99)})) == 1
    assert in_thread(lambda: index.remove(["d5"])) == 1
    in_thread(index.compact)
    assert in_thread(lambda: len(index)) == 30
    list(iterator)
    check(index)


def test_a_list_that_is_read_by_several_threads(new: Callable[[], Place]) -> None:
    """As a web framework does with a generator that it streams."""
    index = new().open()
    index.add({number: text(number) for number in range(2500)})
    iterator = iter(index)
    ids = [in_thread(iterator.__next__) for _ in range(20)]
    assert in_thread(lambda: index.query(text(7)).ids) == [7]
    assert ids + list(iterator) == list(range(2500))
    assert in_thread(lambda: index.query(text(7)).ids) == [7]
    check(index)


def test_every_id_that_stays_is_listed_once(new: Callable[[], Place]) -> None:
    """While others are added, replaced and removed."""
    index = new().open()
    index.add({number: text(number) for number in range(4000)})
    removed, replaced = range(0, 4000, 7), range(1, 4000, 7)
    iterator, ids = iter(index), []
    changes = iter(zip(removed, replaced, strict=False))
    for id in iterator:
        ids.append(id)
        if len(ids) % 300 == 0:
            for gone, new_version in islice(changes, 40):
                index.remove([gone])
                index.replace({new_version: text(10_000 + new_version)})
            index.add({10_000 + len(ids): text(20_000 + len(ids))})
            if len(ids) == 1200:
                index.compact()
    stay = [number for number in range(4000) if number % 7 not in (0, 1)]
    assert [id for id in map(int, ids) if id < 4000 and id % 7 not in (0, 1)] == stay
    assert set(replaced) <= set(ids)
    check(index)


def test_documents_are_those_of_one_moment(new: Callable[[], Place]) -> None:
    index = new().open()
    index.add({f"d{number}": text(number) for number in range(20)})
    source = index.documents()
    first = [list(batch.ids) for batch in source.batches()]
    index.remove(["d3"])
    index.replace({"d4": "something else entirely, with more words than that"})
    index.add({"new": text(99)})
    assert [list(batch.ids) for batch in source.batches()] == first
    assert source.size().documents == 20
    assert la.find({"copy": text(4)}, against=source, threshold=0.9).pairs.num_rows == 1
    assert len(contents(index)) == 20
    del source
    check(index)


def test_pairs_are_those_of_one_moment(new: Callable[[], Place]) -> None:
    """A search reads documents more than once; it is not ended by changes in between."""
    index = new().open()
    index.add({f"d{number}": text(number // 2) for number in range(60)})
    stop = threading.Event()

    def change() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            index.replace({f"d{number % 60}": text(number % 60 // 2)})

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(5):
            assert index.pairs().num_rows == 30
            assert len(index.groups()) == 30
    finally:
        stop.set()
        thread.join()
    check(index)
