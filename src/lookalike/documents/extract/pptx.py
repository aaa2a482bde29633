"""Presentations: the text of the slides in their order, and of the notes to each."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO, Final

from lookalike.documents.extract.package import Package
from lookalike.documents.extract.relations import main_part, relations_of
from lookalike.documents.extract.writing import Writer
from lookalike.documents.extract.xml import Handler, parse_xml

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lookalike.documents.extract.model import Extracted

__all__ = ["read_pptx"]

_FURNITURE: Final = frozenset({"ftr", "sldNum", "dt", "hdr", "sldImg"})
_HIDDEN: Final = ("1", "true")


class _Order(Handler):
    """The references to the slides, as a presentation lists them."""

    def __init__(self) -> None:
        self.slides: list[str] = []

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "sldId":
            self.slides.append(attributes.get("r:id", ""))


class _Slide(Handler):
    """The text of a slide; a shape is written when it has ended, since what it is for is said inside it."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._hidden_slide = self._hidden_shape = self._furniture = self._in_text = False
        self._fields = 0
        self._depth = 0
        self._pieces: list[str] = []

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "sld":
            self._hidden_slide = attributes.get("show", "1") in ("0", "false")
        elif name in ("sp", "graphicFrame"):
            self._depth += 1
            if self._depth == 1:
                self._hidden_shape = self._furniture = False
                self._pieces = []
        elif name == "cNvPr" and attributes.get("hidden") in _HIDDEN:
            self._hidden_shape = True
        elif name == "ph" and attributes.get("type") in _FURNITURE:
            self._furniture = True
        elif name == "fld":
            self._fields += attributes.get("type", "").startswith(("slidenum", "datetime"))
        elif name == "t":
            self._in_text = True
        elif name == "br":
            self._pieces.append("\n")
        elif name == "tab":
            self._pieces.append(" ")

    def end(self, name: str) -> None:
        if name == "t":
            self._in_text = False
        elif name == "fld":
            self._fields = max(0, self._fields - 1)
        elif name == "p":
            self._pieces.append("\n\n")
        elif name in ("sp", "graphicFrame"):
            self._depth -= 1
            if self._depth == 0 and not self._furniture:
                self._writer.add("".join(self._pieces), hidden=self._hidden_shape or self._hidden_slide)

    def data(self, text: str) -> None:
        if self._in_text and not self._fields:
            self._pieces.append(text)


def read_pptx(file: BinaryIO, encoding: str) -> Extracted:
    """Read a presentation; slides and shapes that are not shown count as hidden."""
    del encoding
    package = Package(file)
    main = main_part(package, "ppt/presentation.xml")
    order = _Order()
    parse_xml(package.blocks(main), order, main)
    relations = relations_of(package, main)
    writer = Writer()
    for reference in order.slides:
        kind, slide = relations.get(reference, ("", ""))
        if kind != "slide":
            continue
        parse_xml(package.blocks(slide), _Slide(writer), slide)
        writer.paragraph()
        for inner, target in relations_of(package, slide).values():
            if inner == "notesSlide" and target in package:
                parse_xml(package.blocks(target), _Slide(writer), target)
                writer.paragraph()
    return writer.extracted()
