"""A search larger than memory: the stages of the core one by one, with files in between (see `workdir`).

Texts are read twice: once to sign them, once more for the documents that some candidate names. Signatures and band keys
go to files and come back in blocks. The stages, with what one record covers:

    sign        a batch      ids, lengths, digests, signatures; band keys, a file for each band
    candidates  a band       packed pairs, a file for each block of first documents
    filter      a block      the pairs whose signatures agree in enough slots
    sets        a batch      element sets of the documents that are left
    verify      a block      exact scores

The answer is the one that the search in memory gives, whatever the budget and however often the run was interrupted.
"""

from __future__ import annotations

import json
import time
from array import array
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Any, Final

from lookalike import _native
from lookalike.documents import Skipped
from lookalike.documents.extract.model import Flag
from lookalike.errors import LookalikeError
from lookalike.search.load import flags_together, ids_together
from lookalike.settings import settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa

    from lookalike.documents import Batch, Source
    from lookalike.engine.strategy import Strategy
    from lookalike.recipe import Recipe
    from lookalike.search.workdir import WorkDir

__all__ = ["LEAST_MEMORY", "LargeSearch"]

LEAST_MEMORY: Final = 512 * 2**20
"""Below this a promise could not be kept: Python, Arrow and one batch of texts need most of it."""
PAIR: Final = 8
SCORES: Final = ("jaccard", "containment_a", "containment_b")


