"""A stored document made again from its text."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from lookalike.index.contract import Row
from lookalike.index.query import sign
from lookalike.tables.packed import Texts

if TYPE_CHECKING:
    from lookalike.index.settings import IndexSettings

__all__ = ["made_again"]


def made_again(row: Row, body_checksum: int, settings: IndexSettings) -> Row | None:
    """Return a row made from its text, if a text was kept and is the one that was added; else None.

    Its own checksum tells. The digest would not: it is of the normalized text, and the same when a letter has become a
    capital.
    """
    if settings.keep != "text" or zlib.crc32(row.body) != body_checksum:
        return None
    try:
        text = row.body.decode("utf-8")
    except UnicodeDecodeError:
        return None
    signed = sign(Texts.of([text]), settings)
    return Row(row.id, signed.shingles[0], signed.lengths[0], signed.digests, signed.keys, signed.slots, row.body)
