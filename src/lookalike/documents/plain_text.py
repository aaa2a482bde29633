"""One plain text file as UTF-8, or why it is none."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO, Final

from lookalike.documents.compressed import DamagedError, ExpandedError
from lookalike.documents.extract.clean_text import unmasked
from lookalike.documents.extract.pool import Reply
from lookalike.documents.text_file import NotTextError, Utf8, check_start, to_utf8

if TYPE_CHECKING:
    from lookalike.documents.extract.model import Flag
    from lookalike.documents.inputs import Input
    from lookalike.documents.text_document import TextDocument

__all__ = ["READABLE", "OtherKindError", "read_text_document"]

_START: Final = 8192
_BLOCK: Final = 1 << 20

_LOOKED_AT: Final = 4 << 20
"""Bytes of a plain text that are searched for look-alike letters."""
READABLE: Final = (b"%PDF-", b"PK\3\4", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"{\\rtf")
"""How documents begin that have a reader, whatever their name."""


class OtherKindError(Exception):
    """A file that its name calls a text, and its first bytes something else."""


class _SkipError(Exception):
    def __init__(self, reason: str, detail: str) -> None:
        self.reason = reason
        self.detail = detail
        super().__init__(detail)


def read_text_document(document: TextDocument, encoding: str) -> Reply:
    """Read a plain text; `OtherKindError` if it is no plain text but something that a reader knows."""
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


def _read(source: Input, encoding: str) -> Utf8:
    """Read one file as UTF-8, or raise `_SkipError`."""
    try:
        with source.open() as stream:
            data = _bytes(stream, source, encoding)
        text = to_utf8(data, encoding)
    except NotTextError as error:
        raise _SkipError(error.reason, f"the file {error.problem}; {error.remedy}") from None
    except ExpandedError:
        raise _SkipError("too large", f"it {source.limits.expands()}") from None
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
