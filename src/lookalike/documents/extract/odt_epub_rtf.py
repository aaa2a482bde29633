"""OpenDocument, EPUB and Rich Text files: their text, without comments, deleted and hidden text."""

from __future__ import annotations

import posixpath
import re
from io import BytesIO
from typing import TYPE_CHECKING, BinaryIO, Final
from urllib.parse import unquote

from lookalike.documents.document_batches import HIDDEN, Extracted, Flag, RefusedError
from lookalike.documents.extract.clean_text import TextWriter
from lookalike.documents.extract.html_mail import read_html
from lookalike.documents.extract.packages import Handler, Package, parse_xml
from lookalike.documents.extract.protocol import LARGEST_TEXT

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["read_epub", "read_odt", "read_rtf"]


# -- OpenDocument ------------------------------------------------------------------------------------------------------

_SKIPPED: Final = frozenset(
    {"tracked-changes", "annotation", "note-citation", "forms", "sequence-decls", "scripts", "footer", "header"}
)
_HIDDEN: Final = frozenset({"hidden-text", "hidden-paragraph"})
_PARAGRAPHS: Final = frozenset({"p", "h"})
_TINY: Final = re.compile(r"^([01](?:\.\d+)?|2(?:\.0+)?)pt$")
_MOST_SPACES: Final = 100


class _OdtBody(Handler):
    def __init__(self, writer: TextWriter) -> None:
        self._writer = writer
        self._notes: list[str] = []
        self._skipping = self._hiding = self._note = 0
        self._in_body = False
        self._style = ""
        self._hidden_styles: set[str] = set()
        self._open: list[tuple[bool, bool]] = []
        self._depth_of_text = 0

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        skips, hides = name in _SKIPPED, False
        if name == "style":
            self._style = attributes.get("name", "")
        elif name == "text-properties" and self._style and _hides(attributes):
            self._hidden_styles.add(self._style)
        elif name == "body":
            self._in_body = True
        elif name in _HIDDEN:
            hides = attributes.get("is-hidden", "true") == "true"
            if hides and name == "hidden-text":
                self._writer.add(attributes.get("string-value", "") + " ", hidden=True)
        elif name == "section" and attributes.get("display") == "none":
            hides = True
        elif name == "note-body":
            self._note += 1
        elif self._in_body:
            hides = attributes.get("style-name", "") in self._hidden_styles
            self._inside(name, attributes)
        self._skipping += skips
        self._hiding += hides
        self._open.append((skips, hides))

    def _inside(self, name: str, attributes: Mapping[str, str]) -> None:
        if name in _PARAGRAPHS:
            self._depth_of_text += 1
        elif name == "s":
            count = attributes.get("c", "1")
            self._write(" " * min(_MOST_SPACES, int(count[:6]) if count.isdigit() else 1))
        elif name == "tab":
            self._write(" ")
        elif name == "line-break":
            self._write("\n")

    def end(self, name: str) -> None:
        skips, hides = self._open.pop() if self._open else (False, False)
        if name in _PARAGRAPHS and self._in_body:
            self._depth_of_text -= 1
            if self._note:
                self._notes.append("\n\n")
            elif not self._skipping:
                self._writer.paragraph()
        elif name == "note-body":
            self._note -= 1
        elif name == "style":
            self._style = ""
        elif name == "body":
            for note in self._notes:
                self._writer.add(note)
        self._skipping -= skips
        self._hiding -= hides

    def data(self, text: str) -> None:
        if self._depth_of_text:
            self._write(text)

    def _write(self, text: str) -> None:
        if self._skipping:
            return
        if self._hiding:
            self._writer.add(text, hidden=True)
        elif self._note:
            self._notes.append(text)
        else:
            self._writer.add(text)


def _hides(properties: Mapping[str, str]) -> bool:
    if properties.get("display") == "none" or _TINY.match(properties.get("font-size", "")):
        return True
    background = properties.get("background-color", "transparent").lower()
    return properties.get("color", "").lower() == "#ffffff" and background in ("transparent", "#ffffff")


def read_odt(file: BinaryIO, encoding: str) -> Extracted:
    """Read a document; page headers and footers are in another part, which is not read."""
    del encoding
    package = Package(file)
    if "META-INF/manifest.xml" in package and b"encryption-data" in package.part("META-INF/manifest.xml"):
        raise RefusedError("encrypted", "it has a password; save it without one")
    writer = TextWriter()
    parse_xml(package.blocks("content.xml"), _OdtBody(writer), "content.xml")
    return writer.extracted()


# -- electronic books --------------------------------------------------------------------------------------------------

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


# -- Rich Text ---------------------------------------------------------------------------------------------------------

# Pictures are long runs of hex digits: they are not text, and would be read letter by letter.
_HEX: Final = re.compile(r"[0-9a-fA-F\r\n]{400,}")
_TOKEN: Final = re.compile(r"\\([a-z]{1,32})(-?\d{1,10})?[ ]?|\\'[0-9a-fA-F]{2}|\\.|[{}]|[^\\{}]+", re.DOTALL)
_TABLE_ROW: Final = re.compile(r"(?<=\S)\|+")


def read_rtf(file: BinaryIO, encoding: str) -> Extracted:
    """Read a document in Rich Text Format; it says itself which code page it uses."""
    data = file.read()
    if not data.lstrip().startswith(b"{\\rtf"):
        raise RefusedError("damaged", "it is not an RTF document, despite its name")
    codec = "cp1252" if encoding == "auto" else encoding
    visible, hidden = _parted(_HEX.sub("", data.decode("latin-1")))
    writer = TextWriter()
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
