"""One flipped bit anywhere in the file of an index: it is noticed, or it changes nothing; and it can be mended."""

from __future__ import annotations

import random
import sqlite3
from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING, Any

import lookalike as la
from tests.index.workload import History, contents, small

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["flip_bits"]


class Sample:
    """An index with a tail, segments and removed documents, and what it answers."""

    def __init__(self, folder: Path, seed: int, keep: str = "text") -> None:
        """Make it."""
        path, history, changes = folder / "sample.db", History(seed), 30
        with small(), la.Index.open(path, keep=keep, threshold=0.5) as index:
            number = 0
            while number < changes or index.info()["tail"] < 5 or index.info()["segments"] < 2:
                history.change(number).apply(index)
                number += 1
            self.documents = history.state(number)
            self.ids = list(index)
            removed = {id: text for past in range(number) for id, text in history.state(past).items()}
            past = random.Random(seed).sample(sorted(removed), min(len(removed), 40))
            self.asked = {f"past {id}": removed[id] for id in past} | self.documents
            self.answers = self.ask(index)
        self.data = path.read_bytes()
        with closing(sqlite3.connect(path)) as connection:
            assert connection.execute("SELECT count(*) FROM removed").fetchone()[0] > 0
            self.rows = dict(connection.execute("SELECT id, digest FROM document"))

    def ask(self, index: la.Index) -> list[Any]:
        """Query everything."""
        return [list(hits) for hits in index.query(self.asked, threads=1)]


def flip_bits(folder: Path, flips: int, seed: int, keep: str = "text") -> Counter[str]:
    """Flip so many bits, one at a time; returns what came of it, and fails on a wrong answer that nobody noticed."""
    rng, seen = random.Random(seed), Counter[str]()
    sample = Sample(folder, seed, keep)
    path = folder / "flipped.db"
    for flip in range(flips):
        place = rng.randrange(8 * len(sample.data))
        for old in folder.glob("flipped.db*"):
            old.unlink()
        data = bytearray(sample.data)
        data[place // 8] ^= 1 << place % 8
        path.write_bytes(data)
        said = f"seed {seed}, flip {flip}, bit {place}"
        seen.update({"flips": 1})
        try:
            index = la.Index.open(path, create=False)
        except la.StoreError:
            seen.update(refused=1)
            continue
        with index:
            _look(index, sample, said, seen)
            _mend(index, sample, said, seen, keep)
    return seen


def _look(index: la.Index, sample: Sample, said: str, seen: Counter[str]) -> None:
    try:
        answered: list[Any] | None = sample.ask(index)
        ids: list[Any] | None = list(index)
    except la.StoreError:
        answered = ids = None
    check = index.verify()
    if check.ok:
        seen.update(harmless=1)
        assert answered == sample.answers, f"{said}: other answers, and nobody noticed"
        assert ids == sample.ids, f"{said}: other documents, and nobody noticed"
    elif answered is None:
        seen.update({"an error": 1})
    else:
        seen.update({"verify alone": 1})


def _mend(index: la.Index, sample: Sample, said: str, seen: Counter[str], keep: str) -> None:
    done = index.repair()
    assert done.ok, f"{said}: {done.problems}"
    assert not set(done.lost) - sample.documents.keys(), f"{said}: {done.lost} were never there"
    assert set(index) == sample.documents.keys() - set(done.lost), f"{said}: lost {done.lost}, and more"
    if keep == "text":
        assert contents(index) == {id: text for id, text in sample.documents.items() if id not in done.lost}, said
    gone = set(done.lost)
    expected = [[hit for hit in hits if hit.id not in gone] for hits in sample.answers]
    assert sample.ask(index) == expected, f"{said}: other answers after the repair"
    seen.update({"documents lost": len(gone), f"repairs that lost {min(len(gone), 2)}": 1})
