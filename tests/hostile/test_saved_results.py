"""Saved results that somebody damaged or made up: one clear error, or a result that can be used."""

from __future__ import annotations

import io
import json
import random
import struct
import zipfile
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import lookalike as la
from lookalike.cli import main
from tests.faults.child import PEAK
from tests.faults.child import run as run_child
from tests.hostile.saved import (
    WRONG,
    Parts,
    changed,
    make_folder,
    packed,
    places,
    save_everything,
    unpacked,
    use,
    written,
)

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_folder(tmp_path_factory.mktemp("texts") / "essays")


@pytest.fixture(scope="module")
def original(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Parts]:
    path = tmp_path_factory.mktemp("saved") / "run.lookalike"
    save_everything(folder, path)
    meta, parts = unpacked(path)
    assert all(meta[name] for name in ("audit", "flags", "skipped", "metadata", "origin", "timings", "bands", "skip"))
    assert set(parts) >= {"lengths.arrow", "missed.arrow", "ignored.arrow", "templates.arrow"}
    return meta, parts


def in_short(problem: str) -> str:
    assert "\n" not in problem
    assert len(problem) < 200
    return problem


def outcome(data: bytes, tmp_path: Path) -> str:
    """Load a file and use what it holds; return what was said against it, or nothing."""
    path = tmp_path / "run.lookalike"
    path.write_bytes(data)
    try:
        result = la.Result.load(path)
    except la.DocumentError as error:
        return in_short(error.problem)
    try:
        use(result, tmp_path)
    except la.InternalError:
        raise
    except la.LookalikeError as error:
        return str(error)
    return ""


def test_what_these_tests_change_is_good(original: tuple[dict[str, Any], Parts], tmp_path: Path) -> None:
    assert outcome(packed(*original), tmp_path) == ""


# -- meta.json -------------------------------------------------------------------------------------------------------


def test_no_wrong_value_of_any_field_does_harm(original: tuple[dict[str, Any], Parts], tmp_path: Path) -> None:
    meta, parts = original
    refused = tried = 0
    for place in places({name: value for name, value in meta.items() if name != "parts"}):
        for value in WRONG:
            tried += 1
            refused += bool(outcome(packed(changed(meta, place, value), parts), tmp_path))
    assert tried > 2_000
    assert refused > tried * 0.8


