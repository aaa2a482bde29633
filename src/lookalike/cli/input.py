"""What is read: the options that say which documents, `--against`, and notes on what was read or skipped."""

from __future__ import annotations

import os
from collections import Counter
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from lookalike.cli.messages import complain
from lookalike.cli.options import flag, makes, option, several, size, typed, whole_number
from lookalike.documents.document_batches import NO_WORDS, skipped_words, unread, unread_first
from lookalike.errors import DocumentError, MismatchError, RecipeError, StoreError
from lookalike.opening import SERVERS
from lookalike.recipe import Recipe
from lookalike.tables.spelling import count

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from lookalike.documents import Flag, Limits, Skipped, Source
    from lookalike.index.contract import Store
    from lookalike.result import Result

__all__ = [
    "PathsArgument",
    "Reading",
    "check_read",
    "is_index",
    "limits_of",
    "nothing_read",
    "old_documents",
    "open_index",
    "opened",
    "say_flags",
    "say_notes",
    "say_skipped",
    "say_skipped_names",
    "skipped_lines",
    "with_limits",
    "with_reading",
    "without_password",
]


_SQLITE: Final = b"SQLite format 3\0"
_APPLICATION: Final = slice(68, 72)
"""Where the header of a file says whose it is."""


def old_documents(against: Sequence[str], recipe: Recipe, reading: Reading, memory: int | None) -> Source | None:
    """Open what new documents are compared with."""
    if not against:
        return None
    if not any(map(is_index, against)):
        return reading.open(against, memory, alone=False)
    if len(against) > 1:
        shown = " ".join(map(without_password, against))
        raise RecipeError("--against", shown, "given once if it is an index", "add the other documents to the index")
    from lookalike.index.index_documents import IndexSource

    store = open_index(against[0])
    if store.settings.keep != "text":
        problem, remedy = "keeps no texts to compare with", "use lookalike check, or build it with --keep text"
        raise StoreError(store.name, problem, remedy)
    _check_recipe(store.settings.recipe, recipe, store.name, secret=store.settings.secret)
    return IndexSource(store)


def _check_recipe(own: Recipe, recipe: Recipe, name: str, *, secret: bool) -> None:
    """Refuse another recipe than that of the index, and say which options make it."""
    if secret:
        own = own.replace(seed=recipe.seed)
    if differ := own.differences(recipe):
        wanted = " ".join(typed(own, Recipe())) or "no options of the recipe"
        raise MismatchError(name, f"this scan (give it {wanted})", differ)


def is_index(path: str) -> bool:
    """Tell whether a path is an index: the address of a server, or a file whose header says so."""
    if path.startswith(tuple(SERVERS)):
        return True
    header = b""
    with suppress(OSError, ValueError):
        if Path(path).is_file():
            with Path(path).open("rb") as file:
                header = file.read(_APPLICATION.stop)
    if not header.startswith(_SQLITE):
        return False
    from lookalike.index.sqlite_schema import APPLICATION

    return int.from_bytes(header[_APPLICATION], "big") == APPLICATION


def refuse_servers(paths: Iterable[str]) -> None:
    """Refuse the address of a server where documents are expected: a message about a file would show its password."""
    for path in paths:
        if path.startswith(tuple(SERVERS)):
            remedy = "give it with --against, or to lookalike check with --index"
            raise DocumentError(without_password(path), "file", "is an index, not a document", remedy)


def without_password(path: str | os.PathLike[str]) -> str:
    """Return a path as it may be shown and saved: the address of a server without a user, a password or options.

    >>> without_password("postgresql://me:secret@host/db?password=secret#essays"), without_password("old/")
    ('postgresql://host/db#essays', 'old/')
    """
    name = os.fspath(path)
    if not name.startswith(tuple(SERVERS)):
        return name
    from lookalike.index.store_opening import server_store

    return server_store(name).shown_name(name)


def open_index(where: str) -> Store:
    """Open an index that is there; what that takes is loaded now."""
    from lookalike.index.store_opening import open_existing

    return open_existing(where)


@contextmanager
def opened(where: str) -> Iterator[Store]:
    """Open an index that is there."""
    store = open_index(where)
    try:
        yield store
    finally:
        store.close()


PathsArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="PATH",
        help="Folders, documents, zip or tar files, tables (Parquet, Arrow, JSONL, CSV), URLs, or - for stdin.",
        show_default=False,
    ),
]

