"""Shards: parts of a collection that many machines sign, and the pairs of all of them, found on one machine.

Each machine signs its shard; one machine reads the signatures of all and finds the pairs, as one search of the whole
collection would. What has to be compared exactly comes from the shingles in the files, or from the texts.
"""

from __future__ import annotations

import os
import time
from array import array
from typing import TYPE_CHECKING, Any, Final

from lookalike.documents import open_documents
from lookalike.documents.document_batches import without_words
from lookalike.engine import Asked, choose_strategy
from lookalike.engine.stages import (
    UNLIMITED,
    confirm_copies,
    empty_digest,
    propose,
    sets,
    sign_rows,
    verify,
    verify_sets,
)
from lookalike.errors import DocumentError, MismatchError, RecipeError, check_number, check_threads, suggest
from lookalike.recipe import DEFAULT, Recipe
from lookalike.result import Recall, Result
from lookalike.result.view import SearchedDocuments, SearchSettings
from lookalike.search.shard_file import Shard, ShardSettings, ShardWriter
from lookalike.tables.columns import COLUMNS, Found, as_bytes, numbers
from lookalike.tables.packed import Ids, Texts
from lookalike.tables.spelling import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from lookalike.documents import Source
    from lookalike.engine import Strategy
    from lookalike.engine.groups import Linkage
    from lookalike.engine.stages import Candidates
    from lookalike.tables.columns import Column

__all__ = ["KEEPS", "find_shards", "sign_shard"]

KEEPS: Final = ("shingles", "signature")


def sign_shard(
    documents: Any,
    path: str | os.PathLike[str],
    *,
    text: str | None = None,
    id: str | None = None,  # noqa: A002 - the public name
    threshold: float = 0.8,
    recall: float = 0.99,
    recipe: Recipe | None = None,
    keep: str = "shingles",
    threads: int = 0,
) -> int:
    """Write the signatures of documents to a file, for `find_shards`; returns how many they are.

    `documents` is whatever `find` takes; `text` and `id` name columns. The settings must be the same for all shards.
    `keep="shingles"` writes the hashes of the shingles too, so that pairs can be compared exactly without the texts; it
    takes 8 bytes for each.

    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> fox = "the quick brown fox jumps over the lazy dog"
    >>> sign_shard({"a": fox}, folder / "1.sig"), sign_shard({"b": fox, "c": "another text"}, folder / "2.sig")
    (1, 2)
    >>> find_shards([folder / "1.sig", folder / "2.sig"]).pairs.to_pylist()
    [{'a': 'a', 'b': 'b', 'jaccard': 1.0, 'containment_a': 1.0, 'containment_b': 1.0}]
    """
    if keep not in KEEPS:
        raise RecipeError("keep", keep, "'shingles' or 'signature'", suggest(keep, KEEPS))
    asked = Asked(recipe or DEFAULT, threshold, recall, "lsh")
    strategy = choose_strategy(asked, size=0)
    threads = check_threads(threads)
    source = open_documents(documents, text=text, id=id)
    with ShardWriter(path, ShardSettings.of(strategy, float(recall), keep)) as writer:
        for batch in source.batches():
            rows = sign_rows(batch.texts, strategy, threads=threads)
            kept = sets(batch.texts, strategy, threads=threads) if keep == "shingles" else None
            writer.write(batch.ids, rows, kept)
        writer.notes, writer.skipped = source.notes(), source.skipped()
    return writer.documents