def test_no_field_that_is_missing_or_new_does_harm(original: tuple[dict[str, Any], Parts], tmp_path: Path) -> None:
    meta, parts = original
    may = {
        "authors",
        "flags",
        "limited",
        "metadata",
        "min_words",
        "old_flags",
        "old_skipped",
        "origin",
        "platforms",
        "short_passages",
        "skip",
        "threshold_preset",
    }
    for name in meta.keys() - {"parts"}:
        made = {other: value for other, value in meta.items() if other != name}
        assert bool(outcome(packed(made, parts), tmp_path)) == (name not in may), name
    assert outcome(packed(meta | {"more": {"of": [1]}}, parts), tmp_path) == ""
    for name, inner in (("recall", "promised"), ("audit", "found"), ("audit", "interval")):
        assert "is damaged" in outcome(packed(changed(meta, (name, "more"), 1), parts), tmp_path)
        made = deepcopy(meta)
        del made[name][inner]
        assert "is damaged" in outcome(packed(made, parts), tmp_path)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("timings",), {"reading": "x"}),
        (("timings",), 5),
        (("candidates",), "many"),
        (("candidates",), 1.5),
        (("recall", "promised"), "high"),
        (("recall", "interval"), [0.9, 0.1]),
        (("bands",), [1]),
        (("bands",), [10**6, 10**6]),
        (("bands",), [True, 1]),
        (("documents",), 17.0),
        (("old_from",), True),
        (("limited",), 10**6),
        (("method",), "magic"),
        (("min_words",), 0),
        (("notes",), "abc"),
        (("skipped", 0), ["a", "b"]),
        (("skipped", 0), [1, 2, 3]),
        (("metadata", 0, 0), "nobody.txt"),
        (("metadata", 0, 1), {"date": "yesterday"}),
        (("metadata", 0, 1), {"date": "0001-01-01T00:00+09:00"}),
        (("metadata", 0, 1), {"more": "x"}),
        (("origin", "reading"), {"include": "abc"}),
        (("origin", "reading"), {"hidden": "yes"}),
        (("origin", "paths"), ["a\0b"]),
        (("origin", "paths"), "essays"),
        (("origin", "left_out"), [1]),
        (("audit", "found"), 10**6),
        (("audit", "drawn"), 10**6),
        (("audit",), None),
        (("flags",), {"a": [["kind", "detail"]]}),
        (("short_passages",), 3),
        (("short_passages",), [{"threshold": 0.5, "count": 1}]),
        (("short_passages",), [{"threshold": 0.5, "count": 0, "pairs": [[0, 1, 0.5, 0.5, 0.5]]}]),
        (("short_passages",), [{"threshold": 0.5, "count": 1, "pairs": [[1, 0, 0.5, 0.5, 0.5]]}]),
        (("short_passages",), [{"threshold": 0.5, "count": 1, "pairs": [[0, 10**6, 0.5, 0.5, 0.5]]}]),
        (("short_passages",), [{"threshold": 0.5, "count": 1, "pairs": [[0, 1, 1.5, 0.5, 0.5]]}]),
    ],
    ids=str,
)
def test_fields_of_wrong_types_are_damage(
    original: tuple[dict[str, Any], Parts], tmp_path: Path, place: tuple[Any, ...], value: Any
) -> None:
    meta, parts = original
    assert "is damaged" in outcome(packed(changed(meta, place, value), parts), tmp_path)


def test_json_that_is_none(original: tuple[dict[str, Any], Parts], tmp_path: Path) -> None:
    meta, parts = original
    whole = json.dumps(meta)
    for text in (
        "",
        "[" * 100_000,
        '{"format": "lookalike-result/3", "x": ' + '{"a":' * 50_000 + "1" + "}" * 50_000 + "}",
        whole[:-1],
        whole + "x",
        whole.replace('"documents": ', '"documents": 9' + "0" * 5_000),
        whole.replace('"candidates": ', '"candidates": NaN, "x": '),
        "null",
        "5",
    ):
        assert outcome(written(text, parts), tmp_path), text[:80]


def test_parts_that_are_listed_wrongly(original: tuple[dict[str, Any], Parts], tmp_path: Path) -> None:
    meta, parts = original
    packed_meta = json.loads(zipfile.ZipFile(io.BytesIO(packed(meta, parts))).read("meta.json"))
    told = packed_meta["parts"]
    for value in WRONG:
        for made in (
            value,
            told | {"ids.arrow": value},
            told | {"more.arrow": value},
            told | {"../x": told["ids.arrow"]},
        ):
            assert outcome(written(json.dumps(meta | {"parts": made}), parts), tmp_path)
        for field in ("bytes", "sha256"):
            made = told | {"ids.arrow": told["ids.arrow"] | {field: value}}
            assert outcome(written(json.dumps(meta | {"parts": made}), parts), tmp_path)
    for name in parts:
        rest = {other: data for other, data in parts.items() if other != name}
        may = name in ("ignored.arrow", "templates.arrow")
        assert bool(outcome(packed(meta, rest), tmp_path)) == (not may), name


# -- the tables ------------------------------------------------------------------------------------------------------


def test_flipped_bytes_behind_right_checksums(original: tuple[dict[str, Any], Parts], tmp_path: Path) -> None:
    meta, parts = original
    rng = random.Random(4)
    for name, data in parts.items():
        for _ in range(30):
            broken = bytearray(data)
            for _ in range(rng.choice((1, 1, 4))):
                broken[rng.randrange(len(data))] = rng.randrange(256)
            outcome(packed(meta, parts | {name: bytes(broken)}), tmp_path)
        for length in (0, 7, 8, 9, len(data) // 2, len(data) - 1):
            outcome(packed(meta, parts | {name: data[:length]}), tmp_path)


def ipc(table: pa.Table, **options: Any) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table)
    return sink.getvalue()


