"""One text file, or standard input, as text: which encoding it is in, and why it cannot be read if it cannot.

A byte order mark decides, else UTF-8 is tried, then a guess. A guess is never silent: `TextFile.guessed` says so and
the commands print it. Line ends stay as they are, because offsets into the text must hold for the file.
"""

from __future__ import annotations

import codecs
import os
import sys
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple

from lookalike.documents.raw_input import LIMITS, Limits
from lookalike.errors import DocumentError, RecipeError, suggest
from lookalike.opening import STDIN, is_url, open_error, open_input, pipe_blocks, shown_url, stdin
from lookalike.tables.spelling import size

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lookalike.documents.document_batches import Flag

__all__ = [
    "LARGEST_SMALL_FILE",
    "READABLE",
    "NotTextError",
    "TextFile",
    "Utf8",
    "check_encoding",
    "check_start",
    "codec_of_mark",
    "decode",
    "decode_bytes",
    "guess_codec",
    "read_small",
    "read_text",
    "similar_name",
    "spoken_name",
    "to_utf8",
]

# UTF-32 first: its little-endian mark begins with that of UTF-16.
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig", "UTF-8"),
    (codecs.BOM_UTF32_LE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16", "UTF-16"),
)

# What people pass by mistake, by its first bytes. Some of these decode as a one-byte encoding, to nonsense.
_BINARY: Final = (
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a zip archive or an office document"),
    (b"\xd0\xcf\x11\xe0", "an old office document"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"BZh91AY&SY", "a bzip2 archive"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"7z\xbc\xaf", "a 7-Zip archive"),
    (b"\x89PNG", "a picture"),
    (b"GIF87a", "a picture"),
    (b"GIF89a", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"PAR1", "a Parquet table"),
    (b"ARROW1", "an Arrow table"),
)
READABLE: Final = (b"%PDF-", b"PK\3\4", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"{\\rtf")
"""How documents begin that have a reader, whatever their name."""
_ALL_MARKS: Final = tuple(mark for mark, _, _ in _MARKS)
_ALL_BINARY: Final = tuple(magic for magic, _ in _BINARY)
_LATER: Final = ("a PDF document", "a zip archive or an office document", "an old office document")

# The encodings that texts are still found in. Left to itself, charset-normalizer also proposes EBCDIC for a short text.
_GUESSES: Final = [
    *("cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258", "cp874"),
    *("koi8_r", "mac_roman", "cp850", "cp932", "euc_jp", "iso2022_jp", "gb18030", "big5", "cp949"),
]
_LIKELIEST: Final = "cp1252"
_PIECE: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class TextFile:
    """A text, the name it was given by, and the encoding it was read in."""

    name: str
    text: str
    encoding: str
    """By its usual name: ``UTF-8``, ``UTF-16``, ``windows-1252`` …"""
    guessed: bool = False
    """Whether the encoding is a guess from the bytes, not stated by the file."""
    flags: tuple[Flag, ...] = field(default=(), repr=False)
    """What is unusual about it, such as hidden text."""


class Utf8(NamedTuple):
    """A text as UTF-8, and the encoding it was read in."""

    data: bytes
    encoding: str
    guessed: bool = False


class NotTextError(Exception):
    """Bytes that are not text: a short reason to be counted, a sentence for the user, and what to do."""

    def __init__(self, reason: str, problem: str, remedy: str) -> None:
        """Keep the three; they continue "the file …"."""
        self.reason = reason
        self.problem = problem
        self.remedy = remedy
        super().__init__(problem)


