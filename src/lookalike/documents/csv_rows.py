"""The rows of a CSV text by Python's own reader, which holds none that is too long."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["UNCLOSED", "CsvLayout", "CsvRowReader", "guess_layout"]

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
        self, text: io.TextIOBase, delimiter: str, longest: int, *, strict: bool = False, cut: bool = False
    ) -> None:
        """Take a text whose line ends were left as they are; one that was `cut` off may end inside quotes."""
        self._cut = cut
        longest = min(longest, _LONGEST)
        csv.field_size_limit(max(csv.field_size_limit(), longest))
        self._lines = _CsvLines(text, longest)
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

    def __init__(self, text: io.TextIOBase, longest: int) -> None:
        self._text = text
        self._longest = longest
        self._held = 0
        self._quotes = 0
        self.taken: list[str] = []
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
            raise _TooLongError
        self.taken.append(line)
        return line

    def pass_over(self) -> None:
        """Read to the end of a row, which is a line end outside of quotes, and keep nothing."""
        self.taken = []
        line = ""
        while self._quotes % 2 or not line.endswith(("\n", "\r")):
            line = self._text.readline(_PIECE)
            if not line:
                self.ended = True
                if self._quotes % 2:
                    raise csv.Error(UNCLOSED)
                return
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