def find_shards(
    paths: Sequence[str | os.PathLike[str]],
    threshold: float | None = None,
    *,
    texts: Any = None,
    names: bool = False,
    linkage: Linkage = "star",
    threads: int = 0,
) -> Result:
    """Find the pairs of documents whose signatures are in these files: those that one search of all would find.

    * `threshold`: that of the shards, or a higher one.
    * `texts`: where the same documents can be read, in the order of the files; needed for files without shingles.
    * `names`: put the name of the file before each id, as ``part-1:7``, for shards whose ids are not unique.

    Signatures must have been made with the same settings; other ones are a `MismatchError`.
    """
    started = time.perf_counter()
    threads = check_threads(threads)
    if isinstance(paths, str | os.PathLike):
        raise DocumentError(os.fspath(paths), "paths", "are one path, not several", "give a list of paths")
    shards = [Shard.open(path) for path in paths]
    if not shards:
        raise DocumentError("shards", "files", "are missing", "name the files that lookalike sign wrote")
    settings = _same_settings(shards)
    strategy = settings.strategy(_threshold(threshold, settings))
    ids = _ids(shards, names=names)
    source = None if texts is None else open_documents(texts)
    _check_sources(shards, ids, source)
    rows = _rows(shards)
    candidates = propose(rows, strategy, limits=UNLIMITED, threads=threads)
    exact = _Exact(shards, source, strategy, threads)
    confirmed = exact.confirmed(candidates)
    if confirmed != candidates.classes:
        candidates = propose(rows, strategy, classes=confirmed, limits=UNLIMITED, threads=threads)
    pairs = exact.verified(candidates.pairs)
    columns: dict[str, Any] = {name: as_bytes(pairs[name]) for name in COLUMNS}
    classes, only = array("I", as_bytes(confirmed)), empty_digest(strategy)
    empty = [number for number, digest in enumerate(rows.column("digest").to_pylist()) if digest == only]
    for number in empty:
        classes[number] = number
    found = Found(classes=classes.tobytes(), candidates=candidates.pairs.num_rows, **columns)
    documents = SearchedDocuments(
        ids=ids,
        lengths=as_bytes(rows.column("length")),
        skipped=[
            *(one for shard in shards for one in shard.skipped),
            *(without_words(ids[number]) for number in empty),
        ],
        notes=[note for shard in shards for note in shard.notes],
        source=source,
    )
    made = SearchSettings(
        recipe=settings.recipe,
        threshold=strategy.threshold,
        method="lsh",
        bands=strategy.bands,
        recall=Recall(promised=strategy.promised),
        linkage=linkage,
        timings={"all": time.perf_counter() - started},
    )
    return Result(documents, made, found)


# -- what the files say ------------------------------------------------------------------------------------------------


def _same_settings(shards: Sequence[Shard]) -> ShardSettings:
    first = shards[0]
    for other in shards[1:]:
        differ: dict[str, tuple[object, object]] = first.settings.recipe.differences(other.settings.recipe) or {
            name: (own, its)
            for name in ("threshold", "recall", "bands")
            if (own := getattr(first.settings, name)) != (its := getattr(other.settings, name))
        }
        if differ:
            raise MismatchError(first.name, other.name, differ, "sign all shards with the same options")
    return first.settings


def _threshold(given: float | None, settings: ShardSettings) -> float:
    if given is None:
        return settings.threshold
    value = check_number("threshold", given, "a number above 0 and at most 1")
    if not settings.threshold <= value <= 1.0:
        allowed = f"from {settings.threshold:g}, for which the shards were signed, to 1"
        raise RecipeError("threshold", given, allowed, "sign them again for a lower one")
    return value


def _ids(shards: Sequence[Shard], *, names: bool) -> Ids:
    if names:
        stems = [os.path.splitext(os.path.basename(shard.name))[0] for shard in shards]  # noqa: PTH119, PTH122
        return Ids.of([f"{stem}:{own}" for stem, shard in zip(stems, shards, strict=True) for own in shard.ids])
    kinds = {shard.ids.are_numbers for shard in shards if len(shard.ids)}
    if len(kinds) > 1:
        raise DocumentError(shards[0].name, "ids", "are numbers in one shard and texts in another", _NAMES)
    ids = Ids.joined(shard.ids for shard in shards)
    if (twice := ids.repeated()) is not None:
        where = [shard.name for shard in shards if twice in set(shard.ids)]
        problem = f"is used by more than one document: {' and '.join((where * 2)[:2])}"
        raise DocumentError(twice, "id", problem, _NAMES)
    return ids


