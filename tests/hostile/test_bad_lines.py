"""One bad line is one skipped document: named, counted, and the same whichever reader reads the file."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

import lookalike as la
from lookalike import _native
from lookalike.cli import main
from lookalike.documents import open_paths
from lookalike.result.describe import texts_of
from lookalike.search.intake import SearchInput

if TYPE_CHECKING:
    from collections.abc import Callable

DEEPEST = 500
MOST_DIGITS = 4300

BAD: dict[str, tuple[bytes, str]] = {
    "deep": (b'{"text": "a", "n": ' + b"[" * 1000 + b"]" * 1000 + b"}", "is nested more than 500 deep"),
    "very deep": (b'{"text": "a", "n": ' + b'{"a":' * 300_000, "is nested more than 500 deep"),
    "a long number": (b'{"text": "a", "n": ' + b"9" * 5000 + b"}", "has a number of more than 4,300 digits"),
    "broken": (b'{"text": oops}', "is not JSON (character 10)"),
    "truncated": (b'{"text": "and so on', "is cut off: the JSON object has no end"),
    "two on a line": (b'{"text": "a"} {"text": "b"}', "is not JSON (character 15)"),
    "a list": (b'["a"]', "is not a JSON object: it does not begin with {"),
    "null": (b"null", "is not a JSON object: it does not begin with {"),
    "not utf-8": (b'{"text": "caf\xe9"}', "is not UTF-8 (byte 14)"),
    "not utf-8 elsewhere": (b'{"text": "a", "n": "\xff"}', "is not UTF-8 (byte 21)"),
    "a zero byte": (b'{"text": "a\0b"}', "is not JSON (character 12)"),
}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def good(number: int) -> bytes:
    words = " ".join(f"w{(number % 7) * 31 + i}" for i in range(12))
    return json.dumps({"text": words, "n": number}).encode()


def found(path: Path | str) -> dict[str, Any]:
    """Return all that a search says about a file, and its texts as they are read again; or its error."""
    try:
        result = la.find(open_paths([path], text_column="text", id_column=""), 0.8)
    except la.DocumentError as error:
        return {"error": str(error)}
    ids = result.ids.to_pylist()
    skipped = [(one.id, one.reason, one.detail) for one in result.skipped]
    texts = {ids[number]: text for number, text in texts_of(result, range(len(ids))).items()}
    return {"ids": ids, "skipped": skipped, "pairs": result.pairs.to_pylist(), "texts": texts}


def without_native_tables(work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.delattr(_native, "TableFile")
        return work()


@pytest.fixture
def only_native(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail where a file is given up by the native reader."""

    def refuse(documents: SearchInput) -> None:
        raise AssertionError(f"{documents.source.name} is read through Python")

    monkeypatch.setattr(SearchInput, "use_python", refuse)


@pytest.mark.usefixtures("only_native")
@pytest.mark.parametrize("kind", list(BAD))
@pytest.mark.parametrize("packed", [False, True])
def test_a_bad_line_costs_only_itself(kind: str, packed: bool) -> None:
    line, problem = BAD[kind]
    lines = [good(i) for i in range(40)]
    lines[17] = line
    data = b"\n".join(lines) + b"\n"
    path = Path("x.jsonl.gz" if packed else "x.jsonl")
    path.write_bytes(gzip.compress(data) if packed else data)
    natively = found(path)
    assert natively["ids"] == [i for i in range(40) if i != 17]
    assert natively["skipped"] == [(f"{path}:18", "bad row", f"line 18 {problem}")]
    assert natively["texts"][39] == json.loads(good(39))["text"]
    assert without_native_tables(lambda: found(path)) == natively


def test_a_key_that_is_there_twice_is_read_as_python_does() -> None:
    Path("x.jsonl").write_bytes(good(1) + b'\n{"text": "one", "text": "two"}\n')
    natively = found("x.jsonl")
    assert natively["texts"][1] == "two"
    assert without_native_tables(lambda: found("x.jsonl")) == natively


