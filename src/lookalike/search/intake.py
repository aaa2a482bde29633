"""Sources as the engine reads them: in memory, by native readers, or in batches in Python; and their signatures."""

from __future__ import annotations

from array import array
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lookalike import _native
from lookalike.documents import Both, Kept, LongEnough, open_documents
from lookalike.documents.document_batches import Size
from lookalike.documents.document_source import within
from lookalike.documents.in_memory import MemorySource
from lookalike.documents.raw_input import COMPRESSED_FACTOR
from lookalike.documents.table_errors import (
    changed,
    duplicate_id,
    empty_table,
    line_too_long,
    place,
    row_too_large,
    skipped_row,
)
from lookalike.errors import check_threads
from lookalike.opening import check_file, open_error
from lookalike.recipe import DEFAULT, settings
from lookalike.tables.packed import Ids, Texts
from lookalike.text.excluded import exclude, exclude_kinds, find_excluded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lookalike.documents import Source
    from lookalike.documents.document_batches import Skipped
    from lookalike.documents.table_columns import NativePart
    from lookalike.engine.sign import Signatures
    from lookalike.recipe import Recipe
    from lookalike.tables.packed import Packed

    Read = Callable[[_native.Input], dict[str, Any]]

__all__ = ["SearchInput", "sign", "sources_together"]

_AT_ONCE: Final = 4096
"""Texts that are read again at a time."""
_BYTES_AT_ONCE: Final = 32 << 20
"""Bytes that they may have; beyond that, the rest is asked for again."""


class SearchInput:
    """The documents of one source: what the engine reads and asks for again, and what is known of them after that."""

    count: Callable[[int], None] | None = None
    """Called with the number of documents that are read, where Python reads them."""

    def __init__(self, source: Source, skip: Sequence[str]) -> None:
        """Take a source; `skip` says what is excluded from its texts."""
        self.source = source
        self._skip = skip
        self._ids: list[Ids] = []
        self._parts: list[NativePart] | None = None
        self._counts: list[int] = []
        self.inputs: list[_native.Input] = self._open()

    def _open(self) -> list[_native.Input]:
        if isinstance(self.source, MemorySource):
            texts = self.source.texts
            if self._skip:
                texts = [exclude(text, find_excluded(text, self._skip)) for text in texts]
            return [_native.Input.of_texts(texts)]
        self._parts = None if self._skip else self.source.tables()
        if self._parts is not None:
            return [_table(part) for part in self._parts]
        return self._by_python()

    def _by_python(self) -> list[_native.Input]:
        """Read through Python: whatever no native reader takes."""
        self._parts = None
        if not isinstance(self.source, Kept):
            self.source = Kept(self.source)
        return [_native.Input.of_source(self)]

    @property
    def is_native(self) -> bool:
        """Whether native readers read it."""
        return self._parts is not None

    def size(self) -> Size:
        """Say what is known before reading; of tables that are read natively, without loading another reader."""
        if self._parts is None:
            return self.source.size()
        rows = [part.rows for part in self._parts]
        known = None if None in rows else sum(count for count in rows if count is not None)
        return Size(known, sum(map(_text_bytes, self._parts, self.inputs)))

    @property
    def is_cheap(self) -> bool:
        """Whether reading everything once more costs little: no file has to be parsed or extracted in Python."""
        return self.is_native or isinstance(self.source, MemorySource)

    @property
    def has_pages(self) -> bool:
        """Whether native readers unpack it page by page."""
        return any(part.format == "parquet" for part in self._parts or ())

    @property
    def has_tables(self) -> bool:
        """Whether documents are rows of files."""
        source = self.source
        while isinstance(source, Kept | LongEnough):
            source = source.source
        return source.form is not None

    def use_python(self) -> None:
        """Read through Python from now on: a native reader refused it."""
        self.inputs = self._by_python()

    def read(self, read: Read) -> None:
        """Let the engine read everything once."""
        found: list[dict[str, Any]] = []
        for number, one in enumerate(self.inputs):
            try:
                found.append(read(one))
            except _native.TableError as error:
                if self._parts is not None and error.kind == "expands":  # no other reader may read it either
                    part = self._parts[number]
                    raise part.limits.expansion_error(part.name) from None
                raise
        self._learn(found)

    def _learn(self, found: list[dict[str, Any]]) -> None:
        if isinstance(self.source, MemorySource):
            self._ids = [self.source.ids]  # no batches were asked for
        if self._parts is None:
            return
        self._ids, skipped, notes = [], [], []
        for part, rows in zip(self._parts, found, strict=True):
            self._ids.append(_part_ids(part, rows))
            notes += [(part.name, part.note)] if part.note else []
            skipped += list(_skipped(part, rows))
        self._counts = [rows["documents"] for rows in found]
        self.source.read_elsewhere(skipped, notes, self._counts, self._again)
        by_part = self._ids
        if len(by_part) > 1 and (repeated := self.ids.repeated()) is not None:
            raise self._repeated(repeated, by_part)

    def _again(self, numbers: Sequence[int]) -> Iterator[tuple[Sequence[int], Texts]]:
        """Read some texts again, by the readers that read them first."""
        start = 0
        for one, count in zip(self.inputs, self._counts, strict=True):
            wanted = within(numbers, start, start + count)
            for at in range(0, len(wanted), _AT_ONCE):
                left = wanted[at : at + _AT_ONCE]
                while left:
                    try:
                        found = _native.fetch_texts(one, count, array("I", left).tobytes(), 0, _BYTES_AT_ONCE)
                    except _native.TableError:
                        raise changed(self.source.name) from None
                    yield [start + number for number, _ in found], Texts.of(text for _, text in found)
                    given = {number for number, _ in found}
                    left = [number for number in left if number not in given]
            start += count

    def _repeated(self, value: str | int, by_part: Sequence[Ids]) -> Exception:
        """Say where an id is that more than one table has."""
        places = []
        for part, ids in zip(self._parts or (), by_part, strict=True):
            places += [place(part.name, row) for row, one in enumerate(ids) if one == value]
        return duplicate_id(value, places[0], places[1])

    @property
    def ids(self) -> Ids:
        """The id of each document, after `read`."""
        if len(self._ids) != 1:
            self._ids = [Ids.joined(self._ids)]
        return self._ids[0]

    # -- what the engine calls for sources that are read through Python ---

    def batches(self) -> Iterator[Packed]:
        """Yield all texts."""
        self._ids = []
        done = 0
        for batch in self.source.batches():
            self._ids.append(batch.ids)
            yield exclude_kinds(batch.texts, self._skip).packed()
            done += len(batch)
            if self.count:
                self.count(done)

    def fetch(self, numbers: bytes) -> Iterator[tuple[bytes, Packed]]:
        """Yield some texts again, with their numbers."""
        wanted = array("I", numbers)
        left = len(wanted)
        for found, texts in self.source.fetch(wanted):
            left -= len(found)
            yield array("I", found).tobytes(), exclude_kinds(texts, self._skip).packed()
        if left:
            raise changed(self.source.name)


