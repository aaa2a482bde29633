"""Two wheels take turns; each round gives a ratio, and an interval says how sure their median is."""

from __future__ import annotations

import json
import math
import random
import subprocess
from pathlib import Path
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchmarks.measure import ROOT
from benchmarks.pair import __main__ as program
from benchmarks.pair import rounds, wheels
from benchmarks.pair.ratios import MedianRatio, interval, median_ratio, per_round
from benchmarks.pair.rounds import Command, Comparison, Side, commands, compared, same_answer
from benchmarks.pair.wheels import Wheel

if TYPE_CHECKING:
    from collections.abc import Callable

OLD, NEW = Side(Path("old"), Path("old")), Side(Path("new"), Path("new"))


# -- statistics --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("count", "expected"), [(6, (1, 6)), (8, (1, 8)), (9, (2, 8)), (21, (6, 16)), (100, (40, 61))])
def test_the_interval_ends_at_the_ranks_of_the_tables(count: int, expected: tuple[int, int]) -> None:
    values = list(range(1, count + 1))
    random.Random(1).shuffle(values)
    assert interval(values) == expected


@pytest.mark.parametrize("count", range(6))
def test_few_rounds_have_no_interval(count: int) -> None:
    assert interval([1.0] * count) is None


def test_the_interval_holds_what_it_promises_for_skewed_noise() -> None:
    rng = random.Random(5)
    median = math.exp(0.3 * NormalDist().inv_cdf(0.5 / 0.9))  # one value in ten is an outlier above it
    hits = 0
    for _ in range(2000):
        ends = interval([rng.lognormvariate(0.0, 0.3) + 3 * (rng.random() < 0.1) for _ in range(21)])
        assert ends is not None
        hits += ends[0] <= median <= ends[1]
    assert hits >= 0.95 * 2000


@pytest.mark.parametrize(
    ("median", "ends", "met"),
    [
        (1.03, (1.0, 1.059), True),
        (0.5, (0.4, 0.6), True),
        (1.031, (1.0, 1.059), False),
        (1.0, (0.9, 1.06), False),
        (1.0, None, None),
    ],
)
def test_a_target_needs_the_median_and_the_interval(
    median: float, ends: tuple[float, float] | None, met: bool | None
) -> None:
    assert MedianRatio(median, ends).met is met


def test_an_outlier_moves_neither_median_nor_interval() -> None:
    calm = [1.0 + number / 1000 for number in range(21)]
    assert median_ratio([*calm[:-1], 50.0]) == median_ratio(calm) == MedianRatio(1.01, (1.005, 1.015))


def test_every_command_counts_alike_in_a_round() -> None:
    assert per_round({"long": [2.0, 1.0, 1.0], "short": [0.5, 4.0, 1.0]}) == pytest.approx([1.0, 2.0, 1.0])


# -- rounds ------------------------------------------------------------------------------------------------------------


def test_the_order_changes_and_the_first_round_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []

    def run(command: Command, side: Side) -> dict[str, Any]:
        ran.append(f"{command.name}{side.folder}")
        number = (len(ran) - 1) // 4
        return {"seconds": (3.0 if side is NEW else 2.0) * 10**number, "others": 0.5}

    monkeypatch.setattr(rounds, "run", run)
    monkeypatch.setattr(rounds, "same_answer", lambda command, _old, _new: command.name == "a")
    a, b = compared([Command("a", ()), Command("b", ())], OLD, NEW, 2)
    even, uneven = ["anew", "aold", "bold", "bnew"], ["aold", "anew", "bnew", "bold"]
    assert ran == [*even, *uneven, *even]
    assert (a.old, a.new, a.same, a.others) == ((20.0, 200.0), (30.0, 300.0), True, 0.5)
    assert a.ratios == [1.5, 1.5]
    assert not b.same
    assert b.cells() == ["b", "110.000", "165.000", "1.500", "—", "—", "DIFFER"]


@pytest.fixture
def sides(tmp_path: Path) -> tuple[Side, Side]:
    old, new = (Side(tmp_path / "bin", tmp_path / name) for name in ("old", "new"))
    for side in (old, new):
        side.folder.mkdir()
    return old, new


