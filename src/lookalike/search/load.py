"""Documents as the core takes them: ids, and texts that are not copied again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from lookalike.documents import Batch, Size, Skipped, Source, open_documents
from lookalike.documents.batching import number_array, string_array
from lookalike.documents.gather import gather

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from lookalike.documents.extract.model import Flag
    from lookalike.search.uncounted import Gaps

__all__ = ["Loaded", "Packed", "flags_together", "ids_together", "load", "packed", "together"]


Packed: TypeAlias = tuple[Any, Any, int, int]
"""Texts as Arrow lays them out: offsets of 64 bits, UTF-8, the first, and how many they are."""

KEPT: Final = 64 << 20
"""Bytes of text up to which what was read from files is kept with the result, for passages, reports and audits."""


@dataclass(slots=True)
class Loaded:
    """A collection in memory."""

    ids: pa.Array[Any]
    texts: list[Any]
    """What `_native` takes: str, or packed UTF-8 that belongs to Arrow."""
    lengths: pa.Array[Any]
    """The length of each text in code points."""
    skipped: list[Skipped] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    flags: dict[str, list[Flag]] = field(default_factory=dict)
    source: Source | None = None

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.ids)

    def text(self, number: int) -> str:
        """Return the text of a document, as the core takes it."""
        for texts in self.texts:
            if isinstance(texts, str):
                if number == 0:
                    return texts
                number -= 1
                continue
            offsets, data, first, count = texts
            if number < count:
                start, end = memoryview(offsets).cast("B").cast("q")[first + number : first + number + 2]
                return str(memoryview(data)[start:end], "utf-8")
            number -= count
        raise IndexError(number)

    @property
    def size(self) -> int:
        """The length of all texts together."""
        import pyarrow.compute as pc

        return pc.sum(self.lengths).as_py() or 0


def load(
    documents: Any,
    progress: Callable[[str, int, int | None], None] | None = None,
    gaps: Gaps | None = None,
    taken: Callable[[Packed, int], None] | None = None,
) -> Loaded:
    """Read a collection into memory; texts of a list stay where they are. `gaps` blanks what is left out of them.

    `taken` is given each batch that is read, and how many code points it has; the texts of a list are not read.
    """
    import pyarrow as pa

    paths = isinstance(documents, list | tuple) and any(hasattr(one, "__fspath__") for one in documents)
    if isinstance(documents, list | tuple | Mapping | Iterator) and not paths:
        collection = gather(documents)
        numbered = not collection.ids or isinstance(collection.ids[0], int)
        ids = number_array(map(int, collection.ids)) if numbered else string_array(map(str, collection.ids))
        lengths = number_array(map(len, collection.texts)).cast(pa.uint64())
        held = (
            dict(zip(collection.ids, collection.texts, strict=True))
            if isinstance(documents, Mapping)
            else collection.texts
        )
        source = open_documents(held)
        texts = [gaps.text(text) for text in collection.texts] if gaps else list(collection.texts)
        return Loaded(ids, texts, lengths, source=source)
    return _load_source(open_documents(documents), progress, gaps, taken)


def _load_source(
    source: Source,
    progress: Callable[[str, int, int | None], None] | None,
    gaps: Gaps | None,
    taken: Callable[[Packed, int], None] | None,
) -> Loaded:
    import pyarrow as pa
    import pyarrow.compute as pc

    ids: list[pa.Array[Any]] = []
    lengths: list[pa.Array[Any]] = []
    texts: list[Any] = []
    expected = source.size().documents if progress else None
    done = size = 0
    kept: list[Batch] = []
    for batch in source.batches():
        ids.append(batch.ids.to_arrow())
        column = batch.texts.to_arrow()
        texts.append(packed(gaps.array(column) if gaps else column))
        size += batch.texts.nbytes
        kept = [*kept, batch] if size <= KEPT else []
        lengths.append(pc.call_function("utf8_length", [column]).cast(pa.uint64()))
        if taken:
            taken(texts[-1], pc.sum(lengths[-1]).as_py() or 0)
        done += len(batch)
        if progress:
            progress("reading", done, expected)
    kind = ids[0].type if ids else pa.large_string()
    return Loaded(
        ids=pa.concat_arrays(ids) if ids else pa.array([], type=kind),
        texts=texts,
        lengths=pa.concat_arrays(lengths) if lengths else pa.array([], type=pa.uint64()),
        skipped=source.skipped(),
        notes=source.notes(),
        flags=source.flags(),
        source=_Kept(source, kept) if size <= KEPT else source,
    )


def together(new: Loaded, old: Loaded) -> Loaded:
    """Put old documents behind the new ones."""
    import pyarrow as pa

    ids = ids_together(new.ids, old.ids)
    return Loaded(
        ids=ids,
        texts=new.texts + old.texts,
        lengths=pa.concat_arrays([new.lengths, old.lengths]),
        skipped=new.skipped + old.skipped,
        notes=new.notes + old.notes,
        flags=flags_together(new.flags, old.flags, ids.slice(len(new.ids))),
        source=_Both(new.source, old.source) if new.source and old.source else None,
    )


class _Kept(Source):
    """A source whose texts are still in memory: nobody has to open a thousand pdf files twice to show a passage."""

    def __init__(self, source: Source, batches: list[Batch]) -> None:
        self.name = source.name
        self._source, self._batches = source, batches

    @property
    def schema(self) -> pa.Schema | None:
        return self._source.schema

    def batches(self, *, rows: bool = False) -> Iterator[Batch]:
        yield from self._source.batches(rows=True) if rows else self._batches

    def skipped(self) -> list[Skipped]:
        return self._source.skipped()

    def notes(self) -> list[str]:
        return self._source.notes()

    def flags(self) -> dict[str, list[Flag]]:
        return self._source.flags()

    def size(self) -> Size:
        return self._source.size()


class _Both(Source):
    """Two sources, one after the other, so that new and old documents can be read again together."""

    def __init__(self, new: Source, old: Source) -> None:
        self.name = f"{new.name} and {old.name}"
        self._sources = (new, old)

    def batches(self, *, rows: bool = False) -> Iterator[Batch]:
        for source in self._sources:
            yield from source.batches(rows=rows)

    def skipped(self) -> list[Skipped]:
        return [skipped for source in self._sources for skipped in source.skipped()]

    def notes(self) -> list[str]:
        return [note for source in self._sources for note in source.notes()]

    def flags(self) -> dict[str, list[Flag]]:
        new, old = (source.flags() for source in self._sources)
        return old | new

    def size(self) -> Size:
        sizes = [source.size() for source in self._sources]
        counts = [size.documents for size in sizes if size.documents is not None]
        return Size(sum(counts) if len(counts) == len(sizes) else None, sum(size.bytes for size in sizes))


def flags_together(
    new: dict[str, list[Flag]], old: dict[str, list[Flag]], old_ids: pa.Array[Any]
) -> dict[str, list[Flag]]:
    """Put the flags of old documents beside those of new ones, under the ids that the old ones have now."""
    if not old:
        return new
    renamed = f"old:{next(iter(old))}" in set(old_ids.to_pylist())
    return new | {f"old:{name}" if renamed else name: flags for name, flags in old.items()}


def ids_together(new: pa.Array[Any], old: pa.Array[Any]) -> pa.Array[Any]:
    """Put old ids behind new ones; if both have some in common, all old ones get the prefix ``old:``."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if new.type != old.type:
        new, old = new.cast(pa.large_string()), old.cast(pa.large_string())
    if pc.any(pc.is_in(old, value_set=new)).as_py():
        new, old = new.cast(pa.large_string()), old.cast(pa.large_string())
        mark, nothing = pa.scalar("old:", pa.large_string()), pa.scalar("", pa.large_string())
        old = pc.call_function("binary_join_element_wise", [mark, old, nothing])
    return pa.concat_arrays([new, old])


def packed(texts: pa.Array[Any]) -> Packed:
    """Return a large_string array as (offsets, data, first, count), without copying it."""
    _, offsets, data = texts.buffers()
    return (
        memoryview(offsets).cast("B") if offsets is not None else bytes(8),
        memoryview(data).cast("B") if data is not None else b"",
        texts.offset,
        len(texts),
    )
