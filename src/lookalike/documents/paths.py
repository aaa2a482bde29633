"""What a person names on a command line: files, folders, globs, URLs and standard input, as one source.

A reader is imported when a file asks for it: a scan of a Parquet file does not wait for those of text, CSV, frames and
URLs.
"""

from __future__ import annotations

import glob
import os
from collections import Counter
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, NamedTuple, cast

from lookalike.documents.document_batches import Log
from lookalike.documents.folder import FoundFile, Listing, Selection, shown, walk
from lookalike.documents.kinds import TABLES, Kind, Members, TextDocument, kind_of
from lookalike.documents.raw_input import LIMITS, Limits, RawInput, file_input, of_stdin
from lookalike.documents.source_parts import Part, PartsSource, named_by_path
from lookalike.documents.table import DocumentTable, TablePart
from lookalike.documents.table_errors import empty_file
from lookalike.documents.text_file import check_encoding, similar_name
from lookalike.documents.wrapped_tables import (
    PartitionedTable,
    columns_of_folders,
    folder_of,
    number_columns,
    with_paths,
)
from lookalike.errors import DocumentError, RecipeError
from lookalike.opening import STDIN, is_url, open_error, shown_url, url_remedy
from lookalike.tables.spelling import count
from lookalike.tables.spelling import size as shown_size

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lookalike.documents.document_source import Source
    from lookalike.documents.remote_files import RemoteCopies
    from lookalike.remote import RemoteFile

__all__ = ["PathOptions", "one_name", "open_paths", "source_of_paths"]


def open_paths(
    paths: Sequence[str | os.PathLike[str]],
    *,
    text: str | None = None,
    id: str | None = None,  # noqa: A002 - the name that it has everywhere
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    encoding: str = "auto",
    hidden: bool = False,
    limits: Limits | None = None,
    text_column: str | None = None,
    id_column: str | None = None,
    alone: bool = True,
) -> Source:
    """Open folders, files, globs of files, URLs and ``-`` (standard input) as one source.

    * A folder is read with all folders in it, and each text file is a document; so is each pdf, docx, odt, pptx, epub,
      rtf, html, eml, Markdown, LaTeX and notebook file, of which the text is taken.
    * Zip and tar files are read like folders; a member has an id like ``essays.zip/anna/essay.docx``.
    * ``.parquet``, ``.arrow``, ``.feather``, ``.jsonl``, ``.json``, ``.csv`` and ``.tsv`` files that are named directly
      give a document for each row.
    * Any other file that is named directly is one document.
    * ``s3://``, ``gs://``, ``hf://`` and ``https://`` URLs are remote files and folders, with the extra ``remote``.

    `text` and `id` name the columns of tables; ``doc.text`` is the field ``text`` inside the column ``doc``. An id of
    ``""`` numbers the rows. (`text_column` and `id_column` are their older names.)

    `include` and `exclude` are globs on the path inside a folder; `hidden` also reads what begins with a dot. `limits`
    say how large a document may be, and how far a compressed file may expand. What has no effect on these paths is an
    error, unless others are read with the same options (not `alone`).
    """
    text, own_id = one_name("text", text, text_column), one_name("id", id, id_column)
    options = PathOptions(text, own_id, tuple(include), tuple(exclude), encoding, hidden, limits or LIMITS, alone)
    return source_of_paths(paths, options)


def one_name(name: str, given: str | None, older: str | None) -> str | None:
    """Return the name of a column, which may be given under the older name of the argument."""
    if given is not None and older is not None:
        raise RecipeError(name, given, f"given once: {name}_column is its older name")
    return older if given is None else given


# -- files, folders, globs, URLs and standard input --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PathOptions:
    """How paths are read; see `open_paths`."""

    text_column: str | None = None
    id_column: str | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    encoding: str = "auto"
    hidden: bool = False
    limits: Limits = LIMITS
    alone: bool = True
    """Whether these are all the paths that the options are for, so that each must have an effect."""


class _Item(NamedTuple):
    """One file to read, under the name that it has alone, and the one that it has among others."""

    name: str
    full_name: str
    path: str | None
    kind: Kind
    size: int = -1
    """In bytes, if known from a folder: then it is a plain file."""
    folder: str = ""
    """The folders that give columns to a table, as ``year=2024``."""
    remote: RemoteFile | None = None
    """What has to be copied first, for a URL; `path` is the copy."""


