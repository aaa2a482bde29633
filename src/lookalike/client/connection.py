"""Requests to one server: the address, the token, time limits, and when a request is repeated.

Every request of the API may be repeated: checks change nothing, documents are added once under an id, and to replace or
to remove a document twice is to do it once. So whatever may pass by itself is tried again.
"""

from __future__ import annotations

import json
import random
import re
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlsplit

from lookalike import _native, checks
from lookalike.client.problems import error_of, not_lookalike, problem_in
from lookalike.errors import MissingExtraError, RecipeError, ServerError
from lookalike.tables.packed import encoded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lookalike.tables.packed import Id

__all__ = ["Connection", "checked_url", "retry_after", "spelt"]

_JSON: Final = "application/json"
_PASSING: Final = frozenset({429, 502, 503, 504})
"""Answers that may be others the next time: too much to do, or nobody behind the proxy."""
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
        timeout = checks.number("timeout", timeout, allowed)
        if not 0.0 < timeout < float("inf"):
            raise RecipeError("timeout", timeout, allowed)
        self._retries = checks.whole("retries", retries, 0, 100)
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
    ) -> Any:
        """Return what the server answers, or raise what it says is wrong.

        `body` is JSON; `ids` are those of the documents that the request is about.
        """
        headers = dict(self._headers)
        if body is not None:
            headers["Content-Type"] = _JSON
        answer = self._repeated(method, self.url + path + _query(query or {}), body, headers)
        if not 200 <= answer.status < 300:
            raise error_of(self.url, answer.status, problem_in(answer.body), ids)
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
    """Refuse what cannot stand in a header; the token itself is not shown."""
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
        raise RecipeError("url", url, allowed)
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
        return ServerError(url, f"has a certificate that is not trusted ({_short(error)})", remedy)
    if isinstance(error, exceptions.NameResolutionError):
        return ServerError(url, "has a name that nobody knows", "check the address")
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
