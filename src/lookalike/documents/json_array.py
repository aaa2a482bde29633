"""JSON files that are one array, of objects or of texts.

No more of the file is held than one element and a block.
"""

from __future__ import annotations

import codecs
import json
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from lookalike.documents.document_batches import Log
from lookalike.documents.json_lines import JsonLines
from lookalike.documents.json_objects import SAMPLE_BYTES, JsonTable, json_kind
from lookalike.documents.table_errors import BAD_ROW, bad_element, element_too_long
from lookalike.documents.text_tables import detect, open_utf8, readable
from lookalike.errors import DocumentError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lookalike.documents.json_objects import Numbered
    from lookalike.documents.raw_input import RawInput
    from lookalike.documents.text_tables import UnreadLines

__all__ = ["TOO_LONG", "ArrayError", "JsonArray", "elements", "open_json"]

_REMEDY: Final = "give an array of objects or of texts, or JSON Lines in a .jsonl file"


def open_json(name: str, source: RawInput, encoding: str) -> JsonTable:
    """Open a .json file: an array, or what is JSON Lines under another name."""
    start = "".join(readable(name, _start(source, encoding), source.limits))
    if start.startswith("{"):
        first = start.split("\n", 1)[0]
        if len(first) < len(start) or first.rstrip().endswith("}"):
            try:
                json.loads(first)
            except (ValueError, RecursionError):
                raise DocumentError(name, "file", "is one JSON object, not an array", _REMEDY) from None
        return JsonLines(name, source, encoding)
    return JsonArray(name, source, encoding)


def _start(source: RawInput, encoding: str) -> Iterator[str]:
    with open_utf8(source, detect(source, encoding, guess=False)) as stream:
        yield stream.read(1 << 16).decode("utf-8", "replace").lstrip()


class JsonArray(JsonTable):
    """One array; a text in it is a row with the one column ``text``."""

    def __init__(self, name: str, source: RawInput, encoding: str = "auto") -> None:
        """Take an input."""
        super().__init__(name, source)
        self._told = encoding

    def has_rows(self) -> bool:
        """Return whether there is a row; an array in which no element can be one is refused."""
        log = Log()
        if any(readable(self.name, self._groups(log, SAMPLE_BYTES), self._input.limits)):
            return True
        for skipped in (skipped for _, skipped in log.rows if skipped.reason == BAD_ROW):
            problem = f"has no object and no text: {skipped.detail}"
            raise DocumentError(self.name, "file", problem, _REMEDY)
        return False

    def _groups(self, log: Log | None, size: int) -> Iterator[Numbered]:
        group: Numbered = []
        held = 0
        for number, length, value in self._elements():
            if value is TOO_LONG:
                if log is not None:
                    log.skip_row(number, element_too_long(self.name, number, self._input.limits))
                continue
            row = {"text": value} if isinstance(value, str) else value
            if isinstance(row, dict):
                group.append((number, row))
                held += length
            elif log is not None:
                log.skip_row(number, bad_element(self.name, number, f"is {json_kind(value)}, not an object or a text"))
            if group and held >= size:
                yield group
                group, held = [], 0
        if group:
            yield group

    def _elements(self) -> Iterator[tuple[int, int, Any]]:
        with self._window() as window:
            yield from window.elements()

    @contextmanager
    def _window(self, passed: Callable[[str], object] | None = None) -> Iterator[_Window]:
        with open_utf8(self._input, detect(self._input, self._told, guess=False)) as stream:
            try:
                yield _Window(stream, self._input.limits.document, passed)
            except ArrayError as error:
                raise self._malformed(error) from None

    def write_unread(self, unread: UnreadLines) -> None:
        """Write the elements that are no objects or texts, and those that are too long."""
        for _ in readable(self.name, self._passed_over(unread), self._input.limits):
            unread.end()

    def _passed_over(self, unread: UnreadLines) -> Iterator[int]:
        with self._window(unread.text) as window:
            for number, length, value in window.elements():
                if value is TOO_LONG:
                    yield number
                elif not isinstance(value, dict | str):
                    unread.text(window.last(length))
                    yield number

    def _malformed(self, error: ArrayError) -> DocumentError:
        if error.number is not None:
            problem = f"is not JSON ({error.why})"
            return DocumentError(f"{self.name}:{error.number + 1}", "element", problem, "fix or remove it")
        remedy = "save it as UTF-8, or name its --encoding" if "UTF-8" in error.why else _REMEDY
        return DocumentError(self.name, "file", error.why, remedy)


# -- elements, one after the other -------------------------------------------------------------------------------------

TOO_LONG: Final = object()
"""Yielded in place of an element that is too long to be held."""

_BLOCK: Final = 1 << 20
_TOKEN: Final = 16
"""No word or escape of JSON is longer: an error so near to the end of what is read may come from the cut."""
_BLANK: Final = re.compile(r"[ \t\r\n]*")
_MARK: Final = re.compile(r'["\[\]{},]')


