"""One document by its path: a text, anything that has a reader, or a member of an archive."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Final

from lookalike.documents.document_batches import RefusedError
from lookalike.documents.extract.clean_text import unmasked
from lookalike.documents.extract.pool import extract
from lookalike.documents.kinds import Kind, archive_above, kind_of
from lookalike.documents.limits import LIMITS, Limits
from lookalike.documents.lms import receipt_of
from lookalike.documents.open import open_paths
from lookalike.documents.remote_files import copied, look
from lookalike.documents.text_file import READABLE, TextFile, read_text
from lookalike.errors import DocumentError
from lookalike.opening import open_file
from lookalike.urls import is_url, shown_url

if TYPE_CHECKING:
    from lookalike.documents.document_source import Source

__all__ = ["read_document"]

_SHOWN: Final = 3


def read_document(path: str | os.PathLike[str], limits: Limits = LIMITS) -> TextFile:
    """Read one document, or standard input if `path` is ``-``; what cannot be read is a `DocumentError`.

    A member of an archive is named like ``essays.zip/anna/essay.docx``; an archive with one document, by itself.

    >>> read_document("no/such/essay.pdf")
    Traceback (most recent call last):
        ...
    lookalike.errors.DocumentError: document 'no/such/essay.pdf': file does not exist; check the name
    """
    name = os.fspath(path)
    if is_url(name):
        return _remote(name, limits)
    file = Path(name)
    if name in ("", "-") or "\0" in name:
        return read_text(name, limits)
    if not file.is_file():
        archive = archive_above(file)
        return read_text(name, limits) if archive is None else _member(archive, PurePath(name).as_posix(), limits)
    kind = kind_of(name)
    if kind.is_archive:
        return _only_member(name, limits)
    if kind.format == "office":
        raise DocumentError(name, "file", "is not read", kind.office)
    if kind.is_document or (kind.compression and not kind.is_table) or _has_reader(file):
        return _extracted(name, kind, limits)
    text = read_text(name, limits)
    if (receipt := receipt_of(name, text.text)) is not None and receipt.text:
        text = replace(text, text=receipt.text)
    if text.text.isascii():
        return text
    seen, flags = unmasked(text.text)
    return TextFile(text.name, seen, text.encoding, text.guessed, flags)


def _remote(url: str, limits: Limits) -> TextFile:
    """Read a copy of a remote document, and call it by its URL."""
    file = look(url)
    name = shown_url(url)
    if file is None:
        raise DocumentError(name, "file", "is a folder", "give the URL of a file")
    copies, (copy,) = copied([file])
    try:
        found = read_document(copy, limits)
    except DocumentError as error:
        raise DocumentError(name, error.field, error.problem, error.remedy) from None
    del copies  # it was needed until here
    return replace(found, name=name if found.name == copy else found.name.replace(copy, name, 1))


def _has_reader(file: Path) -> bool:
    try:
        with open_file(file) as stream:
            return stream.read(16).startswith(READABLE)
    except OSError:
        return False  # `read_text` says why


def _extracted(name: str, kind: Kind, limits: Limits) -> TextFile:
    try:
        found = extract(name, kind, limits=limits)
    except RefusedError as refused:
        raise DocumentError(name, "file", f"cannot be read ({refused.reason})", refused.detail) from None
    return TextFile(name, found.text, found.encoding or "UTF-8", found.guessed, found.flags)


def _member(archive: Path, name: str, limits: Limits) -> TextFile:
    source = open_paths([archive], limits=limits)
    for found, text in _texts(source):
        if found == name:
            return TextFile(name, text, "UTF-8", flags=tuple(source.flags().get(name, ())))
    for skipped in source.skipped():
        if skipped.id == name:
            raise DocumentError(name, "file", f"cannot be read ({skipped.reason})", skipped.detail)
    raise DocumentError(name, "file", "is not in the archive", f"lookalike files {archive} lists what is")


def _only_member(name: str, limits: Limits) -> TextFile:
    source = open_paths([name], limits=limits)
    found = list(_texts(source))
    if len(found) != 1:
        problem = f"is an archive of {len(found)} documents" if found else "is an archive without any document"
        names = ", ".join(member for member, _ in found[:_SHOWN])
        raise DocumentError(name, "file", problem, f"name one of them, such as {names}" if found else "check it")
    member, text = found[0]
    return TextFile(member, text, "UTF-8", flags=tuple(source.flags().get(member, ())))


def _texts(source: Source) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for batch in source.batches():
        pairs += zip(map(str, batch.ids), batch.texts, strict=True)
    return pairs