def read_text(path: str | os.PathLike[str], limits: Limits = LIMITS) -> TextFile:
    """Read a file, or standard input if `path` is ``-``; what cannot be read as text is a `DocumentError`.

    >>> read_text("no/such/file.txt")
    Traceback (most recent call last):
        ...
    lookalike.errors.DocumentError: document 'no/such/file.txt': file does not exist; check the name
    """
    name = os.fspath(path)
    if name == "-":
        return decode(STDIN, _held(STDIN, _up_to(limits.document, pipe_blocks(stdin(), STDIN)), limits))
    if not name:  # which Path would take for the folder that we are in
        raise DocumentError("''", "file", "is not the name of a file", "check the name")
    try:
        large = Path(name).is_file() and Path(name).stat().st_size > limits.document  # then nothing is read
        with _opened(name, limits.document) as stream:
            # None: a file of the system, such as /proc/kmsg, with nothing to read yet
            data = b"" if large else stream.read(min(limits.document + 1, sys.maxsize)) or b""
    except FileNotFoundError:
        raise DocumentError(name, "file", "does not exist", similar_name(Path(name)) or "check the name") from None
    except DocumentError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a NUL character in the name
        raise open_error(name, error if isinstance(error, OSError) else OSError(str(error))) from None
    name = shown_url(name)
    return decode(name, _held(name, data, limits, large=large))


def _opened(name: str, most: int) -> BinaryIO:
    if not is_url(name):
        return open_input(name, name, most)
    from lookalike.remote import open_named

    return open_named(name, name, most)


def decode(name: str, data: bytes, encoding: str = "auto") -> TextFile:
    r"""Turn the bytes of a file into text; `name` is for messages.

    >>> decode("a.txt", b"\xef\xbb\xbfone\r\ntwo")
    TextFile(name='a.txt', text='one\r\ntwo', encoding='UTF-8', guessed=False)
    >>> decode("a", b"one\0two")
    Traceback (most recent call last):
        ...
    lookalike.errors.DocumentError: document 'a': file is not text (it has NUL bytes); convert it to plain text first
    """
    try:
        return TextFile(name, *decode_bytes(data, encoding))
    except NotTextError as error:
        raise DocumentError(name, "file", error.problem, error.remedy) from None


def to_utf8(data: bytes, encoding: str = "auto") -> Utf8:
    """Turn the bytes of a file into UTF-8: the same bytes, if that is what they are. May raise `NotTextError`."""
    if encoding == "auto" and data.isascii():
        check_start(data)
        return Utf8(data, "UTF-8")
    if encoding == "auto" and not data.startswith(_ALL_MARKS):
        check_start(data)
        if _is_utf8(data):
            return Utf8(data, "UTF-8")
    text, spoken, guessed = decode_bytes(data, encoding)
    return Utf8(text.encode("utf-8"), spoken, guessed)


