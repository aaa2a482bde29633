"""What a file is, by its name: a text, a document, a table, an archive; compressed or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

    from lookalike.documents.raw_input import RawInput

__all__ = ["Kind", "Members", "TextDocument", "archive_above", "kind_of"]

_COMPRESSIONS: Final = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".zstd": "zstd", ".lz4": "lz4", ".xz": "xz"}

_TABLES: Final = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".arrows": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
}
_TABLE_FORMATS: Final = frozenset(_TABLES.values())

# Each is read by the reader of that name; see `documents.extract`. Old formats go to the reader of the new one, which
# says what is wrong with them, unless only the name is old.
_DOCUMENTS: Final = {
    **dict.fromkeys((".docx", ".docm", ".dotx", ".doc"), "docx"),
    **dict.fromkeys((".odt", ".ott", ".odp"), "odt"),
    **dict.fromkeys((".pptx", ".pptm", ".ppsx", ".ppt"), "pptx"),
    **dict.fromkeys((".html", ".htm", ".xhtml", ".shtml"), "html"),
    **dict.fromkeys((".md", ".markdown", ".mkd"), "markdown"),
    **dict.fromkeys((".tex", ".ltx", ".latex"), "latex"),
    ".pdf": "pdf",
    ".rtf": "rtf",
    ".epub": "epub",
    ".eml": "eml",
    ".ipynb": "notebook",
}
_DOCUMENT_FORMATS: Final = frozenset(_DOCUMENTS.values())

_ARCHIVES: Final = {
    ".zip": ("zip", None),
    ".tar": ("tar", None),
    ".tgz": ("tar", "gzip"),
    ".tbz": ("tar", "bz2"),
    ".tbz2": ("tar", "bz2"),
    ".txz": ("tar", "xz"),
    ".tzst": ("tar", "zstd"),
}

_UNREAD: Final = {
    **dict.fromkeys((".xls", ".xlsx", ".xlsm", ".ods"), "a spreadsheet: save it as CSV, and name it to read its rows"),
    ".pages": "an Apple Pages document: export it as Word or PDF",
    ".numbers": "an Apple Numbers spreadsheet: export it as CSV, and name it to read its rows",
    ".key": "an Apple Keynote presentation: export it as PowerPoint or PDF",
    ".gdoc": "a link to a Google document, without its text: download the document as .docx",
    ".gslides": "a link to a Google presentation, without its text: download it as .pptx",
    ".gsheet": "a link to a Google spreadsheet, without its cells: download it as CSV",
    ".wpd": "a WordPerfect document: save it as .docx or .odt, for example with LibreOffice",
    ".wps": "a Microsoft Works document: save it as .docx or .odt, for example with LibreOffice",
    ".msg": "an Outlook message: save it as .eml",
}


@dataclass(frozen=True, slots=True)
class Kind:
    """What a name says about a file."""

    format: str
    """``text``; a document: ``pdf``, ``docx``, ``odt``, ``pptx``, ``epub``, ``rtf``, ``html``, ``eml``,
    ``markdown``, ``latex``, ``notebook``; an archive: ``zip``, ``tar``; ``office`` for what is not read; or the
    format of a table: ``parquet``, ``arrow``, ``jsonl``, ``json``, ``csv``, ``tsv``."""
    compression: str | None = None
    office: str = ""
    """What a file that is not read is, for a message."""

    @property
    def is_table(self) -> bool:
        """Whether each row is a document."""
        return self.format in _TABLE_FORMATS

    @property
    def is_document(self) -> bool:
        """Whether a reader has to take the text out of it."""
        return self.format in _DOCUMENT_FORMATS

    @property
    def is_archive(self) -> bool:
        """Whether it holds other files."""
        return self.format in ("zip", "tar")

    @property
    def holds_others(self) -> bool:
        """Whether it may give several documents: an archive, or a mail with what is attached to it."""
        return self.is_archive or self.format == "eml"


_TEXT: Final = Kind("text")


def _split(name: str) -> tuple[str, str]:
    """Split a name before its last dot, unless that is its first character; faster than `PurePath` for many names."""
    stem, dot, ending = name.rpartition(".")
    return (stem, dot + ending) if stem else (name, "")


def kind_of(name: str) -> Kind:
    """Say what a file is by the end of its name; what is not known is a text.

    >>> kind_of("corpus.jsonl.zst")
    Kind(format='jsonl', compression='zstd', office='')
    >>> kind_of("essay.txt").format, kind_of("essay.docx").format, kind_of("essays.tar.gz").is_archive
    ('text', 'docx', True)
    """
    stem, suffix = _split(name.rpartition("/")[2].lower())
    compression = _COMPRESSIONS.get(suffix)
    if compression:
        suffix = _split(stem)[1]
    if suffix in _ARCHIVES:
        archive, inner = _ARCHIVES[suffix]
        if not (compression and inner):
            return Kind(archive, compression or inner)
    if suffix in _UNREAD and not compression:
        return Kind("office", office=_UNREAD[suffix])
    found = _DOCUMENTS.get(suffix) or _TABLES.get(suffix)
    if found is None and compression is None:
        return _TEXT
    return Kind(found or "text", compression)


def archive_above(file: Path) -> Path | None:
    """Return the archive that a path leads into."""
    for folder in file.parents:
        if kind_of(folder.name).holds_others and folder.is_file():
            return folder
    return None


# -- files to read -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TextDocument:
    """A file that is a document, or an archive of them."""

    id: str
    input: RawInput
    size: int
    kind: Kind = Kind("text")

    @property
    def is_too_large(self) -> bool:
        """Whether it is plain text, and its size shows that it will be skipped."""
        plain = self.kind.format == "text" and self.input.compression is None
        return plain and self.size > self.input.limits.document


class Members(NamedTuple):
    """What to read of an archive, by name; see `open_paths`."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    hidden: bool = False
