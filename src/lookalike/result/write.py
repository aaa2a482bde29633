"""The pairs of a result in other formats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.result.say import head, with_first
from lookalike.tables.files import opened
from lookalike.tables.json import json_rows, to_json, write_json
from lookalike.tables.write import ROWS, write_table

if TYPE_CHECKING:
    from lookalike.result.result import Result
    from lookalike.tables.files import Target

__all__ = ["write_pairs"]


def write_pairs(result: Result, target: Target, format: str, top: int | None) -> None:  # noqa: A002 — as everywhere
    """Write the pairs, or the `top` most similar ones; as json, all of `Result.to_dict`."""
    pairs = with_first(result, result.listed if top is None else result.closest(top))
    if format != "json":
        write_table(target, pairs, format)
        return
    groups = ({"principal": group.principal, "members": list(group.members)} for group in result.groups)
    with opened(target) as stream:
        lists = {
            "pairs": json_rows(pairs.column_names, pairs.chunks(ROWS)),
            "groups": (to_json(group, indent=None).rstrip() for group in groups),
        }
        write_json(stream, head(result, pairs), lists)
