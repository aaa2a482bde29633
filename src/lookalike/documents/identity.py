"""How a collection is known again: by names, sizes, times and samples of what is in it; never by reading all of it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lookalike.documents.inputs import Input

__all__ = ["Identity"]

_SAMPLE: Final = 64 << 10
_SAMPLED_TEXTS: Final = 64
_SAMPLED_CHARACTERS: Final = 4096


class Identity:
    """Gathers what makes a source the one that it is."""

    def __init__(self, name: str) -> None:
        """Begin; `name` is what the source is called."""
        self._name = name
        self._digest = hashlib.sha256()
        self._bytes = 0

    def add(self, *facts: object) -> None:
        """Take some plain values."""
        self._digest.update(json.dumps(facts, ensure_ascii=True, default=str).encode("ascii") + b"\n")

    def add_file(self, name: str, source: Input, *, sample: bool = True) -> None:
        """Take a file: its size, its time and, if asked for, its first, middle and last 64 KiB."""
        size = source.packed_size()
        self._bytes += size
        self.add(name, size, _time(source.path))
        if sample:
            try:
                with source.open_packed() as stream:
                    self._sample(stream, size)
            except OSError as error:
                self.add(type(error).__name__)  # whoever reads it says more

    def _sample(self, stream: BinaryIO, size: int) -> None:
        for position in sorted({0, max(0, (size - _SAMPLE) // 2), max(0, size - _SAMPLE)}):
            if stream.seekable():
                stream.seek(position)
            self._digest.update(stream.read(_SAMPLE))

    def add_texts(self, texts: Sequence[str], size: int) -> None:
        """Take texts in memory: how many they are, and the beginning and end of some of them."""
        self._bytes += size
        self.add(len(texts))
        for place in range(min(len(texts), _SAMPLED_TEXTS)):
            text = texts[place * len(texts) // min(len(texts), _SAMPLED_TEXTS)]
            self.add(len(text), text[:_SAMPLED_CHARACTERS], text[-_SAMPLED_CHARACTERS:])

    def found(self) -> dict[str, Any]:
        """Return all of it, for JSON: the name, how many bytes there are, and a digest of the rest."""
        return {"name": self._name, "bytes": self._bytes, "sha256": self._digest.hexdigest()}


def _time(path: str | None) -> int | None:
    try:
        return None if path is None else Path(path).stat().st_mtime_ns
    except OSError:
        return None
