"""`lookalike completion SHELL`: the script that completes commands, for shells that Typer does not detect."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from lookalike.cli.commands import examples
from lookalike.cli.options import completion as completion_of
from lookalike.cli.options import one_of
from lookalike.cli.output import send

__all__ = ["HELP", "Shell", "completion"]


class Shell(StrEnum):
    """The shells that there is a script for."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"
    POWERSHELL = "powershell"


HELP = examples(
    "Print the completion script for your shell.",
    "lookalike completion bash >> ~/.bashrc",
    "lookalike completion zsh > ~/.zfunc/_lookalike",
    "lookalike completion fish > ~/.config/fish/completions/lookalike.fish",
    last="lookalike --install-completion installs it for the current shell.",
)


def completion(
    shell: Annotated[
        str,
        typer.Argument(
            metavar="SHELL",
            help="bash, zsh, fish or powershell.",
            show_default=False,
            autocompletion=completion_of(*Shell),
        ),
    ],
) -> None:
    """Print the completion script of a shell."""
    from typer._completion_shared import get_completion_script

    chosen = one_of("SHELL", shell, Shell)
    script = get_completion_script(prog_name="lookalike", complete_var="_LOOKALIKE_COMPLETE", shell=chosen)
    send(script.rstrip("\n") + "\n", None)
