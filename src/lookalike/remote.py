"""Remote files, through fsspec: what a URL names, its bytes, and new files under it.

fsspec and the package of a store are imported when the first URL is given, and settings and credentials are theirs:
``AWS_PROFILE``, ``AWS_ENDPOINT_URL``, ``HF_TOKEN``, ``FSSPEC_S3_ANON`` and so on. Only the schemes of `opening` are
opened, and URLs are never chained (``zip://…::s3://…``), so that a URL leads nowhere but to its own store.
"""

from __future__ import annotations

import io
import os
import shutil
import tempfile
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Final, cast

from lookalike.errors import DocumentError, MissingExtraError
from lookalike.opening import (
    LARGEST_PIPE,
    SCHEMES,
    WEB,
    Spool,
    has_credentials,
    is_url,
    open_input,
    scheme_of,
    shown_url,
    without_secrets,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "BLOCK",
    "MISSING",
    "RemoteFile",
    "RemoteStore",
    "check_writable",
    "new_remote_file",
    "new_remote_folder",
    "open_named",
    "remote_error",
]

BLOCK: Final = 4 << 20
"""How many bytes are asked for at a time."""
_IN_EXTRA: Final = ("aiohttp", "s3fs")
_PATIENCE: Final = 60
"""Seconds that a web server may be silent."""

# The libraries of the stores are not imported for their errors: they are known by the names of their classes.
_NO_CREDENTIALS: Final = (
    *("NoCredentialsError", "PartialCredentialsError", "ProfileNotFound", "TokenRetrievalError"),
    *("DefaultCredentialsError", "RefreshError", "LocalTokenNotFoundError"),
)
_NO_BUCKET: Final = "NoSuchBucket"
_NOT_REACHED: Final = (
    *("EndpointConnectionError", "ConnectTimeoutError", "ClientConnectorError", "ClientConnectorDNSError"),
    *("ConnectionRefusedError", "ConnectionClosedError", "ConnectError", "ServerDisconnectedError"),
    *("ProxyConnectionError", "ConnectionResetError", "ConnectionError", "SSLError", "ClientConnectorCertificateError"),
)
_TOO_SLOW: Final = ("TimeoutError", "FSTimeoutError", "ReadTimeoutError", "ServerTimeoutError")
_CREDENTIALS: Final = {
    "s3": "set AWS_PROFILE or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; for a public bucket, FSSPEC_S3_ANON=true",
    "gs": "set GOOGLE_APPLICATION_CREDENTIALS; for a public bucket, FSSPEC_GS_TOKEN=anon",
    "hf": "set HF_TOKEN",
}
_LONGEST: Final = 200
MISSING: Final = "does not exist"
"""The problem of what is not there, as of a local file."""


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """One remote file, as its store lists it."""

    url: str
    """As it is opened: it may have a user, a password or a query in it."""
    size: int | None
    """In bytes; None if a web server does not say."""
    tag: str = ""
    """The ETag, or what else the store has to tell versions apart."""
    changed: int = 0
    """When it was changed last, in seconds; 0 if that is not known."""

    @property
    def name(self) -> str:
        """The URL as it may be shown."""
        return shown_url(self.url)


