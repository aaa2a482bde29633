"""Queries of every store: the same answers as a search of the same documents gives."""

from __future__ import annotations

import random
import threading
from typing import TYPE_CHECKING, Any

import pytest

import lookalike as la
from lookalike.index.query import _Budget
from tests.index.stores import Place, check, collection

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.mark.parametrize("keep", ["text", "shingles"])
@pytest.mark.parametrize("threshold", [0.5, 0.8])
def test_queries_give_what_find_gives(new: Callable[[], Place], keep: str, threshold: float) -> None:
    documents = collection(300)
    index = new().open(threshold=threshold, keep=keep)
    index.add(documents)
    expected = la.find(documents, threshold).pairs.to_pylist()
    assert len(expected) > 20
    pairs: dict[tuple[str, str], tuple[float, ...]] = {}
    place = {id: number for number, id in enumerate(documents)}
    for hits in index.query(documents):
        scores = [hit.similarity for hit in hits]
        assert scores == sorted(scores, reverse=True)
        assert not hits.truncated
        for hit in hits:
            if place[str(hits.query)] < place[str(hit.id)]:
                pairs[hits.query, hit.id] = (hit.jaccard, hit.containment_query, hit.containment_document)  # type: ignore[index,assignment]
    assert pairs == {
        (pair["a"], pair["b"]): (pair["jaccard"], pair["containment_a"], pair["containment_b"]) for pair in expected
    }
    assert index.pairs().to_pylist() == expected
    assert index.groups() == list(la.find(documents, threshold).groups)
    check(index)


STATEMENTS = (
    "x = f(y, 1)",
    "if (a < b) { c += a; }",
    "for (int i = 0; i < n; i++) sum -= v[i];",
    "while (!done) { step(); }",
    "return a ? b : c;",
    "s = 'text' + t.name();  // why",
    "throw new Error(m);",
    "y %= 3; z = [1, 2];",
)


def programs(size: int) -> dict[str, str]:
    """Return programs, of which many are others with other names and a few other statements."""
    rng = random.Random(3)
    made: list[list[str]] = []
    for _ in range(size):
        lines = list(rng.choice(made)) if made and rng.random() < 0.4 else rng.choices(STATEMENTS, k=30)
        for _ in range(rng.randrange(4)):
            lines[rng.randrange(len(lines))] = rng.choice(STATEMENTS)
        made.append([line.replace("sum", rng.choice(["sum", "total"])) for line in lines])
    return {f"{number}.c": "\n".join(lines) for number, lines in enumerate(made)}


def test_programs_are_found_as_find_finds_them(new: Callable[[], Place], tmp_path: Path) -> None:
    documents, recipe = programs(120), la.Recipe.preset("code")
    index = new().open(recipe=recipe, threshold=0.6)
    index.add(documents)
    index.remove(gone := list(documents)[::5])
    left = {id: text for id, text in documents.items() if id not in gone}
    expected = la.find(left, 0.6, recipe=recipe).pairs.to_pylist()
    assert len(expected) > 20
    index.compact()
    index.backup(tmp_path / "copy.db")
    with la.Index.open(tmp_path / "copy.db") as copy:
        assert copy.recipe == recipe
        assert copy.pairs().to_pylist() == index.pairs().to_pylist() == expected
    for id, text in left.items():
        scores = {
            pair["a"] if pair["b"] == id else pair["b"]: pair["jaccard"] for pair in expected if id in pair.values()
        }
        assert {hit.id: hit.jaccard for hit in index.query({id: text})[0] if hit.id != id} == scores
    check(index)


def test_signatures_give_estimates(new: Callable[[], Place]) -> None:
    documents = collection(300)
    index = new().open(threshold=0.5, keep="signature")
    index.add(documents)
    exact = {(pair["a"], pair["b"]): pair["jaccard"] for pair in la.find(documents, 0.3).pairs.to_pylist()}
    seen = 0
    for hits in index.query(documents):
        for hit in hits:
            if hit.id == hits.query or (hits.query, hit.id) not in exact:
                continue
            assert hit.jaccard is hit.containment_query is hit.containment_document is None, "nothing is measured"
            assert hit.estimate is not None
            assert hit.standard_error is not None
            # Five standard errors of an estimate at J, and the least that a slot can say.
            assert abs(hit.estimate - exact[hits.query, hit.id]) <= 5 * max(hit.standard_error, 0.01)
            seen += 1
    assert seen > 30
    pairs = index.pairs(0.3)
    assert pairs.column_names == ["a", "b", "estimate", "standard_error"]
    assert pairs.num_rows > 30
    check(index)


