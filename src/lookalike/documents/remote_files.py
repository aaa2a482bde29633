"""Remote files as documents: listed like a folder, and copied once into a temporary folder, from which they are read.

A copy takes disk space but no memory, and everything that reads files can use it: the native readers, the second read,
the readers of documents in other processes. Both reads see the same bytes, whatever happens to the original.
"""

from __future__ import annotations

import glob
import hashlib
import os
import shutil
import tempfile
import threading
import time
import weakref
from collections import deque
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Final

from lookalike.documents.folder import FoundFile, Listing, is_clutter, shown
from lookalike.documents.kinds import kind_of
from lookalike.documents.raw_input import COMPRESSED_FACTOR
from lookalike.documents.table_errors import empty_file
from lookalike.errors import DocumentError
from lookalike.opening import LARGEST_PIPE
from lookalike.remote import RemoteFile, RemoteStore
from lookalike.tables.spelling import size as shown_size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lookalike.documents.document_batches import Log
    from lookalike.documents.folder import Selection

__all__ = ["RemoteCopies", "copied", "expanded", "listing_of", "look"]

LARGEST_UNKNOWN: Final = LARGEST_PIPE
"""The most bytes that are copied from a server that does not say how many there are."""
_AT_ONCE: Final = 8
_FAREWELL: Final = 2.0
"""Seconds that threads are given to end."""
_SECOND: Final = 1_000_000_000
_LONGEST_NAME: Final = 80


def expanded(url: str) -> list[str]:
    """Replace a glob by the URLs that it matches, unless a file has exactly that name.

    The web has no globs: "?" begins a query there.
    """
    store = RemoteStore(url)
    if store.is_web or not glob.has_magic(url) or store.exists(url):
        return [url]
    found = store.matching(url)
    if not found:
        raise DocumentError(shown(url), "file", "matches nothing", "check the URL")
    return found


def look(url: str) -> RemoteFile | None:
    """Return the file that a URL names; None if it is a folder."""
    return RemoteStore(url).look(url)


def listing_of(url: str, selection: Selection, log: Log) -> tuple[Listing, dict[str, RemoteFile]]:
    """List the files of a remote folder by the rules for a local one; ignore files in it are not read.

    The second part has the remote file for each path of the listing, which is its URL.
    """
    listing, files = Listing(), {}
    refused: set[str] = set()
    for inner, file in RemoteStore(url).inside(url):
        names = inner.split("/")
        if is_clutter(names) or _refused(names, selection, log, refused):
            continue
        name, kind = shown(inner), kind_of(names[-1])
        if not file.size:
            log.skipped.append(empty_file(name, is_table=kind.is_table))
        elif kind.format == "office":
            log.skip(name, "not text", kind.office)
        else:
            weight = file.size * (COMPRESSED_FACTOR if kind.compression else 1)
            (listing.tables if kind.is_table else listing.texts).append(FoundFile(name, file.url, weight, kind))
            files[file.url] = file
    return listing, files


def _refused(names: list[str], selection: Selection, log: Log, refused: set[str]) -> bool:
    """Return whether a file, or a folder that it is in, is not to be read; each is noted once."""
    for depth in range(1, len(names) + 1):
        folder = depth < len(names)
        path = "/".join(names[:depth]) + ("/" if folder else "")
        if path in refused:
            return True
        if (why := selection.refusal(names[:depth], folder, ())) is not None:
            refused.add(path)
            log.skip(shown(path), *why)
            return True
    return False


class RemoteCopies:
    """A folder of copies, which goes with this object or at the end of the process."""

    def __init__(self) -> None:
        """Make a folder that is open to its owner alone."""
        try:
            self.folder = Path(tempfile.mkdtemp(prefix="lookalike-"))
        except OSError as error:
            raise _no_room(tempfile.gettempdir(), f"cannot be written ({error.strerror or error})") from None
        weakref.finalize(self, _remove, str(self.folder), os.getpid())


