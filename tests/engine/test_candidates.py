"""The rule for hot documents, for who counts buckets elsewhere: it names those that the core sets apart."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from lookalike.engine import Asked, choose_strategy
from lookalike.engine.bands import largest_bucket, limits_for
from lookalike.engine.stages import propose, sign_rows
from lookalike.recipe import Recipe
from tests.corpus import near_copy, prose


@pytest.mark.parametrize("allowed", [50, 2_000, 20_000, 200_000, 10**9])
def test_hot_documents_are_those_of_the_core(allowed: int) -> None:
    rng = random.Random(1)
    texts = []
    for size in (2, 3, 5, 9, 17, 40, 90, 300):
        page = prose(rng, 120)
        texts += [" ".join(near_copy(rng, page, 1)) for _ in range(size)]
    strategy = choose_strategy(Asked(Recipe(), 0.8, method="lsh"), size=0)
    rows = sign_rows(texts, strategy)
    found = propose(rows, strategy, limits=(allowed, 10**9))
    classes: list[Any] = list(found.classes.to_pylist() or [])
    firsts = [number for number, first in enumerate(classes) if number == first]
    keys: Any = rows.column("keys").to_pylist()
    buckets: dict[tuple[int, int], list[int]] = {}
    for number in firsts:
        for band, key in enumerate(keys[number]):
            buckets.setdefault((band, key >> 32), []).append(number)
    shared = [bucket for bucket in buckets.values() if len(bucket) > 1]
    sizes: Counter[int] = Counter()
    for bucket in shared:
        sizes[len(bucket).bit_length() - 1] += len(bucket) * (len(bucket) - 1) // 2
    hot: set[int] = set()
    if sizes.total() > allowed:
        largest = largest_bucket(sizes, allowed)
        hot = {number for bucket in shared if len(bucket) > largest for number in bucket}
    assert found.hot.to_pylist() == sorted(hot)
    assert bool(hot) == (allowed < 10**9)


def test_limits_grow_with_the_documents() -> None:
    assert limits_for(0) == (1 << 24, 1 << 20)
    assert limits_for(1000).pairs == (1 << 20) + 8000