class RemoteStore:
    """The store that a URL is in."""

    def __init__(self, url: str) -> None:
        """Load the packages that its scheme needs; nothing is asked of the store."""
        self._scheme = scheme_of(url)
        self.is_web = self._scheme in WEB
        if has_credentials(url):
            problem = "has a key or a password in it, which others could read"
            raise DocumentError(shown_url(url), "file", problem, "set it in the environment or in a profile")
        self._files: Any = _file_system(self._scheme)

    def look(self, url: str) -> RemoteFile | None:
        """Return the file that a URL names; None if it is a folder."""
        with _told(url):
            found = self._files.info(url)
        return None if found["type"] == "directory" else _file(url, found)

    def exists(self, url: str) -> bool:
        """Return whether there is a file or a folder of this name."""
        try:
            self.look(url)
        except DocumentError as error:
            if error.problem == MISSING:
                return False
            raise
        return True

    def inside(self, url: str) -> list[tuple[str, RemoteFile]]:
        """List all files of a folder, each with its path in it."""
        with _told(url):
            listed: dict[str, Any] = self._files.find(url, detail=True)
            root = len(self._files._strip_protocol(url).rstrip("/")) + 1  # noqa: SLF001 — fsspec has no other name for it
        files = ((path[root:], self._full(path), about) for path, about in listed.items())
        return sorted(
            ((inner, _file(full, about)) for inner, full, about in files if inner and not inner.endswith("/")),
            key=lambda found: found[0],
        )

    def matching(self, url: str) -> list[str]:
        """List what matches a glob: files and folders."""
        with _told(url):
            found = sorted(self._files.glob(url))
            if not found:  # a glob in a bucket that does not exist matches nothing, too
                self._files.ls(url.partition("://")[2].partition("/")[0])
        return [self._full(path) for path in found]

    def _full(self, path: str) -> str:
        return f"{self._scheme}://{path}"

    def blocks(self, url: str) -> Iterator[bytes]:
        """Read a file, block by block."""
        with _told(url):
            stream = self._open(url)
        with stream:
            while block := self._block(stream, url):
                yield block

    def _open(self, url: str) -> BinaryIO:
        if self.is_web:  # in one request: a page may be another the next time
            return cast("BinaryIO", self._files.open(url, "rb", block_size=0, headers={"Accept-Encoding": "identity"}))
        return cast("BinaryIO", self._files.open(url, "rb", block_size=BLOCK, cache_type="none"))

    @staticmethod
    def _block(stream: BinaryIO, url: str) -> bytes:
        with _told(url):
            return stream.read(BLOCK)

    def upload(self, path: Path, url: str) -> None:
        """Store a local file under a URL."""
        with _told(url, "written"):
            self._files.put_file(str(path), url)

    def remove(self, url: str) -> None:
        """Remove a file."""
        with _told(url, "removed"):
            self._files.rm_file(url)


@contextmanager
def _told(url: str, verb: str = "read") -> Iterator[None]:
    try:
        yield
    except Exception as error:  # noqa: BLE001 — each store has errors of its own
        raise remote_error(url, error, verb) from None


def _file_system(scheme: str) -> Any:
    package = SCHEMES[scheme]
    try:
        import fsspec

        import_module(package)
    except ImportError:
        raise MissingExtraError(f"{scheme}://", "remote", "" if package in _IN_EXTRA else package) from None
    settings: dict[str, Any] = {"use_listings_cache": False}
    if scheme in WEB:
        import aiohttp

        # The usual limit of five minutes is for the whole of a file.
        patience = aiohttp.ClientTimeout(total=None, sock_connect=_PATIENCE, sock_read=_PATIENCE)
        settings["client_kwargs"] = {"timeout": patience, "trust_env": True}
    return fsspec.filesystem(scheme, **settings)


def _file(url: str, about: dict[str, Any]) -> RemoteFile:
    size = about.get("size")
    tag = next((str(about[key]) for key in ("ETag", "etag", "oid", "blob_id", "md5Hash") if about.get(key)), "")
    dates = ("LastModified", "Last-Modified", "mtime", "updated", "last_modified")
    changed = next((about[key] for key in dates if about.get(key)), None)
    return RemoteFile(url, None if size is None else int(size), tag, _seconds(changed))


def _seconds(changed: object) -> int:
    if isinstance(changed, str):
        from email.utils import parsedate_to_datetime

        with suppress(ValueError):
            changed = datetime.fromisoformat(changed) if changed[:1].isdigit() else parsedate_to_datetime(changed)
    if not isinstance(changed, datetime):
        return 0
    return max(0, int((changed if changed.tzinfo else changed.replace(tzinfo=UTC)).timestamp()))


# -- reading one file --------------------------------------------------------------------------------------------------


def _open_url(url: str) -> BinaryIO:
    """Open a file to read it once, from its start."""
    return cast("BinaryIO", io.BufferedReader(_Blocks(RemoteStore(url).blocks(url)), BLOCK))


def open_named(path: str | os.PathLike[str], name: str, most: int = LARGEST_PIPE) -> io.BufferedReader:
    """Open what a person has named: a URL, or what `open_input` opens."""
    if not is_url(path):
        return open_input(path, name, most)
    with _open_url(os.fspath(path)) as stream:
        return Spool(stream, shown_url(name), most, "a URL").open()


