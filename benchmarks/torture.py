"""Try for long to make an index or a server lose something: kills, power loss, failing disks, flipped bits, load.

    make torture                     # all of it, about half an hour
    make torture SHARE=0.1           # a tenth of it
    make torture PART="power loss"   # one part

The harnesses are those of the tests, with larger numbers and new seeds. What ran is kept in
benchmarks/records/torture-latest.json: each part with its commit; a part that runs alone leaves the others there.
"""

from __future__ import annotations

import argparse
import json
import platform
import sqlite3
import sys
import tempfile
import time
import traceback
from collections import Counter
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

import apsw

import lookalike
from benchmarks.measure import circumstances
from tests.index import concurrent, flips, kills, power
from tests.index.failing import fail_nth_call
from tests.index.postgres import Server
from tests.index.zygote import Zygote
from tests.server.commands import Forks
from tests.server.histories import run_history
from tests.server.load import run_load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

RECORD: Final = Path(__file__).parent / "records" / "torture-latest.json"
_KILLS, _SERVER_KILLS, _IMAGES, _FLIPS, _SECONDS = 3_000, 300, 20_000, 5_000, 60.0
_ON_POSTGRES: Final = {"handles": 100, "servers": 60}
"""Kills of processes and of servers that work with PostgreSQL; on SQLite they are all the others."""
_AT_ONCE: Final = 250
"""What one index goes through."""
_CONNECTIONS: Final = 64
_LONGEST: Final = 2_000
"""Letters of an error in the record."""


def _in_parts(
    total: int, part: Callable[[Path, int, int], Counter[str]], seed: int, most: int = _AT_ONCE
) -> dict[str, Any]:
    """Run something in parts, each with a seed and a folder of its own."""
    seen, left, first_seed = Counter[str](), total, seed
    while left > 0:
        with tempfile.TemporaryDirectory(prefix="lookalike-torture-") as folder:
            seen += part(Path(folder), min(left, most), seed)
        left -= most
        seed += 1
    return {"seeds": [first_seed, seed - 1], **seen}


@contextmanager
def _postgres() -> Iterator[Server]:
    server = Server(safe=True)
    try:
        yield server
    finally:
        server.stop()


def _kill(share: float, seed: int) -> dict[str, Any]:
    """Kill processes with several handles, and jobs at each of their steps."""
    on_server = round(share * _ON_POSTGRES["handles"])
    seen: dict[str, Any] = {}
    with Zygote() as zygote:

        def on_files(folder: Path, count: int, seed: int) -> Counter[str]:
            return kills.kill_processes(folder, zygote, lambda: str(folder / f"{uuid4()}.db"), count, seed)

        seen["SQLite"] = _in_parts(round(share * _KILLS) - on_server, on_files, seed)
        with _postgres() as server:
            seen["PostgreSQL"] = _in_parts(
                on_server,
                lambda folder, count, seed: kills.kill_processes(folder, zygote, server.new_schema, count, seed),
                seed,
            )
        for job in kills.STEPPED:
            with tempfile.TemporaryDirectory() as folder:
                seen[f"steps of {job}"] = kills.kill_at_steps(Path(folder), zygote, job, seed)[job]
    return seen


def _kill_servers(share: float, seed: int) -> dict[str, Any]:
    """Kill servers and the commands beside them, on a file and on PostgreSQL."""
    on_server = round(share * _ON_POSTGRES["servers"])
    seen: dict[str, Any] = {}
    with Forks() as forks, _postgres() as server:

        def run(place: Callable[[Path], str]) -> Callable[[Path, int, int], Counter[str]]:
            def part(folder: Path, count: int, seed: int) -> Counter[str]:
                where = place(folder)
                lookalike.Index.open(where, create=True).close()
                return run_history(where, folder, count, seed, forks=forks, servers=1 + seed % 2)

            return part

        on_files = run(lambda folder: str(folder / "index.db"))
        seen["SQLite"] = _in_parts(round(share * _SERVER_KILLS) - on_server, on_files, seed, most=40)
        seen["PostgreSQL"] = _in_parts(on_server, run(lambda _: server.new_schema()), seed, most=15)
    return seen


def _power(share: float, seed: int) -> dict[str, Any]:
    return _in_parts(round(share * _IMAGES), power.lose_power, seed)


