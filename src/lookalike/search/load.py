"""Documents as the core takes them: ids, and texts that are not copied again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from lookalike.documents import Skipped, Source, open_documents
from lookalike.documents.batching import number_array, string_array
from lookalike.documents.gather import gather
from lookalike.documents.kept import Both, Kept

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from lookalike.documents.extract.model import Flag
    from lookalike.text.uncounted import Gaps

__all__ = ["Loaded", "Packed", "flags_together", "ids_together", "load", "packed", "together"]


Packed: TypeAlias = tuple[Any, Any, int, int]
"""Texts as Arrow lays them out: offsets of 64 bits, UTF-8, the first, and how many they are."""


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
    done = 0
    kept = Kept(source)
    for batch in kept.batches():
        ids.append(batch.ids.to_arrow())
        column = batch.texts.to_arrow()
        texts.append(packed(gaps.array(column) if gaps else column))
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
        source=kept,
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
        source=Both(new.source, old.source, len(new)) if new.source and old.source else None,
    )


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
