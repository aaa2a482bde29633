"""A folder and all folders in it: which files are documents, and why the others are not.

Left out in silence: what systems add to every folder, such as ``.DS_Store`` (see `ignore`). Left out, each with its
reason: hidden files, what ``.gitignore`` and ``.ignore`` files name, folders of version control and caches, what the
globs leave out, empty files, tables (which are read when named directly) and spreadsheets. Links are not followed: in a
folder that somebody else has packed they may lead anywhere.
"""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from lookalike.documents.globs import Glob
from lookalike.documents.ignore import IGNORE_FILES, IGNORED_FOLDERS, IgnoreFile, ignored, is_clutter
from lookalike.documents.kinds import Kind, kind_of
from lookalike.documents.raw_input import COMPRESSED_FACTOR
from lookalike.errors import DocumentError
from lookalike.opening import open_error, open_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lookalike.documents.batches import Log

__all__ = ["Found", "Listing", "Selection", "shown", "walk"]

_LONGEST_IGNORE_FILE = 1 << 20
_OF_WINDOWS = frozenset({"thumbs.db", "ehthumbs.db", "desktop.ini"})


@dataclass(frozen=True, slots=True)
class Found:
    """A file in a folder."""

    id: str
    path: str
    size: int
    kind: Kind


@dataclass(slots=True)
class Listing:
    """What a walk found, sorted by path."""

    texts: list[Found] = field(default_factory=list)
    tables: list[Found] = field(default_factory=list)


class Selection:
    """What to read of a folder, by name."""

    def __init__(self, include: Sequence[str] = (), exclude: Sequence[str] = (), hidden: bool = False) -> None:
        """Compile the globs."""
        self._include = [Glob(pattern) for pattern in include]
        self._exclude = [Glob(pattern) for pattern in exclude]
        self._hidden = hidden

    def refusal(self, names: Sequence[str], folder: bool, ignore: Sequence[IgnoreFile]) -> tuple[str, str] | None:
        """Return reason and detail if this name is not to be read, without a look at the file."""
        if folder and names[-1] in IGNORED_FOLDERS:
            return "ignored", "a folder of version control or of a cache"
        if not folder and names[-1].lower() in _OF_WINDOWS:
            return "ignored", "Windows keeps it for itself"
        if names[-1].startswith(".") and not self._hidden:
            return "hidden", "the name begins with a dot"
        if ignore and ignored(ignore, names, folder):
            return "ignored", "named in a .gitignore or .ignore file"
        for glob in self._exclude:
            if glob.matches_names(names):
                return "excluded", f"matches {glob.pattern!r}"
        # What is in an archive is asked for by its own name.
        container = folder or kind_of(names[-1]).is_archive
        if self._include and not container and not any(glob.matches_names(names) for glob in self._include):
            return "excluded", "matches none of the names to include"
        return None


@dataclass(frozen=True, slots=True)
class _Folder:
    path: str
    names: tuple[str, ...]
    ignore: tuple[IgnoreFile, ...]


def walk(folder: str, selection: Selection, log: Log) -> Listing:
    """List the files of a folder; a folder that cannot be opened is an error, one inside it is skipped."""
    walker = _Walker(folder, selection, log)
    walker.run()
    return walker.listing


