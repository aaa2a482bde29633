"""What a search found: pairs with exact scores, groups, and the recall that was promised."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from lookalike.result.recall import Recall
from lookalike.search.found import Found

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from lookalike.documents import Skipped, Source
    from lookalike.recipe import Recipe
    from lookalike.search.bands import Bands
    from lookalike.search.found import Metric
    from lookalike.search.groups import Group, Linkage

__all__ = ["Result"]


class Result:
    """The outcome of `find`.

    Documents with the same shingles are *copies*: they are searched as one, and each reads 1.0 to the others. All pairs
    between copies are listed, unless that would be more than a million; then each copy is listed with its first only,
    and `copies_listed` says ``"first"``. Groups are the same either way.
    """

    def __init__(
        self,
        *,
        ids: Any,
        found: Any,
        threshold: float,
        recipe: Recipe,
        method: str,
        metric: Metric = "jaccard",
        bands: Bands | None,
        recall: Recall,
        linkage: Linkage,
        order: Sequence[int] | None,
        skipped: Sequence[Skipped] = (),
        notes: Sequence[str] = (),
        timings: Mapping[str, float] | None = None,
        lengths: pa.Array | None = None,
        old_from: int | None = None,
        source: Source | None = None,
        seconds: float | None = None,
    ) -> None:
        """Keep what the core found; made by `find`."""
        import pyarrow as pa

        if isinstance(ids, list):
            ids = pa.array(ids, type=pa.int64() if not ids or isinstance(ids[0], int) else pa.large_string())
        if seconds is not None:
            timings = {"total": seconds}
        self.ids = ids
        self.threshold = threshold
        self.recipe = recipe
        self.method = method
        self.metric = metric
        self.bands = bands
        self.recall = recall
        self.linkage = linkage
        self.order = order
        self.skipped = tuple(skipped)
        self.notes = tuple(notes)
        self.timings = dict(timings or {})
        self.lengths = lengths
        self.old_from = old_from
        self.source = source
        self._found = Found.of_core(found) if isinstance(found, Mapping) else found
        self.candidates: int = self._found.candidates

    def __repr__(self) -> str:
        """Return one line that says what was found."""
        return (
            f"<Result: {self.documents} documents, {self.pairs.num_rows} pairs ≥ {self.threshold:g} in "
            f"{len(self.groups)} groups, {self.method}, recall ≥ {self.recall.promised:.4g}>"
        )

    @property
    def documents(self) -> int:
        """How many documents were searched."""
        return len(self.ids)

    @property
    def seconds(self) -> float:
        """How long it took: the stage "total" if it was measured, else all stages together."""
        return self.timings.get("total", sum(self.timings.values()))

    @cached_property
    def _listed(self) -> Any:
        from lookalike.result.pairs import pairs_of

        return pairs_of(self._found, self.old_from)

    @property
    def copies_listed(self) -> str:
        """``"all"`` or ``"first"``: which pairs between copies `pairs` lists."""
        return self._listed.copies

    @cached_property
    def pairs(self) -> pa.Table:
        """The pairs as an Arrow table: a, b, jaccard, containment_a, containment_b; sorted by a, then b."""
        table = self._listed.table
        for column, name in enumerate(("a", "b")):
            table = table.set_column(column, name, self.ids.take(table.column(name).combine_chunks()))
        return table

    @cached_property
    def groups(self) -> list[Group]:
        """Groups of verified pairs, as `linkage` says: ``star`` or ``linked``."""
        from lookalike.search.groups import group_documents

        found = self._found
        return group_documents(found.classes, found.a, found.b, self.ids.to_pylist(), self.linkage, self.order)
