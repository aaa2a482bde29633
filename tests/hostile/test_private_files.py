"""A saved result from somebody else gets no private file into a report, and no pipe makes a command wait."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

import lookalike as la
from lookalike.cli import main
from tests.faults.child import run as run_child
from tests.hostile.saved import Parts, changed, make_folder, packed, save_everything, unpacked

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_folder(tmp_path_factory.mktemp("texts") / "essays")


@pytest.fixture(scope="module")
def original(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Parts]:
    path = tmp_path_factory.mktemp("saved") / "run.lookalike"
    save_everything(folder, path)
    return unpacked(path)


@pytest.fixture
def crafted(original: tuple[dict[str, Any], Parts], folder: Path, tmp_path: Path) -> Path:
    """A saved result whose documents are said to be in a private folder, with the very lengths of its files."""
    meta, parts = original
    private = tmp_path / "private"
    private.mkdir()
    for path in folder.iterdir():
        (private / path.name).write_bytes(path.read_bytes().replace(b"w", b"s"))
    made = tmp_path / "gift.lookalike"
    made.write_bytes(packed(changed(meta, ("origin", "paths"), [str(private)]), parts))
    return made


def test_a_crafted_result_reads_no_private_file(
    crafted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    opened: list[str] = []
    real = os.open

    def watching(path: Any, *given: Any, **options: Any) -> int:
        opened.append(os.fspath(path) if not isinstance(path, int) else "")
        return real(path, *given, **options)

    monkeypatch.setattr(os, "open", watching)
    monkeypatch.setattr(os, "scandir", lambda path: pytest.fail(f"{path} was listed"))
    assert main(["report", str(crafted), "-o", "report.html"]) == 2
    assert "which are read only if you name them" in capfd.readouterr().err
    assert not (tmp_path / "report.html").exists()
    loaded = la.Result.load(crafted)
    loaded.report(tmp_path / "report.html")
    loaded.to_dict()
    assert main(["dedupe", "--result", str(crafted), "--plan", "plan.csv"]) == 0
    assert not [path for path in opened if "private" in path]
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "The texts were not given to this report" in page


def test_lengths_cannot_be_left_out(original: tuple[dict[str, Any], Parts], folder: Path, tmp_path: Path) -> None:
    meta, parts = original
    rest = {name: data for name, data in parts.items() if name != "lengths.arrow"}
    path = tmp_path / "run.lookalike"
    path.write_bytes(packed(meta, rest))
    with pytest.raises(la.DocumentError, match="a part is missing"):
        la.Result.load(path)
    path.write_bytes(packed(changed(meta, ("origin",), {}), rest))
    la.Result.load(path).report(tmp_path / "report.html", texts=folder)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Nobody can tell whether the texts are still those of the search" in page
    assert '"texts":{}' in page


REPORTING = """
import sys
from lookalike.cli import main
sys.exit(0 if main(["report", sys.argv[1], "--trust", "-o", sys.argv[2]]) == 2 else 1)
"""


@pytest.mark.skipif(os.name != "posix", reason="about pipes and devices of POSIX systems")
def test_an_origin_that_never_ends(original: tuple[dict[str, Any], Parts], tmp_path: Path) -> None:
    meta, parts = original
    os.mkfifo(tmp_path / "pipe.txt")
    (tmp_path / "link.txt").symlink_to("/dev/zero")
    saved = tmp_path / "run.lookalike"
    for name in (str(tmp_path / "pipe.txt"), "/dev/zero", str(tmp_path / "link.txt"), "-", "/dev/stdin"):
        for field in ("paths", "against"):
            saved.write_bytes(packed(changed(meta, ("origin", field), [name]), parts))
            run_child(REPORTING, str(saved), str(tmp_path / "report.html"))
    assert not (tmp_path / "report.html").exists()
