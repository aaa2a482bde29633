"""Small real documents of every format, made by hand, so that the tests know every byte of them."""

from __future__ import annotations

import io
import tarfile
import zipfile
import zlib
from dataclasses import dataclass
from email.message import EmailMessage
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = [
    "Put",
    "docx",
    "eml",
    "epub",
    "lines_at",
    "odt",
    "pdf",
    "pptx",
    "rtf",
    "scanned_pdf",
    "shape",
    "tar",
    "with_picture_pages",
    "without_map",
    "zipped",
]

W: Final = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
RELATIONS: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE_RELATIONS: Final = "http://schemas.openxmlformats.org/package/2006/relationships"


def zipped(members: Mapping[str, bytes | str], *, stored: Sequence[str] = ()) -> bytes:
    """A zip file."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            kind = zipfile.ZIP_STORED if name in stored else zipfile.ZIP_DEFLATED
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), data, kind)
    return made.getvalue()


def tar(members: Mapping[str, bytes], mode: str = "w") -> bytes:
    """A tar file; mode "w:gz", "w:bz2" or "w:xz" compresses it."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode=mode) as archive:  # type: ignore[call-overload]
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return made.getvalue()


# -- pdf ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Put:
    """A line of text on a page of 600 × 800 points."""

    x: float
    y: float
    text: str
    size: float = 12
    before: str = ""
    """Operators in front of it, such as a colour."""


def lines_at(y: float, *lines: str, x: float = 60, step: float = 14) -> list[Put]:
    """Lines below each other."""
    return [Put(x, y - number * step, line) for number, line in enumerate(lines)]


def pdf(pages: Iterable[Sequence[Put]], *, extra: str = "", encrypt: bool = False) -> bytes:
    """A document; all text is in a font whose codes are UTF-16."""
    cmap = (
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def\n"
        b"1 begincodespacerange <0000> <FFFF> endcodespacerange\n"
        + b"".join(
            b"100 beginbfrange\n"
            + b"".join(b"<%04X> <%04X> <%04X>\n" % (h << 8, (h << 8) | 255, h << 8) for h in range(first, first + 64))
            + b"endbfrange\n"
            for first in range(0, 256, 64)
        ).replace(b"100 begin", b"64 begin")
        + b"endcmap end end"
    )
    objects: list[bytes] = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"",
        (
            b"<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [4 0 R] "
            b"/ToUnicode 5 0 R >>"
        ),
        (
            b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /DW 500 /FontDescriptor 6 0 R "
            b"/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>"
        ),
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(cmap), cmap),
        (
            b"<< /Type /FontDescriptor /FontName /X /Flags 4 /FontBBox [0 -200 1000 900] /Ascent 900 /Descent -200 "
            b"/CapHeight 700 /ItalicAngle 0 /StemV 80 >>"
        ),
    ]
    kids: list[int] = []
    for page in pages:
        content = "\n".join([extra, *(_operators(put) for put in page)]).encode("ascii")
        packed = zlib.compress(content)
        objects.append(b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(packed), packed))
        kids.append(len(objects) + 1)
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents %d 0 R "
            b"/Resources << /Font << /F 3 0 R >> >> >>" % len(objects)
        )
    references = b" ".join(b"%d 0 R" % kid for kid in kids)
    objects[1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(kids), references)
    return _file(objects, encrypt)


def _operators(put: Put) -> str:
    codes = put.text.encode("utf-16-be").hex()
    return f"q {put.before} BT /F {put.size} Tf {put.x} {put.y} Td <{codes}> Tj ET Q"


def _file(objects: Sequence[bytes], encrypt: bool = False) -> bytes:
    made = io.BytesIO(b"")
    made.write(b"%PDF-1.7\n")
    places: list[int] = []
    for number, body in enumerate(objects, 1):
        places.append(made.tell())
        made.write(b"%d 0 obj\n%s\nendobj\n" % (number, body))
    start = made.tell()
    made.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    made.writelines(b"%010d 00000 n \n" % place for place in places)
    lock = b""
    if encrypt:
        # A password nobody knows: the check value is nonsense.
        lock = b" /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <%s> /U <%s> >> /ID [<00> <00>]" % (
            b"ab" * 32,
            b"cd" * 32,
        )
    made.write(b"trailer\n<< /Size %d /Root 1 0 R%s >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, lock, start))
    return made.getvalue()


def without_map(data: bytes) -> bytes:
    """A document whose font does not tell any more which letters it shows."""
    return data.replace(b"/ToUnicode 5 0 R", b" " * 16)


def with_picture_pages(pages: Sequence[Sequence[Put] | None]) -> bytes:
    """A document in which None stands for a page that is a picture."""
    picture = [Put(0, 0, "", before="q 600 0 0 800 0 0 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x00 EI Q")]
    return pdf([picture if page is None else page for page in pages])


def scanned_pdf() -> bytes:
    """A page that is a picture."""
    picture = zlib.compress(bytes(100 * 100))
    content = b"q 600 0 0 800 0 0 cm /I Do Q"
    return _file(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
            (
                b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R "
                b"/Resources << /XObject << /I 5 0 R >> >> >>"
            ),
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
            (
                b"<< /Type /XObject /Subtype /Image /Width 100 /Height 100 /ColorSpace /DeviceGray /BitsPerComponent 8 "
                b"/Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream" % (len(picture), picture)
            ),
        ]
    )


# -- office ------------------------------------------------------------------------------------------------------------