_PANEL: Final = "Reading"
_MOST_FLAGGED: Final = 5
_READING: Final[dict[str, tuple[Any, Any]]] = {
    "text_column": option(
        "--text-column",
        panel=_PANEL,
        metavar="NAME",
        help="Column with the text; doc.text is a field inside doc.",
    ),
    "id_column": option("--id-column", panel=_PANEL, metavar="NAME", help="Column with the id."),
    "include": several(
        "--include", panel=_PANEL, metavar="GLOB", help="Read only matching files, such as '*.txt'; repeatable."
    ),
    "exclude": several("--exclude", panel=_PANEL, metavar="GLOB", help="Skip matching files; repeatable."),
    "encoding": option("--encoding", panel=_PANEL, metavar="NAME", help="Text encoding (default: auto-detect)."),
    "hidden": flag("--hidden", panel=_PANEL, help="Also read files and folders that begin with a dot."),
}
_LIMITS: Final[dict[str, tuple[Any, Any]]] = {
    "max_document": option(
        "--max-document", panel=_PANEL, metavar="SIZE", help="Skip documents larger than this (default: 16MiB)."
    ),
    "max_expansion": option(
        "--max-expansion",
        panel=_PANEL,
        metavar="N",
        help="Refuse files that expand to more than 256 MiB and to more than N times their size (default: 200).",
    ),
}


@dataclass(frozen=True)
class Reading:
    """How paths become documents."""

    text_column: str | None = None
    id_column: str | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    encoding: str = "auto"
    hidden: bool = False
    max_document: int | None = None
    max_expansion: int | None = None

    def open(self, paths: Sequence[str], memory: int | None = None, *, alone: bool = True) -> Source:
        """Open the paths as one source, of which no document takes more than `memory`.

        An option that has no effect on them is an error if they are `alone`: nothing else is read with it.
        """
        from lookalike.documents import open_paths

        refuse_servers(paths)
        return open_paths(
            paths,
            text_column=self.text_column,
            id_column=self.id_column,
            include=self.include,
            exclude=self.exclude,
            encoding=self.encoding,
            hidden=self.hidden,
            limits=limits_of(self.max_document, self.max_expansion).within(memory),
            alone=alone,
        )


def limits_of(max_document: int | None, max_expansion: int | None) -> Limits:
    """Return the limits of reading, those that were not given as usual."""
    from lookalike.documents import LIMITS, Limits

    return Limits(max_document or LIMITS.document, max_expansion or LIMITS.expansion)


def _limits(given: dict[str, Any]) -> dict[str, int | None]:
    document, expansion = given["max_document"], given["max_expansion"]
    return {
        "max_document": None if document is None else size("--max-document", document),
        "max_expansion": None if expansion is None else whole_number("--max-expansion", expansion, least=1),
    }


with_limits = makes("limits", _LIMITS, lambda given: limits_of(**_limits(given)))
"""Give a command that takes `limits` the options that make them."""


def _make_reading(given: dict[str, Any]) -> Reading:
    return Reading(
        text_column=given["text_column"],
        id_column=given["id_column"],
        include=tuple(given["include"] or ()),
        exclude=tuple(given["exclude"] or ()),
        encoding=given["encoding"] or "auto",
        hidden=bool(given["hidden"]),
        **_limits(given),
    )


with_reading = makes("reading", _READING | _LIMITS, _make_reading)
"""Give a command that takes a `reading` the options that make one."""


def check_read(reading: Reading, what: str, *, reads: bool) -> None:
    """Refuse options of reading where nothing is read: `what` is missing."""
    given = [] if reads else list(typed(reading, Reading()))
    if given:
        raise RecipeError(given[0], True, f"given with {what}")


def say_flags(flags: Mapping[str, Sequence[Flag]]) -> None:
    """Tell what is odd about documents; of many, how many they are."""
    if len(flags) <= _MOST_FLAGGED:
        say_notes(f"{name} has {flag.kind}: {flag.detail}" for name, found in flags.items() for flag in found)
        return
    kinds = Counter(flag.kind for found in flags.values() for flag in found)
    listed = ", ".join(f"{kind} in {count(number, 'document')}" for kind, number in kinds.most_common())
    say_notes([f"{listed}; --format json names them"])


def say_notes(notes: Iterable[str]) -> None:
    """Tell on standard error what was decided while reading, such as the encoding of a file."""
    for note in notes:
        complain(f"note: {note}")


