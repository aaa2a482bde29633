"""OpenDocument texts and presentations: the body, then the notes; without comments, deleted and hidden text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, BinaryIO, Final

from lookalike.documents.extract.model import Extracted, RefusedError
from lookalike.documents.extract.package import Package
from lookalike.documents.extract.writing import Writer
from lookalike.documents.extract.xml import Handler, parse_xml

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["read_odt"]

_SKIPPED: Final = frozenset(
    {"tracked-changes", "annotation", "note-citation", "forms", "sequence-decls", "scripts", "footer", "header"}
)
_HIDDEN: Final = frozenset({"hidden-text", "hidden-paragraph"})
_PARAGRAPHS: Final = frozenset({"p", "h"})
_TINY: Final = re.compile(r"^([01](?:\.\d+)?|2(?:\.0+)?)pt$")
_MOST_SPACES: Final = 100


class _Body(Handler):
    def __init__(self, writer: Writer) -> None:
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
    writer = Writer()
    parse_xml(package.blocks("content.xml"), _Body(writer), "content.xml")
    return writer.extracted()
