"""The comparison of engines: the protocol, asked of lookalike itself, and the truth that answers are held against."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import lookalike as la
from benchmarks.engines.protocol import area_bands, read_texts, shingles
from benchmarks.rivals import corpora
from benchmarks.rivals.asking import ask
from benchmarks.rivals.catalogue import ENGINES, FOLDER, OWN, Engine
from benchmarks.rivals.run import Bench, make_task
from benchmarks.rivals.tasks import Job, Sizes, jobs
from benchmarks.rivals.truth import Truth, cross_check, find_truth, plain_shingles

if TYPE_CHECKING:
    from benchmarks.rivals.corpora import Name
    from benchmarks.rivals.environments import Ready

COUNT = 120
PYTHON = Path(sys.executable)
lookalike_engine = ENGINES[0]
each_collection = pytest.mark.parametrize("name", list(corpora.NAMES))


def job(kind: Any = "search", collection: Name = "pages", unit: Any = "word", k: int = 5, at: float = 0.5) -> Job:
    return Job(f"{kind} {collection}", kind, collection, COUNT, unit, k, at)


@each_collection
def test_every_way_to_shingle_a_collection_is_the_same(name: Name) -> None:
    wanted = job(collection=name, unit="char" if name == "chinese" else "word")
    recipe = la.Recipe(unit=wanted.unit, k=wanted.k)
    task = make_task(wanted, Path("unread"), Truth(COUNT, {}))
    for text in corpora.texts(name, 30):
        plain = {(" " if wanted.unit == "word" else "").join(parts) for parts in plain_shingles(text, wanted)}
        assert plain == set(shingles(text, task)) == {shingle.text for shingle in la.shingles(text, recipe)}


def test_tweets_are_short_and_templates_are_shared() -> None:
    assert all(5 <= len(text.split()) <= 20 for text in corpora.texts("tweets", 300))
    pages = [text.split() for text in corpora.texts("templates", 400)]
    assert len({tuple(words[:150]) for words in pages}) == 4


def test_lookalike_finds_the_truth_by_the_protocol(tmp_path: Path) -> None:
    wanted = job()
    path = corpora.parquet("pages", COUNT, folder=tmp_path)
    truth = find_truth(wanted, path)
    found = ask(lookalike_engine, PYTHON, make_task(wanted, path, truth), limit=60)
    assert isinstance(found, dict), found
    assert truth.pairs
    assert truth.judge(found["form"], found["found"]) == (1.0, 1.0)
    assert found["version"] == la.__version__
    assert 0 < found["seconds"] < 60
    assert found["peak"] > 10**7


def test_lookalike_answers_queries_by_the_protocol(tmp_path: Path) -> None:
    wanted = replace(job("queries"), indexed=80)
    path = corpora.parquet("pages", COUNT, folder=tmp_path)
    truth = find_truth(wanted, path).between(80)
    found = ask(lookalike_engine, PYTHON, make_task(wanted, path, truth), limit=60)
    assert isinstance(found, dict), found
    assert truth.pairs
    assert truth.judge(found["form"], found["found"]) == (1.0, 1.0)


def test_signatures_by_the_protocol_estimate_the_truth(tmp_path: Path) -> None:
    wanted = job("signatures")
    path = corpora.parquet("pages", COUNT, folder=tmp_path)
    truth = find_truth(wanted, path)
    task = make_task(wanted, path, truth)
    found = ask(lookalike_engine, PYTHON, task, limit=60)
    assert isinstance(found, dict), found
    assert found["slots"] == wanted.hashes
    assert truth.error([(a, b) for a, b in task.pairs], found["found"], found["slots"]) < 2


def test_what_an_engine_cannot_do_is_said(tmp_path: Path) -> None:
    path = corpora.parquet("pages", COUNT, folder=tmp_path)
    asked = make_task(job("dreams"), path, Truth(COUNT, {}))
    assert "lookalike has no dreams" in str(ask(lookalike_engine, PYTHON, asked, limit=60))
    assert ask(lookalike_engine, PYTHON, make_task(job(), path, Truth(COUNT, {})), limit=0) == "stopped after 0 s"
    nothing = Engine("nobody", "nobody", ("search",))
    assert "benchmarks.engines.nobody" in str(ask(nothing, PYTHON, asked, limit=60))


def test_a_run_has_a_row_for_each_engine_also_for_those_that_are_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpora.parquet, "__kwdefaults__", {"folder": tmp_path})
    ready: Ready = dict.fromkeys((engine.folder for engine in ENGINES), "no such package") | {OWN: PYTHON}
    bench = Bench(ready, Sizes(repeats=1), ENGINES)
    rows = {row["engine"]: row for row in bench.run(job(collection="chinese", unit="char"))}
    assert set(rows) == {engine.name for engine in ENGINES if "search" in engine.kinds}
    assert (rows[OWN]["recall"], rows[OWN]["precision"], rows[OWN]["ratio"], rows[OWN]["why"]) == (1, 1, 1, None)
    others = [row for name, row in rows.items() if name != OWN]
    assert {row["why"] for row in others} == {"not available: no such package"}
    assert {row["seconds"] for row in others} == {None}


def test_an_engine_that_would_take_too_long_is_not_asked() -> None:
    bench = Bench({"lookalike": PYTHON}, Sizes(expected=100), ENGINES)
    large = Job("large", "search", "pages", 10_000, "word", 5, 0.8)
    row = {"engine": OWN, "kind": "search", "documents": 1000, "seconds": 30.0}
    assert bench.obstacle(lookalike_engine, large) is None
    bench.rows.append(row)
    assert bench.obstacle(lookalike_engine, large) == "not asked: it took 30 s for 1,000 documents"
    assert bench.obstacle(lookalike_engine, job()) is None


# -- judging ----------------------------------------------------------------------------------------------------------

TRUTH = Truth(8, {(0, 1): 0.9, (1, 2): 0.85, (4, 5): 1.0})


def test_pairs_are_judged_one_by_one() -> None:
    assert TRUTH.judge("pairs", [[0, 1], [4, 5], [0, 7]]) == (2 / 3, 2 / 3)
    assert TRUTH.judge("pairs", []) == (0.0, 1.0)


def test_kept_rows_are_right_if_no_pair_and_nothing_but_pairs_is_resolved() -> None:
    assert sorted(map(sorted, TRUTH.groups())) == [[0, 1, 2], [4, 5]]
    assert TRUTH.judge("kept", [0, 3, 4, 6, 7]) == (1.0, 1.0)  # one of each group, as components keep it
    assert TRUTH.judge("kept", [0, 2, 3, 5, 6, 7]) == (1.0, 1.0)  # 0 and 2 are no pair: both may stay
    assert TRUTH.judge("kept", [3, 4, 6, 7]) == (1.0, 3 / 4)  # nothing of the first group is left
    assert TRUTH.judge("kept", [0, 1, 2, 3, 4, 6]) == (1 / 3, 1 / 2)  # 7 is nobody's copy


def test_marked_rows_are_those_that_have_a_copy() -> None:
    assert TRUTH.judge("marked", [0, 1, 4, 5, 6]) == (4 / 5, 4 / 5)


def test_queries_see_pairs_of_an_old_and_a_new_document() -> None:
    assert set(TRUTH.between(2).pairs) == {(1, 2)}


def test_a_wrong_truth_is_noticed(tmp_path: Path) -> None:
    wanted = job()
    path = corpora.parquet("pages", COUNT, folder=tmp_path)
    truth, texts = find_truth(wanted, path), read_texts(str(path))
    assert cross_check(truth, texts, wanted) > 1000
    missing = Truth(COUNT, dict(list(truth.pairs.items())[1:]))
    with pytest.raises(ValueError, match="but the join says None"):
        cross_check(missing, texts, wanted, sample=4 * COUNT)


# -- the definitions --------------------------------------------------------------------------------------------------


def test_the_common_rule_for_bands() -> None:
    assert area_bands(0.8, 128) == (9, 13)
    assert area_bands(0.5, 128) == (25, 5)


def test_every_engine_has_its_program_and_pinned_packages() -> None:
    assert {engine.folder for engine in ENGINES} == {path.parent.name for path in FOLDER.glob("*/engine.py")}
    for engine in ENGINES:
        lines = engine.requirements.read_text(encoding="utf-8").splitlines()
        assert all(line.startswith("#") or line.count("==") == 1 for line in lines), engine.folder


def test_tasks_are_those_of_the_issue() -> None:
    every = jobs(Sizes())
    assert len({one.name for one in every}) == len(every) == 13
    assert {one.kind for one in every} == {"signatures", "search", "exact", "queries"}
    assert {one.collection for one in every} == set(corpora.NAMES)
    searched = {(one.documents, one.threshold) for one in every if one.name.startswith("search")}
    assert searched == {(10_000, 0.8), (10_000, 0.5), (100_000, 0.8), (100_000, 0.5)}
