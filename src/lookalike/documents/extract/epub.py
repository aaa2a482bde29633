"""Electronic books: the chapters in the order in which they are read."""

from __future__ import annotations

import posixpath
from io import BytesIO
from typing import TYPE_CHECKING, BinaryIO, Final
from urllib.parse import unquote

from lookalike.documents.extract.html import read_html
from lookalike.documents.extract.limits import LARGEST_TEXT
from lookalike.documents.extract.model import HIDDEN, Extracted, Flag, RefusedError
from lookalike.documents.extract.package import Package
from lookalike.documents.extract.xml import Handler, parse_xml

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["read_epub"]

_PAGES: Final = ("application/xhtml+xml", "text/html")


class _Container(Handler):
    def __init__(self) -> None:
        self.book = ""

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "rootfile" and not self.book:
            self.book = attributes.get("full-path", "")


class _Book(Handler):
    """The files of a book, and the order in which they are read."""

    def __init__(self) -> None:
        self.files: dict[str, str] = {}
        self.order: list[str] = []

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "item" and attributes.get("media-type") in _PAGES and attributes.get("properties") != "nav":
            self.files[attributes.get("id", "")] = unquote(attributes.get("href", ""))
        elif name == "itemref":
            self.order.append(attributes.get("idref", ""))


class _Locked(Handler):
    def __init__(self) -> None:
        self.names: set[str] = set()

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "CipherReference":
            self.names.add(unquote(attributes.get("URI", "")))


def read_epub(file: BinaryIO, encoding: str) -> Extracted:
    """Read a book; its table of contents is left out."""
    package = Package(file)
    container = _Container()
    parse_xml(package.blocks("META-INF/container.xml"), container, "META-INF/container.xml")
    book = _Book()
    parse_xml(package.blocks(container.book), book, container.book)
    locked = _Locked()
    if "META-INF/encryption.xml" in package:
        parse_xml(package.blocks("META-INF/encryption.xml"), locked, "META-INF/encryption.xml")
    texts: list[str] = []
    flags: list[Flag] = []
    size = 0
    for reference in dict.fromkeys(book.order):
        name = posixpath.normpath(posixpath.join(posixpath.dirname(container.book), book.files.get(reference, "")))
        if reference not in book.files or name not in package:
            continue
        if name in locked.names:
            raise RefusedError("encrypted", "the book is protected against copying")
        chapter = read_html(BytesIO(package.part(name)), encoding)
        size += len(chapter.text)
        if size > LARGEST_TEXT:
            raise RefusedError("too large", f"its text is longer than {LARGEST_TEXT >> 20} MiB")
        texts.append(chapter.text)
        flags += chapter.flags
    return Extracted("\n\n".join(text for text in texts if text), _together(flags))


def _together(flags: list[Flag]) -> tuple[Flag, ...]:
    """Return the flags of all chapters, one of each kind."""
    kinds: dict[str, list[Flag]] = {}
    for flag in flags:
        kinds.setdefault(flag.kind, []).append(flag)
    found: list[Flag] = []
    for kind, same in kinds.items():
        count = sum(flag.count for flag in same)
        what = "words are hidden" if kind == HIDDEN else f"places with {kind}"
        detail = same[0].detail if len(same) == 1 else f"{count} {what}; the first: {same[0].detail}"
        found.append(Flag(kind, detail, count))
    return tuple(found)
