"""The native readers of Parquet and JSON Lines, beside pyarrow and Python's own json."""

from __future__ import annotations

import gzip
import json
import random
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lookalike._native import TableError, TableFile

CODECS = ["none", "snappy", "gzip", "zstd", "lz4", "brotli"]
TEXTS = ["one", "", "Grüße 🐝", "zwei\n", 'a "quoted" one', "x" * 3000, None, "one"] * 40


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


class Content:
    """What a reader found, each row once: (row, text, id), and what is skipped."""

    def __init__(self, table: TableFile, column_id: str | None, threads: int, text: str = "text") -> None:
        self.documents: list[tuple[int, str, Any]] = []
        self.skipped: list[tuple[int, str, Any]] = []
        self.rows = 0
        chunks = table.read(text, column_id, threads)
        assert [chunk[0] for chunk in chunks] == sorted({chunk[0] for chunk in chunks})
        for _, rows, places, texts, ids, skipped in chunks:
            own = [None] * len(texts) if ids is None else ids
            self.documents += zip((self.rows + place for place in places), texts, own, strict=True)
            self.skipped += [(self.rows + row, reason, skipped_id) for row, reason, _, skipped_id in skipped]
            self.rows += rows
        wanted = [(number, list(range(number % 3, len(texts), 3))) for number, _, _, texts, _, _ in chunks]
        again = table.fetch(text, column_id, [(number, some) for number, some in wanted if some], threads)
        by_number = {number: texts for number, _, _, texts, _, _ in chunks}
        expected = [(number, i, by_number[number][i]) for number, some in wanted for i in some]
        assert again == expected

    @property
    def texts(self) -> list[str]:
        return [text for _, text, _ in self.documents]

    @property
    def ids(self) -> list[Any]:
        return [own for _, _, own in self.documents]


def parquet(table: pa.Table, **options: Any) -> TableFile:
    pq.write_table(table, "x.parquet", **options)
    return TableFile.open("x.parquet", "parquet")


def lines(content: bytes | str, compression: str | None = None) -> TableFile:
    data = content.encode() if isinstance(content, str) else content
    if compression == "gz":
        data = gzip.compress(data, 1)
    elif compression == "zst":
        data = bytes(pa.compress(data, "zstd"))
    Path("x.jsonl").write_bytes(data)
    return TableFile.open("x.jsonl", "jsonl", compression)


def fails(table: TableFile, column_id: str | None = None) -> TableError:
    with pytest.raises(TableError) as caught:
        table.read("text", column_id, 2)
    return caught.value


def same(found: Content, values: list[Any], ids: list[Any]) -> None:
    present = [i for i, value in enumerate(values) if value is not None]
    assert found.documents == [(i, values[i], ids[i]) for i in present]
    assert found.skipped == [(i, "null text", ids[i]) for i, value in enumerate(values) if value is None]
    assert found.rows == len(values)


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("dictionary", [True, False])
@pytest.mark.parametrize("groups", [7, 1000])
def test_every_codec_page_and_number_of_row_groups(codec: str, version: str, dictionary: bool, groups: int) -> None:
    ids = list(range(len(TEXTS)))
    table = parquet(
        pa.table({"id": ids, "text": TEXTS}),
        compression=codec,
        data_page_version=version,
        use_dictionary=dictionary,
        row_group_size=groups,
        data_page_size=1000,
    )
    assert table.rows() == len(TEXTS)
    assert table.columns() == [("id", "integer"), ("text", "text")]
    for threads in (1, 3):
        same(Content(table, "id", threads), TEXTS, ids)


@pytest.mark.parametrize("encoding", ["PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_every_encoding(encoding: str, version: str) -> None:
    ids = [f"d{i}" for i in range(len(TEXTS))]
    options: dict[str, Any] = {"use_dictionary": False, "data_page_version": version}
    kinds = {"text": encoding, "id": encoding}
    table = parquet(pa.table({"id": ids, "text": TEXTS}), column_encoding=kinds, **options)
    if encoding == "DELTA_BYTE_ARRAY":  # a text that is a change of another is copied: the decoder knows no limit
        assert fails(table, "id").kind == "needs fallback"
    else:
        same(Content(table, "id", 2), TEXTS, ids)


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary()])
@pytest.mark.parametrize("required", [True, False])
def test_every_type_of_text(kind: pa.DataType, required: bool) -> None:
    texts = [text or "" for text in TEXTS] if required else TEXTS
    values = [None if text is None else text.encode() for text in texts] if "binary" in str(kind) else texts
    schema = pa.schema([pa.field("text", kind, nullable=not required)])
    table = parquet(pa.table([pa.array(values, kind)], schema=schema))
    assert table.columns() == [("text", "bytes" if "binary" in str(kind) else "text")]
    same(Content(table, None, 2), texts, [None] * len(texts))
    found = Content(table, "text", 2)  # the texts may be their own ids
    assert found.ids == found.texts


