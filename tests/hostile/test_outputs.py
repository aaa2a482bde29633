"""Outputs that cannot be written: said before anything is read; and a search that has ended is not lost for them."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import lookalike as la
from lookalike.cli import main, running
from lookalike.tables.output_files import check_place
from tests.faults.child import run as run_child
from tests.faults.child import start

if TYPE_CHECKING:
    from collections.abc import Iterator

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs limits and permissions of POSIX")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


# The inputs do not exist: an error that names the output shows that it was looked at first.
EVERY_OUTPUT = [
    ("scan", "nowhere.jsonl", "-o"),
    ("scan", "nowhere.jsonl", "--save"),
    ("scan", "nowhere.jsonl", "--report"),
    ("dedupe", "nowhere.jsonl", "-o"),
    ("dedupe", "nowhere.jsonl", "--removed"),
    ("dedupe", "nowhere.jsonl", "--plan"),
    ("dedupe", "nowhere.jsonl", "--by", "line", "-o"),
    ("dedupe", "nowhere.jsonl", "--by", "line", "--plan"),
    ("dedupe", "--result", "nowhere.lookalike", "--plan"),
    ("report", "nowhere.lookalike", "-o"),
    ("compare", "nowhere.txt", "nowhere.txt", "-o"),
    ("compare", "nowhere.txt", "nowhere.txt", "--html"),
    ("files", "nowhere", "-o"),
]


@pytest.mark.parametrize("command", EVERY_OUTPUT, ids=" ".join)
def test_every_output_is_tried_before_anything_is_read(
    command: tuple[str, ...], capfd: pytest.CaptureFixture[str]
) -> None:
    ending = "json" if "compare" in command else "csv"  # what the command writes
    folder = f"folder.{ending}"
    Path(folder).mkdir()
    Path(folder, "there").touch()  # rows may go to an empty folder
    output = f"no/such/out.{ending}"
    for name, problem in (
        (output, f"{output} cannot be written (No such file or directory): make its folder first"),
        (folder, f"{folder} "),
        (f"{'x' * 300}.{ending}", "File name too long"),
    ):
        assert main([*command, name]) == 2
        said = capfd.readouterr().err
        assert problem in said
        assert said.count("\n") == 1
    assert [path.name for path in Path().iterdir()] == [folder], "nothing is left of the try"


@pytest.mark.parametrize("option", ["-o", "--removed"])
def test_a_folder_is_tried_before_anything_is_read(option: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["dedupe", "nowhere.jsonl", option, "no/such/kept/"]) == 2
    assert "no/such/kept cannot be written (No such file or directory): make its folder" in capfd.readouterr().err
    assert not list(Path().iterdir())


@pytest.mark.parametrize("target", ["/dev/null", "/dev/stdout"])
@posix
def test_what_is_no_file_of_a_folder_is_left_alone(target: str) -> None:
    check_place(target)


READ_ONLY = """
import os, sys
from lookalike.errors import DocumentError
from lookalike.tables.output_files import check_place
if os.geteuid() == 0:  # who may write anywhere
    os.seteuid(65534)
try:
    check_place(sys.argv[1])
except DocumentError as error:
    print(error.problem, error.remedy, sep="; ")
"""


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that another user can reach: those of pytest are for its user alone."""
    path = Path(tempfile.mkdtemp(prefix="lookalike-test-"))
    yield path
    path.chmod(0o755)
    shutil.rmtree(path)


@posix
def test_a_folder_that_nobody_may_write_to(open_folder: Path) -> None:
    (open_folder / "mine.csv").write_text("mine")
    open_folder.chmod(0o555)
    for name in ("new.csv", "mine.csv"):
        said = run_child(READ_ONLY, str(open_folder / name))
        assert said == (
            "cannot be written (Permission denied); give the name of a file in a folder that you may write to\n"
        )


# -- a disk that is full after the search ----------------------------------------------------------------------------

LIMITED = """
import resource, sys, warnings
from lookalike.cli import main
warnings.simplefilter("ignore", ResourceWarning)  # a work folder that is kept is locked until the process ends
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
sys.exit(main(sys.argv[2:]))
"""
MOST = 60_000
"""Bytes that a file may have: a report and the rows of the corpus have more, all other outputs less."""