def _remove(folder: str, process: int) -> None:
    if os.getpid() == process:  # a process that was forked has the same folder, and no right to it
        shutil.rmtree(folder, ignore_errors=True)


def copied(files: Sequence[RemoteFile]) -> tuple[RemoteCopies, list[str]]:
    """Copy files, some at once; return where they are, in their order."""
    copies = RemoteCopies()
    total = sum(file.size or 0 for file in files)
    free = shutil.disk_usage(copies.folder).free
    if total > free:
        held = f"{shown_size(total)} do not fit into {tempfile.gettempdir()}, which has {shown_size(free)} left"
        raise _no_room(files[0].name if len(files) == 1 else f"{len(files)} remote files", f"cannot be copied: {held}")
    places = [_place(copies, number, file) for number, file in enumerate(files)]
    _copy_all(list(zip(files, places, strict=True)))
    return copies, [str(place) for place in places]


def _copy_all(files: Sequence[tuple[RemoteFile, Path]]) -> None:
    """Copy files in a few threads; the first error ends it, and so does Ctrl-C, though a server may be silent.

    That is why the threads are of the kind that nobody has to wait for.
    """
    waiting, stop = deque(files), threading.Event()
    ends: SimpleQueue[Exception | None] = SimpleQueue()

    def work() -> None:
        while waiting and not stop.is_set():
            try:
                _copy(*waiting.popleft(), stop)
            except IndexError:  # another thread has taken the last one
                return
            except Exception as error:  # noqa: BLE001 — raised again by the one who waits
                ends.put(error)
            else:
                ends.put(None)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(min(_AT_ONCE, len(files)))]
    for thread in threads:
        thread.start()
    try:
        for _ in files:
            if (error := ends.get()) is not None:
                raise error
    finally:
        stop.set()
        end = time.monotonic() + _FAREWELL
        for thread in threads:
            thread.join(max(0.0, end - time.monotonic()))


def _place(copies: RemoteCopies, number: int, file: RemoteFile) -> Path:
    """Return a path that ends like the URL, for readers that go by names, in plain letters: keys may hold anything."""
    end = file.name.rstrip("/").rpartition("/")[2][-_LONGEST_NAME:]
    plain = "".join(one if one.isascii() and (one.isalnum() or one in "._-") else "_" for one in end)
    return copies.folder / f"{number:06}-{plain}"


def _copy(file: RemoteFile, path: Path, stop: threading.Event) -> None:
    most = LARGEST_UNKNOWN if file.size is None else file.size
    written = 0
    try:
        with path.open("wb") as copy:
            for block in RemoteStore(file.url).blocks(file.url):
                written += len(block)
                if stop.is_set() or written > most:
                    break
                copy.write(block)
    except OSError as error:
        problem = f"cannot be copied to {tempfile.gettempdir()} ({error.strerror or error})"
        raise _no_room(file.name, problem) from None
    if written > most and file.size is None:
        problem = f"has more than {shown_size(most)}, and the server does not say how large it is"
        raise DocumentError(file.name, "file", problem, "copy it into a local file and name that")
    if file.size is not None and written != file.size and not stop.is_set():
        raise DocumentError(file.name, "file", "changed while it was copied, or arrived incomplete", "try again")
    if not stop.is_set():
        os.utime(path, ns=(_stamp(file), _stamp(file)))


def _stamp(file: RemoteFile) -> int:
    """Return a time for a copy by which a search knows the file again.

    Stores know times to the second. The rest of it is made from the ETag, so that another version has another time.
    """
    tag = int.from_bytes(hashlib.sha256(file.tag.encode()).digest()[:8], "big") % _SECOND if file.tag else 0
    return file.changed * _SECOND + tag


def _no_room(name: str, problem: str) -> DocumentError:
    return DocumentError(name, "file", problem, "set TMPDIR to a folder with more room")
