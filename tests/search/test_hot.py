"""Hot clusters: so many documents alike that their pairs are not all listed, and the clusters are the same for it."""

from __future__ import annotations

import random
from array import array
from dataclasses import replace
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike import _native
from lookalike import reference as ref
from lookalike.engine import Asked, Strategy, choose_strategy
from lookalike.engine.groups import grouping_of, name_groups
from lookalike.engine.stages import UNLIMITED, join
from lookalike.tables.columns import DocumentIds, Found, Metric
from lookalike.tables.packed import Ids
from tests.faults.child import PEAK, run
from tests.property.strategies import tries

if TYPE_CHECKING:
    from pathlib import Path

RECIPE = la.Recipe(k=1, hashes=64)
NEVER = 2**32
Limits = tuple[int, int]


def crowd(rng: random.Random, count: int) -> list[str]:
    """Return near-copies of a few pages, of near-copies of them, and copies of all."""
    pages: list[list[str]] = []
    texts: list[str] = []
    for _ in range(count):
        if not pages or rng.random() < 0.08:
            pages.append([f"w{rng.randrange(200)}" for _ in range(rng.randrange(4, 20))])
        words = list(rng.choice(pages)) if not texts or rng.random() < 0.8 else rng.choice(texts).split()
        for _ in range(rng.choice((0, 0, 1, 1, 2, 3))):
            words[rng.randrange(len(words))] = f"w{rng.randrange(200)}"
        texts.append(" ".join(words))
    return texts


def strategy(threshold: float, method: str, metric: Metric = "jaccard") -> Strategy:
    """Return a strategy that loses no pair: with one row a band, two documents that are alike at all share a key."""
    bands = la.Bands(RECIPE.hashes, 1) if method == "lsh" else None
    return replace(choose_strategy(Asked(RECIPE, threshold, 0.99, method, metric, bands), 0), least=0)


def searched(
    texts: list[str], how: Strategy, limits: Limits, old_from: int, order: list[int] | None, threads: int
) -> dict[str, Any]:
    core = how.native(limits=limits)
    intake, inputs = _native.Intake(core, "rows" if how.method == "lsh" else "sets"), _native.Input.of_texts(texts)
    intake.add(inputs, threads)
    intake.finish(threads)
    ranked = None if order is None else array("I", order).tobytes()
    return _native.search(intake, core, [inputs], old_from=old_from, order=ranked, threads=threads)


def pairs_of(found: dict[str, Any]) -> dict[tuple[int, int], dict[str, Any]]:
    return {(row["a"], row["b"]): row for row in Found.of_core(found, 0.0).pairs.table.to_pylist()}


def groups_of(
    found: dict[str, Any], order: list[int] | None, old_from: int, metric: Metric
) -> list[tuple[Any, tuple[Any, ...], float | None]]:
    seen = Found.of_core(found, 0.0)
    old = None if old_from == NEVER else old_from
    grouping = grouping_of(seen, linkage="star", order=order, metric=metric, old_from=old)
    ids = DocumentIds(Ids(range(seen.documents)))
    return [(g.principal, g.members, g.least) for g in name_groups(seen, grouping, ids, metric)]


hot_limits = st.tuples(st.sampled_from((0, 5, 50, 200, 1_000, 5_000)), st.sampled_from((0, 5, 30, 100, 400)))
WAYS: list[tuple[str, Metric]] = [("exact", "jaccard"), ("lsh", "jaccard"), ("exact", "containment")]


@given(
    seed=st.integers(0, 10**6),
    count=st.sampled_from((5, 20, 60, 150)),
    threshold=st.sampled_from((0.3, 0.5, 0.7, 0.85, 1.0)),
    way=st.sampled_from(WAYS),
    limits=hot_limits,
    shuffled=st.booleans(),
    threads=st.sampled_from((1, 2)),
)
@tries(5)
def test_clusters_are_those_of_all_pairs(
    seed: int, count: int, threshold: float, way: tuple[str, Metric], limits: Limits, shuffled: bool, threads: int
) -> None:
    rng = random.Random(seed)
    texts = crowd(rng, count)
    order = rng.sample(range(count), count) if shuffled else None
    how, metric = strategy(threshold, *way), way[1]
    every = searched(texts, replace(how, method="brute", bands=None), UNLIMITED, NEVER, order, 1)
    found = searched(texts, how, limits, NEVER, order, threads)
    all_pairs, listed = pairs_of(every), pairs_of(found)
    assert found["in_part"] == 0
    assert found["class"] == every["class"]
    assert list(listed) == sorted(listed)
    assert listed.items() <= all_pairs.items()  # all are true, with their scores
    if not found["hot"]:
        assert listed == all_pairs
    groups = groups_of(found, order, NEVER, metric)
    assert groups == groups_of(every, order, NEVER, metric)
    firsts = memoryview(found["class"]).cast("I")
    for principal, members, _ in groups:
        kinds = {tuple(sorted((firsts[principal], firsts[member]))) for member in members}
        assert {pair for pair in kinds if pair[0] != pair[1]} <= listed.keys()


