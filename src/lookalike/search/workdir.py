"""The folder of a search that is larger than memory, or that is to go on after it was stopped.

Files only grow, and a manifest says how far they are good. What lies beyond a recorded length was written by a run that
did not get to record it, and is cut off when the next run opens the folder. So a run that was killed at any moment goes
on from the last record, and ends in the same answer. The names of the files are fixed: nothing that a manifest says can
touch another file. Every file has a checksum in the manifest, and the manifest has one of its own: what was damaged is
refused when it is read, never believed. One process uses a folder at a time.
"""

from __future__ import annotations

import errno
import json
import os
import threading
import zlib
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING, Any, Final

from lookalike.errors import LookalikeError, MismatchError, earlier_format
from lookalike.search.work_files import (
    ENTRY,
    Entry,
    RecordedFile,
    check_hot,
    check_pairs,
    check_rows,
    check_verified,
    entries_in,
)
from lookalike.tables.output_files import open_private

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

__all__ = ["WorkDir", "disk_errors"]

FORMAT: Final = "lookalike-work/7"
_EARLIER: Final = frozenset(f"lookalike-work/{version}" for version in range(1, 7))
ROWS, PARTS, PAIRS, HOT, VERIFIED = "rows.bin", "parts.bin", "pairs.bin", "hot.bin", "verified.bin"
_FILES: Final = (ROWS, PARTS, PAIRS, HOT, VERIFIED)
_MANIFEST, _NEW, _LOCK = "manifest.json", "manifest.new", "lock"
_LARGEST_MANIFEST: Final = 1 << 20
_MOST: Final = 2**62
"""No count is larger."""


