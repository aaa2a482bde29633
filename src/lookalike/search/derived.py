"""Around a search: what it will cost, pairs below the threshold that share passages, and the sources of one text."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from lookalike import _native
from lookalike.documents import Both, Kept, open_documents
from lookalike.documents.document_batches import UNKNOWN_BYTES
from lookalike.documents.in_memory import MemorySource
from lookalike.engine import Asked, choose_strategy
from lookalike.errors import DocumentError, LookalikeError, check_text, check_threads
from lookalike.presets import PRESETS, with_preset
from lookalike.recipe import DEFAULT, Recipe, settings
from lookalike.report.pair_passages import SHORTEST_RUN
from lookalike.result import Recall
from lookalike.result.from_texts import short_matches
from lookalike.result.pairs import only_pairs
from lookalike.search.budget import PAGE, Footprint, resident, row_bytes
from lookalike.search.find import Task, assembled, find
from lookalike.search.intake import SearchInput
from lookalike.search.search_run import Run
from lookalike.tables.columns import MEASURES, Found
from lookalike.tables.spelling import roughly, size
from lookalike.text.comparison import SHORTEST
from lookalike.text.excluded import check_min_words, template_shingles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from lookalike.documents import Batch, Source
    from lookalike.engine.bands import Bands
    from lookalike.result import Result
    from lookalike.result.from_texts import Sources
    from lookalike.tables.columns import Metric

__all__ = [
    "LEAST",
    "MOST_CHARACTERS",
    "MOST_DOCUMENTS",
    "Cost",
    "count_more",
    "estimate_cost",
    "find_below",
    "find_sources",
    "search_lower",
    "shortest_passage",
    "sources",
    "sources_in",
]

SAMPLE = 2
"""Batches that are read and signed to learn how fast this machine is on these texts."""
EXACT_FACTOR = 4
"""The exact join takes about this many times as long as signing the same texts; LSH about half as long again."""
LSH_FACTOR = 1.5


# -- what a search will cost -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Cost:
    """An estimate: sizes are close, seconds are extrapolated from a sample."""

    documents: int
    documents_counted: bool
    """Whether `documents` is known, or guessed from the size of the files."""
    bytes: int
    method: str
    bands: Bands | None
    promised_recall: float
    memory: int
    """What the search takes if a quarter of the text has near-duplicates: how much has, only a search would tell."""
    most_memory: int
    """What it takes if most documents are alike."""
    disk: int
    seconds: float
    jaccard: float | None = None
    """As in `Recall`: of which pairs the recall is promised, if not of all at or above the threshold."""
    too_large: int = 0
    """Files that are not among the documents because they will be skipped for their size."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, ready for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        """Return it for people, one line per figure."""
        about = "" if self.documents_counted else "about "
        disk = f"{size(self.disk)} of files while it runs" if self.disk else "none"
        skipped = f" ({self.too_large:,} skipped: {self.too_large:,} too large)" if self.too_large else ""
        share = "every pair" if self.promised_recall == 1 else f"at least {self.promised_recall:.4f} of the pairs"
        most = f", up to {size(self.most_memory)} if most documents are alike"
        of = Recall(self.promised_recall, jaccard=self.jaccard).of.removeprefix("pairs ")
        recall = f"{'1: ' * (self.promised_recall == 1)}{share} {of}"
        lines = [
            f"documents  {about}{self.documents:,} in {size(self.bytes)}{skipped}",
            f"method     {self.method}{f', {self.bands}' if self.bands else ''}",
            f"recall     {recall}",
            f"memory     about {size(self.memory)}{most if self.most_memory > self.memory else ''}",
            f"disk       {disk}",
            f"time       about {roughly(self.seconds)}",
        ]
        return "\n".join(lines)


def estimate_cost(
    documents: Any,
    threshold: float | None = None,
    *,
    preset: str | None = None,
    recall: float = 0.99,
    method: str = "auto",
    metric: Metric | None = None,
    recipe: Recipe | None = None,
    memory: int | None = None,
) -> Cost:
    """Estimate what `find` would take, from the size of the collection and a sample of it; `preset` is as there.

    >>> cost = estimate_cost(["one text", "another text"])
    >>> cost.documents, cost.method, cost.promised_recall
    (2, 'exact', 1.0)
    """
    threshold, metric, _ = with_preset(preset, threshold, metric, None)
    recipe = recipe or Recipe.preset(preset or "prose")
    source, process = open_documents(documents), resident()
    given = source.size()
    if given.bytes >= UNKNOWN_BYTES:
        raise DocumentError(source.name, "size", "is known only after reading", "give a table in memory, or a file")
    sample = list(islice(source.batches(), SAMPLE))
    count = given.documents if given.documents is not None else _guess(sample, given.bytes)
    strategy = choose_strategy(Asked(recipe, threshold, recall, method, metric), given.bytes)
    footprint = Footprint([SearchInput(source, ())], given.bytes, count, 0)
    usual, most = (footprint.whole(strategy, process, most=alike) for alike in (False, True))
    in_files = memory is not None and not footprint.fits(strategy, process, memory)
    factor = LSH_FACTOR if strategy.method == "lsh" else EXACT_FACTOR
    return Cost(
        documents=count,
        documents_counted=given.documents is not None,
        bytes=given.bytes,
        method=strategy.method,
        bands=strategy.bands,
        promised_recall=strategy.promised,
        jaccard=strategy.threshold if metric in MEASURES else None,
        memory=min(usual, memory or usual),
        most_memory=min(most, memory or most),
        disk=count * row_bytes(strategy) if in_files and strategy.method == "lsh" else 0,
        seconds=factor * _seconds_to_sign(sample, given.bytes, recipe) + 0.3,
        too_large=given.too_large,
    )


def _guess(sample: list[Batch], size: int) -> int:
    """Guess the number of documents from the mean length of those in the sample."""
    count = sum(map(len, sample))
    read = sum(batch.texts.nbytes for batch in sample)
    return round(size * count / read) if read else size // PAGE


def _seconds_to_sign(sample: list[Batch], size: int, recipe: Recipe) -> float:
    """Sign the sample, and scale what it took to the whole."""
    read = sum(batch.texts.nbytes for batch in sample)
    started = time.perf_counter()
    _native.SignatureMatrix.of_texts([batch.texts.packed() for batch in sample], settings(recipe), 0)
    return (time.perf_counter() - started) * max(1.0, size / read) if read else 0.0


# -- below the threshold -----------------------------------------------------------------------------------------------

LEAST: Final = PRESETS["essays"].threshold
"""The share of the shorter document that has to be in the other one."""
MOST_CHARACTERS: Final = 4_000_000
MOST_DOCUMENTS: Final = 5_000
"""Of larger collections nothing is looked for: this second search has to take less than a second."""
LOWEST: Final = 0.02
"""How far down `search_lower` looks: below it, a pair shares less than a sentence or two."""
MOST_SHINGLES: Final = 1_500_000
"""Shingles up to which it looks at all: that takes about a second."""
_LETTERS: Final = 5
"""Characters of a word, where passages are measured in characters."""

_ANY: Final = 1e-9
"""A threshold that one shared shingle reaches."""


def find_below(result: Result) -> Result | None:
    """Search the documents of a small collection again for shared passages; None where that would take long.

    The recipe and the excluded text are those of the result; a pair is listed if a tenth of its shorter document
    is in passages that it shares with the other.

    >>> import lookalike as la
    >>> copied = "the harbour master counts the boats at dawn and writes them into a large green book"
    >>> texts = [f"{copied} while {' '.join(f'{kind}{n}' for n in range(60))}" for kind in ("rope", "sail", "tar")]
    >>> result = la.find(texts)
    >>> result.pair_count, count_more(result, find_below(result))
    (0, 3)
    """
    if not _is_quick(result):
        return None
    started = time.perf_counter()
    recipe = result.recipe.replace(bag=False)
    skip, templates = result.exclusions.skip, result.exclusions.templates
    least = check_min_words(shortest_passage(recipe), recipe)
    asked = Asked(recipe, LEAST, metric="containment", ignored=result.excluded_shingles, skip=skip, min_words=least)
    run, new, old = _run_again(result, asked)
    task = Task(asked, None, "star", None, 0)
    return assembled(task, new, old, run.search(), (), templates, started, run)


def search_lower(result: Result, *, threads: int = 0) -> Result:
    """Return the same result with the pairs below its threshold as well: `rethreshold` can then go down to `LOWEST`.

    The documents are searched again, exactly, with the same text excluded. What was not searched exactly, would
    take long, or has more pairs than can be listed, comes back as it is.

    >>> import lookalike as la
    >>> result = search_lower(la.find(["one two three four five six seven", "zero one two three four five eight"]))
    >>> result.pair_count, result.rethreshold(0.02).pair_count
    (0, 1)
    """
    source, lengths = result.source, result.length_of
    size = 0 if lengths is None else sum(lengths)
    small = size <= MOST_SHINGLES * (6 if result.recipe.unit == "word" else 1) and result.documents <= MOST_DOCUMENTS
    exact = result.method in ("exact", "brute") and not result.limited and result.metric not in MEASURES
    if source is None or lengths is None or not small or not exact or result.searched_threshold <= LOWEST:
        return result
    exclusions = result.exclusions
    asked = Asked(
        *(result.recipe, LOWEST, 1.0, "exact", result.metric),
        ignored=result.excluded_shingles,
        skip=exclusions.skip,
        min_words=exclusions.min_words,
    )
    try:
        searched = _run_again(result, asked, threads=check_threads(threads), order=result.order)[0].search()
    except (LookalikeError, OSError):  # the source is gone since; what was found stays
        return result
    if searched.found["hot"] or searched.lengths.tolist() != list(lengths):
        return result
    return result.with_lower(Found.of_core(searched.found, LOWEST), LOWEST)


def _run_again(
    result: Result, asked: Asked, *, threads: int = 0, order: Sequence[int] | None = None
) -> tuple[Run, SearchInput, SearchInput | None]:
    """Return a search of the documents of a result, which has not run yet; and its new and its old documents."""
    new, *others = (SearchInput(source, asked.skip) for source in _sources(result))
    old = others[0] if others else None
    return Run(asked, new, old, threads, None, memory=None, work=None, order=order), new, old


def shortest_passage(recipe: Recipe) -> int:
    """Return the length of the shortest meaningful passage, in units of the recipe."""
    words = PRESETS["essays"].min_words or 1
    return words if recipe.unit == "word" else words * _LETTERS


def count_more(result: Result, below: Result) -> int:
    """Return how many pairs of the second search are not in the first."""
    listed = set(zip(result.listed.values("a"), result.listed.values("b"), strict=True))
    return sum(pair not in listed for pair in zip(below.listed.values("a"), below.listed.values("b"), strict=True))


def _is_quick(result: Result) -> bool:
    """Return whether a second search is too quick to be noticed."""
    if result.metric == "containment" and result.threshold <= LEAST:
        return False  # there is nothing below
    if result.method not in ("exact", "brute") or result.limited or result.length_of is None:
        return False
    if result.documents > MOST_DOCUMENTS or sum(result.length_of) > MOST_CHARACTERS:
        return False
    return all(map(_is_at_hand, _sources(result)))


def _sources(result: Result) -> tuple[Source, ...]:
    if isinstance(result.source, Both):
        return result.source.sources
    return () if result.source is None else (result.source,)


def _is_at_hand(source: Source) -> bool:
    """Return whether the texts are in memory, or in a table that native readers read."""
    if isinstance(source, Kept):
        return source.is_kept
    return isinstance(source, MemorySource) or source.tables() is not None


# -- sources of one text -----------------------------------------------------------------------------------------------


def sources(
    text: str,
    documents: Any,
    *,
    name: str = "document",
    recipe: Recipe | None = None,
    least: int | None = None,
    ignore: Iterable[str] = (),
    skip: Iterable[str] = (),
    threads: int = 0,
) -> Sources:
    """Find all `documents` that have passages of a text, and how much of it is found in any of them.

    `documents` is what `find` takes: texts, a path, a table. `least` is the length of the shortest passage, by default
    8 words or 40 characters; `ignore` and `skip` exclude text, as in `find`.

    >>> text = "one two three four five six seven eight nine"
    >>> found = sources(text, ["zero one two three four five six seven eight"])
    >>> found.share, found.sources[0].passages
    (0.8888888888888888, (Passage(a_start=0, a_end=39, b_start=5, b_end=44, units=8),))
    """
    templates = list(ignore)
    asked: dict[str, Any] = {"name": name, "recipe": recipe, "ignore": templates, "skip": skip, "threads": threads}
    return sources_in(find_sources(text, documents, least=least, **asked), name, least, templates)


def find_sources(
    text: str,
    documents: Any,
    *,
    name: str = "document",
    recipe: Recipe | None = None,
    least: int | None = None,
    ignore: Iterable[str] = (),
    skip: Iterable[str] = (),
    threads: int = 0,
    is_itself: Callable[[str | int], bool] | None = None,
    progress: Callable[[str, int, int | None], None] | None = None,
) -> Result:
    """Do the search of `sources`: the pairs of the text with every document that shares a shingle with it.

    A shingle is not longer than the runs that a passage is made of, or a passage could be missed. `is_itself` tells by
    its id whether one of the documents is the text itself, which is then excluded.
    """
    if not check_text("text", text).strip():
        raise DocumentError(name, "file", "is empty", "there is nothing to look for")
    recipe = recipe or DEFAULT
    longest = min(SHORTEST_RUN[recipe.unit], SHORTEST[recipe.unit] if least is None else least)
    recipe = recipe.replace(k=min(recipe.k, longest))
    asked: dict[str, Any] = {"recipe": recipe, "ignore": ignore, "skip": skip, "threads": threads}
    result = find({name: text}, _ANY, metric="containment", against=documents, progress=progress, **asked)
    if is_itself is None:
        return result
    own = {number for number, one in enumerate(result.id_of) if result.id_of.is_old(number) and is_itself(one)}
    return only_pairs(result, lambda _, b: b not in own)


def sources_in(
    result: Result,
    name: str,
    least: int | None,
    ignore: Iterable[str],
    is_itself: Callable[[str | int], bool] | None = None,
) -> Sources:
    """Return the sources that `find_sources` found, with the documents that share only shorter passages.

    These are found by the shingles of the preset for essays; `ignore` and `is_itself` are those of that search.
    """
    found = result.sources(name, least=least)
    recipe = result.recipe.replace(k=min(result.recipe.k, PRESETS["essays"].recipe.k))
    if recipe == result.recipe or recipe.unit != "word":
        return found
    templates = tuple(sorted(template_shingles(recipe, ignore)))
    asked = Asked(recipe, LEAST, metric="containment", ignored=templates, skip=result.exclusions.skip)
    searched = _run_again(result, asked)[0].search()
    pairs, ids = Found.of_core(searched.found, LEAST).pairs, result.id_of
    there = {source.id for source in found.sources}
    shares = {
        b: share
        for b, share in zip(pairs.values("b"), pairs.values("containment_a"), strict=True)
        if ids[b] not in there and not (is_itself is not None and is_itself(ids[b]))
    }
    return replace(found, short=short_matches(result, shares, recipe.k))