@given(
    seed=st.integers(0, 10**6),
    count=st.sampled_from((5, 20, 60, 150)),
    share=st.floats(0, 1),
    threshold=st.sampled_from((0.3, 0.5, 0.7, 0.85)),
    way=st.sampled_from(WAYS),
    limits=hot_limits,
    shuffled=st.booleans(),
)
@tries(5)
def test_clusters_beside_old_documents(
    seed: int, count: int, share: float, threshold: float, way: tuple[str, Metric], limits: Limits, shuffled: bool
) -> None:
    rng = random.Random(seed)
    texts, old_from = crowd(rng, count), round(share * count)
    order = rng.sample(range(count), count) if shuffled else None
    how, metric = strategy(threshold, *way), way[1]
    every = searched(texts, replace(how, method="brute", bands=None), UNLIMITED, old_from, order, 1)
    found = searched(texts, how, limits, old_from, order, 2)
    assert pairs_of(found).items() <= pairs_of(every).items()

    def beside(groups: list[Any]) -> tuple[list[int], list[Any]]:
        """Which new documents are like an old one, and the clusters of the rest."""
        taken = [m for principal, members, _ in groups if principal >= old_from for m in members if m < old_from]
        return sorted(taken), [group for group in groups if group[0] < old_from]

    groups, expected = (groups_of(each, order, old_from, metric) for each in (found, every))
    # Which old one it is may differ: not all old documents that a new one is like are looked at.
    assert beside(groups) == beside(expected)
    if not found["hot"]:
        assert groups == expected


def test_clusters_are_those_of_the_reference() -> None:
    rng = random.Random(5)
    texts = crowd(rng, 40)
    sets = [ref.elements(text, RECIPE) for text in texts]
    true = {(a, b): score for a, b, score in ref.brute_force_join(sets, 0.5)}
    free = set(range(40))
    principals: dict[int, int] = {}
    for document in range(40):
        if document in free:
            taken = {d for d in free if d == document or (document, d) in true}
            principals |= dict.fromkeys(taken, document)
            free -= taken
    found = join(texts, strategy(0.5, "lsh"), limits=(0, 0))
    grouping = grouping_of(found, linkage="star", order=None, metric="jaccard", old_from=None)
    groups = name_groups(found, grouping, DocumentIds(Ids(range(40))), "jaccard")
    assert {m: g.principal for g in groups for m in g.members} == {
        m: p for m, p in principals.items() if sum(q == p for q in principals.values()) > 1
    }


@pytest.mark.parametrize("method", ["lsh", "exact"])
def test_excluded_text_is_excluded_from_hot_clusters(method: str) -> None:
    rng = random.Random(2)
    texts = [f"{text} “{text} said he” and so on" for text in crowd(rng, 80)]
    plain = strategy(0.5, method)
    for how in (replace(plain, min_words=4), replace(plain, ignored=(*_native.elements("w1 w2 w3 said", core()),))):
        every = searched(texts, replace(how, method="brute", bands=None), UNLIMITED, NEVER, None, 1)
        found = searched(texts, how, (50, 20), NEVER, None, 2)
        assert found["hot"]
        assert pairs_of(found).items() <= pairs_of(every).items()
        assert groups_of(found, None, NEVER, "jaccard") == groups_of(every, None, NEVER, "jaccard")


def core() -> _native.Settings:
    from lookalike.recipe import settings

    return settings(RECIPE)


def test_no_limit_is_reached_by_an_ordinary_collection() -> None:
    assert _native.limits(0)[1] >= 1_000_000
    assert all(_native.limits(n)[i] < _native.limits(10 * n)[i] for n in (10**4, 10**6) for i in (0, 1))
    result = la.find(crowd(random.Random(1), 300), 0.3, recipe=RECIPE, method="lsh")
    assert not [note for note in result.notes if "not all their pairs" in note]


def versions(count: int) -> list[str]:
    """Return versions of one page with two words changed: their pairs are more than the usual limit."""
    rng, page, texts = random.Random(4), [f"w{place}" for place in range(40)], []
    for number in range(count):
        words = list(page)
        for place in rng.sample(range(40), 2):
            words[place] = f"x{number}y{place}"
        texts.append(" ".join(words))
    return texts


