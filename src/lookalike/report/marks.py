"""Marks: what a person decided about pairs while reading a report, kept in a file and heard by the next scan."""

from __future__ import annotations

import json
import os
import reprlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from lookalike.checks import suggest
from lookalike.errors import DocumentError
from lookalike.tables.json import parse_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["CHECKED", "MARKS", "NOT_AN_ISSUE", "SCHEMA", "Mark", "Marks", "read_marks"]

SCHEMA: Final = "lookalike-marks/1"
CHECKED: Final = "checked"
NOT_AN_ISSUE: Final = "not an issue"
MARKS: Final = (CHECKED, NOT_AN_ISSUE)
_REMEDY: Final = "export the marks again from the report"


@dataclass(frozen=True, slots=True)
class Mark:
    """What was decided about a pair."""

    mark: str = ""
    """``checked``, ``not an issue``, or nothing if there is only a note."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks of pairs; which of the two documents comes first does not matter.

    >>> marks = Marks({("a.txt", "b.txt"): Mark("not an issue", "one author")})
    >>> marks.of("b.txt", "a.txt")
    Mark(mark='not an issue', note='one author')
    >>> marks.is_left_out("a.txt", "b.txt"), marks.is_left_out("a.txt", "c.txt")
    (True, False)
    """

    pairs: Mapping[tuple[str, str], Mark] = field(default_factory=dict)
    """By the ids of the two documents as text, the lesser one first."""
    with_old: Mapping[tuple[str, str], Mark] = field(default_factory=dict)
    """Marks of a document and an old one (`find(…, against=…)`), by the ids of the two in this order."""

    def __len__(self) -> int:
        """Return how many pairs have a mark or a note."""
        return len(self.pairs) + len(self.with_old)

    def of(self, a: object, b: object, *, b_old: bool = False) -> Mark | None:
        """Return the mark of a pair; `b_old` says that b is an old document."""
        return self.with_old.get((str(a), str(b))) if b_old else self.pairs.get(_key(str(a), str(b)))

    def is_left_out(self, a: object, b: object, *, b_old: bool = False) -> bool:
        """Return whether a pair is marked as not an issue."""
        mark = self.of(a, b, b_old=b_old)
        return mark is not None and mark.mark == NOT_AN_ISSUE

    def to_dict(self) -> dict[str, Any]:
        """Return the marks as the file has them."""
        pairs: list[dict[str, Any]] = []
        for marks, old in ((self.pairs, {}), (self.with_old, {"b_old": True})):
            pairs += [{"a": a, "b": b} | old | {"mark": one.mark, "note": one.note} for (a, b), one in marks.items()]
        return {"schema": SCHEMA, "pairs": pairs}


def read_marks(path: str | os.PathLike[str]) -> Marks:
    """Read marks from the file that a report exported; anything else is a `DocumentError` that says where."""
    from lookalike.documents.text_file import read_small

    source = os.fspath(path)
    try:
        given = parse_json(read_small(source, _REMEDY))
    except DocumentError:
        raise
    except json.JSONDecodeError as error:
        raise DocumentError(source, f"line {error.lineno}", f"is not JSON ({error.msg})", _REMEDY) from None
    except ValueError as error:
        raise DocumentError(source, "file", f"is not JSON ({error})", _REMEDY) from None
    _check_schema(given.get("schema") if isinstance(given, dict) else None, source)
    if not isinstance(given.get("pairs"), list):
        raise DocumentError(source, "file", "has no list of pairs", _REMEDY)
    listed = list(_pairs(given["pairs"], source))
    return Marks({_key(*ends): mark for ends, old, mark in listed if not old}, {e: m for e, old, m in listed if old})


def _check_schema(schema: object, source: str) -> None:
    if schema == SCHEMA:
        return
    if isinstance(schema, str) and schema.startswith("lookalike-marks/"):
        problem = f"has the form {schema[:40]}, and this version of lookalike reads {SCHEMA}"
        raise DocumentError(source, "file", problem, "update lookalike")
    raise DocumentError(source, "file", "has no marks of lookalike", _REMEDY)


def _pairs(given: list[Any], source: str) -> Iterator[tuple[tuple[str, str], bool, Mark]]:
    """Yield the ids of each pair, whether the second document is an old one, and the mark."""
    for number, pair in enumerate(given, start=1):
        place = f"pair {number}"
        if not isinstance(pair, dict) or any(type(pair.get(side)) not in (str, int) for side in "ab"):
            raise DocumentError(source, place, "does not name two documents, a and b", _REMEDY)
        mark, note = ("" if pair.get(name) is None else pair[name] for name in ("mark", "note"))
        if not isinstance(note, str):
            raise DocumentError(source, place, "has a note that is not text", _REMEDY)
        if mark not in ("", *MARKS):
            remedy = suggest(mark, MARKS) or f"the marks are {CHECKED!r} and {NOT_AN_ISSUE!r}"
            raise DocumentError(source, place, f"has the mark {reprlib.repr(mark)}", remedy)
        if not isinstance(old := pair.get("b_old", False), bool):
            raise DocumentError(source, place, "has a b_old that is neither true nor false", _REMEDY)
        yield (str(pair["a"]), str(pair["b"])), old, Mark(mark, note)


def _key(a: str, b: str) -> tuple[str, str]:
    return (a, b) if a <= b else (b, a)
