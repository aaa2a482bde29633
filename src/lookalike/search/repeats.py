"""What was cut out of documents: every part that occurred before, and the document that keeps it."""

from __future__ import annotations

import secrets
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, Self, get_args

from lookalike import _native
from lookalike.documents.table_errors import changed
from lookalike.errors import RecipeError, check_whole, suggest
from lookalike.recipe import DEFAULT, settings
from lookalike.search.budget import PROCESS, check_memory, left, resident
from lookalike.search.progress import Stages
from lookalike.tables.columns import compute
from lookalike.tables.packed import Ids, Texts
from lookalike.tables.spelling import count

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator
    from types import TracebackType
    from typing import IO

    import pyarrow as pa

    from lookalike.documents import Batch, Source
    from lookalike.recipe import Recipe

    Progress = Callable[[str, int, int | None], None]

__all__ = ["MIN_WORDS", "PARTS", "CutBatch", "Cuts", "Part", "Repeats", "Sought"]

Part = Literal["line", "paragraph", "sentence"]
PARTS: Final[tuple[str, ...]] = get_args(Part)
MIN_WORDS: Final = 5
"""Shorter lines, paragraphs and sentences are never cut, unless it is said otherwise: headings, menus, greetings."""
LONGEST: Final = 10_000
"""Words of the longest passage that can be asked for."""
HELD: Final = 2**30
"""Bytes that are held in memory if nothing else is said; what is more goes to temporary files."""


@dataclass(frozen=True)
class Cuts:
    r"""Every part that was cut out, and what that comes to.

    >>> import lookalike as la
    >>> texts = {"a": "one two three four five\nsix", "b": "One two three four five!\nseven"}
    >>> _, cuts = la.drop_repeated_parts(texts, by="line", return_cuts=True)
    >>> cuts
    <Cuts: 1 cut in 1 of 2 documents, 5 words; 0 documents left empty>
    >>> cuts.table.to_pylist()
    [{'id': 'b', 'start': 0, 'end': 25, 'words': 5, 'kept_id': 'a'}]
    """

    table: pa.Table
    """A row for each cut, in the order of the documents and of their texts.

    * ``id``: the document that it was cut from
    * ``start``, ``end``: its place in the text as it was, in code points
    * ``words``: how many words it has
    * ``kept_id``: the document in which the same words stood first; it may be the same one
    """
    documents: int
    """How many documents there are."""
    changed: int
    """How many of them lost something."""
    emptied: int
    """How many of these have no word left."""

    def __repr__(self) -> str:
        """Return one line."""
        listed: list[Any] = self.table["words"].to_pylist()
        cut = f"{count(self.table.num_rows, 'cut')} in {self.changed:,} of {count(self.documents, 'document')}"
        return f"<Cuts: {cut}, {count(sum(listed), 'word')}; {count(self.emptied, 'document')} left empty>"

    def write(self, target: str | os.PathLike[str] | IO[bytes] | IO[str], format: str) -> None:  # noqa: A002
        """Write the table as csv, jsonl, parquet or md; see `Result.write_pairs`."""
        from lookalike.tables.write_table import write_table

        write_table(target, self.table, format)


@dataclass(frozen=True, slots=True)
class Sought:
    """What is cut out when it occurs again: parts of one kind, or passages of any text.

    >>> Sought.parts("line"), Sought.passages(50)
    (Sought(by='line', words=5), Sought(by='passage', words=50))
    """

    by: str
    """``line``, ``paragraph``, ``sentence`` or ``passage``."""
    words: int
    """How many words it has at least."""

    @classmethod
    def parts(cls, by: str, min_words: int | None = None, *, option: str = "by") -> Sought:
        """Return parts of at least this many words (default: 5)."""
        if by not in PARTS:
            raise RecipeError(option, by, "line, paragraph or sentence", suggest(str(by), PARTS))
        return cls(by, check_whole("min_words", MIN_WORDS if min_words is None else min_words, 1))

    @classmethod
    def passages(cls, words: int, *, option: str = "words") -> Sought:
        """Return passages of at least this many words."""
        if check_whole(option, words, 1) > LONGEST:
            raise RecipeError(option, words, f"a whole number from 1 to {LONGEST}")
        return cls("passage", words)


