"""JSON Lines: an object on each line.

A line that is no object is skipped, and the native reader says which are: it alone decides, whoever reads the rest.

Blocks of whole lines go to Arrow's reader. It is quick, but it silently accepts two objects on a line, refuses escapes
that JSON allows, and ends the process at a bare ``null``. So it gets only blocks without a bad line, what it made of
them is counted and checked, and where there is any doubt the block is read line by line by Python's own reader.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cached_property
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

from lookalike import _native
from lookalike.documents.arrow_columns import is_marked
from lookalike.documents.document_batches import TARGET, Form, text_array
from lookalike.documents.json_objects import SAMPLE_BYTES, JsonTable, arrow_types, infer, mark, merge_all
from lookalike.documents.raw_input import MOST_COLUMNS, DamagedDataError, too_many_columns
from lookalike.documents.table import Rows
from lookalike.documents.table_errors import bad_line, line_too_long, no_json_lines
from lookalike.documents.text_file import codec_of_mark
from lookalike.documents.text_tables import Encoding, LineForm, detect, open_utf8, readable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    import pyarrow as pa

    from lookalike.documents.document_batches import Log
    from lookalike.documents.json_objects import Numbered, Wanted
    from lookalike.documents.raw_input import RawInput
    from lookalike.documents.table_columns import Choice
    from lookalike.documents.text_tables import UnreadLines

__all__ = ["JsonLines"]

_NO_BRACKETS: Final = bytes(set(range(256)) - set(b"[]{}"))
_PASSED_OVER: Final = 1 << 20
_ARROW_BLOCK: Final = 2 << 20  # what Arrow gives to one thread
_BLOCK: Final = TARGET // 2  # it is held in several forms at a time
_FIRST_LINES: Final = 100
"""Lines at the start of a file of which one at least must be an object; the native reader has the same number."""


@dataclass(frozen=True, slots=True)
class _Block:
    """Some whole lines: the number of the first, their bytes, and how many they are."""

    first: int
    data: bytearray
    lines: int
    too_long: bool = False
    """Whether it is one line that is too long to be held; then there are no bytes."""


class JsonLines(JsonTable):
    """One file of JSON Lines. The rows are its lines: blank ones are counted, so that row 17 is on line 17."""

    def __init__(self, name: str, source: RawInput, encoding: str = "auto") -> None:
        """Take an input; JSON is UTF-8, unless a mark or `encoding` says otherwise."""
        super().__init__(name, source)
        self._told = encoding

    @property
    def native_format(self) -> str | None:
        """The native readers read plain UTF-8; they also check what is compressed by zstd, which Python cannot open."""
        if self._told != "auto" and not Encoding(self._told).is_utf8:
            return None
        try:
            with self._input.open() if self._input.compression != "zstd" else BytesIO() as stream:
                return None if codec_of_mark(stream.read(4)) else "jsonl"
        except (OSError, DamagedDataError):
            return None

    @cached_property
    def _encoding(self) -> Encoding:
        return detect(self._input, self._told, guess=False)

    def _blocks(self, size: int, unread: UnreadLines | None = None) -> Iterator[_Block]:
        """Cut the file after the last line end of every `size` bytes; a line that is too long is a block by itself.

        Such a line goes to `unread`.
        """
        longest = self._input.limits.document
        for block in self._whole_lines(size, longest, unread):
            if block.too_long or len(block.data) <= longest:
                yield block
            else:
                yield from _without_long(block, longest, unread)

    def _whole_lines(self, size: int, longest: int, unread: UnreadLines | None) -> Iterator[_Block]:
        """Cut the file; of a line that is longer than `longest` no more is held than that and one chunk."""
        number = 0
        begun = bytearray()
        with open_utf8(self._input, self._encoding) as stream:
            rest = b""
            while chunk := rest or stream.read(size):
                rest = b""
                end = chunk.rfind(b"\n") + 1
                if not end:
                    begun += chunk
                    if len(begun) > longest:
                        if unread is not None:
                            unread.portion(begun)
                        begun, rest = bytearray(), _after_line_end(stream, unread)
                        yield _Block(number, bytearray(), 1, too_long=True)
                        number += 1
                    continue
                begun += memoryview(chunk)[:end]
                block = _Block(number, begun, begun.count(b"\n"))
                begun = bytearray(memoryview(chunk)[end:])
                del chunk  # while the block is in use, not more than a line is held besides
                yield block
                number += block.lines
        if begun:
            yield _Block(number, begun, 1)

    def has_rows(self) -> bool:
        """Return whether there is an object; a file without one in its first lines is not JSON Lines."""
        first: tuple[int, str, int] | None = None
        looked_at = 0
        for block in readable(self.name, self._blocks(SAMPLE_BYTES), self._input.limits):
            bad = {row: (fault, at) for row, fault, at in _native.bad_lines(block.data)}
            for row, line in enumerate(block.data.split(b"\n")):
                if not line.strip():
                    continue
                if row not in bad:
                    return True
                first = first or (block.first + row, *bad[row])
                looked_at += 1
                if looked_at == _FIRST_LINES:
                    raise no_json_lines(self.name, *first, looked_at)
        if first is not None:
            raise no_json_lines(self.name, *first, looked_at)
        return False

    def _groups(self, log: Log | None, size: int) -> Iterator[Numbered]:
        for block in self._blocks(size):
            if group := list(self._objects(block, log)):
                yield group

    def _objects(self, block: _Block, log: Log | None) -> Iterator[tuple[int, dict[str, Any]]]:
        """Read line by line; list the bad ones, and one that is too long."""
        if block.too_long and log is not None:
            log.skip_row(block.first, line_too_long(self.name, block.first, self._input.limits))
        bad = {row: (fault, at) for row, fault, at in _native.bad_lines(block.data)}
        for row, line in enumerate(block.data.split(b"\n")):
            if not line.strip():
                continue
            if row not in bad:
                try:
                    yield block.first + row, json.loads(line.decode("utf-8"))
                    continue
                except ValueError:  # Python was configured to accept fewer digits
                    bad[row] = ("long number", 0)
                except RecursionError:  # the caller is nested deeply
                    bad[row] = ("deep", 0)
            if log is not None:
                log.skip_row(block.first + row, bad_line(self.name, block.first + row, *bad[row]))

    @cached_property
    def _schema(self) -> pa.Schema:
        types: dict[str, pa.DataType | None] = {}
        for block in readable(self.name, self._blocks(_BLOCK), self._input.limits):
            table = None if block.too_long else _by_arrow(block, None)
            if table is not None:
                merge_all(types, arrow_types(table.schema))
            else:
                merge_all(types, infer(row for _, row in self._objects(block, None)))
            if len(types) > MOST_COLUMNS:
                raise too_many_columns(self.name)
        return mark(types)

    def read(self, choice: Choice, log: Log, *, whole: bool) -> Iterator[Rows]:
        """Read block after block, the quick way where it is safe."""
        wanted = self._wanted(choice, whole)
        quick = not any(is_marked(field) for field in wanted.schema)
        for block in readable(self.name, self._blocks(_BLOCK), self._input.limits):
            yield from self._block_rows(block, wanted, log, quick=quick)

    @property
    def line_form(self) -> LineForm:
        """Each row is a line."""
        return LineForm("jsonl")

    @property
    def form(self) -> Form:
        """Lines, compressed or not."""
        return Form("jsonl", self._input.compression)

    def read_lines(self, choice: Choice, log: Log) -> Iterator[Rows]:
        """Read the chosen columns, and the exact bytes of each line."""
        import pyarrow as pa

        wanted = self._wanted(choice, whole=False)
        for block in readable(self.name, self._blocks(_BLOCK), self._input.limits):
            lines = block.data.split(b"\n")[: block.lines]
            for rows in self._block_rows(block, wanted, log, quick=True):
                own = text_array([bytes(lines[number - block.first]) for number in rows.numbers])
                yield replace(rows, lines=own.view(pa.large_binary()))

    def write_unread(self, unread: UnreadLines) -> None:
        """Write the lines that are no objects, and those that are too long."""
        for block in readable(self.name, self._blocks(_BLOCK, unread), self._input.limits):
            bad = {row for row, _, _ in _native.bad_lines(block.data)}
            for row, line in enumerate(block.data.split(b"\n") if bad else ()):
                if row in bad and line.strip():
                    unread.portion(line)
                    unread.end()

    def _block_rows(self, block: _Block, wanted: Wanted, log: Log, *, quick: bool) -> Iterator[Rows]:
        quick = quick and not self.paths and not block.too_long
        table = _by_arrow(block, wanted.schema) if quick else None
        if table is not None:
            yield from _in_batches(table, block.first)
        elif group := list(self._objects(block, log)):
            yield from self._rows(group, wanted)


def _after_line_end(stream: BinaryIO, unread: UnreadLines | None) -> bytes:
    """Read to the end of a line, which goes to `unread`; return what was read beyond."""
    rest = b""
    while chunk := stream.read(_PASSED_OVER):
        end = chunk.find(b"\n") + 1
        if unread is not None:
            unread.portion(chunk[:end] if end else chunk)
        if end:
            rest = chunk[end:]
            break
    if unread is not None:
        unread.end()
    return rest


def _without_long(block: _Block, longest: int, unread: UnreadLines | None) -> Iterator[_Block]:
    """Cut a block before and after every line that is longer than `longest`."""
    data, first = block.data, block.first
    start = begun = 0
    while start < len(data):
        end = data.find(b"\n", start) + 1 or len(data) + 1
        if end - 1 - start > longest:
            before = data[begun:start]
            if before:
                yield _Block(first, before, before.count(b"\n"))
            first += before.count(b"\n")
            if unread is not None:
                unread.portion(data[start : end - 1])
                unread.end()
            yield _Block(first, bytearray(), 1, too_long=True)
            first, begun = first + 1, end
        start = end
    if begun < len(data):
        yield _Block(first, data[begun:], block.first + block.lines - first)


def _may_be_deep(data: bytearray) -> bool:
    """Return whether brackets may be nested more than a few hundred deep; Arrow finds out types by recursion."""
    brackets = data.translate(None, _NO_BRACKETS)
    for _ in range(20):
        shorter = brackets.replace(b"[]", b"").replace(b"{}", b"")
        if len(shorter) == len(brackets):
            break
        brackets = shorter
    return len(brackets) > 400  # all that are left, some of them inside texts, might be open at once


def _by_arrow(block: _Block, schema: pa.Schema | None) -> pa.Table | None:
    """Read a block by Arrow; None if a line is bad, if it refuses, or if the rows are not one for each line."""
    import pyarrow as pa
    import pyarrow.json as pj

    data = block.data
    if _native.bad_lines(data):
        return None
    if schema is None and _may_be_deep(data):
        return None
    unexpected = "infer" if schema is None else "ignore"
    parse = pj.ParseOptions(explicit_schema=schema, unexpected_field_behavior=unexpected)  # type: ignore[arg-type]
    for size in (_ARROW_BLOCK, len(data) + 1):
        try:
            table = pj.read_json(pa.py_buffer(data), pj.ReadOptions(block_size=size), parse)  # type: ignore[arg-type]
            table.validate(full=True)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            if "straddling" in str(error):  # a line longer than the size for one thread
                continue
            return None
        return table if table.num_rows == block.lines else None
    return None


def _in_batches(table: pa.Table, number: int) -> Iterator[Rows]:
    for batch in table.to_batches():
        yield Rows(batch, range(number, number + batch.num_rows))
        number += batch.num_rows