def docx(body: str | Sequence[str], *, notes: str = "", styles: str = "", header: str = "") -> bytes:
    """A Word document: paragraphs, or the XML of its body."""
    if not isinstance(body, str):
        body = "".join(f"<w:p><w:r><w:t>{escape(text)}</w:t></w:r></w:p>" for text in body)
    relations = {"styles": "styles.xml", "header": "header1.xml"} | ({"footnotes": "footnotes.xml"} if notes else {})
    listed = "".join(
        f'<Relationship Id="r{number}" Type="{RELATIONS}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(relations.items())
    )
    parts: dict[str, bytes | str] = {
        "[Content_Types].xml": "<Types/>",
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE_RELATIONS}"><Relationship Id="a" '
        f'Type="{RELATIONS}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{PACKAGE_RELATIONS}">{listed}</Relationships>',
        "word/document.xml": f"<w:document {W}><w:body>{body}</w:body></w:document>",
        "word/styles.xml": f"<w:styles {W}>{styles}</w:styles>",
        "word/header1.xml": f"<w:hdr {W}><w:p><w:r><w:t>{header}</w:t></w:r></w:p></w:hdr>",
    }
    if notes:
        parts["word/footnotes.xml"] = (
            f"<w:footnotes {W}><w:footnote><w:p><w:r><w:t>{notes}</w:t></w:r></w:p></w:footnote></w:footnotes>"
        )
    return zipped(parts)


def odt(body: str | Sequence[str], styles: str = "") -> bytes:
    """An OpenDocument text: paragraphs, or the XML of its body."""
    if not isinstance(body, str):
        body = "".join(f"<text:p>{escape(text)}</text:p>" for text in body)
    names = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "text", "style", "fo")
    )
    content = (
        f"<office:document-content {names}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:text>{body}</office:text></office:body></office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.text"
    return zipped(
        {"mimetype": kind, "content.xml": content, "META-INF/manifest.xml": "<manifest/>"}, stored=["mimetype"]
    )


def pptx(slides: Sequence[str], notes: str = "") -> bytes:
    """A presentation: the XML of the shapes of each slide; the last slide of the file is the first that is shown."""
    names = (
        'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
        f'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="{RELATIONS}"'
    )
    count = len(slides)
    parts: dict[str, bytes | str] = {
        "ppt/presentation.xml": f"<p:presentation {names}><p:sldIdLst>"
        + "".join(f'<p:sldId r:id="s{number}" id="{256 + number}"/>' for number in range(count))
        + "</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": f'<Relationships xmlns="{PACKAGE_RELATIONS}">'
        + "".join(
            f'<Relationship Id="s{number}" Type="{RELATIONS}/slide" Target="slides/slide{count - number}.xml"/>'
            for number in range(count)
        )
        + "</Relationships>",
    }
    for number, shapes in enumerate(slides):
        show = ' show="0"' if "<!--hidden-->" in shapes else ""
        parts[f"ppt/slides/slide{count - number}.xml"] = f"<p:sld {names}{show}><p:cSld>{shapes}</p:cSld></p:sld>"
    if notes:
        parts[f"ppt/slides/_rels/slide{count}.xml.rels"] = (
            f'<Relationships xmlns="{PACKAGE_RELATIONS}"><Relationship Id="n" Type="{RELATIONS}/notesSlide" '
            'Target="../notesSlides/notes1.xml"/></Relationships>'
        )
        parts["ppt/notesSlides/notes1.xml"] = (
            f"<p:notes {names}><p:sp><a:p><a:r><a:t>{notes}</a:t></a:r></a:p></p:sp></p:notes>"
        )
    return zipped(parts)


def shape(text: str, extra: str = "", kind: str = "") -> str:
    """A shape of a slide."""
    place = f'<p:ph type="{kind}"/>' if kind else ""
    about = f'<p:nvSpPr><p:cNvPr id="1" name="x" {extra}/>{place}</p:nvSpPr>'
    return f"<p:sp>{about}<a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:sp>"


def epub(chapters: Sequence[str], extra: Mapping[str, str] | None = None) -> bytes:
    """A book: the bodies of its chapters; they are stored from last to first."""
    numbers = range(len(chapters))
    items = "".join(
        f'<item id="c{n}" href="c{n}.xhtml" media-type="application/xhtml+xml"/>' for n in reversed(numbers)
    )
    order = "".join(f'<itemref idref="c{n}"/>' for n in numbers)
    parts: dict[str, bytes | str] = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container><rootfile full-path="OEBPS/book.opf"/></container>',
        "OEBPS/book.opf": f'<package><manifest><item id="toc" href="toc.xhtml" properties="nav" '
        f'media-type="application/xhtml+xml"/>{items}</manifest><spine><itemref idref="toc"/>{order}</spine></package>',
        "OEBPS/toc.xhtml": "<html><body>Contents</body></html>",
    }
    for number, body in enumerate(chapters):
        parts[f"OEBPS/c{number}.xhtml"] = (
            '<?xml version="1.0" encoding="utf-8"?>'
            f'<html xmlns="http://www.w3.org/1999/xhtml"><body>{body}</body></html>'
        )
    return zipped(parts | dict(extra or {}), stored=["mimetype"])


def rtf(body: str) -> bytes:
    """A document in Rich Text Format."""
    letters = "".join(letter if letter.isascii() else f"\\u{ord(letter)}?" for letter in body)
    return ("{\\rtf1\\ansi\\ansicpg1252{\\fonttbl{\\f0 Arial;}}{\\header On every page}" + letters + "}").encode(
        "ascii"
    )


def eml(subject: str, text: str = "", html: str = "", charset: str = "utf-8", attached: str = "") -> bytes:
    """A mail."""
    message = EmailMessage()
    message["Subject"] = subject
    message["From"] = "a@example.org"
    if text:
        message.set_content(text, charset=charset)
    if html:
        add = message.add_alternative if text else message.set_content
        add(html, subtype="html", charset=charset)
    if attached:
        message.add_attachment(b"x", maintype="application", subtype="pdf", filename=attached)
    return message.as_bytes()