def mutated(line: bytes, rng: random.Random) -> bytes:
    """Damage a line in one of many ways, or in none."""
    place = rng.randrange(len(line))
    ways: list[Callable[[], bytes]] = [
        lambda: line,
        lambda: line[:place],
        lambda: line[place:],
        lambda: line[:place] + bytes([rng.choice(b'\xff\x00"{}[],:\\\t 0e')]) + line[place + 1 :],
        lambda: line[:place] + line[place + 1 :],
        lambda: line[:place] + rng.choice([b"\r", b"\n", b"\x0b", b"\xc3"]) + line[place:],
        lambda: line.replace(b'"n": ', b'"n": ' + b"[" * rng.choice([3, DEEPEST - 1, DEEPEST])),
        lambda: (
            line.replace(b'"n": ', b'"n": ' + b"[" * (depth := rng.choice([3, DEEPEST - 1, DEEPEST])))[:-1]
            + b"]" * depth
            + b"}"
        ),
        lambda: line.replace(b'"n": ', b'"n": ' + b"1" * rng.choice([MOST_DIGITS - 8, MOST_DIGITS + 8])),
        lambda: line.replace(b'"text": "', rng.choice([b'"text": 5, "t": "', b'"text": ["', b'"text":null,"t":"'])),
        lambda: rng.choice([b"", b" \t", b"null", b"[]", b"17", b'"a"', b"{}", line + b" " + line]),
    ]
    return rng.choice(ways)()


def depth(value: object) -> int:
    deepest, left = 0, [(value, 1)]
    while left:
        one, level = left.pop()
        if isinstance(one, dict | list):
            deepest = max(deepest, level)
            left += [(inner, level + 1) for inner in (one.values() if isinstance(one, dict) else one)]
    return deepest


def is_document(line: bytes) -> bool:
    """Say whether a line is a document, by the standard library."""
    try:
        value = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and isinstance(value.get("text"), str) and depth(value) <= DEEPEST


@pytest.mark.parametrize("seed", range(40))
def test_both_readers_find_the_same(seed: int) -> None:
    rng = random.Random(seed)
    data = b"\n".join([good(0), *(mutated(good(i), rng) for i in range(1, 60)), good(60)])
    Path("x.jsonl").write_bytes(data)
    natively = found("x.jsonl")
    assert without_native_tables(lambda: found("x.jsonl")) == natively
    lines = data.split(b"\n")
    assert natively["ids"] == [i for i, line in enumerate(lines) if is_document(line)]
    dealt_with = len(natively["ids"]) + len(natively["skipped"])
    assert dealt_with == sum(bool(line.strip()) for line in lines)


@pytest.mark.parametrize("bad", [1, 2, 99, 100])
def test_a_file_that_is_plainly_something_else_is_an_error(bad: int) -> None:
    Path("x.jsonl").write_bytes(b'\n"text","id"\n' * bad)
    natively = found("x.jsonl")
    many = f", and none of the first {bad} lines is a JSON object" if bad > 1 else ""
    problem = f"line is not a JSON object: it does not begin with {{{many}; put each object on its own line"
    assert natively == {"error": f"document 'x.jsonl:2': {problem}"}
    assert without_native_tables(lambda: found("x.jsonl")) == natively
    with Path("x.jsonl").open("ab") as file:
        file.write(good(1) + b"\n" + good(2))
    natively = found("x.jsonl")
    assert without_native_tables(lambda: found("x.jsonl")) == natively
    assert ("error" in natively) == (bad == 100)


def test_a_field_that_no_line_has_is_an_error() -> None:
    Path("x.jsonl").write_bytes(b'{"body": "a"}\noops\n{"body": "b"}\n')
    assert "column 'text' does not exist; the columns are 'body'" in found("x.jsonl")["error"]


def test_a_truncated_stream_is_an_error_of_the_file() -> None:
    data = gzip.compress(b"\n".join(good(i) for i in range(500)))
    Path("x.jsonl.gz").write_bytes(data[:-20])
    assert "file cannot be read to its end: the gzip data ends too early" in found("x.jsonl.gz")["error"]


@pytest.mark.parametrize("kind", ["jsonl", "parquet", "csv"])
def test_dedupe_names_lost_lines(kind: str, capfd: pytest.CaptureFixture[str]) -> None:
    rows = [good(1), good(8), BAD["broken"][0], b'{"text": 5}', b'{"text": null}', b"\xff", b"{", good(2)]
    Path("x.jsonl").write_bytes(b"\n".join(rows))
    kept, removed = f"kept.{kind}", f"removed.{kind}"
    assert main(["dedupe", "x.jsonl", "--keep", "first", "-o", kept, "--removed", removed, "-q"]) == 3
    told = capfd.readouterr().err
    assert "3 lines of x.jsonl are in no output" in told
    assert "(first: line 3 is not JSON (character 10)); --unread FILE" in told
    if kind == "jsonl":
        assert Path(kept).read_bytes().splitlines() == [good(1), b'{"text": 5}', b'{"text": null}', good(2)]
        assert Path(removed).read_bytes().splitlines() == [good(8)]
    if kind == "parquet":
        assert {row["n"] for row in pq.read_table(kept).to_pylist()} == {1, None, 2}
        assert [row["n"] for row in pq.read_table(removed).to_pylist()] == [8]
