"""The file of an index: its tables, how a new one is made, what is refused, and how columns are read.

`docs/format.md` describes the tables. A file is opened only if it has exactly these tables and nothing else: a trigger
or a view in a file from somewhere else would run when the file is read.
"""

from __future__ import annotations

import shutil
import sqlite3
import sys
import zlib
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from lookalike.errors import DamagedError, StoreError, _show, earlier_format
from lookalike.index.contract import DIGEST, LARGEST_BODY, LONGEST_ID
from lookalike.index.index_setup import IndexSettings, give_name, remove_files, unfinished_file

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "APPLICATION",
    "CACHE",
    "CANNOT",
    "ID",
    "NO_INDEX",
    "OTHER_DATABASE",
    "PAGE",
    "PATIENCE",
    "REPAIR",
    "RESTORE",
    "SCHEMA",
    "VERSION",
    "Columns",
    "blob",
    "check_file",
    "columns_of",
    "connect",
    "create_file",
    "damaged",
    "define_tables",
    "free_space",
    "full",
    "has_reset_bug",
    "is_full",
    "named",
    "read_settings",
    "store_errors",
]

APPLICATION: Final = 0x6C6B6531
"""What `PRAGMA application_id` reads in every index: "lke1"."""
VERSION: Final = 2
PAGE: Final = 8192
_LARGEST_VALUE: Final = 128 << 20
"""Bytes of a value that SQLite loads at all: twice what a document has at most."""
_LARGEST_SETTINGS: Final = 1 << 16
CACHE: Final = 65536
"""KiB of pages that a connection remembers."""
PATIENCE: Final = 10.0
"""Seconds that SQLite waits for a lock of its own."""
_HEADER: Final = b"SQLite format 3\0"
NO_INDEX: Final = "is not an index"
OTHER_DATABASE: Final = "is a database, but not an index"
_OTHER_FILE: Final = "give the file of an index, or a new name; if it is a damaged index, run: lookalike index repair"
CANNOT: Final = "cannot be repaired"
REPAIR: Final = "run: lookalike index repair"
RESTORE: Final = "restore a backup, or build it again"

SCHEMA: Final = {
    "settings": """CREATE TABLE settings (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  value TEXT NOT NULL,
  checksum INTEGER NOT NULL
) STRICT""",
    "state": """CREATE TABLE state (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  version INTEGER NOT NULL,
  next INTEGER NOT NULL,
  posted INTEGER NOT NULL,
  documents INTEGER NOT NULL,
  kind TEXT NOT NULL
) STRICT""",
    "document": """CREATE TABLE document (
  number INTEGER PRIMARY KEY,
  id ANY NOT NULL UNIQUE,
  shingles INTEGER NOT NULL,
  length INTEGER NOT NULL,
  digest BLOB NOT NULL,
  keys BLOB NOT NULL,
  slots BLOB NOT NULL,
  checksum INTEGER NOT NULL,
  body_checksum INTEGER NOT NULL,
  body BLOB NOT NULL
) STRICT""",
    "removed": """CREATE TABLE removed (
  number INTEGER PRIMARY KEY
) STRICT""",
    "segment": """CREATE TABLE segment (
  number INTEGER PRIMARY KEY,
  first_page INTEGER NOT NULL,
  entries INTEGER NOT NULL,
  firsts BLOB NOT NULL,
  checksum INTEGER NOT NULL
) STRICT""",
    "page": """CREATE TABLE page (
  number INTEGER PRIMARY KEY,
  checksum INTEGER NOT NULL,
  entries BLOB NOT NULL
) STRICT""",
}
"""The tables of an index, word for word."""


def has_reset_bug(version: tuple[int, ...] = sqlite3.sqlite_version_info) -> bool:
    """Tell whether a version of SQLite can damage a file when its log is reset while it is copied back.

    >>> has_reset_bug((3, 51, 2)), has_reset_bug((3, 51, 3))
    (True, False)
    """
    fixed = version >= (3, 51, 3) or (3, 50, 7) <= version < (3, 51) or (3, 44, 6) <= version < (3, 45)
    return version >= (3, 7) and not fixed


