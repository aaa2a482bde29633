"""Pairs that are counted again by their long passages: many of them, and long ones full of repeats."""

from __future__ import annotations

import pytest

from tests.faults.child import run

# Every document is like every other: 79 800 pairs. Finding the passages of each pair anew took 50 seconds.
MANY = """
import random, time
import lookalike as la
rng = random.Random(1)
page = [f"w{rng.randrange(5000)}" for _ in range(300)]
def edited():
    words = list(page)
    for _ in range(2):
        words[rng.randrange(300)] = f"x{rng.randrange(10**6)}"
    return " ".join(words)
texts = [edited() for _ in range(400)]
began = time.process_time()
assert la.find(texts, 0.5, min_words=12).pair_count == 79_800
print(time.process_time() - began)
"""

# One word, or a short period, over and over: every run of one text occurs everywhere in the other.
REPEATED = """
import sys, time
import lookalike as la
period, least = int(sys.argv[1]), int(sys.argv[2])
text = " ".join(f"w{i % period}" for i in range(300_000))
began = time.process_time()
found = la.compare(text + " end", text + " other end", min_words=least)
print(time.process_time() - began)
assert found.shared == period, found.shared
"""


def test_eighty_thousand_pairs() -> None:
    assert float(run(MANY)) < 5


@pytest.mark.parametrize(("period", "least"), [(1, 12), (1, 100_000), (7, 12), (7, 250_000)])
def test_long_texts_of_repeats(period: int, least: int) -> None:
    assert float(run(REPEATED, str(period), str(least))) < 20
