"""A server: requests, when they are repeated, and the errors of `la.Index` that its problems stand for."""

from __future__ import annotations

import json
import random
import re
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlsplit

from lookalike import _native
from lookalike.errors import (
    ConflictError,
    DamagedError,
    DocumentError,
    DuplicateIdError,
    MissingExtraError,
    RecipeError,
    ServerError,
    StoreError,
    check_number,
    check_whole,
)
from lookalike.tables.packed import encoded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lookalike.tables.packed import Id

__all__ = ["Connection", "checked_url", "error_of", "not_lookalike", "problem_in", "retry_after", "spelt"]

# -- requests ----------------------------------------------------------------------------------------------------------

_JSON: Final = "application/json"
_PASSING: Final = frozenset({429, 502, 503, 504})
"""Answers that may differ the next time: the server is busy, or not running behind the proxy."""
_FIRST_WAIT: Final = 0.2
_LONGEST_WAIT: Final = 10.0
_LONGEST_ASKED: Final = 60.0
"""Seconds that are waited because the server asks for it; if it asks for more, that is said instead."""
_LARGEST: Final = 256 << 20
"""Bytes of an answer."""
_CONNECTIONS: Final = 16
"""Connections that are kept open for threads that share a client."""
_TOKEN: Final = re.compile(r"[\x21-\x7e]{1,4096}")


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    body: bytes
    wait: float | None
    """Seconds after which the server wants to be asked again."""


class Connection:
    """A server, and how to ask it."""

    def __init__(self, url: str, token: str | None, timeout: float, retries: int) -> None:
        """Check the arguments; nothing is asked of the server."""
        self.url = checked_url(url)
        _check_token(token)
        allowed = "a number of seconds above 0"
        timeout = check_number("timeout", timeout, allowed)
        if not 0.0 < timeout < float("inf"):
            raise RecipeError("timeout", timeout, allowed)
        self._retries = check_whole("retries", retries, 0, 100)
        self._headers = {"User-Agent": f"lookalike/{_native.build_info()['version']}", "Accept": _JSON}
        if token is not None:
            self._headers["Authorization"] = f"Bearer {token}"
        self._pool, self._failures = _pool(timeout)

    def ask(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, object] | None = None,
        body: bytes | None = None,
        ids: Sequence[Id] = (),
        conflicts: bool = False,
    ) -> Any:
        """Return what the server answers, or raise what it says is wrong.

        `body` is JSON; `ids` are those of the documents that the request is about. Ids that are there with another
        text are a `ConflictError` that names them, if `conflicts` says so, or else a `DuplicateIdError` of the first.
        """
        headers = dict(self._headers)
        if body is not None:
            headers["Content-Type"] = _JSON
        answer = self._repeated(method, self.url + path + _query(query or {}), body, headers)
        if not 200 <= answer.status < 300:
            problem = problem_in(answer.body)
            if conflicts and answer.status == 409 and (there := _ids_in(problem)):
                raise ConflictError(there, len(there), self.url)
            raise error_of(self.url, answer.status, problem, ids)
        try:
            return json.loads(answer.body)
        except (ValueError, RecursionError):
            raise not_lookalike(self.url, answer.status) from None

    def close(self) -> None:
        """Close the connections that are open."""
        self._pool.clear()

    def _repeated(self, method: str, url: str, body: bytes | None, headers: dict[str, str]) -> _Answer:
        """Send a request until it is answered, or was repeated often enough."""
        for attempt in range(self._retries + 1):
            last = attempt == self._retries
            wait: float | None = None
            try:
                answer = self._once(method, url, body, headers)
            except self._failures as error:
                if last or _is_final(error):
                    raise _unreachable(self.url, error) from None
            else:
                wait = answer.wait
                if answer.status not in _PASSING or last or (wait or 0.0) > _LONGEST_ASKED:
                    return answer
            # Clients that failed together must not come back together.
            pause = min(_LONGEST_WAIT, _FIRST_WAIT * 2.0**attempt) * random.uniform(0.5, 1.0)  # noqa: S311 — no secret
            time.sleep(max(pause, wait or 0.0))
        raise AssertionError("unreachable: the last attempt returns or raises")

    def _once(self, method: str, url: str, body: bytes | None, headers: dict[str, str]) -> _Answer:
        # Redirects are not followed: the token is for this server alone.
        response = self._pool.request(
            method, url, body=body, headers=headers, redirect=False, retries=False, preload_content=False
        )
        try:
            content = response.read(_LARGEST + 1, decode_content=False)
            if len(content) > _LARGEST:
                response.close()
                remedy = "ask for less: a higher threshold, or top="
                raise ServerError(self.url, f"answers with more than {_LARGEST >> 20} MiB", remedy, response.status)
            return _Answer(response.status, content, retry_after(response.headers.get("Retry-After"), time.time()))
        finally:
            response.release_conn()


