"""Documents that are more than plain text: taken apart by readers in limited processes of their own."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lookalike.documents.extract.limits import LARGEST_FILE
from lookalike.documents.extract.model import Extracted, Flag, RefusedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lookalike.documents.kinds import Kind

__all__ = ["Extracted", "Flag", "RefusedError", "extract", "request_for"]


def request_for(
    name: str,
    kind: Kind,
    path: str | None,
    size: int,
    *,
    encoding: str = "auto",
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    hidden: bool = False,
) -> dict[str, Any]:
    """Return what the process of a reader is told about a document; without a path its bytes are sent along."""
    return {
        "name": name,
        "kind": kind.format,
        "compression": kind.compression,
        "path": None if path is None else os.path.abspath(path),  # noqa: PTH100 - the process has another folder
        "size": size,
        "encoding": encoding,
        "include": list(include),
        "exclude": list(exclude),
        "hidden": hidden,
    }


def extract(document: str | os.PathLike[str] | bytes, kind: Kind | str, encoding: str = "auto") -> Extracted:
    """Return the text of one document, a file or its bytes; `RefusedError` if there is none.

    For many documents use a `Pool`: this starts a process and ends it.
    """
    from lookalike.documents.extract.pool import Pool
    from lookalike.documents.kinds import Kind

    if isinstance(kind, str):
        kind = Kind(kind)
    data = document if isinstance(document, bytes) else b""
    path = None if isinstance(document, bytes) else os.fspath(document)
    size = len(data) if path is None else Path(path).stat().st_size
    if size > LARGEST_FILE:
        raise RefusedError("too large", f"a document may have up to {LARGEST_FILE >> 20} MiB")
    name = "the document" if path is None else path
    with Pool(1) as pool:
        reply = next(iter(pool.submit(request_for(name, kind, path, size, encoding=encoding), data)))
    if reply.text is None:
        raise RefusedError(reply.reason, reply.detail)
    return Extracted(reply.text.decode("utf-8"), reply.flags, reply.encoding, reply.guessed)
