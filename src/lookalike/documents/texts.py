"""Files that are one document each, and archives of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Final

from lookalike.documents.batching import string_array, text_array
from lookalike.documents.compressed import DamagedError
from lookalike.documents.extract.letters import flag_letters
from lookalike.documents.extract.pool import Reply
from lookalike.documents.inputs import COMPRESSED_FACTOR
from lookalike.documents.kinds import Kind
from lookalike.documents.parts import Part
from lookalike.documents.source import Batch, Size
from lookalike.documents.text_file import NotTextError, Utf8, check_start, to_utf8
from lookalike.errors import DocumentError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from lookalike.documents.extract.model import Flag
    from lookalike.documents.inputs import Input
    from lookalike.documents.log import Log
    from lookalike.documents.parts import Pass

__all__ = ["LARGEST", "READABLE", "Members", "OtherKindError", "TextDocument", "TextFiles", "read_text_document"]

LARGEST: Final = 4 << 30
"""The most bytes of one document, decompressed."""

# A real text of that size does not shrink to less than a two-hundredth; what does is a decompression bomb, and is
# refused before it fills the memory.
_BOMB: Final = 64 << 20
_BOMB_RATIO: Final = 200

_START: Final = 8192
_BLOCK: Final = 1 << 20
_BATCH_BYTES: Final = 8 << 20
_BATCH_DOCUMENTS: Final = 4096
_MOST_NOTES: Final = 3


_LOOKED_AT: Final = 4 << 20
"""Bytes of a plain text that are searched for look-alike letters."""
READABLE: Final = (b"%PDF-", b"PK\3\4", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"{\\rtf")
"""How documents begin that have a reader, whatever their name."""


@dataclass(frozen=True, slots=True)
class TextDocument:
    """A file that is a document, or an archive of them."""

    id: str
    input: Input
    size: int
    kind: Kind = Kind("text")  # noqa: RUF009 - it cannot change


@dataclass(frozen=True, slots=True)
class Members:
    """What to read of an archive, by name; see `open_paths`."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    hidden: bool = False


class OtherKindError(Exception):
    """A file that its name calls a text, and its first bytes something else."""


class _SkipError(Exception):
    def __init__(self, reason: str, detail: str) -> None:
        self.reason = reason
        self.detail = detail
        super().__init__(detail)


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

    def given_ids(self) -> pa.DataType | None:
        """Names of files are ids that are given, and unique."""
        import pyarrow as pa

        return pa.large_string()

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
        from lookalike.documents.ahead import Ahead

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
        batch = Batch(string_array(ids), text_array(texts))
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


def read_text_document(document: TextDocument, encoding: str) -> Reply:
    """Read a plain text; `OtherKindError` if it is no plain text but something that a reader knows."""
    try:
        text = _read(document.input, encoding)
    except _SkipError as skip:
        return Reply(document.id, reason=skip.reason, detail=skip.detail)
    flags: tuple[Flag, ...] = ()
    if not text.data.isascii():
        flags = flag_letters(text.data[:_LOOKED_AT].decode("utf-8", "ignore"))
    return Reply(document.id, text.data, flags, text.encoding, text.guessed)


def _read(source: Input, encoding: str) -> Utf8:
    """Read one file as UTF-8, or raise `_SkipError`."""
    try:
        with source.open() as stream:
            data = _bytes(stream, source, encoding)
        text = to_utf8(data, encoding)
    except NotTextError as error:
        raise _SkipError(error.reason, f"the file {error.problem}; {error.remedy}") from None
    except DamagedError as error:
        raise _SkipError("unreadable", str(error)) from None
    except FileNotFoundError:
        raise _SkipError("vanished", "it was there when the files were listed") from None
    except PermissionError:
        raise _SkipError("no permission", "permission denied; check its permissions") from None
    except MemoryError:
        raise _SkipError("too large", "the file does not fit into memory") from None
    except OSError as error:
        raise _SkipError("unreadable", error.strerror or str(error)) from None
    if not text.data:
        raise _SkipError("empty", "the file has no text")
    return text


def _bytes(stream: BinaryIO, source: Input, encoding: str) -> bytes:
    start = stream.read(_START)
    if start.startswith(READABLE):
        raise OtherKindError
    if encoding == "auto":
        check_start(start)  # a film is not read to its end to see that it is none of ours
    if source.compression is None:
        if len(start) < _START:
            return start
        if source.size() > LARGEST:
            raise _SkipError("too large", f"a document may have up to {LARGEST >> 30} GiB")
        if stream.seekable():
            stream.seek(0)
            return stream.read()
        return start + stream.read()
    blocks = [start]
    total = len(start)
    packed = source.size() // COMPRESSED_FACTOR
    while block := stream.read(_BLOCK):
        blocks.append(block)
        total += len(block)
        if total > LARGEST or (total > _BOMB and total > packed * _BOMB_RATIO):
            raise _SkipError("too large", f"it unpacks to more than {total >> 20} MiB; unpack it first if it is real")
    return b"".join(blocks)
