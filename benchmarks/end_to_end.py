"""From a Parquet file to verified groups: time by stage, memory, recall against the exact join; part of `make bench`.

    python -m benchmarks.end_to_end                 1 k, 10 k and 100 k documents; FULL=1 adds a million
    python -m benchmarks.end_to_end --large         10 million documents within 6 GB: `make bench-large`, hours

Every search runs in a process of its own, from the import of lookalike to the list of groups. So does the reading that
its time is compared with: a process that imports pyarrow, reads the file and ends.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from typing import TYPE_CHECKING, Any, Final

import pyarrow.parquet as pq

from benchmarks import corpus
from benchmarks.measure import circumstances, headline, is_quick, print_table, run_module, write_record
from benchmarks.target_table import growth

if TYPE_CHECKING:
    from pathlib import Path

SIZES: Final = (1_000, 10_000, 100_000)
ROUNDS: Final = 5
THRESHOLD: Final = 0.8
LARGE_BASE, DIALECTS, LARGE_MEMORY = 1_000_000, 10, 6 * 10**9
LETTERS: Final = b"abcdefghijklmnopqrstuvwxyz"


def sizes() -> tuple[int, ...]:
    """Return how many documents are searched."""
    if is_quick():
        return SIZES[:2]
    return (*SIZES, 1_000_000) if os.environ.get("FULL") else SIZES


def measure(path: Path, documents: int) -> dict[str, Any]:
    """Search one collection by bands, and exactly where that ends soon; the best of a few rounds."""
    rounds = ROUNDS if documents <= 100_000 else 1
    reading = min(run_module("benchmarks.read_once", str(path))["seconds"] for _ in range(rounds))
    searches = [run_module("benchmarks.search_once", str(path), "lsh") for _ in range(rounds)]
    found = min(searches, key=lambda search: float(search["seconds"]))
    exact = run_module("benchmarks.search_once", str(path), "exact") if documents <= 100_000 else None
    return {
        "documents": documents,
        "bytes": path.stat().st_size,
        "parquet_seconds": reading,
        **found,
        "recall": found["pairs"] / exact["pairs"] if exact and exact["pairs"] else None,
        "exact_seconds": exact["seconds"] if exact else None,
    }


def report(rows: list[dict[str, Any]]) -> None:
    """Print the table, and how the time per document grows."""
    cells = [
        [
            f"{row['documents']:,}",
            f"{row['seconds']:.2f} s",
            f"{row['seconds'] / row['parquet_seconds']:.1f} ×",
            f"{row['peak'] / 1e6:.0f} MB",
            f"{row['pairs']:,}",
            "-" if row["recall"] is None else f"{row['recall']:.4f}",
            "-" if row["exact_seconds"] is None else f"{row['exact_seconds']:.2f} s",
            " ".join(f"{name} {seconds:.2f}" for name, seconds in row["timings"].items() if seconds >= 0.005),
        ]
        for row in rows
    ]
    headers = ["documents", "whole", "÷ read Parquet", "peak", "pairs", "recall", "exact join", "stages (s)"]
    print_table(f"Parquet on disk → verified groups at {THRESHOLD}, promised recall 0.99", headers, cells)
    per_document = [row["search_seconds"] / row["documents"] for row in rows if row["documents"] >= 10_000]
    if len(per_document) > 1:
        print(f"\n  time per document grows {growth(per_document):.2f} × from 10,000 on (target ≤ 1.3)")


def large_corpus() -> list[Path]:
    """Make ten million documents out of one: each dialect turns the alphabet, so no two share a word.

    What is alike inside a dialect stays alike, and the generator runs once instead of ten times.
    """
    import pyarrow as pa

    base = corpus.parquet(LARGE_BASE)
    folder = corpus.CACHE / f"dialects-{LARGE_BASE}"
    folder.mkdir(exist_ok=True)
    paths = []
    for dialect in range(DIALECTS):
        path = folder / f"dialect-{dialect}.parquet"
        paths.append(path)
        if path.exists():
            continue
        turned = LETTERS[dialect:] + LETTERS[:dialect]
        table = bytes.maketrans(LETTERS + LETTERS.upper(), turned + turned.upper())
        new = path.with_suffix(".new")
        source = pq.ParquetFile(base)
        with pq.ParquetWriter(new, pa.schema({"id": pa.string(), "text": pa.large_string()})) as writer:
            for batch in source.iter_batches(batch_size=20_000):
                ids = [f"{dialect}-{number}" for number in batch.column("id").to_pylist()]
                texts = [str(text).encode().translate(table).decode() for text in batch.column("text").to_pylist()]
                writer.write_table(pa.table({"id": ids, "text": pa.array(texts, pa.large_string())}))
        new.replace(path)
    return paths


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--large", action="store_true", help="ten million documents within 6 GB")
    record = circumstances()
    print(headline(record))
    if parser.parse_args().large:
        paths = large_corpus()
        with tempfile.TemporaryDirectory(dir=corpus.CACHE) as work:
            found = run_module("benchmarks.search_once", *map(str, paths), "lsh", str(LARGE_MEMORY), work)
        rows = [{"documents": LARGE_BASE * DIALECTS, "bytes": sum(p.stat().st_size for p in paths), **found}]
        for name, value in rows[0].items():
            print(f"  {name:15} {value}")
        within = found["peak"] <= LARGE_MEMORY
        print(f"  peak {found['peak'] / 1e9:.2f} GB of {LARGE_MEMORY / 1e9:.0f} GB: {'kept' if within else 'NOT kept'}")
        write_record("large", record | {"command": "make bench-large", "memory": LARGE_MEMORY, "rows": rows})
        sys.exit(0 if within else 1)
    rows = [measure(corpus.parquet(count), count) for count in sizes()]
    report(rows)
    write_record("end-to-end", record | {"command": "make bench", "threshold": THRESHOLD, "rows": rows})


if __name__ == "__main__":
    main()
