"""What is in a work folder: damaged, foreign and hostile files, and disks that are full or fail."""

from __future__ import annotations

import errno
import json
import os
from typing import TYPE_CHECKING, Any

import pytest

import lookalike as la
from lookalike.search import workdir
from lookalike.search.workdir import WorkDir
from lookalike.tables.output_files import open_private
from tests.faults.child import run as run_child
from tests.search.making import RECIPE, answer, spilling
from tests.search.work_folders import SHEET, contents, posix, search

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


# -- what is in the folder -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["rows.bin", "parts.bin", "pairs.bin", "verified.bin"])
def test_a_file_that_lost_its_end_is_refused(tables: list[Path], stopped: Path, name: str) -> None:
    for damage in (lambda: (stopped / name).write_bytes(b"short"), (stopped / name).unlink):
        damage()
        before = contents(stopped)
        with pytest.raises(la.LookalikeError, match=rf"{name} is shorter than it was"):
            search(tables, work=stopped)
        assert contents(stopped) == before


def test_what_was_written_beyond_the_record_is_cut_off(tables: list[Path], stopped: Path) -> None:
    for name in ("rows.bin", "parts.bin", "pairs.bin", "hot.bin", "verified.bin"):
        with (stopped / name).open("ab") as file:
            file.write(b"half a reco")
    (stopped / "manifest.new").write_text("{")
    assert answer(search(tables, work=stopped)) == answer(search(tables))


def test_a_folder_of_another_search_is_refused(tables: list[Path], stopped: Path) -> None:
    before = contents(stopped)
    others: list[tuple[dict[str, Any], str]] = [
        ({"recipe": RECIPE.replace(seed=8)}, "recipe is"),
        ({"bands": la.Bands(24, 1)}, "bands is"),
        ({"method": "signatures"}, "bands is"),
        ({"min_words": 9}, "excluded is"),
        ({"skip": ["quotes"]}, "excluded is"),
        ({"ignore": [SHEET]}, "excluded is"),
        ({"metric": "bag"}, "recipe is"),
        ({"against": ["a text"]}, "sources is"),
    ]
    for options, said in others:
        with pytest.raises(la.MismatchError, match=said):
            search(tables, work=stopped, **options)
    with pytest.raises(la.MismatchError, match=r"threshold is 0\.6 and 0\.7"):
        la.find(tables, 0.7, recipe=RECIPE, method="lsh", work=stopped)
    with pytest.raises(la.MismatchError, match="sources is"):
        search(tables[:2], work=stopped)
    with pytest.raises(la.LookalikeError, match="has changed since"):
        search(tables[::-1], work=stopped)
    assert contents(stopped) == before


@pytest.mark.parametrize("name", ["thesis.txt", "rows.bin", "verified.bin"])
def test_a_folder_with_other_files_is_refused(table: Path, work: Path, name: str) -> None:
    work.mkdir()
    (work / name).write_text("mine", encoding="utf-8")
    before = contents(work)
    with pytest.raises(la.LookalikeError, match="not empty and holds no search"):
        search(table, work=work)
    assert contents(work) == before


def test_what_is_put_beside_a_search_stays(tables: list[Path], stopped: Path) -> None:
    (stopped / "notes.txt").write_text("mine", encoding="utf-8")
    search(tables, work=stopped)
    assert [path.name for path in stopped.iterdir()] == ["notes.txt"]


HOSTILE: dict[str, Callable[[dict[str, Any]], Any]] = {
    "a path that leads out": lambda m: m | {"lengths": {"../../victim.txt": 0}},
    "a path from the root": lambda m: m | {"lengths": {"/etc/hostname": 0}},
    "another name": lambda m: m | {"lengths": {"victim.txt": 0}},
    "lengths in a list": lambda m: m | {"lengths": ["rows.bin"]},
    "lengths of lists": lambda m: m | {"lengths": [["rows.bin"]]},
    "no lengths": lambda m: {name: value for name, value in m.items() if name != "lengths"},
    "a negative length": lambda m: m | {"lengths": {"rows.bin": -1}},
    "a length of text": lambda m: m | {"lengths": {"rows.bin": "1"}},
    "a length that is none": lambda m: m | {"lengths": {"rows.bin": None}},
    "a share of a byte": lambda m: m | {"lengths": {"rows.bin": 0.5}},
    "a length that is true": lambda m: m | {"lengths": {"rows.bin": True}},
    "negative portions": lambda m: m | {"portions": -1},
    "portions of text": lambda m: m | {"portions": "many"},
    "candidates that are a number": lambda m: m | {"candidates": 1},
    "another format": lambda m: m | {"format": "lookalike-work/99"},
    "a format that is a list": lambda m: m | {"format": []},
    "something more": lambda m: m | {"run": "rm -rf"},
    "an identity that is a list": lambda m: m | {"identity": []},
    "readers that are none": lambda m: m | {"by_python": None},
    "readers of text": lambda m: m | {"by_python": ["yes"]},
    "a list": lambda m: [m],
    "a number": lambda m: 7,
    "nothing": lambda m: None,
}