def _is_utf8(data: bytes) -> bool:
    """Return whether bytes are UTF-8, a piece at a time: one emoji makes the whole str four times as large."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    view = memoryview(data)
    try:
        for start in range(0, len(data), _PIECE):
            decoder.decode(view[start : start + _PIECE], final=start + _PIECE >= len(data))
    except UnicodeDecodeError:
        return False
    return True


def check_start(data: bytes) -> None:
    """Raise `NotTextError` if bytes begin like a known binary format, or have a NUL and no byte order mark."""
    if data.startswith(_ALL_MARKS):
        return
    if data.startswith(_ALL_BINARY):
        kind = next(kind for magic, kind in _BINARY if data.startswith(magic))
        reason = "not text" if kind in _LATER else "binary"
        raise NotTextError(reason, f"is {kind}, not plain text", "convert it to plain text first")
    if b"\0" in data:
        raise NotTextError("binary", "is not text (it has NUL bytes)", "convert it to plain text first")


def check_encoding(encoding: str) -> None:
    """Raise `RecipeError` unless this is ``auto`` or the name of an encoding of text that Python knows.

    >>> check_encoding("utf8")
    >>> check_encoding("utf-9")
    Traceback (most recent call last):
        ...
    lookalike.errors.RecipeError: encoding must be auto or the name of an encoding, not 'utf-9'; did you mean 'utf-8'?
    """
    if encoding != "auto":
        try:
            "".encode(encoding)
        except (LookupError, TypeError, ValueError):
            choices = ("utf-8", "utf-16", "utf-32", "latin-1", "windows-1252", *_GUESSES)
            allowed = "auto or the name of an encoding"
            raise RecipeError("encoding", encoding, allowed, suggest(encoding, choices)) from None


def codec_of_mark(start: bytes) -> tuple[str, str] | None:
    """Return codec and name of the encoding that a byte order mark at the start of some bytes gives."""
    return next(((codec, spoken) for mark, codec, spoken in _MARKS if start.startswith(mark)), None)


def guess_codec(data: bytes) -> str:
    """Return the codec that bytes are most likely in, which are not UTF-8. May raise `NotTextError`."""
    from charset_normalizer import from_bytes  # rarely needed

    found = from_bytes(data, cp_isolation=_GUESSES)
    best = found.best()
    if best is None:
        raise NotTextError("not text", "is not text in any known encoding", "convert it to UTF-8 text first")
    codec = best.encoding
    for other in found:
        # Many encodings explain a Western text equally well; the library then takes the first of the alphabet.
        as_good = (other.chaos, other.coherence) == (best.chaos, best.coherence)
        if as_good and _LIKELIEST in (other.encoding, *other.could_be_from_charset):
            codec = _LIKELIEST
    return codec


def spoken_name(codec: str) -> str:
    """Return the name of an encoding that editors and web pages use."""
    return f"windows-{codec[2:]}" if codec.startswith("cp125") else codec.replace("_", "-")


def decode_bytes(data: bytes, encoding: str = "auto") -> tuple[str, str, bool]:
    """Return the text, the name of its encoding, and whether that is a guess. May raise `NotTextError`."""
    if encoding != "auto":
        return _decode_as(data, encoding), spoken_name(encoding), False
    if told := codec_of_mark(data):
        codec, spoken = told
        try:
            return data.decode(codec), spoken, False
        except UnicodeDecodeError:
            problem = f"begins like {spoken} but is not valid {spoken}"
            raise NotTextError("not text", problem, "save it as UTF-8") from None
    check_start(data)
    try:
        return data.decode("utf-8"), "UTF-8", False
    except UnicodeDecodeError:
        codec = guess_codec(data)
        return data.decode(codec), spoken_name(codec), True


def _decode_as(data: bytes, encoding: str) -> str:
    try:
        text = data.decode(encoding)
    except UnicodeError:
        problem = f"is not valid {encoding}"
        raise NotTextError("not text", problem, "omit --encoding to have it detected") from None
    return text.removeprefix("\ufeff")


def _held(name: str, data: bytes, limits: Limits, *, large: bool = False) -> bytes:
    """Return what was read of a document, unless that is too much."""
    if large or len(data) > limits.document:
        problem, remedy = limits.too_large("").strip().split("; ", 1)
        raise DocumentError(name, "file", problem, remedy)
    return data


def _up_to(most: int, blocks: Iterable[bytes]) -> bytes:
    """Return what is in the blocks, or a little more than `most` bytes of it."""
    data = bytearray()
    for block in blocks:
        data += block
        if len(data) > most:
            break
    return bytes(data)


def similar_name(path: Path) -> str:
    """Return "did you mean …?" for a misspelt file name; looks at no more than 1000 names of a large folder."""
    from difflib import get_close_matches

    try:
        with os.scandir(path.parent) as entries:
            names = [entry.name for entry in islice(entries, 1000)]
    except OSError:
        return ""
    close = get_close_matches(path.name, names, n=1, cutoff=0.85)  # a.txt is not meant by b.txt
    return f"did you mean {close[0]!r}?" if close else ""


# -- small files beside the documents ----------------------------------------------------------------------------------

LARGEST_SMALL_FILE: Final = 100_000_000
"""Bytes; a million rows of a hundred."""


def read_small(path: str | os.PathLike[str], remedy: str) -> str:
    """Return the text of a file, or of standard input; one that is larger than `LARGEST_SMALL_FILE` is not read."""
    try:
        too_large = Path(path).stat().st_size > LARGEST_SMALL_FILE
    except (OSError, ValueError):  # standard input, or no file: the reader says what is wrong
        too_large = False
    if too_large:
        raise DocumentError(str(path), "file", f"is larger than {size(LARGEST_SMALL_FILE)}", remedy)
    return read_text(path).text
