"""Who may read what lookalike writes, and that nothing else is written over on the way."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from lookalike.cli import main
from lookalike.tables.output_files import new_file
from tests.cli.conftest import words
from tests.hostile.documents import corpus, folder

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs umask and permissions")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


PRIVATE: Final = {
    "pairs.csv": "scan corpus.jsonl --quiet -o pairs.csv",
    "pairs.txt": "scan corpus.jsonl --quiet --format table -o pairs.txt",
    "run.lookalike": "scan corpus.jsonl --quiet --save run.lookalike -o x.csv",
    "report.html": "scan corpus.jsonl --quiet --report report.html -o x.csv",
    "again.html": "report saved.lookalike corpus.jsonl --quiet -o again.html",
    "plan.csv": "dedupe corpus.jsonl --quiet --plan plan.csv",
    "files.json": "files corpus.jsonl --format json -o files.json",
    "two.txt": "compare a.txt b.txt -o two.txt",
    "two.html": "compare a.txt b.txt --html two.html -o x.txt",
}
SHARED: Final = {
    "kept.csv": "dedupe corpus.jsonl --quiet -o kept.csv",
    "kept.parquet": "dedupe corpus.jsonl --quiet -o kept.parquet",
    "kept.jsonl": "dedupe corpus.jsonl --quiet -o kept.jsonl",
    "kept.txt": "dedupe essays --quiet -o kept.txt",
}


@pytest.fixture
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def mode(path: str | Path) -> int:
    return stat.S_IMODE(Path(path).stat().st_mode)


def some_documents() -> None:
    corpus("a", "b")
    folder("a.txt", "b.txt")
    for name in ("a.txt", "b.txt"):
        Path(name).write_text(words(0, 100), encoding="utf-8")
    assert main(["scan", "corpus.jsonl", "--quiet", "--save", "saved.lookalike", "-o", "first.csv"]) == 0


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077, 0o277], indirect=True)
@pytest.mark.parametrize("name", [*PRIVATE, *SHARED])
def test_files_are_private_and_rows_follow_the_umask(name: str, umask: int) -> None:
    some_documents()
    expected = (0o600 if name in PRIVATE else 0o666) & ~umask
    assert main((PRIVATE | SHARED)[name].split()) == 0
    assert oct(mode(name)) == oct(expected)


@pytest.mark.parametrize("umask", [0o000, 0o077], indirect=True)
@pytest.mark.parametrize("before", [0o600, 0o644, 0o400, 0o664])
@pytest.mark.parametrize("name", ["report.html", "kept.csv"])
def test_a_file_that_exists_keeps_its_permissions(name: str, before: int, umask: int) -> None:
    some_documents()
    Path(name).write_text("old", encoding="utf-8")
    Path(name).chmod(before)
    assert main([*(PRIVATE | SHARED)[name].split(), *(["--force"] if name in SHARED else [])]) == 0
    assert Path(name).read_bytes() != b"old"
    assert oct(mode(name)) == oct(before)


@pytest.mark.parametrize("umask", [0o000], indirect=True)
@pytest.mark.parametrize(("private", "exists"), [(True, False), (False, True), (True, True)])
@pytest.mark.usefixtures("umask")
def test_a_file_that_is_being_written_is_private_where_it_has_to_be(private: bool, exists: bool) -> None:
    if exists:
        Path("out").touch(0o600)
    with new_file("out", private=private) as stream:
        stream.write(b"secret")
        stream.flush()
        (temporary,) = set(Path().iterdir()) - {Path("out")}
        assert oct(mode(temporary)) == oct(0o600)
    assert [path.name for path in Path().iterdir()] == ["out"]


def test_the_umask_of_the_process_is_never_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    """It belongs to all threads: while one looks what it is, files of another would be open to everybody."""

    def changed(_: int) -> int:
        raise AssertionError("the umask was changed")

    monkeypatch.setattr(os, "umask", changed)
    with new_file("out", private=False) as stream:
        stream.write(b"x")


def test_a_temporary_name_that_somebody_took_is_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = iter([b"\0" * 6, b"\1" * 6])
    monkeypatch.setattr(os, "urandom", lambda _: next(drawn))
    Path("victim").write_text("mine", encoding="utf-8")
    Path(f".out.{'00' * 6}").symlink_to("victim")
    with new_file("out", private=True) as stream:
        stream.write(b"new")
    assert Path("victim").read_text(encoding="utf-8") == "mine"
    assert Path("out").read_bytes() == b"new"


@pytest.mark.parametrize("name", ["x" * 255, "雨" * 85])
def test_a_name_may_be_as_long_as_the_disk_allows(name: str) -> None:
    with new_file(name, private=True) as stream:
        stream.write(b"x")
    assert Path(name).read_bytes() == b"x"


@pytest.mark.parametrize("umask", [0o000, 0o077], indirect=True)
@pytest.mark.usefixtures("umask")
def test_a_work_folder_is_private(monkeypatch: pytest.MonkeyPatch) -> None:
    from lookalike.search.workdir import WorkDir

    seen: dict[str, str] = {}
    clear = WorkDir.clear

    def looking(self: WorkDir) -> None:
        seen["."] = oct(mode(self.folder))
        seen.update({path.name: oct(mode(path)) for path in self.folder.iterdir()})
        clear(self)

    monkeypatch.setattr(WorkDir, "clear", looking)
    corpus("a", "b", "c")
    assert main(["scan", "corpus.jsonl", "--quiet", "--method", "lsh", "--work", "deep/work", "-o", "x.csv"]) == 0
    assert seen.pop(".") == oct(0o700)
    assert {"rows.bin", "parts.bin", "pairs.bin", "manifest.json", "lock"} <= set(seen)
    assert set(seen.values()) == {oct(0o600)}