@pytest.mark.parametrize("keep", ["text", "shingles", "signature"])
def test_the_same_id_is_not_the_same_document(new: Callable[[], Place], keep: str) -> None:
    documents, index = collection(60), new().open(threshold=0.5, keep=keep)
    index.add(documents)
    asked = {"d3": documents["d3"], "d4": documents["d5"], "not there": documents["d6"], "d7": "nothing like it"}
    for options in ({}, {"threshold": 0.3}, {"top": 4}, {"threshold": 0.3, "top": 60}):
        marked = index.query(asked, **options)
        assert [hit.id for hit in marked[0] if hit.same_id] == ["d3"], "a copy is a hit"
        assert marked[0][0].similarity == 1.0
        assert all(hit.same_id == (hit.id == hits.query) for hits in marked for hit in hits)
        assert not any(hits.skipped_same_id for hits in marked)
        skipped = index.query(asked, **options, skip_same_id=True)
        assert [hits.skipped_same_id for hits in skipped] == [True, True, False, True]
        for all_hits, others in zip(marked, skipped, strict=True):
            left = [hit for hit in all_hits if not hit.same_id]
            assert list(others)[: len(left)] == left, "and up to `top` others"
            assert not any(hit.same_id for hit in others)
    assert not any(hit.same_id for hit in index.query(documents["d3"]))
    check(index)


@pytest.mark.parametrize("keep", ["text", "shingles", "signature"])
@pytest.mark.parametrize("least", [0.5, 0.8])
def test_an_answer_states_its_recall(new: Callable[[], Place], keep: str, least: float) -> None:
    documents, index = collection(40), new().open(threshold=least, keep=keep)
    index.add(documents)
    bands = la.Bands(index.info()["bands"], index.info()["rows"])
    for options, promised in (
        ({}, bands.recall(least)),
        ({"threshold": 0.9}, bands.recall(0.9)),
        ({"threshold": 0.9, "top": 2}, bands.recall(0.9)),
        ({"threshold": 0.3}, 1.0),  # every signature is examined
        ({"threshold": 1e-6}, 1.0),
        ({"top": 3}, None),  # the nearest by their signatures
        ({"threshold": 0, "top": 3}, None),
    ):
        recall = index.query(documents["d3"], **options).recall
        if promised is None or keep == "signature":  # an estimate may fall on either side of the threshold
            assert recall is None, options
        else:
            assert recall is not None
            assert max(0.999, promised - 1e-4) <= recall.promised <= promised, options
            assert recall.of == "documents at or above the threshold"
    check(index)


@pytest.mark.parametrize("keep", ["text", "shingles", "signature"])
@pytest.mark.parametrize("threshold", [0.5, 0.3], ids=["bands", "signatures"])
def test_an_answer_that_top_cuts_says_so(new: Callable[[], Place], keep: str, threshold: float) -> None:
    text = " ".join(f"w{number}" for number in range(200))
    index = new().open(threshold=0.5, keep=keep)
    index.add({number: f"{text} {number}" for number in range(5)})
    for top in (1, 4, 5, 6):
        hits, is_cut = index.query(text, threshold, top=top), top < 5
        assert (len(hits), hits.truncated) == (min(top, 5), is_cut)
        assert (hits.recall is None) == (is_cut or keep == "signature")
        assert not index.query(text, top=top).truncated, "the nearest are all that was asked for"
        if keep != "signature":
            (decision,) = index.add_unless_similar({9: text}, threshold, top=top)
            assert (decision.hits.truncated, decision.hits.recall is None) == (is_cut, is_cut)
    check(index)


