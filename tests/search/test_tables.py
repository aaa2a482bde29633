"""Tables give the same answer, or the same error, whether native readers or those in Python read them."""

from __future__ import annotations

import gzip
import json
import random
import tempfile
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lookalike as la
from lookalike import _native
from lookalike.documents import open_paths
from lookalike.result.describe import texts_of
from tests.search.making import RECIPE, answer, mixed_pages, spilling

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TEXTS: list[str] = mixed_pages(300, seed=12)
SOME: list[str | None] = [None if i % 11 == 4 else text for i, text in enumerate(TEXTS)]

Rows = list[dict[str, Any]]


def rows(texts: list[Any], ids: list[Any] | None = None, **more: Any) -> Rows:
    own = [{}] * len(texts) if ids is None else [{"id": one} for one in ids]
    return [{**one, "text": text, **more} for one, text in zip(own, texts, strict=True)]


def parquet(path: Path, table: Rows | pa.Table, **options: Any) -> Path:
    made = table if isinstance(table, pa.Table) else pa.Table.from_pylist(table)
    pq.write_table(made, path, row_group_size=37, **options)
    return path


def lines(path: Path, table: Rows | bytes) -> Path:
    data = table if isinstance(table, bytes) else b"".join(json.dumps(row).encode() + b"\n" for row in table)
    if path.suffix == ".gz":
        data = gzip.compress(data, 1)
    elif path.suffix == ".zst":
        data = bytes(pa.compress(data, "zstd"))
    path.write_bytes(data)
    return path


def outcome(paths: list[Path], **options: Any) -> Any:
    """Return all that a search says, or its error."""
    try:
        result = la.find(open_paths(paths, text_column="text"), 0.6, recipe=RECIPE, **options)
    except la.LookalikeError as error:
        return type(error), str(error)
    some = {*result.listed.values("a")[:5], *result.listed.values("b")[:5]}
    return answer(result) | {"texts": texts_of(result, some)}  # as the readers give them again


def check(paths: list[Path], tmp_path: Path, *, native: bool = True, **options: Any) -> Any:
    """Search by native readers and without them; return what both say."""
    if native:
        assert open_paths(paths, text_column="text").tables() is not None
    found = {}
    for method in ("lsh", "exact"):
        how = {"method": method, **options}
        with pytest.MonkeyPatch.context() as patch:
            patch.delattr(_native, "TableFile")
            expected = outcome(paths, threads=1, **how)
        for threads in (1, 2):
            assert outcome(paths, threads=threads, **how) == expected
        with spilling():
            folder = tempfile.mkdtemp(dir=tmp_path)  # a search that fails leaves it
            assert outcome(paths, work=folder, **how) == expected
        found[method] = expected
    return found["lsh"]


FORMS = ("parquet", "jsonl", "jsonl.gz", "jsonl.zst")


def put(path: Path, table: Rows) -> Path:
    return parquet(path, table) if path.suffix == ".parquet" else lines(path, table)


NUMBERS = [3 * i - 50 for i in range(len(TEXTS))]
NAMES = [f"näme {i}" for i in range(len(TEXTS))]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("texts", [TEXTS, SOME, [*SOME[:150], *[None] * 80], [None, None], ["", ""], ["one"]], ids=len)
@pytest.mark.parametrize("ids", [None, NUMBERS, NAMES], ids=["no ids", "numbers", "names"])
def test_one_table(tmp_path: Path, form: str, texts: list[Any], ids: list[Any] | None) -> None:
    path = put(tmp_path / f"a.{form}", rows(texts, ids and ids[: len(texts)]))
    found = check([path], tmp_path, native=texts != [None, None])
    if texts is TEXTS or texts is SOME:
        assert len(found["pairs"]) > 20


