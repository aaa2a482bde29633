"""Files that are one document each, and archives of them.

Plain texts are read here. Other documents go to reader processes: while one is waited for, the next are being read.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from dataclasses import replace
from itertools import accumulate
from time import monotonic
from typing import TYPE_CHECKING, BinaryIO, Final, Self

from lookalike.documents.document_batches import Batch, Size
from lookalike.documents.extract import LARGEST_FILE
from lookalike.documents.extract.clean_text import unmasked
from lookalike.documents.extract.pool import Pool, Reply, request_for
from lookalike.documents.folder import Glob
from lookalike.documents.kinds import Members
from lookalike.documents.lms import receipt_of
from lookalike.documents.raw_input import DamagedDataError, ExpandedError
from lookalike.documents.source_parts import Part
from lookalike.documents.table_errors import changed
from lookalike.documents.text_file import READABLE, NotTextError, Utf8, check_start, to_utf8
from lookalike.errors import DocumentError
from lookalike.tables.packed import Ids, Texts
from lookalike.tables.spelling import count

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from lookalike.documents.document_batches import Flag, Log
    from lookalike.documents.document_source import Identity
    from lookalike.documents.extract.pool import Job
    from lookalike.documents.kinds import TextDocument
    from lookalike.documents.raw_input import RawInput
    from lookalike.documents.source_parts import Pass

__all__ = ["Ahead", "OtherKindError", "TextFiles", "read_text_document"]


# -- plain text --------------------------------------------------------------------------------------------------------

_START: Final = 8192
_BLOCK: Final = 1 << 20

_LOOKED_AT: Final = 4 << 20
"""Bytes of a plain text that are searched for look-alike letters."""


class OtherKindError(Exception):
    """A file that is a text by its name, and something else by its first bytes."""


class _SkipError(Exception):
    def __init__(self, reason: str, detail: str) -> None:
        self.reason = reason
        self.detail = detail
        super().__init__(detail)


def read_text_document(document: TextDocument, encoding: str) -> Reply:
    """Read a plain text; `OtherKindError` if it is not plain text but something that a reader knows."""
    try:
        text = _read(document.input, encoding)
    except _SkipError as skip:
        return Reply(document.id, reason=skip.reason, detail=skip.detail)
    flags: tuple[Flag, ...] = ()
    data = text.data
    if not data.isascii():
        start = data[:_LOOKED_AT].decode("utf-8", "ignore")
        seen, flags = unmasked(start)
        if seen != start:
            data = seen.encode() + data[len(start.encode()) :]
    return Reply(document.id, data, flags, text.encoding, text.guessed)


def _read(source: RawInput, encoding: str) -> Utf8:
    """Read one file as UTF-8, or raise `_SkipError`."""
    try:
        with source.open() as stream:
            data = _bytes(stream, source, encoding)
        text = to_utf8(data, encoding)
    except NotTextError as error:
        raise _SkipError(error.reason, f"the file {error.problem}; {error.remedy}") from None
    except ExpandedError:
        raise _SkipError("too large", f"it {source.limits.expands()}") from None
    except DamagedDataError as error:
        raise _SkipError("unreadable", str(error)) from None
    except FileNotFoundError:
        raise _SkipError("vanished", "it disappeared after the files were listed") from None
    except PermissionError:
        raise _SkipError("no permission", "permission denied; check its permissions") from None
    except MemoryError:
        raise _SkipError("too large", "the file does not fit into memory") from None
    except OSError as error:
        raise _SkipError("unreadable", error.strerror or str(error)) from None
    if not text.data:
        raise _SkipError("empty", "the file has no text")
    return text


def _bytes(stream: BinaryIO, source: RawInput, encoding: str) -> bytes:
    start = stream.read(_START)
    if start.startswith(READABLE):
        raise OtherKindError
    if encoding == "auto":
        check_start(start)  # a film is not read to its end only to find that it is not text
    largest = source.limits.document
    if source.compression is None:
        size = source.packed_size()
        if max(size, len(start)) > largest:
            raise _SkipError("too large", source.limits.too_large("it"))
        if len(start) < _START:
            return start
        if stream.seekable():
            stream.seek(0)
            data = stream.read(size + 1)  # no more than that, should the file grow
            if len(data) <= size:
                return data
            start = data
    blocks = [start]
    total = len(start)
    while total <= largest and (block := stream.read(_BLOCK)):
        blocks.append(block)
        total += len(block)
    if total > largest:
        raise _SkipError("too large", source.limits.too_large("it"))
    return b"".join(blocks)


# -- read ahead --------------------------------------------------------------------------------------------------------

_FOR_EACH_PROCESS: Final = 3
"""Documents queued for each process, so that none is ever idle."""


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
        """Return whether a document needs a reader, by its name."""
        return document.kind.is_document or document.kind.is_archive

    def read(self, number: int) -> Iterator[Reply]:
        """Yield what comes of a document: one reply, or for an archive one for each member."""
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


# -- files in batches --------------------------------------------------------------------------------------------------

_BATCH_BYTES: Final = 8 << 20
_BATCH_DOCUMENTS: Final = 4096
_BATCH_SECONDS: Final = 0.25
"""After so long, what was read is passed on, so that the user sees progress."""
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
        self._skipped: dict[str, tuple[str, str]] | None = None
        # Names of students by their user names, from the receipts that were read.
        self._students: dict[str, str] = {}
        # How many documents each file gave.
        self._counts: array[int] | None = None

    def number_ids(self) -> bool:
        """Names of files are ids that are given, and unique."""
        return False

    def size(self) -> Size:
        """Add up the files; only reading shows how many are in an archive."""
        known = not any(document.kind.holds_others for document in self._documents)
        sizes = [document.size for document in self._documents if not document.is_too_large]
        return Size(len(sizes) if known else None, sum(sizes), too_large=len(self._documents) - len(sizes))

    def batches(self, reading: Pass) -> Iterator[Batch]:
        """Read file after file."""
        skipped: dict[str, tuple[str, str]] = {}
        guesses: dict[str, list[str]] = {}
        batch = _Batch(reading)
        counts = array("L", bytes(array("L").itemsize * len(self._documents)))
        for file, replies in self._read(range(len(self._documents))):
            for given in replies:
                reply = _without_receipt(given, self._students)
                if reply.text is None:
                    self._skip(reply, skipped, reading.log)
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
        self._keep(counts, skipped)
        reading.log.students |= self._students
        _note_guesses(guesses, reading.log)

    def _keep(self, counts: array[int], skipped: dict[str, tuple[str, str]]) -> None:
        """Remember what a full pass found; it must be what the pass before found."""
        if self._counts is not None and sum(self._counts) != sum(counts):
            problem = f"held {count(sum(self._counts), 'document')} before, but now {sum(counts):,}"
            raise _changed(self.name, problem)
        self._skipped, self._counts = skipped, counts

    def _read(self, files: Sequence[int]) -> Iterator[tuple[int, Iterator[Reply]]]:
        """Read some files, by their places: what comes of each must be taken before the next."""
        known = self._skipped or {}
        documents = [self._documents[file] for file in files]
        with Ahead(documents, self._encoding, self._members, skip=known) as ahead:
            for place, file in enumerate(files):
                yield file, self._replies(ahead, place, documents[place])

    def _replies(self, ahead: Ahead, place: int, document: TextDocument) -> Iterator[Reply]:
        known = self._skipped or {}
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

    def _skip(self, reply: Reply, skipped: dict[str, tuple[str, str]], log: Log) -> None:
        """Log a document that is skipped; if it could be read before, the numbers of the others would change."""
        if self._skipped is not None:
            if reply.name not in self._skipped:
                raise _changed(reply.name, f"could be read before, but now is {reply.reason} ({reply.detail})")
            reason, detail = self._skipped[reply.name]
        else:
            reason, detail = reply.reason, reply.detail
        skipped[reply.name] = (reason, detail)
        log.skip(reply.name, reason, detail)


def _without_receipt(reply: Reply, students: dict[str, str]) -> Reply:
    """Return a reply unchanged; of a receipt of a learning platform, only what a student typed in."""
    if reply.text is None or "_attempt_" not in reply.name:
        return reply
    receipt = receipt_of(reply.name, reply.text.decode("utf-8"))
    if receipt is None:
        return reply
    students[receipt.user] = receipt.student
    if receipt.text:
        return replace(reply, text=receipt.text.encode("utf-8"))
    return Reply(reply.name, reason="receipt", detail="it says who submitted which file, and has no text of its own")


def _changed(name: str, problem: str) -> DocumentError:
    return DocumentError(name, "file", problem, "do not change the files while they are read, and run again")


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
