"""`lookalike dedupe --by` and `--passages`: rows with what is left of their texts; all else in them stays as it was."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from lookalike.cli.names import path_of
from lookalike.cli.row_target import row_target
from lookalike.documents.arrow_columns import texts_as
from lookalike.documents.table_columns import check_outer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from lookalike.cli.row_files import RowOptions
    from lookalike.cli.row_target import RowTarget
    from lookalike.documents import Source
    from lookalike.search.repeats import CutBatch

__all__ = ["CutRows", "cut_rows_file"]


@contextmanager
def cut_rows_file(
    output: str,
    source: Source,
    paths: Sequence[str],
    options: RowOptions,
    notes: list[str],
    *,
    drop_empty: bool,
) -> Iterator[CutRows]:
    """Give the output that rows are written to: as lines, where they stay lines; files as paths and texts."""
    import pyarrow as pa

    own = pa.schema([("path", pa.large_string()), ("text", pa.large_string())])
    with row_target(output, source, own, options, notes) as target:
        yield CutRows(target, source, paths, drop_empty=drop_empty)


class CutRows:
    """The rows of a source, written batch by batch."""

    def __init__(self, target: RowTarget, source: Source, paths: Sequence[str], *, drop_empty: bool) -> None:
        """Write to an output; `lines` and `whole` say how the source has to be read."""
        self._target, self._paths = target, paths
        self._line_form = source.line_form if target.lines else None
        self.lines = target.lines
        self.whole = not target.lines and source.schema is not None
        self._drop_empty = drop_empty

    def write(self, cut: CutBatch) -> None:
        """Write some documents, and the rows beside them that have no text."""
        rows = self._rows(cut)
        if self._drop_empty and cut.emptied:
            import pyarrow as pa

            gone = set(cut.emptied)
            rows = rows.filter(pa.array([place not in gone for place in range(rows.num_rows)]))
        if rows.num_rows:
            self._target.write(rows, cut.batch.folder)
        if cut.batch.textless is not None and cut.batch.textless.num_rows:
            self._target.write(cut.batch.textless, cut.batch.folder)

    def _rows(self, cut: CutBatch) -> pa.RecordBatch:
        import pyarrow as pa

        rows, column = cut.batch.rows, cut.batch.text_column
        if rows is None or column is None:
            names = [path_of(name, self._paths) or str(name) for name in cut.batch.ids]
            columns: list[pa.Array[Any]] = [pa.array(names, pa.large_string()), cut.texts.to_arrow()]
            return pa.RecordBatch.from_arrays(columns, ["path", "text"])
        if not cut.changed:
            return rows
        if self._line_form is not None:
            lines: list[Any] = rows.column(0).to_pylist()
            for place in cut.changed:
                changed = self._line_form.with_text(lines[place], column, cut.texts[place])
                if changed == lines[place]:  # no field of the line has the very name
                    check_outer(column, ())
                lines[place] = changed
            return pa.RecordBatch.from_arrays([pa.array(lines, pa.large_binary())], ["line"])
        check_outer(column, rows.schema.names)
        at = rows.schema.get_field_index(column)
        texts = texts_as(list(cut.texts), rows.schema.field(at).type)
        return pa.RecordBatch.from_arrays(
            [texts if place == at else own for place, own in enumerate(rows.columns)], schema=rows.schema
        )
