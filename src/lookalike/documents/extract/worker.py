"""The process of a reader: takes documents one by one, and sends back their texts.

It limits its own memory and time, writes no file, and ends when lookalike does. Whatever a document does to it stays in
it: lookalike starts another.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from importlib import import_module
from io import BytesIO
from typing import TYPE_CHECKING, Any, BinaryIO, Final, cast

from lookalike.documents.document_batches import Extracted, RefusedError
from lookalike.documents.extract import (
    LARGEST_FILE,
    LARGEST_TEXT,
    LONGEST_NAME,
    NESTED,
    BrokenFrameError,
    hold_memory,
    hold_time,
    receive,
    seconds_for,
    send,
)
from lookalike.documents.extract.archives import (
    BombError,
    Budget,
    open_compressed,
    shortened,
    tar_members,
    unsafe,
    whole,
    zip_members,
)
from lookalike.documents.extract.clean_text import read_plain
from lookalike.documents.extract.packages import OLE, Package
from lookalike.documents.folder import Selection, is_clutter, shown
from lookalike.documents.kinds import DOCUMENTS, Kind, kind_of
from lookalike.documents.raw_input import Limits
from lookalike.opening import open_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from lookalike.documents.extract.archives import Member

__all__ = ["end_with", "main", "read_as", "sniffed"]


# -- which reader is for which kind ------------------------------------------------------------------------------------

# The part that only documents of this kind have.
_PARTS: Final = (
    ("word/document.xml", "docx"),
    ("ppt/presentation.xml", "pptx"),
    ("META-INF/container.xml", "epub"),
    ("content.xml", "odt"),
)


def read_as(kind: str, file: BinaryIO, encoding: str) -> Extracted:
    """Read a document of a kind; if it is of another kind than its name says, read it as that."""
    kind = sniffed(file, kind)
    try:
        if kind == "text":
            return read_plain(file, encoding)
        module, _, function = DOCUMENTS[kind].reader.partition(".")
        found = getattr(import_module(f"lookalike.documents.extract.{module}"), function)
        read = cast("Callable[[BinaryIO, str], Extracted]", found)
        return read(file, encoding)
    except RefusedError:
        raise
    except RecursionError:
        raise RefusedError("damaged", "its parts are nested too deeply") from None
    except MemoryError:
        raise RefusedError("too large", "reading it takes more memory than a reader may use") from None
    except Exception as error:  # noqa: BLE001 - whatever a library meets in a broken file
        what = " ".join(str(error).split())[:80]
        raise RefusedError("damaged", f"it cannot be read ({type(error).__name__}: {what})") from None


def sniffed(file: BinaryIO, kind: str) -> str:
    """Return what a document is by its first bytes, where they say it plainly."""
    start = file.read(1024)
    file.seek(0)
    if start.startswith(b"%PDF-"):
        return "pdf"
    if start.lstrip().startswith(b"{\\rtf"):
        return "rtf"
    if start.startswith(b"PK\3\4") and kind not in ("docx", "pptx", "epub", "odt"):
        package = Package(file)
        for part, found in _PARTS:
            if part in package:
                file.seek(0)
                return found
        raise RefusedError("not text", "it is a zip archive or an office document, but its name does not say so")
    if start.startswith(OLE):
        return "docx"  # which distinguishes a password from an old format
    if kind in ("docx", "odt") and start.lstrip()[:15].lower().startswith((b"<!doctype html", b"<html")):
        return "html"  # which is what some programs call a .doc
    return kind


# -- the process -------------------------------------------------------------------------------------------------------


def main(parent: int) -> None:
    """Serve the process `parent` until standard input ends."""
    end_with(parent)
    # Whatever a library prints must not get among the messages.
    out = os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    if hasattr(signal, "SIGINT"):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # lookalike gets it, and ends this process
    hold_memory()
    sys.setrecursionlimit(2000)
    while True:
        try:
            request, data = receive(sys.stdin.buffer, LARGEST_FILE)
        except BrokenFrameError:
            return
        _Session(out, request).serve(data)


class _Session:
    """One document or one archive."""

    def __init__(self, out: BinaryIO, request: dict[str, Any]) -> None:
        self._out = out
        self._request = request
        self._name: str = request["name"]
        self._encoding: str = request["encoding"]
        self._kind = Kind(request["kind"], request["compression"])
        self._limits = Limits(*request["limits"])
        self._selection = Selection(request["include"], request["exclude"], request["hidden"])
        self._number = 0
        self._after: int = request["after"]
        """Members that an earlier process has handled, including the one that crashed it."""

    def serve(self, data: bytes) -> None:
        """Answer the request; the last message is always ``end``."""
        path = self._request["path"]
        hold_time(seconds_for(self._request["size"]))
        try:
            with BytesIO(data) if path is None else open_file(path) as file:
                if self._kind.is_archive or self._is_mail(file):
                    self._archive(file, self._name, self._kind, Budget(self._request["size"], self._limits), 1)
                else:
                    self._text(self._name, self._document(file))
        except RefusedError as refused:
            self._skip(self._name, refused.reason, refused.detail)
        except OSError as error:
            self._skip(self._name, *_reason(error))
        except MemoryError:
            self._skip(self._name, "too large", "reading it takes more memory than a reader may use")
        send(self._out, {"type": "end"})

    def _is_mail(self, file: BinaryIO) -> bool:
        return self._kind.format == "eml" and (bool(self._kind.compression) or sniffed(file, "eml") == "eml")

    def _document(self, file: BinaryIO) -> Extracted:
        if self._kind.compression:
            file = whole(open_compressed(file, self._kind.compression), self._request["size"], self._limits)
        return read_as(self._kind.format, file, self._encoding)

    # -- archives ----------------------------------------------------------------------------------------------------

    def _archive(self, file: BinaryIO, name: str, kind: Kind, budget: Budget, depth: int) -> None:
        """Go through the members; an archive among them is opened too, down to `NESTED`."""
        stream = open_compressed(file, kind.compression)
        if kind.format != "tar" and kind.compression:
            stream = whole(stream, budget.packed, self._limits)
        if kind.format == "eml":
            from lookalike.documents.extract.html_mail import (
                read_mail,  # with the readers of HTML: not for every process
            )

            mail = read_mail(stream, self._encoding)
            if self._number >= self._after:
                self._text(name, mail.found)
            members = mail.members(budget)
        else:
            members = (zip_members if kind.format == "zip" else tar_members)(stream, budget)
        for member in members:
            inside = shown(shortened(member.name).replace(chr(92), "/").removeprefix("./"))
            full = f"{name}/{inside}"
            self._number += 1
            if is_clutter(inside.split("/")):
                budget.name(full)  # it counts, however many there are
                continue
            here = self._number
            if here == self._after or (here < self._after and not kind_of(full).holds_others):
                continue
            if here > self._after:
                size = min(member.size, LARGEST_FILE)
                send(self._out, {"type": "begin", "name": full, "number": here, "size": size})
                hold_time(seconds_for(size))
            try:
                self._member(member, full, budget, depth)
            except BombError:
                raise
            except RefusedError as refused:
                self._skip(full, refused.reason, refused.detail)
            # What happens before the next one begins is not caused by this one.
            send(self._out, {"type": "between", "name": name, "size": self._request["size"]})
            hold_time(seconds_for(self._request["size"]))

    def _member(self, member: Member, name: str, budget: Budget, depth: int) -> None:
        self._check_name(member, name, budget)
        kind = kind_of(name)
        if kind.is_archive or (kind.format == "eml" and depth < NESTED):
            if depth >= NESTED:
                raise RefusedError("nested", f"archives are read {NESTED} levels deep; unpack it first")
            self._archive(member.open(), name, kind, budget, depth + 1)
            return
        if kind.is_table:
            raise RefusedError("table", "tables in archives are not read; unpack it and name it")
        if kind.format == "office":
            raise RefusedError("not text", kind.office)
        if kind.format == "text" and member.size > self._limits.document:
            raise RefusedError("too large", self._limits.too_large("it"))
        file = member.open()
        if kind.compression:
            file = whole(open_compressed(file, kind.compression), member.size, self._limits)
        if not file.read(1):
            raise RefusedError("empty", "the file has no bytes")
        file.seek(0)
        self._text(name, read_as(kind.format, file, self._encoding))

    def _check_name(self, member: Member, name: str, budget: Budget) -> None:
        """Refuse what its name excludes, as in a folder."""
        if len(member.name) > LONGEST_NAME:
            budget.name(name)
            raise RefusedError("name too long", f"its name has {len(member.name):,} characters")
        if unsafe(member.name):
            raise RefusedError("unsafe name", "the name leads out of the archive")
        if not budget.name(name):
            raise RefusedError("given twice", "the archive has two members with this name")
        names = name.split("/")
        for length in range(len(self._name.split("/")) + 1, len(names) + 1):
            refusal = self._selection.refusal(names[:length], length < len(names), ())
            if refusal is not None:
                raise RefusedError(*refusal)
        if member.refused is not None:
            raise RefusedError(*member.refused)

    # -- answers -----------------------------------------------------------------------------------------------------

    def _text(self, name: str, found: Extracted) -> None:
        data = found.text.encode("utf-8", "replace")
        if not data.strip():
            self._skip(name, "empty", "the document has no text")
        elif len(data) > self._limits.document:
            self._skip(name, "too large", self._limits.too_large("its text"))
        elif len(data) > LARGEST_TEXT:
            self._skip(name, "too large", f"its text is longer than {LARGEST_TEXT >> 20} MiB")
        else:
            flags = [[flag.kind, flag.detail, flag.count, flag.places] for flag in found.flags]
            head = {"type": "text", "name": name, "flags": flags, "encoding": found.encoding, "guessed": found.guessed}
            send(self._out, head, data)

    def _skip(self, name: str, reason: str, detail: str) -> None:
        send(self._out, {"type": "skip", "name": name, "reason": reason, "detail": detail})


def _reason(error: OSError) -> tuple[str, str]:
    if isinstance(error, FileNotFoundError):
        return "vanished", "it disappeared after the files were listed"
    if isinstance(error, PermissionError):
        return "no permission", "permission denied; check its permissions"
    return "unreadable", error.strerror or str(error)[:80]


# -- the process that started it ---------------------------------------------------------------------------------------

_SET_DEATH_SIGNAL: Final = 1  # PR_SET_PDEATHSIG of <sys/prctl.h>
_SECONDS: Final = 1.0


def end_with(parent: int) -> None:
    """Have this process ended as soon as the process `parent`, which started it, has ended."""
    if sys.platform == "win32":
        return  # it ends when it has read its document and there is no other
    if not _asked_the_kernel():
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()
    if os.getppid() != parent:  # it ended before the kernel was asked
        os._exit(1)


def _asked_the_kernel() -> bool:
    """Ask Linux for SIGKILL when the parent ends; True if it agreed."""
    if sys.platform != "linux":
        return False
    try:
        import ctypes

        return int(ctypes.CDLL(None).prctl(_SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)) == 0
    except (ImportError, OSError, AttributeError):
        return False


def _watch(parent: int) -> None:
    """Wait until the other end of standard input is closed, as the end of the parent closes it."""
    import select

    poll = select.poll()
    poll.register(0, 0)  # a closed pipe is reported without asking
    while not poll.poll(1000 * _SECONDS) and os.getppid() == parent:
        pass
    os._exit(1)
