"""`lookalike check --server`: what it prints is what `--index` prints."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import lookalike as la
from lookalike.cli.check import token_in
from lookalike.errors import DocumentError
from tests.cli.conftest import words
from tests.server.served import Served

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.cli.conftest import Done, Run


@pytest.fixture
def served(run: Run, essays: Path) -> Iterator[Served]:
    """A server on an index of the essays, and a text that is like three of them."""
    assert run("index", "build", "class.db", "essays").code == 0
    Path("new.txt").write_text(words(0, 98), encoding="utf-8")
    Path("half.txt").write_text(words(0, 60), encoding="utf-8")
    with Served("class.db", log=Path("log")) as started:
        yield started


def same(done: Done, served: Served) -> tuple[int, str, str]:
    """What was printed, with the name of the index for the address; people see lines of some width."""

    def told(text: str) -> str:
        return " ".join(text.replace(served.url, "class.db").split())

    return done.code, told(done.out), told(done.err)


def lines(*rows: object) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@pytest.mark.parametrize(
    "args",
    [
        ["new.txt"],
        ["new.txt", "half.txt", "--top", "2"],
        ["new.txt", "--format", "json"],
        ["half.txt", "-t", "0.5", "--format", "json"],
        ["half.txt", "-t", "0", "--top", "1", "--format", "json"],
        ["essays", "--format", "jsonl", "--top", "1"],
        ["essays", "--format", "csv", "--self"],
        ["new.txt", "--fail-over", "0.9", "--quiet"],
        ["new.txt", "--fail-over", "0.5"],
    ],
)
def test_the_same_as_with_an_index(run: Run, served: Served, args: list[str]) -> None:
    assert same(run("check", *args, "--server", served.url), served) == same(
        run("check", *args, "--index", "class.db"), served
    )


def test_lines(run: Run, served: Served) -> None:
    given = lines({"id": "a", "text": words(0, 98)}, {"text": words(900, 950)}, {"id": 3, "text": words(500, 600)}, [1])
    args = ["check", "-", "--jsonl", "--top", "1"]
    by_server = run(*args, "--server", served.url, stdin=given)
    assert same(by_server, served) == same(run(*args, "--index", "class.db", stdin=given), served)
    assert len(by_server.out.splitlines()) == 4


def test_what_is_new_can_be_kept(run: Run, served: Served) -> None:
    text = words(700, 760)
    given = lines(
        {"id": "a", "text": text},
        {"id": "b", "text": text},
        {"text": words(1, 9)},
        {"id": "a", "text": "z z"},
        {"id": 5, "text": words(800, 840)},
    )
    done = run("check", "-", "--server", served.url, "--jsonl", "--add", stdin=given)
    found = [json.loads(line) for line in done.out.splitlines()]
    assert found[0]["hits"] == []
    assert [hit["id"] for hit in found[1]["hits"]] == ["a"], "a later document meets an earlier one"
    assert found[2]["error"] == "line 3 has no id in 'id'; --add needs one"
    assert found[4]["error"] == f"id is a number; the ids of {served.url} are texts"
    assert f"1 document added to {served.url}" in done.err
    assert "la.Client.replace replaces them" in done.err
    with la.Index.open("class.db") as index:
        assert len(index) == 5
        assert index.get("a") == text
    again = run("check", "-", "--server", served.url, "--jsonl", "--add", stdin=lines({"id": "c", "text": text}))
    assert [hit["id"] for hit in json.loads(again.out)["hits"]] == ["a"]


@pytest.mark.parametrize("how", ["file", "token file", "environment"])
def test_tokens(run: Run, essays: Path, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("index", "build", "class.db", "essays").code == 0
    assert run("serve", "--make-tokens", "tokens").code == 0
    read, write = (line.split()[1] for line in Path("tokens").read_text(encoding="ascii").splitlines())
    options = ["--token-file", "tokens"]
    if how == "file":
        Path("token").write_text(write + "\n", encoding="ascii")
        Path("token").chmod(0o600)
        options = ["--token-file", "token"]
    elif how == "environment":
        monkeypatch.setenv("LOOKALIKE_TOKEN", write)
        options = []
    Path("rows.jsonl").write_bytes(lines({"id": "new", "text": words(300, 400)}))
    with Served("class.db", "--token-file", "tokens", log=Path("log")) as started:
        done = run("check", "rows.jsonl", "--server", started.url, "--add", "--format", "json", *options)
        assert done.code == 0, done.err
        assert "1 document added" in done.err
        monkeypatch.delenv("LOOKALIKE_TOKEN", raising=False)
        refused = run("check", "rows.jsonl", "--server", started.url)
        assert refused.complaint.startswith(f"{started.url} answers 401: ")
        assert refused.complaint.endswith("give a token: token=, --token-file or LOOKALIKE_TOKEN")
    with la.Index.open("class.db") as index:
        assert "new" in index
    assert read not in done.err + refused.err


@pytest.mark.parametrize(
    ("args", "problem"),
    [
        ([], "give the index with --index INDEX, or a server with --server URL"),
        (["--index", "a.db", "--server", "http://127.0.0.1:1"], "give --index or --server, not both"),
        (["--index", "a.db", "--token-file", "t"], "--token-file is for --server: an index needs none"),
        (
            ["--server", "class.db"],
            ("url must be the address of a server, such as https://lookalike.example.org, not 'class.db'"),
        ),
        (["--server", "http://127.0.0.1:1", "--token-file", "none"], "none does not exist: check the name"),
    ],
)
def test_errors(run: Run, args: list[str], problem: str) -> None:
    Path("new.txt").write_text("some text", encoding="utf-8")
    assert run("check", "new.txt", *args).complaint == problem


@pytest.mark.skipif(os.name != "posix", reason="permissions")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660])
def test_a_token_file_that_others_can_read(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "token"
    path.write_text("x" * 40, encoding="ascii")
    path.chmod(mode)
    with pytest.raises(DocumentError, match="can be read by others"):
        token_in(str(path), writes=False)
    path.chmod(stat.S_IRUSR)
    assert token_in(str(path), writes=False) == "x" * 40


@pytest.mark.parametrize("content", ["", "two words", "read x", "a\nb\n", "x" * 70_000 + " y"])
def test_what_is_no_token_file(tmp_path: Path, content: str) -> None:
    path = tmp_path / "token"
    path.write_text(content, encoding="ascii")
    path.chmod(0o600)
    with pytest.raises(DocumentError):
        token_in(str(path), writes=True)
