"""The folder of results: tables that come back as they were, and a state that tells made, missing and stale apart."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from lookalike.errors import DocumentError
from lookalike.experiments import Column, Experiment, Setup, Table, Verdict, store
from lookalike.experiments.catalogue import by_id
from lookalike.experiments.gallery import run
from lookalike.experiments.store import Folder, Settings, from_csv, to_csv
from tests.experiments.quick import IN_ONE_WORKER, QUICK, remembered

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = IN_ONE_WORKER
TABLE = Table(
    (Column("family", "name"), Column("k", "characters"), Column("time", "s", timed=True)),
    [("modular, of B", 3, 0.1 + 0.2), ("“fast”", 20, 1e-9)],
)


def test_a_table_comes_back_as_it_was() -> None:
    back = from_csv(to_csv(TABLE))
    assert back.rows == TABLE.rows
    assert [(column.name, column.unit) for column in back.columns] == [
        ("family", "name"),
        ("k", "characters"),
        ("time", "s"),
    ]


def test_a_header_names_units() -> None:
    assert to_csv(TABLE).splitlines()[0] == "family [name],k [characters],time [s]"
    with pytest.raises(ValueError, match="without units"):
        from_csv("k,time\n1,2\n")


# -- state -------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("made")
    list(run([remembered("comparisons")], QUICK, Folder.open(path)))
    return path


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """A copy, for tests that spoil something."""
    for path in made.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


def state(folder: Path, wanted: Settings | None = None) -> tuple[str, str]:
    found = Folder.open(folder).state(by_id("comparisons"), wanted)
    return found.mark, found.reason


def test_made(folder: Path) -> None:
    assert state(folder) == ("made", "")
    assert state(folder, Settings(quick=True)) == ("made", "")


def test_never_made(tmp_path: Path) -> None:
    assert state(tmp_path / "nowhere") == ("missing", "never made")


@pytest.mark.parametrize("part", ["csv", "png", "svg", "pdf"])
def test_a_deleted_file_is_missing(folder: Path, part: str) -> None:
    (folder / f"comparisons.{part}").unlink()
    assert state(folder) == ("missing", f"comparisons.{part} is gone")


def test_a_changed_table_is_stale(folder: Path) -> None:
    with (folder / "comparisons.csv").open("a") as table:
        table.write("1,2,3\n")
    assert state(folder) == ("stale", "comparisons.csv was changed")


def test_other_code_is_stale(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "code_digest", lambda _id: "0" * 16)
    assert state(folder) == ("stale", "made by other code")


@pytest.mark.parametrize("other", [Settings(), Settings(quick=True, seed=2), Settings(quick=True, text="abc")])
def test_other_settings_are_stale(folder: Path, other: Settings) -> None:
    assert state(folder, other) == ("stale", "made with other settings: quick, seed 1")


def test_settings_of_the_last_run_count(folder: Path) -> None:
    opened = Folder.open(folder)
    opened.keep(replace(opened.records["comparisons"], id="precision", settings=Settings(seed=9)))
    assert state(folder) == ("stale", "made with other settings: quick, seed 1")


def test_the_name_of_the_text_does_not_make_it_another() -> None:
    setup = Setup(text="one two three")
    other = Settings.of(Setup(text="one two"), ["a.txt"])
    assert Settings.of(setup, ["a.txt"]) == Settings.of(setup, ["b.txt"]) != other
    assert Settings.of(setup, ["a b.txt", "c.txt"]).options() == ["--text", "a b.txt", "--text", "c.txt"]
    assert Settings.of(setup) != Settings.of(replace(setup, more=("further",)))


# -- what is written ---------------------------------------------------------------------------------------------------


def fake(id: str, claim: str) -> Experiment:  # noqa: A002
    verdict = Verdict(claim, "nobody", (52,), "holds", "it does", {"share": 0.5})
    return replace(by_id(id), judge=lambda _table, _setup: [verdict])


def test_verdicts_of_other_experiments_are_kept(folder: Path) -> None:
    before = json.loads((folder / "verdicts.json").read_text())["verdicts"]
    list(run([fake("similarity-by-k", "new")], QUICK, Folder.open(folder)))
    after = json.loads((folder / "verdicts.json").read_text())["verdicts"]
    assert [v for v in after if v["experiment"] == "comparisons"] == before
    assert [v["claim"] for v in after if v["experiment"] == "similarity-by-k"] == ["new"]
    assert state(folder) == ("made", "")


def test_running_again_replaces_verdicts(folder: Path) -> None:
    list(run([fake("comparisons", "new")], QUICK, Folder.open(folder)))
    assert [v["claim"] for v in json.loads((folder / "verdicts.json").read_text())["verdicts"]] == ["new"]


def test_records_come_back_as_they_were(folder: Path) -> None:
    first = Folder.open(folder)
    first.keep(first.records["comparisons"])
    assert Folder.open(folder) == first
    assert first.records["comparisons"].verdicts[0].items == (52,)


def test_nothing_but_whole_files_is_left(folder: Path) -> None:
    class Stop(Exception):  # noqa: N818
        pass

    def stop(_table: Table, _setup: Setup) -> list[Verdict]:
        raise Stop

    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix != ".html"}
    with pytest.raises(Stop):
        list(run([replace(remembered("comparisons"), judge=stop)], QUICK, Folder.open(folder)))
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix != ".html"} == before


@pytest.mark.parametrize("content", ["", "[]", "3", '{"schema": "other"}', '{"schema": "lookalike-verdicts/2"}', "{"])
def test_a_file_that_is_not_ours_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "verdicts.json").write_text(content)
    with pytest.raises(DocumentError, match="is not a lookalike-verdicts/2 file"):
        Folder.open(tmp_path)
    assert (tmp_path / "verdicts.json").read_text() == content
