"""What the machine can do at most with the same text: how many times as long as that lookalike takes."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import pyarrow.parquet as pq

from benchmarks.engines.protocol import read_texts
from benchmarks.measure import ROOT, best_of, print_table, usual_environment

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["READING", "READING_ONLY", "measure_limits", "show_limits"]

READING: Final = "reading and decoding Parquet"
READING_ONLY: Final = "a program that only reads it"


def measure_limits(path: Path, rounds: int) -> dict[str, float]:
    """Return the seconds of a copy in memory, of xxh3 and of reading the file, each over all the text.

    The file is read in this process, which has memory for it from the first round on, and by processes of their own,
    as the engines are.
    """
    import xxhash

    text = "".join(read_texts(str(path))).encode()
    source = memoryview(text)
    target = memoryview(bytearray(len(text)))
    program = [sys.executable, "-m", "benchmarks.read_once", str(path)]
    read = partial(subprocess.run, program, check=True, cwd=ROOT, capture_output=True, env=usual_environment())

    def copy() -> None:
        target[:] = source

    works: dict[str, Callable[[], object]] = {
        "memory copy": copy,
        "xxh3 over the text": lambda: xxhash.xxh3_64_intdigest(text),
        READING: lambda: pq.read_table(path),
        READING_ONLY: read,
    }
    return best_of(rounds, works, patience=5.0)


def show_limits(found: dict[str, Any]) -> None:
    """Print the table."""
    own = found["lookalike_seconds"]
    rows = [
        [name, f"{seconds * 1e3:,.1f}", f"{found['megabytes'] / seconds:,.0f}", f"{own / seconds:,.1f} ×"]
        for name, seconds in found["seconds"].items()
    ]
    title = f"limits: {found['task']}, {found['megabytes']:.1f} MB of text; lookalike takes {own:.2f} s, start included"
    print_table(title, ["", "ms", "MB/s", "lookalike takes"], rows)
