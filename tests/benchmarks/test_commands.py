"""Whole commands are measured as they are: their time, the memory of all their processes, their failures."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.commands import __main__ as program
from benchmarks.commands import meter
from benchmarks.commands.works import Group, Sizes, Work, groups
from benchmarks.files import CACHE, json_lines, parquet
from benchmarks.measure import record_path

if TYPE_CHECKING:
    from pathlib import Path

GROUP = Group("a test", 2, (), limit=60.0)
linux = pytest.mark.skipif(sys.platform != "linux", reason="children are seen in /proc")


def launch(code: str, *, seconds: float = 30.0, most: int = 10**10) -> dict[str, Any]:
    """Measure a program in Python."""
    limits = [str(seconds), str(most), "/dev/null", "/dev/null"]
    command = [sys.executable, "-I", "-S", str(meter.LAUNCHER), *limits, sys.executable, "-I", "-c", code]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_time_and_memory_are_those_of_the_command() -> None:
    ballast = bytearray(200_000_000)  # what this process has is not counted
    ballast[::4096] = b"x" * len(ballast[::4096])
    small = launch("import time; time.sleep(0.3)")
    assert 0.3 <= small["seconds"] < 5
    assert 5e6 < small["peak"] < 60e6
    assert launch("x = b'x' * 100_000_000")["peak"] - small["peak"] > 90e6
    assert (small["code"], small["stopped"]) == (0, "")


@linux
def test_memory_of_children_is_added() -> None:
    child = "import time; x = b'x' * 100_000_000; time.sleep(0.5)"
    found = launch(f"import subprocess, sys; x = b'x' * 100_000_000; subprocess.run([sys.executable, '-c', {child!r}])")
    assert found["peak"] > 200e6


@linux
def test_a_command_beyond_its_limits_is_ended() -> None:
    late = launch("import time; time.sleep(60)", seconds=0.2)
    assert late["stopped"] == "stopped: it took too long"
    assert late["seconds"] < 10
    large = launch("import time; x = b'x' * 200_000_000; time.sleep(60)", most=10**8)
    assert large["stopped"] in {"stopped at 0.1 GB", "stopped at 0.2 GB"}
    assert large["code"] != 0


def test_commands_take_turns_and_a_failed_one_is_not_run_again(monkeypatch: pytest.MonkeyPatch) -> None:
    works = tuple(Work(key, (), 1) for key in "abc")
    ran = []

    def run(work: Work, _group: Group) -> dict[str, Any]:
        ran.append(work.key)
        took = float(len(ran))
        why = "ended with 1: no" if work.key == "b" else None
        return {"why": why, "seconds": took, "cpu_seconds": took, "peak": len(ran), "written": 0, "others": 0.0}

    monkeypatch.setattr(meter, "run", run)
    found = meter.measure(replace(GROUP, rounds=3, works=works))
    assert "".join(ran) == "abcacac"
    assert (found["a"]["seconds"], found["a"]["spread"], found["a"]["peak"]) == (4.0, [1.0, 6.0], 6)
    assert (found["b"]["seconds"], found["b"]["peak"], found["b"]["why"]) == (None, None, "ended with 1: no")


def test_a_scan_is_measured_and_its_answers_agree(tmp_path: Path) -> None:
    path = parquet(200, folder=tmp_path)
    works = tuple(
        Work(file.suffix, ("scan", str(file), "--format", "json"), 200, answer="same")
        for file in (path, json_lines(path))
    )
    reading = Work("read", (str(path),), 200, program="read")
    group = replace(GROUP, rounds=1, works=(*works, reading), paths=(path,))
    facts, found = meter.check(group), meter.measure(group)
    assert facts[".parquet"]["pairs"] == facts[".jsonl"]["pairs"] > 0
    assert sum(facts[".parquet"]["stages"].values()) > 0
    assert [one["why"] for one in found.values()] == [None] * 3
    assert all(0 < one["seconds"] < 60 and one["peak"] > 10**7 for one in found.values())
    assert found[".parquet"]["command"] == f"lookalike scan {path.name} --format json"


def test_answers_that_differ_stop_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    works = tuple(Work(key, (key,), 1, answer="same") for key in "ab")
    monkeypatch.setattr(meter, "_facts", lambda work, _group: ([work.key], {}))
    with pytest.raises(ValueError, match="lookalike b finds other pairs"):
        meter.check(replace(GROUP, works=works))


def test_a_command_that_fails_says_why() -> None:
    found = meter.run(Work("none", ("scan", "no-such-file.parquet"), 0), GROUP)
    assert "ended with" in found["why"]
    assert "no-such-file.parquet" in found["why"]


def test_what_was_not_measured_now_stays_in_the_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "commands-latest.json"
    monkeypatch.setattr(program, "record_path", lambda name: tmp_path / f"{name}-latest.json")
    old = {"commit": "old", "date": "then"}
    path.write_text(json.dumps({"works": {"a": old, "b": old}}), encoding="utf-8")
    works = program.merged({"commit": "new", "date": "now"}, {"b": {"seconds": 1.0}})["works"]
    assert works == {"a": old, "b": {"seconds": 1.0, "commit": "new", "date": "now"}}


def test_a_quick_run_keeps_its_record_out_of_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUICK", "1")
    assert record_path("commands").parent == CACHE
    assert Sizes.wanted().medium < Sizes().small


def test_every_command_has_a_name_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUICK", "1")
    every = groups(Sizes.wanted(), tmp_path, full=False)
    keys = [work.key for group in every for work in group.works]
    assert len(set(keys)) == len(keys) == 25
    chosen = program.only(every, ["near", "zstd"])
    assert [[work.key for work in group.works] for group in chosen] == [["medium, zstd"], ["near, 512 MiB"]]