VERSIONS = versions(1_500)


@cache
def words_in_both() -> dict[tuple[int, int], int]:
    """Return how many of their forty words any two versions have in common."""
    sets = [frozenset(text.split()) for text in VERSIONS]
    return {(a, b): len(sets[a] & sets[b]) for a, b in combinations(range(len(sets)), 2)}


PATHS: dict[str, dict[str, Any]] = {
    "exact": {"method": "exact"},
    "lsh": {"method": "lsh"},
    "files": {"method": "lsh", "work": "work"},
    "containment": {"metric": "containment"},
    "bag": {"metric": "bag", "method": "exact"},
    "against": {"method": "exact", "against": VERSIONS[1_200:]},
}


@pytest.mark.parametrize("path", PATHS)
def test_a_higher_limit_lists_all_pairs(path: str, tmp_path: Path) -> None:
    options = PATHS[path] | ({"work": tmp_path / "work"} if path == "files" else {})
    new = len(VERSIONS) if path != "against" else 1_200
    score = "containment_a" if path == "containment" else "jaccard"
    true = {
        ends: shared / 40 if path == "containment" else shared / (80 - shared)
        for ends, shared in words_in_both().items()
        if ends[0] < new
    }

    def listed(result: la.Result) -> dict[tuple[int, int], float]:
        pairs = result.listed
        return dict(zip(zip(pairs.values("a"), pairs.values("b"), strict=True), pairs.values(score), strict=True))

    def searched(**more: Any) -> la.Result:
        return la.find(VERSIONS[:new], 0.8, recipe=la.Recipe(k=1), **options, **more)

    usual = searched()
    assert usual.limited > 1_000
    assert usual.recall.limited == usual.limited
    assert usual.recall.of == "clusters"
    assert usual.pair_count < len(true) / 10
    assert listed(usual).items() <= true.items()
    with pytest.raises(la.LookalikeError, match="no recall of pairs"):
        usual.audit()
    raised = searched(max_pairs=len(true))
    assert (raised.limited, raised.recall.limited) == (0, 0)
    assert not [note for note in raised.notes if "not all their pairs" in note]
    found = listed(raised)
    assert found.items() <= true.items()
    assert len(found) == len(true) if options.get("method") != "lsh" else len(found) > 0.99 * len(true)
    if path != "against":  # there a document may join another old one
        assert raised.group_count == usual.group_count == 1


def test_a_limit_below_the_usual_one_changes_nothing() -> None:
    texts = crowd(random.Random(1), 300)
    assert la.find(texts, 0.3, max_pairs=1).pairs == la.find(texts, 0.3).pairs
    assert _native.limits(10**6, 1) == _native.limits(10**6)
    for wrong in (0, -1, 1.5, "many"):
        with pytest.raises(la.RecipeError, match="max_pairs"):
            la.find(texts, max_pairs=wrong)  # type: ignore[arg-type]


BIG = (
    PEAK
    + """
import random, sys
from pathlib import Path
import lookalike as la
from lookalike import _native

real, told = _native.search, []

def search(*given, **options):
    found = real(*given, **options)
    told.append((found["hot"], found["in_part"]))
    return found

_native.search = search
rng = random.Random(3)
page = [f"w{rng.randrange(5000)}" for _ in range(300)]
texts = [f"a page of its own {n} " * 30 for n in range(40)]
for n in range(3000):
    words = list(page)
    for place in rng.sample(range(300), 2):
        words[place] = f"x{rng.randrange(10**6)}"
    texts.append(" ".join(words))
old = texts[:700] if sys.argv[3] == "old" else None
path = Path(sys.argv[1])
path.write_text("".join('{"text": "%s"}\\n' % text for text in texts))
result = la.find(path, method=sys.argv[2], against=old)
hot, in_part = told[0]
assert hot >= 2000, told
assert in_part == 0, told
assert any("not all their pairs are listed" in note for note in result.notes), result.notes
members = sorted((len(group.members) for group in result.groups), reverse=True)
print(members[0] if old is None else sum(members), len(result.groups), result.pair_count < 400_000)
print(peak() >> 20)
"""
)


@pytest.mark.parametrize("method", ["lsh", "exact"])
@pytest.mark.parametrize("old", ["old", "none"])
def test_three_thousand_pages_that_are_nearly_the_same(tmp_path: Path, method: str, old: str) -> None:
    out, peak = run(BIG, str(tmp_path / "pages.jsonl"), method, old, limit=300).splitlines()
    members, groups, few = out.split()
    if old == "none":
        assert (members, groups) == ("3000", "1")
    else:
        assert int(members) >= 3000
    assert few == "True"
    assert int(peak) < 400
