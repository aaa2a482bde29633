"""URLs as outputs: what is refused before a search, and the URLs of documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.errors import DocumentError
from lookalike.urls import is_url, shown_url

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["check_folder_url", "check_url", "url_of"]


def check_url(output: str, sources: Iterable[str], *, force: bool) -> None:
    """Refuse a URL that cannot be written to, one among the documents and, without `force`, a file that exists."""
    from lookalike.remote import check_writable

    _keep_sources(output, sources)
    if check_writable(output) is not None and not force:
        raise DocumentError(shown_url(output), "file", "exists", "give another name, or --force to write over it")


def check_folder_url(output: str, sources: Iterable[str]) -> None:
    """Refuse a folder that has something in it, or that is among the documents."""
    from lookalike.remote import RemoteStore, check_writable

    _keep_sources(output, sources)
    check_writable(output)
    store = RemoteStore(output)
    if store.exists(output) and store.inside(output):
        raise DocumentError(shown_url(output), "file", "is a folder that is not empty", "give another name")


def _keep_sources(output: str, sources: Iterable[str]) -> None:
    from fnmatch import fnmatchcase

    for source in filter(is_url, sources):
        if (output.rstrip("/") + "/").startswith(source.rstrip("/") + "/") or fnmatchcase(output, source):
            problem, remedy = "is among the documents", "write the result to another place"
            raise DocumentError(shown_url(output), "file", problem, remedy)


def url_of(name: str, paths: Sequence[str]) -> str:
    """Return the URL of a document in the one folder that was named, if that was a URL; else its name.

    >>> url_of("a.txt", ["s3://bucket/essays/"]), url_of("a.txt", ["essays"]), url_of("hf://a/b.txt", ["hf://a/b.txt"])
    ('s3://bucket/essays/a.txt', 'a.txt', 'hf://a/b.txt')
    """
    if len(paths) != 1 or not is_url(paths[0]) or is_url(name) or any(one in paths[0] for one in "*?["):
        return name
    return f"{shown_url(paths[0]).rstrip('/')}/{name}"