@dataclass(frozen=True, slots=True)
class CutBatch:
    """Some documents after the cuts."""

    batch: Batch
    """As it was read."""
    texts: Texts
    """What is left of each text."""
    cuts: dict[str, Any]
    """Columns of the cuts, as `Cuts.table` has them, as Arrow arrays."""
    changed: list[int]
    """Which documents lost something, by their places."""

    def in_rows(self, documents: list[int]) -> list[int]:
        """Return the places of documents among the rows, which may have others between them."""
        if self.batch.is_document is None:
            return documents
        places = compute().indices_nonzero(self.batch.is_document).to_pylist()
        return [places[document] for document in documents]

    @property
    def emptied(self) -> list[int]:
        """Which documents have no word left, by their places."""
        places = self.texts.places
        return [place for place in self.changed if places[place] == places[place + 1]]


class Repeats:
    """The repeats of a source, for the length of a `with` statement."""

    def __init__(
        self,
        source: Source,
        sought: Sought,
        recipe: Recipe | None = None,
        *,
        memory: int | None = None,
        threads: int = 0,
        progress: Progress | None = None,
    ) -> None:
        """Take a source; nothing is read yet."""
        self._source, self._sought = source, sought
        self._settings = settings(recipe or DEFAULT)
        self._held = HELD if (limit := check_memory(memory)) is None else left(limit, resident() + PROCESS)
        self._threads = check_whole("threads", threads, 0)
        self._progress = None if progress is None else Stages(progress)
        self.ids = Ids(())
        """The ids of all documents."""

    def __enter__(self) -> Self:
        """Read all documents, and find the repeats."""
        self._folder = tempfile.TemporaryDirectory(prefix="lookalike-")
        try:
            self._found = self._find()
        except BaseException:
            self._folder.cleanup()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove what was kept."""
        del self._found
        self._folder.cleanup()

    def _find(self) -> _native.Repeats:
        # All hashes have a new key, so that texts with equal hashes cannot be prepared; no result depends on it.
        found = _native.Repeats(
            self._settings,
            by=self._sought.by,
            least=self._sought.words,
            secret=secrets.randbits(64),
            memory=self._held,
            folder=self._folder.name,
        )
        known = self._source.size().documents
        ids: list[Ids] = []
        done = 0
        for batch in self._source.batches():
            found.add([batch.texts.packed()], self._threads)
            ids.append(batch.ids)
            done += len(batch)
            if self._progress is not None:
                self._progress("reading", done, known)
        self.ids = Ids.joined(ids)
        found.find(self._progress)
        if self._progress is not None:
            self._progress.finish()
        return found

    def cut(self, *, rows: bool = False, lines: bool = False) -> Iterator[CutBatch]:
        """Read all documents again and cut them; with whole rows, or with their lines, if these are asked for."""
        self._found.rewind()
        done = 0
        for batch in (self._source.lines() if lines else None) or self._source.batches(rows=rows):
            if batch.ids != self.ids[done : done + len(batch)]:
                raise changed(self._source.name)
            left = self._found.cut([batch.texts.packed()], self._threads)
            if isinstance(left, int):
                raise changed(self._source.name)
            yield self._cut_batch(batch, *left)
            done += len(batch)
            if self._progress is not None:
                self._progress("cutting", done, len(self.ids))
        if done != len(self.ids):
            raise changed(self._source.name)

    def _cut_batch(self, batch: Batch, offsets: bytes, data: bytes, cuts: tuple[bytes, ...]) -> CutBatch:
        import pyarrow as pa

        own, start, end, words, first = cuts
        places, firsts = (memoryview(numbers).cast("I").tolist() for numbers in (own, first))
        columns: dict[str, pa.Array[Any]] = {"id": pa.array(batch.ids.take(places), self.id_type)}
        for name, numbers in (("start", start), ("end", end), ("words", words)):
            columns[name] = pa.Array.from_buffers(pa.int64(), len(numbers) // 8, [None, pa.py_buffer(numbers)])
        columns["kept_id"] = pa.array(self.ids.take(firsts), self.id_type)
        return CutBatch(batch, Texts(offsets, data), columns, sorted(set(places)))

    @property
    def id_type(self) -> pa.DataType:
        """The type of the ids in Arrow."""
        import pyarrow as pa

        return pa.int64() if self.ids.are_numbers else pa.large_string()

    @property
    def cuts_schema(self) -> pa.Schema:
        """The columns of the cuts."""
        import pyarrow as pa

        whole, own = pa.int64(), self.id_type
        return pa.schema([("id", own), ("start", whole), ("end", whole), ("words", whole), ("kept_id", own)])
