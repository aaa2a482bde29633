"""Several tables by name, such as the splits of a dataset: searched together, given back apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lookalike.errors import DocumentError
from lookalike.search.frames.face import Frame
from lookalike.tables.number_columns import whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lookalike.tables.number_columns import Column

__all__ = ["SplitFrame"]


class SplitFrame(Frame):
    """Tables by name; a row is called by its table and its position in it: ``train:0``."""

    kind = "dict of tables"

    def __init__(self, data: Any, frame_of: Callable[[Any], Frame]) -> None:
        """Take the tables, and what gives each its face."""
        super().__init__(data)
        self._frames = {str(name): frame_of(table) for name, table in data.items()}

    def __len__(self) -> int:
        return sum(map(len, self._frames.values()))

    def texts(self, column: str | None) -> list[str | None]:
        return [text for frame in self._frames.values() for text in _listed(frame.texts(column))]

    def column(self, name: str) -> Column:
        import pyarrow as pa

        columns = [pa.table({name: frame.column(name)}) for frame in self._frames.values()]
        try:
            together = pa.concat_tables(columns, promote_options="permissive")  # texts are large in one library only
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            problem = f"has other types in some tables ({str(error).splitlines()[0]})"
            raise DocumentError(self.kind, f"column {name!r}", problem, "give it one type in all tables") from None
        return whole(together.column(0)) if columns else pa.nulls(0)

    def ids(self) -> Column:
        import pyarrow as pa

        names = [f"{name}:{row}" for name, frame in self._frames.items() for row in range(len(frame))]
        return pa.array(names, pa.large_string())

    def own_ids(self, ids: Column) -> Column:
        import pyarrow as pa

        named = [f"{name}:{own}" for name, part in self._parts(ids.to_pylist()) for own in part]
        return pa.array(named, pa.large_string())

    def filter(self, kept: Column) -> Any:
        return self._like_before({name: self._frames[name].filter(part) for name, part in self._parts(kept)})

    def with_texts(self, column: str | None, texts: list[str | None]) -> Any:
        changed = {name: self._frames[name].with_texts(column, part) for name, part in self._parts(texts)}
        return self._like_before(changed)

    def _parts(self, values: Any) -> Iterator[tuple[str, Any]]:
        start = 0
        for name, frame in self._frames.items():
            yield name, values[start : start + len(frame)]
            start += len(frame)

    def _like_before(self, tables: dict[str, Any]) -> Any:
        named = dict(zip(self.data, tables.values(), strict=True))
        return named if type(self.data) is dict else type(self.data)(named)


def _listed(texts: Column | list[str | None]) -> list[str | None]:
    return texts if isinstance(texts, list) else texts.to_pylist()
