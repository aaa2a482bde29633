"""Several processes at one index: what each of them does, and what all must see.

A batch is `SIZE` documents, written in one call and replaced in one call; the texts of a batch say its version. So
whoever sees a part of a batch, or two versions of it, has seen half of a write.
"""

from __future__ import annotations

import os
import signal
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import lookalike as la
from tests.index.workload import contents

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.index.zygote import Zygote

__all__ = ["JOBS", "SIZE", "acknowledged", "contend", "read_beside"]

SIZE = 6
_LIVE = 15
"""Batches of one writer that stay."""


def _text(writer: int, batch: int, version: int, place: int) -> str:
    words = " ".join(f"v{writer}x{batch}x{version}x{number}" for number in range(30))
    return f"{version} {words} {place}"


def _batch(writer: int, batch: int, version: int) -> dict[str, str]:
    return {f"{writer}-{batch}-{place}": _text(writer, batch, version, place) for place in range(SIZE)}


def _say(log: str, *numbers: int) -> None:
    with Path(log).open("a") as file:
        file.write(" ".join(map(str, numbers)) + "\n")


def write_batches(where: str, log: str, writer: int, until: float) -> None:
    """Add batches, replace some, remove old ones, for some seconds; say each after it was done."""
    batch = 0
    with la.Index.open(where, create=False) as index:
        while time.time() < until:
            index.add(_batch(writer, batch, 0), threads=1)
            _say(log, batch, 0)
            if batch % 3 == 0:
                index.replace(_batch(writer, batch, 1), threads=1)
                _say(log, batch, 1)
            if batch >= _LIVE:
                index.remove(list(_batch(writer, batch - _LIVE, 0)))
                _say(log, batch - _LIVE, -1)
            batch += 1


def check_whole(index: la.Index) -> dict[tuple[int, int], int]:
    """Look at one snapshot; returns the version of each batch."""
    found: dict[tuple[int, int], list[int]] = defaultdict(list)
    for id, text in contents(index).items():
        writer, batch, _ = map(int, id.split("-"))
        found[writer, batch].append(int(text.split()[0]))
    for which, versions in found.items():
        assert len(versions) == SIZE, f"{len(versions)} documents of batch {which}"
        assert len(set(versions)) == 1, f"versions {versions} of batch {which}"
    return {which: versions[0] for which, versions in found.items()}


def read_whole(where: str, log: str, until: float) -> None:
    """Read and query, for some seconds."""
    newest: dict[int, int] = {}
    with la.Index.open(where, create=False) as index:
        while time.time() < until:
            seen = check_whole(index)
            for writer in {writer for writer, _ in seen}:
                last = max(batch for one, batch in seen if one == writer)
                assert last >= newest.get(writer, -1), "what was there is there no more"
                newest[writer] = last
            for (writer, batch), version in list(seen.items())[-2:]:
                hits = index.query(_text(writer, batch, version, 0), threads=1)
                assert len(hits) in (0, SIZE), f"{len(hits)} hits of batch {batch}"
            _say(log, len(seen))


def keep_compacting(where: str, log: str, until: float) -> None:
    """Compact, for some seconds."""
    with la.Index.open(where, create=False) as index:
        while time.time() < until:
            index.compact()
            _say(log, 1)
            time.sleep(0.02)


def acknowledged(log: Path) -> dict[int, int]:
    """Return the last version of each batch that a writer has said: -1 for one that was removed."""
    lines = log.read_text().splitlines() if log.exists() else []
    return {int(line.split()[0]): int(line.split()[1]) for line in lines}


def _check_log(log: Path, writer: int, seen: dict[tuple[int, int], int], *, killed: bool) -> int:
    """Compare what a writer said with what is there; one that was killed may have done one thing more."""
    said, differences = acknowledged(log), 0
    there = {batch: version for (one, batch), version in seen.items() if one == writer}
    for batch in said.keys() | there.keys():
        differences += said.get(batch, -1) != there.get(batch, -1)
    assert differences <= killed, f"writer {writer}: said {said}, there are {there}"
    return len(said)


def read_beside(folder: Path, zygote: Zygote, where: str, seconds: float, *, compact: bool = True) -> dict[str, int]:
    """Run one writer, four readers and one that compacts; returns how much each did."""
    la.Index.open(where, create=True).close()
    until = time.time() + seconds
    common = {"where": where, "until": until}
    names = ["writer", *(f"reader {number}" for number in range(4)), *(["compactor"] if compact else [])]
    logs = {name: folder / name for name in names}
    started = []
    for name, log in logs.items():
        job = {"w": "write_batches", "r": "read_whole", "c": "keep_compacting"}[name[0]]
        extra = {"writer": 0} if name == "writer" else {}
        started.append(zygote.start(job, common | extra | {"log": str(log)}))
    assert [zygote.wait(pid) for pid in started] == [0] * len(started)
    with la.Index.open(where, create=False) as index:
        assert index.verify().ok
        _check_log(logs["writer"], 0, check_whole(index), killed=False)
    return {name: len(log.read_text().splitlines()) if log.exists() else 0 for name, log in logs.items()}


def contend(folder: Path, zygote: Zygote, where: str, seconds: float, crash: Callable[[], None] | None = None) -> int:
    """Run four writers, kill one in the middle; returns how many batches were acknowledged."""
    la.Index.open(where, create=True).close()
    until = time.time() + seconds
    logs = [folder / f"writer {number}" for number in range(4)]
    ends = [until + 600, until, until, until]  # the first is killed, however late that is on a busy machine
    pids = [
        zygote.start("write_batches", {"where": where, "log": str(log), "writer": number, "until": end})
        for number, (log, end) in enumerate(zip(logs, ends, strict=True))
    ]
    while not acknowledged(logs[0]) and time.time() < until + 60:
        time.sleep(0.01)
    time.sleep(seconds / 3)
    os.kill(pids[0], signal.SIGKILL)
    if crash is not None:
        crash()
    ended = [zygote.wait(pid) for pid in pids]
    assert ended[0] == -signal.SIGKILL
    assert crash is not None or ended[1:] == [0, 0, 0]
    with la.Index.open(where, create=False) as index:
        check = index.verify()
        assert check.ok, check.problems
        seen = check_whole(index)
    return sum(
        _check_log(log, number, seen, killed=number == 0 or crash is not None) for number, log in enumerate(logs)
    )


JOBS: dict[str, Callable[..., None]] = {
    "write_batches": write_batches,
    "read_whole": read_whole,
    "keep_compacting": keep_compacting,
}
