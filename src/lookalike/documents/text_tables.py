"""What tables in text files (JSON Lines, JSON, CSV) share: their encoding, their errors, their rows as lines.

Rows of CSV are read by Python's own reader, which holds none that is too long.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple, TypeVar

from lookalike.documents.raw_input import LIMITS, DamagedDataError, ExpandedError, Limits
from lookalike.documents.table_errors import truncated
from lookalike.documents.text_file import NotTextError, codec_of_mark, guess_codec, spoken_name
from lookalike.errors import DocumentError
from lookalike.opening import open_error
from lookalike.tables.spelling import to_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from typing_extensions import Buffer

    from lookalike.documents.raw_input import RawInput

__all__ = [
    "UNCLOSED",
    "CsvLayout",
    "CsvRowReader",
    "Encoding",
    "LineForm",
    "UnreadLines",
    "detect",
    "guess_layout",
    "open_utf8",
    "readable",
    "with_json_text",
]

# -- streams as UTF-8 --------------------------------------------------------------------------------------------------

_BLOCK: Final = 1 << 20


class Encoding:
    """The encoding of a stream, and whether it was guessed."""

    __slots__ = ("codec", "guessed", "name")

    def __init__(self, codec: str, *, guessed: bool = False, name: str = "") -> None:
        """Keep a codec that Python knows."""
        self.codec = codec
        self.name = name or spoken_name(codec)
        self.guessed = guessed

    @property
    def is_utf8(self) -> bool:
        """Whether the bytes can stay as they are."""
        return codecs.lookup(self.codec).name in ("utf-8", "utf-8-sig")


def detect(source: RawInput, encoding: str, *, guess: bool) -> Encoding:
    """Detect the encoding of a stream: as given, by its mark, UTF-8, or if `guess`, by its first non-ASCII bytes.

    With a few bytes that are not UTF-8 among many that are, it is damaged UTF-8.
    """
    if encoding != "auto":
        return Encoding(encoding)
    with source.open() as stream:
        block = stream.read(_BLOCK)
        if told := codec_of_mark(block):
            return Encoding(told[0], name=told[1])
        if not guess:
            return Encoding("utf-8")
        while block.isascii() and (more := stream.read(_BLOCK)):
            block = more
        block += stream.read(_BLOCK)
    if block.isascii() or _mostly_utf8(block):
        return Encoding("utf-8")
    return Encoding(guess_codec(_lines_with_marks(block)), guessed=True)


def _mostly_utf8(block: bytes) -> bool:
    """Return whether more unusual characters are right UTF-8 than are not."""
    text = block.decode("utf-8", "replace")
    wrong = text.count("\ufffd")
    right = len(text) - len(text.encode("ascii", "ignore")) - wrong
    return right > wrong


def _lines_with_marks(block: bytes) -> bytes:
    """Return the lines that have unusual bytes: only they show the encoding, and a cell cut in half does not."""
    lines = [line for line in block.split(b"\n")[:-1] if not line.isascii()]
    return b"\n".join(lines) or block


def open_utf8(source: RawInput, encoding: Encoding) -> BinaryIO:
    """Open a stream as UTF-8 without a byte order mark; `NotTextError` when what is read is not what it should be."""
    stream = source.open()
    if not encoding.is_utf8:
        return io.BufferedReader(_Recoded(stream, encoding), _BLOCK)
    if stream.peek(3).startswith(codecs.BOM_UTF8):
        stream.read(3)
    return stream


class _Recoded(io.RawIOBase):
    """A stream in some encoding, as UTF-8."""

    def __init__(self, stream: BinaryIO, encoding: Encoding) -> None:
        self._stream = stream
        self._encoding = encoding
        self._decoder = codecs.getincrementaldecoder(encoding.codec)()
        self._ready = b""
        self._ended = False
        self._begun = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer, /) -> int:
        view = memoryview(buffer)
        while not self._ready and not self._ended:
            self._ready = self._more()
        data = self._ready[: len(view)]
        self._ready = self._ready[len(data) :]
        view[: len(data)] = data
        return len(data)

    def _more(self) -> bytes:
        block = self._stream.read(_BLOCK)
        self._ended = not block
        try:
            text = self._decoder.decode(block, final=self._ended)
        except UnicodeError:
            problem = f"is not valid {self._encoding.name}"
            raise NotTextError("not text", problem, "name the right encoding with --encoding") from None
        if text and not self._begun:
            self._begun = True
            text = text.removeprefix("\ufeff")
        return text.encode("utf-8", "replace")

    def close(self) -> None:
        self._stream.close()
        super().close()


_T = TypeVar("_T")


def readable(name: str, read: Iterator[_T], limits: Limits = LIMITS) -> Iterator[_T]:
    """Pass on what is read; what keeps it from being read becomes a `DocumentError`."""
    try:
        yield from read
    except ExpandedError:
        raise limits.expansion_error(name) from None
    except DamagedDataError as error:
        raise truncated(name, error) from None
    except NotTextError as error:
        raise DocumentError(name, "file", error.problem, error.remedy) from None
    except OSError as error:
        raise open_error(name, error) from None


# -- a line with another text ------------------------------------------------------------------------------------------

_JSON_SPACE: Final = re.compile(r"[ \t\r\n]*")
_DECODER: Final = json.JSONDecoder()


def with_json_text(line: bytes, field: str, text: str) -> bytes:
    r"""Return a line, which is a valid JSON object, with another text in a field.

    >>> with_json_text(b'{"n": 1.50, "text" : "one two", "more": {"text": ""}}\r', "text", 'thr"ee')
    b'{"n": 1.50, "text" : "thr\\"ee", "more": {"text": ""}}\r'
    """
    source = line.decode("utf-8")
    pieces: list[str] = []
    copied = 0
    at = _behind_space(source, source.index("{") + 1)
    while source[at] != "}":
        name, at = _DECODER.raw_decode(source, at)
        at = _behind_space(source, _behind_space(source, at) + 1)
        _, end = _DECODER.raw_decode(source, at)
        if name == field:  # a repeated field is changed each time: whichever a reader takes, it is the new one
            pieces += source[copied:at], to_json(text, indent=None)[:-1]
            copied = end
        at = _behind_space(source, end)
        if source[at] == ",":
            at = _behind_space(source, at + 1)
    return ("".join(pieces) + source[copied:]).encode("utf-8")


def _behind_space(source: str, at: int) -> int:
    found = _JSON_SPACE.match(source, at)
    return found.end() if found else at


@dataclass(frozen=True, slots=True)
class LineForm:
    """What the lines of a table are."""

    format: str
    """``jsonl``, ``csv`` or ``tsv``."""
    head: bytes | None = None
    """The line before the first row, without its end."""
    delimiter: str = ""
    columns: tuple[str, ...] = ()

    def with_text(self, line: bytes, column: str, text: str) -> bytes:
        r"""Return a line with another text in a column.

        >>> LineForm("csv", b"id,text", ",", ("id", "text")).with_text(b'"1",two\r', "text", "a, b")
        b'"1","a, b"\r'
        """
        if self.format == "jsonl":
            return with_json_text(line, column, text)
        row = line.decode("utf-8", "surrogateescape")
        body = row.rstrip("\r\n")
        cells = _cells(body, self.delimiter)
        cells[self.columns.index(column)] = '"' + text.replace('"', '""') + '"'
        return (self.delimiter.join(cells) + row[len(body) :]).encode("utf-8", "surrogateescape")


def _cells(row: str, delimiter: str) -> list[str]:
    """Split a row into its cells, with their quotes: a quote that does not begin a cell is an ordinary character."""
    other = f"[^{re.escape(delimiter)}]*+"
    cell = re.compile(f'"(?:[^"]|"")*+"?{other}|{other}', re.DOTALL)
    cells: list[str] = []
    at = 0
    while at <= len(row):
        found = cell.match(row, at)
        end = found.end() if found else len(row)
        cells.append(row[at:end])
        at = end + len(delimiter)
    return cells


class UnreadLines:
    """Where lines go of which no row is made: byte for byte, portion by portion, each with a line end."""

    def __init__(self, write: Callable[[bytes | bytearray], object]) -> None:
        """Take what writes a portion."""
        self._write = write
        self._last: bytes | bytearray = b""
        self.count = 0
        """How many lines there were."""

    def portion(self, data: bytes | bytearray) -> None:
        """Write the next bytes of a line."""
        if data:
            self._write(data)
            self._last = data[-1:]

    def text(self, text: str) -> None:
        """Write the next characters of a line; bytes that were not UTF-8 are what they were."""
        self.portion(text.encode("utf-8", "surrogateescape"))

    def end(self) -> None:
        """End a line."""
        if self._last != b"\n":
            self._write(b"\n")
        self._last = b""
        self.count += 1


# -- rows of CSV -------------------------------------------------------------------------------------------------------

UNCLOSED: Final = "unexpected end of data"
"""The message of `csv.Error` for a text that ends inside quotes."""

_SAMPLE_ROWS: Final = 20
_PIECE: Final = 1 << 20
_LONGEST: Final = 2**31 - 1


class CsvLayout(NamedTuple):
    """How the cells of a CSV text are separated, and its header; the header is empty if it is not whole."""

    delimiter: str
    header: list[str]
    begun: int = 0
    """How many cells the first row has, whole or not."""


class _TooLongError(Exception):
    """A row that is longer than what may be held."""


class CsvRowReader:
    """The rows, one after the other; None stands for one that is too long."""

    def __init__(
        self,
        text: io.TextIOBase,
        delimiter: str,
        longest: int,
        *,
        strict: bool = False,
        cut: bool = False,
        passed: Callable[[str], object] | None = None,
    ) -> None:
        """Take a text whose line ends were left as they are; one that was `cut` off may end inside quotes.

        `passed` gets the pieces of rows that are too long.
        """
        self._cut = cut
        longest = min(longest, _LONGEST)
        csv.field_size_limit(max(csv.field_size_limit(), longest))
        self._lines = _CsvLines(text, longest, passed)
        self._reader = csv.reader(self._lines, delimiter=delimiter, strict=strict)

    @property
    def lines(self) -> int:
        """How many lines were read."""
        return self._lines.number

    @property
    def raw(self) -> str:
        """The lines of the last row, as they are; empty for one that is too long."""
        return "".join(self._lines.taken)

    def __iter__(self) -> Iterator[list[str] | None]:
        """Read to the end; `csv.Error` where the text is no CSV."""
        while True:
            self._lines.begin()
            try:
                row = next(self._reader, [])
            except _TooLongError:
                self._lines.pass_over()
                yield None
                continue
            if not row and self._lines.ended:
                return
            if self._lines.ended and not self._cut:  # the reader asked for more in the middle of a row
                raise csv.Error(UNCLOSED)
            yield row


class _CsvLines:
    """Lines as the reader asks for them, until those of one row are too long."""

    def __init__(self, text: io.TextIOBase, longest: int, passed: Callable[[str], object] | None) -> None:
        self._text = text
        self._longest = longest
        self._passed = passed or len
        self._held = 0
        self._quotes = 0
        self.taken: list[str] = []
        self._line = ""
        self.number = 0
        self.ended = False

    def begin(self) -> None:
        """Begin a row."""
        self._held = self._quotes = 0
        self.taken = []

    def __iter__(self) -> _CsvLines:
        return self

    def __next__(self) -> str:
        line = self._text.readline(self._longest - self._held + 1)
        if not line:
            self.ended = True
            raise StopIteration
        self._count(line)
        if self._held > self._longest:
            for piece in (*self.taken, line):
                self._passed(piece)
            self._line = line
            raise _TooLongError
        self.taken.append(line)
        return line

    def pass_over(self) -> None:
        """Read to the end of a row, which is a line end outside of quotes, and keep nothing."""
        self.taken = []
        line = self._line
        while self._quotes % 2 or not line.endswith(("\n", "\r")):
            line = self._text.readline(_PIECE)
            if not line:
                self.ended = True
                if self._quotes % 2:
                    raise csv.Error(UNCLOSED)
                return
            self._passed(line)
            self._count(line)

    def _count(self, line: str) -> None:
        self._held += len(line)
        self._quotes += line.count('"')
        self.number += line.endswith(("\n", "\r"))


def guess_layout(sample: str, delimiters: str, *, whole: bool) -> CsvLayout:
    r"""Choose the delimiter that explains the first rows best; `whole` says that the sample is not cut off.

    >>> guess_layout("id;note\n1;a, b, c\n2;d\n", ",;", whole=True)
    CsvLayout(delimiter=';', header=['id', 'note'], begun=2)
    """
    scores = [(*_score(sample, delimiter, whole), delimiter) for delimiter in delimiters]
    _, _, begun, header, delimiter = max(scores, key=lambda score: score[:3])
    return CsvLayout(delimiter, header, begun)


def _score(sample: str, delimiter: str, whole: bool) -> tuple[bool, int, int, list[str]]:
    """Return how well a delimiter explains the first rows: are they of one length, of how many cells; and the header.

    The third number is how many cells the first row has, whole or not.
    """
    rows: list[list[str]] = []
    try:
        for row in CsvRowReader(io.StringIO(sample, newline=""), delimiter, len(sample), cut=True):
            if row:
                rows.append(row)
            if len(rows) > _SAMPLE_ROWS:
                break
    except csv.Error:
        return False, 0, 0, []
    begun = len(rows[0]) if rows else 0
    if rows and not whole and len(rows) <= _SAMPLE_ROWS:
        rows.pop()  # cut off in its middle
    if not rows:
        return False, 0, begun, []
    cells = len(rows[0])
    return cells > 1 and all(len(row) == cells for row in rows), cells, begun, rows[0]
