"""Makes the seeds of the fuzz targets that read files: small files of every kind that is read.

Run `python -m fuzz.make_seeds` after a format has changed. What a fuzzer has found stays beside them.
"""

from __future__ import annotations

import gzip
import json
import tempfile
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from fuzz.targets import MEMBERS, OURS, WORK_FILES, base_result, base_work
from tests.hostile import saved, work

ROOT: Final = Path(__file__).parents[1]
RUST: Final = ROOT / "rust" / "fuzz" / "seeds"
PYTHON: Final = ROOT / "fuzz" / "seeds"
TEXTS: Final = ["one two three", "", None, "été 12 日本", "one two four", "the end " * 9]


def main() -> None:
    """Write them all."""
    parquet()
    json_lines()
    marks()
    metadata()
    with tempfile.TemporaryDirectory() as folder:
        saved_result(Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        work_folder(Path(folder))


def put(folder: Path, name: str, data: bytes) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)


def parquet() -> None:
    numbers = list(range(len(TEXTS)))
    table = pa.table({"id": numbers, "text": TEXTS})
    names = pa.table({"id": [f"d{n}" for n in numbers], "text": pa.array(TEXTS, pa.large_string())})
    small = pa.table({"id": pa.array(numbers, pa.uint32()), "text": [text or "" for text in TEXTS]})
    every = pa.table({"text": [b"one", b"\xff", None], "id": pa.array([1, 2, 3], pa.int8()), "x": [[1], [], None]})
    coded: dict[str, Any] = {"use_dictionary": False}
    kinds: dict[str, tuple[pa.Table, dict[str, Any]]] = {
        "plain": (table, coded),
        "dictionary": (names, {}),
        "groups": (table, {"row_group_size": 2}),
        "pages": (table.take([*numbers] * 9), coded | {"data_page_size": 16, "write_batch_size": 4}),
        "v2": (small, {"data_page_version": "2.0", "compression": "zstd"}),
        "delta": (table, coded | {"column_encoding": {"id": "DELTA_BINARY_PACKED", "text": "DELTA_BYTE_ARRAY"}}),
        "lengths": (table, coded | {"column_encoding": {"id": "PLAIN", "text": "DELTA_LENGTH_BYTE_ARRAY"}}),
        "bytes": (every, {}),
        "checked": (table, {"write_page_checksum": True}),
        "indexed": (table, {"write_page_index": True}),
        "empty": (table.slice(0, 0), {}),
    }  # fmt: skip
    kinds |= {codec: (table, {"compression": codec}) for codec in ("snappy", "gzip", "brotli", "lz4", "zstd")}
    usual: dict[str, Any] = {"compression": "none", "store_schema": False, "write_statistics": False}
    for name, (given, options) in kinds.items():
        sink = pa.BufferOutputStream()
        pq.write_table(given, sink, **usual | options)
        put(RUST / "parquet", name, sink.getvalue().to_pybytes())


def json_lines() -> None:
    rows = [{"id": n, "text": text} for n, text in enumerate(TEXTS)]
    plain = "".join(json.dumps(row, ensure_ascii=n % 2 == 0) + "\n" for n, row in enumerate(rows)).encode()
    odd = (
        b'{"text": "a\\u00e9\\ud83d\\ude00\\n", "id": "x", "more": [{"text": 1}, null, true, -1.5e9]}\r\n\n  \t\n'
        b'{"id": 7}\n[]\n{"text": "\xff"}\n{"text": "cut\n{"text": 5, "id": 99999999999999999999}\n'
        b'{"text": "", "text": "b"} x'
    )
    deep = b'{"text": "a", "x": ' + b"[" * 499 + b"]" * 499 + b"}\n" + b'{"x":' * 501 + b"}" * 501
    zipped, framed = gzip.compress(plain, mtime=0), pa.Codec("zstd").compress(plain, asbytes=True)
    frames = {  # the first byte says how the rest is stored, see rust/checks/src/json_lines.rs
        "plain": (0, plain),
        "odd": (0, odd),
        "empty": (0, b""),
        "blank": (0, b"\n \n\r\n"),
        "mark": (0, b"\xef\xbb\xbf" + plain),
        "deep": (0, deep),
        "gzip": (1, zipped),
        "members": (1, zipped * 2),
        "zstd": (2, framed),
        "frames": (2, framed * 2),
        "packed": (3, odd),
        "framed": (4, odd),
    }
    for name, (head, data) in frames.items():
        put(RUST / "json_lines", name, bytes([head]) + data)


def marks() -> None:
    pairs = [{"a": "a.txt", "b": "b.txt", "mark": "checked", "note": "seen"}, {"a": 1, "b": 2, "mark": "not an issue"}]
    good = {"schema": "lookalike-marks/1", "pairs": pairs}
    texts = {
        "good": json.dumps(good),
        "none": json.dumps(good | {"pairs": []}),
        "empty": "",
        "list": "[]",
        "deep": "[" * 999,
    }
    for name, text in texts.items():
        put(PYTHON / "marks", name, text.encode())


def metadata() -> None:
    texts = {
        "comma": "id,name,author,date,label\na.txt,An essay,Ann,2026-03-31,A\nb/a.txt,,Bo,2026-03-31 14:05,\n",
        "semicolon": 'filename;full_name;created_at\na.txt;"x;""y""";2026-03-31 14:05:06 +0100\n',
        "tab": "\ufefffile\tgroup\ttimestamp\nb\\c.txt\t1\t31.03.2026\n",
        "quote": 'id,name\n"a,b\n',
        "dates": "id,date\na,0001-01-01T00:00+09:00\n",
        "columns": "id,id,name,name\na,b,c,d\n,,,\na\n",
    }
    for name, text in texts.items():
        put(PYTHON / "metadata", name, text.encode())


def saved_result(folder: Path) -> None:
    meta, parts = base_result(folder)
    meta["origin"]["paths"] = ["essays"]  # not the name of a folder that is gone
    contents = {"whole file": saved.packed(meta, parts), "meta.json": json.dumps(meta).encode()} | parts
    for head, name in enumerate(MEMBERS):
        put(PYTHON / "saved_result", name.replace(" ", "-"), bytes([head]) + contents[name])


def work_folder(folder: Path) -> None:
    _, good = base_work(folder)
    contents = {name: (good / name).read_bytes() for name in work.FILES}
    contents["manifest.json"] = json.dumps(work.manifest(good) | {"identity": OURS}).encode()
    for head, name in enumerate(WORK_FILES):
        put(PYTHON / "work_folder", name, bytes([head]) + contents[name])


if __name__ == "__main__":
    main()