def source_of_paths(paths: Sequence[str | os.PathLike[str]], options: PathOptions) -> Source:
    """Find all files, give each a unique name, and combine them in the order given."""
    check_encoding(options.encoding)
    if isinstance(paths, str | os.PathLike):
        paths = [paths]
    given = [os.fspath(path) for path in paths]
    if not given:
        raise DocumentError("", "paths", "are missing", "give a folder or a file")
    log = Log()
    items: list[_Item] = []
    expanded = _expanded(given)
    for path in expanded:
        items += _items(path, options, log)
    if len(expanded) > 1:
        items = _once(items, log)
    items, copies = _copied(items, log)
    names = [item.name for item in items]
    if len(set(names)) < len(names):
        items = [item._replace(name=item.full_name) for item in items]
    name = shown(shown_url(given[0])) if len(given) == 1 else f"{len(given)} paths"
    full_names = {item.name: item.full_name for item in items if item.kind.is_table}
    with named_by_path(full_names):
        parts = _parts(items, options)
    if options.alone and parts:
        _check_effects(name, expanded, parts, options)
    return PartsSource(name, parts, log, copies, full_names)


def _check_effects(name: str, paths: Iterable[str], parts: Iterable[Part], options: PathOptions) -> None:
    """Refuse options that do nothing here: columns where no table is read, a choice of files where each is named."""
    columns = {"text": options.text_column, "id": options.id_column}
    if any(columns.values()) and not any(part.is_table for part in parts):
        what, column = next((what, column) for what, column in columns.items() if column)
        problem = f"does not exist: no table is read from {name}"
        raise DocumentError(None, f"column {column!r}", problem, f"leave out --{what}-column (in Python: {what}=)")
    chosen = {"include": options.include, "exclude": options.exclude, "hidden": options.hidden}
    if any(chosen.values()) and not any(
        is_url(path) or Path(path).is_dir() or kind_of(path).holds_others for path in paths
    ):
        option = next(option for option, given in chosen.items() if given)
        problem = f"has no effect on files that are named one by one, such as {name}"
        raise DocumentError(None, f"--{option}", problem, "leave it out, or name a folder")


def _expanded(paths: Iterable[str]) -> list[str]:
    """Replace each glob by the paths that it matches, unless a file has exactly that name."""
    found: list[str] = []
    for path in paths:
        if is_url(path):
            from lookalike.documents.remote_files import expanded

            found += expanded(path)
            continue
        if path == "-" or not glob.has_magic(path) or os.path.lexists(path):
            found.append(path)
            continue
        matched = sorted(glob.glob(path, recursive=True))  # noqa: PTH207 - the pattern may be absolute
        if not matched:
            raise DocumentError(shown(path), "file", "matches nothing", "check the name")
        found += matched
    return found


def _items(path: str, options: PathOptions, log: Log) -> list[_Item]:
    if path == "-":
        return [_Item(STDIN, STDIN, None, Kind("stdin"))]
    if is_url(path):
        return _remote_items(path, options, log)
    name = shown(PurePath(path).as_posix()) if path else "''"
    try:
        status = Path(path).stat() if path else None
    except FileNotFoundError:
        from lookalike.text.excluded import KINDS  # no folder or file needs it

        if path in KINDS:
            remedy = f"for the option --skip, write --skip {','.join(KINDS)}"
        else:
            remedy = url_remedy(path) or similar_name(Path(path)) or "check the name"
        as_given = shown(path) if "://" in path else name  # a path has no two slashes in a row
        raise DocumentError(as_given, "file", "does not exist", remedy) from None
    except (OSError, ValueError) as error:  # ValueError: a NUL character in the name
        raise open_error(name, error if isinstance(error, OSError) else OSError(str(error))) from None
    if status is None:
        raise DocumentError(name, "file", "is not the name of a file", "check the name")
    if Path(path).is_dir():
        return _folder_items(path, name, options, log)
    kind = kind_of(path)
    if kind.format == "office":
        log.skip(name, "not text", kind.office)
        return []
    if not status.st_size and Path(path).is_file():
        log.skipped.append(empty_file(name, is_table=kind.is_table))
        return []
    return [_Item(name, name, path, kind)]


def _folder_items(path: str, name: str, options: PathOptions, log: Log) -> list[_Item]:
    return _listed_items(walk(path, _selection(options), log), name, log)


def _selection(options: PathOptions) -> Selection:
    return Selection(options.include, options.exclude, options.hidden)


def _listed_items(listing: Listing, name: str, log: Log) -> list[_Item]:
    found = listing.texts or _shards(listing, name, log)
    if found is listing.texts:
        for table in listing.tables:
            log.skip(table.id, "table", "name it directly to read its rows")
    prefix = "" if name == "." else name.rstrip("/") + "/"
    folders = [folder_of(file.id) if file.kind.is_table else "" for file in found]
    if columns := columns_of_folders(folders):
        log.note(f"{name}: columns from folder names: {', '.join(map(repr, columns))}")
    return [
        _Item(file.id, prefix + file.id, file.path, file.kind, file.size, folder)
        for file, folder in zip(found, folders, strict=True)
    ]


