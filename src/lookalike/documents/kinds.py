"""What a file is, by its name: a text, a table, compressed or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["Kind", "kind_of"]

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

_OFFICE: Final = {
    ".pdf": "a PDF document",
    ".doc": "an office document",
    ".docx": "an office document",
    ".odt": "an office document",
    ".rtf": "an office document",
    ".epub": "an electronic book",
    ".ppt": "an office document",
    ".pptx": "an office document",
    ".odp": "an office document",
    ".xls": "an office document",
    ".xlsx": "an office document",
    ".ods": "an office document",
}


@dataclass(frozen=True, slots=True)
class Kind:
    """What a name says about a file."""

    format: str
    """``text``, ``office``, or the format of a table: ``parquet``, ``arrow``, ``jsonl``, ``json``, ``csv``, ``tsv``."""
    compression: str | None = None
    office: str = ""
    """What an office file is, for a message."""

    @property
    def is_table(self) -> bool:
        """Whether each row is a document."""
        return self.format not in ("text", "office")


def _split(name: str) -> tuple[str, str]:
    """Part a name before its last dot, unless that is its first character; quicker than `PurePath` for many names."""
    stem, dot, ending = name.rpartition(".")
    return (stem, dot + ending) if stem else (name, "")


def kind_of(name: str) -> Kind:
    """Say what a file is by the end of its name; what is not known is a text.

    >>> kind_of("corpus.jsonl.zst")
    Kind(format='jsonl', compression='zstd', office='')
    >>> kind_of("essay.md").format
    'text'
    """
    stem, suffix = _split(name.rpartition("/")[2].lower())
    compression = _COMPRESSIONS.get(suffix)
    if compression:
        suffix = _split(stem)[1]
    if suffix in _OFFICE and not compression:
        return Kind("office", office=_OFFICE[suffix])
    return Kind(_TABLES.get(suffix, "text"), compression)
