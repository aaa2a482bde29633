"""Files that are one document each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Final

from lookalike.documents.batching import string_array, text_array
from lookalike.documents.compressed import DamagedError
from lookalike.documents.inputs import COMPRESSED_FACTOR
from lookalike.documents.parts import Part
from lookalike.documents.source import Batch, Size
from lookalike.documents.text_file import NotTextError, Utf8, check_start, to_utf8
from lookalike.errors import DocumentError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from lookalike.documents.inputs import Input
    from lookalike.documents.log import Log
    from lookalike.documents.parts import Pass

__all__ = ["LARGEST", "TextDocument", "TextFiles"]

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


@dataclass(frozen=True, slots=True)
class TextDocument:
    """A file that is a document."""

    id: str
    input: Input
    size: int


class _SkipError(Exception):
    def __init__(self, reason: str, detail: str) -> None:
        self.reason = reason
        self.detail = detail
        super().__init__(detail)


class TextFiles(Part):
    """Text files in any encoding, compressed or not."""

    def __init__(self, name: str, documents: Sequence[TextDocument], encoding: str = "auto") -> None:
        """Take files in their order."""
        self.name = name
        self._documents = list(documents)
        self._encoding = encoding
        # Document → why it was skipped, once all were read: later passes must give the same documents.
        self._left_out: dict[int, tuple[str, str]] | None = None

    def given_ids(self) -> pa.DataType | None:
        """Names of files are ids that are given, and unique."""
        import pyarrow as pa

        return pa.large_string()

    def size(self) -> Size:
        """Add up the files."""
        return Size(len(self._documents), sum(document.size for document in self._documents))

    def batches(self, reading: Pass) -> Iterator[Batch]:
        """Read file after file."""
        left_out: dict[int, tuple[str, str]] = {}
        guesses: dict[str, list[str]] = {}
        ids: list[str] = []
        texts: list[bytes] = []
        size = 0
        for number, document in enumerate(self._documents):
            text = self._text(number, left_out)
            if text is None:
                reading.log.skip(document.id, *left_out[number])
                continue
            if text.guessed:
                guesses.setdefault(text.encoding, []).append(document.id)
            if texts and size + len(text.data) > _BATCH_BYTES:
                yield _batch(ids, texts, reading)
                ids, texts, size = [], [], 0
            ids.append(document.id)
            texts.append(text.data)
            size += len(text.data)
            if len(texts) == _BATCH_DOCUMENTS:
                yield _batch(ids, texts, reading)
                ids, texts, size = [], [], 0
        if texts:
            yield _batch(ids, texts, reading)
        self._left_out = left_out
        _note_guesses(guesses, reading.log)

    def _text(self, number: int, left_out: dict[int, tuple[str, str]]) -> Utf8 | None:
        """Read one document; None, and its reason in `left_out`, if it is skipped."""
        document = self._documents[number]
        if self._left_out is not None and number in self._left_out:
            left_out[number] = self._left_out[number]
            return None
        try:
            return _read(document.input, self._encoding)
        except _SkipError as skip:
            if self._left_out is not None:
                problem = f"could be read before, and now is {skip.reason} ({skip.detail})"
                remedy = "leave the files as they are while they are read, and run again"
                raise DocumentError(document.id, "file", problem, remedy) from None
            left_out[number] = (skip.reason, skip.detail)
            return None


def _batch(ids: list[str], texts: list[bytes], reading: Pass) -> Batch:
    batch = Batch(string_array(ids), text_array(texts))
    if reading.ids is not None:
        reading.ids.add(batch.ids, lambda row: f"the file {ids[row]}")
    return batch


def _note_guesses(guesses: dict[str, list[str]], log: Log) -> None:
    for encoding, names in sorted(guesses.items()):
        if len(names) <= _MOST_NOTES:
            for name in names:
                log.note(f"{name} read as {encoding}")
        else:
            log.note(f"{len(names)} files read as {encoding}, the first of them {names[0]}")


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
