"""URLs of remote files: which names are URLs, and how they are shown. Nothing is imported or opened here.

A name is a URL if it begins with one of the schemes below and ``://``. A local file of such a name can be given as
``./s3://…``.
"""

from __future__ import annotations

import os
import re
from typing import Final

__all__ = [
    "SCHEMES",
    "SERVERS",
    "WEB",
    "has_credentials",
    "is_url",
    "scheme_of",
    "shown_url",
    "url_remedy",
    "without_secrets",
]

SCHEMES: Final = {"s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "hf": "huggingface_hub"} | dict.fromkeys(
    ("https", "http"), "aiohttp"
)
"""The schemes that are opened, and the package that each needs besides fsspec."""
WEB: Final = ("https", "http")
SERVERS: Final = ("postgresql://", "postgres://")
"""How the address of an index on a server begins."""

_URL: Final = re.compile(rf"({'|'.join(SCHEMES)})://", re.IGNORECASE)
_ANY_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,30}://?")
_IN_TEXT: Final = re.compile(rf"\b(?:{'|'.join(SCHEMES)})://[^\s'\"<>]+", re.IGNORECASE)
_USER: Final = re.compile(r"^[^/]*@")


def is_url(path: object) -> bool:
    """Return whether a path is the URL of a remote file or folder.

    >>> is_url("s3://bucket/a.parquet"), is_url("./s3://bucket/a"), is_url("file:///etc/passwd"), is_url("a.txt")
    (True, False, False, False)
    """
    return _URL.match(_text(path)) is not None


def _text(path: object) -> str:
    """Return a path as text; nothing, for what is no path."""
    name = os.fspath(path) if isinstance(path, str | os.PathLike) else ""
    return name if isinstance(name, str) else ""


def scheme_of(url: str) -> str:
    """Return the scheme, in lower case."""
    return url.partition("://")[0].lower()


def has_credentials(url: str) -> bool:
    """Return whether a URL of a store has a key in it, which would end up in logs and in the history of a shell.

    >>> has_credentials("s3://key:secret@bucket/a"), has_credentials("hf://datasets/anna/essays@main/a.csv")
    (True, False)
    """
    return scheme_of(url) not in WEB and _USER.match(url.partition("://")[2]) is not None


def shown_url(path: str) -> str:
    """Return a URL without user, password, query and fragment, as it may be shown; another name as it is.

    >>> shown_url("https://anna:secret@example.org/a.csv?signature=1"), shown_url("s3://key:secret@bucket/a-?.csv")
    ('https://example.org/a.csv', 's3://bucket/a-?.csv')
    >>> shown_url("essays/a.txt?b@c")
    'essays/a.txt?b@c'
    """
    if not is_url(path):
        return path
    scheme, _, rest = path.partition("://")
    if scheme.lower() in WEB:  # in the key of a store, "?" and "#" are characters like any other
        rest = re.split(r"[?#]", rest, maxsplit=1)[0]
    return f"{scheme}://{_USER.sub('', rest)}"


def without_secrets(text: str) -> str:
    """Return a message with every URL in it as it may be shown.

    >>> without_secrets("cannot open 'https://anna:secret@example.org/a?key=1', sorry")
    "cannot open 'https://example.org/a', sorry"
    """
    return _IN_TEXT.sub(lambda found: shown_url(found[0]), text)


def url_remedy(name: str) -> str:
    """Say what to do about a name that does not exist, if it looks like a URL; else nothing.

    >>> url_remedy("s3:/bucket/a.csv")
    'a Path loses a slash of a URL: give it as a string'
    >>> url_remedy("ftp://example.org/a.csv")
    'URLs may begin with s3://, s3a://, gs://, gcs://, hf://, https:// or http://'
    """
    found = _ANY_SCHEME.match(name)
    if found is None or len(name.partition(":")[0]) < 2:  # one letter is a drive
        return ""
    if name.partition(":")[0].lower() in SCHEMES:
        return "a Path loses a slash of a URL: give it as a string"
    if "://" not in name:
        return ""
    *first, last = (f"{scheme}://" for scheme in SCHEMES)
    return f"URLs may begin with {', '.join(first)} or {last}"
