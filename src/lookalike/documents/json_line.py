"""A line of JSON Lines with another text: everything else in it stays as it is, byte for byte."""

from __future__ import annotations

import json
import re
from typing import Final

from lookalike.tables.json import to_json

__all__ = ["with_text"]

_SPACE: Final = re.compile(r"[ \t\r\n]*")
_DECODER: Final = json.JSONDecoder()


def with_text(line: bytes, field: str, text: str) -> bytes:
    r"""Return a line, which is a valid JSON object, with another text in a field.

    >>> with_text(b'{"n": 1.50, "text" : "one two", "more": {"text": ""}}\r', "text", 'thr"ee')
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
        if name == field:  # a field that is there twice is changed twice: whichever a reader takes, it is the new one
            pieces += source[copied:at], to_json(text, indent=None)[:-1]
            copied = end
        at = _behind_space(source, end)
        if source[at] == ",":
            at = _behind_space(source, at + 1)
    return ("".join(pieces) + source[copied:]).encode("utf-8")


def _behind_space(source: str, at: int) -> int:
    found = _SPACE.match(source, at)
    return found.end() if found else at