@pytest.mark.parametrize(
    ("kind", "shown"),
    [
        (pa.int8(), "integer"),
        (pa.int32(), "integer"),
        (pa.int64(), "integer"),
        (pa.uint32(), "integer"),
        (pa.uint64(), "other"),
        (pa.float64(), "other"),
        (pa.date32(), "other"),
        (pa.timestamp("us"), "other"),
        (pa.decimal128(5, 0), "other"),
        (pa.list_(pa.int64()), "other"),
        (pa.struct([("a", pa.int64())]), "other"),
        (pa.null(), "null"),
        (pa.bool_(), "other"),
    ],
)
def test_ids_are_whole_numbers_or_left_to_others(kind: pa.DataType, shown: str) -> None:
    values: list[Any] = [2**32 - 1 if kind == pa.uint32() else 7]
    values = values if shown == "integer" else [None]
    table = parquet(pa.table({"list": pa.array([[1]]), "id": pa.array(values, kind), "text": ["a"]}))
    assert table.columns()[1] == ("id", shown)
    if shown == "integer":
        assert Content(table, "id", 1).ids == values
    else:
        assert fails(table, "id").kind == "needs fallback"


def test_bytes_that_are_no_text_are_skipped() -> None:
    table = parquet(pa.table({"id": ["a", "b", "c", "d"], "text": [b"one", b"\xff", None, "é".encode()]}))
    found = Content(table, "id", 1)
    assert found.documents == [(0, "one", "a"), (3, "é", "d")]
    assert found.skipped == [(1, "not text", "b"), (2, "null text", "c")]


def test_a_document_without_an_id_is_named() -> None:
    texts = [f"text {i}" for i in range(3000)]
    ids = [None if i == 2500 else i for i in range(3000)]
    error = fails(parquet(pa.table({"id": ids, "text": texts}), row_group_size=1000), "id")
    assert (error.kind, error.line) == ("missing id", 2500)
    assert str(error) == "row 2501 has no id"


def test_columns_that_are_not_there_or_twice() -> None:
    table = parquet(pa.table([pa.array(["a"]), pa.array(["b"])], names=["x", "x"]))
    with pytest.raises(TableError, match="there is no column"):
        table.read("text", None, 1)
    with pytest.raises(TableError, match="more than one column"):
        table.read("x", None, 1)
    assert table.columns() == [("x", "text"), ("x", "text")]


def test_a_dictionary_bomb_takes_no_room() -> None:
    value = "y" * 1_000_000
    bomb = pa.DictionaryArray.from_arrays(pa.array([0] * 100_000, pa.int32()), pa.array([value]))
    table = parquet(pa.table({"text": bomb}), dictionary_pagesize_limit=1 << 24)
    assert Path("x.parquet").stat().st_size < 1 << 20
    assert table.fetch("text", None, [(0, [0, 1]), (99_990, [3])], 1) == [
        (0, 0, value),
        (0, 1, value),
        (99_990, 3, value),
    ]


def test_files_that_are_no_tables() -> None:
    for content in (b"", b"PAR1", b"PAR1PAR1", b"hello world, this is no table", b"PAR1" + b"\xff" * 20 + b"PAR1"):
        Path("x.parquet").write_bytes(content)
        with pytest.raises(TableError) as caught:
            TableFile.open("x.parquet", "parquet")
        assert caught.value.kind == "unreadable"
    with pytest.raises(TableError) as caught:
        TableFile.open("none.parquet", "parquet")
    assert (caught.value.kind, caught.value.errno) == ("io", 2)


