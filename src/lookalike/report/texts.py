"""The texts of a result, read again: those that the page needs, and the digest of each."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lookalike.errors import LookalikeError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from lookalike.documents import Source
    from lookalike.result import Result

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


def read_texts(result: Result, given: Any, wanted: Collection[int], room: int = 0) -> Read:
    """Read the texts of the `wanted` documents, of others while there is `room` for their characters, and all digests.

    `given` is anything that holds documents: a dict id → text, a source, a list of texts in the order of the result. By
    default the source of the result is read once more. Documents are known by their ids; one whose length is another
    than at the time of the search has changed, and its text is not shown.
    """
    read = Read()
    source = _source(result, given)
    if source is None:
        read.problem = "The texts were not given to this report, so passages cannot be shown."
        return read
    numbers = {name: number for number, name in reversed(list(enumerate(_names(result))))}
    lengths = None if result.lengths is None else result.lengths.to_pylist()
    changed = 0
    try:
        for name, text in _documents(source):
            number = numbers.pop(name, None)
            if number is None:
                number = numbers.pop(f"old:{name}", None)
            if number is None:
                continue
            if lengths is not None and lengths[number] != len(text):
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


def _source(result: Result, given: Any) -> Source | None:
    from lookalike.documents import open_documents

    if given is None:
        return result.source
    if isinstance(given, Mapping):
        given = {str(name): text for name, text in given.items()}
    return open_documents(given)


def _names(result: Result) -> list[str]:
    return [str(name) for name in result.ids.to_pylist()]


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
