"""What `lookalike estimate` says of memory, beside what `lookalike scan` then takes; run by hand.

    python -m benchmarks.estimates                        all collections, without and with --memory
    python -m benchmarks.estimates --only TEXT…           those whose names contain a text; no record is written

The collections are of the kinds that people bring: files of a repository with all their versions, web pages, short
records, a page in thousands of versions, a folder of files; as Parquet shards (zstd, 2,000 rows in a row group), JSON
Lines and CSV. The peak is that of the whole process (benchmarks/launch.py). Memory does not depend on how busy the
machine is, so this can be run beside other work.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import random
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from benchmarks.commands.meter import launched
from benchmarks.corpus import Corpus
from benchmarks.files import CACHE, kept
from benchmarks.hot import Pages
from benchmarks.measure import circumstances, headline, is_quick, own_environment, print_table, write_record

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

__all__ = ["CLOSE", "COLLECTIONS", "Collection", "documents", "measure", "written"]

CLOSE: Final = 0.2
"""How far an estimate may be off, as a share of what was measured."""
SHARDS: Final = 8
GROUP: Final = 2_000
VERSION: Final = 1
"""Part of the names of kept files: a change of any text or of the layout must raise it."""
LIMITS: Final = ("512MiB", "1GiB")
MANY: Final = 25
"""Versions of a document that is changed often."""


@dataclass(frozen=True, slots=True)
class Collection:
    """Documents of one kind in files of one format."""

    kind: str
    """``mixed``, ``pages``, ``records`` or ``versions``."""
    form: str
    """``parquet``, ``jsonl``, ``csv`` or ``txt``."""
    count: int

    @property
    def name(self) -> str:
        """What it is called in the table."""
        return f"{self.kind}-{self.form}"


COLLECTIONS: Final = (
    Collection("mixed", "parquet", 60_000),
    Collection("mixed", "jsonl", 60_000),
    Collection("pages", "parquet", 100_000),
    Collection("pages", "jsonl", 100_000),
    Collection("pages", "csv", 100_000),
    Collection("records", "parquet", 100_000),
    Collection("records", "jsonl", 100_000),
    Collection("versions", "parquet", 10_000),
    Collection("versions", "jsonl", 10_000),
    Collection("mixed", "txt", 5_000),
)

_LENGTHS: Final = {"mixed": (8_000, 1.6, 4_000_000), "pages": (2_500, 0.7, 20_000), "records": (100, 0.4, 400)}
"""Mean length, standard deviation of its logarithm, and the longest, in characters."""


def documents(kind: str, count: int) -> Iterator[str]:
    """Yield texts; one in four is a version of an earlier one, and some have many versions.

    >>> list(documents("records", 50)) == list(documents("records", 50))
    True
    """
    if kind == "versions":
        pages = Pages("edited")
        yield from map(pages.text, range(count))
        return
    rng, writing = random.Random(f"{kind} estimates"), Corpus().writing
    mean, spread, most = _LENGTHS[kind]
    earlier: list[list[str]] = []
    for number in range(count):
        if earlier and number % 4 == 3:
            words = list(earlier[int(rng.random() * len(earlier))])
            for place in range(int(rng.random() * 0.02 * len(words)) + 1):
                words[int(rng.random() * len(words))] = f"edit{number}x{place}"
        else:
            size = min(most, mean * math.exp(spread * rng.gauss() - spread * spread / 2))
            words = writing.words(rng, max(3, round(size / writing.token_bytes)))
        # Few documents to choose from, for long: those have many versions.
        if len(earlier) < max(1, count // (4 * MANY)):
            earlier.append(words)
        elif number % MANY == 0:
            earlier[int(rng.random() * len(earlier))] = words
        yield " ".join(words)


def written(collection: Collection) -> Path:
    """Return the folder with the files, which are made if they are not there."""
    ending = f"{collection.kind}-{collection.form}-{collection.count}-v{VERSION}"
    return kept(CACHE / f"estimates-{ending}", lambda path: _write(path, collection))


def _write(folder: Path, collection: Collection) -> None:
    folder.mkdir()
    texts = documents(collection.kind, collection.count)
    if collection.form == "txt":
        for number, text in enumerate(texts):
            (folder / f"{number:06}.txt").write_text(text, encoding="utf-8")
        return
    share = math.ceil(collection.count / SHARDS)
    rows = ({"id": number, "text": text} for number, text in enumerate(texts))
    for shard in range(SHARDS):
        path = folder / f"part-{shard:02}.{collection.form}"
        own = (row for _, row in zip(range(share), rows, strict=False))
        if collection.form == "parquet":
            _write_parquet(path, own)
        elif collection.form == "jsonl":
            with path.open("w", encoding="utf-8") as file:
                file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in own)
        else:
            with path.open("w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, ["id", "text"])
                writer.writeheader()
                writer.writerows(own)


def _write_parquet(path: Path, rows: Iterator[dict[str, Any]]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns: dict[str, pa.DataType] = {"id": pa.int64(), "text": pa.string()}
    schema = pa.schema(columns)
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        while group := [row for _, row in zip(range(GROUP), rows, strict=False)]:
            writer.write_table(pa.Table.from_pylist(group, schema))


def measure(collection: Collection, memory: str | None = None) -> dict[str, Any]:
    """Return what is estimated of a scan, and what it takes."""
    path = written(collection)
    limit = [] if memory is None else ["--memory", memory]
    estimate = json.loads(_run("estimate", str(path), *limit, "--format", "json")["said_out"])
    told = estimate["most_memory" if collection.kind == "versions" else "memory"]
    found = _run("scan", str(path), *limit, "--quiet")
    return {
        "documents": collection.count,
        "bytes": estimate["bytes"],
        "method": estimate["method"],
        "limit": memory,
        "estimate": told,
        "peak": found["peak"],
        "off": told / found["peak"] - 1,
    }


def _run(*arguments: str) -> dict[str, Any]:
    output = CACHE / "estimates-answer.txt"
    command = [sys.executable, "-P", "-m", "lookalike", *arguments]
    done = launched(command, output, limit=3_600, most=16 << 30, environment=own_environment())
    if done["why"]:
        raise RuntimeError(f"{' '.join(arguments)}: {done['why']}")
    return done | {"said_out": output.read_text(encoding="utf-8")}


def _cells(name: str, one: dict[str, Any]) -> list[str]:
    mega = [f"{one[field] / 1e6:,.0f}" for field in ("bytes", "estimate", "peak")]
    return [name, f"{one['documents']:,}", one["method"], one["limit"] or "—", *mega, f"{one['off']:+.0%}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", nargs="*", default=[], metavar="TEXT", help="collections whose names contain a text")
    parser.add_argument("--limits", nargs="*", default=["", *LIMITS], metavar="SIZE", help="with --memory SIZE, or ''")
    given = parser.parse_args()
    record: dict[str, Any] = circumstances()
    print(headline(record))
    CACHE.mkdir(exist_ok=True)
    found: dict[str, dict[str, Any]] = {}
    for collection in _wanted(given.only):
        for memory in given.limits:
            name = f"{collection.name} {memory}".strip()
            found[name] = measure(collection, memory or None)
            print("  ".join(_cells(name, found[name])), flush=True)
    headers = ["collection", "documents", "method", "limit", "text MB", "estimate MB", "peak MB", "off"]
    print_table("memory", headers, [_cells(name, one) for name, one in found.items()])
    if not given.only:
        content = record | {"command": "python -m benchmarks.estimates", "collections": found}
        print(f"\nkept in {write_record('estimates', content)}")


def _wanted(texts: Sequence[str]) -> list[Collection]:
    every = [Collection(one.kind, one.form, one.count // 20) if is_quick() else one for one in COLLECTIONS]
    return [one for one in every if not texts or any(text in one.name for text in texts)]


if __name__ == "__main__":
    main()
