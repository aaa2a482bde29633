"""The options that say which documents are read: the same on every command that reads a collection."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from lookalike.cli.against import refuse_servers
from lookalike.cli.messages import complain
from lookalike.cli.options import flag, makes, option, several
from lookalike.cli.values import size, whole_number
from lookalike.tables.wording import count

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lookalike.documents import Flag, Limits, Source

__all__ = ["PathsArgument", "Reading", "limits_of", "say_flags", "say_notes", "with_limits", "with_reading"]

PathsArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="PATH",
        help="Folders, documents, zip or tar files, tables (Parquet, Arrow, JSONL, CSV), URLs, - for standard input.",
        show_default=False,
    ),
]

_PANEL: Final = "Reading"
_MOST_FLAGGED: Final = 5
_OPTIONS: Final[dict[str, tuple[Any, Any]]] = {
    "text_column": option(
        "--text-column",
        panel=_PANEL,
        metavar="NAME",
        help="The column of a table with the text; doc.text is a field inside doc.",
    ),
    "id_column": option("--id-column", panel=_PANEL, metavar="NAME", help="The column with the id."),
    "include": several("--include", panel=_PANEL, metavar="GLOB", help="Read only such files, as '*.txt'; repeatable."),
    "exclude": several("--exclude", panel=_PANEL, metavar="GLOB", help="Leave such files out; repeatable."),
    "encoding": option("--encoding", panel=_PANEL, metavar="NAME", help="Of the texts; default: found out by itself."),
    "hidden": flag("--hidden", panel=_PANEL, help="Read files and folders that begin with a dot too."),
}
_LIMITS: Final[dict[str, tuple[Any, Any]]] = {
    "max_document": option(
        "--max-document", panel=_PANEL, metavar="SIZE", help="Skip documents larger than this; default 16MiB."
    ),
    "max_expansion": option(
        "--max-expansion",
        panel=_PANEL,
        metavar="N",
        help="Refuse files that expand to more than 256 MiB and to more than N times their size; default 200.",
    ),
}


@dataclass(frozen=True, slots=True)
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

    def open(self, paths: Sequence[str], memory: int | None = None) -> Source:
        """Open the paths as one source, of which no document takes more than `memory`."""
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


def _make(given: dict[str, Any]) -> Reading:
    return Reading(
        text_column=given["text_column"],
        id_column=given["id_column"],
        include=tuple(given["include"] or ()),
        exclude=tuple(given["exclude"] or ()),
        encoding=given["encoding"] or "auto",
        hidden=bool(given["hidden"]),
        **_limits(given),
    )


with_reading = makes("reading", _OPTIONS | _LIMITS, _make)
"""Give a command that takes a `reading` the options that make one."""


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