def outcome(data: bytes) -> list[tuple[int, str, Any]] | None:
    """Read damaged data; None for an error."""
    Path("x.parquet").write_bytes(data)
    try:
        return Content(TableFile.open("x.parquet", "parquet"), "id", 2).documents
    except TableError:
        return None


@pytest.mark.parametrize("codec", ["none", "snappy", "zstd", "gzip", "lz4"])
def test_damage_is_seen_where_there_is_a_checksum(codec: str) -> None:
    rng = random.Random(codec)
    texts = [" ".join(rng.choices(["alpha", "beta", "gamma", "delta"], k=30)) for _ in range(300)]
    parquet(pa.table({"id": range(300), "text": texts}), compression=codec, write_page_checksum=True)
    data = Path("x.parquet").read_bytes()
    right = outcome(data)
    assert right is not None
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    for _ in range(60):
        assert outcome(data[: rng.randrange(len(data))]) is None
        damaged = bytearray(data)
        place = rng.randrange(len(data))
        damaged[place] ^= 1 << rng.randrange(8)
        found = outcome(bytes(damaged))
        # Pages have checksums; their headers and the end of the file have none, but what they say has to fit together.
        assert found in (None, right) or place >= footer or found == by_arrow(bytes(damaged))


def by_arrow(data: bytes) -> list[tuple[int, Any, Any]]:
    table = pq.read_table(pa.BufferReader(data), page_checksum_verification=True)
    return list(zip(range(table.num_rows), table["text"].to_pylist(), table["id"].to_pylist(), strict=True))


JSON_LINES = """{"id": 1, "text": "one", "n": [1, {"a": null}]}

{"text": "zwei \\ud83d\\ude00 \\ud800", "id": 2, "id": 22}
{"id": 3, "text": null}
{"id": 4}
{"n": NaN, "id": 5, "text": "Grüße\\n"}"""


@pytest.mark.parametrize("compression", [None, "gz", "zst"])
@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_lines(compression: str | None, end: str) -> None:
    content = JSON_LINES.replace("\n", end) if end == "\r\n" else JSON_LINES
    table = lines(content + end, compression)
    assert table.rows() is None
    assert table.columns() == [("id", "integer"), ("text", "text"), ("n", "other")]
    found = Content(table, "id", 2)
    assert found.documents == [(0, "one", 1), (2, "zwei 😀 \ufffd", 22), (5, "Grüße\n", 5)]
    assert found.skipped == [(3, "null text", 3), (4, "null text", 4)]
    assert found.rows == 6


@pytest.mark.parametrize("compression", [None, "gz", "zst"])
def test_files_without_rows(compression: str | None) -> None:
    for content in ("", "\n", " \n\t\r\n"):
        found = Content(lines(content, compression), "id", 2)
        assert (found.documents, found.skipped, found.rows) == ([], [], content.count("\n"))
    Path("x.jsonl").write_bytes(b"")
    assert TableFile.open("x.jsonl", "jsonl", compression).read("text", None, 2) == []
    table = parquet(pa.table({"text": pa.array([], pa.string())}))
    assert (table.rows(), table.read("text", None, 2)) == (0, [])


def test_kinds_of_fields() -> None:
    table = lines('{"a": 1, "b": null, "c": "x", "d": 1}\n{"a": 2, "b": null, "d": "x", "e": 1e3}\n')
    kinds = [("a", "integer"), ("b", "null"), ("c", "text"), ("d", "mixed"), ("e", "other")]
    assert table.columns() == kinds
    assert lines("").columns() == []


@pytest.mark.parametrize("compression", [None, "gz", "zst"])
def test_many_lines_and_long_ones(compression: str | None) -> None:
    rng = random.Random(7)
    texts = ["".join(rng.choices('ab "\\\né🐝', k=rng.randrange(400))) for _ in range(20_000)]
    texts[77] = "long " * 500_000
    content = "".join(
        json.dumps({"text": text, "id": f"d{i}"}, ensure_ascii=bool(i % 2)) + "\n" for i, text in enumerate(texts)
    )
    table = lines(content, compression)
    for threads in (1, 3):
        found = Content(table, "id", threads)
        assert found.texts == texts
        assert found.ids == [f"d{i}" for i in range(len(texts))]


