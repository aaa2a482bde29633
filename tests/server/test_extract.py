"""The text of a file that a client sends: every format, hostile files, and limits of size, time and number."""

from __future__ import annotations

import gzip
import json
import os
import time
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

import pytest

from lookalike.documents.raw_input import LIMITS
from lookalike.server import check_routes
from lookalike.server.problems import Problem
from tests.browser.serving import built, served
from tests.documents.making import docx, eml, epub, lines_at, odt, pdf, pptx, rtf, shape, zipped
from tests.faults.child import HANG, PEAK, run
from tests.faults.test_hostile_documents import HOSTILE, bomb, children, with_document

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

WORDS = "the bells of the lower town were silent"
MEBIBYTE = 1 << 20

FORMATS: dict[str, Callable[[], bytes]] = {
    "essay.txt": WORDS.encode,
    "essay": WORDS.encode,
    "ESSAY.TXT": lambda: WORDS.encode("utf-16"),
    "essay.txt.gz": lambda: gzip.compress(WORDS.encode()),
    "essay.md": f"# {WORDS}".encode,
    "essay.tex": f"\\emph{{{WORDS}}}".encode,
    "essay.html": f"<p>{WORDS}</p>".encode,
    "essay.pdf": lambda: pdf([lines_at(700, WORDS)]),
    "essay.docx": lambda: docx([WORDS]),
    "essay.odt": lambda: odt([WORDS]),
    "essay.pptx": lambda: pptx([shape(WORDS)]),
    "essay.epub": lambda: epub([f"<p>{WORDS}</p>"]),
    "essay.rtf": lambda: rtf(WORDS),
    "essay.eml": lambda: eml("a subject", WORDS),
    # A name that is wrong, or made to be a path: only the bytes that were sent are read.
    "essay.txt ": WORDS.encode,
    "really-a-pdf.txt": lambda: pdf([lines_at(700, WORDS)]),
    "really-html.doc": f"<html><body><p>{WORDS}</p></body></html>".encode,
    "../../../etc/passwd": WORDS.encode,
    "/etc/passwd": WORDS.encode,
    "file:///etc/passwd": WORDS.encode,
    "http://127.0.0.1:1/essay.html": f"<p>{WORDS}</p>".encode,
    "C:\\essay.docx": lambda: docx([WORDS]),
    "-o\r\nX: y.txt": WORDS.encode,
    "\u202etxt.exe": WORDS.encode,
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(built(tmp_path_factory.mktemp("extract") / "x.db", {"a": WORDS})) as url:
        yield url


def send(server: str, name: str | None, data: bytes, kind: str = "application/octet-stream") -> tuple[int, Any]:
    address = f"{server}/v1/extract" + ("" if name is None else f"?name={quote(name, safe='')}")
    request = Request(address, data, {"Content-Type": kind}, method="POST")
    try:
        with urlopen(request, timeout=HANG) as answer:
            return answer.status, json.load(answer)
    except HTTPError as error:
        with error:
            status, told, answer = error.code, error.headers["Content-Type"], json.load(error)
    assert told == "application/problem+json"
    return status, answer


@pytest.mark.parametrize("name", FORMATS)
def test_the_text_of_every_format(name: str, server: str) -> None:
    status, answer = send(server, name, FORMATS[name]())
    assert status == 200, answer
    assert answer["name"] == name
    assert WORDS in " ".join(answer["text"].split())
    assert answer["notes"] == []


def test_what_a_reader_should_know_is_noted(server: str) -> None:
    hidden = "<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>nobody sees it</w:t></w:r></w:p>"
    _, answer = send(server, "x.docx", docx(f"<w:p><w:r><w:t>{WORDS}</w:t></w:r></w:p>{hidden}"))
    assert [note.partition(":")[0] for note in answer["notes"]] == ["hidden text"]
    _, answer = send(server, "x.txt", "Ein schöner Weg führt über die Brücke nach Süden, für alle.".encode("cp1252"))
    assert answer["notes"] == ["its encoding is not stated; it was read as windows-1252"]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_with_its_reason(name: str, server: str) -> None:
    reason, make = HOSTILE[name]
    data = make()
    status, answer = send(server, name, data)
    if name.startswith(("not.", "half.tar")):
        reason = "archive"
    assert 400 <= status < 500, answer
    assert f"({reason})" in answer["detail"]
    assert answer["errors"][0]["field"] == "/name"
    assert "--max" not in json.dumps(answer)
    assert send(server, "x.txt", b"the next one is read")[0] == 200


@pytest.mark.parametrize(
    ("name", "data", "status"),
    [
        ("x.txt", b"", 422),
        ("x.txt", b" \n\t ", 422),
        ("x.txt", b"\0\1\2" * 50, 415),
        ("x.csv", b"id,text\n1,a\n", 415),
        ("x.jsonl", b'{"text": "a"}\n', 415),
        ("x.parquet", b"PAR1", 415),
        ("x.zip", zipped({"a.txt": b"text"}), 415),
        ("x.tar.gz", b"x", 415),
        ("x.xlsx", b"x", 415),
        ("x" * 256, b"text", 422),
        ("", b"text", 422),
        (None, b"text", 422),
        ("x.txt", b"x" * 11_000_000, 413),
    ],
)
def test_what_is_not_one_document_is_refused(name: str | None, data: bytes, status: int, server: str) -> None:
    found, answer = send(server, name, data)
    assert found == status, answer
    assert answer["status"] == status


def test_only_bytes_are_taken(server: str) -> None:
    for kind in ("application/json", "multipart/form-data; boundary=x", "text/plain", ""):
        assert send(server, "x.txt", b"text", kind)[0] == 415
    with pytest.raises(HTTPError) as error:
        urlopen(f"{server}/v1/extract?name=x.txt", timeout=HANG)
    with error.value:
        assert error.value.code == 405


def test_a_reader_is_ended_after_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    before = set(children(os.getpid()))
    began = time.monotonic()
    with pytest.raises(Problem) as problem:  # no process starts within a hundredth of a second
        check_routes._text_of("x.html", b"<p>words", LIMITS, 0.01)
    assert problem.value.status == 422
    assert "(too slow)" in problem.value.detail
    assert time.monotonic() - began < 20
    assert set(children(os.getpid())) <= before
    assert check_routes._text_of("x.html", b"<p>words", LIMITS, 60)["text"] == "words"


def test_too_many_files_at_once_are_told_to_wait() -> None:
    taken = 0
    try:
        while check_routes._READERS.acquire(blocking=False):
            taken += 1
        with pytest.raises(Problem) as problem:
            check_routes._text_of("x.txt", b"text", LIMITS, 60)
    finally:
        check_routes._READERS.release(taken)
    assert (problem.value.status, problem.value.headers) == (503, {"retry-after": "1"})
    assert taken == 4
    assert check_routes._text_of("x.txt", b"text", LIMITS, 60)["text"] == "text"


@pytest.mark.parametrize("kind", ["docx", "html.gz"])
def test_a_bomb_costs_the_server_no_memory(kind: str, tmp_path: Path) -> None:
    data = with_document(bomb(300 * MEBIBYTE)) if kind == "docx" else gzip.compress(bytes(300 * MEBIBYTE))
    (tmp_path / "bomb").write_bytes(data)
    program = (
        PEAK
        + """
import sys
from pathlib import Path
from lookalike.documents.raw_input import LIMITS
from lookalike.server.check_routes import _text_of
from lookalike.server.problems import Problem
before = peak()
try:
    _text_of(f"bomb.{sys.argv[2]}", Path(sys.argv[1]).read_bytes(), LIMITS, 60)
except Problem as problem:
    print(problem.status, (peak() - before) >> 20)
"""
    )
    status, grown = run(program, str(tmp_path / "bomb"), kind).split()
    assert status == "413"
    assert int(grown) < 30
