"""The inputs that are kept for the fuzz targets pass them, without a fuzzer; so do some changes of each."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from fuzz.mutate import changed_json
from fuzz.targets import MEMBERS, TARGETS, WORK_FILES
from tests.meta.test_project import ROOT

if TYPE_CHECKING:
    from pathlib import Path

SEEDS = ROOT / "fuzz" / "seeds"
HEADS = {"saved_result": MEMBERS, "work_folder": WORK_FILES}


@pytest.mark.parametrize("name", TARGETS)
def test_inputs_that_are_kept_pass(name: str, tmp_path: Path) -> None:
    inputs = sorted((SEEDS / name).iterdir())
    assert len(inputs) >= len(HEADS.get(name, range(5)))
    check = TARGETS[name](tmp_path)
    rng = random.Random(name)
    for path in inputs:
        data = path.read_bytes()
        check(data)
        for _ in range(4):
            cut = rng.randrange(len(data) + 1)
            check(data[:cut])
            check(data[:cut] + rng.randbytes(1) + data[cut + 1 :])
            check(data[:1] + (changed_json(data[1:], rng) or b""))


def test_a_target_can_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object) -> object:
        raise KeyError("schema")

    monkeypatch.setattr("fuzz.targets.read_marks", broken)
    with pytest.raises(KeyError):
        TARGETS["marks"](tmp_path)(b"{}")


def test_good_seeds_are_still_good(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A seed that is refused at once finds nothing behind the first check."""
    from contextlib import nullcontext

    monkeypatch.setattr("fuzz.targets._clear_errors", nullcontext)
    for name, seeds in {"marks": ["good"], "metadata": ["comma", "tab"]}.items():
        (tmp_path / name).mkdir()
        check = TARGETS[name](tmp_path / name)
        for seed in seeds:
            check((SEEDS / name / seed).read_bytes())
    for name in HEADS:
        (tmp_path / name).mkdir()
        check = TARGETS[name](tmp_path / name)
        for path in sorted((SEEDS / name).iterdir()):
            if "-" not in path.name.replace("whole-file", ""):  # what a fuzzer found has a hash in its name
                check(path.read_bytes())