def _table(part: NativePart) -> _native.Input:
    try:
        check_file(part.path)
    except OSError as error:
        raise open_error(part.name, error) from None
    file = _native.TableFile.open(part.path, part.format, part.compression, part.limits.native())
    return _native.Input.of_table(file, part.text, part.id)


def _part_ids(part: NativePart, rows: dict[str, Any]) -> Ids:
    """Return the ids of a table: those of its column, or the numbers of its rows."""
    if rows["repeated"] is not None:
        first, second = rows["repeated"]
        ids = _column_ids(rows)
        raise duplicate_id(ids[second], *(place(part.name, _row(rows, one)) for one in (first, second)))
    if part.id is not None and rows["documents"]:
        ids = _column_ids(rows)
        return ids if part.number_ids else ids.as_texts()
    numbers = range(rows["documents"]) if rows["places"] is None else array("q", rows["places"])
    if part.named_rows:
        return Ids.of([f"{part.name}:{number + 1}" for number in numbers])
    return Ids(numbers) if part.number_ids else Ids(numbers).as_texts()


def _column_ids(rows: dict[str, Any]) -> Ids:
    if rows["numbers"] is not None:
        return Ids.of_numbers(rows["numbers"])
    return Ids.of_texts(rows["offsets"], rows["texts"])


def _row(rows: dict[str, Any], document: int) -> int:
    return document if rows["places"] is None else array("q", rows["places"])[document]


def _skipped(part: NativePart, rows: dict[str, Any]) -> Iterator[Skipped]:
    for row, reason, about, own in rows["skipped"]:
        if reason == "too large":
            yield _too_large(part, row, own)
        else:
            yield skipped_row(part.name, row, reason, about, own, part.text, named=part.named_rows)
    if not rows["rows"]:
        yield empty_table(part.name)


def _too_large(part: NativePart, row: int, own: object) -> Skipped:
    if part.format == "jsonl":
        return line_too_long(part.name, row, part.limits)
    return row_too_large(part.name, row, own, part.text, part.limits, named=part.named_rows)


def sources_together(new: SearchInput, old: SearchInput | None) -> Source:
    """Return where the texts can be read again."""
    return new.source if old is None else Both(new.source, old.source, len(new.ids))


def sign(
    documents: Any = None,
    recipe: Recipe | None = None,
    *,
    text: str | None = None,
    id: str | None = None,  # noqa: A002 - the public name
    tokens: Any = None,
    threads: int = 0,
) -> Signatures:
    """Return the signatures of whatever `find` takes; `threads=0` takes all cores. The numbers do not depend on it.

    >>> len(sign(["one two three", "four five six"]))
    2
    >>> sign(tokens=[{"a", "b"}])[0] == sign(tokens=[["b", "a", "b"]])[0]
    True
    """
    from lookalike._native import SignatureMatrix
    from lookalike.documents.open import check_no_text, open_tokens, token_recipe
    from lookalike.engine.sign import Signatures, sign_texts

    if tokens is None:
        recipe = recipe or DEFAULT
        source = open_documents(documents, text=text, id=id)
    else:
        check_no_text(text)
        recipe = token_recipe(recipe)
        source = open_tokens(documents, tokens, id, ordered=recipe.k > 1)
    if isinstance(source, MemorySource):  # texts that are held already are not packed first
        return sign_texts(source.texts, recipe, threads=threads)
    core, threads = settings(recipe), check_threads(threads)
    signed = bytearray()
    for batch in source.batches():
        signed += SignatureMatrix.of_texts([batch.texts.packed()], core, threads).to_bytes()
    return Signatures(SignatureMatrix.of_bytes(bytes(signed), recipe.hashes), recipe)


def _text_bytes(part: NativePart, table: _native.Input) -> int:
    """Return about how many bytes of text a table has: what the file says of itself, or its size."""
    told = table.text_bytes()
    if told is not None:
        return told
    size = Path(part.path).stat().st_size
    return size * COMPRESSED_FACTOR if part.compression else size