def _check_sources(shards: Sequence[Shard], ids: Ids, source: Source | None) -> None:
    if source is None:
        bare = next((shard for shard in shards if not shard.has_shingles), None)
        if bare is not None:
            remedy = "give the texts too (--texts), or sign with keep='shingles'"
            raise DocumentError(bare.name, "file", "has only signatures, which give no exact scores", remedy)
        return
    place, signed = 0, Ids.joined(shard.ids for shard in shards)
    for batch in source.batches():
        for own in batch.ids:
            if place >= len(ids) or signed[place] != own:
                raise DocumentError(own, "text", "is not the document that was signed in its place", _ORDER)
            place += 1
    if place != len(ids):
        problem = f"are {count(place, 'document')}, and {len(ids):,} were signed"
        raise DocumentError(source.name, "texts", problem, _ORDER)


_NAMES: Final = "put the name of its part before each id (--names, names=True)"
_ORDER: Final = "name the same documents in the order of the shards"


def _rows(shards: Sequence[Shard]) -> pa.Table:
    import pyarrow as pa

    return pa.concat_tables([shard.rows for shard in shards]).combine_chunks()


# -- what is compared --------------------------------------------------------------------------------------------------


class _Exact:
    """Compares documents by what can be had of them: their shingles, or their texts."""

    def __init__(self, shards: Sequence[Shard], source: Source | None, strategy: Strategy, threads: int) -> None:
        self._shards, self._source = shards, source
        self._strategy, self._threads = strategy, threads

    def confirmed(self, candidates: Candidates) -> Column:
        """Return the classes without copies that differ from their first."""
        classes = array("I", as_bytes(candidates.classes))
        copies = [number for number, first in enumerate(classes) if first != number]
        if not copies:
            return candidates.classes
        wanted = sorted({*copies, *(classes[number] for number in copies)})
        held = self._held(wanted)
        place = {number: at for at, number in enumerate(wanted)}
        if self._source is not None:
            own = numbers(array("I", [place[classes[number]] for number in wanted]).tobytes())
            right = array("I", as_bytes(confirm_copies(own, held, self._strategy, threads=self._threads)))
            different = [number for at, number in enumerate(wanted) if right[at] == at and classes[number] != number]
        else:
            listed = held.to_pylist()
            different = [number for number in copies if listed[place[number]] != listed[place[classes[number]]]]
        for number in different:
            classes[number] = number
        return numbers(classes.tobytes())

    def verified(self, pairs: pa.Table) -> pa.Table:
        """Return the pairs at or above the threshold with their scores."""
        import pyarrow as pa

        a, b = (array("I", as_bytes(pairs[name])) for name in ("a", "b"))
        wanted = sorted({*a, *b})
        place = {number: at for at, number in enumerate(wanted)}
        ends = {
            name: numbers(array("I", [place[number] for number in side]).tobytes())
            for name, side in (("a", a), ("b", b))
        }
        compare = verify if self._source is not None else verify_sets
        found = compare(pa.table(ends), self._held(wanted), self._strategy, threads=self._threads)
        for at, name in enumerate(("a", "b")):
            back = array("I", [wanted[number] for number in array("I", as_bytes(found[name]))])
            found = found.set_column(at, name, numbers(back.tobytes()))
        return found

    def _held(self, wanted: Sequence[int]) -> Any:
        """Return the texts or the shingles of some documents, by ascending numbers."""
        if self._source is not None:
            texts: dict[int, str] = {}
            for found, some in self._source.fetch(wanted):
                texts.update(zip(found, some, strict=True))
            return Texts.of(texts[number] for number in wanted)
        import pyarrow as pa

        parts, first = [], 0
        for shard in self._shards:
            end = first + len(shard.ids)
            parts += shard.shingles([number - first for number in wanted if first <= number < end])
            first = end
        if not parts:
            return pa.array([], pa.large_list(pa.uint64()))
        return pa.concat_arrays(parts)
