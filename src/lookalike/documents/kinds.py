"""What was given: what a caller has passed as documents, by its type, and what a file is, by its name.

This is the one place that decides it. None of the libraries of data frames is imported here.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final, NamedTuple

from lookalike.documents.document_source import Source
from lookalike.errors import DocumentError
from lookalike.opening import is_url

if TYPE_CHECKING:
    from pathlib import Path

    from lookalike.documents.raw_input import RawInput

__all__ = [
    "DOCUMENTS",
    "LEAST",
    "TABLES",
    "FileFormat",
    "Given",
    "Kind",
    "Members",
    "TextDocument",
    "accepted",
    "archive_above",
    "check_version",
    "given_as",
    "kind_of",
    "refusal",
]


# -- what a caller has passed ------------------------------------------------------------------------------------------


class Given(Enum):
    """The kinds of things that hold documents, and of those that do not."""

    SOURCE = "a source"
    PATH = "the path of a file or folder"
    PATHS = "several paths"
    MAPPING = "texts by id"
    SEQUENCE = "a list or tuple"
    ITERABLE = "anything else to iterate over, such as a generator"
    ARROW = "a table, batch, array or column of pyarrow"
    ARROW_READER = "a stream of batches of pyarrow, to be read once"
    ARROW_DATASET = "a dataset of pyarrow"
    ARROW_SCANNER = "a scanner of pyarrow, which may be read once"
    PANDAS = "a data frame or series of pandas"
    POLARS = "a data frame or series of polars"
    POLARS_LAZY = "a lazy frame of polars"
    DUCKDB = "a relation of DuckDB"
    DATASET = "a dataset of Hugging Face"
    DATASET_STREAM = "an iterable dataset of Hugging Face"
    DASK = "a data frame or series of Dask"
    DAFT = "a data frame of Daft"
    RAY = "a dataset of Ray"
    NUMPY = "an array of numpy"
    STREAM = "anything else that exports Arrow data"
    ONE_TEXT = "a single text, not a collection"
    SET = "a set, which has no order"
    SPLITS = "tables or datasets by name"
    FRAME = "a data frame without Arrow data"
    OTHER = "nothing that holds documents"

    @property
    def is_frame(self) -> bool:
        """Whether it can give Arrow data."""
        return self in _FRAMES


_HOMES: Final = {
    Given.PANDAS: "pandas",
    Given.POLARS: "polars",
    Given.POLARS_LAZY: "polars",
    Given.DUCKDB: "duckdb",
    Given.DATASET: "datasets",
    Given.DATASET_STREAM: "datasets",
    Given.DASK: "dask",
    Given.DAFT: "daft",
    Given.RAY: "ray",
}
"""The library that each kind is from."""
_FRAMES: Final = frozenset(
    {Given.ARROW, Given.ARROW_READER, Given.ARROW_DATASET, Given.ARROW_SCANNER, Given.STREAM, *_HOMES}
)
_ARROW: Final = {
    "Table": Given.ARROW,
    "RecordBatch": Given.ARROW,
    "Array": Given.ARROW,
    "ChunkedArray": Given.ARROW,
    "RecordBatchReader": Given.ARROW_READER,
    "Dataset": Given.ARROW_DATASET,
    "Scanner": Given.ARROW_SCANNER,
}
_TELLING: Final = (
    ("pandas", "iloc", Given.PANDAS),
    ("duckdb", "columns", Given.DUCKDB),
    ("dask", "partitions", Given.DASK),
    ("daft", "to_arrow_iter", Given.DAFT),
    ("ray", "iter_batches", Given.RAY),
    ("numpy", "dtype", Given.NUMPY),
)
"""The library that a type is from, what only its data frames have, and what they are."""
_GET_ARROW: Final = {
    "compute": ".compute()",
    "toArrow": ".toArrow()",
    "toPandas": ".toPandas()",
    "to_pandas": ".to_pandas()",
    "to_arrow": ".to_arrow()",
    "collect": ".collect()",
}
_COLLECTION: Final = "give a list or dict of texts, a Path, or a data frame"


def given_as(documents: object) -> Given:
    """Return what was passed. Nothing is read, and an iterator is not started.

    >>> given_as(["one", "two"]).name, given_as({"a": "one"}).name, given_as("one").name, given_as({"one"}).name
    ('SEQUENCE', 'MAPPING', 'ONE_TEXT', 'SET')
    """
    if isinstance(documents, Source):
        return Given.SOURCE
    if isinstance(documents, str) and is_url(documents) and len(documents.split()) == 1:  # no text that begins with one
        return Given.PATH
    if isinstance(documents, str | bytes | bytearray | memoryview):
        return Given.ONE_TEXT
    if isinstance(documents, os.PathLike):
        return Given.PATH
    if isinstance(documents, list | tuple):
        return Given.PATHS if _are_paths(documents) else Given.SEQUENCE
    if isinstance(documents, Mapping):
        return Given.SPLITS if _holds_frames(documents) else Given.MAPPING
    if isinstance(documents, set | frozenset):
        return Given.SET
    return _by_library(documents) or _by_protocol(documents)


def _are_paths(documents: Sequence[object]) -> bool:
    return bool(documents) and all(isinstance(one, os.PathLike) for one in documents)


def _holds_frames(documents: Mapping[object, object]) -> bool:
    if hasattr(documents, "with_format"):  # a DatasetDict, which may be empty
        return True
    first = next(iter(documents.values()), None)  # one is enough: the others are checked one by one later
    # A series has no columns: a dict of series is a table in the making, not several tables.
    is_table = any(hasattr(first, name) for name in ("columns", "column_names", "schema"))
    return is_table and not hasattr(first, "to_frame") and given_as(first).is_frame


def _by_library(documents: object) -> Given | None:
    """Recognise the types of common libraries by their modules, since importing them is slow."""
    homes = {kind.__module__.partition(".")[0] for kind in type(documents).__mro__}
    if "pyarrow" in homes:
        names = (kind.__name__ for kind in type(documents).__mro__)
        return next((_ARROW[name] for name in names if name in _ARROW), None)
    if "polars" in homes and hasattr(documents, "filter"):
        return Given.POLARS_LAZY if hasattr(documents, "collect") else Given.POLARS
    for home, needed, given in _TELLING:
        if home in homes and hasattr(documents, needed):
            return given
    return None


def _by_protocol(documents: object) -> Given:
    if all(hasattr(documents, name) for name in ("select", "select_columns", "features", "column_names", "__len__")):
        return Given.DATASET
    if hasattr(documents, "__arrow_c_stream__") or hasattr(documents, "__arrow_c_array__"):
        return Given.STREAM
    if hasattr(documents, "with_format"):  # a dataset that exports no stream, or one that is not held at all
        if hasattr(documents, "data"):
            return Given.DATASET
        return Given.DATASET_STREAM if hasattr(documents, "iter") else Given.FRAME
    if hasattr(getattr(getattr(documents, "data", None), "table", None), "__arrow_c_stream__"):
        return Given.STREAM
    if hasattr(documents, "columns"):
        return Given.FRAME  # such as of Spark: iterating over it would give the names of its columns
    if isinstance(documents, Sequence):
        return Given.SEQUENCE
    return Given.ITERABLE if isinstance(documents, Iterable) else Given.OTHER


def accepted(documents: object) -> Given:
    """Return what was passed; the library that it is from must not be too old."""
    given = given_as(documents)
    if given in _HOMES:
        check_version(_HOMES[given], type(documents).__name__)
    return given


def refusal(documents: object, given: Given) -> DocumentError:
    """Return the error for something that holds no documents, which names its type."""
    kind = type(documents).__name__
    if given is Given.ONE_TEXT:
        remedy = "give a list or dict of texts, or Path(...) for a file or folder"
        return DocumentError(None, "documents", f"are one {kind}, not a collection", remedy)
    if given is Given.SET:
        return DocumentError(None, "documents", f"are a {kind}, which has no order", "give a list of texts, or a dict")
    if given is Given.FRAME:
        ways = [way for name, way in _GET_ARROW.items() if hasattr(documents, name)]
        remedy = f"call {ways[0]} first" if ways else "give a table of pyarrow, pandas or polars"
        home = type(documents).__module__.partition(".")[0]
        return DocumentError(None, "documents", f"are {kind} of {home}, which exports no Arrow data", remedy)
    return DocumentError(None, "documents", f"are {kind}, which is not supported", _COLLECTION)


# -- versions of libraries ---------------------------------------------------------------------------------------------

LEAST: Final = {
    "pandas": "2.0",
    "polars": "1.0",
    "duckdb": "1.0",
    "datasets": "3.0",
    "dask": "2024.3",
    "daft": "0.5",
    "ray": "2.10",
}
"""What is older may lack a method that is called here."""


def check_version(library: str, kind: str) -> None:
    """Refuse data of a library that is too old; `kind` is the type of the data.

    A library that is not loaded, or does not tell its version, is not judged.
    """
    own = getattr(sys.modules.get(library), "__version__", None)
    least = LEAST[library]
    if isinstance(own, str) and (numbers := _numbers(own)) and numbers < _numbers(least):
        problem = f"are {kind} of {library} {own}, which is too old: {least} or newer is needed"
        raise DocumentError(None, "documents", problem, f"upgrade it: pip install --upgrade '{library}>={least}'")


def _numbers(version: str) -> tuple[int, ...]:
    """Return the numbers that a version begins with.

    >>> _numbers("2.1.4rc1"), _numbers("dev")
    ((2, 1, 4), ())
    """
    found = re.match(r"\d+(\.\d+)*", version)
    return tuple(int(part) for part in found[0].split(".")) if found else ()


# -- what a file is ----------------------------------------------------------------------------------------------------

_COMPRESSIONS: Final = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".zstd": "zstd", ".lz4": "lz4", ".xz": "xz"}


class FileFormat(NamedTuple):
    """How files of a format are read, and how their names end."""

    reader: str
    """The module and the function: of a table in `documents`, of a document in `documents.extract`. It is imported
    when a file needs it."""
    endings: tuple[str, ...]


TABLES: Final = {
    "parquet": FileFormat("columnar_files.open_parquet", (".parquet", ".pq")),
    "arrow": FileFormat("columnar_files.open_arrow", (".arrow", ".arrows", ".feather", ".ipc")),
    "jsonl": FileFormat("json_lines.JsonLines", (".jsonl", ".ndjson")),
    "json": FileFormat("json_array.open_json", (".json",)),
    "csv": FileFormat("csv_file.CsvFile", (".csv",)),
    "tsv": FileFormat("csv_file.open_tsv", (".tsv", ".tab")),
}
"""The formats of tables. A reader takes a name, a `RawInput` and an encoding, and returns a `DocumentTable`."""

# Old formats go to the reader of the new one, which says what is wrong with them, unless only the name is old.
DOCUMENTS: Final = {
    "docx": FileFormat("docx_pptx.read_docx", (".docx", ".docm", ".dotx", ".doc")),
    "odt": FileFormat("packages.read_odt", (".odt", ".ott", ".odp")),
    "pptx": FileFormat("docx_pptx.read_pptx", (".pptx", ".pptm", ".ppsx", ".ppt")),
    "html": FileFormat("html_mail.read_html", (".html", ".htm", ".xhtml", ".shtml")),
    "markdown": FileFormat("markup.read_markdown", (".md", ".markdown", ".mkd")),
    "latex": FileFormat("markup.read_latex", (".tex", ".ltx", ".latex")),
    "pdf": FileFormat("pdf.read_pdf", (".pdf",)),
    "rtf": FileFormat("markup.read_rtf", (".rtf",)),
    "epub": FileFormat("markup.read_epub", (".epub",)),
    "eml": FileFormat("html_mail.read_eml", (".eml",)),
    "notebook": FileFormat("markup.read_notebook", (".ipynb",)),
}
"""The formats of documents. A reader takes an open file and an encoding, and returns an `Extracted`."""

_BY_ENDING: Final = {
    ending: name for formats in (TABLES, DOCUMENTS) for name, one in formats.items() for ending in one.endings
}

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
    """``text``; a format of `DOCUMENTS` or `TABLES`; an archive: ``zip``, ``tar``; or ``office`` for what is not
    read."""
    compression: str | None = None
    office: str = ""
    """What a file that is not read is, for a message."""

    @property
    def is_table(self) -> bool:
        """Whether each row is a document."""
        return self.format in TABLES

    @property
    def is_document(self) -> bool:
        """Whether a reader has to take the text out of it."""
        return self.format in DOCUMENTS

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
    found = _BY_ENDING.get(suffix)
    if found is None and suffix in _UNREAD and not compression:
        return Kind("office", office=_UNREAD[suffix])
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
