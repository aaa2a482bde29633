"""Files that are one document each, and archives of them."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from dataclasses import replace
from itertools import accumulate
from time import monotonic
from typing import TYPE_CHECKING, Final

from lookalike.documents.ahead import Ahead
from lookalike.documents.extract.pool import Reply
from lookalike.documents.lms import receipt_of
from lookalike.documents.model import Batch, Size
from lookalike.documents.parts import Part
from lookalike.documents.plain_text import OtherKindError, read_text_document
from lookalike.documents.table_errors import changed
from lookalike.documents.text_document import Members
from lookalike.errors import DocumentError
from lookalike.tables.packed import Ids, Texts
from lookalike.tables.wording import count

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lookalike.documents.identity import Identity
    from lookalike.documents.log import Log
    from lookalike.documents.parts import Pass
    from lookalike.documents.text_document import TextDocument

__all__ = ["TextFiles"]

_BATCH_BYTES: Final = 8 << 20
_BATCH_DOCUMENTS: Final = 4096
_BATCH_SECONDS: Final = 0.25
"""After so long, what was read is handed on, so that whoever waits sees that it goes on."""
_SAMPLED_FILES: Final = 8


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
        # Names of students by their user names, from the receipts that were read.
        self._students: dict[str, str] = {}
        # How many documents each file gave.
        self._counts: array[int] | None = None

    def number_ids(self) -> bool:
        """Names of files are ids that are given, and unique."""
        return False

    def size(self) -> Size:
        """Add up the files; how many are in an archive only reading tells."""
        known = not any(document.kind.holds_others for document in self._documents)
        sizes = [document.size for document in self._documents if not document.is_too_large]
        return Size(len(sizes) if known else None, sum(sizes), too_large=len(self._documents) - len(sizes))

    def batches(self, reading: Pass) -> Iterator[Batch]:
        """Read file after file."""
        left_out: dict[str, tuple[str, str]] = {}
        guesses: dict[str, list[str]] = {}
        batch = _Batch(reading)
        counts = array("L", bytes(array("L").itemsize * len(self._documents)))
        for file, replies in self._read(range(len(self._documents))):
            for given in replies:
                reply = _without_receipt(given, self._students)
                if reply.text is None:
                    self._leave_out(reply, left_out, reading.log)
                    continue
                if reply.guessed:
                    guesses.setdefault(reply.encoding, []).append(reply.name)
                if reply.flags:
                    reading.log.flags[reply.name] = list(reply.flags)
                if batch.ids and batch.size + len(reply.text) > _BATCH_BYTES:
                    yield batch.done()
                counts[file] += 1
                batch.add(reply.name, reply.text)
                if len(batch.ids) == _BATCH_DOCUMENTS or monotonic() - batch.begun > _BATCH_SECONDS:
                    yield batch.done()
        if batch.ids:
            yield batch.done()
        self._keep(counts, left_out)
        reading.log.students |= self._students
        _note_guesses(guesses, reading.log)

    def _keep(self, counts: array[int], left_out: dict[str, tuple[str, str]]) -> None:
        """Remember what a full pass found; it must be what the pass before found."""
        if self._counts is not None and sum(self._counts) != sum(counts):
            problem = f"held {count(sum(self._counts), 'document')} before, and now {sum(counts):,}"
            raise _changed(self.name, problem)
        self._left_out, self._counts = left_out, counts

    def _read(self, files: Sequence[int]) -> Iterator[tuple[int, Iterator[Reply]]]:
        """Read some files, by their places: what comes of each must be taken before the next."""
        known = self._left_out or {}
        documents = [self._documents[file] for file in files]
        with Ahead(documents, self._encoding, self._members, skip=known) as ahead:
            for place, file in enumerate(files):
                yield file, self._replies(ahead, place, documents[place])

    def _replies(self, ahead: Ahead, place: int, document: TextDocument) -> Iterator[Reply]:
        known = self._left_out or {}
        if document.id in known and not document.kind.holds_others:
            reason, detail = known[document.id]
            yield Reply(document.id, reason=reason, detail=detail)
        elif ahead.takes(document):
            yield from ahead.read(place)
        else:
            try:
                yield read_text_document(document, self._encoding)
            except OtherKindError:
                yield from ahead.read(place)

    def fetch(self, numbers: Sequence[int], reading: Pass) -> Iterator[tuple[Sequence[int], Texts]]:
        """Read only the files that have the documents; an archive is read from its first member."""
        if self._counts is None:
            yield from super().fetch(numbers, reading)
            return
        starts = list(accumulate(self._counts, initial=0))
        wanted = set(numbers)
        found: list[int] = []
        texts: list[bytes] = []
        size = 0
        for file, replies in self._read(sorted({bisect_right(starts, number) - 1 for number in numbers})):
            number = starts[file]
            for given in replies:
                reply = _without_receipt(given, self._students)
                if reply.text is not None and number in wanted:
                    found.append(number)
                    texts.append(reply.text)
                    size += len(reply.text)
                number += reply.text is not None
                if size >= _BATCH_BYTES:
                    yield found, Texts.of(texts)
                    found, texts, size = [], [], 0
            if number != starts[file + 1]:
                raise changed(self._documents[file].id)
        if found:
            yield found, Texts.of(texts)

    def identify(self, identity: Identity) -> None:
        """Name all files with their sizes and times, and look into the first few."""
        largest = sorted({document.input.limits.document for document in self._documents})
        identity.add(self._encoding, self._members.include, self._members.exclude, self._members.hidden, *largest)
        for number, document in enumerate(self._documents):
            identity.add_file(document.id, document.input, sample=number < _SAMPLED_FILES)

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


def _without_receipt(reply: Reply, students: dict[str, str]) -> Reply:
    """Return a reply as it is; of the receipt of a learning platform only what a student typed in."""
    if reply.text is None or "_attempt_" not in reply.name:
        return reply
    receipt = receipt_of(reply.name, reply.text.decode("utf-8"))
    if receipt is None:
        return reply
    students[receipt.user] = receipt.student
    if receipt.text:
        return replace(reply, text=receipt.text.encode("utf-8"))
    return Reply(reply.name, reason="receipt", detail="it tells who handed in which file, and has no text of its own")


def _changed(name: str, problem: str) -> DocumentError:
    return DocumentError(name, "file", problem, "leave the files as they are while they are read, and run again")


class _Batch:
    """Documents until there are enough of them."""

    def __init__(self, reading: Pass) -> None:
        self._reading = reading
        self.ids: list[str] = []
        self._texts: list[bytes] = []
        self.size = 0
        self.begun = monotonic()

    def add(self, name: str, text: bytes) -> None:
        self.ids.append(name)
        self._texts.append(text)
        self.size += len(text)

    def done(self) -> Batch:
        ids, texts = self.ids, self._texts
        self.ids, self._texts, self.size, self.begun = [], [], 0, monotonic()
        batch = Batch(Ids(ids), Texts.of(texts))
        if self._reading.ids is not None:
            self._reading.ids.add(batch.ids, lambda row: f"the file {ids[row]}")
        return batch


def _note_guesses(guesses: dict[str, list[str]], log: Log) -> None:
    for encoding, names in sorted(guesses.items()):
        for name in names:
            log.note_about(name, f" read as {encoding}")
