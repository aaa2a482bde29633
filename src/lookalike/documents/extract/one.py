"""One document through a reader."""

from __future__ import annotations

import os
from math import inf
from pathlib import Path

from lookalike.documents.extract.limits import LARGEST_FILE
from lookalike.documents.extract.model import Extracted, RefusedError
from lookalike.documents.extract.pool import Pool
from lookalike.documents.extract.request import request_for
from lookalike.documents.kinds import Kind
from lookalike.documents.limits import LIMITS, Limits

__all__ = ["extract"]


def extract(
    document: str | os.PathLike[str] | bytes,
    kind: Kind | str,
    encoding: str = "auto",
    limits: Limits = LIMITS,
    longest: float = inf,
) -> Extracted:
    """Return the text of one document, a file or its bytes; `RefusedError` if there is none.

    A reader that takes longer than `longest` seconds is ended. For many documents use a `Pool`: this starts a process
    and ends it.
    """
    if isinstance(kind, str):
        kind = Kind(kind)
    data = document if isinstance(document, bytes) else b""
    path = None if isinstance(document, bytes) else os.fspath(document)
    size = len(data) if path is None else Path(path).stat().st_size
    if size > LARGEST_FILE:
        raise RefusedError("too large", f"a document may have up to {LARGEST_FILE >> 20} MiB")
    name = "the document" if path is None else path
    with Pool(1, longest) as pool:
        reply = next(iter(pool.submit(request_for(name, kind, path, size, encoding=encoding, limits=limits), data)))
    if reply.text is None:
        raise RefusedError(reply.reason, reply.detail)
    return Extracted(reply.text.decode("utf-8"), reply.flags, reply.encoding, reply.guessed)