def _check_token(token: object) -> None:
    """Refuse what a header cannot contain; the token itself is not shown."""
    if token is not None and (not isinstance(token, str) or not _TOKEN.fullmatch(token)):
        raise RecipeError("token", "…", "printable ASCII characters without spaces")


def spelt(value: object) -> bytes:
    r"""Return a value as JSON in UTF-8; a lone surrogate, which UTF-8 cannot spell, becomes U+FFFD.

    >>> spelt({"text": "caf\u00e9"}).decode()
    '{"text": "café"}'
    """
    return encoded(json.dumps(value, ensure_ascii=False, allow_nan=False))


def checked_url(url: object) -> str:
    """Return the address of a server without a slash at its end.

    >>> checked_url("https://example.org/lookalike/")
    'https://example.org/lookalike'
    """
    allowed = "the address of a server, such as https://lookalike.example.org"
    if not isinstance(url, str):
        raise RecipeError("url", url, allowed)
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise RecipeError("url", "…", allowed) from None
    if "@" in parts.netloc:  # it must not be shown
        raise RecipeError("url", "…", "without a user or a password", "give the token as token=")
    strange = re.search(r"[\x00-\x20\x7f-\uffff\\]", url) is not None
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment or strange:
        without_scheme = re.fullmatch(r"localhost/?|[A-Za-z0-9.-]+:[0-9]{1,5}/?", url) is not None
        raise RecipeError("url", url, allowed, f"did you mean 'http://{url}'?" if without_scheme else "")
    if port == 0:
        raise RecipeError("url", url, "one with a port from 1 to 65535")
    return f"{parts.scheme}://{parts.netloc}{parts.path}".rstrip("/")


def _query(values: Mapping[str, object]) -> str:
    given = [(name, value) for name, value in values.items() if value is not None]
    # quote alone spells a space as %20, which every server reads in the same way.
    spelt = "&".join(f"{name}={quote(encoded(str(value)), safe='')}" for name, value in given)
    return f"?{spelt}" if spelt else ""


def retry_after(header: str | None, now: float) -> float | None:
    """Return the seconds that a server asks to wait: it may give their number, or a date.

    >>> retry_after("3", 0.0), retry_after("Thu, 01 Jan 1970 00:01:00 GMT", 20.0), retry_after("soon", 0.0)
    (3.0, 40.0, None)
    """
    if header is None:
        return None
    if re.fullmatch("[0-9]{1,9}", header.strip()):
        return float(header)
    from email.utils import parsedate_to_datetime

    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - now)
    except (TypeError, ValueError, OverflowError):
        return None


def _pool(timeout: float) -> tuple[Any, type[Exception]]:
    """Return what keeps connections, and what it raises."""
    try:
        import urllib3
    except ImportError:
        raise MissingExtraError("la.Client", "client") from None
    if int(getattr(urllib3, "__version__", "0").partition(".")[0]) < 2:
        raise MissingExtraError("la.Client", "client")
    patience = urllib3.Timeout(connect=timeout, read=timeout)
    return urllib3.PoolManager(1, maxsize=_CONNECTIONS, timeout=patience, retries=False), urllib3.exceptions.HTTPError


def _is_final(error: Exception) -> bool:
    """Tell whether trying again cannot help: a certificate or an address that is wrong stays wrong."""
    from urllib3 import exceptions

    return isinstance(error, exceptions.SSLError | exceptions.LocationValueError)


def _unreachable(url: str, error: Exception) -> ServerError:
    from urllib3 import exceptions

    if isinstance(error, exceptions.SSLError):
        remedy = "SSL_CERT_FILE names the certificate of an authority of your own"
        return ServerError(url, f"has an untrusted certificate ({_short(error)})", remedy)
    if isinstance(error, exceptions.NameResolutionError):
        return ServerError(url, "has an unknown host name", "check the address")
    if isinstance(error, exceptions.NewConnectionError):  # first: it is a kind of timeout, too
        return ServerError(url, "cannot be reached", "check the address, and that lookalike serve runs there")
    if isinstance(error, exceptions.TimeoutError):
        return ServerError(url, "did not answer in time", "raise timeout=, or send less at once")
    return ServerError(url, f"ended the connection ({_short(error)})", "try again, and look at the log of the server")


def _short(error: Exception) -> str:
    """Return what happened in a few words; the request, which may be long, is not among them."""
    cause = error.args[-1] if error.args else error
    words = str(
        cause if not isinstance(cause, BaseException) else cause.args[-1] if cause.args else type(cause).__name__
    )
    return words if len(words) <= 120 else words[:119] + "…"


