"""Texts with mark-up or without: from bytes to characters."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING, BinaryIO, Final

from lookalike.documents.extract.letters import unmasked
from lookalike.documents.extract.model import Extracted, RefusedError
from lookalike.documents.text_file import NotTextError, codec_of_mark, decode_bytes, spoken_name

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["decoded", "read_marked", "read_plain"]

# What web pages and mails call an encoding, and what is meant: browsers do the same (WHATWG Encoding).
_MEANT: Final = {
    "iso-8859-1": "cp1252",
    "latin-1": "cp1252",
    "latin1": "cp1252",
    "us-ascii": "cp1252",
    "ascii": "cp1252",
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "sjis": "cp932",
    "x-sjis": "cp932",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc-kr": "cp949",
    "ks_c_5601-1987": "cp949",
    "x-x-big5": "big5",
    "iso-8859-9": "cp1254",
}


def decoded(data: bytes, encoding: str, declared: str | None = None) -> tuple[str, str, bool]:
    """Return text, the name of its encoding, and whether that is a guess; what the document declares is tried first."""
    if encoding == "auto" and declared and not codec_of_mark(data):
        try:
            codec = codecs.lookup(_MEANT.get(declared.lower(), declared)).name
            # A page that calls itself UTF-16 in letters of one byte is not.
            if not codec.startswith(("utf-16", "utf-32")) or b"\0" in data[:1024]:
                return data.decode(codec), spoken_name(codec), False
        except (LookupError, UnicodeError, ValueError):
            pass
    try:
        return decode_bytes(data, encoding)
    except NotTextError as error:
        raise RefusedError(error.reason, f"the file {error.problem}; {error.remedy}") from None


def read_plain(file: BinaryIO, encoding: str) -> Extracted:
    """Read a text as it is."""
    text, spoken, guessed = decoded(file.read(), encoding)
    return Extracted(*unmasked(text), spoken, guessed)


def read_marked(file: BinaryIO, encoding: str, to_text: Callable[[str], Extracted]) -> Extracted:
    """Read a text with mark-up, which `to_text` takes off."""
    text, spoken, guessed = decoded(file.read(), encoding)
    found = to_text(text)
    return Extracted(found.text, found.flags, spoken, guessed)
