"""The store in PostgreSQL, for several machines: one row for each document, and sorted postings of their keys.

Each index has a schema of its own. Transactions, locks and what survives a crash are PostgreSQL's. Writers take turns,
so numbers rise in the order in which documents become visible.
"""

from __future__ import annotations

import os
import re
import threading
import zlib
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from lookalike.errors import DamagedError, MissingExtraError, StoreError, _show, earlier_format
from lookalike.index.contract import NO_KIND, Check, ServerStore, StoreReader, StoreWriter, exists_already
from lookalike.index.index_setup import IndexSettings
from lookalike.index.postgres_postings import (
    Places,
    PostgresState,
    add_segment,
    expected_between,
    has_its_postings,
    merge,
    post_recent,
    state_of,
    windows_of,
)
from lookalike.index.postgres_rows import COLUMNS, PostgresReader, PostgresWriter, checked_rows, values_of
from lookalike.index.query import rebuilt_row
from lookalike.index.sqlite_store import copy_to_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    import psycopg

    from lookalike.tables.packed import Id

__all__ = ["Address", "PostgresStore", "connect", "create_schema", "read_settings", "server_errors"]

# -- the server --------------------------------------------------------------------------------------------------------

VERSION: Final = 3
_OLDEST: Final = 15
_SCHEMA_NAME: Final = re.compile("[a-z_][a-z0-9_]{0,62}")
_DEFAULT: Final = "lookalike"
_HOSTS: Final = re.compile(r"(?:(?:\[[0-9a-fA-F:.%]*\]|[^:@\[\],]*)(?::[0-9]*)?(?:,|$))*")
"""Hosts with their ports."""

_TABLES: Final = """
CREATE SCHEMA {schema};
CREATE TABLE {schema}.settings (
  one int PRIMARY KEY CHECK (one = 1), format int NOT NULL, value text NOT NULL, checksum bigint NOT NULL);
CREATE TABLE {schema}.state (
  one int PRIMARY KEY CHECK (one = 1), next bigint NOT NULL, documents bigint NOT NULL, kind text NOT NULL,
  recent bigint NOT NULL, segments bigint[] NOT NULL, entries bigint[] NOT NULL);
CREATE TABLE {schema}.document (
  number bigint PRIMARY KEY, id bytea NOT NULL, shingles bigint NOT NULL, length bigint NOT NULL,
  digest bytea NOT NULL, keys bigint[] NOT NULL, slots bytea NOT NULL, checksum bigint NOT NULL,
  body_checksum bigint NOT NULL, body bytea NOT NULL);
CREATE UNIQUE INDEX document_id ON {schema}.document (sha256(id));
CREATE TABLE {schema}.recent (number bigint PRIMARY KEY, keys bigint[] NOT NULL);
CREATE INDEX recent_keys ON {schema}.recent USING gin (keys) WITH (fastupdate = off);
CREATE TABLE {schema}.posting (
  segment bigint, first bigint, number bigint, checksum bigint NOT NULL, entries bytea NOT NULL,
  PRIMARY KEY (segment, first, number));
CREATE TABLE {schema}.removed (number bigint PRIMARY KEY);
INSERT INTO {schema}.state VALUES (1, 0, 0, 'none', 0, '{{}}', '{{}}');
"""
# The index on ids is of their hashes: an id may be longer than an entry of an index.

_HAS_LZ4: Final = "SELECT 1 FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY(enumvals)"
"""It compresses several times faster than PostgreSQL's own method, but not every server was built with it."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where an index is.

    >>> address = Address.of("postgresql://me:secret@host/db?sslmode=require#essays")
    >>> address.name, address.schema
    ('postgresql://host/db#essays', 'essays')
    """

    url: str
    schema: str
    name: str
    """For messages: without a user, a password or options."""

    @classmethod
    def of(cls, url: str) -> Address:
        """Take a URL with the name of the schema after ``#``."""
        try:
            parts = urlsplit(url)
        except ValueError:
            raise _unreadable() from None
        schema = parts.fragment or _DEFAULT
        user, _, host = parts.netloc.rpartition("@")
        # A password with a character that ends it would be taken for a host, a database or a schema, and be shown.
        rest = parts.path + parts.fragment + ("" if user else parts.query)
        if "@" in rest or not _HOSTS.fullmatch(host):
            raise _unreadable()
        name = f"postgresql://{host}{parts.path}#{schema}"
        if not _SCHEMA_NAME.fullmatch(schema):
            raise StoreError(
                name, "has a schema name with characters other than a-z, 0-9 and _", "give another name after #"
            )
        return cls(parts._replace(fragment="").geturl(), schema, name)


def _unreadable() -> StoreError:
    remedy = "it is postgresql://user:password@host/database#schema; in a password, write @ / ? # : and % as %40 …"
    return StoreError("the postgresql:// URL", "cannot be read", remedy)


