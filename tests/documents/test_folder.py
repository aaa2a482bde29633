from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from lookalike import DocumentError
from lookalike.documents import Skipped, open_paths
from tests.documents.reading import UNPRIVILEGED, documents, reasons
from tests.faults.child import run


def fill(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"the text of {name}")


def test_a_folder_is_read_with_all_folders_in_it_sorted_by_path(tmp_path: Path) -> None:
    fill(tmp_path, "b.txt", "a/z.txt", "a/b/c/deep.md", "a.txt", "noending", "a-b/x")
    source = open_paths([tmp_path])
    assert list(documents(source)) == ["a-b/x", "a.txt", "a/b/c/deep.md", "a/z.txt", "b.txt", "noending"]
    assert documents(source)["a/z.txt"] == "the text of a/z.txt"
    assert source.skipped() == []
    assert source.notes() == []
    assert source.schema is None
    assert source.size().documents == 6


def test_an_empty_folder_has_no_documents(tmp_path: Path) -> None:
    source = open_paths([tmp_path])
    assert documents(source) == {}
    assert (source.size().documents, source.size().bytes) == (0, 0)


def test_everything_skipped_is_listed_with_its_reason(tmp_path: Path) -> None:
    fill(
        tmp_path, "good.txt", ".hidden", ".folder/x", "node_modules/m.js", "skip.log", "drafts/d.txt", "t.csv", "p.pdf"
    )
    fill(tmp_path, ".git/config", "__pycache__/m.py", "ignored.tmp", "more.jsonl.gz")
    (tmp_path / ".gitignore").write_text("*.tmp\n")
    (tmp_path / "empty.txt").touch()
    (tmp_path / "film.mp4").write_bytes(b"\0\0\0\x18ftyp" + bytes(9000))
    (tmp_path / "late.bin").write_bytes(b"text" * 5000 + b"\0")
    (tmp_path / "scan.txt").write_bytes(b"%PDF-1.4 ...")
    (tmp_path / "odd.txt").write_bytes(bytes(range(1, 256)) * 4)
    source = open_paths([tmp_path], exclude=["*.log", "drafts"])
    assert list(documents(source)) == ["good.txt"]
    assert reasons(source) == {
        ".hidden": "hidden",
        ".folder/": "hidden",
        ".gitignore": "hidden",
        ".git/": "ignored",
        "node_modules/": "ignored",
        "__pycache__/": "ignored",
        "ignored.tmp": "ignored",
        "skip.log": "excluded",
        "drafts/": "excluded",
        "t.csv": "table",
        "more.jsonl.gz": "table",
        "p.pdf": "damaged",
        "scan.txt": "damaged",
        "odd.txt": "not text",
        "empty.txt": "empty",
        "film.mp4": "binary",
        "late.bin": "binary",
    }
    details = {skipped.id: skipped.detail for skipped in source.skipped()}
    assert details["t.csv"] == "name it directly to read its rows"
    assert details["p.pdf"] == "it is not a PDF document, despite its name"
    assert all(details.values())


def test_hidden_files_on_demand_but_never_version_control(tmp_path: Path) -> None:
    fill(tmp_path, ".hidden", ".folder/x", ".git/config")
    source = open_paths([tmp_path], hidden=True)
    assert list(documents(source)) == [".folder/x", ".hidden"]
    assert reasons(source) == {".git/": "ignored"}


def test_include_and_exclude(tmp_path: Path) -> None:
    fill(tmp_path, "a.txt", "b.md", "sub/c.txt", "sub/deep/d.txt", "sub/e.rst")
    assert list(documents(open_paths([tmp_path], include=["*.txt"]))) == ["a.txt", "sub/c.txt", "sub/deep/d.txt"]
    assert list(documents(open_paths([tmp_path], include=["sub/**"], exclude=["deep"]))) == ["sub/c.txt", "sub/e.rst"]
    source = open_paths([tmp_path], include=["*.md", "*.rst"])
    assert list(documents(source)) == ["b.md", "sub/e.rst"]
    assert set(reasons(source).values()) == {"excluded"}


def test_ignore_files_hold_for_their_folder(tmp_path: Path) -> None:
    fill(tmp_path, "a.txt", "sub/a.txt", "sub/b.txt", "sub/deep/b.txt")
    (tmp_path / ".gitignore").write_text("a.txt\n")
    (tmp_path / "sub" / ".ignore").write_text("!a.txt\n/b.txt\n")
    assert list(documents(open_paths([tmp_path]))) == ["sub/a.txt", "sub/deep/b.txt"]


def test_links_to_files_are_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("from outside")
    folder = tmp_path / "folder"
    fill(folder, "real.txt")
    (folder / "a-link-in.txt").symlink_to("real.txt")
    (folder / "link-1.txt").symlink_to(outside)
    (folder / "link-2.txt").symlink_to(outside)
    source = open_paths([folder])
    assert documents(source) == {"real.txt": "the text of real.txt"}
    assert reasons(source) == {"a-link-in.txt": "link", "link-1.txt": "link", "link-2.txt": "link"}


def test_links_that_lead_nowhere_or_in_circles(tmp_path: Path) -> None:
    fill(tmp_path, "sub/a.txt", "other/b.txt")
    (tmp_path / "sub" / "loop").symlink_to(tmp_path)
    (tmp_path / "sub" / "self").symlink_to("self")
    (tmp_path / "sub" / "around").symlink_to("../other")
    (tmp_path / "sub" / "broken").symlink_to("nothing")
    source = open_paths([tmp_path])
    assert list(documents(source)) == ["other/b.txt", "sub/a.txt"]
    assert reasons(source) == {
        "sub/loop": "link loop",
        "sub/self": "link loop",
        "sub/around": "link",
        "sub/broken": "unreadable",
    }


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_pipes_and_devices_in_a_folder_are_not_waited_for(tmp_path: Path) -> None:
    fill(tmp_path, "a.txt")
    os.mkfifo(tmp_path / "pipe")
    os.mkfifo(tmp_path / ".gitignore")
    (tmp_path / "zero").symlink_to("/dev/zero")
    source = open_paths([tmp_path])
    assert list(documents(source)) == ["a.txt"]
    assert reasons(source) == {"pipe": "not a file", "zero": "link", ".gitignore": "hidden"}