def corpus() -> None:
    """Write pairs of long documents."""
    texts = [" ".join(f"word{(n // 2) * 1000 + i}" for i in range(400)) for n in range(40)]
    lines = (json.dumps({"id": n, "text": text}) for n, text in enumerate(texts))
    Path("corpus.jsonl").write_text("\n".join(lines), encoding="utf-8")


def limited(*command: str) -> tuple[int, str]:
    with start(LIMITED, str(MOST), *command) as child:
        _, error = child.communicate(timeout=60)
        return child.returncode, error


@posix
def test_the_other_outputs_of_a_scan_are_written() -> None:
    corpus()
    code, said = limited(
        *("scan", "corpus.jsonl", "--quiet", "--report", "r.html", "--save", "run.lookalike", "-o", "pairs.csv")
    )
    assert code == 2
    assert said == (
        "lookalike: r.html cannot be written (File too large): check the name and the disk; the search is kept in "
        "run.lookalike: lookalike report run.lookalike PATH, or lookalike dedupe --result run.lookalike PATH\n"
    )
    assert la.Result.load("run.lookalike").pair_count == 20
    assert len(Path("pairs.csv").read_text().splitlines()) == 21
    assert not Path("r.html").exists()


@posix
def test_the_other_outputs_of_a_dedupe_are_written_and_the_work_stays() -> None:
    corpus()
    command = (
        *("dedupe", "corpus.jsonl", "--quiet", "--method", "lsh", "--work", "work", "--force"),
        *("-o", "kept.jsonl", "--removed", "removed.csv", "--plan", "plan.csv"),
    )
    code, said = limited(*command)
    assert code == 2
    assert said == (
        "lookalike: removed.csv cannot be written (File too large): check the name and the disk\n"
        "lookalike: kept.jsonl cannot be written (File too large): check the name and the disk; the search is kept in "
        "work: run the same command again to resume it\n"
    )
    assert len(Path("plan.csv").read_text().splitlines()) == 21
    assert (Path("work") / "manifest.json").exists()
    assert main(command) == 0
    assert not Path("work").exists()
    assert len(Path("kept.jsonl").read_text().splitlines()) == 20


@pytest.mark.parametrize("command", [("scan", "-o", "pairs.csv"), ("dedupe", "--plan", "plan.csv")])
def test_a_long_search_is_kept_without_being_asked(
    command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    corpus()

    def fail(*args: object, **options: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(la.Result, "write_pairs", fail)
    monkeypatch.setattr("lookalike.cli.dedupe_output.write_table", fail)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert main([command[0], "corpus.jsonl", "--quiet", *command[1:]]) == 2
    assert capfd.readouterr().err.endswith("check the name and the disk\n"), "a short one is soon done again"
    monkeypatch.setattr(running, "LONG", 0.0)
    assert main([command[0], "corpus.jsonl", "--quiet", *command[1:]]) == 2
    said = capfd.readouterr().err
    kept = re.search(r"the search is kept in (\S+): lookalike report \1 PATH", said)
    assert kept is not None, said
    assert la.Result.load(kept[1]).pair_count == 20
    if os.name == "posix":
        assert Path(kept[1]).stat().st_mode & 0o777 == 0o600
    monkeypatch.setattr("lookalike.result.save.new_file", fail)
    assert main([command[0], "corpus.jsonl", "--quiet", *command[1:]]) == 2
    assert "the search is lost; next time, --work DIR keeps it" in capfd.readouterr().err


def test_an_exact_search_is_not_in_the_work_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    corpus()

    def fail(*args: object, **options: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(la.Result, "write_pairs", fail)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(running, "LONG", 0.0)
    assert main(["scan", "corpus.jsonl", "--quiet", "--method", "exact", "--work", "work", "-o", "pairs.csv"]) == 2
    assert re.search(r"the search is kept in \S+\.lookalike: lookalike report", capfd.readouterr().err)
