"""Office files are zip files whose parts are XML, read as streams within limits; OpenDocument is one of them.

Nothing is written anywhere. Comments, deleted and hidden text are not read.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from lookalike.documents.document_batches import RefusedError
from lookalike.documents.extract import LARGEST_FILE, MOST_MEMBERS
from lookalike.documents.extract.clean_text import TextWriter

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from lookalike.documents.document_batches import Extracted

__all__ = ["OLE", "ZIP_ERRORS", "Handler", "Package", "check_container", "local", "open_zip", "parse_xml", "read_odt"]


# -- packages ----------------------------------------------------------------------------------------------------------

OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""How old office files begin, and new ones with a password."""

ZIP_ERRORS: Final = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, OSError, KeyError)
"""What reading a damaged zip file raises."""

_RATIO: Final = 100
_HARMLESS: Final = 4 << 20
_BLOCK: Final = 1 << 18
_START: Final = 1 << 16
_DIRECTORY_ENTRY: Final = 46  # bytes of the shortest one


def check_container(file: BinaryIO) -> None:
    """Refuse what is not a zip file, and say whether it is locked or in an old format."""
    start = file.read(_START)
    file.seek(0)
    if start.startswith(OLE):
        if "EncryptedPackage".encode("utf-16-le") in start + _tail(file):
            raise RefusedError("encrypted", "it has a password; save it without one")
        convert = "save it as .docx or .pptx (LibreOffice: soffice --headless --convert-to docx FILE)"
        raise RefusedError("not text", f"it is in a format from before Office 2007, which is not supported; {convert}")
    if not start.startswith(b"PK"):
        raise RefusedError("damaged", "it is not an office document, despite its name")


def _tail(file: BinaryIO) -> bytes:
    """Return the last megabyte: the directory of an OLE file may be at its end."""
    size = file.seek(0, 2)
    file.seek(max(0, size - (1 << 20)))
    data = file.read(1 << 20)
    file.seek(0)
    return data


def open_zip(file: BinaryIO) -> zipfile.ZipFile:
    """Open a zip file; its directory is read into memory, so a large one is refused first."""
    try:
        # The end record is looked for as zipfile does it: it alone gives the size of the directory.
        end = zipfile._EndRecData(file)  # type: ignore[attr-defined]  # noqa: SLF001
        file.seek(0)
        if end and (end[4] > MOST_MEMBERS or end[5] > MOST_MEMBERS * 8 * _DIRECTORY_ENTRY):
            raise RefusedError("too large", f"it has more than {MOST_MEMBERS:,} members")
        return zipfile.ZipFile(file)
    except ZIP_ERRORS as error:
        raise RefusedError("damaged", f"it is not a complete zip file ({_short(error)})") from None


class Package:
    """The parts of one document."""

    def __init__(self, file: BinaryIO) -> None:
        """Open a document that is a zip file."""
        check_container(file)
        self._zip = open_zip(file)
        self._names = {name.lower(): name for name in self._zip.namelist()}
        self._read = 0

    def __contains__(self, name: str) -> bool:
        """Return whether there is such a part; capitals do not matter."""
        return name.lower() in self._names

    def names(self) -> list[str]:
        """List the parts."""
        return list(self._names.values())

    def blocks(self, name: str) -> Iterator[bytes]:
        """Read a part block by block; a bomb is refused before it expands."""
        actual = self._names.get(name.lower())
        if actual is None:
            raise RefusedError("damaged", f"its part {name} is missing")
        info = self._zip.getinfo(actual)
        if info.flag_bits & 1:
            raise RefusedError("encrypted", "it has a password; save it without one")
        size = 0
        try:
            with self._zip.open(info) as part:
                while block := part.read(_BLOCK):
                    size += len(block)
                    self._read += len(block)
                    self._check(size, info.compress_size)
                    yield block
        except RefusedError:
            raise
        except (*ZIP_ERRORS, RuntimeError) as error:
            raise RefusedError("damaged", f"its part {name} cannot be read ({_short(error)})") from None

    def _check(self, size: int, packed: int) -> None:
        if (size > _HARMLESS and size > packed * _RATIO) or self._read > LARGEST_FILE:
            raise RefusedError("too large", f"it unpacks to more than {self._read >> 20} MiB: a decompression bomb")

    def part(self, name: str) -> bytes:
        """Read a whole part."""
        return b"".join(self.blocks(name))


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:80] or type(error).__name__


# -- XML ---------------------------------------------------------------------------------------------------------------

_ENTITY: Final = tuple("<!ENTITY".encode(codec) for codec in ("ascii", "utf-16-le", "utf-16-be"))
_DEEPEST: Final = 1000


class Handler:
    """Handles each event; names are without their namespace."""

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """Handle the start of an element."""

    def end(self, name: str) -> None:
        """Handle the end of an element."""

    def data(self, text: str) -> None:
        """Handle some text."""


def local(name: str) -> str:
    """Return a name without its namespace.

    >>> local("{http://www.w3.org/1999/xhtml}p")
    'p'
    """
    return name.rpartition("}")[2]


def _attribute(name: str) -> str:
    """Return a name without its namespace, but distinguish the `id` of an element from that of a relation."""
    return f"r:{local(name)}" if "/relationships}" in name else local(name)


class _Target:
    """Passes events of lxml on."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self._depth = 0

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise RefusedError("damaged", f"its elements are nested more than {_DEEPEST} deep")
        self._handler.start(local(tag), {_attribute(name): value for name, value in attributes.items()})

    def end(self, tag: str) -> None:
        self._depth -= 1
        self._handler.end(local(tag))

    def data(self, text: str) -> None:
        self._handler.data(text)

    def close(self) -> None:
        """End of the document."""


def parse_xml(blocks: Iterable[bytes], handler: Handler, name: str) -> None:
    """Give all events of a part to a handler; `name` is for messages."""
    from lxml import etree

    options: dict[str, Any] = {"resolve_entities": False, "no_network": True, "load_dtd": False, "huge_tree": True}
    parser = etree.XMLParser(target=_Target(handler), **options)
    try:
        last = b""
        for block in blocks:
            # Real documents declare no entities; each may stand for a billion others.
            if any(mark in last + block for mark in _ENTITY):
                raise RefusedError("damaged", f"{name} declares entities, as malicious documents do")
            last = block[-32:]
            parser.feed(block)
        parser.close()
    except etree.LxmlError as error:
        raise RefusedError("damaged", f"{name} is not well-formed ({str(error)[:80]})") from None


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
