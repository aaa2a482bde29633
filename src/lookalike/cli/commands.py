"""The command `lookalike`: its help, its version, and its commands by name.

Each command is loaded when it is run, so that no command waits for the others. A new command is a line in `COMMANDS`
and a function of that name in the file of that name, or in the one that `MODULES` gives; its help is the text `HELP`,
or `SIGN_HELP` and so on in a file with several commands. A command with commands of its own, such as `experiment run`,
has a list of them as well, `SUBCOMMANDS`; each is a function of both names together, `experiment_run`, in a file that
is found in the same way. Its own function is called before them, or without any.
"""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from lookalike.cli.messages import print_version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

__all__ = ["ALIASES", "COMMANDS", "Command", "app", "examples", "with_default"]


OPTIONAL_VALUE: Final = {"--audit": "--audit=default"}
"""Options whose value is optional, and what they mean without it."""


def examples(first: str, *commands: str, last: str = "") -> str:
    """Return a help text: one sentence, then the examples line by line, then what else there is to say."""
    # Typer (Click, underneath) leaves a paragraph that begins with \b as it is; it would wrap the others.
    listed = "\n".join(("\b", "Examples:", *(f"  {command}" for command in commands)))
    return "\n\n".join(filter(None, (first, listed, last)))


class _AsGiven:
    """What an option does with its value where nothing has to be converted."""

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:  # noqa: ARG002 — Typer's signature
        """Return the value; several make a list."""
        if param.multiple or param.nargs == -1:
            return list(value or ())
        return value


def _take_as_given(parameters: Iterable[Any]) -> None:
    """Keep Typer from asking pydantic what a text is: loading that takes longer than most commands do."""
    for parameter in parameters:
        kind = getattr(getattr(parameter, "type_descriptor", None), "annotation", None)
        if kind in (str, bool, list[str]) and getattr(parameter, "_runtime_param", ...) is None:
            parameter._runtime_param = _AsGiven()  # noqa: SLF001 — Typer has no door for it


@contextmanager
def _said_by(context: Any) -> Iterator[None]:
    """Have an error in the options say of which command they are; Typer forgets it where a value is missing."""
    try:
        yield
    except Exception as error:
        if hasattr(error, "format_message") and getattr(error, "ctx", None) is None:
            error.ctx = context  # type: ignore[attr-defined]
        raise


class Command(TyperCommand):
    """A command whose options are listed in sections, as their `rich_help_panel` says."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the command line; Typer has no options with an optional value, so those get theirs here."""
        _take_as_given(self.get_params(ctx))
        end = args.index("--") if "--" in args else len(args)
        with _said_by(ctx):
            return super().parse_args(ctx, [OPTIONAL_VALUE.get(arg, arg) for arg in args[:end]] + args[end:])

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, then the options section by section."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                own = "Arguments" if parameter.param_type_name == "argument" else "Options"
                record = (re.sub(r" <\S+>$", "", record[0]), record[1])  # the type, which is for programmers
                sections.setdefault(getattr(parameter, "rich_help_panel", None) or own, []).append(record)
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