def test_tables_that_are_packed_are_refused(original: tuple[dict[str, Any], Parts], tmp_path: Path) -> None:
    meta, parts = original
    table = pa.ipc.open_file(parts["ids.arrow"]).read_all()
    for compression in ("lz4", "zstd"):
        assert "is packed" in outcome(
            packed(meta, parts | {"ids.arrow": ipc(table, compression=compression)}), tmp_path
        )
    coded = pa.table({"id": table["id"].combine_chunks().dictionary_encode()})
    assert "has other columns" in outcome(packed(meta, parts | {"ids.arrow": ipc(coded)}), tmp_path)


@pytest.mark.parametrize("name", ["ids.arrow", "classes.arrow", "pairs.arrow", "lengths.arrow", "missed.arrow"])
def test_tables_of_other_types(original: tuple[dict[str, Any], Parts], tmp_path: Path, name: str) -> None:
    meta, parts = original
    table = pa.ipc.open_file(parts[name]).read_all()
    rows = table.num_rows
    for kind in (pa.string(), pa.null(), pa.list_(pa.int64()), pa.int8(), pa.binary(), pa.struct([("x", pa.int64())])):
        other = table.set_column(0, table.column_names[0], pa.nulls(rows, kind))
        assert "is damaged" in outcome(packed(meta, parts | {name: ipc(other)}), tmp_path)
    more = table.append_column("more", pa.array(range(rows)))
    assert "is damaged" in outcome(packed(meta, parts | {name: ipc(more)}), tmp_path)
    nothing = table.set_column(0, table.column_names[0], pa.nulls(rows, table.schema.field(0).type))
    if rows:
        assert "is damaged" in outcome(packed(meta, parts | {name: ipc(nothing)}), tmp_path)


# -- the archive -----------------------------------------------------------------------------------------------------


def archive(members: list[tuple[str, bytes]], compression: int = zipfile.ZIP_STORED, comment: bytes = b"") -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", compression) as made:
        for name, data in members:
            made.writestr(zipfile.ZipInfo(name), data, compression)
        made.comment = comment
    return sink.getvalue()


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_archives_of_another_form(original: tuple[dict[str, Any], Parts], tmp_path: Path) -> None:
    meta, parts = original
    with zipfile.ZipFile(io.BytesIO(packed(meta, parts))) as good:
        members = [(name, good.read(name)) for name in good.namelist()]
    assert outcome(archive(members), tmp_path) == ""
    for made in (
        archive([*members, members[1]]),
        archive([*members, ("../../evil.txt", b"x")]),
        archive([*members, *((f"{n}.arrow", b"") for n in range(100))]),
        archive(members, zipfile.ZIP_DEFLATED),
        archive(members, zipfile.ZIP_LZMA),
        archive(members, comment=b"hello"),
        archive(members[1:]),
        archive(members) + b"behind the end",
    ):
        assert outcome(made, tmp_path)


def test_parts_over_each_other(original: tuple[dict[str, Any], Parts], tmp_path: Path) -> None:
    """Eight names for the same bytes of a large file would take eight times its size."""
    meta, parts = original
    data = packed(meta, parts)
    start = data.index(b"PK\1\2")
    end = data.index(b"PK\5\6")
    listed = bytearray(data[start:end])
    place = 0
    first = struct.unpack_from("<I", listed, 42)[0]
    while place < len(listed):
        struct.pack_into("<I", listed, place + 42, first)
        struct.pack_into("<II", listed, place + 20, start - 100, start - 100)
        place += 46 + sum(struct.unpack_from("<3H", listed, place + 28))
    assert "is damaged" in outcome(data[:start] + bytes(listed) + data[end:], tmp_path)


