"""Power loss: what a disk may hold if the machine stops between two of its writes, and whether the index is right then.

A crash image has everything that was synced. Of what was written later, each write is there (40 %), torn at a sector of
512 bytes (20 %) or not there (40 %).
"""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING

import lookalike as la
from tests.index.disk import Disk, Event, on_disk
from tests.index.workload import History, problems_of, small

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["lose_power"]

_SECTOR = 512


def _record(path: Path, history: History, changes: int, synchronous: str, rng: random.Random) -> Disk:
    """Write a history through two handles."""
    with small(), on_disk(synchronous) as disk:
        handles = [la.Index.open(path, create=True), la.Index.open(path, create=False)]
        # Until here nothing was promised: a crash before leaves no file of this name.
        disk.events[:] = [event for event in disk.events if not event.file.startswith(path.name + "-")]
        disk.acknowledge(0)
        for number in range(changes):
            history.change(number).apply(rng.choice(handles))
            disk.acknowledge(number + 1)
            if rng.random() < 0.06:
                rng.choice(handles).compact()
            if rng.random() < 0.12:
                place = rng.randrange(len(handles))
                handles[place].close()
                if rng.random() < 0.25:  # without any handle the log is written back and removed
                    handles[1 - place].close()
                    handles[1 - place] = la.Index.open(path, create=False)
                handles[place] = la.Index.open(path, create=False)
        for index in handles:
            index.close()
    return disk


def _torn(old: bytearray, event: Event, rng: random.Random) -> None:
    """Write some sectors of a write."""
    for start in range(0, len(event.data), _SECTOR):
        if rng.random() < 0.5:
            _write(old, event.place + start, event.data[start : start + _SECTOR])


def _write(file: bytearray, place: int, data: bytes) -> None:
    if len(file) < place:
        file.extend(bytes(place - len(file)))
    file[place : place + len(data)] = data


def _apply(file: bytearray, event: Event) -> None:
    if event.kind == "write":
        _write(file, event.place, event.data)
    elif event.kind == "truncate":
        del file[event.place :]


def _image(durable: dict[str, bytearray], pending: dict[str, list[Event]], rng: random.Random) -> dict[str, bytearray]:
    made = {name: bytearray(data) for name, data in durable.items()}
    for name, events in pending.items():
        file = made.setdefault(name, bytearray())
        for event in events:
            draw = rng.random()
            if draw < 0.4:
                _apply(file, event)
            elif draw < 0.6 and event.kind == "write":
                _torn(file, event, rng)
    return made


def lose_power(folder: Path, images: int, seed: int, synchronous: str = "", changes: int = 60) -> Counter[str]:
    """Write a history, and look at so many crash images of it; returns how many were right, lost or damaged."""
    rng, history = random.Random(seed), History(seed)
    first = folder / "index.db"
    disk = _record(first, history, changes, synchronous, rng)
    begin = next(place for place, event in enumerate(disk.events) if event.kind == "ack")
    chosen = Counter(rng.choices(range(begin, len(disk.events)), k=images))
    created = "index.db.new-"  # the file under the name that it had while it was made
    durable: dict[str, bytearray] = {}
    pending: dict[str, list[Event]] = {}
    seen, acknowledged = Counter[str](), 0
    for place, event in enumerate(disk.events):
        name = event.file
        if name.startswith(created):
            name = "index.db" + ("-wal" if name.endswith("-wal") else "")
        if event.kind == "ack":
            acknowledged = event.place
        elif event.kind == "sync":
            for one in pending.pop(name, []):
                _apply(durable.setdefault(name, bytearray()), one)
        elif event.kind == "delete":
            durable.pop(name, None)
            pending.pop(name, None)
        else:
            pending.setdefault(name, []).append(event)
        if place == begin:  # create_file syncs the file itself, outside SQLite, before it gets its name
            for one in pending.pop("index.db", []):
                _apply(durable.setdefault("index.db", bytearray()), one)
        for number in range(chosen[place]):
            verdict = _judge(folder, _image(durable, pending, rng), history, acknowledged, rng)
            seen.update({"images": 1, verdict.split(":")[0]: 1})
            if not synchronous:
                assert verdict == "right", f"seed {seed}, event {place}, image {number}: {verdict}"
    return seen


def _judge(folder: Path, image: dict[str, bytearray], history: History, acknowledged: int, rng: random.Random) -> str:
    path = folder / "after" / "index.db"
    path.parent.mkdir(exist_ok=True)
    for old in path.parent.iterdir():
        old.unlink()
    for name, data in image.items():
        path.with_name(name).write_bytes(data)
    try:
        _, problems = problems_of(path, history, acknowledged, rng)
    except la.StoreError as error:
        return f"damaged: {error}"
    if problems:
        return f"{'lost' if 'missing' in problems[0] else 'damaged'}: {problems}"
    return "right"