class CommandGroup(TyperGroup):
    """A command with commands of its own, each loaded when it is asked for; the help lists them before the options."""

    def wait_for(self, summaries: Mapping[str, str], load: Callable[[str], Any]) -> None:
        """Have these commands, which `load` makes by name."""
        self._summaries, self._load = summaries, load
        self.commands: dict[str, Any] = dict.fromkeys(summaries)  # Typer suggests one of these for a misspelt name

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the command line."""
        _take_as_given(self.get_params(ctx))
        with _said_by(ctx):
            return super().parse_args(ctx, args)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 — Click's signature
        """Return the command, loading it now if need be."""
        if self.commands.get(cmd_name) is None and cmd_name in self._summaries:
            self.commands[cmd_name] = self._load(cmd_name)
        return self.commands.get(cmd_name)

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """Give the names in the order of the list."""
        return list(self._summaries)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the commands, then the options."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self._summaries.items()))
        records = [record for parameter in self.get_params(ctx) if (record := parameter.get_help_record(ctx))]
        with formatter.section("Options"):
            formatter.write_dl(records)


COMMANDS: Final = {
    "scan": "Find near-duplicate documents in a collection.",
    "compare": "Measure how similar two documents are, and show what they share.",
    "sources": "Show how much of one document is found in others, and where.",
    "report": "Write the report of a saved search: one HTML file to read, print and share.",
    "dedupe": "Keep one document of each cluster; write what is kept, and why.",
    "check": "Find the documents in an index that are similar to new ones.",
    "index": "Keep documents in an index, and query it with new ones.",
    "serve": "Serve an index: a web page for people, an HTTP API for programs.",
    "sign": "Write the signatures of a shard, to search it elsewhere with find.",
    "find": "Find near-duplicate documents across signed shards.",
    "advise": "Recommend a preset for a collection, and say why.",
    "estimate": "Estimate the memory and time of a scan before it runs.",
    "files": "List which files are read or skipped, and why.",
    "explain": "Explain a term, such as recall, in three sentences.",
    "experiment": "Reproduce the figures of the source reports, and check their claims.",
    "demo": "Try lookalike on a few short texts.",
    "doctor": "Show what is installed, and check that it works.",
    "completion": "Print the completion script for your shell.",
}
"""What each command does, in one line: the first sentence of its help."""

MODULES: Final = {
    **dict.fromkeys(("sign", "find"), "sign_and_find"),
    **dict.fromkeys(("files", "advise", "estimate"), "before_scan"),
    **dict.fromkeys(("explain", "demo", "doctor", "completion"), "about"),
    "sources": "compare",
    "report": "running",
    "serve": "index",
}
"""The file of each command that has none of its own."""

ALIASES: Final = {"plan": "estimate"}
"""Old names of commands, which still work and which no help shows."""

_DEFAULT: Final = "scan"


class AllCommands(CommandGroup):
    """The commands of `lookalike`."""

    def __init__(self, **settings: Any) -> None:
        """Take them from the list, where they wait to be loaded."""
        super().__init__(**settings)
        self.wait_for(COMMANDS, lambda name: _load(name, name, MODULES.get(name, name)))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command, also by an old name."""
        return super().get_command(ctx, ALIASES.get(cmd_name, cmd_name))


def _load(name: str, full_name: str, file: str) -> Any:
    module = import_module(f"lookalike.cli.{file}")
    text: str = getattr(module, f"{full_name.upper()}_HELP", None) or module.HELP
    function = getattr(module, full_name)
    alone = typer.Typer(name=name, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    if file != full_name or not hasattr(module, "SUBCOMMANDS"):
        alone.command(name, cls=Command, help=text)(function)
        return get_command(alone)
    alone.callback(cls=CommandGroup, help=text, invoke_without_command=True)(function)
    group, files = get_command(alone), getattr(module, "MODULES", {})
    if isinstance(group, CommandGroup):  # it is: this tells the type checker
        group.wait_for(
            module.SUBCOMMANDS,
            lambda below: _load(below, f"{full_name}_{below}", files.get(below, f"{full_name}_{below}")),
        )
    return group


def with_default(args: Sequence[str]) -> list[str]:
    """Return the command line with `scan` before it if it begins with a path: `lookalike essays/`.

    >>> with_default(["./essays", "-t", "0.5"]), with_default(["explain", "band"]), with_default(["compere"])
    (['scan', './essays', '-t', '0.5'], ['explain', 'band'], ['compere'])
    """
    if args and args[0] not in COMMANDS and args[0] not in ALIASES and _is_path(args[0]):
        return [_DEFAULT, *args]
    return list(args)


def _is_path(text: str) -> bool:
    if text == "-":
        return True
    if not text or text.startswith("-"):
        return False
    return os.sep in text or "/" in text or "." in text or Path(text).exists()


_HELP = examples(
    "Find near-duplicate documents: which ones, how similar they are, and what they share.",
    "lookalike essays/ --preset essays            who shares passages with whom",
    "lookalike advise corpus.parquet              which preset suits it, and why",
    "lookalike scan corpus.parquet --format json  for programs",
    "lookalike compare essay.txt source.txt       similarity, shared passages",
    "lookalike dedupe corpus.parquet -o kept.parquet --plan plan.csv",
    "lookalike check new.txt --index class.db     similar texts in an index",
    "lookalike explain recall                     what a term means",
    "lookalike demo                               a first look",
    last="lookalike COMMAND --help explains a command. lookalike PATH means lookalike scan PATH.",
)

app = typer.Typer(
    cls=AllCommands,
    help=_HELP,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print_version()
        raise typer.Exit


@app.callback(invoke_without_command=True)
def lookalike(
    context: typer.Context,
    _version: Annotated[
        bool,
        typer.Option("--version", "-V", callback=_show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    """Show the help if no command is given; the text of the help is _HELP."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
