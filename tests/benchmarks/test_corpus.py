"""The collections that speed is measured on: the same on every run, with the copies that they say they have."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import pytest

import lookalike as la
from benchmarks import corpus
from benchmarks.corpus import SHARES, Corpus
from tests.statistics.bounds import binomial_range

if TYPE_CHECKING:
    from benchmarks.corpus import Script

ROOT = Path(__file__).parents[2]
COUNT = 200
each_script = pytest.mark.parametrize("script", get_args(corpus.Script))


def digest(texts: list[str]) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


@each_script
def test_the_same_in_another_process_and_in_parts(script: Script) -> None:
    texts = list(corpus.texts(COUNT, script))
    program = f"""
from benchmarks.corpus import Corpus
import hashlib
made = Corpus({script!r})
texts = {{i: made.text(i) for i in reversed(range({COUNT}))}}
print(hashlib.sha256("\\0".join(texts[i] for i in range({COUNT})).encode()).hexdigest())
"""
    environment = {**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, env=environment)
    assert done.stdout.strip() == digest(texts)


@each_script
def test_another_seed_is_another_collection(script: Script) -> None:
    assert not set(corpus.texts(50, script, seed=1)) & set(corpus.texts(50, script, seed=2))


@each_script
def test_kinds_come_in_their_shares(script: Script) -> None:
    plans = [Corpus(script).plan(number) for number in range(COUNT)]
    found = Counter(plan.kind for plan in plans)
    for kind, share in SHARES.items():
        least, most = binomial_range(COUNT, share)
        assert max(least, 1) <= found[kind] <= most, kind
    for plan in plans:
        assert (plan.source is None) == (plan.kind == "original")
        assert plan.source is None or plan.source < plan.number
        assert plan.rate == 0 or 0.01 <= plan.rate <= 0.3


@each_script
def test_copies_are_as_alike_as_planned(script: Script) -> None:
    made = Corpus(script)
    recipe = la.Recipe(unit="char", k=5)
    for number in range(COUNT):
        plan = made.plan(number)
        if plan.source is None:
            continue
        copy, source = made.text(number), made.text(plan.source)
        jaccard = la.jaccard(copy, source, recipe=recipe)
        if plan.kind == "exact":
            assert copy == source
        elif plan.kind in ("move", "site"):
            assert jaccard > 0.4  # the same words, but for a page around them that may be as long as a short text
        else:
            assert copy != source
            # Of characters one by one (Chinese), an edit takes up to 5 shingles and brings up to 7.
            assert jaccard >= max(0.02, 1 - 14 * plan.rate - 30 / len(source)), plan
            assert jaccard < 1


def test_originals_have_little_in_common() -> None:
    made = Corpus()
    originals = [made.text(n) for n in range(COUNT) if made.plan(n).source is None]
    found = la.find(originals, 0.3, method="exact")
    assert found.pairs.num_rows == 0


@each_script
def test_lengths_are_those_of_web_pages(script: Script) -> None:
    sizes = sorted(len(text.encode()) for text in corpus.texts(COUNT, script))
    assert 2000 < sum(sizes) / COUNT < 3200
    assert sizes[0] >= 100
    assert sizes[-1] <= 25_000
    assert sizes[COUNT // 2] < sum(sizes) / COUNT  # a long tail


def test_english_is_ascii_with_capitals_marks_and_paragraphs() -> None:
    text = "".join(corpus.texts(COUNT))
    assert text.isascii()
    words = text.split()
    assert 4 < sum(map(len, words)) / len(words) < 6
    for mark in (". ", ", ", "? ", "'s ", "-", "\n\n"):
        assert mark in text
    assert 0.02 < sum(word[0].isupper() for word in words) / len(words) < 0.2
    # Natural language: the most frequent word is some percent of the text, half of the vocabulary appears once.
    counts = Counter(word.lower() for word in words)
    assert 0.01 < counts.most_common(1)[0][1] / len(words) < 0.08
    assert 0.3 < sum(n == 1 for n in counts.values()) / len(counts) < 0.7
