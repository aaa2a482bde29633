"""Files that are one document each, and archives of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lookalike.documents.ahead import Ahead
from lookalike.documents.extract.pool import Reply
from lookalike.documents.parts import Part
from lookalike.documents.plain_text import OtherKindError, read_text_document
from lookalike.documents.source import Batch, Size
from lookalike.documents.text_document import Members
from lookalike.errors import DocumentError
from lookalike.tables.packed import Ids, Texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lookalike.documents.log import Log
    from lookalike.documents.parts import Pass
    from lookalike.documents.text_document import TextDocument

__all__ = ["TextFiles"]

_BATCH_BYTES: Final = 8 << 20
_BATCH_DOCUMENTS: Final = 4096
_MOST_NOTES: Final = 3


class TextFiles(Part):
    """Files in any encoding, compressed or not; documents with mark-up and archives go through `ahead`."""

    def __init__(
        self, name: str, documents: Sequence[TextDocument], encoding: str = "auto", members: Members | None = None
    ) -> None:
        """Take files in their order; `members` says what to read of an archive."""
        self.name = name
        self._documents = list(documents)
        self._encoding = encoding
        self._members = members or Members()
        # Document → why it was skipped, once all were read: later passes must give the same documents.
        self._left_out: dict[str, tuple[str, str]] | None = None
        self._count: int | None = None

    def number_ids(self) -> bool:
        """Names of files are ids that are given, and unique."""
        return False

    def size(self) -> Size:
        """Add up the files; how many are in an archive only reading tells."""
        known = not any(document.kind.is_archive for document in self._documents)
        return Size(len(self._documents) if known else None, sum(document.size for document in self._documents))

    def batches(self, reading: Pass) -> Iterator[Batch]:
        """Read file after file."""
        left_out: dict[str, tuple[str, str]] = {}
        guesses: dict[str, list[str]] = {}
        batch = _Batch(reading)
        count = 0
        for reply in self._replies():
            if reply.text is None:
                self._leave_out(reply, left_out, reading.log)
                continue
            if reply.guessed:
                guesses.setdefault(reply.encoding, []).append(reply.name)
            if reply.flags:
                reading.log.flags[reply.name] = list(reply.flags)
            if batch.ids and batch.size + len(reply.text) > _BATCH_BYTES:
                yield batch.done()
            count += 1
            batch.add(reply.name, reply.text)
            if len(batch.ids) == _BATCH_DOCUMENTS:
                yield batch.done()
        if batch.ids:
            yield batch.done()
        if self._count not in (None, count):
            raise _changed(self.name, f"held {self._count} documents before, and now {count}")
        self._left_out, self._count = left_out, count
        _note_guesses(guesses, reading.log)

    def _replies(self) -> Iterator[Reply]:
        known = self._left_out or {}
        with Ahead(self._documents, self._encoding, self._members, skip=known) as ahead:
            for number, document in enumerate(self._documents):
                if document.id in known and not document.kind.is_archive:
                    reason, detail = known[document.id]
                    yield Reply(document.id, reason=reason, detail=detail)
                elif ahead.takes(document):
                    yield from ahead.read(number)
                else:
                    try:
                        yield read_text_document(document, self._encoding)
                    except OtherKindError:
                        yield from ahead.read(number)

    def _leave_out(self, reply: Reply, left_out: dict[str, tuple[str, str]], log: Log) -> None:
        """Note a document that is skipped; one that could be read before must not change the numbers of the others."""
        if self._left_out is not None:
            if reply.name not in self._left_out:
                raise _changed(reply.name, f"could be read before, and now is {reply.reason} ({reply.detail})")
            reason, detail = self._left_out[reply.name]
        else:
            reason, detail = reply.reason, reply.detail
        left_out[reply.name] = (reason, detail)
        log.skip(reply.name, reason, detail)


def _changed(name: str, problem: str) -> DocumentError:
    return DocumentError(name, "file", problem, "leave the files as they are while they are read, and run again")


class _Batch:
    """Documents until there are enough of them."""

    def __init__(self, reading: Pass) -> None:
        self._reading = reading
        self.ids: list[str] = []
        self._texts: list[bytes] = []
        self.size = 0

    def add(self, name: str, text: bytes) -> None:
        self.ids.append(name)
        self._texts.append(text)
        self.size += len(text)

    def done(self) -> Batch:
        ids, texts = self.ids, self._texts
        self.ids, self._texts, self.size = [], [], 0
        batch = Batch(Ids(ids), Texts.of(texts))
        if self._reading.ids is not None:
            self._reading.ids.add(batch.ids, lambda row: f"the file {ids[row]}")
        return batch


def _note_guesses(guesses: dict[str, list[str]], log: Log) -> None:
    for encoding, names in sorted(guesses.items()):
        if len(names) <= _MOST_NOTES:
            for name in names:
                log.note(f"{name} read as {encoding}")
        else:
            log.note(f"{len(names)} files read as {encoding}, the first of them {names[0]}")
