"""Word and PowerPoint files (Office Open XML): their text, without page headers, deleted text and what is hidden."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, BinaryIO, Final

from lookalike.documents.document_batches import Extracted, RefusedError
from lookalike.documents.extract.clean_text import TextWriter
from lookalike.documents.extract.packages import Handler, Package, parse_xml
from lookalike.documents.extract.visual_order import OVERRIDE_END, OVERRIDE_LEFT, OVERRIDE_RIGHT

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["main_part", "read_docx", "read_pptx", "relations_of"]


# -- parts of Office Open XML ------------------------------------------------------------------------------------------


class _Relations(Handler):
    def __init__(self, folder: str) -> None:
        self.found: dict[str, tuple[str, str]] = {}
        self._folder = folder

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "Relationship" and attributes.get("TargetMode") != "External":
            target = attributes.get("Target", "")
            inside = target.lstrip("/") if target.startswith("/") else posixpath.join(self._folder, target)
            kind = attributes.get("Type", "").rpartition("/")[2]
            self.found[attributes.get("Id", "")] = (kind, posixpath.normpath(inside))


def relations_of(package: Package, part: str) -> dict[str, tuple[str, str]]:
    """Return kind and name of all parts that a part refers to, by the id of the reference."""
    folder, name = posixpath.split(part)
    listed = posixpath.join(folder, "_rels", f"{name}.rels")
    relations = _Relations(folder)
    if listed in package:
        parse_xml(package.blocks(listed), relations, listed)
    return relations.found


def main_part(package: Package, usual: str) -> str:
    """Return the name of the part with the document itself."""
    found = relations_of(package, "")
    return next((target for kind, target in found.values() if kind == "officeDocument"), usual)


# -- Word --------------------------------------------------------------------------------------------------------------

_OFF: Final = ("0", "false", "off", "none")
_TINY: Final = 4  # half points: two points, a fifth of what people read
_SKIPPED: Final = frozenset({"Fallback", "moveFrom", "del", "instrText", "fldData", "pict"})
_MAY_HIDE: Final = re.compile(rb"anish\b|[\"'][fF]{6}[\"']|:sz\s[^>]*val=[\"']0*[0-4][\"']")
"""What a style has that hides text: ``vanish``, white letters, or letters of up to two points."""
_TYPES: Final = ("footnotes", "endnotes")


@dataclass(frozen=True, slots=True)
class _Look:
    """What decides whether some text is visible; None: not specified here."""

    vanish: bool | None = None
    white: bool | None = None
    shaded: bool | None = None
    half_points: int | None = None

    def over(self, below: _Look) -> _Look:
        """Return this look where it specifies something, else the one below."""
        return _Look(
            below.vanish if self.vanish is None else self.vanish,
            below.white if self.white is None else self.white,
            below.shaded if self.shaded is None else self.shaded,
            below.half_points if self.half_points is None else self.half_points,
        )

    @property
    def hidden(self) -> bool:
        tiny = self.half_points is not None and self.half_points <= _TINY
        return bool(self.vanish or tiny or (self.white and not self.shaded))


def _changed_look(look: _Look, name: str, attributes: Mapping[str, str]) -> _Look:
    """Return a look with what an element of run properties says."""
    value = attributes.get("val", "")
    if name in ("vanish", "specVanish"):
        return replace(look, vanish=value not in _OFF)
    if name == "color":
        return replace(look, white=value.upper() == "FFFFFF")
    if name == "highlight":
        return replace(look, shaded=value not in ("none", "white"))
    if name == "shd":
        return replace(look, shaded=attributes.get("fill", "auto").upper() not in ("AUTO", "FFFFFF"))
    if name == "sz" and value.isdigit():
        return replace(look, half_points=int(value[:6]))
    return look


class _Styles(Handler):
    """The looks of the styles of a document.

    Nearly all documents have hundreds of styles, of which none hides text: then they are not parsed, which takes a
    hundred times as long as the text itself.
    """

    def __init__(self, data: bytes = b"", name: str = "") -> None:
        self.looks: dict[str, _Look] = {}
        self._based: dict[str, str] = {}
        self._style = ""
        self._in_run = False
        self._data, self._name = data, name
        self._parsed = False
        if _MAY_HIDE.search(data) or b"\0" in data[:64]:  # which is UTF-16
            self._parse()

    def _parse(self) -> None:
        if not self._parsed:
            self._parsed = True
            if self._data:
                parse_xml([self._data], self, self._name)

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "style":
            self._style = attributes.get("styleId", "")
            self.looks[self._style] = _Look()
        elif name == "basedOn":
            self._based[self._style] = attributes.get("val", "")
        elif name == "rPr":
            self._in_run = True
        elif self._style and (self._in_run or name == "shd"):
            self.looks[self._style] = _changed_look(self.looks[self._style], name, attributes)

    def end(self, name: str) -> None:
        if name == "style":
            self._style = ""
        elif name == "rPr":
            self._in_run = False

    def shaded(self, style: str) -> bool:
        """Return whether a style colours the ground, on which white letters can be seen."""
        self._parse()
        return bool(self.look(style).shaded)

    def look(self, style: str) -> _Look:
        """Return the look of a style with those that it is based on."""
        look = _Look()
        seen: set[str] = set()
        while style in self.looks and style not in seen:
            seen.add(style)
            look = look.over(self.looks[style])
            style = self._based.get(style, "")
        return look


class _DocxBody(Handler):
    """The text of a part."""

    def __init__(self, writer: TextWriter, styles: _Styles) -> None:
        self._writer = writer
        self._styles = styles
        self._skipping = 0
        self._in_text = self._in_run_properties = self._in_note_mark = False
        self._runs: list[_Look] = []
        self._paragraphs: list[_Look] = []
        self._used = ["", ""]  # the styles of the paragraph and of the run
        self._cells: list[bool] = []
        self._background = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if self._skipping or name in _SKIPPED:
            self._skipping += 1
        elif name == "t":
            self._in_text = True
        elif name == "p":
            self._paragraphs.append(_Look())
            self._used = ["", ""]
        elif name == "r":
            self._runs.append(_Look())
            self._used[1] = ""
        elif name == "rPr":
            self._in_run_properties = True
        elif name == "tc":
            self._cells.append(False)
        elif name == "background":
            self._background = attributes.get("color", "FFFFFF").upper() not in ("FFFFFF", "AUTO")
        else:
            self._property(name, attributes)

    def _property(self, name: str, attributes: Mapping[str, str]) -> None:
        if name in ("tab", "br", "cr") and self._runs and not self._in_run_properties:
            self._writer.add("\n" if name != "tab" else " ")
        elif name == "noBreakHyphen":
            self._writer.add("-")
        elif name == "bdo":
            self._writer.add(OVERRIDE_LEFT if attributes.get("val") == "rtl" else OVERRIDE_RIGHT)
        elif name == "pStyle" and self._paragraphs:
            self._used = [attributes.get("val", ""), ""]
            self._paragraphs[-1] = self._styles.look(self._used[0])
        elif name == "rStyle" and self._runs:
            self._used[1] = attributes.get("val", "")
            self._runs[-1] = self._runs[-1].over(self._styles.look(attributes.get("val", "")))
        elif self._in_run_properties and self._runs:
            self._runs[-1] = _changed_look(self._runs[-1], name, attributes)
        elif name == "shd":
            self._shade(attributes)

    def _shade(self, attributes: Mapping[str, str]) -> None:
        shaded = bool(_changed_look(_Look(), "shd", attributes).shaded)
        if self._paragraphs and not self._runs:
            self._paragraphs[-1] = replace(self._paragraphs[-1], shaded=shaded)
        elif self._cells:
            self._cells[-1] = shaded

    def end(self, name: str) -> None:
        if self._skipping:
            self._skipping -= 1
        elif name == "t":
            self._in_text = False
        elif name == "p":
            self._writer.paragraph()
            if self._paragraphs:
                self._paragraphs.pop()
        elif name == "r" and self._runs:
            self._runs.pop()
        elif name == "rPr":
            self._in_run_properties = False
        elif name == "tc" and self._cells:
            self._cells.pop()
        elif name == "bdo":
            self._writer.add(OVERRIDE_END)

    def data(self, text: str) -> None:
        if not self._in_text or self._skipping:
            return
        look = self._runs[-1] if self._runs else _Look()
        if self._paragraphs:
            look = look.over(self._paragraphs[-1])
        if look.white and not look.shaded:
            ground = self._background or any(self._cells) or any(self._styles.shaded(style) for style in self._used)
            look = replace(look, shaded=ground)
        self._writer.add(text, hidden=look.hidden)


def read_docx(file: BinaryIO, encoding: str) -> Extracted:
    """Read a document; footnotes and endnotes follow the body."""
    del encoding  # XML says it itself
    package = Package(file)
    main = main_part(package, "word/document.xml")
    if not main.lower().startswith("word/") and main not in package:
        raise RefusedError("damaged", "it has no body")
    relations = relations_of(package, main)
    style_part = next((target for kind, target in relations.values() if kind == "styles"), "word/styles.xml")
    styles = _Styles(package.part(style_part), style_part) if style_part in package else _Styles()
    writer = TextWriter()
    parse_xml(package.blocks(main), _DocxBody(writer, styles), main)
    for kind, target in relations.values():
        if kind in _TYPES and target in package:
            writer.paragraph()
            parse_xml(package.blocks(target), _DocxBody(writer, styles), target)
    return writer.extracted()


# -- PowerPoint --------------------------------------------------------------------------------------------------------

_FURNITURE: Final = frozenset({"ftr", "sldNum", "dt", "hdr", "sldImg"})
_TRUE: Final = ("1", "true")


class _Order(Handler):
    """The references to the slides, as a presentation lists them."""

    def __init__(self) -> None:
        self.slides: list[str] = []

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "sldId":
            self.slides.append(attributes.get("r:id", ""))


class _Slide(Handler):
    """The text of a slide; a shape is written when it has ended, since its purpose is given inside it."""

    def __init__(self, writer: TextWriter) -> None:
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
        elif name == "cNvPr" and attributes.get("hidden") in _TRUE:
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
    writer = TextWriter()
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
