"""Documents in memory: a list, a dict or any iterable of texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from lookalike import checks
from lookalike.documents.ids import of_one_kind
from lookalike.errors import DocumentError

__all__ = ["Collection", "Documents", "gather"]

Documents: TypeAlias = Iterable[str] | Mapping[str, str] | Mapping[int, str]


@dataclass(frozen=True, slots=True)
class Collection:
    """Texts with their ids: the keys of a dict, or the positions in a list."""

    ids: list[str] | list[int] | range
    texts: list[str]

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.texts)


def gather(documents: Documents) -> Collection:
    """Take documents as they are given; anything that is not a text is an error that names the document.

    >>> gather({"a.txt": "one", "b.txt": "two"}).ids
    ['a.txt', 'b.txt']
    >>> gather(["one", None])
    Traceback (most recent call last):
        ...
    lookalike.errors.DocumentError: document 1: text is NoneType, not str; leave the document out or give it an empty \
text
    """
    if isinstance(documents, str | bytes) or not isinstance(documents, Iterable):
        kind = type(documents).__name__
        raise DocumentError(None, "documents", f"are one {kind}, not a collection", "give a list or dict of texts")
    ids: list[Any] | range
    if isinstance(documents, Mapping):
        ids, texts = of_one_kind(list(documents.keys())), list(documents.values())
    else:
        texts = list(documents)
        ids = range(len(texts))
    if not set(map(type, texts)) <= {str}:
        for name, text in zip(ids, texts, strict=True):
            checks.text(name, text)
    return Collection(ids, texts)
