"""Documents on their way to a server: a few at a time, whatever their number."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from lookalike.tables.packed import encoded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lookalike.documents import Source
    from lookalike.tables.packed import Id

__all__ = ["MOST_BYTES", "MOST_DOCUMENTS", "Some", "documents_of", "in_batches"]

MOST_DOCUMENTS: Final = 1000
"""Documents of one request: a server takes no more."""
MOST_BYTES: Final = 4_000_000
"""Bytes of one request, about; a document that is larger is alone in its own."""


@dataclass(slots=True)
class Some:
    """Documents of one request."""

    ids: list[Id] = field(default_factory=list)
    _spelt: list[bytes] = field(default_factory=list)
    """Each as JSON."""
    _size: int = 0

    def fits(self, document: bytes, most: int) -> bool:
        """Tell whether another document may come in."""
        return not self.ids or (len(self.ids) < most and self._size + len(document) <= MOST_BYTES)

    def put(self, id: Id, document: bytes) -> None:
        """Take a document."""
        self.ids.append(id)
        self._spelt.append(document)
        self._size += len(document)

    def body(self, **asked: Any) -> bytes:
        """Return the body of a request: the documents, and what else is asked for."""
        more = "".join(
            f", {json.dumps(name)}: {json.dumps(value)}" for name, value in asked.items() if value is not None
        )
        return b'{"documents": [' + b", ".join(self._spelt) + b"]" + more.encode() + b"}"


def in_batches(documents: Iterable[tuple[Id, str]], most: int = MOST_DOCUMENTS, *, sent_as: str = "") -> Iterator[Some]:
    """Give documents in batches, which are made when they are asked for.

    Where `sent_as` is given, the server sees it with a number behind it in the place of each id.
    """
    some = Some()
    for number, (id, text) in enumerate(documents):
        name = f"{sent_as}-{number}" if sent_as else id
        document = encoded(json.dumps({"id": name, "text": text}, ensure_ascii=False))
        if not some.fits(document, most):
            yield some
            some = Some()
        some.put(id, document)
    if some.ids:
        yield some


def documents_of(source: Source) -> Iterator[tuple[Id, str]]:
    """Give the documents of a source, one by one."""
    for batch in source.batches():
        yield from zip(batch.ids, batch.texts, strict=True)
