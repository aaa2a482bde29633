"""The texts of a search, read again: those that the page needs, and the digest of each."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from lookalike.documents import Both
from lookalike.errors import LookalikeError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from lookalike.documents import Source
    from lookalike.tables.document_ids import DocumentIds

    _Numbers: TypeAlias = dict[str, int]

__all__ = ["Read", "read_texts"]


@dataclass(slots=True)
class Read:
    """What could be read again."""

    texts: dict[int, str] = field(default_factory=dict)
    """Texts by the number of the document: all that are wanted, and others."""
    digests: dict[int, str] = field(default_factory=dict)
    """SHA-256 of every text as UTF-8, by the number of the document."""
    problem: str = ""
    """One line for people if texts are missing."""


def read_texts(
    source: Source | None,
    ids: DocumentIds,
    lengths: Sequence[int] | None,
    wanted: Collection[int],
    room: int = 0,
) -> Read:
    """Read the texts of the `wanted` documents, of others while there is `room` for their characters, and all digests.

    Documents are known by their ids; of a new and an old one with the same id, the source gives the new one first. A
    document whose length is another than at the time of the search has changed, and its text is not shown.
    """
    read = Read()
    if source is None:
        read.problem = "The texts were not given to this report, so passages cannot be shown."
        return read
    if lengths is None:
        read.problem = "Nobody can tell whether the texts are still those of the search, so passages cannot be shown."
        return read
    new = {str(name): number for number, name in enumerate(ids.new)}
    old = {str(name): number for number, name in enumerate(ids.old or (), len(new))}
    changed = 0
    try:
        for sides, name, text in _documents(source, new, old):
            number = next((side.pop(name) for side in sides if name in side), None)
            if number is None:
                continue
            if lengths[number] != len(text):
                changed += 1
                continue
            read.digests[number] = hashlib.sha256(text.encode()).hexdigest()
            if number in wanted or len(text) <= room:
                read.texts[number] = text
                room -= 0 if number in wanted else len(text)
    except (LookalikeError, OSError) as error:
        read.problem = f"The documents could not be read again ({error}), so some passages cannot be shown."
        return read
    read.problem = _problem(changed, len(new) + len(old), source.name)
    return read


def _documents(source: Source, new: _Numbers, old: _Numbers) -> Iterator[tuple[Sequence[_Numbers], str, str]]:
    """Give each document, and among which ones its name has to be looked up."""
    parts = [(source, [new, old])]
    if isinstance(source, Both):
        parts = [(source.sources[0], [new]), (source.sources[1], [old])]
    for part, sides in parts:
        for batch in part.batches():
            for name, text in zip(map(str, batch.ids), batch.texts, strict=True):
                yield sides, name, text


def _problem(changed: int, gone: int, name: str) -> str:
    if not changed and not gone:
        return ""
    parts = [
        f"{number:,} {'document' if number == 1 else 'documents'} of {name} {said} since the search"
        for number, said in ((changed, "changed"), (gone, "cannot be found any more"))
        if number
    ]
    return f"{' and '.join(parts)}; passages of such documents are not shown."
