"""Text streams as UTF-8: what is in another encoding is changed on the way."""

from __future__ import annotations

import codecs
import io
from typing import TYPE_CHECKING, BinaryIO, Final

from lookalike.documents.text_file import NotTextError, codec_of_mark, guess_codec, spoken_name

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from lookalike.documents.inputs import Input

__all__ = ["Encoding", "detect", "open_utf8"]

_BLOCK: Final = 1 << 20


class Encoding:
    """The encoding of a stream, and whether it was guessed."""

    __slots__ = ("codec", "guessed", "name")

    def __init__(self, codec: str, *, guessed: bool = False, name: str = "") -> None:
        """Keep a codec that Python knows."""
        self.codec = codec
        self.name = name or spoken_name(codec)
        self.guessed = guessed

    @property
    def is_utf8(self) -> bool:
        """Whether the bytes can stay as they are."""
        return codecs.lookup(self.codec).name in ("utf-8", "utf-8-sig")


def detect(source: Input, encoding: str, *, guess: bool) -> Encoding:
    """Find out the encoding of a stream: told, by its mark, UTF-8, or if `guess`, by its first unusual bytes.

    With a few bytes that are not UTF-8 among many that are, it is UTF-8, and damaged.
    """
    if encoding != "auto":
        return Encoding(encoding)
    with source.open() as stream:
        block = stream.read(_BLOCK)
        if told := codec_of_mark(block):
            return Encoding(told[0], name=told[1])
        if not guess:
            return Encoding("utf-8")
        while block.isascii() and (more := stream.read(_BLOCK)):
            block = more
        block += stream.read(_BLOCK)
    if block.isascii() or _mostly_utf8(block):
        return Encoding("utf-8")
    return Encoding(guess_codec(_lines_with_marks(block)), guessed=True)


def _mostly_utf8(block: bytes) -> bool:
    """Say whether more unusual characters are right UTF-8 than are not."""
    text = block.decode("utf-8", "replace")
    wrong = text.count("\ufffd")
    right = len(text) - len(text.encode("ascii", "ignore")) - wrong
    return right > wrong


def _lines_with_marks(block: bytes) -> bytes:
    """Return the lines that have unusual bytes: they alone tell the encoding, and a cell cut in half tells nothing."""
    lines = [line for line in block.split(b"\n")[:-1] if not line.isascii()]
    return b"\n".join(lines) or block


def open_utf8(source: Input, encoding: Encoding) -> BinaryIO:
    """Open a stream as UTF-8 without a byte order mark; `NotTextError` when what is read is not what it should be."""
    stream = source.open()
    if not encoding.is_utf8:
        return io.BufferedReader(_Recoded(stream, encoding), _BLOCK)
    if stream.peek(3).startswith(codecs.BOM_UTF8):
        stream.read(3)
    return stream


class _Recoded(io.RawIOBase):
    """A stream in some encoding, as UTF-8."""

    def __init__(self, stream: BinaryIO, encoding: Encoding) -> None:
        self._stream = stream
        self._encoding = encoding
        self._decoder = codecs.getincrementaldecoder(encoding.codec)()
        self._ready = b""
        self._ended = False
        self._begun = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer, /) -> int:
        view = memoryview(buffer)
        while not self._ready and not self._ended:
            self._ready = self._more()
        data = self._ready[: len(view)]
        self._ready = self._ready[len(data) :]
        view[: len(data)] = data
        return len(data)

    def _more(self) -> bytes:
        block = self._stream.read(_BLOCK)
        self._ended = not block
        try:
            text = self._decoder.decode(block, final=self._ended)
        except UnicodeError:
            problem = f"is not valid {self._encoding.name}"
            raise NotTextError("not text", problem, "name the right encoding with --encoding") from None
        if text and not self._begun:
            self._begun = True
            text = text.removeprefix("\ufeff")
        return text.encode("utf-8", "replace")

    def close(self) -> None:
        self._stream.close()
        super().close()