# -- problems ----------------------------------------------------------------------------------------------------------

_TYPE: Final = "urn:lookalike:problem:"
_OF_DOCUMENT: Final = re.compile(r"/documents/([0-9]{1,9})(?:/(\w+))?")
_SETTINGS: Final = ("/threshold", "/top")
_OF_INDEX: Final = "the index "
"""What the details of problems of the index itself begin with, and those of the server do not."""
_LONGEST: Final = 500


def problem_in(body: bytes) -> dict[str, Any]:
    """Return the problem document that an answer holds; an answer of anybody else holds none."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) and str(found.get("type", "")).startswith(_TYPE) else {}


def not_lookalike(url: str, status: int) -> ServerError:
    """Say that an answer is none of the API."""
    return ServerError(url, "does not answer like lookalike serve", "check the address", status)


def error_of(url: str, status: int, problem: dict[str, Any], ids: Sequence[Id] = ()) -> Exception:
    """Return the error that an answer means; `ids` are those of the documents of the request."""
    if not problem:
        return _of_somebody_else(url, status)
    detail = str(problem.get("detail", ""))[:_LONGEST] or "refuses the request"
    listed = problem.get("errors")
    first = listed[0] if isinstance(listed, list) and listed and isinstance(listed[0], dict) else {}
    if status in (409, 413, 422) and (found := _of_field(url, status, first, ids)) is not None:
        return found
    if status == 404 and ids:
        return KeyError(_missing(str(first.get("field", "")), ids))
    if status in (500, 503) and detail.startswith(_OF_INDEX):
        what, _, remedy = detail.removeprefix(_OF_INDEX).partition("; ")
        kind = DamagedError if what.startswith("is damaged") else StoreError
        return kind(url, what, remedy or "ask the operator of the server")
    if status == 403:
        detail, _, remedy = detail.partition("; ")
    else:
        remedy = _REMEDIES.get(status, "")
    return ServerError(url, f"answers {status}: {detail}", remedy or "ask the operator of the server", status)


_REMEDIES: Final = {
    401: "give a token: token=, --token-file or LOOKALIKE_TOKEN",
    404: "check the address",
    413: "send less at once",
    422: "check what was given",
    429: "try again later",
    503: "try again later",
    504: "ask for less at once, or try again later",
}


def _of_somebody_else(url: str, status: int) -> ServerError:
    """Say what an answer without a problem document means: that of a proxy, or of another server."""
    if 300 <= status < 400:
        remedy = "give the address that it leads to: the token is sent to no other"
        return ServerError(url, "redirects to another address", remedy, status)
    if status == 413:
        return ServerError(
            url, "does not accept a request of this size", "raise the limit of the proxy before it", status
        )
    if status in (429, 502, 503, 504):
        return ServerError(
            url, f"cannot answer now ({status})", "check that lookalike serve runs, and try again", status
        )
    return not_lookalike(url, status)


def _of_field(url: str, status: int, first: dict[str, Any], ids: Sequence[Id]) -> Exception | None:
    """Return the error about a field of the request; None if it is about something else."""
    field, problem, remedy = (str(first.get(name, ""))[:_LONGEST] for name in ("field", "problem", "remedy"))
    if status == 409 and "id" in first:
        return DuplicateIdError(first["id"], index=url)
    if field in _SETTINGS:
        return RecipeError(field[1:], "this", f"what the server allows ({problem})")
    if (found := _OF_DOCUMENT.match(field)) and int(found[1]) < len(ids):
        return DocumentError(ids[int(found[1])], found[2] or "document", problem, remedy)
    if len(ids) == 1 and field in ("/id", "/text"):
        return DocumentError(ids[0], field[1:], problem, remedy)
    if ids and field in ("/a/id", "/b/id"):
        return DocumentError(_missing(field, ids), "id", problem, remedy)
    if len(ids) == 1 and status == 413:
        return DocumentError(
            ids[0], "text", "is larger than the server takes", "split it, or raise the limits of the server"
        )
    return None


def _ids_in(problem: dict[str, Any]) -> tuple[Id, ...]:
    """Return the ids that the errors of a problem name."""
    listed = problem.get("errors")
    errors = listed if isinstance(listed, list) else []
    return tuple(error["id"] for error in errors if isinstance(error, dict) and "id" in error)


def _missing(field: str, ids: Sequence[Id]) -> Id:
    """Return the id that a field is about: of two, /b is the second."""
    return ids[1] if len(ids) == 2 and field.startswith("/b") else ids[0]
