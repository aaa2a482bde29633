"""A bucket of the object store, with the texts that the tests put into it."""

from __future__ import annotations

import io
import json
import random
from typing import Any

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq

__all__ = ["Bucket", "jsonl_of", "parquet_of", "rows", "text"]


def text(seed: int) -> str:
    """A text of its own for each seed."""
    return " ".join(random.Random(seed).choices([f"word{number}" for number in range(500)], k=120))


def rows(count: int, first: int = 0) -> list[dict[str, Any]]:
    """Rows of which every fifth says the same as the first."""
    return [{"id": f"r{n}", "text": text(0 if n % 5 == 0 else n), "n": n} for n in range(first, first + count)]


def parquet_of(table: list[dict[str, Any]]) -> bytes:
    stream = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(table), stream, row_group_size=7)
    return stream.getvalue()


def jsonl_of(table: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in table)


class Bucket:
    """A bucket, used from the outside: not through lookalike."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.url = f"s3://{name}"
        self._files: Any = fsspec.filesystem("s3", use_listings_cache=False, skip_instance_cache=True)
        if not self._files.exists(name):
            self._files.mkdir(name)

    def put(self, key: str, data: bytes | str) -> str:
        self._files.pipe_file(f"{self.name}/{key}", data.encode() if isinstance(data, str) else data)
        return f"{self.url}/{key}"

    def get(self, key: str) -> bytes:
        found: bytes = self._files.cat_file(f"{self.name}/{key}")
        return found

    def listed(self) -> list[str]:
        return sorted(path.removeprefix(f"{self.name}/") for path in self._files.find(self.name))

    def empty(self) -> None:
        for key in self.listed():
            self._files.rm_file(f"{self.name}/{key}")