class ArrayError(ValueError):
    """A file that is not an array, or an element that is not JSON: its number, or None, and why."""

    def __init__(self, number: int | None, why: str) -> None:
        """Keep both."""
        self.number = number
        self.why = why
        super().__init__(why)


def elements(stream: BinaryIO, longest: int) -> Iterator[tuple[int, int, Any]]:
    """Yield each element with its number and its length; a file without anything has none."""
    return _Window(stream, longest).elements()


class _Window:
    """What is read of a file and not yet used."""

    def __init__(self, stream: BinaryIO, longest: int, passed: Callable[[str], object] | None = None) -> None:
        self._passed = passed or len
        """Gets the pieces of elements that are too long."""
        self._begun: int | None = None
        """Where what it has not got yet begins."""
        self._stream = stream
        self._longest = longest
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._text = ""
        self._at = 0
        self._bytes = 0
        self._ended = False

    def elements(self) -> Iterator[tuple[int, int, Any]]:
        start = self._peek()
        if not start:
            return
        if start != "[":
            raise ArrayError(None, "is neither a JSON array nor JSON Lines")
        self._at += 1
        number = 0
        while self._peek() != "]":
            value, length = self._value(number)
            yield number, length, value
            number += 1
            following = self._peek()
            if following == ",":
                self._at += 1
            elif following != "]":
                raise ArrayError(number, "a comma or ] is missing")

    def last(self, length: int) -> str:
        """Return the element that was given last, which is so long, as it is written."""
        return self._text[self._at - length : self._at]

    def _peek(self) -> str:
        """Move to the next character that is not blank; an empty string at the end."""
        while True:
            found = _BLANK.match(self._text, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._text) or not self._more(_BLOCK):
                return self._text[self._at : self._at + 1]

    def _more(self, size: int) -> bool:
        """Read about `size` more bytes; False at the end of the file."""
        if self._ended:
            return False
        pending, _ = self._decoder.getstate()
        block = self._stream.read(size)
        self._ended = not block
        try:
            more = self._decoder.decode(block, final=self._ended)
        except UnicodeDecodeError as error:
            raise ArrayError(None, f"is not UTF-8 (byte {self._bytes - len(pending) + error.start + 1})") from None
        self._bytes += len(block)
        if self._begun is not None:
            self._passed(self._text[self._begun : self._at])
            self._begun = 0
        self._text = self._text[self._at :] + more
        self._at = 0
        return True

    def _value(self, number: int) -> tuple[Any, int]:
        decoder = json.JSONDecoder()
        while True:
            try:
                value, end = decoder.raw_decode(self._text, self._at)
            except RecursionError:
                raise ArrayError(number, "nested too deeply") from None
            except ValueError as error:
                if self._ended or not _is_cut_off(error, self._text):
                    raise ArrayError(number, getattr(error, "msg", str(error))) from None
            else:
                # The digits of a number may go on.
                if end < len(self._text) or self._ended:
                    length, self._at = end - self._at, end
                    if length <= self._longest:
                        return value, length
                    self._passed(self.last(length))
                    return TOO_LONG, length
            held = len(self._text) - self._at
            if held > self._longest:
                return TOO_LONG, self._pass_over(number)
            self._more(max(_BLOCK, held))

    def _pass_over(self, number: int) -> int:
        """Move to the end of an element without keeping it; return roughly how long it was."""
        self._begun = self._at
        length = self._pass_marks(number)
        self._passed(self._text[self._begun : self._at].rstrip())
        self._begun = None
        return length

    def _pass_marks(self, number: int) -> int:
        depth = length = 0
        while mark := self._next_mark():
            length += 1
            if mark == '"':
                length += self._pass_over_text(number)
            elif depth == 0 and mark in ",]":
                self._at -= 1
                return length
            elif mark in "[{":
                depth += 1
            elif mark in "]}":
                depth -= 1
        raise ArrayError(number, "it has no end")

    def _next_mark(self) -> str:
        """Move past the next quote, bracket, brace or comma, and return it; an empty string at the end."""
        while True:
            found = _MARK.search(self._text, self._at)
            if found:
                self._at = found.end()
                return found.group()
            self._at = len(self._text)
            if not self._more(_BLOCK):
                return ""

    def _pass_over_text(self, number: int) -> int:
        """Move past the quote that ends a text."""
        length = 0
        while True:
            end = self._text.find('"', self._at)
            stop = end if end >= 0 else len(self._text)
            before = self._text[self._at : stop]
            escaped = (len(before) - len(before.rstrip("\\"))) % 2
            length += len(before)
            if end < 0:
                self._at = stop - escaped  # a backslash that the next block belongs to
                if not self._more(_BLOCK):
                    raise ArrayError(number, "it has no end")
            elif escaped:
                self._at = end + 1
            else:
                self._at = end + 1
                return length


def _is_cut_off(error: ValueError, text: str) -> bool:
    """Return whether an error may come from the end of what was read so far."""
    if not isinstance(error, json.JSONDecodeError):
        return False  # a number of too many digits
    return error.msg.startswith("Unterminated string") or error.pos >= len(text) - _TOKEN
