"""Batches that show half a write, and journals that show a lost one.

A batch is `SIZE` documents, written in one call and replaced in one call; the texts of a batch name its version. So
whoever sees a part of a batch, or two versions of it, has seen half of a write.

A writer notes each change in its journal before the call and again after it. So the journal tells, whenever the writer
is killed, which versions of a batch may be there: the last that was acknowledged, and those that were begun since.
"""

from __future__ import annotations

import os
from collections import defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple

from tests.index.workload import contents

if TYPE_CHECKING:
    import random
    from pathlib import Path

    import lookalike as la

__all__ = ["SIZE", "Journal", "Line", "Writer", "differences", "text_of", "whole_batches"]

SIZE: Final = 6
_GONE: Final = -1
"""The version of a batch that is not there."""
_STAY: Final = 8
"""Batches of one writer that stay."""
_BEGUN, _DONE, _HANDLES = "?", "!", "#"


def text_of(writer: int, batch: int, version: int, place: int) -> str:
    """Return a text that is like the others of its batch and version, and like no other."""
    words = " ".join(f"v{writer}x{batch}x{version}x{number}" for number in range(30))
    return f"{version} {words} {place}"


def _documents(writer: int, batch: int, version: int) -> dict[str, str]:
    return {f"{writer}-{batch}-{place}": text_of(writer, batch, version, place) for place in range(SIZE)}


class Line(NamedTuple):
    """A line of a journal: a change that was begun or done; or how many handles are open."""

    kind: str
    batch: int
    version: int


class Journal:
    """The file of one writer: what was written is there when the process has been killed."""

    def __init__(self, path: str | Path) -> None:
        """Open it, or make it."""
        self.path = str(path)
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)

    def append(self, kind: str, batch: int, version: int = 0) -> None:
        """Write a line, in one piece."""
        os.write(self._file, f"{kind} {batch} {version}\n".encode())

    def note_handles(self, count: int) -> None:
        """Write how many handles are open from now on."""
        self.append(_HANDLES, count)

    def note_turn(self) -> None:
        """Write that something else was done once more."""
        self.append(_DONE, 0)

    def lines(self) -> list[Line]:
        """Read it; a line that is just being written does not count."""
        text = os.pread(self._file, os.fstat(self._file).st_size, 0).decode()
        parts = [line.split() for line in text.splitlines(keepends=True) if line.endswith("\n")]
        return [Line(kind, int(batch), int(version)) for kind, batch, version in parts]

    def handles(self) -> int:
        """Return how many handles were open last."""
        return next((line.batch for line in reversed(self.lines()) if line.kind == _HANDLES), 0)

    def acknowledged(self) -> int:
        """Return how many changes were acknowledged, or turns done."""
        return sum(line.kind == _DONE for line in self.lines())

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


def _possible(before: list[Line], after: list[Line]) -> dict[int, set[int]]:
    """Return the versions of each batch that a snapshot between two readings of a journal may show."""
    possible: dict[int, set[int]] = {}
    for place, line in enumerate(after):
        if line.kind == _BEGUN:
            possible.setdefault(line.batch, {_GONE}).add(line.version)
        elif line.kind == _DONE and place < len(before):
            possible[line.batch] = {line.version}
    return possible


def differences(writer: int, before: list[Line], after: list[Line], seen: dict[tuple[int, int], int]) -> list[str]:
    """Compare a snapshot with the journal of a writer, read before it and after it; returns what cannot be."""
    possible = _possible(before, after)
    there = {batch: version for (other, batch), version in seen.items() if other == writer}
    return [
        f"batch {batch} of writer {writer}: version {there.get(batch, _GONE)}, not {possible.get(batch, {_GONE})}"
        for batch in sorted(possible.keys() | there.keys())
        if there.get(batch, _GONE) not in possible.get(batch, {_GONE})
    ]


def whole_batches(index: la.Index) -> dict[tuple[int, int], int]:
    """Look at one snapshot; returns the version of each batch, by writer and number, and fails on half a write."""
    versions: dict[tuple[int, int], list[int]] = defaultdict(list)
    for id, text in contents(index).items():
        writer, batch, _ = map(int, id.split("-"))
        versions[writer, batch].append(int(text.split()[0]))
    for which, several in versions.items():
        assert len(several) == SIZE, f"{len(several)} documents of batch {which}"
        assert len(set(several)) == 1, f"versions {several} of batch {which}"
    return {which: several[0] for which, several in versions.items()}


class Writer:
    """Changes batches, one call after the other; a new process continues after what the journal says."""

    def __init__(self, journal: Journal, number: int) -> None:
        """Read what was done before."""
        self.journal, self.number = journal, number
        lines = journal.lines()
        self._next = max((line.batch + 1 for line in lines if line.kind == _BEGUN), default=0)
        # One that was begun and not acknowledged may be there: to replace or remove it is right in either case.
        possible = _possible(lines, lines)
        self._versions = {batch: max(versions) for batch, versions in possible.items() if versions != {_GONE}}

    def change(self, index: la.Index, rng: random.Random) -> None:
        """Add, replace or remove a batch."""
        if len(self._versions) > _STAY:
            self._make(index, min(self._versions), _GONE)
        elif self._versions and rng.random() < 0.4:
            batch = rng.choice(sorted(self._versions))
            self._make(index, batch, self._versions[batch] + 1)
        else:
            self._next += 1
            self._make(index, self._next - 1, 0)

    def _make(self, index: la.Index, batch: int, version: int) -> None:
        self.journal.append(_BEGUN, batch, version)
        documents = _documents(self.number, batch, version)
        if version == _GONE:
            index.remove(list(documents))
            self._versions.pop(batch)
        else:
            (index.replace if version else index.add)(documents, threads=1)
            self._versions[batch] = version
        self.journal.append(_DONE, batch, version)

    def check(self, seen: dict[tuple[int, int], int]) -> None:
        """Fail unless a snapshot shows what this writer has done; it must do nothing meanwhile."""
        lines = self.journal.lines()
        problems = differences(self.number, lines, lines, seen)
        assert not problems, problems
