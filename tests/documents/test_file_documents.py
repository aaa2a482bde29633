from __future__ import annotations

import bz2
import gzip
import lzma
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from lookalike.documents import Limits, Skipped, open_paths
from lookalike.documents.raw_input import DamagedDataError, RawInput
from tests.documents.reading import documents, reasons
from tests.faults.child import PEAK, run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TEXT = "Der Müller und die größere Brücke. " * 3000


def arrow_codec(codec: str) -> Callable[[bytes], bytes]:
    def compress(data: bytes) -> bytes:
        sink = pa.BufferOutputStream()
        with pa.CompressedOutputStream(sink, codec) as stream:  # type: ignore[arg-type]
            stream.write(data)
        return sink.getvalue().to_pybytes()

    return compress


CODECS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "gz": ("gzip", gzip.compress),
    "bz2": ("bz2", bz2.compress),
    "xz": ("xz", lzma.compress),
    "zst": ("zstd", arrow_codec("zstd")),
    "lz4": ("lz4", arrow_codec("lz4")),
}
each_codec = pytest.mark.parametrize("ending", list(CODECS))


@each_codec
def test_compressed_texts(tmp_path: Path, ending: str) -> None:
    compress = CODECS[ending][1]
    name = f"x.txt.{ending}"
    (tmp_path / name).write_bytes(compress(TEXT.encode()))
    (tmp_path / f"latin.{ending}").write_bytes(compress(TEXT.encode("cp1252")))
    (tmp_path / f"two.md.{ending}").write_bytes(compress(b"one ") + compress(b"two"))
    source = open_paths([tmp_path])
    assert documents(source) == {name: TEXT, f"latin.{ending}": TEXT, f"two.md.{ending}": "one two"}
    assert source.notes() == [f"latin.{ending} read as windows-1252"]
    assert documents(open_paths([tmp_path / name])) == {(tmp_path / name).as_posix(): TEXT}


@each_codec
def test_damaged_archives_are_skipped_and_nothing_else(tmp_path: Path, ending: str) -> None:
    compress = CODECS[ending][1]
    whole = compress(TEXT.encode())
    (tmp_path / f"half.{ending}").write_bytes(whole[: len(whole) // 2])
    (tmp_path / f"nearly.{ending}").write_bytes(whole[:-1])
    (tmp_path / f"fake.{ending}").write_bytes(b"this is not compressed at all")
    (tmp_path / f"after.{ending}").write_bytes(whole + b"garbage after the end")
    (tmp_path / f"nothing.{ending}").write_bytes(compress(b""))
    (tmp_path / f"binary.{ending}").write_bytes(compress(b"a\0b"))
    (tmp_path / "good.txt").write_text("good")
    source = open_paths([tmp_path])
    assert documents(source) == {"good.txt": "good"}
    assert reasons(source) == {
        f"half.{ending}": "unreadable",
        f"nearly.{ending}": "unreadable",
        f"fake.{ending}": "unreadable",
        f"after.{ending}": "unreadable",
        f"nothing.{ending}": "empty",
        f"binary.{ending}": "binary",
    }
    details = {skipped.id: skipped.detail for skipped in source.skipped()}
    assert "ends too early: the file is truncated" in details[f"half.{ending}"]
    assert "is damaged" in details[f"fake.{ending}"]


@each_codec
def test_streams_are_read_in_pieces_of_any_size(tmp_path: Path, ending: str) -> None:
    codec, compress = CODECS[ending]
    path = tmp_path / "x"
    path.write_bytes(compress(TEXT.encode()) + compress(b"tail"))
    with RawInput("x", str(path), codec).open() as stream:
        pieces = iter(lambda: stream.read(777), b"")
        assert b"".join(pieces).decode() == TEXT + "tail"
    path.write_bytes(compress(TEXT.encode())[:-3])
    with RawInput("x", str(path), codec).open() as stream, pytest.raises(DamagedDataError):
        stream.read()


def test_padding_between_xz_streams(tmp_path: Path) -> None:
    (tmp_path / "x.xz").write_bytes(lzma.compress(b"one ") + bytes(8) + lzma.compress(b"two") + bytes(4))
    assert documents(open_paths([tmp_path])) == {"x.xz": "one two"}


@pytest.mark.parametrize("ending", ["gz", "zst", "xz"])
def test_a_decompression_bomb_is_refused_before_it_fills_the_memory(tmp_path: Path, ending: str) -> None:
    nothing_much = b"a" * (100 << 20)
    compress = CODECS[ending][1] if ending != "xz" else lambda data: lzma.compress(data, preset=0)
    (tmp_path / f"bomb.{ending}").write_bytes(compress(nothing_much))
    program = (
        PEAK
        + """
import sys
from lookalike.documents import open_paths
source = open_paths([sys.argv[1]])
print(sum(len(batch) for batch in source.batches()))
print([(skipped.id, skipped.reason) for skipped in source.skipped()])
print(peak() >> 20)
"""
    )
    count, skipped, peak = run(program, str(tmp_path)).splitlines()
    assert (count, skipped) == ("0", f"[('bomb.{ending}', 'too large')]")
    assert int(peak) < 250


def test_a_text_that_packs_well_is_no_bomb(tmp_path: Path) -> None:
    text = "the same line again and again\n" * 100_000
    (tmp_path / "x.gz").write_bytes(gzip.compress(text.encode()))
    assert documents(open_paths([tmp_path])) == {"x.gz": text}


def test_a_binary_file_is_not_read_to_its_end(tmp_path: Path) -> None:
    with (tmp_path / "huge.bin").open("wb") as file:
        file.truncate(1 << 40)  # a tebibyte of nothing
    source = open_paths([tmp_path])
    assert documents(source) == {}
    assert reasons(source) == {"huge.bin": "binary"}


def test_a_text_that_is_too_large_is_named_and_not_read(tmp_path: Path) -> None:
    with (tmp_path / "huge.txt").open("wb") as file:
        file.write(b"text" * 5000)
        file.truncate(5 << 30)
    source = open_paths([tmp_path])
    assert documents(source) == {}
    told = "it is larger than 16 MiB; --max-document SIZE (in Python: Limits(document=...)) allows more"
    assert source.skipped() == [Skipped("huge.txt", "too large", told)]


def test_batches_are_of_a_good_size(tmp_path: Path) -> None:
    for number in range(30):
        (tmp_path / f"{number:02}.txt").write_text("word " * 200_000)
    (tmp_path / "99.txt").write_text("word " * 8_000_000)
    source = open_paths([tmp_path], limits=Limits(document=1 << 26))
    sizes = [batch.texts.nbytes for batch in source.batches()]
    assert sum(sizes) > 69_000_000
    assert max(sizes[:-1]) < 20_000_000
    assert len(sizes) < 10


def test_a_large_text_is_held_a_few_times_at_most(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("größer als viele " * 5_000_000)
    program = (
        PEAK
        + """
import sys
from lookalike.documents import Limits, open_paths
list(open_paths([__import__("lookalike").__file__]).batches())
before = peak()
size = sum(batch.texts.nbytes for batch in open_paths([sys.argv[1]], limits=Limits(document=1 << 27)).batches())
print((peak() - before) / size)
"""
    )
    assert float(run(program, str(tmp_path))) < 3.5
