"""How time and memory are measured here, and how a measurement is kept."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import resource
import subprocess
import sys
import time
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = [
    "RECORDS",
    "ROOT",
    "Rss",
    "best_of",
    "circumstances",
    "headline",
    "is_quick",
    "own_environment",
    "print_table",
    "record_path",
    "run_module",
    "seconds_of",
    "usual_environment",
    "write_record",
]

ROOT: Final = Path(__file__).parents[1]
RECORDS: Final = ROOT / "benchmarks" / "records"
BUSY: Final = 0.7
"""A load from which on times are not to be trusted."""


def is_quick() -> bool:
    """Tell whether QUICK=1 asks for small collections: to see that all works, not to measure."""
    return os.environ.get("QUICK", "") not in ("", "0")


# -- time -------------------------------------------------------------------------------------------------------------


def seconds_of(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def best_of(rounds: int, works: Mapping[str, Callable[[], object]], *, patience: float = 2.0) -> dict[str, float]:
    """Return the best time of each work, in seconds.

    All are done once in each round, so that a busy or throttled moment of the machine meets every work alike and
    ratios between them stay fair. The best time is the one with the least interference. A work that has already taken
    `patience` seconds is not done again: long ones vary less, and the whole should end soon.
    """
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            if sum(times[name]) < patience:
                times[name].append(seconds_of(work))
    return {name: min(taken) for name, taken in times.items()}


# -- memory -----------------------------------------------------------------------------------------------------------


class Rss:
    """The resident memory of this process, in bytes."""

    @staticmethod
    def now() -> int:
        """Return what is resident."""
        return _status("VmRSS") or _most_by_getrusage()

    @staticmethod
    def peak() -> int:
        """Return the most that was resident."""
        # Not getrusage on Linux: there a child starts with the peak of the process that started it.
        return _status("VmHWM") or _most_by_getrusage()

    @staticmethod
    def forget_peak() -> None:
        """Let `peak` count from here on, where the system can."""
        with contextlib.suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def _status(field: str) -> int:
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(field + ":")), 0)


def _most_by_getrusage() -> int:
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


_PYTHON: Final = ("PYTHONPATH", "PYTHONHOME", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "VIRTUAL_ENV")


def usual_environment() -> dict[str, str]:
    """Return the environment without what changes Python: a program that must compile all it imports starts slowly."""
    return {name: value for name, value in os.environ.items() if name not in _PYTHON}


def own_environment() -> dict[str, str]:
    """Return the usual environment, with the lookalike of this checkout, whatever else is installed."""
    return usual_environment() | {"PYTHONPATH": str(ROOT / "src")}


def run_module(module: str, *arguments: str) -> dict[str, Any]:
    """Run a module of this folder in a process of its own and return the JSON object that it prints."""
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT, env=own_environment())
    found: dict[str, Any] = json.loads(done.stdout)
    return found


# -- what is kept -----------------------------------------------------------------------------------------------------


def circumstances() -> dict[str, Any]:
    """Return when, where and with what a measurement was made."""
    names = ("lookalike", "pyarrow", "xxhash", "datasketch", "numpy")
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": _commit(),
        "quick": is_quick(),
        "machine": {
            "cpu": _cpu(),
            "cores": os.cpu_count(),
            "load": [round(load, 2) for load in os.getloadavg()],
            "system": platform.platform(),
        },
        "versions": {"python": platform.python_version(), **{name: _version(name) for name in names}},
    }


def headline(record: Mapping[str, Any]) -> str:
    """Return the circumstances in a line, and a warning if other work was going on."""
    machine, versions = record["machine"], record["versions"]
    line = f"lookalike {versions['lookalike']} ({record['commit']}) · {machine['cpu']}, {machine['cores']} cores"
    line += f" · Python {versions['python']}"
    load = machine["load"][0]
    return line if load < BUSY else f"{line} · the machine is busy (load {load:.1f}): speeds are too low"


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


_NOT_MEASURED: Final = (":(exclude)benchmarks/records", ":(exclude)*.md")


def _commit() -> str:
    """Return the commit, with a + if files differ from it; unknown if another lookalike than this one is measured.

    Records and pages do not count: a measurement writes them itself, and the next one is still of the same commit.
    """
    import lookalike

    if not Path(lookalike.__file__).is_relative_to(ROOT):
        return "unknown"

    def git(*words: str) -> str:
        command = ["git", "-c", "safe.directory=*", "-C", str(ROOT), *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    try:
        return git("rev-parse", "--short=12", "HEAD") + "+" * bool(
            git("status", "--porcelain", "--", ".", *_NOT_MEASURED)
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def record_path(name: str) -> Path:
    """Return where a measurement is kept: records/NAME-latest.json; a quick one, which says little, out of the way."""
    return ROOT / "benchmarks" / ".cache" / f"{name}-quick.json" if is_quick() else RECORDS / f"{name}-latest.json"


def write_record(name: str, content: Mapping[str, Any]) -> Path:
    """Keep a measurement."""
    path = record_path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def print_table(title: str, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table: the first column to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(headers, *rows, strict=True)]
    print(f"\n{title}")
    for row in (headers, *rows):
        first, *others = (cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        print("  " + "  ".join((row[0].ljust(len(first)), *others)))