@pytest.mark.parametrize("forms", [FORMS, ("jsonl", "parquet", "jsonl"), ("parquet", "parquet")], ids=str)
@pytest.mark.parametrize("kind", ["no ids", "numbers", "names", "of two kinds", "some have none"])
def test_several_tables(tmp_path: Path, forms: tuple[str, ...], kind: str) -> None:
    paths = []
    for n, form in enumerate(forms):
        texts = SOME[n * 70 : n * 70 + 70]
        numbers, names = (NUMBERS[n * 70 :][:70], NAMES[n * 70 :][:70])
        ids: list[Any] | None = {"no ids": None, "numbers": numbers, "names": names}.get(kind, numbers)
        if kind == "of two kinds" and n % 2:
            ids = names
        if kind == "some have none" and n % 2:
            ids = None
        paths.append(put(tmp_path / f"{n}.{form}", rows(texts, ids)))
    found = check(paths, tmp_path)
    assert len(found["pairs"]) > 5
    assert len(found["skipped"]) == sum(not text for text in SOME[: 70 * len(forms)])


@pytest.mark.parametrize("form", FORMS)
def test_ids_that_are_given_twice(tmp_path: Path, form: str) -> None:
    for numbers in (True, False):
        ids: list[Any] = list(NUMBERS if numbers else NAMES)
        ids[250] = ids[17]
        path = put(tmp_path / f"a.{form}", rows(TEXTS, ids))
        kind, said = check([path], tmp_path)
        assert kind is la.DuplicateIdError
        assert f"row 18 of {path}" in said
        assert f"row 251 of {path}" in said
        ids = list(NUMBERS if numbers else NAMES)
        one = put(tmp_path / f"x.{form}", rows(TEXTS[:100], ids[:100]))
        two = put(tmp_path / f"y.{form}", rows(TEXTS[:100], ids[60:160]))
        kind, said = check([one, two], tmp_path)
        assert kind is la.DuplicateIdError
        assert f"row 61 of {one}" in said
        assert f"row 1 of {two}" in said
        # Rows without a text are no documents, and their ids do not count.
        ids[250] = ids[4]
        assert SOME[4] is None
        check([put(tmp_path / f"z.{form}", rows(SOME, ids))], tmp_path)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("place", [0, 1, 150, 299])
def test_ids_that_are_missing(tmp_path: Path, form: str, place: int) -> None:
    for ids in (list[Any](NUMBERS), list[Any](NAMES)):
        ids[place] = None
        kind, said = check([put(tmp_path / f"a.{form}", rows(TEXTS, ids))], tmp_path, native=place > 0)
        assert kind is la.DocumentError
        assert f"a.{form}:{place + 1}'" in said
        assert "is missing" in said


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    values = [text and (b"\xff\xfe" if i % 7 == 1 else b"") + text.encode() for i, text in enumerate(SOME)]
    values = [b"" if value == "" else value for value in values]
    for ids in (NUMBERS, NAMES):
        path = parquet(tmp_path / "a.parquet", pa.table({"id": ids, "text": pa.array(values, pa.binary())}))
        found = check([path], tmp_path)
        assert {skipped.reason for skipped in found["skipped"]} == {"not text", "null text", "no words"}
    path = parquet(tmp_path / "b.parquet", pa.table({"text": pa.array(values, pa.binary())}))
    check([path], tmp_path)
    check([path, parquet(tmp_path / "c.parquet", pa.table({"text": pa.array(values, pa.large_binary())}))], tmp_path)


def broken(change: Callable[[list[bytes]], None], ids: bool = False) -> bytes:
    made = [json.dumps(row).encode() for row in rows(TEXTS, NAMES if ids else None)]
    change(made)
    return b"\n".join(made) + b"\n"


