"""The commands by name. Each is loaded when it is run, so that no command waits for the others.

A new command is a line in `COMMANDS` and a file of its own with a function of that name and a text `HELP`. A command
with commands of its own, such as `experiment run`, has a list of them as well, `SUBCOMMANDS`; each is a function of
both names together, `experiment_run`, in a file of that name or in the one that `MODULES` gives. Its own function is
called before them, or without any.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, MutableMapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer
from typer.main import get_command

from lookalike.cli.help import Command, Group

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["COMMANDS", "AllCommands", "Commands", "with_default"]

COMMANDS: Final = {
    "scan": "Find the documents of a collection that look alike.",
    "compare": "Tell how alike two documents are, and what they share.",
    "sources": "Tell how much of one document is found in others, and where.",
    "report": "Write the report of a saved search: one HTML file to read, print and hand on.",
    "dedupe": "Keep one document of each group; write what is kept, and why.",
    "check": "Tell which documents of an index are like a new one.",
    "index": "Keep documents: add to them, and ask which are like a new one.",
    "serve": "Serve an index: a page for people, and an HTTP API for programs.",
    "sign": "Write the signatures of a shard, for find on another machine.",
    "find": "Find the documents of signed shards that look alike.",
    "advise": "Tell which preset suits a collection, and why.",
    "plan": "Tell what a scan would cost, before it runs.",
    "files": "List what would be read, and what not and why.",
    "explain": "Explain a word, such as recall, in three sentences.",
    "experiment": "Make the figures of the source reports anew, and judge what they say.",
    "demo": "Try lookalike on a few short texts.",
    "doctor": "Show what is installed, and check that it works.",
    "completion": "Print the script that completes commands in your shell.",
}
"""What each command does, in one line: the first sentence of its help."""

_DEFAULT: Final = "scan"


class Commands(MutableMapping[str, Any]):
    """Name → command; a command is loaded when it is asked for."""

    def __init__(
        self, summaries: Mapping[str, str] | None = None, above: str = "", files: Mapping[str, str] | None = None
    ) -> None:
        """Start with nothing loaded; `above` is the command that these belong to, `files` tells where they are."""
        self._files = files or {}
        self.summaries = COMMANDS if summaries is None else summaries
        self._above = above
        self._loaded: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        """Return the command, loading it now if need be."""
        if name not in self._loaded:
            if name not in self.summaries:
                raise KeyError(name)
            full_name = f"{self._above}_{name}" if self._above else name
            self._loaded[name] = _load(name, full_name, self._files.get(name, full_name))
        return self._loaded[name]

    def __setitem__(self, name: str, command: Any) -> None:
        """Add a command."""
        self._loaded[name] = command

    def __delitem__(self, name: str) -> None:
        """Remove a command that was added."""
        del self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        """Give the names, without loading anything."""
        return iter([*self.summaries, *(name for name in self._loaded if name not in self.summaries)])

    def __len__(self) -> int:
        """Return the number of commands."""
        return sum(1 for _ in self)


class AllCommands(Group):
    """The commands of `lookalike`."""

    def __init__(self, **settings: Any) -> None:
        """Take them from the list, where they wait to be loaded."""
        super().__init__(**settings)
        self.take(Commands())


def _load(name: str, full_name: str, file: str) -> Any:
    module = import_module(f"lookalike.cli.{file}")
    text: str = getattr(module, f"{full_name.upper()}_HELP", None) or module.HELP
    function, subcommands = getattr(module, full_name), getattr(module, "SUBCOMMANDS", None)
    alone = typer.Typer(name=name, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    if subcommands is None:
        alone.command(name, cls=Command, help=text)(function)
        return get_command(alone)
    alone.callback(cls=Group, help=text, invoke_without_command=True)(function)
    group = get_command(alone)
    if isinstance(group, Group):  # it is: this tells the type checker
        group.take(Commands(subcommands, full_name, getattr(module, "MODULES", None)))
    return group


def with_default(args: Sequence[str]) -> list[str]:
    """Return the command line with `scan` before it if it begins with a path: `lookalike essays/`.

    >>> with_default(["./essays", "-t", "0.5"]), with_default(["explain", "band"]), with_default(["compere"])
    (['scan', './essays', '-t', '0.5'], ['explain', 'band'], ['compere'])
    """
    if args and args[0] not in COMMANDS and _is_path(args[0]):
        return [_DEFAULT, *args]
    return list(args)


def _is_path(text: str) -> bool:
    if text == "-":
        return True
    if not text or text.startswith("-"):
        return False
    return os.sep in text or "/" in text or "." in text or Path(text).exists()
