"""Options that several commands share are written once.

A command asks for one value, and a decorator puts the options that make it in its place:

    with_recipe = makes("recipe", OPTIONS, make_recipe)

    @with_recipe
    def compare(a: …, b: …, *, recipe: Recipe, top: …) -> None: …

The values pass as they were typed, and None is what was not given.
"""

from __future__ import annotations

import functools
import inspect
from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from lookalike.cli.values import completion

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from _typeshed import DataclassInstance

    Command = Callable[..., None]
    Option = tuple[Any, Any]

__all__ = ["flag", "makes", "option", "several", "typed"]

_SIZES: Final = ("max_document", "memory")
"""Numbers of bytes, which are typed with a unit."""


def option(
    *spelling: str,
    panel: str,
    help: str,  # noqa: A002 — as Typer calls it
    metavar: str | None = None,
    values: tuple[str, ...] = (),
    kind: Any = str | None,
) -> Option:
    """Return the type and the declaration of an option that takes a value; `values` are for completion."""
    declared = typer.Option(
        *spelling,
        metavar=metavar,
        help=help,
        rich_help_panel=panel,
        show_default=False,
        autocompletion=completion(*values) if values else None,
    )
    return kind, declared


def flag(*spelling: str, panel: str, help: str) -> Option:  # noqa: A002
    """Return the type and the declaration of an option that takes none."""
    return option(*spelling, panel=panel, help=help, kind=bool | None)


def several(*spelling: str, panel: str, metavar: str, help: str) -> Option:  # noqa: A002
    """Return the type and the declaration of an option that may be given more than once."""
    return option(*spelling, panel=panel, metavar=metavar, help=help, kind=list[str] | None)


def makes(
    name: str, options: Mapping[str, Option], make: Callable[[dict[str, Any]], object]
) -> Callable[[Command], Command]:
    """Return a decorator for commands that take `name`: they get the `options` instead, and `make` joins them.

    An option from which the command makes another value too is declared once, and goes to both.
    """

    def decorate(command: Command) -> Command:
        wanted = inspect.signature(command, eval_str=True)

        @functools.wraps(command)
        def run(**values: Any) -> None:
            made = make({option: values[option] for option in options})
            others = {key: value for key, value in values.items() if key not in options or key in wanted.parameters}
            command(**others, **{name: made})

        own = [one for one in wanted.parameters.values() if one.name != name and one.name not in options]
        added = [
            inspect.Parameter(
                option, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind, declared]
            )
            for option, (kind, declared) in options.items()
        ]
        signature = wanted.replace(parameters=[*own, *added])
        run.__signature__ = signature  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in signature.parameters.values()}
        return run

    return decorate


def typed(made: DataclassInstance, usual: DataclassInstance) -> Iterator[str]:
    """Give the options that make this value, where it is not as usual: for command lines that are shown to a person.

    >>> from lookalike.recipe import Recipe
    >>> list(typed(Recipe(k=3, lowercase=False, form="nfkc"), Recipe()))
    ['-k', '3', '--no-lowercase', '--form', 'nfkc']
    """
    for field in fields(made):
        value = getattr(made, field.name)
        if value == getattr(usual, field.name) or value is None:
            continue
        name = field.name.replace("_", "-")
        spelling = f"--{name}" if len(name) > 1 else f"-{name}"
        if isinstance(value, bool):
            yield spelling if value else f"--no-{name}"
        elif isinstance(value, tuple):
            for each in value:
                yield from (spelling, str(each))
        elif field.name in _SIZES:
            yield from (spelling, f"{value}B")
        else:
            yield from (spelling, f"{value:g}" if isinstance(value, float) else str(value))