def test_a_mark_of_bytes_is_refused() -> None:
    assert fails(lines('\ufeff{"text": "a"}')).kind == "needs fallback"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('{"text": "a"}\n[1]\n', (1, "not an object", 0)),
        ('{"text": "a"}\n\n{"text": "b"} {}\n', (2, "malformed", 14)),
        ('{"text": "a", }', (0, "malformed", 14)),
        ('{"text": "ä\tb"}', (0, "malformed", 11)),
        ('{"text": "a", "n": [1', (0, "cut off", 21)),
        ('{"text": 5}', (0, "other text", "a number")),
        ('{"text": "a", "n": ' + "[" * 600 + "]" * 600 + "}", (0, "deep", 518)),
        ('{"text": "a", "n": ' + "9" * 5000 + "}", (0, "long number", 5019)),
    ],
)
def test_lines_that_are_skipped(content: str, expected: tuple[int, str, Any]) -> None:
    ((_, _, _, _, _, skipped),) = lines(content).read("text", None, 1)
    assert skipped == [(*expected, None)]


@pytest.mark.parametrize(("compression", "codec"), [("gz", "gzip"), ("zst", "zstd")])
def test_compressed_files_that_are_damaged(compression: str, codec: str) -> None:
    content = "".join(json.dumps({"text": f"text {i * 7919}"}) + "\n" for i in range(20_000))
    lines(content, compression)
    data = Path("x.jsonl").read_bytes()
    rng = random.Random(compression)
    right = [f"text {i * 7919}" for i in range(20_000)]
    for cut in (1, 8, len(data) // 2, len(data) - 1):
        Path("x.jsonl").write_bytes(data[:cut])
        error = fails(TableFile.open("x.jsonl", "jsonl", compression))
        assert (error.kind, str(error)) == ("truncated", f"the {codec} data ends too early: the file is truncated")
    Path("x.jsonl").write_bytes(data + b"not a frame")
    assert fails(TableFile.open("x.jsonl", "jsonl", compression)).kind == "damaged"
    for _ in range(20):
        flipped = bytearray(data)
        flipped[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        Path("x.jsonl").write_bytes(flipped)
        try:
            found = Content(TableFile.open("x.jsonl", "jsonl", compression), None, 1).texts
        except TableError:
            continue
        assert found == right or compression == "zst"  # whose frames have no checksum here


PIECES = re.split(
    r"\|",
    '"text"|"te\\u0078t"|"id"|:|,|{|}|[|]|"a"|"é🐝"|"\\ud83d\\ude00"|"\\ud83d"|"\\udc00\\n"|"\\/\\b"|"\\x"|"\\u12"|null|true|'
    'NaN|-Infinity|1|-0|01|1.5|1E+|12345678901234567890|""| |\t|\r|\x0b|\\|"|\x00|"\x01"|-',
)


def by_python(line: bytes) -> tuple[str, str | None]:
    """Say what becomes of a line, as lookalike.documents.json_lines decides it."""
    if not line.strip():
        return "blank", None
    try:
        value = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError:
        return "not utf-8", None
    except ValueError:
        return "bad", None
    if not isinstance(value, dict):
        return "bad", None
    text = value.get("text")
    if isinstance(text, str):
        return "text", re.sub("[\ud800-\udfff]", "\ufffd", text)
    return ("null text" if text is None else "other text"), None


def natively(line: bytes) -> tuple[str, str | None]:
    try:
        chunks = lines(line).read("text", None, 1)
    except TableError as error:
        return error.kind, None
    if not chunks or not (chunks[0][3] or chunks[0][5]):
        return "blank", None
    _, _, _, texts, _, skipped = chunks[0]
    if texts:
        return "text", texts[0]
    reason = skipped[0][1]
    return ("bad" if reason in ("malformed", "cut off", "not an object") else reason), None


def test_a_line_means_what_it_means_to_python() -> None:
    rng = random.Random(3)
    seen = set()
    for _ in range(1000):
        piece = "".join(rng.choices(PIECES, k=rng.randint(1, 4)))
        line = bytearray((piece if rng.random() < 0.3 else f'{{"text": {piece}}}').encode())
        if rng.random() < 0.2:
            line[rng.randrange(len(line))] = rng.choice(b'\xff"{}:a')
        assert natively(bytes(line)) == by_python(bytes(line)), line
        seen.add(by_python(bytes(line))[0])
    assert seen == {"blank", "not utf-8", "bad", "text", "null text", "other text"}