def connect(path: Path, mode: str, cache: int = CACHE) -> sqlite3.Connection:
    """Open a file with nothing in it trusted; `mode` is `rw`, `ro`, or `ro&immutable=1`."""
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False, timeout=PATIENCE)
    try:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LARGEST_VALUE)
        for setting in ("trusted_schema=OFF", "cell_size_check=ON", "mmap_size=0", f"cache_size=-{cache}"):
            connection.execute(f"PRAGMA {setting}")
        if mode == "rw":
            connection.execute("PRAGMA synchronous=FULL")
            # The writer makes checkpoints itself, inside its lock.
            connection.execute("PRAGMA wal_autocheckpoint=0")
    except BaseException:
        connection.close()
        raise
    return connection


def create_file(path: Path, settings: IndexSettings) -> None:
    """Make the file of a new index. It gets its name when it is complete, so no process sees half of one."""
    unfinished = unfinished_file(path)
    try:
        with store_errors(str(path)), closing(sqlite3.connect(unfinished, isolation_level=None)) as connection:
            _fill(connection, settings)
        give_name(unfinished, path)
    finally:
        remove_files(unfinished)


def define_tables(connection: sqlite3.Connection) -> None:
    """Make the tables of a new index; they are always at the same places."""
    connection.execute(f"PRAGMA page_size={PAGE}")
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("BEGIN")
    connection.execute(f"PRAGMA application_id={APPLICATION}")
    connection.execute(f"PRAGMA user_version={VERSION}")
    for statement in SCHEMA.values():
        connection.execute(statement)
    connection.execute("COMMIT")


def _fill(connection: sqlite3.Connection, settings: IndexSettings) -> None:
    define_tables(connection)
    connection.execute("BEGIN")
    value = settings.to_json()
    connection.execute("INSERT INTO settings VALUES (1, ?, ?)", (value, zlib.crc32(value.encode())))
    connection.execute("INSERT INTO state VALUES (1, 0, 0, 0, 0, 'none')")
    connection.execute("COMMIT")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def check_file(path: Path) -> None:
    """Refuse what is not the file of an index, before SQLite reads it.

    Only where this process has no connection to the file: to close it here drops the locks of them all.
    """
    try:
        if path.is_dir():
            raise StoreError(str(path), "is a folder", "give the file of an index")
        if not path.is_file():
            raise StoreError(str(path), "is not a file", "give the file of an index")
        with path.open("rb") as file:
            header = file.read(100)
    except OSError as error:
        raise StoreError(str(path), f"cannot be opened ({error.strerror})", "check its permissions") from None
    if len(header) < 100 or not header.startswith(_HEADER):
        raise StoreError(str(path), NO_INDEX, _OTHER_FILE)
    application, version = int.from_bytes(header[68:72], "big"), int.from_bytes(header[60:64], "big")
    if application != APPLICATION:
        raise StoreError(str(path), OTHER_DATABASE, _OTHER_FILE)
    _check_version(str(path), version)


def _check_version(name: str, version: int) -> None:
    if version > VERSION:
        raise StoreError(name, f"has the newer format {version}", "open it with a newer version of lookalike")
    if version == 1:
        raise StoreError(name, *earlier_format("index"))
    if version != VERSION:
        raise StoreError(name, f"has the format {version}, not {VERSION}", "restore a backup, or build it again")


def read_settings(connection: sqlite3.Connection, name: str) -> IndexSettings:
    """Return the settings of an index whose schema is right."""
    _check_version(name, connection.execute("PRAGMA user_version").fetchone()[0])
    found = dict(connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))
    if found != SCHEMA:
        raise DamagedError(name, "does not have exactly the tables of an index", RESTORE)
    rows = connection.execute(
        f"SELECT CASE WHEN length(CAST(value AS BLOB)) <= {_LARGEST_SETTINGS} THEN value END, checksum FROM settings"
    ).fetchmany(2)
    try:
        ((value, checksum),) = rows
        if zlib.crc32(value.encode()) != checksum:
            raise ValueError("checksum")  # noqa: TRY301 — as what else is wrong with them
        return IndexSettings.of_json(value)
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise DamagedError(name, "has damaged settings", RESTORE) from error


