"""Documents made to do harm: each is skipped with its reason, quickly and in little memory, and nothing is written."""

from __future__ import annotations

import gzip
import io
import os
import signal
import sys
import time
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from lookalike.documents import open_paths
from lookalike.documents.document_batches import RefusedError
from lookalike.documents.extract.pool import Pool, extract, request_for
from lookalike.documents.kinds import Kind
from tests.documents.making import W, docx, epub, lines_at, odt, pdf, scanned_pdf, tar, zipped
from tests.documents.reading import documents, reasons
from tests.faults.child import HANG, PEAK, run, start

if TYPE_CHECKING:
    from collections.abc import Callable

MEBIBYTE = 1 << 20
LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a0 "lol">'
    + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10))
    + "]>"
)


def with_document(xml: str | bytes) -> bytes:
    return zipped({"word/document.xml": xml, "[Content_Types].xml": "<Types/>"})


def bomb(size: int) -> bytes:
    """A part of nothing but one letter, a thousand times larger than it looks."""
    return b"<w:document><w:t>" + b"a" * size


def locked_zip() -> bytes:
    data = bytearray(zipped({"a.txt": b"secret text"}))
    for mark, place in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        data[data.index(mark) + place] |= 1
    return bytes(data)


def overlapping() -> bytes:
    """A zip whose hundred members are all the same compressed bytes."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("0.txt", bytes(8 * MEBIBYTE))
        first = archive.infolist()[0]
        for number in range(1, 100):
            twin = zipfile.ZipInfo("0.txt", first.date_time)
            twin.compress_type, twin.CRC = first.compress_type, first.CRC
            twin.file_size, twin.compress_size, twin.header_offset = first.file_size, first.compress_size, 0
            archive.filelist.append(twin)
            twin.filename = f"{number}.txt"
    return made.getvalue()


def looping_pdf() -> bytes:
    """A page tree that holds itself."""
    return pdf([lines_at(700, "x")]).replace(b"/Kids [8 0 R]", b"/Kids [2 0 R]")


HOSTILE: dict[str, tuple[str, Callable[[], bytes]]] = {
    "scanned.pdf": ("no text", scanned_pdf),
    "locked.pdf": ("encrypted", lambda: pdf([lines_at(700, "x")], encrypt=True)),
    "half.pdf": ("damaged", lambda: b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog"),
    "loop.pdf": ("no text", looping_pdf),
    "noise.pdf": ("damaged", lambda: b"%PDF-1.4\n" + bytes(range(256)) * 4000),
    "locked.docx": ("encrypted", lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le")),
    "old.doc": ("not text", lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)),
    "half.docx": ("damaged", lambda: docx(["x" * 1000])[:400]),
    "nothing.docx": ("damaged", lambda: zipped({"x": b"y"})),
    "no-xml.docx": ("damaged", lambda: with_document("no XML at all")),
    "cut.docx": ("damaged", lambda: with_document(f"<w:document {W}><w:body><w:p>")),
    "laughs.docx": ("damaged", lambda: with_document(LAUGHS + "<w:document>&a9;</w:document>")),
    "laughs16.docx": ("damaged", lambda: with_document((LAUGHS + "<w:document>&a9;</w:document>").encode("utf-16"))),
    "outside.docx": (
        "damaged",
        lambda: with_document('<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><w:document>&x;</w:document>'),
    ),
    "deep.docx": ("damaged", lambda: with_document("<a>" * 200_000)),
    "bomb.docx": ("too large", lambda: with_document(bomb(300 * MEBIBYTE))),
    "bomb.odt": ("too large", lambda: zipped({"content.xml": bomb(100 * MEBIBYTE)})),
    "locked.odt": ("encrypted", lambda: zipped({"META-INF/manifest.xml": "<encryption-data/>", "content.xml": "x"})),
    "locked.epub": (
        "encrypted",
        lambda: epub(
            ["<p>x"], {"META-INF/encryption.xml": '<encryption><CipherReference URI="OEBPS/c0.xhtml"/></encryption>'}
        ),
    ),
    "laughs.odt": ("damaged", lambda: zipped({"content.xml": LAUGHS + "<x>&a9;</x>"})),
    "no.epub": ("damaged", lambda: zipped({"META-INF/container.xml": "<container/>"})),
    "no.rtf": ("damaged", lambda: b"no rich text"),
    "no.eml": ("damaged", lambda: b"\nno headers"),
    "binary.html": ("binary", lambda: b"<p>\0\1\2</p>" * 100),
    "bomb.html.gz": ("too large", lambda: gzip.compress(bytes(200 * MEBIBYTE))),
    "not.zip": ("damaged", lambda: b"PK\3\4 but no more"),
    "not.tar": ("damaged", lambda: b"no tar at all" * 100),
    "half.tar.xz": ("damaged", lambda: tar({"x.txt": os.urandom(5000)}, "w:xz")[:2000]),
}


@pytest.mark.parametrize("name", list(HOSTILE))
def test_a_hostile_document_is_skipped_with_its_reason(tmp_path: Path, name: str) -> None:
    reason, make = HOSTILE[name]
    (tmp_path / name).write_bytes(make())
    (tmp_path / "good.txt").write_text("good")
    source = open_paths([tmp_path])
    assert documents(source) == {"good.txt": "good"}
    assert reasons(source) == {name: reason}, source.skipped()
    assert sorted(path.name for path in tmp_path.rglob("*")) == sorted([name, "good.txt"])


ARCHIVES: dict[str, Callable[[], bytes]] = {
    "plain": lambda: zipped({"a.txt": bytes(300 * MEBIBYTE)}),
    "nested": lambda: zipped({f"{n}.zip": zipped({"b.txt": b"a" * (40 * MEBIBYTE)}) for n in range(4)}),
    "overlapping": overlapping,
    "deep": lambda: zipped({"a.zip": zipped({"b.zip": zipped({"c.zip": zipped({"d.txt": bytes(9)})})})}),
    "many": lambda: zipped({f"{n}.docx": with_document(bomb(20 * MEBIBYTE)) for n in range(5)}),
}


@pytest.mark.parametrize("name", list(ARCHIVES))
def test_zip_bombs_stay_small(tmp_path: Path, name: str) -> None:
    (tmp_path / "bomb.zip").write_bytes(ARCHIVES[name]())
    program = (
        PEAK
        + """
