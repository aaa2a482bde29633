"""How help looks: Typer's plain form, which needs no Rich and so appears at once, with a section for each panel."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from typer.core import TyperCommand, TyperGroup

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lookalike.cli.commands import Commands

__all__ = ["Command", "Group", "examples"]

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
