"""Try for long to make an index or a server lose something: kills, power loss, failing disks, flipped bits, load.

    make torture                 # all of it, about an hour
    make torture SHARE=0.1       # a tenth of it
    python -m benchmarks.torture --part PostgreSQL --part "a server that is killed"

The harnesses are those of the tests, with larger numbers and new seeds; what ran is kept in
benchmarks/records/torture-latest.json.
"""

from __future__ import annotations

import argparse
import json
import platform
import sqlite3
import tempfile
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import apsw

import lookalike
from benchmarks.measure import circumstances
from tests.index import concurrent, flips, kills, power
from tests.index.failing import fail_nth_call
from tests.index.postgres import Server
from tests.index.zygote import Zygote
from tests.server.histories import run_history
from tests.server.load import run_load

if TYPE_CHECKING:
    from collections.abc import Callable

RECORD: Final = Path(__file__).parent / "records" / "torture-latest.json"
_KILLS, _IMAGES, _FLIPS, _SECONDS = 3_000, 20_000, 5_000, 60.0
_AT_ONCE: Final = 250
"""What one index goes through."""
_CONNECTIONS: Final = 64


def _in_parts(total: int, one: Callable[[Path, int, int], Counter[str]], first_seed: int) -> dict[str, Any]:
    """Run something in parts, each with a seed and a folder of its own."""
    seen, seed = Counter[str](), first_seed
    left = total
    while left > 0:
        with tempfile.TemporaryDirectory(prefix="lookalike-torture-") as folder:
            seen += one(Path(folder), min(left, _AT_ONCE), seed)
        left -= _AT_ONCE
        seed += 1
    return {"seeds": [first_seed, seed - 1], **seen}


def _kill(share: float, seed: int) -> dict[str, Any]:
    with Zygote() as zygote:
        found = _in_parts(
            round(share * _KILLS),
            lambda folder, count, own: kills.kill_writers(folder, zygote, count, 10_000 * own),
            seed,
        )
        for job in kills.STEPPED:
            with tempfile.TemporaryDirectory() as folder:
                found[f"steps of {job}"] = kills.kill_at_steps(Path(folder), zygote, job, seed)[job]
    return found


def _power(share: float, seed: int) -> dict[str, Any]:
    return _in_parts(round(share * _IMAGES), power.lose_power, seed)


def _flips(share: float, seed: int) -> dict[str, Any]:
    keeps = ("text", "text", "shingles", "signature")
    return _in_parts(
        round(share * _FLIPS), lambda folder, count, own: flips.flip_bits(folder, count, own, keeps[own % 4]), seed
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
    del seed
    seconds = max(3.0, share * _SECONDS)
    found: dict[str, Any] = {}
    with Zygote() as zygote, tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        done = concurrent.read_beside(place, zygote, str(place / "a.db"), seconds)
        found["one writes, four read, one compacts"] = done
        for log in place.glob("writer*"):
            log.unlink()
        found["four write, one is killed"] = concurrent.contend(place, zygote, str(place / "b.db"), seconds)
    return {"seconds": seconds, **found}


def _server(share: float, seed: int) -> dict[str, Any]:
    del seed
    seconds, server = max(3.0, share * _SECONDS), Server(safe=True)

    def crash() -> None:
        server.stop_at_once()
        server.start()

    found: dict[str, Any] = {"seconds": seconds}
    try:
        for name, action in (("four write, one is killed", None), ("the server stops at once", crash)):
            with Zygote() as zygote, tempfile.TemporaryDirectory() as folder:
                found[name] = concurrent.contend(Path(folder), zygote, server.new_schema(), seconds, action)
    finally:
        server.stop()
    return found


def _history(share: float, seed: int) -> dict[str, Any]:
    """Kill a server while four clients work with it, on a file and on PostgreSQL."""
    seconds, server = max(5.0, share * _SECONDS), Server(safe=True)
    found: dict[str, Any] = {"seeds": [seed, seed], "seconds": seconds}
    try:
        for name in ("SQLite", "PostgreSQL"):
            with tempfile.TemporaryDirectory() as folder:
                where = server.new_schema() if name == "PostgreSQL" else str(Path(folder) / "index.db")
                lookalike.Index.open(where, create=True).close()
                found[name] = dict(run_history(where, Path(folder), seconds, seed))
    finally:
        server.stop()
    return found


def _load(share: float, seed: int) -> dict[str, Any]:
    """Ask a server over 64 connections: nothing fails, and its memory does not grow."""
    with tempfile.TemporaryDirectory() as folder:
        found = run_load(Path(folder), _CONNECTIONS, max(20.0, share * _SECONDS), seed)
    before, after = found["memory MB"]
    if set(found["answers"]) != {"right"} or after > 1.1 * before + 10:
        raise SystemExit(f"answers are not right, or the memory of the server grows: {found}")
    return found


PARTS: Final[dict[str, Callable[[float, int], dict[str, Any]]]] = {
    "kill -9": _kill,
    "power loss": _power,
    "flipped bits": _flips,
    "failing calls": _failing,
    "processes together": _together,
    "PostgreSQL": _server,
    "a server that is killed": _history,
    "a server under load": _load,
}


def main() -> None:
    """Run all parts; the first that fails ends it."""
    parser = argparse.ArgumentParser(description="Try for long to make an index lose something.")
    parser.add_argument("--share", type=float, default=1.0, help="how much of it: 0.1 is a tenth")
    parser.add_argument("--seed", type=int, default=int(time.time()) % 1_000_000)
    parser.add_argument(
        "--part", action="append", choices=list(PARTS), help="only this one; the record keeps the others"
    )
    arguments = parser.parse_args()
    record: dict[str, Any] = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "lookalike": lookalike.__version__,
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "sqlite of apsw": apsw.sqlite_lib_version(),
        "platform": platform.platform(),
        "share": arguments.share,
        "seed": arguments.seed,
        "parts": json.loads(RECORD.read_text(encoding="utf-8"))["parts"] if arguments.part else {},
    }
    for name in arguments.part or PARTS:
        began = time.monotonic()
        found = PARTS[name](arguments.share, arguments.seed)
        about = {"result": "nothing lost", "share": arguments.share, "commit": circumstances()["commit"]}
        record["parts"][name] = {**about, "took": round(time.monotonic() - began, 1), **found}
        print(f"{name}: {record['parts'][name]}", flush=True)
        RECORD.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
