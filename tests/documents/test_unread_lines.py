"""Lines of which no row can be made are handed out byte for byte, and never held as a whole."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING

import pytest

from lookalike import DocumentError
from lookalike.documents import Limits, open_paths
from lookalike.documents.text_tables import UnreadLines
from tests.documents.reading import documents

if TYPE_CHECKING:
    from pathlib import Path

MEBIBYTE = 1 << 20
PORTION = b"word" * (MEBIBYTE // 4)
LONG = 96 * MEBIBYTE
AROUND = {
    "x.jsonl": (b'{"id": 1, "text": "a b"}\n', b'{"id": 2, "text": "', b'"}\n', b'{"id": 3, "text": "c d"}'),
    "x.json": (b'[{"id": 1, "text": "a b"},\n', b'{"id": 2, "text": "', b'"}', b' , {"id": 3, "text": "c d"}]'),
    "x.csv": (b"id,text\n1,a b\n", b'2,"', b'"\n', b"3,c d\n"),
}


@pytest.mark.parametrize("name", AROUND)
def test_a_long_line_goes_through_in_portions(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    before, start, end, after = AROUND[name]
    with path.open("wb") as file:
        file.write(before + start)
        file.writelines([PORTION] * (LONG // MEBIBYTE))
        file.write(end + after)
    source = open_paths([path], limits=Limits(document=MEBIBYTE))
    assert list(documents(source).values()) == ["a b", "c d"]
    total, first, last = 0, b"", b""

    def take(data: bytes | bytearray) -> None:
        nonlocal total, first, last
        assert len(data) < LONG // 4
        total += len(data)
        first = first or bytes(data[: len(start)])
        last = (last + data)[-len(end) - 1 :]

    unread = UnreadLines(take)
    tracemalloc.start()
    try:
        source.write_unread(unread)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < LONG // 2
    line = start.rstrip(), end.rstrip() + b"\n"
    assert unread.count == 1
    assert total == len(start) + LONG + len(line[1])
    assert first == start
    assert last.endswith(line[1])


def test_a_file_that_has_changed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"text": "a b"}\nbroken\n')
    source = open_paths([path])
    documents(source)
    path.write_bytes(b'{"text": "a b"}\nbroken\nbroken\n')
    with pytest.raises(DocumentError, match="has changed since it was read"):
        source.write_unread(UnreadLines(lambda _: None))


def test_a_row_of_csv_after_one_that_ends_just_beyond_the_limit_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    for more in range(12):
        path.write_bytes(b"id,text\n1,a\n2," + b"b" * (30 + more) + b"\n3,c,\n4,d\n")
        source = open_paths([path], limits=Limits(document=36))
        lines: list[bytes | bytearray] = []
        assert {"1", "4"} <= documents(source).keys()
        source.write_unread(UnreadLines(lines.append))
        assert len(documents(source)) + b"".join(lines).count(b"\n") == 4
