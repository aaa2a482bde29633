"""What is asked of pairs and groups, beside the same worked out slowly."""

from __future__ import annotations

import math
from array import array
from itertools import pairwise
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.engine.groups import grouped, principals
from lookalike.tables.columns import COLUMNS, Pairs
from tests.property.strategies import tries
from tests.result.making import Case, cases

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lookalike.tables.columns import Metric

METRICS: tuple[Metric, ...] = ("jaccard", "containment")


def rows(pairs: Pairs) -> list[tuple[float, ...]]:
    return list(zip(*(pairs.values(name).tolist() for name in COLUMNS), strict=True))


def score(row: Sequence[float], metric: str) -> float:
    return max(row[3:]) if metric == "containment" else row[2]


def slow_principals(case: Case, order: list[int], metric: str) -> list[int]:
    """Every old document leads; a new one joins the old one it is most like; the rest are stars in their order."""
    documents = range(len(case.kinds))
    old_from = len(case.kinds) if case.old_from is None else case.old_from
    near = {(int(row[0]), int(row[1])): score(row, metric) for row in rows(case.found().pairs)}
    firsts = case.firsts

    def alike(x: int, y: int) -> float:
        a, b = sorted((firsts[x], firsts[y]))
        return 1.0 if a == b else near.get((a, b), 0.0)

    led = {old: old for old in documents if old >= old_from}
    olds = [document for document in order if document >= old_from]
    for new in range(old_from):
        best = max(olds, key=lambda old: (alike(new, old), -olds.index(old)), default=None)
        if best is not None and alike(new, best) > 0:
            led[new] = best
    for document in order:
        if document not in led:
            led |= {other: document for other in documents if other not in led and alike(document, other) > 0}
    return [led[document] for document in documents]


@given(cases(), st.randoms(use_true_random=False), st.sampled_from(METRICS))
@tries(3)
def test_stars_beside_old_documents(case: Case, chance: object, metric: Metric) -> None:
    order = list(range(len(case.kinds)))
    chance.shuffle(order)  # type: ignore[attr-defined]
    found = case.found()
    made = principals(found, "star", array("I", order).tobytes(), metric=metric, old_from=case.old_from)
    assert list(memoryview(made).cast("I")) == slow_principals(case, order, metric)


@given(cases(), st.randoms(use_true_random=False))
@tries(3)
def test_linked_groups_are_led_by_the_first_old_document_or_the_first(case: Case, chance: object) -> None:
    order = list(range(len(case.kinds)))
    chance.shuffle(order)  # type: ignore[attr-defined]
    made = principals(case.found(), "linked", array("I", order).tobytes(), old_from=case.old_from)
    principal = memoryview(made).cast("I").tolist()
    parts = [{n} for n in order]
    for a, b, *_ in [*rows(case.found().pairs), *((n, first) for n, first in enumerate(case.firsts))]:
        of_a, of_b = (next(part for part in parts if end in part) for end in (a, b))
        if of_a is not of_b:
            parts.remove(of_b)
            of_a |= of_b
    for part in parts:
        old = [n for n in order if n in part and case.old_from is not None and n >= case.old_from]
        assert {principal[n] for n in part} == {(old or [n for n in order if n in part])[0]}


@given(st.lists(st.integers(0, 9), max_size=10), st.one_of(st.none(), st.integers(0, 10)))
def test_groups_are_those_of_the_principals(given_heads: list[int], old_from: int | None) -> None:
    heads = [head if head < len(given_heads) else 0 for head in given_heads]
    made = grouped(array("I", heads).tobytes(), old_from)
    documents, starts, principal = (memoryview(part).cast("I").tolist() for part in made)
    new = len(heads) if old_from is None else old_from
    expected: dict[int, list[int]] = {}
    for document, head in enumerate(heads):
        members = [n for n, other in enumerate(heads) if other == head]
        if any(n != head for n in members) and any(n < new for n in members):
            expected.setdefault(head, members)
            assert document in expected[head]
    assert principal == list(expected)
    assert [documents[i:j] for i, j in pairwise(starts)] == list(expected.values())


@given(cases(), st.sampled_from((0.5, 0.6, 0.75, 0.9, 1.0)), st.integers(0, 20), st.sampled_from(METRICS))
@tries(3)
def test_the_closest_and_those_above_a_threshold(case: Case, threshold: float, most: int, metric: Metric) -> None:
    pairs = case.result().listed
    every = rows(pairs)
    assert rows(pairs.at_least(threshold, metric)) == [row for row in every if score(row, metric) >= threshold]
    ranked = sorted(every, key=lambda row: (-score(row, metric), -row[2], row[0], row[1]))
    assert rows(pairs.closest(most, metric)) == ranked[:most]
    assert rows(pairs.select(row[2] >= threshold for row in every)) == [row for row in every if row[2] >= threshold]


@given(cases(), st.data(), st.sampled_from(METRICS))
@tries(3)
def test_the_score_of_any_two_documents(case: Case, data: st.DataObject, metric: Metric) -> None:
    if not case.kinds:
        return
    number = st.integers(0, len(case.kinds) - 1)
    ends = data.draw(st.lists(st.tuples(number, number)))
    x, y = (array("I", [pair[side] for pair in ends]).tobytes() for side in (0, 1))
    scores = memoryview(case.found().score_between(x, y, metric)).cast("d").tolist()
    near = {(int(row[0]), int(row[1])): score(row, metric) for row in rows(case.found().pairs)}
    for (one, other), made in zip(ends, scores, strict=True):
        a, b = sorted((case.firsts[one], case.firsts[other]))
        expected = 1.0 if a == b else near.get((a, b))
        assert math.isnan(made) if expected is None else made == expected


@given(cases(), st.sampled_from(("star", "linked")))
@tries(3)
def test_the_least_score_of_a_group_is_that_of_its_farthest_member(case: Case, linkage: str) -> None:
    found = case.found()
    for group in case.result(linkage=linkage).groups:
        members = array("I", map(int, group.members)).tobytes()
        principal = array("I", [int(group.principal)] * len(group)).tobytes()
        scores = memoryview(found.score_between(members, principal, "jaccard")).cast("d").tolist()
        assert group.least == (None if any(map(math.isnan, scores)) else min(scores))


def test_public_groups_are_the_same() -> None:
    assert la.groups(4, [(0, 1), (2, 1)], order=[1, 0, 2, 3]) == [la.Group(1, (0, 1, 2))]


@given(cases(), st.integers(0, 4), st.sampled_from(("star", "linked")))
@tries(3)
def test_the_largest_groups_come_first(case: Case, most: int, linkage: str) -> None:
    result = case.result(linkage=linkage)
    assert result.group_count == len(result.groups)
    expected = sorted(result.groups, key=lambda group: -len(group))[:most]
    assert [(group, group.least) for group in result.largest_groups(most)] == [(g, g.least) for g in expected]