_DAMAGED: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_TOOBIG)
_SAID: Final = 200
_TABLE: Final = 64 << 10
"""Bytes that SQLite needs on the disk for the table of the log."""
_FULL: Final = (
    "could not be written: the disk is full",
    "free some space, or remove documents: lookalike index remove; everything added before is safe",
)
_KNOWN: Final = {
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_BUSY: ("is in use by another process", "try again when it has finished"),
    sqlite3.SQLITE_LOCKED: ("is in use by another process", "try again when it has finished"),
    sqlite3.SQLITE_READONLY: ("cannot be written", "check the permissions of the file and its folder"),
    sqlite3.SQLITE_CANTOPEN: ("cannot be opened", "check the name and the permissions"),
    sqlite3.SQLITE_IOERR: ("could not be read or written (I/O error)", "check the disk; then open the index again"),
    sqlite3.SQLITE_PERM: ("cannot be opened", "check its permissions"),
    sqlite3.SQLITE_NOMEM: ("needs more memory than is available", "add fewer documents at a time"),
}


@contextmanager
def store_errors(name: str) -> Iterator[None]:
    """Translate the errors of SQLite into ours."""
    try:
        yield
    except UnicodeDecodeError as error:  # a message of SQLite that quotes damaged bytes, or a damaged text
        raise DamagedError(name, "is damaged", REPAIR) from error
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in _DAMAGED:
            raise DamagedError(name, "is damaged", REPAIR) from error
        if code == sqlite3.SQLITE_IOERR and free_space(Path(name)) < _TABLE:
            raise StoreError(name, _FULL[0], "free some space: to be opened, an index needs 64 kB") from error
        problem, remedy = _KNOWN.get(code, (f"failed: {str(error)[:_SAID]}", "run: lookalike index verify"))
        raise StoreError(name, problem, remedy) from error


def is_full(error: StoreError) -> bool:
    """Tell whether the reason of an error is a full disk."""
    return error.problem == _FULL[0]


def full(name: str) -> StoreError:
    """Return the error for a full disk."""
    return StoreError(name, *_FULL)


def free_space(path: Path) -> int:
    """Return how many bytes are free on the disk of a file; very many if the system does not tell."""
    try:
        return shutil.disk_usage(path.absolute().parent).free
    except OSError:
        return sys.maxsize


# -- columns as they are read ------------------------------------------------------------------------------------------
# What has another type or size than it can have reads as NULL: SQLite looks at the type and the size of a value without
# loading it, so a forged file costs no memory. The checksums then find that NULL is not what was written.

# The length of a text ends at its first NUL; that of a blob does not.
ID: Final = (
    "CASE WHEN typeof(id) = 'integer' THEN id"
    f" WHEN typeof(id) = 'text' AND length(CAST(id AS BLOB)) <= {LONGEST_ID} THEN id END"
)


class Columns(NamedTuple):
    """What to select."""

    head: str
    """number, id, shingles, length, digest, keys, slots, checksum."""
    body: str
    """body_checksum, body."""

    @property
    def sized_head(self) -> str:
        """The head, then the bytes of the body, which is not loaded for that."""
        return f"{self.head}, length(body)"

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
    return Columns(", ".join(parts), f"{_integer('body_checksum')}, {blob('body', f'<= {LARGEST_BODY}')}")


def named(number: int, id: object) -> str:
    """Return what a message calls a document: by its number, if its id is not one.

    >>> named(3, "a"), named(3, None)
    ("document 'a'", 'document number 3')
    """
    return f"document number {number}" if id is None else f"document {_show(id)}"


def damaged(name: str, what: str) -> DamagedError:
    """Say what of an index is damaged."""
    return DamagedError(name, f"is damaged: {what}", REPAIR)