def nothing_read(name: str, skipped: Iterable[Skipped]) -> DocumentError:
    """Say that a collection has no document, and what to do about it."""
    listed = list(skipped)
    remedy = "it is empty"
    if listed:
        first = (unread(listed) or listed)[0]  # rather than what was skipped on purpose
        why = first.detail or first.reason
        remedy = why if first.id == name else f"{first.id}: {why}"
    if len(listed) > 1:
        remedy += f"; lookalike files lists all {len(listed):,}"
    return DocumentError(name, "file", "contains no readable document", remedy)


def say_skipped(skipped: Sequence[Skipped]) -> None:
    """Tell how many were skipped, and why, where no closing line does."""
    if said := skipped_words(one for one in skipped if one.reason != NO_WORDS):
        complain(f"note: {said}; lookalike files shows which, and why")
    if wordless := sum(one.reason == NO_WORDS for one in skipped):
        complain(f"note: {count(wordless, 'document')} without words, compared with nothing")


LISTED: Final = 10
"""Things that are listed for each reason; more would hide what else is said."""
_SKIPPED_NAMES: Final = 10
_SKIPPED_ROWS: Final = 3
"""How many names a line has at most; of more rows of tables than that, only the number is of use."""
_UNNAMED: Final = frozenset({"hidden", "ignored", "excluded", "receipt"})
"""Reasons of what nobody would miss."""


def say_skipped_names(result: Result, skipped: Sequence[Skipped], *, has_verbose: bool = True) -> bool:
    """Name what was skipped and may be missed, such as a student's essay; return whether there was anything to name.

    `has_verbose` says that the command has the option -v, which names more of them.
    """
    files = result.source is not None and result.source.has_files
    named = [one for one in unread_first(skipped) if one.reason not in (*_UNNAMED, NO_WORDS)]
    wordless = [one.id for one in skipped if one.reason == NO_WORDS]
    if not (named or wordless) or (not files and len(skipped) > _SKIPPED_ROWS):
        return False
    if wordless:  # which are documents
        etc = ", …" if len(wordless) > _SKIPPED_ROWS else ""
        complain(f"note: {len(wordless):,} without words: {', '.join(wordless[:_SKIPPED_ROWS])}{etc}")
    if not named:
        return True
    names = _with_students(result, [one.id for one in named[:_SKIPPED_NAMES]])
    listed = ", ".join(f"{name} ({one.reason})" for name, one in zip(names, named, strict=False))
    left = len(named) - len(names)
    in_detail = has_verbose and max(Counter(one.reason for one in named).values()) <= LISTED
    lists = "-v names them" if in_detail else "lookalike files PATH --top 0 lists all"
    more = f", and {left:,} more; {lists}" if left else ""
    complain(f"note: {len(named):,} skipped: {listed}{more}")
    return True


def _with_students(result: Result, names: Sequence[str]) -> list[str]:
    """Return what files are called, with their students in an export of a learning platform, as the result has them."""
    if not result.platforms or result.source is None:
        return list(names)
    from lookalike.documents.lms import ONLINE_TEXT, recognise

    export = recognise([*names, *result.id_of], students=result.source.students(), certain=True)
    known = {} if export is None else export.metadata
    called = list(names)
    for place, name in enumerate(names):
        if place in known:
            student, file = known[place].author, known[place].file
            called[place] = student if file == ONLINE_TEXT else f"{student}: {file or name}"
    return called


def skipped_lines(skipped: Iterable[Skipped]) -> Iterator[str]:
    """Give a line for each of the first things that were not read for a reason, and their number if they are more.

    >>> from lookalike.documents import Skipped
    >>> list(skipped_lines([Skipped(f"row {n}", "null text") for n in range(78)]))[-2:]
    ['skipped: row 9: null text', 'skipped: 68 more (null text); lookalike files PATH --top 0 lists all']
    """
    by_reason: dict[str, list[Skipped]] = {}
    for one in unread_first(skipped):
        by_reason.setdefault(one.reason, []).append(one)
    for reason, those in by_reason.items():
        yield from (f"skipped: {one.id}: {one.detail or reason}" for one in those[:LISTED])
        if len(those) > LISTED:
            yield f"skipped: {len(those) - LISTED:,} more ({reason}); lookalike files PATH --top 0 lists all"
