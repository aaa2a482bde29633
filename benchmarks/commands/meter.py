"""Measuring commands as whole processes: rounds in turn, median and spread, answers checked once."""

from __future__ import annotations

import json
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from benchmarks.files import CACHE
from benchmarks.measure import ROOT, own_environment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks.commands.works import Group, Work

__all__ = ["check", "launched", "measure", "run", "summary", "warm"]

LAUNCHER: Final = ROOT / "benchmarks" / "launch.py"
READER: Final = ROOT / "benchmarks" / "read_once.py"
_STAGES: Final = re.compile(r"lookalike: seconds: (.*)")

Run = dict[str, Any]


def program(work: Work) -> list[str]:
    """Return the command with the paths of its programs."""
    python = Path(sys.executable)
    first = [str(python.parent / "lookalike")] if work.program == "lookalike" else [str(python), "-P", str(READER)]
    return [*first, *work.arguments]


def run(work: Work, group: Group, output: Path | None = None, *more: str) -> Run:
    """Run a command once; what it prints goes nowhere, or to a file."""
    command = [*program(work), *more]
    return launched(command, output, limit=group.limit, most=group.most, environment=own_environment())


def launched(
    command: Sequence[str],
    output: Path | None,
    *,
    limit: float,
    most: int,
    environment: Mapping[str, str],
    folder: Path = ROOT,
) -> Run:
    """Run a command in a folder, and return what it took, what it said, and why it failed if it did."""
    with _folder() as name:
        errors = Path(name) / "errors.txt"
        limits = [str(limit), str(most), str(output or "/dev/null"), str(errors)]
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(LAUNCHER), *limits, *command],
            check=True,
            capture_output=True,
            text=True,
            cwd=folder,
            env={**environment, "TMPDIR": name},  # what it writes on its way goes to the same disk
        )
        found: Run = json.loads(done.stdout)
        said = errors.read_text(encoding="utf-8", errors="replace").strip()
    found["said"] = said
    found["why"] = found["stopped"] or (f"ended with {found['code']}: {said[-200:]}" if found["code"] else None)
    return found


def measure(group: Group) -> dict[str, Run]:
    """Run every command of a group once in each round; return what is kept of each.

    A command that failed or was ended is not run again.
    """
    for path in group.paths:
        warm(path)
    runs: dict[str, list[Run]] = {work.key: [] for work in group.works}
    for _ in range(group.rounds):
        for work in group.works:
            had = runs[work.key]
            if not (had and had[-1]["why"]):
                had.append(run(work, group))
    return {work.key: summary(work, runs[work.key]) for work in group.works}


def summary(work: Work, runs: Sequence[Run]) -> Run:
    """Return the median and the spread of the times, the worst of the memory, and what else went on."""
    why = next((one["why"] for one in runs if one["why"]), None)
    times = [one["seconds"] for one in runs]
    return {
        "command": work.shown,
        "documents": work.documents,
        "seconds": None if why else statistics.median(times),
        "spread": None if why else [min(times), max(times)],
        "times": times,
        "cpu_seconds": statistics.median(one["cpu_seconds"] for one in runs),
        "peak": None if why else max(one["peak"] for one in runs),
        "written": max(one["written"] for one in runs),
        "others": statistics.fmean(one["others"] for one in runs),
        "why": why,
    }


def check(group: Group) -> dict[str, Run]:
    """Run, unmeasured, the commands that must agree; return pairs, groups and seconds by stage of each.

    Raises ValueError if two that must print the same pairs do not.
    """
    found: dict[str, Run] = {}
    answers: dict[str, Any] = {}
    for work in group.works:
        if not work.answer:
            continue
        printed, facts = _facts(work, group)
        if printed is None:
            continue  # the rounds will say why
        if answers.setdefault(work.answer, printed) != printed:
            raise ValueError(f"{work.shown} finds other pairs or groups than the command before it")
        found[work.key] = facts
    return found


def _facts(work: Work, group: Group) -> tuple[Any, Run]:
    with _folder() as name:
        output = Path(name) / "answer.json"
        done = run(work, group, output, "--verbose")
        if done["why"]:
            return None, {}
        answer = json.loads(output.read_bytes())
    facts = {"pairs": len(answer["pairs"]), "groups": len(answer["groups"]), "stages": _stages(done["said"])}
    return [answer["pairs"], answer["groups"]], facts


def _stages(said: str) -> dict[str, float]:
    """Return the seconds of each stage, as --verbose tells them."""
    line = _STAGES.search(said)
    parts = [part.rpartition(" ") for part in line[1].split(", ")] if line else []
    return {name: float(seconds) for name, _, seconds in parts}


def _folder() -> tempfile.TemporaryDirectory[str]:
    CACHE.mkdir(exist_ok=True)
    return tempfile.TemporaryDirectory(dir=CACHE)


def warm(path: Path) -> None:
    """Read a file, so that the system has it in memory."""
    with path.open("rb", buffering=0) as file:
        while file.read(1 << 24):
            pass
