"""`lookalike scan PATH…`: the pairs and groups of a collection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli import FOUND, UNREADABLE
from lookalike.cli.help import examples
from lookalike.cli.output import Color, ColorOption, OutputOption, wants_color
from lookalike.cli.reading import PathsArgument, Reading, say_notes, with_reading
from lookalike.cli.recipe_options import with_recipe
from lookalike.cli.scan_output import Shown, chosen_format, show
from lookalike.cli.searching import Search, with_search
from lookalike.cli.values import share, whole_number
from lookalike.errors import DocumentError, RecipeError
from lookalike.recipe import Recipe  # noqa: TC001 — the signature is read at run time

if TYPE_CHECKING:
    from lookalike.result import Result

__all__ = ["HELP", "scan"]