BROKEN: dict[str, bytes] = {
    "not json": broken(lambda made: made.insert(200, b'{"text": oops}')),
    "half a line": broken(lambda made: made.insert(200, b'{"text": "begun')),
    "a list": broken(lambda made: made.insert(200, b"[1, 2]")),
    "a number": broken(lambda made: made.insert(200, b"17")),
    "the text is a number": broken(lambda made: made.insert(200, b'{"text": 7}')),
    "the text is a list": broken(lambda made: made.insert(200, b'{"text": ["a"]}')),
    "the id is a list": broken(lambda made: made.insert(200, b'{"text": "a", "id": [1]}'), ids=True),
    "the id is a number": broken(lambda made: made.insert(200, b'{"text": "a", "id": 5}'), ids=True),
    "not utf-8": broken(lambda made: made.insert(200, b'{"text": "a \xff b"}')),
    "not utf-8 elsewhere": broken(lambda made: made.insert(200, b'{"text": "a b", "more": "\xff"}')),
    "a surrogate": broken(lambda made: made.insert(200, b'{"text": "a \\ud800 b"}')),
    "empty lines": broken(lambda made: made.insert(200, b"\n \n")),
    "no end of line": broken(lambda made: None)[:-1],
    "carriage returns": broken(lambda made: None).replace(b"\n", b"\r\n"),
    "deep": broken(lambda made: made.insert(200, b'{"text": "a", "more": ' + b"[" * 3000 + b"]" * 3000 + b"}")),
    "rather deep": broken(lambda made: made.insert(200, b'{"text": "a", "more": ' + b"[" * 300 + b"]" * 300 + b"}")),
    "a long number": broken(lambda made: made.insert(200, b'{"text": "a", "more": ' + b"7" * 5000 + b"}")),
    "a large number": broken(lambda made: made.insert(200, b'{"text": "a", "more": 1e999}')),
    "the text twice": broken(lambda made: made.insert(200, b'{"text": "a", "text": "b c d"}')),
    "a zero byte": broken(lambda made: made.insert(200, b'{"text": "a \x00 b"}')),
    "only blanks": b" \n\n\t\n",
    "nothing": b"",
    "no text anywhere": b'{"name": 1}\n' * 5,
    "text that comes late": b'{"more": 1}\n' * 50 + b'{"text": "a b c d", "more": 2}\n' * 2,
    "a mark of bytes": b"\xef\xbb\xbf" + broken(lambda made: None),
}


@pytest.mark.parametrize("form", FORMS[1:])
@pytest.mark.parametrize("kind", list(BROKEN))
def test_lines_that_are_broken(tmp_path: Path, kind: str, form: str) -> None:
    check([lines(tmp_path / f"a.{form}", BROKEN[kind])], tmp_path, native=False)


@pytest.mark.parametrize("form", FORMS)
def test_files_that_lost_their_end_or_were_damaged(tmp_path: Path, form: str) -> None:
    path = put(tmp_path / f"a.{form}", rows(TEXTS, NAMES))
    data = path.read_bytes()
    rng = random.Random(form)
    for _ in range(8):
        path.write_bytes(data[: rng.randrange(1, len(data))])
        check([path], tmp_path, native=False)
        place = rng.randrange(len(data))
        path.write_bytes(data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :])
        check([path], tmp_path, native=False)


def test_columns_of_other_kinds(tmp_path: Path) -> None:
    kinds: list[pa.Array[Any]] = [
        pa.array(NUMBERS, pa.int32()),
        pa.array([abs(n) * 1000 + i for i, n in enumerate(NUMBERS)], pa.uint64()),
        pa.array([float(n) for n in NUMBERS]),
        pa.array(NAMES).dictionary_encode(),
        pa.array(NAMES, pa.large_string()),
        pa.array([name.encode() for name in NAMES]),
        pa.array([[n] for n in NUMBERS]),
        pa.nulls(len(TEXTS)),
    ]
    for ids in kinds:
        for texts in (pa.array(SOME), pa.array(SOME, pa.large_string()), pa.array(SOME).dictionary_encode()):
            path = parquet(tmp_path / "a.parquet", pa.table({"id": ids, "text": texts}))
            check([path], tmp_path, native=False)


@pytest.mark.parametrize(
    "options",
    [{"skip": ["quotes"]}, {"min_words": 5}, {"common": 0.1}, {"ignore": [TEXTS[9]]}, {"metric": "bag"}],
    ids=str,
)
@pytest.mark.parametrize("form", ["parquet", "jsonl.zst"])
def test_excluded_text(tmp_path: Path, form: str, options: dict[str, Any]) -> None:
    check([put(tmp_path / f"a.{form}", rows(SOME, NAMES))], tmp_path, **options)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    check([tmp_path / "none.parquet"], tmp_path, native=False)
    path = put(tmp_path / "a.jsonl", rows(TEXTS))
    check([path, tmp_path / "none.jsonl"], tmp_path, native=False)
    (tmp_path / "empty.parquet").write_bytes(b"")
    check([path, tmp_path / "empty.parquet"], tmp_path, native=False)
    parquet(tmp_path / "no rows.parquet", pa.table({"text": pa.array([], pa.string())}))
    check([path, tmp_path / "no rows.parquet"], tmp_path)