def _remote_items(url: str, options: PathOptions, log: Log) -> list[_Item]:
    """Return the file that a URL names, or the files of a folder; nothing is copied yet."""
    from lookalike.documents.remote_files import listing_of, look

    name = shown(shown_url(url))
    file = look(url)
    if file is None:
        listing, files = listing_of(url, _selection(options), log)
        return [item._replace(remote=files[str(item.path)]) for item in _listed_items(listing, name, log)]
    kind = kind_of(name)
    if kind.format == "office":
        log.skip(name, "not text", kind.office)
        return []
    if file.size == 0:
        log.skipped.append(empty_file(name, is_table=kind.is_table))
        return []
    return [_Item(name, name, url, kind, remote=file)]


def _copied(items: list[_Item], log: Log) -> tuple[list[_Item], RemoteCopies | None]:
    """Copy what is remote; the copies last as long as what is returned with them."""
    remote = [item.remote for item in items if item.remote is not None]
    if not remote:
        return items, None
    from lookalike.documents.remote_files import copied

    copies, paths = copied(remote)
    places = iter(paths)
    size = sum(Path(path).stat().st_size for path in paths)
    log.note(f"{count(len(paths), 'remote file')} copied, {shown_size(size)}")
    return _told_apart([item if item.remote is None else item._replace(path=next(places)) for item in items]), copies


def _told_apart(items: list[_Item]) -> list[_Item]:
    """Number web pages that differ only in their queries, which are not shown: no two documents may have one name."""
    seen: Counter[str] = Counter()
    kept: list[_Item] = []
    for item in items:
        seen[item.full_name] += 1
        more = f"#{seen[item.full_name]}" if item.remote is not None and seen[item.full_name] > 1 else ""
        kept.append(item._replace(name=item.name + more, full_name=item.full_name + more))
    return kept


def _shards(listing: Listing, name: str, log: Log) -> list[FoundFile]:
    """Return the tables of a folder that has only tables of one kind: they are parts of one table."""
    if len({table.kind.format for table in listing.tables}) != 1:
        return listing.texts
    tables = count(len(listing.tables), f"{listing.tables[0].kind.format} file")
    log.note(f"{name} has {tables} and no texts: read as one table")
    return listing.tables


def _once(items: list[_Item], log: Log) -> list[_Item]:
    """Keep each file once, also if it was named twice or is in a folder that was named too."""
    kept: list[_Item] = []
    seen: set[str] = set()
    for item in items:
        key = STDIN if item.path is None else str(Path(item.path).absolute())
        if item.remote is not None:
            key = item.remote.url
        if key in seen:
            log.skip(item.full_name, "given twice", "it is read once")
        else:
            seen.add(key)
            kept.append(item)
    return kept


def _parts(items: Sequence[_Item], options: PathOptions) -> list[Part]:
    """Open items: runs of texts together, each table by itself."""
    parts: list[Part] = []
    texts: list[TextDocument] = []
    numbers = number_columns(item.folder for item in items)
    members = Members(options.include, options.exclude, options.hidden)
    for item in items:
        source = _input(item, options.limits)
        kind = item.kind if item.path is not None else _kind_of_stdin(source)
        if kind.is_table:
            if texts:
                parts.append(_text_files(texts, options, members))
                texts = []
            table = with_paths(_open_table(item, kind, source, options), options.text_column, options.id_column)
            if item.folder:
                table = PartitionedTable(table, item.folder, numbers)
            parts.append(TablePart(table, options.text_column, options.id_column))
        else:
            texts.append(TextDocument(item.name, source, item.size if item.size >= 0 else source.size(), kind))
    if texts:
        parts.append(_text_files(texts, options, members))
    return parts


def _text_files(texts: list[TextDocument], options: PathOptions, members: Members) -> Part:
    from lookalike.documents.file_documents import TextFiles

    return TextFiles(texts[0].id, texts, options.encoding, members)


def _input(item: _Item, limits: Limits) -> RawInput:
    if item.path is None:
        return of_stdin(limits)
    if item.size >= 0:
        return RawInput(item.name, item.path, item.kind.compression, limits=limits)
    return file_input(Path(item.path), item.name, item.kind.compression, limits)


def _kind_of_stdin(source: RawInput) -> Kind:
    """Take what begins with a brace for JSON Lines, and all else for one text."""
    with source.open() as stream:
        while block := stream.read(1 << 16):
            if start := block.removeprefix(b"\xef\xbb\xbf").lstrip():
                return Kind("jsonl" if start.startswith(b"{") else "text")
    return Kind("text")


def _open_table(item: _Item, kind: Kind, source: RawInput, options: PathOptions) -> DocumentTable:
    module, _, function = TABLES[kind.format].reader.partition(".")
    opener = getattr(import_module(f"lookalike.documents.{module}"), function)
    return cast("DocumentTable", opener(item.name, source, options.encoding))
