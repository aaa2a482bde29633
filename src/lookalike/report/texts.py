"""The texts of a search, read again: those that the page needs, and the digest of each."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lookalike.errors import LookalikeError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from lookalike.documents import Source

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
    names: Sequence[str],
    lengths: Sequence[int] | None,
    wanted: Collection[int],
    room: int = 0,
) -> Read:
    """Read the texts of the `wanted` documents, of others while there is `room` for their characters, and all digests.

    Documents are known by their names, in the order of the search; one whose length is another than at that time has
    changed, and its text is not shown.
    """
    read = Read()
    if source is None:
        read.problem = "The texts were not given to this report, so passages cannot be shown."
        return read
    if lengths is None:
        read.problem = "Nobody can tell whether the texts are still those of the search, so passages cannot be shown."
        return read
    numbers = {name: number for number, name in reversed(list(enumerate(names)))}
    changed = 0
    try:
        for name, text in _documents(source):
            number = numbers.pop(name, None)
            if number is None:
                number = numbers.pop(f"old:{name}", None)
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
    read.problem = _problem(changed, len(numbers), source.name)
    return read


def _documents(source: Source) -> Iterator[tuple[str, str]]:
    for batch in source.batches():
        yield from zip(map(str, batch.ids), batch.texts, strict=True)


def _problem(changed: int, gone: int, name: str) -> str:
    if not changed and not gone:
        return ""
    parts = [
        f"{number:,} {'document' if number == 1 else 'documents'} of {name} {said} since the search"
        for number, said in ((changed, "changed"), (gone, "cannot be found any more"))
        if number
    ]
    return f"{' and '.join(parts)}; passages of such documents are not shown."
