"""Adding unless similar: decided and done at once, in every store, and by several threads and processes."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

import lookalike as la
from lookalike.documents.document_batches import Batch
from lookalike.index.index_documents import Portion
from lookalike.tables.packed import Ids, Texts
from tests.index.stores import Place, check, collection, places
from tests.index.workload import contents

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path


def greedy(documents: Mapping[str, str], threshold: float) -> list[str]:
    """Return what stays if each document is compared with all that stay before it; one without words is like none."""
    stay: list[str] = []
    for id, text in documents.items():
        if not la.units(text) or all(la.compare(text, documents[other]).jaccard < threshold for other in stay):
            stay.append(id)
    return stay


@pytest.mark.parametrize("threshold", [None, 0.5])
@pytest.mark.parametrize("keep", ["text", "shingles"])
def test_the_first_of_similar_documents_stays(new: Callable[[], Place], keep: str, threshold: float | None) -> None:
    documents, index = collection(150), new().open(keep=keep)
    ids = list(documents)
    for part in (ids[:10], ids[10:]):  # some are stored before, most meet one another in one call
        decisions = index.add_unless_similar({id: documents[id] for id in part}, threshold)
        assert [decision.id for decision in decisions] == part
        for decision in decisions:
            assert decision.is_added == (not decision.hits)
            assert decision.id not in decision.hits.ids
            assert all(hit.similarity >= (threshold or 0.8) for hit in decision.hits)
            assert decision.hits.recall is None or decision.hits.recall.promised >= 0.999
    assert list(index) == greedy(documents, threshold or 0.8)
    check(index)


def test_a_call_can_be_repeated(new: Callable[[], Place]) -> None:
    index = new().open()
    documents = {"a": "one two three four five", "b": "six seven eight nine", "c": "SIX seven eight nine"}
    for _ in range(2):
        decisions = index.add_unless_similar(documents)
        assert [(one.id, one.is_added, one.hits.ids) for one in decisions] == [
            ("a", True, []),
            ("b", True, []),
            ("c", False, ["b"]),
        ]
    assert list(index) == ["a", "b"]
    check(index)


def test_an_id_with_another_content(new: Callable[[], Place]) -> None:
    """Also if the new content is similar to the old: which of them is meant, nobody can tell."""
    index = new().open()
    index.add({"a": "one two three four five", "z": "something else"})
    for text in ("one two three four six seven", "One two three four five"):
        with pytest.raises(la.ConflictError, match=r"id is in .* with another text") as caught:
            index.add_unless_similar({"b": "not there yet", "a": text})
        assert caught.value.documents == ("a",)
    with pytest.raises(la.ConflictError):  # within the call
        index.add_unless_similar(twice())
    assert list(index) == ["a", "z"]
    check(index)


def twice() -> Portion:
    return Portion("twice", [Batch(Ids.of(["n", "n"]), Texts.of(["seven eight nine", "ten eleven twelve"]))])


def test_estimates_are_refused(new: Callable[[], Place]) -> None:
    index = new().open(keep="signature")
    with pytest.raises(la.StoreError, match=r"keeps only signatures.*keep='text' or 'shingles'"):
        index.add_unless_similar({"a": "one two three"})
    check(index)


def interrupt_after(calls: int) -> Callable[[], None]:
    def interrupt() -> None:
        nonlocal calls
        calls -= 1
        if calls == 0:
            raise TimeoutError

    return interrupt


def test_an_interrupt_undoes_everything(new: Callable[[], Place]) -> None:
    index, documents = new().open(), collection(300)
    index.add({"a": "one two three"})
    for calls in (1, 5, 90):
        with pytest.raises(TimeoutError):
            la.Index(index._store, interrupt_after(calls)).add_unless_similar(documents)
    with pytest.raises(TimeoutError):
        la.Index(index._store, interrupt_after(1)).add(documents)
    with pytest.raises(TimeoutError):
        la.Index(index._store, interrupt_after(1)).query({"a": "one two three"})
    assert list(index) == ["a"]
    check(index)


@pytest.mark.parametrize("calls", [1, 2])
def test_a_change_that_nobody_waits_for_any_more(new: Callable[[], Place], calls: int) -> None:
    """The time is over when it is its turn, or when it is nearly done."""
    index = new().open()
    index.add({"a": "one two three"})
    changes: list[Callable[[la.Index], object]] = [
        lambda late: late.remove(["a"]),
        lambda late: late.replace({"a": "seven eight nine"}),
        lambda late: late.put("a", "four five six"),
    ]
    for change in changes:
        with pytest.raises(TimeoutError):
            change(la.Index(index._store, interrupt_after(calls)))
        assert [index.get(id) for id in index] == ["one two three"]
    check(index)


def test_a_threshold_of_0_is_refused(new: Callable[[], Place]) -> None:
    index = new().open()
    with pytest.raises(la.RecipeError, match="threshold"):
        index.add_unless_similar({"a": "one two three"}, 0, top=3)
    check(index)


def test_the_nearest_hits_alone(new: Callable[[], Place]) -> None:
    index = new().open()
    text = " ".join(f"w{number}" for number in range(200))
    index.add({f"{number}": f"{text} {number}" for number in range(9)})
    (decision,) = index.add_unless_similar({"new": f"{text} 4 5"}, top=2)
    assert len(decision.hits) == 2
    assert not decision.is_added
    check(index)


def test_top_cuts_what_is_stored_and_what_was_added_in_the_call(new: Callable[[], Place]) -> None:
    index, words = new().open(threshold=0.1), [f"w{number}" for number in range(200)]
    first, second = " ".join(words[:100]), " ".join(words[100:])
    index.add({"stored": first})
    for top, is_cut in ((1, True), (2, False)):
        _, decision = index.add_unless_similar({f"added {top}": second, "new": " ".join(words)}, 0.3, top=top)
        assert (len(decision.hits), decision.hits.truncated, decision.hits.recall is None) == (top, is_cut, is_cut)
        index.remove([f"added {top}"])
    check(index)


def test_threads_store_each_once(new: Callable[[], Place]) -> None:
    index, documents = new().open(), collection(120)
    ids = list(documents)

    def add(thread: int) -> list[la.Decision]:
        decisions = []
        for start in range(0, len(ids), 20):
            some = {f"{thread}-{id}": documents[id] for id in ids[start : start + 20]}
            decisions += index.add_unless_similar(some, threads=1)
        return decisions

    with ThreadPoolExecutor(3) as pool:
        decisions = [decision for each in pool.map(add, range(3)) for decision in each]
    assert {one.id for one in decisions if one.is_added} == set(index)
    assert index.pairs().num_rows == 0
    check(index)


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_processes_store_each_once(tmp_path: Path, kind: str) -> None:
    place, documents = places(kind, tmp_path)(), collection(300)
    with place.open(create=True):
        pass
    (tmp_path / "texts.json").write_text(json.dumps(list(documents.values())))
    program = (
        "import json, sys, lookalike as la\n"
        f"texts = json.load(open({str(tmp_path / 'texts.json')!r}))\n"
        f"with la.Index.open({place.where!r}, create=False) as index:\n"
        "    for start in range(0, len(texts), 25):\n"
        "        some = {f'{sys.argv[1]}-{n}': texts[n] for n in range(start, min(start + 25, len(texts)))}\n"
        "        index.add_unless_similar(some, threads=1)\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", program, str(number)]) for number in range(2)]
    assert [process.wait(120) for process in running] == [0, 0]
    with place.open() as index:
        assert index.pairs().num_rows == 0
        stored = contents(index).values()
        assert all(any(la.compare(text, other).jaccard >= 0.8 for other in stored) for text in documents.values())