def test_an_index_for_passages_lists_the_nearest(new: Callable[[], Place]) -> None:
    documents, index = collection(60), new().open(preset="essays")
    plain = new().open(recipe=la.Recipe.preset("essays"))
    for one in (index, plain):
        one.add(documents)
    assert (index.info()["preset"], plain.info()["preset"], index.recipe) == ("essays", None, plain.recipe)
    sources = [documents[id].split() for id in ("d2", "d9", "d11")]
    collage = " ".join(word for words in sources for word in words[: len(words) // 2])
    for options in ({}, {"threshold": 0.9}, {"threshold": 0.2}, {"top": 2}, {"threshold": 0.8, "top": 1}):
        for asked in (collage, documents["d2"]):
            hits, plain_hits = index.query(asked, **options), plain.query(asked, **options)
            assert list(hits) == list(plain_hits), "what is near is no hit"
            assert plain_hits.nearest == ()
            assert hits.nearest == tuple(plain.query(asked, top=5))
    assert {hit.id for hit in index.query(collage).nearest} >= {"d2", "d9", "d11"}
    (own,) = index.query({"d2": documents["d2"]})
    assert own.nearest[0].same_id
    (others,) = index.query({"d2": documents["d2"]}, skip_same_id=True)
    assert not any(hit.same_id for hit in others.nearest)
    assert [decision.is_added for decision in index.add_unless_similar({"collage": collage})] == [True]
    check(index)
    check(plain)


def test_the_nearest_without_a_threshold(new: Callable[[], Place]) -> None:
    documents = collection(200)
    index = new().open()
    index.add(documents)
    for id in list(documents)[:30]:
        text = documents[id]
        everything = sorted(
            ((la.compare(text, other).jaccard, name) for name, other in documents.items()), reverse=True
        )
        hits = index.query(text, top=3)
        assert [hit.jaccard for hit in hits] == [score for score, _ in everything[:3] if score > 0]
        below = index.query(text, 0.1)
        assert {hit.id for hit in below} == {name for score, name in everything if score >= 0.1}
    check(index)


def test_many_alike_are_cut_short(new: Callable[[], Place], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lookalike.index.query.MOST", 50)
    index = new().open()
    index.add({f"c{number}": "the same page again and again and again" for number in range(120)})
    index.add({"other": "a page of its own with nothing in common"})
    hits = index.query("the same page again and again and again")
    assert hits.truncated
    assert hits.ids == [f"c{number}" for number in range(50)]
    assert not index.query("a page of its own with nothing in common").truncated
    check(index)


def test_the_documents_can_be_searched(new: Callable[[], Place]) -> None:
    documents = collection(100)
    index = new().open()
    index.add(documents)
    found = la.find({"new": documents["d7"]}, against=index.documents())
    assert "d7" in {pair["b"] for pair in found.pairs.to_pylist()}
    check(index)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"threshold": 0}, "threshold"),
        ({"threshold": 1.5}, "threshold"),
        ({"threshold": "high"}, "threshold"),
        ({"top": 0}, "top"),
        ({"top": 2.5}, "top"),
    ],
)
def test_what_no_query_can_be(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(la.RecipeError, match=message):
        la.Index.open(":memory:").query("text", **arguments)  # type: ignore[call-overload]


@pytest.mark.parametrize("keep", ["text", "shingles", "signature"])
@pytest.mark.parametrize("asked", [{}, {"threshold": 0.3}, {"top": 3}, {"threshold": 0.3, "top": 2}])
def test_portions_change_no_answer(
    new: Callable[[], Place], monkeypatch: pytest.MonkeyPatch, keep: str, asked: dict[str, Any]
) -> None:
    documents, index = collection(80), new().open(keep=keep)
    index.add(documents)
    whole = index.query(documents, **asked)
    for pairs, size in ((1, 1), (7, 300), (50, 1_000_000)):
        monkeypatch.setattr("lookalike.index.query._PAIRS", pairs)
        monkeypatch.setattr("lookalike.index.query._BYTES", size)
        monkeypatch.setattr("lookalike.index.query._HEADS", pairs)
        assert index.query(documents, **asked) == whole
    check(index)


def test_queries_share_a_budget() -> None:
    budget, held, most = _Budget(100), [0], [0]
    lock = threading.Lock()

    def work(size: int) -> None:
        for _ in range(50):
            with budget.hold(size, lambda: None):
                with lock:
                    held[0] += size
                    most[0] = max(most[0], held[0])
                with lock:
                    held[0] -= size

    threads = [threading.Thread(target=work, args=(size,)) for size in (10, 30, 60, 90)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60.0)
    assert most[0] <= 100
    # More than there is, if nobody else holds anything.
    with budget.hold(500, lambda: None), pytest.raises(TimeoutError), budget.hold(1, interrupted):
        pass


def interrupted() -> None:
    raise TimeoutError
