"""A member of an archive whose name is far too long costs only itself, and it is the one that is named."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from lookalike.documents import open_paths
from tests.documents.reading import documents

WORDS = b"some words to read"
TOO_LONG = "name too long"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def zipped(names: list[str]) -> Path:
    with zipfile.ZipFile("x.zip", "w") as archive:
        for name in names:
            archive.writestr(name, WORDS)
    return Path("x.zip")


def tarred(names: list[str], form: int) -> Path:
    with tarfile.open("x.tar", "w", format=form) as archive:
        for name in names:
            info = tarfile.TarInfo(name)
            info.size = len(WORDS)
            archive.addfile(info, io.BytesIO(WORDS))
    return Path("x.tar")


def read(path: Path) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the names of what was read, and of what was skipped with the reasons."""
    source = open_paths([path])
    names = [name.partition("/")[2] for name in documents(source)]
    return names, [(skipped.id.partition("/")[2], skipped.reason) for skipped in source.skipped()]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("n" * 60_000 + ".txt", "n" * 60 + "…" + "n" * 26 + ".txt"),
        ("é" * 30_000 + ".txt", "é" * 60 + "…" + "é" * 26 + ".txt"),
        ("a/" * 30_000 + "b.txt", "a/" * 30 + "…" + "/a" * 12 + "/b.txt"),
        ("../" * 20_000 + "b.txt", "../" * 20 + "…" + "../" * 8 + "/b.txt"),
    ],
    ids=["letters", "marks", "folders", "out of it"],
)
def test_a_zip_member(name: str, shown: str) -> None:
    names, skipped = read(zipped(["ok.txt", name, "later.txt", "last.txt"]))
    assert names == ["ok.txt", "later.txt", "last.txt"]
    assert [(one[:60], one[60], reason) for one, reason in skipped] == [(shown[:60], "…", TOO_LONG)]


@pytest.mark.parametrize("length", [60_000, 2_000_000, 30_000_000])
@pytest.mark.parametrize("form", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT], ids=["pax", "gnu"])
def test_a_tar_member(length: int, form: int) -> None:
    names, skipped = read(tarred(["ok.txt", "n" * length + ".txt", "later.txt", "last.txt"], form))
    assert names == ["ok.txt", "later.txt", "last.txt"]
    assert [reason for _, reason in skipped] == [TOO_LONG]
    assert skipped[0][0].startswith("n" * 60)
    assert len(skipped[0][0]) <= 100


def test_names_as_long_as_a_system_takes_are_read() -> None:
    long = "folder/" * 580 + "b.txt"
    for path in (zipped([long]), tarred([long], tarfile.PAX_FORMAT), tarred([long], tarfile.GNU_FORMAT)):
        assert read(path) == ([long], [])


def test_a_long_name_in_an_archive_in_an_archive() -> None:
    inner = tarred(["ok.txt", "n" * 3_000_000, "later.txt"], tarfile.PAX_FORMAT).read_bytes()
    with zipfile.ZipFile("x.zip", "w") as archive:
        archive.writestr("in.tar", inner)
        archive.writestr("last.txt", WORDS)
    names, skipped = read(Path("x.zip"))
    assert names == ["in.tar/ok.txt", "in.tar/later.txt", "last.txt"]
    assert [(name[:10], reason) for name, reason in skipped] == [("in.tar/nnn", TOO_LONG)]


def header(kind: bytes, data: bytes) -> bytes:
    info = tarfile.TarInfo("header")
    info.type, info.size = kind, len(data)
    return info.tobuf(tarfile.USTAR_FORMAT) + data + bytes(-len(data) % 512)


@pytest.mark.parametrize(
    "between",
    [
        header(tarfile.XHDTYPE, b"11 path=abc\n") * 5000,  # tarfile goes from one to the next by recursion
        header(tarfile.XHDTYPE, b"1" * 900_000),  # which some versions of Python read in quadratic time
    ],
    ids=["many headers", "digits"],
)
def test_what_goes_wrong_between_members_is_the_fault_of_the_archive(between: bytes) -> None:
    whole = tarred(["ok.txt", "later.txt"], tarfile.USTAR_FORMAT).read_bytes()
    Path("x.tar").write_bytes(whole[:1024] + between + whole[1024:])
    source = open_paths(["x.tar"])
    read = list(documents(source))
    assert read[0] == "x.tar/ok.txt"
    assert {skipped.id for skipped in source.skipped()} <= {"x.tar"}
    assert len(read) == 2 or source.skipped(), "what is left out is said"
