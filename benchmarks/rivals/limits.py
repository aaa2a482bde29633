"""What the machine can do at most with the same text: how many times as long as that lookalike takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq

from benchmarks.engines.protocol import read_texts
from benchmarks.measure import best_of, print_table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["measure_limits", "show_limits"]


def measure_limits(path: Path, rounds: int) -> dict[str, float]:
    """Return the seconds of a copy in memory, of xxh3 and of reading the file, each over all the text.

    The file is read in this process, which has memory for it from the first round on. A process that only reads is
    measured beside the command, in benchmarks/commands.
    """
    import xxhash

    text = "".join(read_texts(str(path))).encode()
    source = memoryview(text)
    target = memoryview(bytearray(len(text)))

    def copy() -> None:
        target[:] = source

    works: dict[str, Callable[[], object]] = {
        "memory copy": copy,
        "xxh3 over the text": lambda: xxhash.xxh3_64_intdigest(text),
        "reading and decoding Parquet": lambda: pq.read_table(path),
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
