"""A file that is a document, or an archive of documents, before it is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lookalike.documents.kinds import Kind

if TYPE_CHECKING:
    from lookalike.documents.inputs import Input

__all__ = ["Members", "TextDocument"]


@dataclass(frozen=True, slots=True)
class TextDocument:
    """A file that is a document, or an archive of them."""

    id: str
    input: Input
    size: int
    kind: Kind = Kind("text")  # noqa: RUF009 - it cannot change

    @property
    def is_too_large(self) -> bool:
        """Whether it is plain text, and its size tells that it will be skipped."""
        plain = self.kind.format == "text" and self.input.compression is None
        return plain and self.size > self.input.limits.document


@dataclass(frozen=True, slots=True)
class Members:
    """What to read of an archive, by name; see `open_paths`."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    hidden: bool = False
