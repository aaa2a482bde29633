"""A stored document made again from its text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.index.contract import Row
from lookalike.index.query import sign
from lookalike.tables.packed import Texts

if TYPE_CHECKING:
    from lookalike.index.settings import IndexSettings

__all__ = ["made_again"]


def made_again(row: Row, settings: IndexSettings) -> Row | None:
    """Return a row made from its text, if a text was kept and is the one that was added; else None.

    Digest and length were made when the document was added. A text that still gives both is whole, whatever else is
    damaged.
    """
    if settings.keep != "text" or not isinstance(row.id, str | int):
        return None
    try:
        text = row.body.decode("utf-8")
    except UnicodeDecodeError:
        return None
    signed = sign(Texts.of([text]), settings)
    if signed.lengths[0] != row.length or signed.digests != row.digest:
        return None
    return Row(row.id, signed.shingles[0], signed.lengths[0], signed.digests, signed.keys, signed.slots, row.body)
