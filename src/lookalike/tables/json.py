"""JSON: values, lines of rows, and one object with long lists; always valid UTF-8, and never whole in memory."""

from __future__ import annotations

import json
import math
from itertools import islice
from json.encoder import encode_basestring
from typing import IO, TYPE_CHECKING, Any, Final

from lookalike.tables.visible import spelt_for_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

__all__ = ["BETWEEN", "json_rows", "json_values", "to_json", "write_json", "write_json_lines"]

_ROWS: Final = 10_000
"""How many rows are written at a time."""


def to_json(value: Any, *, indent: int | None = 2) -> str:
    r"""Return JSON that is valid UTF-8 whatever the texts hold, with a line break behind it.

    Characters that no encoder takes, or that are invisible or act on a terminal, are spelt as ``\uXXXX``.

    >>> to_json("é\udcff\x9b")
    '"é\\udcff\\u009b"\n'
    """
    return _dumped(value, indent=indent, allow_nan=False) + "\n"


def _dumped(value: Any, **how: Any) -> str:
    return spelt_for_json(json.dumps(value, ensure_ascii=False, **how))


def json_rows(names: Sequence[str], chunks: Iterable[Sequence[Sequence[Any]]]) -> Iterator[str]:
    """Give each row of a table as a JSON object; its columns come piece by piece.

    >>> list(json_rows(["id", "score"], [[["a", None], [0.5, 1.0]]]))
    ['{"id": "a", "score": 0.5}', '{"id": null, "score": 1.0}']
    """
    template = "{" + ", ".join(f"{_text(name).replace('%', '%%')}: %s" for name in names) + "}"
    for columns in chunks:
        yield from map(template.__mod__, zip(*map(json_values, columns), strict=True))


def json_values(column: Sequence[Any]) -> Iterable[str]:
    """Return the values of a column as JSON: those of one kind quicker than one by one."""
    kinds = set(map(type, column))
    if kinds == {str}:
        return map('"{}"'.format, column) if _is_plain("".join(column)) else map(_text, column)
    if kinds == {float} and all(map(math.isfinite, column)):
        return map(repr, column)
    return map(_dumped, column)


def _is_plain(text: str) -> bool:
    """Say whether JSON spells a text as it is; one look at a whole column takes less than one at each value."""
    return text.isascii() and text.isprintable() and '"' not in text and "\\" not in text


def _text(text: str) -> str:
    return spelt_for_json(encode_basestring(text))


def write_json_lines(stream: IO[bytes], names: Sequence[str], chunks: Iterable[Sequence[Sequence[Any]]]) -> None:
    """Write a table, a line for each row."""
    rows = json_rows(names, chunks)
    while piece := list(islice(rows, _ROWS)):
        stream.write(("\n".join(piece) + "\n").encode())


BETWEEN: Final = ",\n    "
"""What stands between the members of a list in `write_json`."""


def write_json(stream: IO[bytes], head: Mapping[str, Any], lists: Mapping[str, Iterable[str]]) -> None:
    """Write one object: what `head` says, then lists, which come in pieces: members that are JSON, with `BETWEEN`."""
    stream.write(to_json(head).removesuffix("\n}\n").encode())
    for name, given in lists.items():
        stream.write(f",\n  {_text(name)}: [".encode())
        written = False
        for piece in given:
            stream.write(((BETWEEN if written else BETWEEN[1:]) + piece).encode())
            written = True
        stream.write(b"\n  ]" if written else b"]")
    stream.write(b"\n}\n")