def _flips(share: float, seed: int) -> dict[str, Any]:
    keeps = ("text", "text", "shingles", "signature")
    return _in_parts(
        round(share * _FLIPS), lambda folder, count, seed: flips.flip_bits(folder, count, seed, keeps[seed % 4]), seed
    )


def _failing(share: float, seed: int) -> dict[str, Any]:
    step, tried = max(1, round(1 / share / 2)), 0
    with tempfile.TemporaryDirectory() as folder:
        for forever in (False, True):
            for full in (False, True):
                nth = 1
                while fail_nth_call(Path(folder), nth, seed, forever=forever, full=full):
                    tried, nth = tried + 1, nth + step
    return {"seeds": [seed, seed], "calls that failed": tried, "every": step}


def _together(share: float, seed: int) -> dict[str, Any]:
    """Write, read and compact in several processes."""
    del seed
    seconds = max(3.0, share * _SECONDS)
    with Zygote() as zygote, tempfile.TemporaryDirectory() as folder:
        turns = concurrent.read_beside(Path(folder), zygote, str(Path(folder) / "index.db"), seconds)
    return {"seconds": seconds, "turns": turns}


def _crash(share: float, seed: int) -> dict[str, Any]:
    """Stop a PostgreSQL server at once while four processes write, and start it again."""
    del seed
    seconds = max(3.0, share * _SECONDS)
    with _postgres() as server, Zygote() as zygote, tempfile.TemporaryDirectory() as folder:

        def crash() -> None:
            server.stop_at_once()
            server.start()

        changes = concurrent.write_through_a_crash(Path(folder), zygote, server.new_schema(), seconds, crash)
    return {"seconds": seconds, "changes": changes}


def _load(share: float, seed: int) -> dict[str, Any]:
    """Ask a server over 64 connections: nothing fails, and its memory does not grow."""
    with tempfile.TemporaryDirectory() as folder:
        seen = run_load(Path(folder), _CONNECTIONS, max(20.0, share * _SECONDS), seed)
    before, after = seen["memory MB"]
    if set(seen["answers"]) != {"right"} or after > 1.1 * before + 10:
        raise AssertionError(f"answers are not right, or the memory of the server grows: {seen}")
    return seen


PARTS: Final[dict[str, Callable[[float, int], dict[str, Any]]]] = {
    "kill -9": _kill,
    "servers and commands": _kill_servers,
    "power loss": _power,
    "flipped bits": _flips,
    "failing calls": _failing,
    "processes together": _together,
    "PostgreSQL that stops": _crash,
    "a server under load": _load,
}


def main() -> int:
    """Run the parts; returns 1 if anything was lost."""
    parser = argparse.ArgumentParser(description="Try for long to make an index lose something.")
    parser.add_argument("--share", type=float, default=1.0, help="how much of it: 0.1 is a tenth")
    parser.add_argument("--seed", type=int, default=int(time.time()) % 1_000_000)
    parser.add_argument("--part", action="append", choices=list(PARTS), help="only this one; repeatable")
    arguments = parser.parse_args()
    about = {
        "commit": circumstances()["commit"],
        "system": platform.platform(),
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "sqlite of apsw": apsw.sqlite_lib_version(),
        "share": arguments.share,
        "seed": arguments.seed,
    }
    failed = False
    for name in arguments.part or PARTS:
        date, began = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
        try:
            outcome = {"result": "nothing lost", **PARTS[name](arguments.share, arguments.seed)}
        except Exception as error:  # noqa: BLE001 — the other parts are to run all the same
            traceback.print_exc()
            outcome, failed = {"result": f"failed: {str(error)[:_LONGEST]}"}, True
        _record(name, {"date": date, **about, "took": round(time.monotonic() - began, 1), **outcome})
    return int(failed)


def _record(name: str, outcome: dict[str, Any]) -> None:
    """Print what came of a part, and write it into the record; the other parts stay as they are."""
    print(f"{name}: {outcome}", flush=True)
    before = json.loads(RECORD.read_text(encoding="utf-8"))["parts"] if RECORD.exists() else {}
    parts = {part: before.get(part) for part in PARTS} | {name: outcome}
    written = {"parts": {part: entry for part, entry in parts.items() if entry is not None}}
    RECORD.write_text(json.dumps(written, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
