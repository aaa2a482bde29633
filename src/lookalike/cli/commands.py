"""The command `lookalike`: its help, its version, and its commands by name.

Each command is loaded when it is run, so that no command waits for the others. A new command is a line in `COMMANDS`
and a file of its own with a function of that name and a text `HELP`. A command with commands of its own, such as
`experiment run`, has a list of them as well, `SUBCOMMANDS`; each is a function of both names together,
`experiment_run`, in a file of that name or in the one that `MODULES` gives. Its own function is called before them, or
without any.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, MutableMapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from lookalike.cli.messages import print_version

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["COMMANDS", "AllCommands", "Command", "Commands", "Group", "app", "examples", "with_default"]


OPTIONAL_VALUE: Final = {"--audit": "--audit=default"}
"""Options whose value may be left out, and what they mean without it."""


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


class Command(TyperCommand):
    """A command whose options stand in sections, as their `rich_help_panel` says."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the command line; Typer has no options whose value may be left out, so those get theirs here."""
        _take_as_given(self.get_params(ctx))
        end = args.index("--") if "--" in args else len(args)
        return super().parse_args(ctx, [OPTIONAL_VALUE.get(arg, arg) for arg in args[:end]] + args[end:])

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the parts of the usage line, without the braces that some versions of Typer put around arguments."""
        return [re.sub(r"^\{(.*)\}", r"\1", piece) for piece in super().collect_usage_pieces(ctx)]

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


class Group(TyperGroup):
    """The list of commands, before the options: it is what people look for."""

    summaries: Mapping[str, str]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the command line."""
        _take_as_given(self.get_params(ctx))
        return super().parse_args(ctx, args)

    def take(self, commands: Commands) -> None:
        """Have these commands."""
        self.commands = commands
        self.summaries = commands.summaries

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 — Click's signature
        """Give the names in the order of the list."""
        return list(self.commands)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the commands, then the options."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.summaries.items()))
        records = [record for parameter in self.get_params(ctx) if (record := parameter.get_help_record(ctx))]
        with formatter.section("Options"):
            formatter.write_dl(records)


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
        self, summaries: Mapping[str, str] | None = None, above: str = "", modules: Mapping[str, str] | None = None
    ) -> None:
        """Start with nothing loaded; `above` is the command that these belong to, `modules` says where they are."""
        self.summaries = COMMANDS if summaries is None else summaries
        self._modules = modules or {}
        self._above = above
        self._loaded: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        """Return the command, loading it now if need be."""
        if name not in self._loaded:
            if name not in self.summaries:
                raise KeyError(name)
            full_name = f"{self._above}_{name}" if self._above else name
            self._loaded[name] = _load(name, full_name, self._modules.get(name, full_name))
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
    function = getattr(module, full_name)
    subcommands = getattr(module, "SUBCOMMANDS", None) if file == full_name else None
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


_HELP = examples(
    "Finds documents that look alike: which ones, how alike they are, and what they share.",
    "lookalike essays/ --preset essays            who shares passages with whom",
    "lookalike advise corpus.parquet              which preset suits it, and why",
    "lookalike scan corpus.parquet --format json  for programs",
    "lookalike compare essay.txt source.txt       how alike, and what they share",
    "lookalike dedupe corpus.parquet -o kept.parquet --plan plan.csv",
    "lookalike check new.txt --index class.db     which stored texts it is like",
    "lookalike explain recall                     what a word means",
    "lookalike demo                               a first look",
    last="lookalike COMMAND --help tells more of a command. lookalike PATH is lookalike scan PATH.",
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
