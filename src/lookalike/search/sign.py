"""The signatures of a collection, whatever holds it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.documents.gather import gather
from lookalike.engine.sign import Signatures, sign_texts

if TYPE_CHECKING:
    from lookalike.documents import Documents
    from lookalike.recipe import Recipe

__all__ = ["sign"]


def sign(documents: Documents, recipe: Recipe | None = None, *, threads: int = 0) -> Signatures:
    """Return the signatures of texts; `threads=0` takes all cores. The numbers do not depend on it.

    >>> len(sign(["one two three", "four five six"]))
    2
    """
    return sign_texts(gather(documents).texts, recipe, threads=threads)
