"""What a caller has passed as documents: the one place that decides it, without importing any of the libraries."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import Final

from lookalike.documents.document_source import Source
from lookalike.errors import DocumentError
from lookalike.urls import is_url

__all__ = ["LEAST", "Given", "accepted", "check_version", "given_as", "refusal"]


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
