"""Several processes at one index, for some seconds: what each of them does, and what all must see."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

import lookalike as la
from tests.index.batches import SIZE, Journal, Writer, differences, text_of, whole_batches

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.index.zygote import Zygote

__all__ = ["JOBS", "read_beside", "write_through_a_crash"]


def write_batches(where: str, journal: str, number: int, until: float) -> None:
    """Change batches, for some seconds."""
    writer, rng = Writer(Journal(journal), number), random.Random(number)
    with la.Index.open(where, create=False) as index:
        while time.time() < until:
            writer.change(index, rng)


def read_whole(where: str, journal: str, until: float) -> None:
    """Read and query, for some seconds."""
    newest: dict[int, int] = {}
    turns = Journal(journal)
    with la.Index.open(where, create=False) as index:
        while time.time() < until:
            seen = whole_batches(index)
            for writer in {writer for writer, _ in seen}:
                last = max(batch for number, batch in seen if number == writer)
                assert last >= newest.get(writer, -1), "what was there is there no more"
                newest[writer] = last
            for (writer, batch), version in list(seen.items())[-2:]:
                hits = index.query(text_of(writer, batch, version, 0), threads=1)
                assert len(hits) in (0, SIZE), f"{len(hits)} hits of batch {batch}"
            turns.note_turn()


def keep_compacting(where: str, journal: str, until: float) -> None:
    """Compact, for some seconds."""
    turns = Journal(journal)
    with la.Index.open(where, create=False) as index:
        while time.time() < until:
            index.compact()
            turns.note_turn()
            time.sleep(0.02)


def read_beside(folder: Path, zygote: Zygote, where: str, seconds: float, *, compact: bool = True) -> dict[str, int]:
    """Run one writer, four readers and one that compacts; returns how much each did."""
    la.Index.open(where, create=True).close()
    until = time.time() + seconds
    names = ["writer", *(f"reader {number}" for number in range(4)), *(["compactor"] if compact else [])]
    journals = {name: Journal(folder / name) for name in names}
    pids = []
    for name, journal in journals.items():
        job = {"w": "write_batches", "r": "read_whole", "c": "keep_compacting"}[name[0]]
        arguments = {"where": where, "until": until, "journal": journal.path}
        pids.append(zygote.start(job, arguments | ({"number": 0} if name == "writer" else {})))
    statuses = [zygote.wait(pid, seconds + 180) for pid in pids]
    assert statuses == [0] * len(pids), zygote.errors()
    _check(where, [journals["writer"]])
    return {name: journal.acknowledged() for name, journal in journals.items()}


def write_through_a_crash(folder: Path, zygote: Zygote, where: str, seconds: float, crash: Callable[[], None]) -> int:
    """Run four writers, let the server of the index crash in the middle; returns how much was acknowledged."""
    la.Index.open(where, create=True).close()
    journals = [Journal(folder / f"writer {number}") for number in range(4)]
    until = time.time() + seconds
    pids = [
        zygote.start("write_batches", {"where": where, "journal": journal.path, "number": number, "until": until})
        for number, journal in enumerate(journals)
    ]
    while not all(journal.acknowledged() for journal in journals) and time.time() < until + 60:
        time.sleep(0.01)
    time.sleep(seconds / 3)
    crash()
    for pid in pids:
        zygote.wait(pid, seconds + 180)  # some meet the crash, and end with an error
    _check(where, journals)
    return sum(journal.acknowledged() for journal in journals)


def _check(where: str, journals: list[Journal]) -> None:
    with la.Index.open(where, create=False) as index:
        check = index.verify()
        assert check.ok, check.problems
        seen = whole_batches(index)
    for number, journal in enumerate(journals):
        lines = journal.lines()
        problems = differences(number, lines, lines, seen)
        assert not problems, problems


JOBS: dict[str, Callable[..., None]] = {
    "write_batches": write_batches,
    "read_whole": read_whole,
    "keep_compacting": keep_compacting,
}