class _Blocks(io.RawIOBase):
    """Blocks as a stream."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._held = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        view = memoryview(buffer)
        self._held = self._held or next(self._blocks, b"")
        given, self._held = self._held[: len(view)], self._held[len(view) :]
        view[: len(given)] = given
        return len(given)


# -- writing -----------------------------------------------------------------------------------------------------------


def check_writable(url: str) -> RemoteFile | None:
    """Refuse a URL that cannot be written to, before there is anything to write; return the file that is there."""
    if scheme_of(url) in WEB:
        problem = "is on the web, where files are only read"
        raise DocumentError(shown_url(url), "file", problem, "write to a local file, or to s3://, gs:// or hf://")
    store = RemoteStore(url)
    return store.look(url) if store.exists(url) else None


@contextmanager
def new_remote_file(url: str) -> Iterator[IO[bytes]]:
    """Yield a stream for a file that appears under its URL when complete; until then it is a temporary local file."""
    store = _checked(url)
    with _temporary() as folder:
        path = folder / "file"
        try:
            with path.open("wb") as stream:
                yield stream
        except BrokenPipeError:
            raise
        except OSError as error:
            problem = f"cannot be written to {tempfile.gettempdir()} first ({error.strerror or error})"
            raise DocumentError(shown_url(url), "file", problem, "set TMPDIR to a folder with more room") from None
        store.upload(path, url)


@contextmanager
def new_remote_folder(url: str) -> Iterator[Path]:
    """Yield a local folder of which all files are uploaded when it is whole; if that fails, none of them stays."""
    store = _checked(url)
    with _temporary() as folder:
        yield folder
        done: list[str] = []
        try:
            for path in sorted(path for path in folder.rglob("*") if path.is_file()):
                done.append(url.rstrip("/") + "/" + path.relative_to(folder).as_posix())
                store.upload(path, done[-1])
        except BaseException:
            for one in done:
                with suppress(Exception):
                    store.remove(one)
            raise


def _checked(url: str) -> RemoteStore:
    check_writable(url)
    return RemoteStore(url)


@contextmanager
def _temporary() -> Iterator[Path]:
    try:
        folder = Path(tempfile.mkdtemp(prefix="lookalike-"))
    except OSError as error:
        problem = f"cannot be written ({error.strerror or error})"
        raise DocumentError(tempfile.gettempdir(), "file", problem, "set TMPDIR to another folder") from None
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def remote_error(url: str, error: BaseException, verb: str = "read") -> DocumentError:
    """Say why a URL cannot be read, or be `written`.

    >>> print(remote_error("https://anna:secret@example.org/a.csv?key=1", FileNotFoundError()))
    document 'https://example.org/a.csv': file does not exist; check the URL
    """
    if isinstance(error, DocumentError):
        return error
    problem, remedy = _said(url, error, verb)
    return DocumentError(shown_url(url), "file", problem, remedy)


def _said(url: str, error: BaseException, verb: str) -> tuple[str, str]:
    chain = list(_chain(error))
    names = {type(one).__name__ for one in chain}
    answers = (getattr(one, "status", None) for one in chain)
    status = next((answer for answer in answers if isinstance(answer, int)), 0)
    credentials = _CREDENTIALS.get({"s3a": "s3", "gcs": "gs"}.get(scheme_of(url), scheme_of(url)), "check the URL")
    if names & set(_NO_CREDENTIALS):
        return "needs credentials, and there are none", credentials
    if _NO_BUCKET in names:
        return f"cannot be {verb} (there is no such bucket)", "check the name of the bucket"
    if names & set(_NOT_REACHED):
        where = "the URL" if scheme_of(url) in WEB else "the endpoint (for S3, AWS_ENDPOINT_URL)"
        refused = any(getattr(one, "errno", None) == 111 or "refused" in str(one).lower() for one in chain)
        why = "connection refused" if refused else "no connection"
        return f"cannot be {verb} ({why})", f"check {where} and the network"
    if names & set(_TOO_SLOW):
        return f"cannot be {verb} (the server does not answer)", "try again later"
    if status in (401, 403) or isinstance(error, PermissionError):
        return f"cannot be {verb} (access denied)", credentials
    if status >= 400 and status not in (404, 410):
        return f"cannot be {verb} (the server answers with HTTP status {status})", "try again later"
    if isinstance(error, FileNotFoundError):
        return MISSING, "check the URL"
    said = " ".join(without_secrets(str(error)).split())[:_LONGEST]
    return f"cannot be {verb} ({said or type(error).__name__})", "check the URL"


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and those that it came from."""
    seen: set[int] = set()
    found: BaseException | None = error
    while found is not None and id(found) not in seen:
        seen.add(id(found))
        yield found
        found = found.__cause__ or found.__context__
