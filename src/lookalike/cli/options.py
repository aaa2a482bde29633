"""Options that several commands share are written once, and their values are checked in the words of the library.

A command asks for one value, and a decorator puts the options that make it in its place:

    with_recipe = makes("recipe", RECIPE, make_recipe)

    @with_recipe
    def compare(a: …, b: …, *, recipe: Recipe, top: …) -> None: …

The values pass as they were typed, and None is what was not given. `typed` and `command_line` go the other way: from
values to the command line that makes them.
"""

from __future__ import annotations

import functools
import inspect
import re
from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

import typer

from lookalike.errors import RecipeError, suggest
from lookalike.opening import shown_url
from lookalike.tables.spelling import Bytes, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from _typeshed import DataclassInstance

    Choice = TypeVar("Choice", bound=str)
    Command = Callable[..., None]
    Option = tuple[Any, Any]


__all__ = [
    "command_line",
    "completion",
    "flag",
    "makes",
    "maybe_number",
    "number",
    "one_of",
    "option",
    "quoted",
    "several",
    "share",
    "size",
    "threads_of",
    "typed",
    "whole_number",
]


def completion(*words: str) -> Callable[[str], list[str]]:
    """Return what the shell asks when it completes an option that takes one of a few words."""
    return lambda incomplete: [str(word) for word in words if word.startswith(incomplete)]


def one_of(option: str, given: str, choices: Iterable[Choice]) -> Choice:
    """Return the choice of that name."""
    for choice in choices:
        if given == choice:
            return choice
    names = [str(choice) for choice in choices]
    raise RecipeError(option, given, f"{', '.join(names[:-1])} or {names[-1]}", suggest(given, names))


def number(text: str) -> int | str:
    """Return the whole number that was typed, or the text, which is refused later."""
    return int(text) if re.fullmatch("[+-]?[0-9]{1,40}", text) else text


def whole_number(option: str, given: str, *, least: int) -> int:
    """Return the number that was typed, if it is large enough.

    >>> whole_number("--top", "few", least=0)
    Traceback (most recent call last):
        ...
    lookalike.errors.RecipeError: --top must be a whole number of at least 0, not 'few'
    """
    value = number(given)
    if isinstance(value, str) or value < least:
        raise RecipeError(option, value, f"a whole number of at least {least}")
    return value


def maybe_number(option: str, given: str | None) -> int | None:
    """Return the number that was typed, which is at least 1; None if there is none."""
    return None if given is None else whole_number(option, given, least=1)


def threads_of(given: str | None) -> int:
    """Return the number of threads; 0, which is one for each processor, if none was given."""
    return 0 if given is None else whole_number("--threads", given, least=0)


def share(option: str, given: str, *, zero: bool = False) -> float:
    """Return a share above 0 and up to 1, typed as ``0.8`` or ``80%``; `zero` allows 0 as well.

    >>> share("--threshold", "0.8"), share("--threshold", "80%")
    (0.8, 0.8)
    >>> share("--threshold", "80")
    Traceback (most recent call last):
        ...
    lookalike.errors.RecipeError: --threshold must be a number above 0 and at most 1, not '80'; did you mean 80%?
    """
    found = re.fullmatch(r"([0-9]{0,20}\.?[0-9]{0,20})(%?)", given)
    value = float(found[1]) if found and re.search("[0-9]", found[1]) else -1.0
    if found and found[2]:
        value /= 100
    if value > 1.0 or value < 0.0 or (value == 0.0 and not zero):
        # From 2 on, a percentage is meant; between 1 and 2 nobody knows.
        hint = f"did you mean {given}%?" if 2.0 <= value <= 100.0 else ""
        if re.fullmatch(r"[0-9]{0,20},[0-9]{1,20}%?", given):
            hint = f"did you mean {given.replace(',', '.')}?"
        raise RecipeError(option, given, f"a number {'from 0 to' if zero else 'above 0 and at most'} 1", hint)
    return value


_UNITS = {"B": 1} | {
    prefix + ending: base**power
    for power, prefix in enumerate("KMGT", start=1)
    for ending, base in (("B", 1000), ("IB", 1024))
}


def size(option: str, given: str) -> int:
    """Return a number of bytes, typed as ``6GB``, ``500MB`` or ``2GiB``.

    >>> size("--memory", "6GB"), size("--memory", "1.5 GiB"), size("--memory", "500mb")
    (6000000000, 1610612736, 500000000)
    >>> size("--memory", "lots")
    Traceback (most recent call last):
        ...
    lookalike.errors.RecipeError: --memory must be a size such as 6GB, 500MB or 2GiB, not 'lots'
    """
    found = re.fullmatch(r"([0-9]{1,15}(?:\.[0-9]{1,9})?) ?([KMGT]?I?B?)", given.strip().upper())
    unit = found[2] + ("" if found[2].endswith("B") else "B") if found else ""
    if not found or not found[2] or not (total := int(float(found[1]) * _UNITS.get(unit, 0))):
        raise RecipeError(option, given, "a size such as 6GB, 500MB or 2GiB")
    return total


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
            yield from (spelling, str(Bytes(value)))
        else:
            yield from (spelling, f"{value:g}" if isinstance(value, float) else str(value))


def quoted(name: str) -> str:
    """Return the name as it is typed in a shell.

    >>> quoted("plain.txt"), quoted("two words.txt")
    ('plain.txt', "'two words.txt'")
    """
    import shlex

    return shlex.quote(name)


def command_line(command: str, *parts: Iterable[str]) -> str:
    """Return a command as it is typed; nothing, if a name has characters that cannot be shown.

    >>> command_line("compare", ["two words.txt", "b.txt"], ["-k", "3"])
    "lookalike compare 'two words.txt' b.txt -k 3"
    """
    words = [shown_url(word) for part in parts for word in part]
    if any(word != visible(word) for word in words):
        return ""
    return " ".join(["lookalike", command, *(quoted(word) for word in words)])