def connect(address: Address) -> psycopg.Connection[Any]:
    """Connect to the server."""
    try:
        import psycopg
    except ImportError:
        raise MissingExtraError("an index in PostgreSQL", "postgres") from None
    try:
        connection: psycopg.Connection[Any] = psycopg.connect(
            address.url, autocommit=True, connect_timeout=10, application_name="lookalike"
        )
    except psycopg.ProgrammingError:  # its message may quote the password
        raise _unreadable() from None
    if connection.info.server_version < _OLDEST * 10_000:
        version = connection.info.server_version // 10_000
        connection.close()
        raise StoreError(address.name, f"is on PostgreSQL {version}", f"use PostgreSQL {_OLDEST} or newer")
    return connection


def read_settings(connection: psycopg.Connection[Any], address: Address) -> IndexSettings | None:
    """Return the settings of an index; None if there is no such schema."""
    there = connection.execute(
        "SELECT to_regnamespace(%s), to_regclass(%s)",
        [
            address.schema,
            f"{address.schema}.settings",
        ],
    ).fetchone()
    if there is None or there[0] is None:
        return None
    if there[1] is None:
        raise StoreError(address.name, "is a schema, but not an index", "give another name after #")
    row = connection.execute(f"SELECT format, value, checksum FROM {address.schema}.settings").fetchone()
    if row is not None and row[0] > VERSION:
        raise StoreError(address.name, f"has the newer format {row[0]}", "open it with a newer version of lookalike")
    if row is not None and row[0] < VERSION:
        raise StoreError(address.name, *earlier_format("index"))
    damaged = DamagedError(address.name, "has damaged settings", "restore a backup, or build it again")
    if row is None or zlib.crc32(row[1].encode()) != row[2]:
        raise damaged
    try:
        return IndexSettings.of_json(row[1])
    except (ValueError, RecursionError) as error:
        raise damaged from error


def create_schema(connection: psycopg.Connection[Any], address: Address, settings: IndexSettings) -> bool:
    """Make the tables of a new index; False if another process has just made them."""
    import psycopg

    value = settings.to_json()
    try:
        with connection.transaction():
            connection.execute(_TABLES.format(schema=address.schema))
            if connection.execute(_HAS_LZ4).fetchone():
                connection.execute(f"ALTER TABLE {address.schema}.document ALTER COLUMN body SET COMPRESSION lz4")
            filled = f"INSERT INTO {address.schema}.settings VALUES (1, %s, %s, %s)"
            connection.execute(filled, [VERSION, value, zlib.crc32(value.encode())])
    except (psycopg.errors.DuplicateSchema, psycopg.errors.UniqueViolation):
        return False
    return True


@contextmanager
def server_errors(name: str) -> Iterator[None]:
    """Translate the errors of PostgreSQL into ours."""
    try:
        import psycopg
    except ImportError:
        raise MissingExtraError("an index in PostgreSQL", "postgres") from None
    try:
        yield
    except psycopg.errors.InsufficientPrivilege as error:
        raise StoreError(
            name, "cannot be used by this user", "ask for the permissions, or connect as another user"
        ) from error
    except (psycopg.errors.DiskFull, psycopg.errors.OutOfMemory) as error:
        raise StoreError(
            name, "could not be written: the server's disk or memory is full", "free some space on the server"
        ) from error
    except psycopg.errors.DataCorrupted as error:
        raise DamagedError(name, "is damaged", "run: lookalike index repair") from error
    except psycopg.OperationalError as error:
        said = " ".join(str(error).split()) or "no reason given"
        raise StoreError(name, f"cannot be reached ({said})", "check the address and that the server runs") from error
    except psycopg.Error as error:
        raise StoreError(name, f"failed: {error}", "run: lookalike index verify") from error


# -- the store ---------------------------------------------------------------------------------------------------------

_SESSION: Final = "SET enable_seqscan = off; SET jit = off"
"""Tables that were small when a statement was planned may be large when it is executed."""
_IDLE: Final = 4
"""Connections that stay open for the next transaction."""
_ABANDONED: list[object] = []
"""Connections of a parent process."""


