"""How quick an index is, in every store: `python -m benchmarks.index [--server URL]`; FULL=1 adds a million documents.

Documents are added in batches of 50,000, each of which is on the disk when `add` returns; then single queries are asked
one after the other, on one thread, half of them copies of stored documents. A PostgreSQL of our own is started in a
temporary folder, with its usual settings, unless the URL of one is given. `--only STORE` measures one store.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import tempfile
import time
from typing import TYPE_CHECKING, Any, Final

from benchmarks.measure import (
    Rss,
    circumstances,
    headline,
    is_quick,
    print_table,
    record_path,
    run_module,
    write_record,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa

__all__ = ["HEADERS", "TARGETS", "cells", "measured", "verdict"]

BATCH: Final = 50_000
QUERIES: Final = 2_000
STORES: Final = ("memory", "sqlite", "postgres")
TARGETS: Final = {
    "sqlite": {"added": 20_000.0, "p50": 1.0, "p99": 10.0},
    "postgres": {"added": 8_000.0, "p50": 2.0},
}
"""Minimum documents per second, maximum milliseconds; at a million documents."""


def _batches(path: Path, count: int) -> Iterator[pa.RecordBatch]:
    import pyarrow.parquet as pq

    left = count
    for batch in pq.ParquetFile(path).iter_batches(BATCH, columns=["id", "text"]):
        yield batch.slice(0, left)
        left -= len(batch)
        if left <= 0:
            return


def _asked(path: Path, count: int) -> list[str]:
    """Return texts to ask about: stored ones with a word in twenty changed, and new ones."""
    import pyarrow.parquet as pq

    rng = random.Random(7)
    stored = pq.ParquetFile(path).read_row_group(0, columns=["text"]).column("text").to_pylist()
    texts = []
    for number in range(min(count, QUERIES)):
        words = str(stored[number % len(stored)]).split()
        share = 0.05 if number % 2 else 0.9
        texts.append(" ".join(rng.choice(words) + "x" if rng.random() < share else word for word in words))
    return texts


def measured(where: str, count: int) -> dict[str, Any]:
    """Build an index and ask it; the whole of one measurement, in this process."""
    import lookalike as la
    from benchmarks import files

    path = files.parquet(max(count, 10_000) if count <= 100_000 else count)
    seconds = 0.0
    with la.Index.open(where) as index:
        for batch in _batches(path, count):
            start = time.perf_counter()
            index.add(batch)
            seconds += time.perf_counter() - start
        start = time.perf_counter()
        index.compact()
        compacting = time.perf_counter() - start
        texts = _asked(path, count)
        for text in texts[:20]:
            index.query(text, threads=1)
        times, hits = [], 0
        for text in texts:
            start = time.perf_counter()
            hits += len(index.query(text, threads=1))
            times.append(time.perf_counter() - start)
        start = time.perf_counter()
        index.query(texts[:1000])
        together = time.perf_counter() - start
        times.sort()
        return {
            "documents": count,
            "added_per_s": count / seconds,
            "compact_s": compacting,
            "p50_ms": times[len(times) // 2] * 1e3,
            "p99_ms": times[int(len(times) * 0.99)] * 1e3,
            "thousand_s": together * 1000 / len(texts[:1000]),
            "hits": hits,
            "bytes": index.info()["bytes"],
            "peak": Rss.peak(),
        }


def _sizes() -> Sequence[int]:
    if is_quick():
        return (1_000,)
    full = os.environ.get("FULL", "") not in ("", "0")
    return (10_000, 100_000, 1_000_000) if full else (10_000, 100_000)


def _all(server: str | None, stores: Sequence[str], origin: dict[str, str]) -> list[dict[str, Any]]:
    rows = []
    with tempfile.TemporaryDirectory(prefix="lookalike-bench-") as folder:
        for count in _sizes():
            for store in stores:
                where = {"memory": ":memory:", "sqlite": f"{folder}/{count}.db"}.get(store)
                if where is None:
                    if server is None:
                        continue
                    where = f"{server}#bench_{count}_{os.getpid()}"
                row = {"store": store} | origin | run_module("benchmarks.index", "--one", where, str(count))
                rows.append(row)
                print(".", end="", flush=True)
    return rows


def _origin(record: dict[str, Any]) -> dict[str, str]:
    return {"commit": record["commit"], "cpu": record["machine"]["cpu"]}


def _with_others(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Add the rows of the last record that were not measured now; each row says what it was measured with."""
    last = json.loads(record_path("index").read_text(encoding="utf-8"))
    measured_now = {(row["store"], row["documents"]) for row in rows}
    kept = [row for row in last["rows"] if (row["store"], row["documents"]) not in measured_now]
    return sorted(
        (_origin(last) | row for row in [*rows, *kept]),
        key=lambda row: (row["documents"], STORES.index(row["store"])),
    )


def cells(row: dict[str, Any]) -> list[str]:
    """Return a row of the table."""
    return [
        row["store"],
        f"{row['documents']:,}",
        f"{row['added_per_s']:,.0f}",
        f"{row['p50_ms']:.2f}",
        f"{row['p99_ms']:.2f}",
        f"{row['thousand_s']:.3f}",
        f"{row['bytes'] / row['documents']:,.0f}",
        f"{row['peak'] / 1e6:,.0f}",
    ]


HEADERS: Final = (
    "store",
    "documents",
    "added per second",
    "query p50, ms",
    "p99, ms",
    "1,000 at once, s",
    "bytes per document",
    "peak MB",
)


def verdict(row: dict[str, Any]) -> str:
    """Say what a store has to reach, and whether it does."""
    wanted = TARGETS.get(row["store"])
    if wanted is None:
        return ""
    names = {"added": ("added_per_s", "documents per second"), "p50": ("p50_ms", "ms p50"), "p99": ("p99_ms", "ms p99")}
    said = []
    for name, target in wanted.items():
        column, unit = names[name]
        met = row[column] >= target if name == "added" else row[column] <= target
        said.append(f"{'≥' if name == 'added' else '≤'} {target:,.0f} {unit} ({'met' if met else 'NOT MET'})")
    return f"{row['store']}: {', '.join(said)}."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", help="postgresql://… to measure on; default: one is started")
    parser.add_argument("--only", choices=STORES, help="measure one store; the record keeps what it has of others")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(measured(given.one[0], int(given.one[1]))))
        return
    record = circumstances()
    print(headline(record))
    server = given.server
    if server is None:
        from tests.index.postgres import Server

        server = Server(safe=True).url
    rows = _all(server, [given.only] if given.only else STORES, _origin(record))
    print_table("an index", HEADERS, [cells(row) for row in rows])
    if given.only:
        rows = _with_others(rows)
    print(f"kept in {write_record('index', record | {'rows': rows})}")


if __name__ == "__main__":
    main()