def test_answers_are_compared_by_what_they_say(sides: tuple[Side, Side]) -> None:
    def write(side: Side, candidates: int, pairs: list[str], rows: list[int], codec: Literal["snappy", "zstd"]) -> None:
        printed = {"schema": "lookalike/1", "candidates": candidates, "pairs": pairs}
        (side.folder / rounds.PRINTED).write_text(json.dumps(printed), encoding="utf-8")
        pq.write_table(pa.table({"id": rows}), side.folder / "kept.parquet", compression=codec)

    scan, dedupe = Command("scan", ()), Command("dedupe", (), "kept.parquet")
    write(sides[0], 7, ["a"], [1, 2], "snappy")
    write(sides[1], 8, ["a"], [1, 2], "zstd")
    assert same_answer(scan, *sides)
    assert same_answer(dedupe, *sides)
    write(sides[1], 8, ["a"], [2, 1], "zstd")
    assert same_answer(scan, *sides)
    assert not same_answer(dedupe, *sides)
    assert same_answer(Command("build", (), "kept.parquet", comparable=False), *sides)
    write(sides[1], 7, ["b"], [1, 2], "snappy")
    assert not same_answer(scan, *sides)


def test_a_command_that_fails_is_named_and_old_output_is_removed(
    sides: tuple[Side, Side], monkeypatch: pytest.MonkeyPatch
) -> None:
    old, _ = sides
    for name in ("stored.db", "stored.db-wal", "other.db"):
        (old.folder / name).touch()
    monkeypatch.setattr(rounds, "launched", lambda *_words, **_options: {"why": "ended with 2: no such option"})
    with pytest.raises(ValueError, match="index build with the wheel old: ended with 2: no such option"):
        rounds.run(Command("index build", (), "stored.db"), old)
    assert [path.name for path in old.folder.iterdir()] == ["other.db"]


def test_the_commands_are_those_that_are_promised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUICK", "1")
    every, paths = commands()
    assert [command.name for command in every] == [
        *("scan Parquet", "scan JSON Lines", "scan folder"),
        *("dedupe Parquet", "dedupe JSON Lines", "dedupe folder"),
        *("index build", "index query", "start"),
    ]
    assert all(path.is_file() for path in paths)


# -- wheels ------------------------------------------------------------------------------------------------------------


def test_a_wheel_is_named_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "lookalike-1-py3-none-any.whl"
    with pytest.raises(ValueError, match="does not exist"):
        wheels.wheel_of(str(path))
    path.write_bytes(b"a wheel")
    assert wheels.wheel_of(str(path)) == Wheel(path)
    assert Wheel(path).record()["wheel"] == path.name


def test_a_revision_is_built_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = ["git", "-c", "safe.directory=*", "-C", str(ROOT), "rev-parse", "--short=12", "HEAD"]
    commit = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    built = []

    def build(tree: Path, folder: Path, _variables: dict[str, str]) -> None:
        built.append((tree / "pyproject.toml").is_file())
        folder.mkdir(parents=True)
        (folder / "lookalike.whl").touch()

    monkeypatch.setattr(wheels, "BENCH", tmp_path)
    monkeypatch.setattr(wheels, "_build", build)
    assert (
        wheels.wheel_of("HEAD")
        == wheels.wheel_of(commit)
        == Wheel(tmp_path / "wheels" / commit / "lookalike.whl", commit)
    )
    assert built == [True]
    assert [path.name for path in tmp_path.iterdir()] == ["wheels"]
    with pytest.raises(ValueError, match="no-such-revision is neither a wheel nor a revision"):
        wheels.wheel_of("no-such-revision")


# -- the program -------------------------------------------------------------------------------------------------------


def fixed(ratio: float, count: int) -> Callable[..., list[Comparison]]:
    return lambda *_words: [Comparison(Command("scan", ()), (1.0,) * count, (ratio,) * count, True, 0.0)]


@pytest.mark.parametrize(("ratio", "count", "code"), [(1.0, 21, 0), (1.03, 21, 0), (1.04, 21, 1), (2.0, 5, 0)])
def test_a_slower_wheel_ends_with_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ratio: float, count: int, code: int
) -> None:
    wheel = tmp_path / "x.whl"
    wheel.touch()
    records: list[dict[str, Any]] = []
    monkeypatch.setattr(program, "measured", fixed(ratio, count))
    monkeypatch.setattr(program, "write_record", lambda _name, record: records.append(record))
    monkeypatch.delenv("QUICK", raising=False)
    monkeypatch.setattr("sys.argv", ["pair", "--old", str(wheel), "--new", str(wheel), "--rounds", str(count)])
    assert program.main() == code
    assert [record["overall"]["ratio"] for record in records] == [ratio] * (count == 21)
    assert str(tmp_path) not in json.dumps(records)


def test_what_cannot_be_compared_ends_with_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["pair", "--old", str(tmp_path / "missing.whl")])
    assert program.main() == 2
    assert "missing.whl does not exist" in capsys.readouterr().err
