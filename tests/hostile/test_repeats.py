"""Texts that repeat themselves: cutting repeats takes time in proportion to the text, and memory within the budget.

Each runs in a process of its own, so that one that does not come back can be ended.
"""

from __future__ import annotations

import pytest

from tests.faults.child import PEAK, run

HOSTILE = {
    "one word": '["word " * 1_000_000]',
    "two words in turn": '["tick tock " * 500_000]',
    "one word, then another": '["a " * 500_000 + "b " * 500_000]',
    "a long period": '[" ".join(f"w{i % 997}" for i in range(1_000_000))]',
    "a period that drifts": '[" ".join(f"w{i % 50 + i // 5000}" for i in range(1_000_000))]',
    "the same document": '[" ".join(f"w{i}" for i in range(1000))] * 1000',
    "one line": '["the same short line as before\\\\n" * 160_000]',
    "blank lines": '["\\\\n" * 4_000_000, " " * 4_000_000]',
    "nothing but marks": '["." * 4_000_000]',
    "one word without an end": '["x" * 4_000_000] * 2',
}


@pytest.mark.parametrize("texts", HOSTILE.values(), ids=HOSTILE)
def test_time_grows_with_the_text_alone(texts: str) -> None:
    """A quadratic step over a million words would take hours; each of these takes a second or two."""
    program = f"""
    import lookalike as la
    texts = {texts}
    assert len(la.drop_repeated_passages(texts, words=50)) == len(texts)
    assert len(la.drop_repeated_parts(texts, by="line")) == len(texts)
    """
    run(program, limit=180.0)


def test_what_does_not_fit_the_memory_is_kept_in_files() -> None:
    """Some 14 million words, of which a tenth are repeated: 110 MB of hashes, and 200 MB of keys, within 32 MB."""
    program = f"""
    import random, tempfile
    from lookalike import _native, Recipe
    from lookalike.recipe import settings
    {PEAK.replace(chr(10), chr(10) + "    ")}
    def texts(number):
        drawn = random.Random(number % 180)
        return [drawn.randbytes(40_000).hex(" ", 2) for _ in range(4)]
    with tempfile.TemporaryDirectory() as folder:
        repeats = _native.Repeats(settings(Recipe()), by="passage", least=8, secret=1, memory=32 << 20, folder=folder)
        texts(0)
        base = peak()
        for number in range(200):
            repeats.add(texts(number), 1)
        repeats.find()
        cut = 0
        for number in range(200):
            given = texts(number)
            offsets, data, cuts = repeats.cut(given, 1)
            cut += sum(map(len, given)) - len(data)
        print(peak() - base, cut)
    """
    used, cut = map(int, run(program, limit=180.0).split())
    assert cut > 20 * 4 * 90_000
    assert used < 100 << 20
