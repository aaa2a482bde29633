"""Rich text: the body without page headers and what is hidden."""

from __future__ import annotations

import re
from typing import BinaryIO, Final

from lookalike.documents.extract.model import Extracted, RefusedError
from lookalike.documents.extract.writing import Writer

__all__ = ["read_rtf"]

# Pictures are long runs of hex digits: they are no text, and would be read letter by letter.
_HEX: Final = re.compile(r"[0-9a-fA-F\r\n]{400,}")
_TOKEN: Final = re.compile(r"\\([a-z]{1,32})(-?\d{1,10})?[ ]?|\\'[0-9a-fA-F]{2}|\\.|[{}]|[^\\{}]+", re.DOTALL)
_TABLE_ROW: Final = re.compile(r"(?<=\S)\|+")


def read_rtf(file: BinaryIO, encoding: str) -> Extracted:
    """Read a document in Rich Text Format; the letters of old code pages are told inside it."""
    data = file.read()
    if not data.lstrip().startswith(b"{\\rtf"):
        raise RefusedError("damaged", "it is not what its name says: no RTF document")
    codec = "cp1252" if encoding == "auto" else encoding
    visible, hidden = _parted(_HEX.sub("", data.decode("latin-1")))
    writer = Writer()
    writer.add(_TABLE_ROW.sub(" ", _to_text(visible, codec)))
    if hidden:
        writer.add(_to_text("{\\rtf1 " + hidden + "}", codec), hidden=True)
    return writer.extracted()


def _to_text(source: str, codec: str) -> str:
    from striprtf.striprtf import rtf_to_text

    return str(rtf_to_text(source, encoding=codec, errors="replace"))  # type: ignore[no-untyped-call]


def _parted(source: str) -> tuple[str, str]:
    r"""Cut out what is hidden (``\v`` until ``\v0``, ``\plain`` or the end of the group)."""
    if "\\v" not in source:
        return source, ""
    seen: list[str] = []
    hidden: list[str] = []
    stack: list[bool] = []
    hiding = False
    for token in _TOKEN.finditer(source):
        text, word = token[0], token[1]
        if text == "{":
            stack.append(hiding)
        elif text == "}":
            hiding = stack.pop() if stack else False
        elif word in ("v", "plain"):
            hiding = word == "v" and token[2] != "0"
        control = word is not None or text in "{}"
        if hiding and (not control or word == "u"):
            hidden.append(text)
        else:
            seen.append(text)
    return "".join(seen), "".join(hidden)
