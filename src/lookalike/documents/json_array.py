"""JSON files that are one array, of objects or of texts."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from lookalike.documents.encoded import detect, open_utf8
from lookalike.documents.json_table import SAMPLE_BYTES, JsonTable, json_kind, readable
from lookalike.documents.jsonl import JsonLines
from lookalike.documents.log import Log
from lookalike.documents.table_errors import bad_element
from lookalike.errors import DocumentError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lookalike.documents.inputs import Input
    from lookalike.documents.json_table import Numbered

__all__ = ["LARGEST", "JsonArray", "open_json"]

LARGEST: Final = 1 << 30
"""The most bytes of a file: an array is held whole while it is read, JSON Lines are not."""

_BLANK: Final = re.compile(r"[ \t\r\n]*")
_REMEDY: Final = "give an array of objects or of texts, or JSON Lines in a .jsonl file"


def open_json(name: str, source: Input, encoding: str) -> JsonTable:
    """Open a .json file: an array, or what is JSON Lines under another name."""
    start = "".join(readable(name, _start(source, encoding)))
    if start.startswith("{"):
        first = start.split("\n", 1)[0]
        if len(first) < len(start) or first.rstrip().endswith("}"):
            try:
                json.loads(first)
            except (ValueError, RecursionError):
                raise DocumentError(name, "file", "is one JSON object, not an array", _REMEDY) from None
        return JsonLines(name, source, encoding)
    return JsonArray(name, source, encoding)


def _start(source: Input, encoding: str) -> Iterator[str]:
    with open_utf8(source, detect(source, encoding, guess=False)) as stream:
        yield stream.read(1 << 16).decode("utf-8", "replace").lstrip()


class JsonArray(JsonTable):
    """One array; a text in it is a row with the one column ``text``."""

    def __init__(self, name: str, source: Input, encoding: str = "auto") -> None:
        """Take an input."""
        super().__init__(name, source)
        self._told = encoding

    def has_rows(self) -> bool:
        """Say whether there is a row; an array in which no element can be one is refused."""
        log = Log()
        if any(readable(self.name, self._groups(log, SAMPLE_BYTES))):
            return True
        for _, skipped in log.rows:
            problem = f"has no object and no text: {skipped.detail}"
            raise DocumentError(self.name, "file", problem, _REMEDY)
        return False

    def _groups(self, log: Log | None, size: int) -> Iterator[Numbered]:
        text = self._load()
        group: Numbered = []
        begun = 0
        for number, end, value in self._elements(text):
            row = {"text": value} if isinstance(value, str) else value
            if isinstance(row, dict):
                group.append((number, row))
            elif log is not None:
                log.skip_row(number, bad_element(self.name, number, f"is {json_kind(value)}, not an object or a text"))
            if group and end - begun >= size:
                yield group
                group, begun = [], end
        if group:
            yield group

    def _load(self) -> str:
        with open_utf8(self._input, detect(self._input, self._told, guess=False)) as stream:
            data = stream.read(LARGEST + 1)
        if len(data) > LARGEST:
            problem = f"is an array of more than {LARGEST >> 30} GiB"
            raise DocumentError(self.name, "file", problem, "write it as JSON Lines, which are read piece by piece")
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            problem = f"is not UTF-8 (byte {error.start + 1})"
            raise DocumentError(self.name, "file", problem, "save it as UTF-8, or name its --encoding") from None

    def _elements(self, text: str) -> Iterator[tuple[int, int, Any]]:
        """Give each element with its number and where it ends."""
        position = _skip_blank(text, 0)
        if position == len(text):
            return
        if text[position] != "[":
            raise DocumentError(self.name, "file", "is neither a JSON array nor JSON Lines", _REMEDY)
        position = _skip_blank(text, position + 1)
        number = 0
        decoder = json.JSONDecoder()
        while text[position : position + 1] != "]":
            try:
                value, position = decoder.raw_decode(text, position)
            except (ValueError, RecursionError) as error:
                raise self._malformed(number, error) from None
            yield number, position, value
            number += 1
            position = _skip_blank(text, position)
            if text[position : position + 1] == ",":
                position = _skip_blank(text, position + 1)
            elif text[position : position + 1] != "]":
                raise self._malformed(number, ValueError("a comma or ] is missing"))

    def _malformed(self, number: int, error: Exception) -> DocumentError:
        why = "nested too deeply" if isinstance(error, RecursionError) else getattr(error, "msg", str(error))
        return DocumentError(f"{self.name}:{number + 1}", "element", f"is not JSON ({why})", "mend or remove it")


def _skip_blank(text: str, position: int) -> int:
    found = _BLANK.match(text, position)
    return found.end() if found else position
