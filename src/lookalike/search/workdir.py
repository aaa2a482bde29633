"""The folder of a search that is larger than memory, or that is to go on after it was stopped.

Files only grow, and a manifest says how far they are good. What lies beyond a recorded length was written by a run that
did not get to record it, and is cut off when the next run opens the folder. So a run that was killed at any moment goes
on from the last record, and ends in the same answer. The names of the files are fixed: nothing that a manifest says can
touch another file. One process uses a folder at a time.
"""

from __future__ import annotations

import errno
import json
import os
import struct
import threading
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING, Any, Final

from lookalike.errors import LookalikeError, MismatchError
from lookalike.tables.files import open_private

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

__all__ = ["WorkDir", "disk_errors"]

FORMAT: Final = "lookalike-work/4"
ROWS, PARTS, PAIRS, HOT, VERIFIED = "rows.bin", "parts.bin", "pairs.bin", "hot.bin", "verified.bin"
_FILES: Final = (ROWS, PARTS, PAIRS, HOT, VERIFIED)
_MANIFEST, _NEW, _LOCK = "manifest.json", "manifest.new", "lock"
_LARGEST_MANIFEST: Final = 1 << 20

_ENTRY: Final = struct.Struct("<IQIQ")
"""A part of `ROWS`: input, batch, documents, where it begins."""

Entry = tuple[int, int, int, int]


@contextmanager
def disk_errors(folder: Path, *, kept: bool = True) -> Iterator[None]:
    """Turn a full or failing disk into one clear error; `kept` says whether the folder stays."""
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
        with self._disk_errors():
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._read(identity)  # what is refused is refused before anything is changed, the lock included
        self._lock = _locked(folder)
        try:
            with self._disk_errors():
                self._manifest = self._read(identity)
                self._read_by(list(by_python))
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
            if any(entry.name not in (_LOCK, _NEW) for entry in self.folder.iterdir()):
                raise LookalikeError(f"{self.folder} is not empty and holds no search; give an empty or new folder")
            return {"format": FORMAT, "identity": identity, "by_python": [], **_nothing_done()}
        manifest = _checked_manifest(path)
        self._check_files(manifest["lengths"])
        found = manifest["identity"]
        if found != identity:
            differing = {
                k: (found.get(k), identity.get(k)) for k in found | identity if found.get(k) != identity.get(k)
            }
            raise MismatchError(f"the search in {self.folder}", "this one", differing)
        return manifest

    def _check_files(self, lengths: dict[str, int]) -> None:
        """Refuse files that are not what a run has left."""
        for name in (*_FILES, _NEW, _LOCK):
            path = self.folder / name
            if path.is_symlink():
                raise LookalikeError(f"{path} is a link; give an empty or new folder")
            if path.exists() and not path.is_file():
                raise LookalikeError(f"{path} is not a file; give an empty or new folder")
            if self._size(name) < lengths.get(name, 0):
                raise LookalikeError(f"{path} is shorter than it was; start again in a new folder")

    def _read_by(self, by_python: list[bool]) -> None:
        """Begin anew if a source that was read natively is now read through Python: its batches are others."""
        before = self._manifest["by_python"]
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
        """Write behind what counts of a file, which may have more after a failure; this counts after `_record`."""
        with open_private(self.folder / name, "ab") as file:
            file.truncate(self._manifest["lengths"].get(name, 0))
            file.write(data)
            if self._durable:
                file.flush()
                os.fdatasync(file.fileno())
        self._manifest["lengths"].setdefault(name, 0)

    def _contents(self, name: str) -> bytes:
        path = self.folder / name
        with self._disk_errors():
            return path.read_bytes() if path.exists() else b""

    def _record(self) -> None:
        lengths = self._manifest["lengths"]
        for name in lengths:
            lengths[name] = self._size(name)
        self._write()

    def _write(self) -> None:
        new = self.folder / _NEW
        with open_private(new, "wb") as file:
            file.write(json.dumps(self._manifest).encode())
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
        entries: list[Entry] = list(_ENTRY.iter_unpack(self._contents(PARTS)))
        end = self._size(ROWS)
        if any(offset + documents > end for _, _, documents, offset in entries):  # a row has many bytes
            raise LookalikeError(f"{self.folder / PARTS} is damaged; start again in a new folder")
        return entries

    def write(self, entries: Sequence[Entry], data: bytes) -> None:
        """Add rows; the entries say where each batch begins in `data`."""
        with self._turn, self._disk_errors():
            start = self._manifest["lengths"].get(ROWS, 0)
            self._append(ROWS, data)
            moved = ((input_, batch, count, start + offset) for input_, batch, count, offset in entries)
            self._append(PARTS, b"".join(_ENTRY.pack(*entry) for entry in moved))
            self._record()

    # -- candidates ---

    def candidates(self) -> tuple[bytes, bytes] | None:
        """Return packed pairs and hot documents, if they are known."""
        return (self._contents(PAIRS), self._contents(HOT)) if self._manifest["candidates"] else None

    def keep_candidates(self, pairs: bytes, hot: bytes) -> None:
        """Keep what the bands proposed."""
        with self._turn, self._disk_errors():
            self._append(PAIRS, pairs)
            self._append(HOT, hot)
            self._manifest["candidates"] = True
            self._record()

    # -- verified pairs: what `_native.Spilled.verify` calls ---

    def verified(self) -> tuple[int, bytes]:
        """Return how many portions are verified, and what came of them."""
        return self._manifest["portions"], self._contents(VERIFIED)

    def add(self, found: bytes) -> None:
        """Keep what came of the next portion."""
        with self._turn, self._disk_errors():
            self._append(VERIFIED, found)
            self._manifest["portions"] += 1
            self._record()

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
    return {"lengths": {}, "candidates": False, "portions": 0}


def _checked_manifest(path: Path) -> dict[str, Any]:
    """Read a manifest; anything in it that this version does not write is refused."""
    damaged = f"{path} is damaged or of another version; give an empty or new folder"
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > _LARGEST_MANIFEST:
            raise LookalikeError(damaged)
        manifest = json.loads(path.read_text(encoding="utf-8"))
        lengths = manifest["lengths"]
        right = (
            manifest["format"] == FORMAT
            and set(manifest) == {"format", "identity", "by_python", *_nothing_done()}
            and isinstance(manifest["identity"], dict)
            and isinstance(manifest["by_python"], list)
            and all(isinstance(one, bool) for one in manifest["by_python"])
            and isinstance(manifest["candidates"], bool)
            and set(lengths) <= set(_FILES)
            and all(type(n) is int and n >= 0 for n in (*lengths.values(), manifest["portions"]))
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise LookalikeError(damaged) from error
    if not right:
        raise LookalikeError(damaged)
    made: dict[str, Any] = manifest
    return made


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
