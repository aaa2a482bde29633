"""What a caller has passed as documents: the one place that decides it, without importing any of the libraries."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import Final

from lookalike.documents.source import Source
from lookalike.errors import DocumentError

__all__ = ["Given", "given_as", "refusal"]


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
    PANDAS = "a data frame or series of pandas"
    POLARS = "a data frame or series of polars"
    POLARS_LAZY = "a lazy frame of polars"
    DATASET = "a dataset of Hugging Face"
    STREAM = "anything else that exports Arrow data"
    ONE_TEXT = "a single text, not a collection"
    SET = "a set, which has no order"
    SPLITS = "datasets by name"
    FRAME = "a data frame without Arrow data"
    OTHER = "nothing that holds documents"

    @property
    def is_frame(self) -> bool:
        """Whether Arrow data can be had from it."""
        return self in _FRAMES


_FRAMES: Final = frozenset(
    {
        *(Given.ARROW, Given.ARROW_READER, Given.ARROW_DATASET, Given.PANDAS),
        *(Given.POLARS, Given.POLARS_LAZY, Given.DATASET, Given.STREAM),
    }
)
_ARROW: Final = {
    "Table": Given.ARROW,
    "RecordBatch": Given.ARROW,
    "Array": Given.ARROW,
    "ChunkedArray": Given.ARROW,
    "RecordBatchReader": Given.ARROW_READER,
    "Dataset": Given.ARROW_DATASET,
}
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
    """Say what was passed. Nothing is read, and an iterator is not begun.

    >>> given_as(["one", "two"]).name, given_as({"a": "one"}).name, given_as("one").name, given_as({"one"}).name
    ('SEQUENCE', 'MAPPING', 'ONE_TEXT', 'SET')
    """
    if isinstance(documents, Source):
        return Given.SOURCE
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
    first = next(iter(documents.values()), None)  # one is enough: texts are checked one by one later
    return hasattr(first, "__arrow_c_stream__") or hasattr(first, "with_format")


def _by_library(documents: object) -> Given | None:
    """Know the types of the common libraries by where they are from, since importing them takes long."""
    homes = {kind.__module__.partition(".")[0] for kind in type(documents).__mro__}
    if "pyarrow" in homes:
        names = (kind.__name__ for kind in type(documents).__mro__)
        return next((_ARROW[name] for name in names if name in _ARROW), None)
    if "pandas" in homes and hasattr(documents, "iloc"):
        return Given.PANDAS
    if "polars" in homes and hasattr(documents, "filter"):
        return Given.POLARS_LAZY if hasattr(documents, "collect") else Given.POLARS
    return None


def _by_protocol(documents: object) -> Given:
    if all(hasattr(documents, name) for name in ("select", "select_columns", "features", "column_names", "__len__")):
        return Given.DATASET
    if hasattr(documents, "__arrow_c_stream__") or hasattr(documents, "__arrow_c_array__"):
        return Given.STREAM
    if hasattr(documents, "with_format"):  # a dataset before they exported streams, or one that is not held at all
        return Given.DATASET if hasattr(documents, "data") else Given.FRAME
    if hasattr(getattr(getattr(documents, "data", None), "table", None), "__arrow_c_stream__"):
        return Given.STREAM
    if hasattr(documents, "columns"):
        return Given.FRAME  # of Dask or Spark, for one: to iterate over it would give the names of its columns
    if isinstance(documents, Sequence):
        return Given.SEQUENCE
    return Given.ITERABLE if isinstance(documents, Iterable) else Given.OTHER


def refusal(documents: object, given: Given) -> DocumentError:
    """Return the error for something that holds no documents, which names its type."""
    kind = type(documents).__name__
    if given is Given.ONE_TEXT:
        remedy = "give a list or dict of texts, or Path(...) for a file or folder"
        return DocumentError(0, "documents", f"are one {kind}, not a collection", remedy)
    if given is Given.SET:
        return DocumentError(0, "documents", f"are a {kind}, which has no order", "give a list of texts, or a dict")
    if given is Given.SPLITS and isinstance(documents, Mapping):
        name, value = next(iter(documents.items()))
        problem = f"is {type(value).__name__}, not str"
        return DocumentError(name, "text", problem, f"give one table only, for example documents[{name!r}]")
    if given is Given.FRAME:
        ways = [way for name, way in _GET_ARROW.items() if hasattr(documents, name)]
        remedy = f"call {ways[0]} first" if ways else "give a table of pyarrow, pandas or polars"
        home = type(documents).__module__.partition(".")[0]
        return DocumentError(0, "documents", f"are {kind} of {home}, which exports no Arrow data", remedy)
    return DocumentError(0, "documents", f"are {kind}, which has none", _COLLECTION)