@dataclass(slots=True)
class LargeSearch:
    """One search in a work folder."""

    work: WorkDir
    source: Source
    recipe: Recipe
    strategy: Strategy
    ignored: list[int]
    memory: int
    threads: int
    old: Source | None = None
    """Documents that are compared with those of `source`, never with each other."""
    progress: Callable[[str, int, int | None], None] | None = None

    def run(self) -> dict[str, Any]:
        """Do what is left to do; returns what `_native.find` returns."""
        seconds: dict[str, float] = {}
        stages = {
            "sign": self._sign,
            "candidates": self._candidates,
            "filter": self._filter,
            "sets": self._sets,
            "verify": self._verify,
        }
        for name, stage in stages.items():
            started = time.perf_counter()
            stage()
            seconds[name] = time.perf_counter() - started
        read = self.work.read
        columns = {name: read(f"found-{name}.bin") for name in ("a", "b", *SCORES)}
        candidates = sum(self.work.size(f"kept-{i}.bin") for i in range(self._blocks)) // PAIR
        return {"class": self._classes, **columns, "candidates": candidates, "seconds": seconds}

    # -- what the stages share ---------------------------------------------------------------------------------------

    @property
    def _documents(self) -> int:
        return self.work.done("sign")

    @property
    def old_from(self) -> int:
        """Number of the first old document; all documents if there is none."""
        return self.work.done("old from") if self.old else self._documents

    @property
    def _block(self) -> int:
        """Documents in a block: the signatures of two blocks, as bytes and as numbers, fit a third of the memory."""
        return max(1, self.memory // (3 * 4 * 4 * self.recipe.hashes))

    @property
    def _blocks(self) -> int:
        return -(-self._documents // self._block)

    @property
    def _classes(self) -> bytes:
        return self.work.read("classes.bin")

    def _tell(self, stage: str, done: int, total: int | None) -> None:
        if self.progress:
            self.progress(stage, done, total)

    def _batches_after(self, count: int) -> Iterator[tuple[int, Batch]]:
        """Give the batches of the source with the number of their first document, without those before `count`."""
        first = 0
        for source in (self.source, self.old):
            if source is None:
                continue
            if source is self.old and not self.work.done("old from"):
                self.work.record("old from", first)
            for batch in source.batches():
                if first >= count:
                    yield first, batch
                elif first + len(batch) > count:
                    raise LookalikeError(
                        f"{source.name} has changed since the search began; start again in a new folder"
                    )
                first += len(batch)

    # -- the stages --------------------------------------------------------------------------------------------------

    def _sign(self) -> None:
        bands = self.strategy.bands
        if self.work.done("signed") or bands is None:
            return
        expected = self.source.size().documents
        for first, batch in self._batches_after(self.work.done("sign")):
            signatures, digests, keys = _native.sign_batch(
                [batch.texts.packed()], settings(self.recipe), self.ignored, bands.bands, bands.rows, self.threads
            )
            self.work.append("signatures.bin", signatures)
            self.work.append("digests.bin", digests)
            for band, data in enumerate(keys):
                self.work.append(f"keys-{band}.bin", data)
            _append_ids(self.work, batch)
            self.work.record("sign", first + len(batch))
            self._tell("signing", first + len(batch), expected)
        self.work.append("classes.bin", _native.classes_of(self.work.read("digests.bin")))
        sources = [source for source in (self.source, self.old) if source is not None]
        skipped = [[s.id, s.reason, s.detail] for source in sources for s in source.skipped()]
        notes = [note for source in sources for note in source.notes()]
        flags = [
            [[name, *astuple(flag)] for name, found in source.flags().items() for flag in found] for source in sources
        ]
        said = {"skipped": skipped, "notes": notes, "flags": flags}
        self.work.append("said.bin", json.dumps(said).encode("utf-8"))
        self.work.record("signed", 1)

    def _candidates(self) -> None:
        bands = self.strategy.bands
        classes = self._classes
        most = max(1, self.memory // (8 * PAIR))
        for band in range(self.work.done("candidates"), bands.bands if bands else 0):
            buckets = _native.BandBuckets(self.work.read(f"keys-{band}.bin"), classes, self.old_from)
            while pairs := buckets.next(most):
                for block, data in self._by_block(_native.merge_pairs(pairs)):
                    self.work.append(f"pairs-{block}.bin", data)
            self.work.record("candidates", band + 1)
            self._tell("candidates", band + 1, bands.bands if bands else 0)

    def _by_block(self, pairs: bytes) -> Iterator[tuple[int, bytes]]:
        """Cut sorted pairs at the borders of the blocks of their first documents."""
        numbers = memoryview(pairs).cast("Q")
        start = 0
        while start < len(numbers):
            block = (numbers[start] >> 32) // self._block
            end = _first_at_least(numbers, ((block + 1) * self._block) << 32, start)
            yield block, pairs[start * PAIR : end * PAIR]
            start = end

    def _filter(self) -> None:
        for block in range(self.work.done("filter"), self._blocks):
            pairs = _native.merge_pairs(self.work.read(f"pairs-{block}.bin"))
            if pairs:
                self.work.append(f"kept-{block}.bin", _native.merge_pairs(self._agreeing(block, pairs)))
            self.work.record("filter", block + 1)
            self._tell("filtering", block + 1, self._blocks)

    def _agreeing(self, block: int, pairs: bytes) -> bytes:
        """Return the pairs of one block of first documents whose signatures agree enough."""
        own = self._signatures(block)
        second: dict[int, array[int]] = {}
        for pair in memoryview(pairs).cast("Q"):
            second.setdefault((pair & 0xFFFF_FFFF) // self._block, array("Q")).append(pair)
        kept = []
        for other, some in sorted(second.items()):
            kept.append(
                _native.filter_pairs(
                    some.tobytes(),
                    first_a=block * self._block,
                    signatures_a=own,
                    first_b=other * self._block,
                    signatures_b=own if other == block else self._signatures(other),
                    hashes=self.recipe.hashes,
                    least=self.strategy.least,
                    threads=self.threads,
                )
            )
        return b"".join(kept)

    def _signatures(self, block: int) -> bytes:
        width = 4 * self.recipe.hashes
        return self.work.read("signatures.bin", block * self._block * width, self._block * width)

    def _sets(self) -> None:
        if self.work.done("all sets"):
            return
        wanted = bytearray(self._documents)
        for block in range(self._blocks):
            for pair in memoryview(self.work.read(f"kept-{block}.bin")).cast("Q"):
                wanted[pair >> 32] = wanted[pair & 0xFFFF_FFFF] = 1
        for first, batch in self._batches_after(self.work.done("sets")):
            chosen = bytes(wanted[first : first + len(batch)])
            if any(chosen):
                sizes, elements = _native.sets_of(
                    [batch.texts.packed()], chosen, settings(self.recipe), self.ignored, self.threads
                )
                self.work.append(
                    "set-documents.bin", array("I", (first + i for i, w in enumerate(chosen) if w)).tobytes()
                )
                self.work.append("set-sizes.bin", sizes)
                self.work.append("set-elements.bin", elements)
            self.work.record("sets", first + len(batch))
            self._tell("reading candidates", first + len(batch), self._documents)
        self.work.record("all sets", 1)

    def _verify(self) -> None:
        sets = _Sets.open(self.work, self.memory)
        order = sorted({(block, i) for block in range(self._blocks) for i in range(len(sets.borders))})
        for number, (block, part) in enumerate(order):
            if number < self.work.done("verify"):
                continue
            pairs = memoryview(self.work.read(f"kept-{block}.bin")).cast("Q")
            by_second: dict[int, array[int]] = {}
            for pair in pairs:
                if sets.part_of(pair >> 32) == part:
                    by_second.setdefault(sets.part_of(pair & 0xFFFF_FFFF), array("Q")).append(pair)
            self._verify_part(sets, part, by_second)
            self.work.record("verify", number + 1)
            self._tell("verifying", number + 1, len(order))
        if not self.work.done("verified"):
            self._sort_found()
            self.work.record("verified", 1)

    def _verify_part(self, sets: _Sets, part: int, by_second: dict[int, array[int]]) -> None:
        own = sets.block(part) if by_second else None
        for other, some in sorted(by_second.items()):
            assert own is not None  # noqa: S101  for the type checker: there is something to verify
            found = _native.verify_pairs(
                some.tobytes(),
                own,
                own if other == part else sets.block(other),
                settings(self.recipe),
                metric="jaccard",
                threshold=self.strategy.threshold,
                threads=self.threads,
            )
            for name in ("a", "b", *SCORES):
                self.work.append(f"unsorted-{name}.bin", found[name])

    def ids(self) -> tuple[pa.Array[Any], pa.Array[Any]]:
        """Return the ids and lengths of all documents."""
        import pyarrow as pa

        new: list[pa.Array[Any]] = []
        old: list[pa.Array[Any]] = []
        lengths: list[pa.Array[Any]] = []
        if not self.work.size("ids.arrow"):
            return pa.array([], pa.large_string()), pa.array([], pa.uint64())
        with pa.OSFile(str(self.work.path("ids.arrow")), "rb") as file:
            while file.tell() < file.size():
                table = pa.ipc.open_stream(file).read_all()
                is_old = sum(map(len, new)) >= self.old_from
                (old if is_old else new).extend(table.column("id").chunks)
                lengths.extend(table.column("length").chunks)
        nothing = [pa.array([], (new or old)[0].type)]
        together = ids_together(pa.concat_arrays(new or nothing), pa.concat_arrays(old)) if old else None
        return together if together is not None else pa.concat_arrays(new), pa.concat_arrays(lengths)

    def said(self, ids: pa.Array[Any]) -> tuple[list[Skipped], list[str], dict[str, list[Flag]]]:
        """Return what was left out, what should be told and what is odd, as it was when the texts were signed."""
        kept: dict[str, Any] = json.loads(self.work.read("said.bin") or b'{"skipped": [], "notes": []}')
        new: dict[str, list[Flag]] = {}
        old: dict[str, list[Flag]] = {}
        for of_source, found in zip((new, old), kept.get("flags", ()), strict=False):
            for name, *flag in found:
                of_source.setdefault(name, []).append(Flag(*flag))
        together = flags_together(new, old, ids.slice(self.old_from))
        return [Skipped(*skipped) for skipped in kept["skipped"]], kept["notes"], together

    def _sort_found(self) -> None:
        """Put the verified pairs in the order of all results."""
        import pyarrow as pa

        kinds = {"a": pa.uint32(), "b": pa.uint32()} | dict.fromkeys(SCORES, pa.float64())
        columns = {}
        for name, kind in kinds.items():
            data = self.work.read(f"unsorted-{name}.bin")
            columns[name] = pa.Array.from_buffers(kind, len(data) * 8 // kind.bit_width, [None, pa.py_buffer(data)])
        table = pa.table(columns).sort_by([("a", "ascending"), ("b", "ascending")]).combine_chunks()
        for name in kinds:
            for chunk in table.column(name).chunks:
                width = chunk.type.bit_width // 8
                start, end = chunk.offset * width, (chunk.offset + len(chunk)) * width
                values = chunk.buffers()[1]
                self.work.append(f"found-{name}.bin", values.to_pybytes()[start:end] if values is not None else b"")


def _append_ids(work: WorkDir, batch: Batch) -> None:
    """Keep ids and lengths of a batch as one Arrow stream each; streams stand one after the other in the file."""
    import pyarrow as pa
    import pyarrow.compute as pc

    lengths: pa.Array[Any] = pc.call_function("utf8_length", [batch.texts.to_arrow()])
    table = pa.table({"id": batch.ids.to_arrow(), "length": lengths.cast(pa.uint64())})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    work.append("ids.arrow", sink.getvalue().to_pybytes())


def _first_at_least(numbers: memoryview[int], value: int, low: int) -> int:
    high = len(numbers)
    while low < high:
        middle = (low + high) // 2
        if numbers[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@dataclass(slots=True)
class _Sets:
    """The element sets in their file, in parts of consecutive documents of which two fit the memory."""

    work: WorkDir
    documents: array[int]
    starts: array[int]
    borders: list[int]
    """Place in `documents` of the first of each part."""

    @classmethod
    def open(cls, work: WorkDir, memory: int) -> _Sets:
        documents = array("I", work.read("set-documents.bin"))
        starts = array("Q", [0])
        for size in array("Q", work.read("set-sizes.bin")):
            starts.append(starts[-1] + size)
        most = memory // (8 * 8)  # elements: eight bytes each, as bytes and as numbers, two parts, half of the memory
        borders = [0] if documents else []
        for i in range(len(documents)):
            if starts[i + 1] - starts[borders[-1]] > most and i > borders[-1]:
                borders.append(i)
        return cls(work, documents, starts, borders)

    def part_of(self, document: int) -> int:
        """Return the part that a document's set is in."""
        from bisect import bisect_left, bisect_right

        return bisect_right(self.borders, bisect_left(self.documents, document)) - 1

    def block(self, part: int) -> tuple[bytes, bytes, bytes]:
        """Read one part: numbers of documents, starts, elements."""
        first = self.borders[part]
        last = self.borders[part + 1] if part + 1 < len(self.borders) else len(self.documents)
        start, end = self.starts[first], self.starts[last]
        starts = array("Q", (s - start for s in self.starts[first : last + 1]))
        elements = self.work.read("set-elements.bin", start * 8, (end - start) * 8)
        return self.documents[first:last].tobytes(), starts.tobytes(), elements
