"""The options that leave text out of a score: the same on every command that gives one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lookalike.cli.options import makes, option, several
from lookalike.cli.recipe_options import PRESET
from lookalike.cli.values import whole_number
from lookalike.presets import with_preset
from lookalike.text.excluded import check_kinds

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lookalike.cli.reading import Reading

__all__ = ["LEFT_OUT", "LeftOut", "in_words", "left_out_values", "template_texts", "with_left_out"]

_PANEL: Final = "Search"
LONGEST: Final = 2**31
"""No passage is longer; a larger number means the same, and the core need not count so far."""

LEFT_OUT: Final[dict[str, tuple[Any, Any]]] = {
    "ignore": several("--ignore", panel=_PANEL, metavar="FILE", help="Leave out the text of a template; repeatable."),
    "skip": several("--skip", panel=_PANEL, metavar="WHAT", help="Leave out quotes, references or both, by a comma."),
    "min_words": option("--min-words", panel=_PANEL, metavar="N", help="Shortest passage that counts, in words."),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """What is left out of a score."""

    preset: str | None = None
    """Where the shortest passage comes from if it was not given."""
    ignore: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    min_words: int | None = None


def left_out_values(given: Mapping[str, Any]) -> dict[str, Any]:
    """Read the options, as the fields of a `LeftOut`.

    >>> left_out_values({"ignore": None, "skip": ["references,quotes"], "min_words": "12"})
    {'ignore': (), 'skip': ('quotes', 'references'), 'min_words': 12}
    """
    kinds = [kind.strip() for words in given["skip"] or () for kind in words.split(",")]
    least = given["min_words"]
    return {
        "ignore": tuple(given["ignore"] or ()),
        "skip": check_kinds(kinds, "--skip"),
        "min_words": None if least is None else min(whole_number("--min-words", least, least=1), LONGEST),
    }


def _left_out(given: Mapping[str, Any]) -> LeftOut:
    values, preset = left_out_values(given), given["preset"]
    return LeftOut(preset=preset, **values | {"min_words": with_preset(preset, None, None, values["min_words"])[2]})


with_left_out = makes("left_out", LEFT_OUT | PRESET, _left_out)
"""Give a command that takes a `left_out` the options that make one."""


def template_texts(paths: Sequence[str], reading: Reading) -> list[str]:
    """Return the texts of templates, which are few and short, whatever their format."""
    if not paths:
        return []
    return [text for batch in reading.open(paths).batches() for text in batch.texts]


def in_words(counted: Mapping[str, int]) -> str:
    """Say how many words were left out, and why.

    >>> in_words({"quotes": 80, "template": 1200}), in_words({})
    ('1,280 words (80 in quotes, 1,200 in the template)', 'nothing')
    """
    places = {"quotes": "quotes", "references": "references", "template": "the template", "common": "common text"}
    total = sum(counted.values())
    listed = ", ".join(f"{counted[reason]:,} in {place}" for reason, place in places.items() if counted.get(reason))
    return f"{total:,} word{'s' * (total != 1)} ({listed})" if total else "nothing"