class PostgresStore(ServerStore):
    """Documents in a schema of a database."""

    def __init__(self, address: Address, settings: IndexSettings) -> None:
        """Take an index that is there."""
        self.name = address.name
        self.settings = settings
        self.places = Places.of(address.schema, address.name, settings.bands.bands)
        self._address = address
        self._idle: list[psycopg.Connection[Any]] = []
        self._lock = threading.RLock()
        """Held for a moment, while one of these is changed; a source that is dropped meanwhile gives one back."""
        self._pid = os.getpid()
        self._is_closed = False

    @classmethod
    def open_or_create(
        cls, url: str, create: bool | None, chosen: Callable[[], IndexSettings]
    ) -> tuple[PostgresStore, bool]:
        """Open an index, or create it; returns also whether it is new."""
        address = Address.of(url)
        with server_errors(address.name), connect(address) as connection:
            there = read_settings(connection, address)
            if create is True and there is not None:
                raise StoreError(address.name, "exists already", "give another schema, or open it with create=False")
            if create is False and there is None:
                raise StoreError(address.name, "does not exist", "check the name, or create it with create=True")
            if there is not None:
                return cls(address, there), False
            settings = chosen()
            if create_schema(connection, address, settings):
                return cls(address, settings), True
            there = read_settings(connection, address)  # another process was faster
        if there is None or create is True:
            raise StoreError(address.name, "exists already", "give another schema, or open it with create=False")
        return cls(address, there), False

    @classmethod
    def shown_name(cls, where: str) -> str:
        """Return an address without a user, a password or options."""
        return Address.of(where).name

    @classmethod
    @contextmanager
    def new_place(cls, where: str) -> Iterator[tuple[str, str]]:
        """Give a name, and the place of a schema that becomes that of `where`, unless something goes wrong."""
        address = Address.of(where)

        def check_new(connection: psycopg.Connection[Any]) -> None:
            if read_settings(connection, address) is not None:
                raise exists_already(address.name)

        with server_errors(address.name), connect(address) as connection:
            check_new(connection)
        unfinished = f"lookalike_new_{os.urandom(8).hex()}"
        try:
            yield address.name, f"{address.url}#{unfinished}"
            with server_errors(address.name), connect(address) as connection:
                check_new(connection)
                connection.execute(f"ALTER SCHEMA {unfinished} RENAME TO {address.schema}")
        except BaseException:
            with suppress(StoreError), server_errors(address.name), connect(address) as connection:
                connection.execute(f"DROP SCHEMA IF EXISTS {unfinished} CASCADE")
            raise

    # -- connection --------------------------------------------------------------------------------------------------

    def errors(self) -> AbstractContextManager[None]:
        """Translate the errors of PostgreSQL into ours."""
        return server_errors(self.name)

    def _check_open(self) -> None:
        if self._is_closed:
            raise StoreError(self.name, "is closed", "open it again")

    def _take(self) -> psycopg.Connection[Any]:
        """Return a connection, which its taker has to itself until it gives it back."""
        if self._pid != os.getpid():  # a child of a fork has its own connections
            _ABANDONED.append(self._idle)
            self._idle, self._lock, self._pid = [], threading.RLock(), os.getpid()
        with self._lock:
            self._check_open()
            if self._idle:
                return self._idle.pop()
        connection = connect(self._address)
        connection.execute(_SESSION)
        return connection

    def _give_back(self, connection: psycopg.Connection[Any], pid: int) -> None:
        if pid != os.getpid():
            _ABANDONED.append(connection)
            return
        with self._lock:
            if connection.closed:  # the server has ended, and with it the other connections
                closed, self._idle = [connection, *self._idle], []
            elif self._is_closed or len(self._idle) >= _IDLE or connection.info.transaction_status != 0:
                closed = [connection]
            else:
                closed = []
                self._idle.append(connection)
        for other in closed:
            other.close()

    @contextmanager
    def connected(self) -> Iterator[psycopg.Connection[Any]]:
        """Use a connection that nobody else uses meanwhile."""
        with server_errors(self.name):
            connection, pid = self._take(), os.getpid()
            try:
                yield connection
            finally:
                self._give_back(connection, pid)

    @contextmanager
    def transaction(self, *, write: bool) -> Iterator[psycopg.Connection[Any]]:
        """Run a block in a transaction: a snapshot, or alone among writers."""
        with self.connected() as connection:
            pid = os.getpid()
            level = "READ COMMITTED READ WRITE" if write else "REPEATABLE READ READ ONLY"
            connection.execute(f"BEGIN ISOLATION LEVEL {level}")
            try:
                yield connection
            except BaseException:
                # A child of a fork inside the block must not end what is its parent's.
                if os.getpid() == pid and not connection.closed:
                    connection.execute("ROLLBACK")
                raise
            if os.getpid() != pid:
                problem, remedy = "was in use when this process was forked", "fork while it is not"
                raise StoreError(self.name, problem, remedy)
            connection.execute("COMMIT")

    @contextmanager
    def reading(self) -> Iterator[StoreReader]:
        """Read a snapshot."""
        with self.transaction(write=False) as connection:
            yield PostgresReader(self, connection)

    @contextmanager
    def writing(self) -> Iterator[StoreWriter]:
        """Write when no other writer does."""
        with self.transaction(write=True) as connection:
            writer = PostgresWriter(self, connection)
            yield writer
            writer.finish()

    # -- keeping -----------------------------------------------------------------------------------------------------

    def verify(self) -> Check:
        """Check every row, in one snapshot."""
        self._check_open()
        check = Check()
        try:
            with self.transaction(write=False) as connection:
                _look(connection, self, check)
        except StoreError as error:
            check.add(error)
        return check

    def repair(self) -> Check:
        """Rebuild damaged rows from their texts, remove those that cannot be rebuilt, and rebuild the indexes."""
        with self.transaction(write=True) as connection:
            lost = _repair(connection, self)
        check = self.verify()
        check.lost = lost
        return check

    def compact(self) -> None:
        """Merge all postings, and let PostgreSQL reuse the room of removed rows."""
        with self.transaction(write=True) as connection:
            state = state_of(connection, self.places, lock=True)
            post_recent(connection, self.places, state)
            merge(connection, self.places, state, all_of_them=True)
            state.write(connection, self.places)
        with self.connected() as connection:
            for table in (self.places.document, self.places.recent, self.places.posting, self.places.removed):
                # Of several that compact, one does it; to shorten a table would wait for every reader.
                connection.execute(f"VACUUM (ANALYZE, SKIP_LOCKED, TRUNCATE FALSE) {table}")

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Write all documents to the file of a new index."""
        copy_to_file(self, path)

    def info(self) -> dict[str, Any]:
        """Say where it is and how large."""
        with self.transaction(write=False) as connection:
            tables = [self.places.document, self.places.recent, self.places.posting, self.places.removed]
            asked = "SELECT sum(pg_total_relation_size(t::regclass))::bigint FROM unnest(%s::text[]) AS t"
            row = connection.execute(asked, [tables]).fetchone()
            state = state_of(connection, self.places)
            version = connection.info.server_version
        return {
            "store": "postgresql",
            "url": self.name,
            "bytes": row[0] if row else 0,
            "segments": len(state.segments),
            "tail": state.recent,
            "server": version // 10000,
        }

    def close(self) -> None:
        """Close the connections; those that are in use are closed when they are given back."""
        with self._lock:
            self._is_closed = True
            closed, self._idle = self._idle, []
        for connection in closed if self._pid == os.getpid() else []:
            connection.close()


# -- verifying and repairing -------------------------------------------------------------------------------------------


def _look(connection: psycopg.Connection[Any], store: PostgresStore, check: Check) -> None:
    state = state_of(connection, store.places)
    found = connection.execute(f"SELECT count(*), min(number), max(number) FROM {store.places.document}").fetchone()
    count, least, greatest = found or (0, None, None)
    check.documents = count
    in_range = least is None or greatest is None or 0 <= least <= greatest < state.next
    if state.documents != count or not in_range:
        check.problems.append("the number of documents differs from the recorded one")
        return
    for _, row, right, _ in checked_rows(connection, store, state.kind):
        if not right:
            check.problems.append(f"document {_show(row.id)} is damaged")
    if not check.problems and not has_its_postings(connection, store.places, state):
        check.problems.append("the postings do not match the documents")


def _repair(connection: psycopg.Connection[Any], store: PostgresStore) -> list[Id]:
    """Rebuild rows and postings; return the ids of the rows that could not be rebuilt."""
    lost = []
    places = store.places
    found = connection.execute(f"SELECT kind FROM {places.state} FOR UPDATE").fetchone()
    state = PostgresState(0, 0, found[0] if found else NO_KIND)
    for number, row, right, body_checksum in checked_rows(connection, store, state.kind):
        if right:
            continue
        rebuilt = rebuilt_row(row, body_checksum, store.settings)
        connection.execute(f"DELETE FROM {places.document} WHERE number = %s", [number])
        if rebuilt is None:
            lost.append(row.id)
            continue
        marks = ", ".join(["%s"] * 10)
        connection.execute(f"INSERT INTO {places.document} ({COLUMNS}) VALUES ({marks})", values_of(number, rebuilt))
    for table in (places.recent, places.posting, places.removed, places.state):
        connection.execute(f"DELETE FROM {table}")
    for table in (places.document, places.recent, places.posting):
        connection.execute(f"REINDEX TABLE {table}")
    counted = f"SELECT count(*), coalesce(max(number), -1) + 1 FROM {places.document}"
    state.documents, state.next = connection.execute(counted).fetchone() or (0, 0)
    windows = windows_of(state.documents * places.bands)
    add_segment(connection, places, state, (expected_between(connection, places, *ends) for ends in windows))
    connection.execute(f"INSERT INTO {places.state} VALUES (1, 0, 0, '', 0, '{{}}', '{{}}')")
    state.write(connection, places)
    return lost
