"""Keep rules: which document of a group stays."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final

from lookalike.checks import suggest
from lookalike.errors import RecipeError
from lookalike.tables.number_columns import compute, counting, whole

if TYPE_CHECKING:
    from lookalike.tables.number_columns import Column

__all__ = ["KEEP", "KeepRule"]

KEEP: Final = ("first", "longest", "shortest", "newest", "oldest", "max:COLUMN", "min:COLUMN", "source:A,B,C")
"""The rules, as a person writes them."""

_LARGEST_FIRST: Final = ("longest", "newest", "max")


@dataclass(frozen=True, slots=True)
class KeepRule:
    """Which document of a group stays; documents that the rule finds equal stay in the order they came in.

    * ``first``: the one that comes first.
    * ``longest``, ``shortest``: by the length of the text.
    * ``newest``, ``oldest``: by a date, which is given: dates, times, years, or ISO texts such as 2024-02-29.
      ``newest:COLUMN`` says where it is.
    * ``max:COLUMN``, ``min:COLUMN``: by the largest or least value. Documents without a value, and NaN, come last.
    * ``source:A,B,C``: by where it comes from, A before B before C before anything else. A is a glob (``news/*``) or
      the beginning of the document's id. ``source:COLUMN=A,B,C`` matches the globs with the values of a column instead.

    >>> KeepRule.parse("max:stars")
    KeepRule(kind='max', column='stars', sources=())
    >>> KeepRule.parse("source:site=wiki,news-*")
    KeepRule(kind='source', column='site', sources=('wiki', 'news-*'))
    >>> KeepRule.parse("longst")
    Traceback (most recent call last):
        ...
    lookalike.errors.RecipeError: keep must be one of first, longest, shortest, newest, oldest, max:COLUMN, \
min:COLUMN, source:A,B,C, not 'longst'; did you mean 'longest'?
    """

    kind: str
    column: str | None = None
    """The column whose values decide, if the rule names one."""
    sources: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str | KeepRule) -> KeepRule:
        """Read a rule as a person writes it."""
        if isinstance(text, KeepRule):
            return text
        kind, colon, rest = str(text).partition(":")
        plain = kind in ("first", "longest", "shortest") and not colon
        dated = kind in ("newest", "oldest") and bool(rest) == bool(colon)
        if plain or dated or (kind in ("max", "min") and rest):
            return cls(kind, rest or None)
        if kind == "source" and rest:
            column, equals, names = rest.rpartition("=")
            sources = tuple(name.strip() for name in names.split(","))
            if all(sources) and bool(column) == bool(equals):
                return cls(kind, column or None, sources)
        raise RecipeError("keep", text, "one of " + ", ".join(KEEP), suggest(kind, [k.split(":")[0] for k in KEEP]))

    @property
    def needs_values(self) -> bool:
        """Whether `order` needs values: of the column, if the rule names one, else of a date."""
        return self.kind in ("newest", "oldest", "max", "min") or self.column is not None

    def __str__(self) -> str:
        """Return the rule as a person writes it."""
        sources = ",".join(self.sources)
        rest = "=".join(part for part in (self.column or "", sources) if part)
        return f"{self.kind}:{rest}" if rest else self.kind

    def order(self, ids: Column, lengths: Column | None, values: Any) -> tuple[Column, list[str]]:
        """Return the documents in the order in which they want to stay, and what should be said about it."""
        import pyarrow as pa

        notes: list[str] = []
        if self.kind == "first":
            return counting(len(ids)), notes
        if self.kind in ("longest", "shortest"):
            if lengths is None:
                raise RecipeError("keep", str(self), "'first': the lengths of these texts are not known")
            ranked = lengths
        elif self.kind == "source":
            ranked, notes = self._by_source(ids, values)
        else:
            ranked = self._comparable(self.values(values, len(ids)))
        direction = "descending" if self.kind in _LARGEST_FIRST else "ascending"
        keys = pa.table({"value": ranked, "place": counting(len(ids))})
        by = [("value", direction), ("place", "ascending")]
        order: Column = compute().sort_indices(keys, sort_keys=by).cast(pa.uint32())
        return order, notes

    def values(self, values: Any, documents: int) -> Column:
        """Return the values as a column, one for each document."""
        import pyarrow as pa

        what = f"the values of {self.column!r}" if self.column else "a value for each document"
        if values is None:
            hint = "name a column, as in newest:date" if self.column is None else ""
            raise RecipeError("keep", str(self), f"given with {what}", hint)
        try:
            made: Any = values if isinstance(values, pa.Array | pa.ChunkedArray) else pa.array(values, from_pandas=True)
        except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
            raise RecipeError("keep", str(self), f"given with {what} that can be compared", str(error)) from None
        column = whole(made)
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        if len(column) != documents:
            raise RecipeError("values", len(column), f"as many as there are documents, {documents}")
        return column

    def _comparable(self, column: Column) -> Column:
        """Return values that sort as the rule means them, with null for NaN."""
        import pyarrow as pa

        kind = column.type
        if pa.types.is_floating(kind):
            pc = compute()
            made: Column = pc.if_else(pc.is_nan(column), pa.scalar(None, kind), column)
            return made
        if self.kind in ("newest", "oldest") and _is_text(column):
            return _dates(column, str(self))
        if pa.types.is_nested(kind):
            raise RecipeError("keep", str(self), "given with values that can be compared", f"these are {kind}")
        return column

    def _by_source(self, ids: Column, values: Any) -> tuple[Column, list[str]]:
        """Return the rank of each document's source, null for others, and which sources there are none of."""
        import pyarrow as pa

        names = ids if self.column is None and values is None else self.values(values, len(ids))
        if not _is_text(names):
            hint = f"these are {names.type}; name a column, as in source:COLUMN=A,B"
            raise RecipeError("keep", str(self), "given where ids or sources are texts", hint)
        encoded: Any = names.dictionary_encode()
        by_id = names is ids
        ranks = pa.array([self._rank(name, by_id=by_id) for name in encoded.dictionary.to_pylist()], pa.uint32())
        used = set(ranks.to_pylist())
        notes = [f"no document is from {name!r}" for rank, name in enumerate(self.sources) if rank not in used]
        return ranks.take(encoded.indices), notes

    def _rank(self, name: str, *, by_id: bool) -> int | None:
        for rank, pattern in enumerate(self.sources):
            if fnmatchcase(name, pattern) or (by_id and name.startswith(pattern)):
                return rank
        return None


def _is_text(column: Column) -> bool:
    import pyarrow as pa

    return pa.types.is_string(column.type) or pa.types.is_large_string(column.type)


def _dates(column: Column, rule: str) -> Column:
    """Return ISO texts as moments; one without a zone is taken as UTC."""
    import pyarrow as pa

    def moment(text: str | None) -> datetime | None:
        if text is None or not text.strip():
            return None
        try:
            read = datetime.fromisoformat(text.strip())
        except ValueError:
            hint = f"{text[:40]!r} is none"
            raise RecipeError("keep", rule, "given with dates such as 2024-02-29", hint) from None
        return read if read.tzinfo else read.replace(tzinfo=UTC)

    return pa.array([moment(text) for text in column.to_pylist()], pa.timestamp("us", "UTC"))
