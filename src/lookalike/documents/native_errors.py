"""What keeps a native reader from reading a table, said as the other readers say it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Protocol

from lookalike.documents.inputs import Input
from lookalike.documents.native import COMPRESSIONS
from lookalike.documents.table_errors import missing_id, not_a_table, truncated, unread_after
from lookalike.opening import open_error

if TYPE_CHECKING:
    from lookalike.documents.native import NativePart
    from lookalike.errors import DocumentError

__all__ = ["NativeError", "native_error"]


class NativeError(Protocol):
    """What `_native.TableError` has."""

    kind: str
    line: int | None
    errno: int | None


def native_error(part: NativePart, error: NativeError) -> DocumentError | None:
    """Return the error for what a native reader met; None if another reader has to find out."""
    kind, row, reason = error.kind, error.line, _reason(str(error))
    if kind == "io":
        number = error.errno
        return open_error(part.name, OSError(number, reason if number is None else os.strerror(number)))
    if kind == "unreadable":
        return not_a_table(part.name, "Parquet", reason, _input(part).packed_size())
    if kind == "truncated":
        return truncated(part.name, error)
    if kind == "damaged":
        return truncated(part.name, error) if row is None else unread_after(part.name, row, reason)
    if kind == "expands":
        return part.limits.expansion_error(part.name)
    if row is None:
        return None
    if kind == "missing id":
        return missing_id(part.name, row)
    return None


def _reason(said: str) -> str:
    """Return what is in brackets, which is what a library said."""
    return said.partition("(")[2].removesuffix(")") or said


def _input(part: NativePart) -> Input:
    packed = next(own for own, native in COMPRESSIONS.items() if native == part.compression)
    return Input(part.name, part.path, packed, limits=part.limits)
