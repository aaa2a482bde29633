"""The folder of a search that is larger than memory: files that grow, and a manifest that says how far they are good.

A stage appends to its files and then records their lengths. What lies beyond a recorded length was written by a run
that did not get to record it, and is cut off when the next run opens the folder. So a run that was killed at any moment
goes on from the last record, and ends in the same answer.
"""

from __future__ import annotations

import errno
import json
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from lookalike.errors import LookalikeError, MismatchError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["WorkDir", "disk_errors"]

FORMAT: Final = "lookalike-work/1"


@contextmanager
def disk_errors(folder: Path) -> Iterator[None]:
    """Turn a full or failing disk into one clear error."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            problem = "the disk is full; free some space and run the same command again"
        else:
            problem = f"{error.strerror or error}"
        raise LookalikeError(f"{folder}: {problem}; what was done is kept and will be used") from error


class WorkDir:
    """A folder with a manifest.

    `identity` is what the run is about (recipe, threshold, source …); a folder of another run is refused.
    """

    def __init__(self, folder: Path, identity: dict[str, Any]) -> None:
        """Open the folder, made if need be, and cut its files back to what is recorded."""
        self.folder = folder
        with disk_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
            self._manifest = self._read(identity)
            lengths = self._manifest["lengths"]
            for path in [*folder.glob("*.bin"), *folder.glob("*.arrow")]:
                if path.name not in lengths:
                    path.unlink()
            for name, length in lengths.items():
                if self.size(name) < length:
                    raise LookalikeError(f"{folder / name} is shorter than it was; start again in a new folder")
                with (folder / name).open("ab") as file:
                    file.truncate(length)
            self._write()

    def _read(self, identity: dict[str, Any]) -> dict[str, Any]:
        path = self.folder / "manifest.json"
        if not path.exists():
            if any(self.folder.iterdir()):
                raise LookalikeError(f"{self.folder} is not empty and holds no search; give an empty or new folder")
            return {"format": FORMAT, "identity": identity, "lengths": {}, "done": {}}
        try:
            manifest: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            found = manifest["identity"] if manifest["format"] == FORMAT else None
        except (ValueError, KeyError, TypeError) as error:
            raise LookalikeError(f"{path} is damaged or of another version; give an empty or new folder") from error
        if found != identity:
            found = found or {}
            differing = {
                k: (found.get(k), identity.get(k)) for k in {*found, *identity} if found.get(k) != identity.get(k)
            }
            raise MismatchError(f"the search in {self.folder}", "this one", differing)
        return manifest

    def path(self, name: str) -> Path:
        """Return the path of a file."""
        return self.folder / name

    def append(self, name: str, data: bytes) -> None:
        """Write behind what a file has; it counts once `record` was called."""
        with disk_errors(self.folder), self.path(name).open("ab") as file:
            file.write(data)
        self._manifest["lengths"].setdefault(name, 0)

    def read(self, name: str, start: int = 0, length: int = -1) -> bytes:
        """Return a part of a file; a file that was never written is empty."""
        if not self.path(name).exists():
            return b""
        with disk_errors(self.folder), self.path(name).open("rb") as file:
            file.seek(start)
            return file.read(length)

    def size(self, name: str) -> int:
        """Return the length of a file."""
        return self.path(name).stat().st_size if self.path(name).exists() else 0

    def done(self, stage: str) -> int:
        """Return how far a stage was recorded; 0 at first."""
        return int(self._manifest["done"].get(stage, 0))

    def record(self, stage: str, count: int) -> None:
        """Record that a stage is at `count`, and everything that was appended."""
        lengths = self._manifest["lengths"]
        with disk_errors(self.folder):
            for name in lengths:
                lengths[name] = self.size(name)
            self._manifest["done"][stage] = count
            self._write()

    def _write(self) -> None:
        new = self.path("manifest.new")
        with new.open("w", encoding="utf-8") as file:
            json.dump(self._manifest, file)
            file.flush()
            os.fsync(file.fileno())
        new.replace(self.path("manifest.json"))

    def clear(self) -> None:
        """Remove all files of the search; the folder too, if nothing else is in it."""
        for name in [*self._manifest["lengths"], "manifest.json", "manifest.new"]:
            self.path(name).unlink(missing_ok=True)
        if not any(self.folder.iterdir()):
            self.folder.rmdir()
