"""Runs of the experiments that contradict each other are noticed; one that does not tell contradicts nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from benchmarks.verdicts import main

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def run(folder: Path, **findings: str) -> str:
    folder.mkdir()
    verdicts = [{"conclusion": name, "finding": found, "evidence": "1 of 2"} for name, found in findings.items()]
    (folder / "verdicts.json").write_text(json.dumps({"verdicts": verdicts}), encoding="utf-8")
    return str(folder)


def test_undecided_contradicts_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = [run(tmp_path / "a", x="holds", y="holds"), run(tmp_path / "b", x="undecided", y="holds")]
    assert main(runs) == 0
    assert capsys.readouterr().out == "2 runs, 2 conclusions: 0 contradicted, 1 undecided in some run\n"


def test_a_contradiction_is_shown_with_its_evidence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = [run(tmp_path / "a", x="holds"), run(tmp_path / "b", x="undecided"), run(tmp_path / "c", x="holds in part")]
    assert main(runs) == 1
    out = capsys.readouterr().out
    assert out.startswith("x\n")
    for name, found in zip(runs, ("holds", "undecided", "holds in part"), strict=True):
        assert f"  {name}: {found}: 1 of 2\n" in out


def test_one_run_is_not_enough(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["a"]) == 2
    assert "RUN RUN" in capsys.readouterr().out
