"""The kinds of data that `drop_near_duplicates` and its like take and give back."""

from __future__ import annotations

from typing import Any, Final

from lookalike.documents.data_frames import STREAMED
from lookalike.documents.given import Given, accepted
from lookalike.errors import DocumentError
from lookalike.search.frames.base import Frame, SplitFrame, TextArray, TextDict, TextList, TextRows
from lookalike.search.frames.tables import ArrowFrame, DatasetFrame, HeldFrame, PandasFrame, PolarsFrame, StreamedFrame

__all__ = ["Frame", "TextRows", "frame_of"]

_FACES: Final[dict[Given, type[Frame]]] = {
    Given.ARROW: ArrowFrame,
    Given.ARROW_READER: HeldFrame,
    Given.ARROW_SCANNER: HeldFrame,
    Given.DUCKDB: HeldFrame,
    Given.STREAM: HeldFrame,
    Given.PANDAS: PandasFrame,
    Given.POLARS: PolarsFrame,
    Given.POLARS_LAZY: PolarsFrame,
    Given.DATASET: DatasetFrame,
    Given.NUMPY: TextArray,
    Given.MAPPING: TextDict,
    Given.SEQUENCE: TextList,
    Given.PATHS: TextList,
    Given.ITERABLE: TextList,
    **dict.fromkeys(STREAMED, StreamedFrame),
}


def frame_of(data: Any) -> Frame:
    """Return the adapter of some data.

    >>> frame_of(["one", "two"]).kind
    'list'
    >>> frame_of({"a", "b"})
    Traceback (most recent call last):
        ...
    lookalike.errors.DocumentError: data has the unsupported type 'set'; give a list, a dict, an array of texts, or \
a table
    """
    given = accepted(data)
    if given is Given.SPLITS:
        return SplitFrame(data, frame_of)
    face = _FACES.get(given)
    if face is not None:
        return face(list(data) if given is Given.ITERABLE else data)
    kind = type(data).__name__
    remedy = "give a list, a dict, an array of texts, or a table"
    raise DocumentError(None, "data", f"has the unsupported type {kind!r}", remedy)
