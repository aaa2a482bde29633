"""What the process of a reader is told about a document."""

from __future__ import annotations

import os
from dataclasses import astuple
from typing import TYPE_CHECKING, Any

from lookalike.documents.limits import LIMITS, Limits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lookalike.documents.kinds import Kind

__all__ = ["request_for"]


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
    limits: Limits = LIMITS,
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
        "limits": astuple(limits),
    }
