"""Documents with a reader, read ahead: while one is waited for, the next ones are at work in other processes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Self

from lookalike.documents.extract.pool import Pool, Reply, request_for
from lookalike.documents.extract.protocol import LARGEST_FILE
from lookalike.documents.globs import Glob

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from lookalike.documents.extract.pool import Job
    from lookalike.documents.text_document import Members, TextDocument

__all__ = ["Ahead"]

_FOR_EACH_PROCESS: Final = 3
"""Documents that wait for each process, so that none is ever without work."""


class Ahead:
    """Reads the documents of a list in their order; use it in a `with` statement."""

    def __init__(
        self, documents: Sequence[TextDocument], encoding: str, members: Members, *, skip: Container[str] = ()
    ) -> None:
        """Take the list; no process is started before there is a document that needs one."""
        self._documents = documents
        self._encoding = encoding
        self._members = members
        self._skip = skip
        self._pool = Pool()
        self._jobs: dict[int, Job] = {}
        self._next = 0

    def takes(self, document: TextDocument) -> bool:
        """Say whether a document needs a reader, by its name."""
        return document.kind.is_document or document.kind.is_archive

    def read(self, number: int) -> Iterator[Reply]:
        """Give what comes of a document: one reply, or for an archive one for each member."""
        self._send_until(number + 1 + _FOR_EACH_PROCESS * self._pool.processes)
        document = self._documents[number]
        if document.kind.is_archive or document.size <= LARGEST_FILE:
            yield from self._jobs.pop(number, None) or self._send(document)
        else:
            detail = f"a document that is not plain text may have up to {LARGEST_FILE >> 20} MiB"
            yield Reply(document.id, reason="too large", detail=detail)

    def _send_until(self, end: int) -> None:
        while self._next < min(end, len(self._documents)):
            document = self._documents[self._next]
            small = document.kind.is_archive or document.size <= LARGEST_FILE
            if self.takes(document) and small and document.id not in self._skip:
                self._jobs[self._next] = self._send(document)
            self._next += 1

    def _send(self, document: TextDocument) -> Job:
        source, members = document.input, self._members
        data = b""
        if source.path is None:
            with source.open_packed() as stream:
                data = stream.read(LARGEST_FILE)
        include = members.include
        if any(Glob(pattern).matches(document.id) for pattern in include):
            include = ()  # the archive itself is wanted, whatever is in it
        request = request_for(
            document.id,
            document.kind,
            source.path,
            source.packed_size(),
            encoding=self._encoding,
            include=include,
            exclude=members.exclude,
            hidden=members.hidden,
            limits=source.limits,
        )
        return self._pool.submit(request, data)

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(self, *error: object) -> None:
        """End all processes."""
        self._pool.close()