@contextmanager
def disk_errors(folder: Path, *, kept: bool = True) -> Iterator[None]:
    """Report a full or failing disk as one clear error; `kept` says whether the folder stays."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            problem = "the disk is full; free some space and run the same command again"
        else:
            problem = f"{error.strerror or error}"
        problem += "; what was done is kept and will be used" if kept else ""
        raise LookalikeError(f"{folder}: {problem}") from error


class WorkDir:
    """What the engine keeps in files: rows of signatures, candidates, verified pairs.

    `identity` is what the run is about (strategy, sources …); a folder of another run is refused. `by_python` says of
    each source whether it is read through Python: its batches are then others than those of the native readers.
    """

    def __init__(
        self, folder: Path, identity: dict[str, Any], by_python: Sequence[bool] = (), *, durable: bool = True
    ) -> None:
        """Open the folder, made if need be, and cut its files back to what is recorded."""
        self.folder = folder
        self._durable = durable
        self._turn = threading.Lock()  # several threads of the core write
        self._written: dict[str, tuple[int, int]] = {}
        self._documents = 0
        if folder.exists() and not folder.is_dir():
            raise LookalikeError(f"{folder} is not a folder; give an empty or new one")
        with self._disk_errors():
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._read(identity)  # what is refused is refused before anything is changed, the lock included
        self._lock = _locked(folder)
        try:
            with self._disk_errors():
                self._manifest = self._read(identity)
                self._read_by(list(by_python))
                self._found = self._stored(ROWS)
                self._entries = entries_in(self._stored(PARTS), self._found.length)
                self._cut()
                self._write()
                self.rows.touch(mode=0o600)
        except BaseException:
            self._lock.close()
            raise

    def _disk_errors(self) -> AbstractContextManager[None]:
        return disk_errors(self.folder, kept=self._durable)

    def _read(self, identity: dict[str, Any]) -> dict[str, Any]:
        path = self.folder / _MANIFEST
        if not os.path.lexists(path):
            self._check_files({})
            if any(entry.name not in (_LOCK, _NEW) for entry in self.folder.iterdir()):
                raise LookalikeError(f"{self.folder} is not empty and holds no search; give an empty or new folder")
            return {"format": FORMAT, "identity": identity, "by_python": [], **_nothing_done()}
        manifest = _checked_manifest(path)
        self._check_files(manifest["lengths"])
        if manifest["identity"] != identity:
            raise _another_search(self.folder, manifest["identity"], identity)
        return manifest

    def _check_files(self, lengths: dict[str, int]) -> None:
        """Refuse files that are not what a run has left."""
        for name in (*_FILES, _NEW, _LOCK):
            path = self.folder / name
            if path.is_symlink():
                raise LookalikeError(f"{path} is a link; give an empty or new folder")
            if path.exists() and not path.is_file():
                raise LookalikeError(f"{path} is not a file; give an empty or new folder")
            if path.exists() and path.stat().st_nlink > 1:  # cutting it would cut the other
                raise LookalikeError(f"{path} is a file that has another name too; give an empty or new folder")
            if self._size(name) < lengths.get(name, 0):
                raise LookalikeError(f"{path} is shorter than it was; start again in a new folder")

    def _read_by(self, by_python: list[bool]) -> None:
        """Start over if a source that was read natively is now read through Python: its batches are others."""
        before = self._manifest["by_python"]
        if self._manifest["lengths"] and len(before) != len(by_python):
            raise _damaged(self.folder / _MANIFEST)
        if any(now and not then for now, then in zip(by_python, before, strict=False)):
            self._manifest |= _nothing_done()
        if not self._manifest["lengths"]:
            self._manifest["by_python"] = by_python

    @property
    def by_python(self) -> list[bool]:
        """Which sources have to be read through Python, because those that are recorded were."""
        return list(self._manifest["by_python"])

    def _cut(self) -> None:
        lengths = self._manifest["lengths"]
        for name in _FILES:
            path = self.folder / name
            if name not in lengths:
                path.unlink(missing_ok=True)
            else:
                with open_private(path, "ab") as file:
                    file.truncate(lengths[name])

    def _size(self, name: str) -> int:
        path = self.folder / name
        return path.stat().st_size if path.exists() else 0

    def _append(self, name: str, data: bytes) -> None:
        """Append to the valid part of a file, which may be longer after a failure; new data is valid once recorded."""
        start = self._manifest["lengths"].get(name, 0)
        with open_private(self.folder / name, "ab") as file:
            file.truncate(start)
            file.write(data)
            if self._durable:
                file.flush()
                os.fdatasync(file.fileno())
        self._written[name] = start + len(data), zlib.crc32(data, self._manifest["checksums"].get(name, 0))

    @contextmanager
    def _recording(self) -> Iterator[None]:
        """Let one thread append, and record what it appended."""
        with self._turn, self._disk_errors():
            self._written = {}
            yield
            for name, (length, checksum) in self._written.items():
                self._manifest["lengths"][name] = length
                self._manifest["checksums"][name] = checksum
            self._write()

    def _stored(self, name: str) -> RecordedFile:
        lengths, checksums = self._manifest["lengths"], self._manifest["checksums"]
        return RecordedFile(self.folder / name, lengths.get(name, 0), checksums.get(name, 0))

    def _write(self) -> None:
        new = self.folder / _NEW
        with open_private(new, "wb") as file:
            file.write(json.dumps(_sealed(self._manifest)).encode())
            if self._durable:
                file.flush()
                os.fsync(file.fileno())
        new.replace(self.folder / _MANIFEST)

    # -- rows: what `_native.Intake` calls ---

    @property
    def rows(self) -> Path:
        """The file of rows."""
        return self.folder / ROWS

    def done(self) -> list[Entry]:
        """Return which batches are in the file of rows, and where."""
        return list(self._entries)

    def write(self, entries: Sequence[Entry], data: bytes) -> None:
        """Add rows; the entries say where each batch begins in `data`."""
        with self._recording():
            start = self._manifest["lengths"].get(ROWS, 0)
            self._append(ROWS, data)
            moved = [(input_, batch, count, start + offset) for input_, batch, count, offset in entries]
            self._append(PARTS, b"".join(ENTRY.pack(*entry) for entry in moved))
            self._entries += moved

    def all_rows(self, counts: list[int], row: int) -> list[Entry]:
        """Return the parts of all rows, `row` bytes each, once every input is read: they have so many documents."""
        entries = self.done()
        rows = self._stored(ROWS)
        rows.demand(check_rows(entries, counts, row, rows.length))
        with self._disk_errors():
            for _ in self._found.blocks():  # what an earlier run has written
                pass
        self._documents = sum(counts)
        return entries

    # -- candidates ---

    def candidates(self) -> tuple[bytes, bytes] | None:
        """Return packed pairs and hot documents, if they are known."""
        if not self._manifest["candidates"]:
            return None
        with self._disk_errors():
            pairs = self._stored(PAIRS).read(8, lambda blocks: check_pairs(blocks, self._documents))
            return pairs, self._stored(HOT).read(4, lambda blocks: check_hot(blocks, self._documents))

    def keep_candidates(self, pairs: bytes, hot: bytes) -> None:
        """Keep what the bands proposed."""
        with self._recording():
            self._append(PAIRS, pairs)
            self._append(HOT, hot)
            self._manifest["candidates"] = True

    # -- verified pairs: what `_native.Spilled.verify` calls ---

    def verified(self) -> tuple[int, bytes]:
        """Return how many portions are verified, and their results."""
        with self._disk_errors():
            found = self._stored(VERIFIED).read(40, lambda blocks: check_verified(blocks, self._documents))
        return self._manifest["portions"], found

    def add(self, found: bytes) -> None:
        """Keep the results of the next portion."""
        with self._recording():
            self._append(VERIFIED, found)
            self._manifest["portions"] += 1

    def close(self) -> None:
        """Let another process use the folder."""
        self._lock.close()

    def clear(self) -> None:
        """Remove all files of the search; the folder too, if nothing else is in it."""
        self._manifest |= _nothing_done()  # so that a run that is killed while it removes them leaves a folder in order
        try:
            with suppress(OSError):
                self._write()
            for name in (*_FILES, _NEW, _MANIFEST, _LOCK):
                (self.folder / name).unlink(missing_ok=True)
        finally:
            self.close()
        if not any(self.folder.iterdir()):
            self.folder.rmdir()


def _nothing_done() -> dict[str, Any]:
    return {"lengths": {}, "checksums": {}, "candidates": False, "portions": 0}


def _sealed(manifest: dict[str, Any]) -> dict[str, Any]:
    """Return a manifest with its own checksum."""
    rest = {name: value for name, value in manifest.items() if name != "checksum"}
    return rest | {"checksum": zlib.crc32(json.dumps(rest, sort_keys=True).encode())}


def _another_search(folder: Path, found: dict[str, Any], identity: dict[str, Any]) -> LookalikeError:
    """Return the error about a folder of another search, or of the same one whose documents have changed since."""
    differing = {k: (found.get(k), identity.get(k)) for k in found | identity if found.get(k) != identity.get(k)}
    then, now = ([one for one in of.get("sources") or [] if isinstance(one, dict)] for of in (found, identity))
    if differing.keys() == {"sources"} and list(map(_settled, then)) == list(map(_settled, now)):
        changed = ", ".join(str(new.get("name")) for old, new in zip(then, now, strict=True) if old != new)
        problem = f"what is read from {changed} has changed since the search in {folder} was started"
        return LookalikeError(f"{problem}; start in a new folder")
    if "sources" in differing:
        names = (", ".join(str(one.get("name", one)) for one in of) for of in (then, now))
        differing["sources"] = (next(names), next(names))
    return MismatchError(f"the search in {folder}", "this one", differing, "start this one in a new folder")


def _settled(source: dict[str, Any]) -> dict[str, Any]:
    """Return what distinguishes a source from others, without what changes with its content."""
    return {name: value for name, value in source.items() if name not in ("bytes", "sha256")}


def _damaged(path: Path) -> LookalikeError:
    return LookalikeError(f"{path} is damaged or of another version; give an empty or new folder")


def _checked_manifest(path: Path) -> dict[str, Any]:
    """Read a manifest; anything in it that this version does not write is refused."""
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > _LARGEST_MANIFEST:
            raise _damaged(path)
        manifest = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(manifest, dict) and manifest["format"] in _EARLIER:
            problem, remedy = earlier_format("work")
            raise LookalikeError(f"{path} {problem}; {remedy}")
        right = isinstance(manifest, dict) and _is_right(manifest)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _damaged(path) from error
    if not right:
        raise _damaged(path)
    return {name: value for name, value in manifest.items() if name != "checksum"}


def _is_right(manifest: dict[str, Any]) -> bool:
    lengths, checksums = manifest["lengths"], manifest["checksums"]
    numbers = [*lengths.values(), *checksums.values(), manifest["portions"], manifest["checksum"]]
    return (
        manifest["format"] == FORMAT
        and set(manifest) == {"format", "identity", "by_python", "checksum", *_nothing_done()}
        and isinstance(manifest["identity"], dict)
        and isinstance(manifest["by_python"], list)
        and all(isinstance(one, bool) for one in manifest["by_python"])
        and isinstance(manifest["candidates"], bool)
        and set(lengths) == set(checksums)
        and set(lengths) <= set(_FILES)
        and all(type(n) is int and 0 <= n < _MOST for n in numbers)
        and manifest == _sealed(manifest)
    )


def _locked(folder: Path) -> IO[bytes]:
    """Take the folder for this process; it is free again when the process ends, however it ends."""
    try:
        import fcntl
    except ImportError:  # Windows: an open file cannot be removed or opened for writing twice there
        fcntl = None  # type: ignore[assignment]
    with disk_errors(folder):
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        file = os.fdopen(os.open(folder / _LOCK, flags, 0o600), "r+b")
    if fcntl is not None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            taken = not os.path.samestat(os.fstat(file.fileno()), (folder / _LOCK).stat())  # removed by its owner
        except OSError:
            taken = True
        if taken:
            file.close()
            raise LookalikeError(
                f"{folder} is in use by another search; wait until it has ended, or give another folder"
            )
    return file