import resource, sys
from lookalike.documents import open_paths
source = open_paths([sys.argv[1]])
print(sum(batch.texts.nbytes for batch in source.batches()) >> 20)
print(sorted({skipped.reason for skipped in source.skipped()}))
print(peak() >> 20)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10)
"""
    )
    read, reasons_seen, parent, child = run(program, str(tmp_path)).splitlines()
    assert int(read) < 130
    assert reasons_seen in ("['too large']", "['binary', 'too large']", "['binary', 'damaged']", "['nested']")
    assert int(parent) < 400
    assert sys.platform == "darwin" or int(child) < 300


@pytest.mark.parametrize(
    "page",
    [
        "<div>" * 1_000_000,
        "<!" * 500_000,
        "<b><i>" * 200_000,
        "<a " * 300_000,
        "<table><tr><td>" * 100_000,
        "&" * 1_000_000,
    ],
    ids=["nested", "unterminated", "crossed", "attributes", "tables", "entities"],
)
def test_pages_that_are_hard_to_parse(tmp_path: Path, page: str) -> None:
    (tmp_path / "x.html").write_text(page + "text")
    source = open_paths([tmp_path])
    found = documents(source)
    assert found or reasons(source)["x.html"] in ("empty", "damaged", "too slow", "too large")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.md", "> " * 20_000 + "x"),
        ("x.md", "[" * 50_000),
        ("x.md", "*a **b " * 20_000),
        ("x.tex", "{" * 50_000),
        ("x.tex", "\\begin{a}" * 5_000),
        ("x.rtf", "{\\rtf1 " + "{" * 100_000),
        (
            "x.eml",
            "Content-Type: multipart/mixed; boundary=a\n\n"
            + "--a\nContent-Type: multipart/mixed; boundary=a\n\n" * 3000,
        ),
    ],
)
def test_mark_up_that_never_ends(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    (tmp_path / "z.html").write_text("<p>the next one is read</p>")
    source = open_paths([tmp_path])
    found = documents(source)
    assert found["z.html"] == "the next one is read"
    assert set(reasons(source).values()) <= {"damaged", "too slow", "too large", "empty"}


def test_a_reader_that_ends_takes_one_document_with_it(tmp_path: Path) -> None:
    """Members around one that kills the process are all read."""
    killer = "\\begin{a}" * 60_000  # recursion without end, or time without end
    names = [f"{number}.txt" for number in range(5)]
    members: dict[str, bytes | str] = {name: f"text {name}" for name in names[:3]}
    members |= {"killer.tex": killer} | {name: f"text {name}" for name in names[3:]}
    (tmp_path / "x.zip").write_bytes(zipped(members))
    source = open_paths([tmp_path])
    found = documents(source)
    assert [name for name in found if name.endswith(".txt")] == [f"x.zip/{name}" for name in names]
    assert set(reasons(source)) <= {"x.zip/killer.tex"}


REQUEST: dict[str, Any] = request_for("x", Kind("html"), None, 0)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize(
    ("number", "reason"), [(signal.SIGKILL, "too large"), (signal.SIGSEGV, "damaged"), (signal.SIGXCPU, "too slow")]
)
def test_whatever_ends_a_reader_has_a_reason(number: int, reason: str) -> None:
    with Pool(1) as pool:
        job = pool.submit(REQUEST | {"size": 1 << 20}, b"<p>" * 600_000)
        while not (reader := pool._readers[0])._process:
            time.sleep(0.001)
        reader._process.send_signal(number)
        (reply,) = job
        assert (reply.text, reply.reason) == (None, reason)
        assert [again.text for again in pool.submit(REQUEST, b"<p>next")] == [b"next"]


@pytest.mark.skipif(sys.platform != "linux", reason="files of a process are seen in /proc")
@pytest.mark.parametrize(("value", "quiet"), [("1", False), ("", True), ("0", True), ("false", True), ("no", True)])
def test_readers_complain_only_for_debugging(monkeypatch: pytest.MonkeyPatch, value: str, quiet: bool) -> None:
    monkeypatch.setenv("LOOKALIKE_DEBUG", value)
    with Pool(1) as pool:
        assert [reply.text for reply in pool.submit(REQUEST, b"<p>page")] == [b"page"]
        process = pool._readers[0]._process
        assert process is not None
        assert (Path(f"/proc/{process.pid}/fd/2").readlink() == Path(os.devnull)) == quiet


def test_readers_are_replaced_and_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lookalike.documents.extract.pool._DOCUMENTS_EACH", 2)
    seen = set()
    with Pool(1) as pool:
        for number in range(5):
            assert [reply.text for reply in pool.submit(REQUEST, b"<p>%d" % number)] == [b"%d" % number]
            seen.add(pool._readers[0]._process)
    assert len(seen) == 3
    assert all(process is not None and process.returncode is not None for process in seen)


def test_a_pool_that_is_closed_early_leaves_no_process(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"{number}.html").write_text("<p>page " + "word " * 10_000)
    batches = open_paths([tmp_path]).batches()
    next(batches)
    batches.close()  # type: ignore[attr-defined]
    with Pool(2) as pool:
        jobs = [pool.submit(REQUEST, b"<p>" * 300_000) for _ in range(6)]
        next(iter(jobs[0]))
    assert all(reader._process is None for reader in pool._readers)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
def test_interrupting_ends_the_readers(tmp_path: Path) -> None:
    for number in range(300):
        (tmp_path / f"{number}.tex").write_text("word \\emph{x} " * 30_000)
    with start(
        "import sys\nfrom lookalike.cli import main\nsys.argv[1:] = ['files', sys.argv[1]]\nsys.exit(main())",
        str(tmp_path),
    ) as child:
        deadline = time.monotonic() + HANG
        while not (readers := children(child.pid)):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=HANG)
    assert child.returncode == 130
    while any(Path(f"/proc/{reader}").exists() for reader in readers):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def children(parent: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and int((entry / "stat").read_text().rpartition(")")[2].split()[1]) == parent:
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def test_reading_in_several_threads() -> None:
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda n: extract(f"<p>page {n}".encode(), "html").text, range(8)))
    assert found == [f"page {n}" for n in range(8)]


def test_an_endless_file_is_not_read(tmp_path: Path) -> None:
    for name in ("endless.pdf", "endless.html", "endless.docx"):
        with (tmp_path / name).open("wb") as file:
            file.write(b"%PDF-1.7\n")
            file.truncate(1 << 40)
    source = open_paths([tmp_path])
    assert documents(source) == {}
    assert set(reasons(source).values()) == {"too large"}


def test_a_document_that_becomes_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "x.docx").write_bytes(docx(["x"]))
    source = open_paths([tmp_path])
    (tmp_path / "x.docx").unlink()
    os.mkfifo(tmp_path / "x.docx")
    assert documents(source) == {}
    assert reasons(source) == {"x.docx": "unreadable"}


def test_cut_and_flipped_documents_never_break_a_run(tmp_path: Path) -> None:
    import random

    rng = random.Random(5)
    whole = {
        "pdf": pdf([lines_at(700, "some words on a page"), lines_at(700, "and on another")]),
        "docx": docx(["some words", "and others"]),
        "odt": odt(["some words"]),
        "zip": zipped({"a.txt": b"some words", "b.docx": docx(["x y z"])}),
        "tgz": tar({"a.txt": b"some words"}, "w:gz"),
    }
    for ending, data in whole.items():
        for number in range(8):
            damaged = bytearray(data[: rng.randrange(len(data))] if number % 2 else data)
            for _ in range(5):
                if damaged:
                    damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
            (tmp_path / f"{number}.{ending}").write_bytes(damaged or b"x")
    source = open_paths([tmp_path])
    first = documents(source)
    assert len(first) + len(source.skipped()) >= 40
    assert documents(source) == first


def test_extract_says_why_not() -> None:
    with pytest.raises(RefusedError) as refused:
        extract(scanned_pdf(), "pdf")
    assert refused.value.reason == "no text"
    assert "OCR" in refused.value.detail
