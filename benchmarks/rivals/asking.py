"""Asking one engine one task: a process of its own, its memory watched, its time limited."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from benchmarks.files import CACHE
from benchmarks.launch import tree_memory
from benchmarks.measure import ROOT, usual_environment

if TYPE_CHECKING:
    from benchmarks.engines.protocol import Task
    from benchmarks.rivals.catalogue import Engine

__all__ = ["ask"]

EVERY: Final = 0.1
"""Seconds between two looks at the memory of an engine and its children."""
THREADS: Final = ("RAYON_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
QUIET: Final = {
    "DO_NOT_TRACK": "1",
    "DAFT_ANALYTICS_ENABLED": "0",
    "DAFT_PROGRESS_BAR": "0",
    "HF_HUB_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
}


def ask(engine: Engine, python: Path, task: Task, limit: float) -> dict[str, Any] | str:
    """Return the answer, or why there is none."""
    CACHE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as name:
        work = Path(name)
        question, answer, words = work / "task.json", work / "answer.json", work / "stderr.txt"
        (work / "work").mkdir()
        given = asdict(task) | {"variant": engine.variant, "work": str(work / "work"), "started": time.time()}
        question.write_text(json.dumps(given), encoding="utf-8")
        command = [str(python), "-m", engine.module, str(question), str(answer)]
        with words.open("w", encoding="utf-8") as said:
            process = subprocess.Popen(
                command,
                cwd=ROOT,
                env=_environment(task.threads, work),
                stdout=subprocess.DEVNULL,
                stderr=said,
                start_new_session=True,
            )
            peak = _watch(process, limit)
        if peak is None:
            return f"stopped after {limit:.0f} s"
        if process.returncode or not answer.exists():
            return _reason(words.read_text(encoding="utf-8", errors="replace"), process.returncode)
        found: dict[str, Any] = json.loads(answer.read_text(encoding="utf-8"))
        found["peak"] = max(found["peak"], peak)
        return found


def _environment(threads: int, work: Path) -> dict[str, str]:
    return usual_environment() | QUIET | dict.fromkeys(THREADS, str(threads)) | {"HF_HOME": str(work / "home")}


def _watch(process: subprocess.Popen[bytes], limit: float) -> int | None:
    """Wait for the end; return the most memory that the process and its children had together, or None if too late."""
    end, peak = time.monotonic() + limit, 0
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(min(EVERY, max(0.0, end - time.monotonic())))
            return peak
        peak = max(peak, tree_memory(process.pid))
        if time.monotonic() > end:
            os.killpg(process.pid, signal.SIGKILL)  # the engine's own session, with its children
            process.wait()
            return None


def _reason(text: str, code: int) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return f"ended with {code}: {lines[-1][:160] if lines else 'no message'}"
