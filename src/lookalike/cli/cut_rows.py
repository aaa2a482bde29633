"""`lookalike dedupe --by` and `--passages`: rows with what is left of their texts; all else in them stays as it was."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from lookalike.cli.dedupe_rows import as_lines
from lookalike.cli.names import path_of
from lookalike.cli.row_files import rows_file
from lookalike.documents.arrow_columns import texts_as
from lookalike.documents.json_line import with_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from lookalike.cli.row_files import ListOptions
    from lookalike.documents import Source
    from lookalike.search.repeats import CutBatch
    from lookalike.tables.write import RowsWriter

__all__ = ["CutRows", "cut_rows_file"]


@contextmanager
def cut_rows_file(
    output: str, source: Source, paths: Sequence[str], how: ListOptions, *, drop_empty: bool
) -> Iterator[CutRows]:
    """Give the file that rows are written to: as lines from JSON Lines to JSON Lines; files as paths and texts."""
    import pyarrow as pa

    text = pa.large_string()
    lines = as_lines(output, source)
    schema = pa.schema([("line", pa.large_binary())]) if lines else source.schema
    names = how if schema is None else None
    own = pa.schema([("path", text), ("text", text)])
    with rows_file(output, own if schema is None else schema, names=names, lines=lines) as file:
        yield CutRows(file, paths, lines=lines, whole=not lines and schema is not None, drop_empty=drop_empty)


class CutRows:
    """The rows of a source, written batch by batch."""

    def __init__(self, file: RowsWriter, paths: Sequence[str], *, lines: bool, whole: bool, drop_empty: bool) -> None:
        """Write to a file; `lines` and `whole` say how the source has to be read."""
        self._file, self._paths = file, paths
        self.lines, self.whole = lines, whole
        self._drop_empty = drop_empty

    def write(self, cut: CutBatch) -> None:
        """Write some documents, and the rows beside them that have no text."""
        rows = self._rows(cut)
        if self._drop_empty and cut.emptied:
            import pyarrow as pa

            gone = set(cut.emptied)
            rows = rows.filter(pa.array([place not in gone for place in range(rows.num_rows)]))
        if rows.num_rows:
            self._file.write(rows)
        if cut.batch.textless is not None and cut.batch.textless.num_rows:
            self._file.write(cut.batch.textless)

    def _rows(self, cut: CutBatch) -> pa.RecordBatch:
        import pyarrow as pa

        rows, column = cut.batch.rows, cut.batch.text_column
        if rows is None or column is None:
            names = [path_of(name, self._paths) or str(name) for name in cut.batch.ids]
            columns: list[pa.Array[Any]] = [pa.array(names, pa.large_string()), cut.texts.to_arrow()]
            return pa.RecordBatch.from_arrays(columns, ["path", "text"])
        if not cut.changed:
            return rows
        if self.lines:
            lines: list[Any] = rows.column(0).to_pylist()
            for place in cut.changed:
                lines[place] = with_text(lines[place], column, cut.texts[place])
            return pa.RecordBatch.from_arrays([pa.array(lines, pa.large_binary())], ["line"])
        at = rows.schema.get_field_index(column)
        texts = texts_as(list(cut.texts), rows.schema.field(at).type)
        return pa.RecordBatch.from_arrays(
            [texts if place == at else own for place, own in enumerate(rows.columns)], schema=rows.schema
        )