RAW: dict[str, bytes] = {
    "empty": b"",
    "half": b'{"format": "lookalike-work/7", "lengths"',
    "no text": b"\xff\xfe\x00",
    "deep": b"[" * 100_000,
    "a long number": b'{"format": ' + b"9" * 10_000 + b"}",
    "large": b'{"format": "' + b"x" * (2 << 20) + b'"}',
    "nan": b'{"portions": NaN}',
}


def test_a_folder_of_an_earlier_format_is_refused(tables: list[Path], stopped: Path) -> None:
    path = stopped / "manifest.json"
    made = json.loads(path.read_text(encoding="utf-8")) | {"format": "lookalike-work/6"}
    path.write_text(json.dumps(workdir._sealed(made)), encoding="utf-8")
    before = contents(stopped)
    with pytest.raises(la.LookalikeError, match="hash format 1; give an empty or new folder"):
        search(tables, work=stopped)
    assert contents(stopped) == before


@pytest.mark.parametrize("name", [*HOSTILE, *RAW])
def test_a_hostile_manifest_is_refused(tables: list[Path], stopped: Path, name: str) -> None:
    victim = stopped.parents[0] / "victim.txt"
    victim.write_text("precious", encoding="utf-8")
    path = stopped / "manifest.json"
    if name in RAW:
        path.write_bytes(RAW[name])
    else:
        made = HOSTILE[name](json.loads(path.read_text(encoding="utf-8")))
        right = workdir._sealed(made) if isinstance(made, dict) else made  # its checksum is not what gives it away
        path.write_text(json.dumps(right), encoding="utf-8")
    before = contents(stopped)
    with pytest.raises(la.LookalikeError, match="damaged or of another version; give an empty or new folder"):
        search(tables, work=stopped)
    assert contents(stopped) == before
    assert victim.read_text(encoding="utf-8") == "precious"


@posix
@pytest.mark.parametrize("name", ["manifest.json", "manifest.new", "rows.bin", "parts.bin", "verified.bin", "lock"])
@pytest.mark.parametrize("kind", ["link", "dangling link", "folder", "pipe"])
def test_what_is_no_file_is_refused(tables: list[Path], stopped: Path, name: str, kind: str) -> None:
    victim = stopped.parents[0] / "victim.txt"
    path = stopped / name
    data = path.read_bytes() if path.exists() else b""
    path.unlink(missing_ok=True)
    if kind == "link":
        victim.write_bytes(data + b"precious")
        path.symlink_to(victim)
    elif kind == "dangling link":
        path.symlink_to(victim)
    elif kind == "folder":
        path.mkdir()
    else:
        os.mkfifo(path)
    before = contents(stopped)
    with pytest.raises(la.LookalikeError):
        search(tables, work=stopped)
    assert contents(stopped) == before
    assert victim.exists() == (kind == "link")
    if kind == "link":
        assert victim.read_bytes() == data + b"precious"


# -- disks -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", range(1, 12))
def test_a_full_disk_is_one_clear_error_and_loses_nothing(
    tables: list[Path], work: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    expected = answer(search(tables))
    real = open_private
    count = [0]

    def full(path: Path, mode: Any) -> Any:
        if path.suffix == ".bin" and mode == "ab":
            count[0] += 1
            if count[0] == step:
                with real(path, mode) as file:
                    file.write(b"the first bytes")
                raise OSError(errno.ENOSPC, "No space left on device")
        return real(path, mode)

    with spilling(held=6_000):
        with monkeypatch.context() as patch:
            patch.setattr(workdir, "open_private", full)
            said = r"work: the disk is full; free some space.*; what was done is kept and will be used"
            with pytest.raises(la.LookalikeError, match=said):
                search(tables, work=work)
        assert answer(search(tables, work=work)) == expected


def test_a_full_disk_of_temporary_files_promises_nothing(tables: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(WorkDir, "_append", lambda *_: full(0))
    with spilling(), pytest.raises(la.LookalikeError, match="the disk is full") as raised:
        search(tables, memory=2**40)
    assert "kept" not in str(raised.value)


def test_another_error_of_the_disk_is_said(table: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with spilling(), pytest.raises(la.LookalikeError, match=r"file/work: (File exists|Not a directory)"):
        search(table, work=tmp_path / "file" / "work")


LIMITED = """
import resource, sys
from pathlib import Path
import lookalike as la
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), int(sys.argv[3])))
try:
    la.find(Path(sys.argv[1]), 0.6, recipe=la.Recipe(k=2, hashes=24), method="lsh", work=sys.argv[2])
except la.LookalikeError as error:
    print(error)
"""


@posix
@pytest.mark.parametrize("most", [100, 3_000, 30_000])
def test_files_that_may_not_grow(table: Path, work: Path, most: int) -> None:
    out = run_child(LIMITED, str(table), str(work), str(most))
    assert out == f"{work}: File too large; what was done is kept and will be used\n"
    assert answer(search(table, work=work)) == answer(search(table))
