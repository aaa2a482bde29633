"""Zip and tar files: read like folders, never unpacked to disk."""

from __future__ import annotations

import io
import tarfile
import zipfile
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

import lookalike as la
from lookalike.documents import open_paths
from lookalike.documents.open import read_document
from tests.documents.making import docx, lines_at, pdf, tar, zipped
from tests.documents.reading import documents, reasons

if TYPE_CHECKING:
    from pathlib import Path

MEMBERS = {
    "anna/essay.docx": docx(["A text by Anna."]),
    "ben/essay.pdf": pdf([lines_at(700, "A text by Ben.")]),
    "notes.txt": "Die größere Brücke über den Fluß, früher und später.".encode("cp1252"),
}
TEXTS = {
    "anna/essay.docx": "A text by Anna.",
    "ben/essay.pdf": "A text by Ben.",
    "notes.txt": "Die größere Brücke über den Fluß, früher und später.",
}


def zstd(data: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(data)
    return sink.getvalue().to_pybytes()


ARCHIVES = {
    "essays.zip": zipped(MEMBERS),
    "essays.tar": tar(MEMBERS),
    "essays.tar.gz": tar(MEMBERS, "w:gz"),
    "essays.tgz": tar(MEMBERS, "w:gz"),
    "essays.tar.bz2": tar(MEMBERS, "w:bz2"),
    "essays.tar.xz": tar(MEMBERS, "w:xz"),
    "essays.tar.zst": zstd(tar(MEMBERS)),
}


@pytest.mark.parametrize("name", list(ARCHIVES))
def test_archives_are_read_like_folders(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(ARCHIVES[name])
    before = sorted(tmp_path.rglob("*"))
    source = open_paths([tmp_path])
    assert documents(source) == {f"{name}/{member}": text for member, text in TEXTS.items()}
    assert documents(source) == documents(source)
    assert source.notes() == [f"{name}/notes.txt read as windows-1252"]
    assert source.size().documents is None
    assert sorted(tmp_path.rglob("*")) == before
    direct = (tmp_path / name).as_posix()
    assert list(documents(open_paths([direct]))) == [f"{direct}/{member}" for member in TEXTS]


def test_a_search_names_members_by_their_archive(tmp_path: Path) -> None:
    found = la.find(open_paths([_written(tmp_path, "x.zip", zipped({"a.txt": b"one two three four five six"}))]), 0.5)
    assert found.ids.to_pylist() == [(tmp_path / "x.zip").as_posix() + "/a.txt"]


def _written(folder: Path, name: str, data: bytes) -> Path:
    (folder / name).write_bytes(data)
    return folder / name


def test_archives_in_archives_to_a_small_depth(tmp_path: Path) -> None:
    deepest = zipped({"deep.txt": b"too deep"})
    inner = tar({"in.txt": b"inside", "deepest.zip": deepest}, "w:gz")
    (tmp_path / "outer.zip").write_bytes(zipped({"inner.tgz": inner, "out.txt": b"outside"}))
    source = open_paths([tmp_path])
    assert documents(source) == {"outer.zip/inner.tgz/in.txt": "inside", "outer.zip/out.txt": "outside"}
    assert reasons(source) == {"outer.zip/inner.tgz/deepest.zip": "nested"}


def test_what_is_skipped_in_an_archive_is_listed(tmp_path: Path) -> None:
    members = {
        "good.txt": b"good",
        "../../evil.txt": b"evil",
        "/etc/passwd": b"evil",
        "C:\\evil.txt": b"evil",
        ".hidden": b"x",
        "__MACOSX/x.txt": b"x",
        "a/.DS_Store": b"x",
        "a/Thumbs.db": b"x",
        "a/._essay.docx": b"x",
        "desktop.ini": b"x",
        "table.csv": b"a,b",
        "empty.txt": b"",
        "sheet.xlsx": b"PK",
        "film.mp4": b"\0" * 100,
        "broken.docx": b"PK\3\4 not a zip",
        "drafts/d.txt": b"x",
    }
    (tmp_path / "x.zip").write_bytes(zipped(members))
    source = open_paths([tmp_path], exclude=["drafts"])
    assert documents(source) == {"x.zip/good.txt": "good"}
    assert reasons(source) == {
        "x.zip/../../evil.txt": "unsafe name",
        "x.zip//etc/passwd": "unsafe name",
        "x.zip/C:/evil.txt": "unsafe name",
        "x.zip/.hidden": "hidden",
        "x.zip/table.csv": "table",
        "x.zip/empty.txt": "empty",
        "x.zip/sheet.xlsx": "not text",
        "x.zip/film.mp4": "binary",
        "x.zip/broken.docx": "damaged",
        "x.zip/drafts/d.txt": "excluded",
    }
    assert all(skipped.detail for skipped in source.skipped())


def test_include_names_members_or_the_archive(tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(zipped({"a.txt": b"a", "b.md": b"b"}))
    (tmp_path / "c.md").write_text("c")
    assert list(documents(open_paths([tmp_path], include=["*.md"]))) == ["c.md", "x.zip/b.md"]
    assert list(documents(open_paths([tmp_path], include=["*.zip"]))) == ["x.zip/a.txt", "x.zip/b.md"]
    assert list(documents(open_paths([tmp_path], include=["x.zip/a*"]))) == ["x.zip/a.txt"]


def test_links_pipes_and_doubles_in_archives_are_not_read(tmp_path: Path) -> None:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name, kind in (("sym", tarfile.SYMTYPE), ("hard", tarfile.LNKTYPE), ("pipe", tarfile.FIFOTYPE)):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
        for text in (b"first", b"second"):
            info = tarfile.TarInfo("twice.txt")
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text))
    (tmp_path / "x.tar").write_bytes(made.getvalue())
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as zip_file:
        link = zipfile.ZipInfo("sym")
        link.external_attr = 0o120777 << 16
        zip_file.writestr(link, "/etc/passwd")
    (tmp_path / "y.zip").write_bytes(made.getvalue())
    source = open_paths([tmp_path])
    assert documents(source) == {"x.tar/twice.txt": "first"}
    assert [(skipped.id, skipped.reason) for skipped in source.skipped()] == [
        ("x.tar/sym", "link"),
        ("x.tar/hard", "link"),
        ("x.tar/pipe", "not a file"),
        ("x.tar/twice.txt", "given twice"),
        ("y.zip/sym", "link"),
    ]


def test_an_archive_that_changes_between_two_readings(tmp_path: Path) -> None:
    path = _written(tmp_path, "x.zip", zipped({"a.txt": b"a", "b.txt": b"b"}))
    source = open_paths([tmp_path])
    assert len(documents(source)) == 2
    path.write_bytes(zipped({"a.txt": b"a"}))
    with pytest.raises(la.DocumentError, match="held 2 documents before, but now 1"):
        documents(source)


def test_one_document_of_an_archive_by_its_name(tmp_path: Path) -> None:
    path = _written(tmp_path, "x.zip", zipped(MEMBERS | {"bad.docx": b"PK\3\4"}))
    assert read_document(path / "anna" / "essay.docx").text == "A text by Anna."
    with pytest.raises(la.DocumentError, match="is not in the archive"):
        read_document(path / "nobody.txt")
    with pytest.raises(la.DocumentError, match=r"cannot be read \(damaged\)"):
        read_document(path / "bad.docx")
    with pytest.raises(la.DocumentError, match="is an archive of 3 documents; name one of them"):
        read_document(path)
    alone = _written(tmp_path, "one.zip", zipped({"a.txt": "Müller"}))
    assert read_document(alone).text == "Müller"


def test_documents_in_compressed_files(tmp_path: Path) -> None:
    import gzip

    (tmp_path / "x.docx.gz").write_bytes(gzip.compress(docx(["packed"])))
    (tmp_path / "x.html.gz").write_bytes(gzip.compress(b"<p>page"))
    (tmp_path / "half.html.gz").write_bytes(gzip.compress(b"<p>page")[:-5])
    source = open_paths([tmp_path])
    assert documents(source) == {"x.docx.gz": "packed", "x.html.gz": "page"}
    assert reasons(source) == {"half.html.gz": "unreadable"}
