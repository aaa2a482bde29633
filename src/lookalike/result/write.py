"""The pairs of a result in other formats."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from lookalike.result.say import described, group_dict, head
from lookalike.tables.json import BETWEEN, json_values, write_json
from lookalike.tables.output_files import opened
from lookalike.tables.write_table import ROWS, write_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lookalike.result.result import Result
    from lookalike.tables.output_files import Target

__all__ = ["write_pairs"]


def write_pairs(
    result: Result,
    target: Target,
    format: str,  # noqa: A002 — as everywhere
    *,
    top: int | None,
    raw_csv: bool,
) -> None:
    """Write the pairs, or the `top` most similar ones; as json, all of `Result.to_dict`."""
    pairs = described(result, result.listed if top is None else result.closest(top))
    if format == "jsonl":
        with opened(target) as stream:
            stream.writelines(piece.encode() + b"\n" for piece in pairs.json_pieces(ROWS, "\n"))
    elif format != "json":
        write_table(target, pairs, format, raw_csv=raw_csv)
    else:
        lists = {"pairs": pairs.json_pieces(ROWS, BETWEEN), "groups": _group_pieces(result)}
        with opened(target) as stream:
            write_json(stream, head(result, pairs), lists)


def _group_pieces(result: Result) -> Iterator[str]:
    """Give the groups as JSON objects, some at a time."""
    for start in range(0, len(result.groups), ROWS):
        some = result.groups[start : start + ROWS]
        if result.old_from is not None:
            yield BETWEEN.join(json_values(list(map(group_dict, some))))
            continue
        principals = json_values([group.principal for group in some])
        members = iter(json_values([member for group in some for member in group.members]))
        each = (", ".join(islice(members, len(group.members))) for group in some)
        rows = zip(principals, each, strict=True)
        yield BETWEEN.join([f'{{"principal": {principal}, "members": [{listed}]}}' for principal, listed in rows])
