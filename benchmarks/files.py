"""The files that are measured: made once from seeded generators, then kept in benchmarks/.cache.

    python -m benchmarks.files 100000          # makes that many documents and says where they are

Parquet files have the columns id and text, are compressed with snappy and have row groups of 10,000 documents. A file
is made under another name and renamed when it is complete: a run that was stopped leaves nothing half made.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from benchmarks.corpus import Corpus
from benchmarks.hot import Pages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import pyarrow as pa

    from benchmarks.corpus import Script
    from benchmarks.hot import Hot

__all__ = [
    "CACHE",
    "ROW_GROUP",
    "VERSION",
    "dialects",
    "hot",
    "json_lines",
    "kept",
    "new_documents",
    "parquet",
    "text_files",
    "write_parquet",
]

CACHE: Final = Path(__file__).parent / ".cache"
VERSION: Final = 2
"""Part of the names of kept files: a change of any text or of the layout must raise it."""
ROW_GROUP: Final = 10_000
"""Documents in a row group; also what one process makes at a time."""
LETTERS: Final = b"abcdefghijklmnopqrstuvwxyz"


# -- collections ------------------------------------------------------------------------------------------------------


def parquet(count: int, script: Script = "latin", seed: int = 1, *, folder: Path = CACHE) -> Path:
    """Return a file with the first `count` documents of benchmarks/corpus.py."""
    make = partial(_pages, script=script, seed=seed)
    return kept(folder / f"{script}-v{VERSION}-{seed}-{count}.parquet", lambda path: _write_parts(path, count, make))


def hot(kind: Hot, count: int, *, folder: Path = CACHE) -> Path:
    """Return a file with the first `count` pages of benchmarks/hot.py."""
    make = partial(_hot_pages, kind=kind)
    return kept(folder / f"{kind}-v{VERSION}-{count}.parquet", lambda path: _write_parts(path, count, make))


def new_documents(old: int, count: int = 10, *, folder: Path = CACHE) -> Path:
    """Return a file with documents that come after the first `old` ones: half originals, half copies of any of them."""

    def write(path: Path) -> None:
        corpus = Corpus()
        plans = [corpus.plan(number) for number in range(old, old + 40 * count)]
        copies = [plan.number for plan in plans if plan.source is not None and plan.source < old]
        originals = [plan.number for plan in plans if plan.source is None]
        half = count // 2
        write_parquet(path, [_pages(sorted([*copies[:half], *originals[: count - half]]))])

    return kept(folder / f"new-v{VERSION}-{count}-after-{old}.parquet", write)


def json_lines(source: Path, *, zstd: bool = False) -> Path:
    """Return the same documents as JSON Lines beside the Parquet file."""
    import pyarrow as pa

    def write(path: Path) -> None:
        with pa.CompressedOutputStream(str(path), "zstd") if zstd else path.open("wb") as out:
            for ids, texts in _batches(source):
                rows = ({"id": name, "text": text} for name, text in zip(ids, texts, strict=True))
                out.write("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode())

    return kept(source.with_suffix(".jsonl.zst" if zstd else ".jsonl"), write)


def text_files(source: Path) -> Path:
    """Return the same documents as a folder of text files beside the Parquet file."""

    def write(folder: Path) -> None:
        folder.mkdir()
        for ids, texts in _batches(source):
            for name, text in zip(ids, texts, strict=True):
                (folder / f"{name}.txt").write_text(text, encoding="utf-8")

    return kept(source.with_suffix(""), write)


def dialects(base: int, count: int, *, folder: Path = CACHE) -> list[Path]:
    """Return `count` files of `base` documents each: every dialect turns the alphabet, so no two share a word.

    What is alike inside a dialect stays alike, and the generator runs once instead of `count` times.
    """
    source = parquet(base, folder=folder)
    place = folder / f"dialects-v{VERSION}-{base}"
    return [kept(place / f"dialect-{number}.parquet", partial(_turn, source, number)) for number in range(count)]


def _turn(source: Path, dialect: int, path: Path) -> None:
    import pyarrow as pa

    turned = LETTERS[dialect:] + LETTERS[:dialect]
    table = bytes.maketrans(LETTERS + LETTERS.upper(), turned + turned.upper())
    write_parquet(
        path,
        (
            pa.table(
                {
                    "id": [f"{dialect}-{name}" for name in ids],
                    "text": [text.encode().translate(table).decode() for text in texts],
                }
            )
            for ids, texts in _batches(source)
        ),
    )


# -- reading and writing ----------------------------------------------------------------------------------------------


def write_parquet(path: Path, tables: Iterable[pa.Table]) -> None:
    """Write tables (id, text), each as a row group."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema([("id", pa.string()), ("text", pa.string())])
    # Every text is different: a dictionary would only be tried and given up.
    with pq.ParquetWriter(path, schema, compression="snappy", use_dictionary=False) as writer:
        for table in tables:
            writer.write_table(table, row_group_size=ROW_GROUP)


def kept(path: Path, write: Callable[[Path], None]) -> Path:
    """Return the file or folder, made by `write` if it is not there."""
    if path.exists():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.tmp")  # another run may be making the same file
    try:
        write(unfinished)
        unfinished.replace(path)
    finally:
        if unfinished.is_dir():
            shutil.rmtree(unfinished)
        unfinished.unlink(missing_ok=True)
    return path


def _batches(path: Path) -> Iterator[tuple[list[str], list[str]]]:
    import pyarrow.parquet as pq

    for batch in pq.ParquetFile(path).iter_batches(batch_size=ROW_GROUP):
        columns: list[list[Any]] = [batch.column(name).to_pylist() for name in ("id", "text")]
        yield columns[0], columns[1]


def _write_parts(path: Path, count: int, make: Callable[[range], pa.Table]) -> None:
    parts = [range(start, min(start + ROW_GROUP, count)) for start in range(0, count, ROW_GROUP)]
    if len(parts) < 3:  # a pool costs more than it saves
        write_parquet(path, map(make, parts))
        return
    with ProcessPoolExecutor() as pool:
        write_parquet(path, pool.map(make, parts))


def _pages(numbers: Sequence[int], script: Script = "latin", seed: int = 1) -> pa.Table:
    corpus = Corpus(script, seed)
    return _table(numbers, corpus.text)


def _hot_pages(numbers: Sequence[int], kind: Hot) -> pa.Table:
    return _table(numbers, Pages(kind).text)


def _table(numbers: Sequence[int], text: Callable[[int], str]) -> pa.Table:
    import pyarrow as pa

    return pa.table({"id": [f"d{number:08d}" for number in numbers], "text": [text(number) for number in numbers]})


def main() -> None:
    parser = argparse.ArgumentParser(description="Make a collection of documents to measure with.")
    parser.add_argument("count", type=int, help="number of documents")
    parser.add_argument("--script", choices=("latin", "cjk"), default="latin")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    path = parquet(given.count, given.script, given.seed)
    print(f"{path}  {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
