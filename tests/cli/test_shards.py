"""`lookalike sign` and `lookalike find`, as people use them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lookalike.cli import main


@pytest.fixture
def shards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    fox = "the quick brown fox jumps over the lazy dog near the river bank today"
    rows = {
        "1": [{"id": "a", "text": fox}, {"id": "b", "text": "nothing like the others, this one"}],
        "2": [{"id": "c", "text": fox + "!"}, {"id": "d", "text": fox.replace("river", "sea")}],
    }
    for name, documents in rows.items():
        Path(f"shard-{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in documents), encoding="utf-8")


def sign(*options: str) -> None:
    for name in ("1", "2"):
        assert main(["sign", f"shard-{name}.jsonl", "-o", f"part-{name}.sig", *options]) == 0


def test_two_machines(shards: None, capfd: pytest.CaptureFixture[str]) -> None:
    sign("-t", "0.5")
    assert "part-1.sig: 2 documents signed" in capfd.readouterr().err
    assert main(["find", "part-1.sig", "part-2.sig", "--format", "json", "--save", "run.lookalike"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert main(["scan", "shard-1.jsonl", "shard-2.jsonl", "-t", "0.5", "--format", "json"]) == 0
    expected = json.loads(capfd.readouterr().out)
    for name in ("pairs", "groups", "threshold", "documents", "recipe"):
        assert found[name] == expected[name], name
    assert len(found["pairs"]) == 3
    assert main(["dedupe", "--result", "run.lookalike", "--plan", "plan.csv"]) == 0
    assert Path("plan.csv").read_text(encoding="utf-8").count("\n") == 3


def test_small_files_need_the_texts(shards: None, capfd: pytest.CaptureFixture[str]) -> None:
    sign("-t", "50%", "--keep", "signature", "--quiet")
    assert main(["find", "part-1.sig", "part-2.sig"]) == 2
    assert "give the texts too (--texts)" in capfd.readouterr().err
    given = ["--texts", "shard-1.jsonl", "--texts", "shard-2.jsonl"]
    assert main(["find", "part-1.sig", "part-2.sig", *given, "--format", "csv", "--quiet"]) == 0
    assert capfd.readouterr().out.count("\n") == 4


def test_errors_are_one_line(shards: None, capfd: pytest.CaptureFixture[str]) -> None:
    sign("--quiet")
    for command, said in (
        (["find", "shard-1.jsonl"], "shard-1.jsonl is no shard: name a file that lookalike sign wrote"),
        (["find", "part-1.sig", "-t", "0.3"], "for which the shards were signed"),
        (["sign", "shard-1.jsonl", "-o", "shard-1.jsonl"], "is among the documents"),
        (["sign", "shard-1.jsonl", "-o", "no/such/part.sig"], "make its folder first"),
        (["sign", "shard-1.jsonl", "-o", "x.sig", "--keep", "text"], "keep must be 'shingles' or 'signature'"),
    ):
        assert main(command) == 2
        error = capfd.readouterr().err
        assert said in error
        assert error.count("\n") == 1