class _Walker:
    def __init__(self, folder: str, selection: Selection, log: Log) -> None:
        self.listing = Listing()
        self._root = folder
        self._selection = selection
        self._log = log
        self._links: list[tuple[tuple[str, ...], str]] = []

    def run(self) -> None:
        first = len(self._log.skipped)
        folders = [_Folder(self._root, (), ())]
        while folders:
            folders += self._one(folders.pop())
        for names, path in sorted(self._links):
            self._link(names, path)
        self.listing.texts.sort(key=lambda found: found.id)
        self.listing.tables.sort(key=lambda found: found.id)
        self._log.skipped[first:] = sorted(self._log.skipped[first:], key=lambda skipped: skipped.id)

    def _one(self, folder: _Folder) -> list[_Folder]:
        """Sort the entries of one folder; return the folders in it."""
        try:
            with os.scandir(folder.path) as scan:
                entries = list(scan)
        except OSError as error:
            if not folder.names:
                raise _folder_error(folder.path, error) from None
            self._log.skip(_id(folder.names) + "/", *_reason(error))
            return []
        ignore = (*folder.ignore, *_ignore_files(entries, len(folder.names)))
        inner: list[_Folder] = []
        for entry in entries:
            if is_clutter((entry.name,)):
                continue
            names = (*folder.names, entry.name)
            try:
                is_folder = entry.is_dir(follow_symlinks=False)
                refusal = self._selection.refusal(names, is_folder, ignore)
                if refusal is not None:
                    self._log.skip(_id(names) + ("/" if is_folder else ""), *refusal)
                elif is_folder:
                    inner.append(_Folder(entry.path, names, ignore))
                elif entry.is_symlink():
                    self._links.append((names, entry.path))
                else:
                    self._file(names, entry.path, entry.stat(follow_symlinks=False))
            except OSError as error:
                self._log.skip(_id(names), *_reason(error))
        return inner

    def _file(self, names: tuple[str, ...], path: str, status: os.stat_result) -> None:
        name = _id(names)
        kind = kind_of(names[-1])
        if not stat.S_ISREG(status.st_mode):
            self._log.skip(name, "not a file", "a pipe, socket or device")
        elif not status.st_size:
            self._log.skip(name, "empty", "the file has no bytes")
        elif kind.format == "office":
            self._log.skip(name, "not text", kind.office)
        else:
            size = status.st_size * (COMPRESSED_FACTOR if kind.compression else 1)
            found = Found(name, path, size, kind)
            (self.listing.tables if kind.is_table else self.listing.texts).append(found)

    def _link(self, names: tuple[str, ...], path: str) -> None:
        """Say where a link leads: in a folder that somebody else has packed, it may lead anywhere (issue 6)."""
        try:
            status = Path(path).stat()
        except OSError as error:
            nowhere = isinstance(error, FileNotFoundError)
            self._log.skip(_id(names), *(("unreadable", "a link to nothing") if nowhere else _reason(error)))
            return
        if stat.S_ISDIR(status.st_mode):
            loop = any(os.path.samestat(status, Path(above).stat()) for above in _folders_above(self._root, names))
            reason, detail = ("link loop", "a link to a folder that it is in") if loop else ("link", _NOT_FOLLOWED)
            self._log.skip(_id(names), reason, detail)
        else:
            self._log.skip(_id(names), "link", _NOT_FOLLOWED)


_NOT_FOLLOWED = "links are not followed; name what it leads to, to read it"


def _folders_above(root: str, names: tuple[str, ...]) -> Iterable[str]:
    return (str(Path(root, *names[:depth])) for depth in range(len(names)))


def _ignore_files(entries: list[os.DirEntry[str]], depth: int) -> list[IgnoreFile]:
    present = {entry.name: entry for entry in entries if entry.name in IGNORE_FILES}
    files: list[IgnoreFile] = []
    for name in IGNORE_FILES:
        entry = present.get(name)
        try:
            if entry is not None and entry.is_file(follow_symlinks=False):
                files.append(_ignore_file(entry.path, depth))
        except OSError:
            continue
    return files


def _ignore_file(path: str, depth: int) -> IgnoreFile:
    """Read an ignore file; one that is too long is an error, since half of its rules would be wrong."""
    with open_file(path) as file:
        data = file.read(_LONGEST_IGNORE_FILE + 1)
    try:
        if len(data) <= _LONGEST_IGNORE_FILE:
            return IgnoreFile(data.decode("utf-8", "replace"), depth)
        problem = "is larger than 1 MiB"
    except ValueError as error:
        problem = str(error)
    raise DocumentError(shown(path), "file", problem, "shorten it, or name the files instead of the folder")


def _reason(error: OSError) -> tuple[str, str]:
    """Say in one word to count and in a sentence why something in a folder cannot be read."""
    if isinstance(error, PermissionError):
        return "no permission", "permission denied"
    if isinstance(error, FileNotFoundError):
        return "vanished", "it was there when the folder was listed"
    if error.errno == errno.ELOOP:
        return "link loop", "a link that leads back to itself"
    return "unreadable", error.strerror or str(error)


def _folder_error(path: str, error: OSError) -> Exception:
    return open_error(shown(path), error)


def _id(names: Sequence[str]) -> str:
    return shown("/".join(names))


def shown(name: str) -> str:
    r"""Return a name as valid Unicode: bytes that are not UTF-8 are shown as ``\xff``."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return os.fsencode(name).decode("utf-8", "backslashreplace")
    return name
