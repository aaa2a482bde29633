"""Files that are made to fill the memory: documents of a gigabyte, bombs, tables of a million columns.

Each is scanned by the command in a process of its own, whose peak is measured. What fits nowhere is made by holes in
files or by compression, so that nothing large is written to disk.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import tarfile
import zipfile
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.feather as pf
import pyarrow.parquet as pq
import pytest

import lookalike as la
from lookalike.documents import open_paths
from lookalike.documents.columnar_files import unpacked_batches
from lookalike.documents.json_array import TOO_LONG, ArrayError, elements
from lookalike.errors import DocumentError
from tests.faults.child import PEAK, run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Literal, TypeAlias

    Codec: TypeAlias = Literal["lz4", "zstd"]

MEBIBYTE: Final = 1 << 20
MOST: Final = 300
"""Megabytes that a command may take, all in all."""

SCAN: Final = (
    PEAK
    + """
import sys
from lookalike.cli import main
main(sys.argv[1:])
print("peak", peak() // 1_000_000)
"""
)

WORDS: Final = b"a line of words that comes back again and again\n" * 20_000


def scanned(*arguments: str, command: str = "files") -> tuple[str, int]:
    """Run a command; return what it printed and the megabytes that it took."""
    out = run(SCAN, command, *arguments, limit=120)
    said, _, peak = out.rpartition("peak ")
    return said, int(peak)


def sparse(path: Path, start: bytes, end: bytes, fill: bytes = b"\0") -> None:
    """Write a gigabyte: mostly a hole, which takes no room on the disk."""
    with path.open("wb") as file:
        file.write(start)
        if fill != b"\0":
            file.write(fill * (MEBIBYTE // len(fill)))
        file.truncate(1 << 30)
        file.seek(0, 2)
        file.write(end)


def stream_bomb(compress: Callable[[bytes], bytes], part: bytes) -> bytes:
    """Compress 640 MiB: many members, each of which is one small piece of the same bytes."""
    return compress(part * (16 * MEBIBYTE // len(part))) * 40


def parquet_bomb(path: Path, rows: int = 5000) -> None:
    text = "lorem ipsum dolor sit amet " * 37_000
    column = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array([text]))
    pq.write_table(pa.table({"text": column}), path, compression="zstd")
    assert path.stat().st_size < 2000


# -- what is skipped ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("more", [[], ["--memory", "600MB"], ["--memory", "600MB", "--max-document", "2GB"]])
def test_a_text_of_a_gigabyte(tmp_path: Path, more: list[str]) -> None:
    sparse(tmp_path / "big.txt", WORDS, b"the end", b"words ")
    (tmp_path / "a.txt").write_text("a small text beside the large one")
    said, peak = scanned(str(tmp_path), "--format", "json", "--verbose", *more, command="scan")
    assert json.loads(said)["documents"] == 1
    assert peak < MOST


TABLES: Final[dict[str, tuple[bytes, bytes]]] = {
    "x.csv": (b'id,text\n1,a small text\n2,"' + WORDS, b'"\n3,another\n'),
    "x.jsonl": (b'{"id": 1, "text": "a small text"}\n{"id": 2, "text": "', b'"}\n{"id": 3, "text": "another"}\n'),
    "x.json": (b'[{"id": 1, "text": "a small text"}, {"id": 2, "text": "', b'"}, {"id": 3, "text": "another"}]'),
}


@pytest.mark.parametrize("name", sorted(TABLES))
def test_a_field_of_a_gigabyte_is_one_row_that_is_skipped(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    start, end = TABLES[name]
    if name == "x.json":  # which may have no NUL in a text
        path.write_bytes(start + b"words " * (50 * MEBIBYTE) + end)
    else:
        sparse(path, start, end)
    said, peak = scanned(str(path), "--format", "json")
    found = json.loads(said)
    assert [document["id"] for document in found["documents"]] in ([1, 3], ["1", "3"])
    (skipped,) = found["skipped"]
    assert (skipped["id"], skipped["reason"]) == (f"{path.as_posix()}:2", "line too long")
    assert "larger than 16 MiB; --max-document SIZE" in skipped["detail"]
    assert peak < MOST


@pytest.mark.parametrize("ending", ["gz", "bz2", "xz"])
def test_a_compressed_text(tmp_path: Path, ending: str) -> None:
    kinds: dict[str, Callable[[bytes], bytes]] = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}
    compress = kinds[ending]
    (tmp_path / f"bomb.txt.{ending}").write_bytes(stream_bomb(compress, b"words "))
    said, peak = scanned(str(tmp_path), "--format", "json")
    (skipped,) = json.loads(said)["skipped"]
    assert skipped["reason"] == "too large"
    assert peak < MOST


def test_many_long_texts_at_once(tmp_path: Path) -> None:
    for number in range(12):
        (tmp_path / f"{number}.txt").write_text(f"{number:08} wörter 😀 " * (15 * MEBIBYTE // 22))
    said, peak = scanned(str(tmp_path), "--format", "json", command="scan")
    assert json.loads(said)["documents"] == 12
    assert peak < MOST


# -- what is refused ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["gz", "xz"])
@pytest.mark.parametrize("form", ["jsonl", "csv", "json"])
def test_a_compressed_table(tmp_path: Path, form: str, ending: str) -> None:
    words = b"words " * 20_000
    line = {"jsonl": b'{"text": "' + words + b'"}\n', "csv": b"text," + words + b"\n", "json": b" " * 1000}[form]
    compress = gzip.compress if ending == "gz" else lzma.compress
    (tmp_path / f"bomb.{form}.{ending}").write_bytes(stream_bomb(compress, line))
    out, peak = refused(tmp_path / f"bomb.{form}.{ending}")
    assert "expands to more than 200 times its size" in out
    assert "--max-expansion N" in out
    assert peak < MOST


def refused(path: Path, *arguments: str) -> tuple[str, int]:
    """Read a file that must be refused; return what is said, and the megabytes that it took."""
    program = (
        PEAK
        + """
import sys
from pathlib import Path
import lookalike as la
from lookalike.documents import open_paths
try:
    if sys.argv[2:] == ["rows"]:
        print(sum(len(batch) for batch in open_paths([sys.argv[1]]).batches(rows=True)))
    else:
        print(la.find(Path(sys.argv[1])))
except la.DocumentError as error:
    print(error)
print("peak", peak() // 1_000_000)
"""
    )
    out, _, peak = run(program, str(path), *arguments, limit=120).rpartition("peak ")
    return out, int(peak)


@pytest.mark.parametrize("how", [[], ["rows"]])
def test_a_parquet_file_of_600_bytes_with_five_gigabytes(tmp_path: Path, how: list[str]) -> None:
    parquet_bomb(tmp_path / "bomb.parquet")
    out, peak = refused(tmp_path / "bomb.parquet", *how)
    assert "bomb.parquet': file expands to more than 200 times its size" in out
    assert peak < MOST


def test_one_page_of_parquet_that_expands(tmp_path: Path) -> None:
    table = pa.table({"text": pa.array([f"{number:04}" + "a" * MEBIBYTE for number in range(100)])})
    pq.write_table(table, tmp_path / "bomb.parquet", compression="zstd", use_dictionary=False, data_page_size=1 << 30)
    out, peak = refused(tmp_path / "bomb.parquet")
    assert "expands to more than 200 times its size" in out
    assert peak < MOST


@pytest.mark.parametrize("kind", [pa.dictionary(pa.int32(), pa.string()), pa.string_view()], ids=["dictionary", "view"])
def test_an_arrow_file_that_names_one_text_many_times(tmp_path: Path, kind: pa.DataType) -> None:
    text = "lorem ipsum dolor sit amet " * 37_000
    column: pa.Array[Any] = pa.DictionaryArray.from_arrays(pa.array([0] * 1000, pa.int32()), pa.array([text]))
    if kind == pa.string_view():
        view = pa.array([text], kind)
        buffers = view.buffers()
        assert buffers[1] is not None
        views = pa.py_buffer(buffers[1].to_pybytes()[:16] * 1000)
        column = pa.Array.from_buffers(kind, 1000, [None, views, *buffers[2:]])
    with (
        pa.OSFile(str(tmp_path / "bomb.arrow"), "wb") as file,
        pa.ipc.new_file(file, pa.schema([("text", kind)])) as out,
    ):
        out.write_batch(pa.RecordBatch.from_arrays([column], names=["text"]))
    assert (tmp_path / "bomb.arrow").stat().st_size < 2 * MEBIBYTE
    told, peak = refused(tmp_path / "bomb.arrow")
    assert "expands to more than 200 times its size" in told
    assert peak < MOST


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("compression", ["zstd", "lz4"])
def test_one_batch_of_arrow_that_expands(tmp_path: Path, compression: Codec, stream: bool) -> None:
    table = pa.table({"text": pa.array([f"{number:04}" + "a" * MEBIBYTE for number in range(100)])})
    options = pa.ipc.IpcWriteOptions(compression=compression)
    write = pa.ipc.new_stream if stream else pa.ipc.new_file
    with pa.OSFile(str(tmp_path / "bomb.arrow"), "wb") as file, write(file, table.schema, options=options) as out:
        out.write_table(table.slice(0, 2))
        out.write_table(table)
    assert (tmp_path / "bomb.arrow").stat().st_size < MEBIBYTE
    told, peak = refused(tmp_path / "bomb.arrow")
    assert "expands to more than 200 times its size" in told
    assert peak < MOST


@pytest.mark.parametrize("kind", [pa.string(), pa.dictionary(pa.int32(), pa.string())], ids=["plain", "dictionary"])
@pytest.mark.parametrize("compression", ["zstd", "lz4", None])
def test_batches_of_arrow_say_what_they_expand_to(kind: pa.DataType, compression: Codec | None) -> None:
    column = pa.array(["many words " * 1000, "few words"] * 10).cast(kind)
    data = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.ipc.new_file(data, pa.schema([("text", kind)]), options=options) as out:
        out.write_batch(pa.RecordBatch.from_arrays([column], names=["text"]))
    found = list(unpacked_batches(io.BytesIO(data.getvalue())))
    texts = 11_009 if kind != pa.string() else 110_090
    if compression is None:
        assert found == []
    else:
        assert texts < sum(batch.bytes for batch in found) < texts + 500
        assert sum(batch.packed for batch in found) < len(data.getvalue()) < texts
    for end in range(0, len(data.getvalue()), 97):  # whatever is cut off, nothing is raised here
        list(unpacked_batches(io.BytesIO(data.getvalue()[:end])))


def test_three_million_commas(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(b"," * 3_000_000)
    out, peak = refused(tmp_path / "x.csv")
    assert "table has more than 10,000 columns" in out
    assert peak < MOST


@pytest.mark.parametrize("form", ["jsonl", "json", "parquet", "feather"])
def test_a_table_of_too_many_columns(tmp_path: Path, form: str) -> None:
    names = ["text", *(f"column {number}" for number in range(12_000))]
    path = tmp_path / f"x.{form}"
    if form == "jsonl":
        path.write_text(json.dumps(dict.fromkeys(names, "a")) + "\n")
    elif form == "json":
        path.write_text(json.dumps([dict.fromkeys(names, "a")]))
    else:
        write = pq.write_table if form == "parquet" else pf.write_feather
        write(pa.table({name: ["a"] for name in names}), str(path))
    with pytest.raises(DocumentError, match=r"table has more than 10,000 columns"):
        la.find(path)


def test_three_hundred_thousand_fields_are_seen_quickly(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps({"text": "a"} | {f"k{number}": 1 for number in range(300_000)}) + "\n")
    out, peak = refused(path)  # took minutes: each name was compared with all before it
    assert "table has more than 10,000 columns" in out
    assert peak < MOST


# -- the limits themselves ---------------------------------------------------------------------------------------------


def skipped_of(path: Path, limits: la.Limits) -> tuple[list[str], dict[str, str]]:
    source = open_paths([path], limits=limits)
    found = [str(one) for batch in source.batches() for one in batch.ids]
    large = ("too large", "line too long")
    return found, {skipped.id: skipped.detail for skipped in source.skipped() if skipped.reason in large}


def write_rows(path: Path, texts: list[str]) -> None:
    table = pa.table({"id": [f"r{number}" for number in range(len(texts))], "text": texts})
    if path.suffix == ".parquet":
        pq.write_table(table, path)
    elif path.suffix == ".feather":
        pf.write_feather(table, str(path))
    elif path.suffix == ".csv":
        path.write_text("id,text\n" + "".join(f'r{number},"{text}"\n' for number, text in enumerate(texts)))
    elif path.suffix == ".json":
        path.write_text(json.dumps(table.to_pylist()))
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))


@pytest.mark.parametrize("form", ["parquet", "feather", "csv", "json", "jsonl"])
def test_rows_beyond_the_limit_are_skipped_by_every_reader(tmp_path: Path, form: str) -> None:
    path = tmp_path / f"x.{form}"
    write_rows(path, ["one", "x" * 2000, "three", "y" * 900, "z" * 1100])
    found, skipped = skipped_of(path, la.Limits(document=1000))
    assert found == ["r0", "r2", "r3"]
    assert len(skipped) == 2
    assert all("larger than 1 kB; --max-document SIZE" in detail for detail in skipped.values())
    assert skipped_of(path, la.Limits(document=3000)) == (["r0", "r1", "r2", "r3", "r4"], {})


@pytest.mark.parametrize("form", ["parquet", "jsonl"])
def test_the_native_readers_skip_what_the_others_skip(tmp_path: Path, form: str) -> None:
    path = tmp_path / f"x.{form}"
    same = "these are the words of a text that is there twice, and of no other"
    write_rows(path, [same, "x " * 1000, same, "y " * 1200])
    limits = la.Limits(document=1000)
    result = la.find(open_paths([path], limits=limits))
    assert result.pairs.select(["a", "b"]).to_pylist() == [{"a": "r0", "b": "r2"}]
    found, skipped = skipped_of(path, limits)
    assert (found, {one.id: one.detail for one in result.skipped}) == (["r0", "r2"], skipped)


def test_members_of_archives_and_extracted_texts(tmp_path: Path) -> None:
    long = b"words " * 1000
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("long.txt", long)
        archive.writestr("short.txt", b"a short one")
    with tarfile.open(tmp_path / "b.tar", "w") as tar:
        member = tarfile.TarInfo("long.txt")
        member.size = len(long)
        tar.addfile(member, io.BytesIO(long))
    (tmp_path / "c.html").write_bytes(b"<p>" + long)
    (tmp_path / "d.txt").write_bytes(long)
    found, skipped = skipped_of(tmp_path, la.Limits(document=1000))
    assert found == ["a.zip/short.txt"]
    assert sorted(skipped) == ["a.zip/long.txt", "b.tar/long.txt", "c.html", "d.txt"]


def test_an_archive_that_expands(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=1) as tar:
        member = tarfile.TarInfo("long.txt")
        member.size = 300 * MEBIBYTE
        tar.addfile(member, io.BytesIO(bytes(member.size)))
        member = tarfile.TarInfo("short.txt")
        tar.addfile(member)
    (tmp_path / "x.tar.gz").write_bytes(packed.getvalue())
    found, skipped = skipped_of(tmp_path, la.Limits())
    assert found == []
    assert "larger than 16 MiB" in skipped["x.tar.gz/long.txt"]
    assert "expands to more than 200 times its size" in skipped["x.tar.gz"]


def test_a_higher_expansion_is_read(tmp_path: Path) -> None:
    parquet_bomb(tmp_path / "x.parquet", 300)
    with pytest.raises(DocumentError, match=r"--max-expansion N"):
        la.find(tmp_path / "x.parquet")
    result = la.find(open_paths([tmp_path / "x.parquet"], limits=la.Limits(expansion=10**9)))
    assert result.documents == 300


def test_texts_that_a_program_holds_are_not_limited() -> None:
    text = "word " * (4 * MEBIBYTE)
    assert la.find([text, text]).pairs.num_rows == 1
    assert la.find(pa.table({"text": [text, text]})).pairs.num_rows == 1


def test_memory_lowers_the_limit_and_says_so() -> None:
    assert la.Limits().within(None) == la.Limits().within(10**9) == la.Limits()
    lowered = la.Limits(document=10**10).within(600_000_000)
    assert lowered.document < 50_000_000
    assert lowered.too_large("it").endswith(
        "what fits into a memory of 600 MB; give more --memory (in Python: memory=...)"
    )


@pytest.mark.parametrize(
    ("field", "value"), [("document", 0), ("document", 1.5), ("expansion", -1), ("expansion", "9")]
)
def test_limits_are_checked(field: str, value: Any) -> None:
    with pytest.raises(la.RecipeError, match=r"whole number of at least 1"):
        la.Limits(**{field: value})


def test_compare_has_the_limit_too(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_bytes(b"some words " * 1000)
    program = "import sys; from lookalike.cli import main; sys.exit(main(sys.argv[1:]))"
    paths = [str(tmp_path / "a.txt"), str(tmp_path / "b.txt")]
    assert "Jaccard" in run(program, "compare", *paths, "--max-document", "20kB")
    with pytest.raises(AssertionError, match=r"larger than 10 kB: --max-document SIZE"):
        run(program, "compare", *paths, "--max-document", "10kB")


# -- arrays, an element at a time --------------------------------------------------------------------------------------

SAID: Final = r'{"a": "x\\\"y[]{},", "b": [1, {"c": "é"}]}'


@pytest.mark.parametrize("block", [1, 2, 3, 7, 1000])
def test_elements_wherever_the_blocks_end(monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr("lookalike.documents.json_array._BLOCK", block)
    long = [{"text": 'x"\\' * 50 + "\\"}, ["[" * 100], "y" * 120]
    values = [json.loads(SAID), *long, 12345, "z", None, [], {}]
    data = " \n" + json.dumps(values, ensure_ascii=False).replace(", ", " ,\n")
    found = [value for _, _, value in elements(io.BytesIO(data.encode()), 1000)]
    assert found == json.loads(data)
    short = [value for _, _, value in elements(io.BytesIO(data.encode()), 60)]
    assert short == [value if len(json.dumps(value)) <= 60 else TOO_LONG for value in json.loads(data)]


@pytest.mark.parametrize(
    ("data", "number", "why"),
    [
        (b'{"a": 1}', None, "is neither a JSON array"),
        (b'["a", oops]', 1, "Expecting value"),
        (b'["a" "b"]', 1, "a comma or ] is missing"),
        (b'["a"', 1, "a comma or ] is missing"),
        (b'["a", "b', 1, "Unterminated string"),
        (b'["' + b"x" * 100, 0, "it has no end"),
        (b'[["' + b"x" * 100 + b'"', 0, "it has no end"),
        (b'["\xff"]', None, r"is not UTF-8 \(byte 3\)"),
        (b"[" * 5000, 0, "nested too deeply"),
    ],
)
def test_what_is_no_array(data: bytes, number: int | None, why: str) -> None:
    with pytest.raises(ArrayError, match=why) as caught:
        list(elements(io.BytesIO(data), 10_000 if b"[[[" in data else 60))
    assert caught.value.number == number
