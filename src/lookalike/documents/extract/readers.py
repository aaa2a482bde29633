"""Which reader is for which kind of document. They run in a process of their own: see `worker`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, BinaryIO, Final, cast

from lookalike.documents.extract.model import Extracted, RefusedError
from lookalike.documents.extract.package import OLE, Package
from lookalike.documents.extract.plain import read_plain

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["READERS", "read_as", "sniffed"]

READERS: Final = {
    "pdf": "read_pdf",
    "docx": "read_docx",
    "odt": "read_odt",
    "pptx": "read_pptx",
    "epub": "read_epub",
    "rtf": "read_rtf",
    "html": "read_html",
    "eml": "read_eml",
    "markdown": "read_markdown",
    "latex": "read_latex",
    "notebook": "read_notebook",
}
"""The function of each kind; its module has the name of the kind."""

# The part that only documents of this kind have.
_PARTS: Final = (
    ("word/document.xml", "docx"),
    ("ppt/presentation.xml", "pptx"),
    ("META-INF/container.xml", "epub"),
    ("content.xml", "odt"),
)


def read_as(kind: str, file: BinaryIO, encoding: str) -> Extracted:
    """Read a document of a kind; one that is of another kind than its name says, as what it is."""
    kind = sniffed(file, kind)
    try:
        if kind == "text":
            return read_plain(file, encoding)
        module = import_module(f"lookalike.documents.extract.{kind}")
        read = cast("Callable[[BinaryIO, str], Extracted]", getattr(module, READERS[kind]))
        return read(file, encoding)
    except RefusedError:
        raise
    except RecursionError:
        raise RefusedError("damaged", "its parts are nested too deep") from None
    except MemoryError:
        raise RefusedError("too large", "reading it takes more memory than a reader may use") from None
    except Exception as error:  # noqa: BLE001 - whatever a library meets in a broken file
        what = " ".join(str(error).split())[:80]
        raise RefusedError("damaged", f"it cannot be read ({type(error).__name__}: {what})") from None


def sniffed(file: BinaryIO, kind: str) -> str:
    """Return what a document is by its first bytes, where they say it plainly."""
    start = file.read(1024)
    file.seek(0)
    if start.startswith(b"%PDF-"):
        return "pdf"
    if start.lstrip().startswith(b"{\\rtf"):
        return "rtf"
    if start.startswith(b"PK\3\4") and kind not in ("docx", "pptx", "epub", "odt"):
        package = Package(file)
        for part, found in _PARTS:
            if part in package:
                file.seek(0)
                return found
        raise RefusedError("not text", "it is a zip archive or an office document, but its name does not say so")
    if start.startswith(OLE):
        return "docx"  # which tells a password from an old format
    if kind in ("docx", "odt") and start.lstrip()[:15].lower().startswith((b"<!doctype html", b"<html")):
        return "html"  # which is what some programs call a .doc
    return kind