def test_a_file_that_becomes_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    fill(tmp_path, "a.txt", "b.txt")
    source = open_paths([tmp_path])
    (tmp_path / "a.txt").unlink()
    os.mkfifo(tmp_path / "a.txt")
    assert list(documents(source)) == ["b.txt"]
    assert reasons(source) == {"a.txt": "unreadable"}


def test_a_file_that_vanishes_while_the_folder_is_read(tmp_path: Path) -> None:
    fill(tmp_path, "a.txt", "b.txt", "c.txt")
    source = open_paths([tmp_path])
    (tmp_path / "b.txt").unlink()
    assert list(documents(source)) == ["a.txt", "c.txt"]
    assert source.skipped() == [Skipped("b.txt", "vanished", "it disappeared after the files were listed")]
    # Once read, documents must stay: positions would shift without a word.
    (tmp_path / "b.txt").write_text("back again")
    assert list(documents(source)) == ["a.txt", "c.txt"]
    assert reasons(source) == {"b.txt": "vanished"}
    (tmp_path / "a.txt").unlink()
    with pytest.raises(DocumentError, match=r"document 'a.txt': file could be read before, but now is vanished"):
        documents(source)


def test_without_permission(tmp_path: Path) -> None:
    fill(tmp_path, "warm/up.txt", "in/open.txt", "in/secret.txt", "in/closed/x.txt", "shut/x.txt")
    tmp_path.chmod(0o755)
    (tmp_path / "in" / "secret.txt").chmod(0)
    (tmp_path / "in" / "closed").chmod(0)
    (tmp_path / "shut").chmod(0)
    program = (
        UNPRIVILEGED
        + """
import sys
import lookalike
from lookalike.documents import open_paths
os.chdir(sys.argv[1])
print(sum(len(batch) for batch in open_paths(["warm"]).batches()))
drop_privileges()
source = open_paths(["in"])
print([list(batch.ids) for batch in source.batches()])
print([(skipped.id, skipped.reason) for skipped in source.skipped()])
try:
    open_paths(["shut"])
except lookalike.DocumentError as error:
    print(error)
"""
    )
    try:
        assert run(program, str(tmp_path)).splitlines() == [
            "1",
            "[['open.txt']]",
            "[('closed/', 'no permission'), ('secret.txt', 'no permission')]",
            "document 'shut': file cannot be read (permission denied); check its permissions",
        ]
    finally:
        for folder in ("in/closed", "shut"):
            (tmp_path / folder).chmod(0o755)


@pytest.mark.skipif(sys.platform == "darwin", reason="there all names are Unicode")
def test_names_that_are_not_unicode(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9.txt")
    (tmp_path / name).write_text("one")
    (tmp_path / "café.txt").write_text("two")
    assert documents(open_paths([tmp_path])) == {"caf\\xe9.txt": "one", "café.txt": "two"}


def test_odd_names_are_ids_as_they_are(tmp_path: Path) -> None:
    names = ["a\nb.txt", "\x1b[31m.txt", "-x.txt", "*.txt", "a b.txt", "\u202e.txt"]
    fill(tmp_path, *names)
    assert list(documents(open_paths([tmp_path]))) == sorted(names)


def test_a_very_deep_folder(tmp_path: Path) -> None:
    depth = 300
    here = Path.cwd()
    try:
        os.chdir(tmp_path)
        for _ in range(depth):
            Path("d" * 10).mkdir()
            os.chdir("d" * 10)
        Path("x.txt").write_text("deep down")
    finally:
        os.chdir(here)
    assert documents(open_paths([tmp_path])) == {"/".join(["d" * 10] * depth + ["x.txt"]): "deep down"}


@pytest.mark.parametrize("codec", ["cp1252", "utf-16"])
def test_encodings_are_detected_and_guesses_said(tmp_path: Path, codec: str) -> None:
    text = "Der Müller und die größere Brücke über den Fluß, früher und später."
    (tmp_path / "x.txt").write_bytes(text.encode(codec))
    source = open_paths([tmp_path])
    assert documents(source) == {"x.txt": text}
    assert source.notes() == (["x.txt read as windows-1252"] if codec == "cp1252" else [])


def test_many_guesses_are_said_in_one_line(tmp_path: Path) -> None:
    for number in range(7):
        (tmp_path / f"{number}.txt").write_bytes("Der Müller und die größere Brücke".encode("cp1252"))
    source = open_paths([tmp_path])
    documents(source)
    assert source.notes() == ["7 files (0.txt, 1.txt, 2.txt, …) read as windows-1252"]


def test_a_told_encoding(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_bytes("Müller".encode("cp850"))
    assert documents(open_paths([tmp_path], encoding="cp850")) == {"x.txt": "Müller"}
    (tmp_path / "x.txt").write_bytes(b"\xff")
    source = open_paths([tmp_path], encoding="utf-8")
    assert documents(source) == {}
    assert reasons(source) == {"x.txt": "not text"}


def test_a_mark_alone_is_an_empty_file(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_bytes(b"\xef\xbb\xbf")
    source = open_paths([tmp_path])
    assert documents(source) == {}
    assert reasons(source) == {"x.txt": "empty"}
