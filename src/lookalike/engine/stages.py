"""The stages of a search as functions of plain values: no source, file or result is needed.

`find` runs them natively on whole collections; an index, a cluster job or a notebook can call them one by one, in any
process, with a `Strategy` that was pickled there. Arrow arrays come and go; documents are called by their place.

    rows = sign_rows(texts, strategy)               # the texts may be dropped now
    candidates = propose(rows, strategy)            # pairs, copies, hot documents
    classes = confirm_copies(candidates.classes, texts, strategy)
    pairs = verify(candidates.pairs, texts, strategy)
    principals = clusters(classes, pairs)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lookalike import _native
from lookalike.engine.groups import check_order, principals
from lookalike.engine.sign import check_rows, check_slots, rows_of_bytes, texts_for_core
from lookalike.errors import RecipeError, check_threads, check_whole
from lookalike.tables.columns import COLUMNS, Found, Pairs, as_bytes, numbers, view, whole

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    from lookalike.engine import Strategy
    from lookalike.engine.groups import Linkage
    from lookalike.engine.sign import Given
    from lookalike.tables.columns import Chunks, Column, Metric

    PairTable = pa.Table | pa.RecordBatch

__all__ = [
    "UNLIMITED",
    "Candidates",
    "agree",
    "clusters",
    "confirm_copies",
    "empty_digest",
    "hot_pairs",
    "join",
    "propose",
    "sets",
    "sign_rows",
    "verify",
    "verify_sets",
]

UNLIMITED: Final = (2**62, 2**62)
"""Limits under which no cluster is too large for all its pairs to be listed."""


@dataclass(frozen=True)
class Candidates:
    """What the bands propose."""

    pairs: pa.Table
    """a and b (uint32), sorted, a < b: pairs to be verified. Of copies only the first is in any."""
    classes: Column
    """uint32 for each document: the first with an equal digest, itself if there is none before it."""
    hot: Column
    """uint32: documents in very large clusters, whose pairs `hot_pairs` finds."""


def sign_rows(texts: Given, strategy: Strategy, *, threads: int = 0) -> pa.RecordBatch:
    """Return what a search keeps of each text; a row depends on its text and the strategy alone.

    * `digest`: fixed_size_binary(24), equal for texts with the same shingles in the same numbers, and with `min_words`
      in the same order;
    * `shingles`: uint32, how many, repeats included; `length`: uint64, code points;
    * `keys`: fixed_size_list<uint64>, the key of each band (docs/format.md §6); none without bands;
    * `slots`: fixed_size_binary(hashes), a byte of each slot of the signature (docs/format.md §6).

    Rows that were signed apart, in any process, may be concatenated.

    >>> from lookalike.engine import Asked, choose_strategy
    >>> from lookalike.recipe import Recipe
    >>> strategy = choose_strategy(Asked(Recipe(k=1), 0.5, method="lsh"), size=0)
    >>> rows = sign_rows(["one two three", "one two four"], strategy)
    >>> rows.column_names, rows.column("shingles").to_pylist()
    (['digest', 'shingles', 'length', 'keys', 'slots'], [3, 3])
    """
    core, threads = strategy.native(), check_threads(threads)
    return rows_of_bytes(_native.sign_rows(texts_for_core(texts, strategy), core, threads), strategy)


def empty_digest(strategy: Strategy) -> bytes:
    """Return the digest that `sign_rows` gives every text without words, which is a copy of no other such text.

    `find` makes each of them a class of its own; a caller of single stages leaves these rows out.
    """
    digest: bytes = sign_rows([""], strategy, threads=1)["digest"][0].as_py()
    return digest


def propose(
    rows: pa.RecordBatch | pa.Table,
    strategy: Strategy,
    *,
    classes: Column | Chunks | None = None,
    old_from: int | None = None,
    limits: tuple[int, int] | None = None,
    threads: int = 0,
) -> Candidates:
    """Return the candidates among rows: those with an equal key in some band, and enough slots that agree.

    Rows from `old_from` on are old: two of them make no pair. `classes` says which are copies, where that has been
    confirmed; else those with equal digests are taken for it. `limits` are those of `join`.
    """
    if strategy.method not in ("lsh", "signatures"):
        raise RecipeError("method", strategy.method, "'lsh' or 'signatures' for candidates")
    parts = check_rows(rows, strategy)
    a, b, firsts, hot = _native.propose(
        (parts.digest, parts.keys, parts.slots),
        strategy.native(limits=limits),
        classes=None if classes is None else _uint32(classes),
        old_from=_old_from(old_from),
        threads=check_threads(threads),
    )
    import pyarrow as pa

    return Candidates(pa.table({"a": numbers(a), "b": numbers(b)}), numbers(firsts), numbers(hot))


def agree(rows_a: pa.RecordBatch | pa.Table, rows_b: pa.RecordBatch | pa.Table, strategy: Strategy) -> Column:
    """Return in how many slots row i of one table agrees with row i of the other, for each i: uint32.

    For callers whose candidates come from keys matched elsewhere: pairs with fewer than `strategy.least` can be
    dropped. Of the rows only `slots` are needed.
    """
    a, b = check_slots(rows_a, strategy), check_slots(rows_b, strategy)
    if len(rows_a) != len(rows_b):
        raise RecipeError("rows_b", len(rows_b), f"as many rows as rows_a, {len(rows_a)}")
    return numbers(_native.agree(a, b, strategy.recipe.hashes))


def verify(pairs: PairTable, texts: Given, strategy: Strategy, *, threads: int = 0) -> pa.Table:
    """Return the exact scores of pairs, a and b by their places in `texts`, without those below the threshold.

    The pairs come back sorted, each once, the smaller number first: a, b, jaccard, containment_a, containment_b.
    """
    core, threads = strategy.native(), check_threads(threads)
    return _scored(_native.verify(*_ends(pairs), texts_for_core(texts, strategy), core, threads))


def sets(texts: Given, strategy: Strategy, *, threads: int = 0) -> pa.LargeListArray[Any]:
    """Return the elements of each text that count, sorted: a list of uint64 each."""
    import pyarrow as pa

    offsets, elements = _native.sets_of(texts_for_core(texts, strategy), strategy.native(), check_threads(threads))
    values = pa.Array.from_buffers(pa.uint64(), len(elements) // 8, [None, pa.py_buffer(elements)])
    buffers = [None, pa.py_buffer(offsets)]
    made: Any = pa.Array.from_buffers(pa.large_list(pa.uint64()), len(offsets) // 8 - 1, buffers, children=[values])
    lists: pa.LargeListArray[Any] = made
    return lists


def verify_sets(pairs: PairTable, sets: Column | Chunks, strategy: Strategy, *, threads: int = 0) -> pa.Table:
    """Return what `verify` does, for documents whose elements are known: lists of uint64 as `sets` gives them.

    Only long passages count in a strategy with `min_words`; a set knows no passages, so that is refused.
    """
    import pyarrow as pa

    if strategy.min_words is not None:
        raise RecipeError("min_words", strategy.min_words, "not supported for sets, which have no passages")
    flat: Any = whole(sets).cast(pa.large_list(pa.uint64()))
    _, offsets, *_ = flat.buffers()
    ends = memoryview(b"\0" * 8 if offsets is None else offsets).cast("B")[8 * flat.offset :][: 8 * (len(flat) + 1)]
    core, threads = strategy.native(), check_threads(threads)
    return _scored(_native.verify_sets(*_ends(pairs), (ends, view(flat.values)), core, threads))


def confirm_copies(classes: Column | Chunks, texts: Given, strategy: Strategy, *, threads: int = 0) -> Column:
    """Return the classes, every copy compared with its first, shingle by shingle; one that differs leaves its class.

    Equal digests of different documents are a matter of 2⁻¹²⁸, or of malice. Where the classes do change,
    `propose(..., classes=...)` gives the candidates of those that stand alone now.
    """
    core, threads = strategy.native(), check_threads(threads)
    return numbers(_native.confirm_copies(_uint32(classes), texts_for_core(texts, strategy), core, threads))


def hot_pairs(
    candidates: Candidates,
    pairs: PairTable,
    texts: Given,
    strategy: Strategy,
    *,
    order: Sequence[int] | None = None,
    old_from: int | None = None,
    limits: tuple[int, int] | None = None,
    threads: int = 0,
) -> pa.Table:
    """Return pairs of the hot documents, in addition to `pairs`, which are verified.

    Each is listed with its representative, and with a few others, so that the clusters are those of all pairs; `order`
    says who becomes a representative first, as in `clusters`.
    """
    found = _native.hot_pairs(
        _uint32(candidates.hot),
        _uint32(candidates.classes),
        _ends(pairs),
        texts_for_core(texts, strategy),
        strategy.native(limits=limits),
        order=check_order(order, len(candidates.classes)),
        old_from=_old_from(old_from),
        threads=check_threads(threads),
    )
    return _scored(found)


def clusters(
    classes: Column | Chunks,
    pairs: PairTable,
    *,
    linkage: Linkage = "star",
    order: Sequence[int] | None = None,
    metric: Metric = "jaccard",
    old_from: int | None = None,
) -> Column:
    """Return for each document the number of its representative, uint32: itself if it is one, or in no cluster.

    `order` names every document once, by number: who comes first becomes a representative first. A process that knows
    a part of the documents only gives the order of their ids, so that the answer does not depend on how they are split.

    >>> import pyarrow as pa
    >>> pairs = pa.table({"a": [0, 1], "b": [1, 2]})
    >>> classes = pa.array([0, 1, 2, 2])  # the last is a copy of the one before it
    >>> clusters(classes, pairs).to_pylist(), clusters(classes, pairs, order=[3, 0, 1, 2]).to_pylist()
    ([0, 0, 2, 2], [0, 3, 3, 3])
    """
    scored = set(COLUMNS) <= set(pairs.schema.names)
    if old_from is not None and not scored:
        raise RecipeError("pairs", pairs.schema.names, "pairs with their scores, where some documents are old")
    a, b = map(bytes, _ends(pairs))
    unknown = bytes(2 * len(a))
    jaccard, in_b, in_a = (as_bytes(pairs.column(name)) if scored else unknown for name in COLUMNS[2:])
    found = Found(bytes(_uint32(classes)), a, b, jaccard, in_b, in_a, pairs.num_rows)
    ranked = check_order(order, found.documents)
    return numbers(principals(found, linkage, ranked, metric=metric, old_from=_old_from(old_from)))


def join(
    texts: Given,
    strategy: Strategy,
    *,
    old_from: int | None = None,
    limits: tuple[int, int] | None = None,
    threads: int = 0,
) -> Found:
    """Find the pairs of texts in memory, all stages at once; documents from `old_from` on are old.

    >>> from lookalike.engine import Asked, choose_strategy
    >>> from lookalike.recipe import Recipe
    >>> strategy = choose_strategy(Asked(Recipe(k=1), 0.5), size=100)
    >>> join(["one two three", "one two four", "five"], strategy).pairs.table.to_pylist()
    [{'a': 0, 'b': 1, 'jaccard': 0.5, 'containment_a': 0.6666666666666666, 'containment_b': 0.6666666666666666}]
    """
    core, threads = strategy.native(limits=limits), check_threads(threads)
    keep = "rows" if strategy.method in ("lsh", "signatures") else "sets"
    intake, given = _native.Intake(core, keep), _native.Input.of_texts(texts_for_core(texts, strategy))
    documents = intake.add(given, threads)["documents"]
    intake.finish(threads)
    first_old = documents if old_from is None else old_from
    found = _native.search(intake, core, [given], old_from=first_old, order=None, threads=threads)
    return Found.of_core(found, strategy.threshold)


def _old_from(given: int | None) -> int | None:
    return None if given is None else check_whole("old_from", given, 0)


def _uint32(column: Column | Chunks) -> memoryview:
    """Return whole numbers as the core takes them; `ValueError` if one does not fit 32 bits."""
    import pyarrow as pa

    return view(column if column.type == pa.uint32() else column.cast(pa.uint32()))


def _ends(pairs: PairTable) -> tuple[memoryview, memoryview]:
    return _uint32(pairs.column("a")), _uint32(pairs.column("b"))


def _scored(found: Mapping[str, bytes]) -> pa.Table:
    return Pairs(*(found[name] for name in COLUMNS)).table