def test_flipped_bytes_of_the_archive(original: tuple[dict[str, Any], Parts], tmp_path: Path) -> None:
    data = packed(*original)
    rng = random.Random(9)
    places = [*range(len(data) - 900, len(data), 3), *(rng.randrange(len(data)) for _ in range(100))]
    for place in places:
        broken = bytearray(data)
        broken[place] ^= 1 << rng.randrange(8)
        outcome(bytes(broken), tmp_path)


# -- sizes -----------------------------------------------------------------------------------------------------------

LOADING = (
    PEAK
    + """
import sys
import pyarrow
import lookalike as la
before = peak()
try:
    la.Result.load(sys.argv[1])
except la.DocumentError as error:
    print((peak() - before) >> 20, error.problem)
"""
)


def test_a_table_that_expands_is_not_unpacked(original: tuple[dict[str, Any], Parts], tmp_path: Path) -> None:
    meta, parts = original
    rows = 64 << 20  # half a gigabyte of zeros
    zeros = pa.Array.from_buffers(pa.int64(), rows, [None, pa.py_buffer(bytes(8 * rows))])
    bomb = ipc(pa.table({"id": zeros}), compression="zstd")
    assert len(bomb) < 1 << 20
    path = tmp_path / "run.lookalike"
    path.write_bytes(packed(meta | {"documents": rows}, parts | {"ids.arrow": bomb}))
    memory, problem = run_child(LOADING, str(path)).split(" ", 1)
    assert "ids.arrow is packed" in problem
    assert int(memory) < 100


def test_a_long_list_of_members_is_not_read(tmp_path: Path) -> None:
    entry = struct.pack("<4s4B4HL2L5H2L", b"PK\1\2", 20, 3, 20, 0, 0, 0, 0, 33, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0) + b"x"
    listed = entry * 600_000
    local = b"PK\3\4" + bytes(26)
    size, offset = len(listed), len(local)
    far = struct.pack("<4sQ2H2I4Q", b"PK\6\6", 44, 45, 45, 0, 0, 600_000, 600_000, size, offset)
    locator = struct.pack("<4sIQI", b"PK\6\7", 0, size + offset, 1)
    for many, more in ((0xFFFF, far + locator), (1, far + locator), (600_000 & 0xFFFF, b"")):
        end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, many, many, size, offset, 0)
        path = tmp_path / "run.lookalike"
        path.write_bytes(local + listed + more + end)
        memory, problem = run_child(LOADING, str(path)).split(" ", 1)
        assert "is not a saved result" in problem
        assert int(memory) < 100


def test_numbers_that_claim_much(original: tuple[dict[str, Any], Parts], tmp_path: Path) -> None:
    meta, parts = original
    path = tmp_path / "run.lookalike"
    path.write_bytes(packed(meta | {"documents": 2**32 - 2}, parts))
    memory, problem = run_child(LOADING, str(path)).split(" ", 1)
    assert "arrow has another length" in problem
    assert int(memory) < 100


# -- the commands ----------------------------------------------------------------------------------------------------


def test_the_commands_say_it_in_one_line(
    original: tuple[dict[str, Any], Parts],
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    meta, parts = original
    rng = random.Random(2)
    every = list(places({name: value for name, value in meta.items() if name != "parts"}))
    for place in rng.sample(every, 40):
        (tmp_path / "run.lookalike").write_bytes(packed(changed(meta, place, rng.choice(WRONG)), parts))
        for command in (
            ["report", "run.lookalike", str(folder), "-o", "report.html", "-q"],
            ["dedupe", "--result", "run.lookalike", "-t", "0.9", "--plan", "plan.csv", "--force", "-q"],
        ):
            code = main(command)
            said = capfd.readouterr().err
            assert code in (0, 2)
            assert "internal error" not in said, (place, said)
            assert said.count("\n") <= 1
