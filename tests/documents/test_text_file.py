from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from lookalike import DocumentError
from lookalike.documents.text_file import TextFile, decode, read_text
from lookalike.opening import STDIN
from tests.documents.reading import UNPRIVILEGED
from tests.faults.child import run

GERMAN = "Der Müller und die größere Brücke über den Fluß, früher und später."
RUSSIAN = "Это обычный русский текст, по которому узнают кодировку."
JAPANESE = (Path(__file__).parents[2] / "examples" / "collection" / "ame-no-hi.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("codec", "encoding"),
    [
        ("utf-8", "UTF-8"),
        ("utf-8-sig", "UTF-8"),
        ("utf-16", "UTF-16"),
        ("utf-32", "UTF-32"),
    ],
)
@pytest.mark.parametrize("text", [GERMAN, JAPANESE, "🐝\r\n", "a"], ids=["de", "ja", "emoji", "a"])
def test_unicode_is_read_as_what_it_is(text: str, codec: str, encoding: str) -> None:
    assert decode("x", text.encode(codec)) == TextFile("x", text, encoding, guessed=False)


@pytest.mark.parametrize(("codec", "mark"), [("utf-16-be", b"\xfe\xff"), ("utf-32-be", b"\x00\x00\xfe\xff")])
def test_big_endian_too(codec: str, mark: bytes) -> None:
    assert decode("x", mark + GERMAN.encode(codec)).text == GERMAN


@pytest.mark.parametrize(
    ("text", "codec", "encoding"),
    [
        (GERMAN, "cp1252", "windows-1252"),
        ("é", "latin-1", "windows-1252"),
        ("café crème brûlée", "cp1252", "windows-1252"),
        ("“Smart quotes” are what Windows writes — isn’t it?", "cp1252", "windows-1252"),
        ("Zażółć gęślą jaźń w mieście", "cp1250", "windows-1250"),
        (RUSSIAN, "cp1251", "windows-1251"),
        (RUSSIAN, "koi8-r", "koi8-r"),
        (JAPANESE, "shift_jis", "cp932"),
        (JAPANESE, "euc_jp", "euc-jp"),
        ("这是一个中文文本，用于测试编码检测。", "gb18030", "gb18030"),
    ],
    ids=lambda value: ascii(value[:12]),
)
def test_another_encoding_is_detected_and_said(text: str, codec: str, encoding: str) -> None:
    assert decode("x", text.encode(codec)) == TextFile("x", text, encoding, guessed=True)


def test_the_name_of_an_encoding_is_one_that_python_knows() -> None:
    found = decode("x", GERMAN.encode("cp1252"))
    assert GERMAN.encode(found.encoding).decode(found.encoding) == GERMAN


@pytest.mark.parametrize("text", ["a\nb", "a\r\nb", "a\rb", "a\n\rb", "\n", "a\x0cb\x85c\u2028d"])
def test_line_ends_stay(tmp_path: Path, text: str) -> None:
    (tmp_path / "x").write_bytes(text.encode("utf-8"))
    assert read_text(tmp_path / "x").text == text


def test_only_the_first_mark_is_dropped() -> None:
    assert decode("x", "\ufeff\ufeffa\ufeff".encode()).text == "\ufeffa\ufeff"


def test_an_empty_file_is_an_empty_text() -> None:
    assert decode("x", b"") == TextFile("x", "", "UTF-8")


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"some\0thing", "is not text (it has NUL bytes)"),
        ("utf-16 without a mark".encode("utf-16-le"), "is not text (it has NUL bytes)"),
        (b"x" * 100_000 + b"\0", "is not text (it has NUL bytes)"),
        (b"%PDF-1.7\n%abc", "is a PDF document, not plain text"),
        (b"PK\x03\x04 and so on", "is a zip archive or an office document, not plain text"),
        (b"\x1f\x8b\x08", "is a gzip archive, not plain text"),
        (b"\x89PNG\r\n", "is a picture, not plain text"),
        (b"\xff\xfe\x00\xd8a", "begins like UTF-16 but is not valid UTF-16"),
        (b"\xff\xfe\x00\x00\xff\xff\xff\xff", "begins like UTF-32 but is not valid UTF-32"),
        (b"\xef\xbb\xbf\xff", "begins like UTF-8 but is not valid UTF-8"),
        (bytes(range(1, 256)) * 4, "is not text in any known encoding"),
    ],
)
def test_what_is_not_text_is_named_with_the_remedy(data: bytes, problem: str) -> None:
    with pytest.raises(DocumentError) as caught:
        decode("some.file", data)
    assert (caught.value.document, caught.value.problem) == ("some.file", problem)
    assert caught.value.remedy


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match=r"does not exist; check the name$"):
        read_text(tmp_path / "a.txt")
    with pytest.raises(DocumentError, match=r"does not exist"):
        read_text(tmp_path / "no" / "such" / "folder.txt")


def test_a_misspelt_name_is_corrected(tmp_path: Path) -> None:
    (tmp_path / "essay-final.txt").touch()
    (tmp_path / "b.txt").touch()
    with pytest.raises(DocumentError, match=r"did you mean 'essay-final.txt'\?"):
        read_text(tmp_path / "esay-final.txt")
    with pytest.raises(DocumentError, match=r"check the name"):
        read_text(tmp_path / "a.txt")


def test_a_directory(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match=r"file is a directory; give one file"):
        read_text(tmp_path)


@pytest.mark.parametrize("name", ["", "a\0b", "x" * 5000])
def test_an_impossible_name(name: str) -> None:
    with pytest.raises(DocumentError):
        read_text(name)


def test_no_permission(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("secret")
    (tmp_path / "x").chmod(0)
    tmp_path.chmod(0o755)
    program = """
import sys
from lookalike import DocumentError
from lookalike.documents.text_file import read_text
os.chdir(sys.argv[1])
drop_privileges()
try:
    read_text("x")
except DocumentError as error:
    print(error)
"""
    told = run(UNPRIVILEGED + program, str(tmp_path))
    assert told == "document 'x': file cannot be read (permission denied); check its permissions\n"


def test_no_permission_and_a_broken_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(error: OSError) -> None:
        def open_input(*_: object) -> None:
            raise error

        monkeypatch.setattr("lookalike.documents.text_file.open_input", open_input)

    refuse(PermissionError(13, "Permission denied"))
    with pytest.raises(DocumentError, match=r"cannot be read \(permission denied\); check its permissions"):
        read_text("x")
    refuse(OSError(5, "Input/output error"))
    with pytest.raises(DocumentError, match=r"cannot be read \(Input/output error\)"):
        read_text("x")


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(GERMAN.encode("utf-16"))))
    assert read_text("-") == TextFile(STDIN, GERMAN, "UTF-16")
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(DocumentError, match="is closed"):
        read_text("-")
