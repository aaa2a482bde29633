"""JSON files that are one array, of objects or of texts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from lookalike.documents.encoded import detect, open_utf8
from lookalike.documents.json_elements import TOO_LONG, ArrayError, elements
from lookalike.documents.json_table import SAMPLE_BYTES, JsonTable, json_kind, readable
from lookalike.documents.jsonl import JsonLines
from lookalike.documents.log import Log
from lookalike.documents.table_errors import BAD_ROW, bad_element, element_too_long
from lookalike.errors import DocumentError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lookalike.documents.inputs import Input
    from lookalike.documents.json_table import Numbered

__all__ = ["JsonArray", "open_json"]

_REMEDY: Final = "give an array of objects or of texts, or JSON Lines in a .jsonl file"


def open_json(name: str, source: Input, encoding: str) -> JsonTable:
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
        with open_utf8(self._input, detect(self._input, self._told, guess=False)) as stream:
            try:
                yield from elements(stream, self._input.limits.document)
            except ArrayError as error:
                raise self._malformed(error) from None

    def _malformed(self, error: ArrayError) -> DocumentError:
        if error.number is not None:
            problem = f"is not JSON ({error.why})"
            return DocumentError(f"{self.name}:{error.number + 1}", "element", problem, "mend or remove it")
        remedy = "save it as UTF-8, or name its --encoding" if "UTF-8" in error.why else _REMEDY
        return DocumentError(self.name, "file", error.why, remedy)
