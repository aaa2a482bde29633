"""What went wrong with a remote file, for a person: one sentence with the URL, and never a secret in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lookalike.errors import DocumentError
from lookalike.urls import WEB, scheme_of, shown_url, without_secrets

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["MISSING", "remote_error"]

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
    """Give an error and those that it came from."""
    seen: set[int] = set()
    found: BaseException | None = error
    while found is not None and id(found) not in seen:
        seen.add(id(found))
        yield found
        found = found.__cause__ or found.__context__
