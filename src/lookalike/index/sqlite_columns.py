"""The columns of a document as they are read: what has another type or size than it can have reads as NULL.

SQLite looks at the type and the size of a value without loading it, so a file that somebody made up costs no memory.
The checksums then find that NULL is not what was written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from lookalike.errors import DamagedError, _show
from lookalike.index.contract import DIGEST, LARGEST_BODY, LONGEST_ID
from lookalike.index.sqlite_schema import REPAIR

if TYPE_CHECKING:
    from lookalike.index.settings import IndexSettings

__all__ = ["ID", "Columns", "blob", "columns_of", "damaged", "named"]

# The length of a text ends at its first NUL; that of a blob does not.
ID: Final = (
    "CASE WHEN typeof(id) = 'integer' THEN id"
    f" WHEN typeof(id) = 'text' AND length(CAST(id AS BLOB)) <= {LONGEST_ID} THEN id END"
)


class Columns(NamedTuple):
    """What to select."""

    head: str
    """number, id, shingles, length, digest, keys, slots, checksum."""
    slots: str
    body: str
    """body_checksum, body."""

    @property
    def row(self) -> str:
        """The head, then the body."""
        return f"{self.head}, {self.body}"


def blob(name: str, size: str) -> str:
    """Return a blob whose length is as `size` says."""
    return f"CASE WHEN typeof({name}) = 'blob' AND length({name}) {size} THEN {name} END"


def _integer(name: str) -> str:
    return f"CASE WHEN typeof({name}) = 'integer' THEN {name} END"


def columns_of(settings: IndexSettings) -> Columns:
    """Return the columns of an index with these settings."""
    slots = blob("slots", f"= {settings.recipe.hashes}")
    parts = (
        *("number", ID, _integer("shingles"), _integer("length")),
        *(blob("digest", f"= {DIGEST}"), blob("keys", f"= {8 * settings.bands.bands}"), slots, _integer("checksum")),
    )
    return Columns(", ".join(parts), slots, f"{_integer('body_checksum')}, {blob('body', f'<= {LARGEST_BODY}')}")


def named(number: int, id: object) -> str:
    """Return what a message calls a document: by its number, if its id is not one.

    >>> named(3, "a"), named(3, None)
    ("document 'a'", 'document number 3')
    """
    return f"document number {number}" if id is None else f"document {_show(id)}"


def damaged(name: str, what: str) -> DamagedError:
    """Say what of an index is damaged."""
    return DamagedError(name, f"is damaged: {what}", REPAIR)
