"""Find the pairs of a collection: check what is asked, choose how, read and search, assemble the result."""

from __future__ import annotations

import math
import time
from array import array
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from lookalike import _native
from lookalike.documents import LIMITS, LongEnough, WithoutShortOnlineTexts, open_documents
from lookalike.documents.document_batches import without_words
from lookalike.documents.kinds import Given, given_as
from lookalike.engine import METRICS, Asked, Method
from lookalike.engine.bands import limits_for
from lookalike.errors import RecipeError, check_number, check_threads, check_whole, suggest
from lookalike.presets import finding_preset, with_preset
from lookalike.recipe import DEFAULT, Recipe, settings
from lookalike.result import Recall, Result
from lookalike.result.describe import scored
from lookalike.result.view import SearchedDocuments, SearchSettings
from lookalike.search.intake import SearchInput, sources_together
from lookalike.search.progress import Pass, Stages
from lookalike.search.search_run import Run, RunOutcome
from lookalike.tables.columns import MEASURES, Found, Metric
from lookalike.tables.spelling import count
from lookalike.text.excluded import Exclusions, check_kinds, check_min_words, template_shingles

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from lookalike.documents import Limits, Skipped, Source
    from lookalike.documents.lms import Export
    from lookalike.engine.bands import Bands
    from lookalike.engine.groups import Linkage

    Progress = Callable[[str, int, int | None], None]

__all__ = ["Task", "assembled", "checked_linkage", "checked_max_pairs", "find", "find_kept", "recipe_for"]

MOST_PAIRS: Final = 2**62
"""More pairs than can be listed: a larger number means the same."""

LINKAGES: Final = ("star", "linked")

FEW: Final = 5
"""A shingle of fewer documents than this is never common, however small the collection."""


def find(
    documents: Any = None,
    threshold: float | None = None,
    *,
    preset: str | None = None,
    text: str | None = None,
    id: str | None = None,  # noqa: A002 - the public name
    tokens: Any = None,
    recall: float = 0.99,
    method: Method = "auto",
    metric: Metric | None = None,
    recipe: Recipe | None = None,
    bands: Bands | None = None,
    against: Any = None,
    ignore: Iterable[str] = (),
    common: float | None = None,
    skip: Iterable[str] = (),
    min_words: int | None = None,
    min_length: int | None = None,
    linkage: Linkage = "star",
    order: Sequence[int] | None = None,
    max_pairs: int | None = None,
    memory: int | None = None,
    work: str | os.PathLike[str] | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> Result:
    """Find all pairs whose similarity is at least `threshold`, 0.8 by default, each with its exact score.

    `documents` is a list or dict of texts, a path, or a table: pyarrow, pandas, polars, DuckDB, Hugging Face datasets,
    Dask, Daft or Ray. `text` and `id` name its columns, those of `against` too; ``doc.text`` is a field inside ``doc``.

    `tokens` takes documents that are cut into tokens already: a list or dict of lists or sets of `str`, `bytes` or
    whole numbers, or the name of a column of lists in `documents`. Each is the set of its tokens, or of the shingles of
    k tokens if the recipe says so; its settings of text have no effect. `against` and `ignore` are tokens too.

    `preset` names settings that belong together, such as ``"essays"``, which finds copied passages: the recipe, the
    threshold, the metric and `min_words`. What is given besides takes the place of the preset's.

    Methods:

    * ``lsh``: signatures in bands, chosen so that at least the share `recall` of the pairs is found, or given.
    * ``exact``: a join by prefix filter: every pair, without any probability.
    * ``signatures``: all pairs of signatures are compared; `recall` decides how far below the threshold is looked.
    * ``brute``: all pairs of documents are compared.
    * ``auto``: exact for a small collection, lsh for a large one.

    Metrics: ``jaccard``, the default; ``bag``, which counts repeated shingles; ``containment``, the share of the
    smaller document that is in the larger one, always found exactly; ``cosine``, and ``euclidean``, which is
    1 / (1 + distance), of the counts of shingles. These two score and cut candidates that are found by Jaccard, and
    `Result.recall` says from which Jaccard on: a pair that is near by counts alone may be missed, but for ``brute``.

    * `against`: old documents: new ones are compared with each other and with these, but not these among themselves.
    * `ignore`: template texts, whose shingles are excluded. Equal documents still score 1.
    * `common`: shingles that more than this share of the documents have (and at least five) are excluded too.
    * `skip`: ``"quotes"``, ``"references"`` or both are excluded from every text, found by marks and headings.
    * `min_words`: the shortest passage that counts; shared text in shorter ones adds nothing to a score.
    * `min_length`: documents of fewer words are skipped; `Result.skipped` lists them. By default these are, in an
      export of Moodle, Canvas or Blackboard, online texts of fewer than 40 words in submissions that have a longer
      document; with 0, none.
    * `max_pairs`: the pairs that may be listed before those of very large clusters are listed in part. The limit is a
      million, and eight more for each document; this raises it. A pair takes about 150 bytes of memory.
    * `memory`: bytes to stay below; what does not fit goes to files, in `work` or a temporary folder. A search in
      `work` that was interrupted goes on when it is started again.

    Where so many documents are similar that their pairs could not all be listed, each is listed with the representative
    of its cluster and a few others. `Result.recall`, `Result.limited` and a note say so. The clusters are those of all
    pairs; with `against`, a new document may join another of the old ones that it is like than the most similar one.

    >>> result = find(["the quick brown fox jumps over the lazy dog", "The quick brown fox jumps over the lazy dog!",
    ...                "something else altogether, not like the others"])
    >>> result.pairs.to_pylist()
    [{'a': 0, 'b': 1, 'jaccard': 1.0, 'containment_a': 1.0, 'containment_b': 1.0}]
    >>> find(tokens=[["a", "b", "c"], {"c", "b", "a", "d"}], threshold=0.7).pairs["jaccard"].to_pylist()
    [0.75]
    """
    options = dict(locals())
    result, done = find_kept(options.pop("documents"), options.pop("threshold"), **options)
    done()
    return result


def find_kept(
    documents: Any = None,
    threshold: float | None = None,
    *,
    preset: str | None = None,
    text: str | None = None,
    id: str | None = None,  # noqa: A002 - the public name
    tokens: Any = None,
    recipe: Recipe | None = None,
    recall: float = 0.99,
    method: Method = "auto",
    metric: Metric | None = None,
    bands: Bands | None = None,
    against: Any = None,
    ignore: Iterable[str] = (),
    common: float | None = None,
    skip: Iterable[str] = (),
    min_words: int | None = None,
    min_length: int | None = None,
    linkage: Linkage = "star",
    order: Sequence[int] | None = None,
    max_pairs: int | None = None,
    memory: int | None = None,
    work: str | os.PathLike[str] | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> tuple[Result, Callable[[], None]]:
    """Do what `find` does; return also what is to be called when the result is safe: it empties the work folder."""
    threshold_preset = finding_preset(preset, threshold)
    threshold, metric, min_words = with_preset(preset, threshold, metric, min_words)
    recipe = Recipe.preset(preset) if recipe is None and preset is not None else recipe
    if tokens is not None:
        recipe, ignore = _for_tokens(recipe, ignore, text, skip, min_length)
    recipe = recipe_for(recipe or DEFAULT, metric)
    templates = tuple(sorted(template_shingles(recipe, ignore)))
    kinds, least = check_kinds(skip), check_min_words(min_words, recipe)
    most = checked_max_pairs(max_pairs)
    asked = Asked(recipe, threshold, recall, method, metric, bands, templates, kinds, least, most)
    asked.check()
    checks = _checked_common(common), checked_linkage(linkage), order, check_threads(threads)
    task = Task(asked, *checks, threshold_preset)
    least_words = None if min_length is None else check_whole("min_length", min_length, 0)
    started = time.perf_counter()
    limits = LIMITS.within(memory)
    if tokens is not None:
        new_source, old_source = _opened_tokens(documents, against, tokens, id, recipe)
    else:
        new_source = open_documents(documents, text=text, id=id, limits=limits, alone=against is None)
        old_source = None if against is None else _opened_old(against, text, id, limits)
    new_source = _long_enough(new_source, least_words)
    old_source = None if old_source is None else _long_enough(old_source, least_words)
    new = SearchInput(new_source, kinds)
    old = None if old_source is None else SearchInput(old_source, kinds)
    stages = None if progress is None else Stages(progress)
    if common is not None:
        task, said = _without_common(task, new, old, stages)
    else:
        said = ()
    run = Run(task.asked, new, old, task.threads, stages, memory=memory, work=work, order=order)
    searched = run.search()
    if stages is not None:
        stages.finish()
    result = assembled(task, new, old, searched, said, templates, started, run)
    return result, searched.clear


def _for_tokens(
    recipe: Recipe | None, ignore: Iterable[Any], text: str | None, skip: Iterable[str], min_length: int | None
) -> tuple[Recipe, list[str]]:
    """Return the recipe and the template texts of a search in tokens; text has no part in it."""
    from lookalike.documents.open import check_no_text, token_recipe, token_text

    check_no_text(text)
    for name, given in (("skip", check_kinds(skip)), ("min_length", min_length)):
        if given:
            raise RecipeError(name, given, "not supported with tokens")
    made = token_recipe(recipe)
    return made, [token_text(number, one, ordered=made.k > 1) for number, one in enumerate(ignore)]


def _opened_tokens(
    documents: Any, against: Any, tokens: Any, own_id: str | None, recipe: Recipe
) -> tuple[Source, Source | None]:
    """Open documents that are tokens; old ones are in a column of the same name, or given by themselves."""
    from lookalike.documents.open import open_tokens

    ordered = recipe.k > 1
    new = open_tokens(documents, tokens, own_id, ordered=ordered)
    if against is None:
        return new, None
    if isinstance(tokens, str):
        return new, open_tokens(against, tokens, own_id, ordered=ordered)
    return new, open_tokens(None, against, None, ordered=ordered)


def _long_enough(source: Source, least: int | None) -> Source:
    """Return a source without documents of fewer words, by default without the short online texts of an export."""
    if least is None:
        return WithoutShortOnlineTexts(source) if source.has_files else source
    return LongEnough(source, least) if least else source


def _opened_old(against: Any, text: str | None, own_id: str | None, limits: Limits) -> Source:
    """Open the old documents; those that are no table need no columns, whatever the new ones are."""
    has_columns = given_as(against) not in (Given.SOURCE, Given.SEQUENCE, Given.MAPPING, Given.NUMPY, Given.ITERABLE)
    named = {"text": text, "id": own_id} if has_columns else {}
    return open_documents(against, limits=limits, alone=False, **named)


@dataclass(frozen=True, slots=True)
class Task:
    """What `find` was asked for, checked."""

    asked: Asked
    common: float | None
    linkage: Linkage
    order: Sequence[int] | None
    threads: int
    threshold_preset: str | None = None
    """The preset that is for finding and whose threshold this is; None if another threshold was given."""


def recipe_for(recipe: Recipe, metric: str) -> Recipe:
    """Return the recipe that a metric needs."""
    if metric not in METRICS:
        raise RecipeError("metric", metric, "one of " + ", ".join(METRICS), suggest(metric, METRICS))
    return recipe.replace(bag=True) if metric in ("bag", *MEASURES) else recipe


def checked_linkage(linkage: Linkage) -> Linkage:
    """Return how clusters are formed, if it is known."""
    if linkage not in LINKAGES:
        raise RecipeError("linkage", linkage, "'star' or 'linked'")
    return linkage


def checked_max_pairs(given: int | None) -> int:
    """Return how many pairs may be listed at the least; 0 if the number of documents decides alone."""
    return 0 if given is None else min(check_whole("max_pairs", given, 1), MOST_PAIRS)


def _checked_common(common: float | None) -> float | None:
    if common is not None and not 0.0 < check_number("common", common, "a share between 0 and 1") < 1.0:
        raise RecipeError("common", common, "a share between 0 and 1")
    return common


def _without_common(
    task: Task, new: SearchInput, old: SearchInput | None, stages: Stages | None
) -> tuple[Task, tuple[str, ...]]:
    """Return the task without the shingles that too many documents have, and how many they are."""
    asked, share = task.asked, task.common or 0.0
    single = settings(asked.recipe.replace(bag=False))

    def counted() -> tuple[int, list[int], int]:
        counter = _native.Common(single, bool(asked.skip))
        every = [one for one in (new, old) if one is not None]

        def counted_in(stage: str) -> int:
            documents, reading = 0, Pass(stages, stage, every)
            for one in (one for given in every for one in given.inputs):
                read = counter.add(one, task.threads, reading.native)
                reading.end(read)
                documents += read
            return documents

        documents = counted_in("common text")
        least = max(FEW, math.floor(share * documents) + 1)
        counter.count_exactly(least)
        counted_in("common text again")
        return documents, counter.found(), least

    documents, frequent, least = _retried(counted, new, old)
    excluded = tuple(sorted({*asked.ignored, *frequent}))
    said = f"excluded {count(len(frequent), 'shingle')} found in at least {least:,} of {documents:,} documents"
    return replace(task, asked=replace(asked, ignored=excluded)), (said,)


def _retried(work: Callable[[], Any], *documents: SearchInput | None) -> Any:
    """Do something with inputs; what the native readers refuse is read through Python instead."""
    while True:
        try:
            return work()
        except _native.TableError:
            native = [one for one in documents if one is not None and one.is_native]
            if not native:
                raise
            for one in native:
                one.use_python()


def assembled(
    task: Task,
    new: SearchInput,
    old: SearchInput | None,
    searched: RunOutcome,
    said: tuple[str, ...],
    templates: tuple[int, ...],
    started: float,
    run: Run,
) -> Result:
    """Assemble the result of a run."""
    asked, strategy, found = task.asked, searched.strategy, searched.found
    exclusions = Exclusions(asked.skip, asked.min_words, templates)
    stages = {"reading": searched.reading} | found["seconds"]
    sources = [one.source for one in (new, old) if one is not None]
    export = _export(new, old, searched.lengths)
    documents = SearchedDocuments(
        ids=new.ids,
        old_ids=None if old is None else old.ids,
        lengths=searched.lengths,
        skipped=[*new.source.skipped(), *_without_words(found, new)],
        old_skipped=[] if old is None else old.source.skipped(),
        notes=[
            *(note for source in sources for note in source.notes()),
            *([] if export is None else [str(export)]),
            *said,
            *_notes(task, found),
            *_note_unseen(searched.unseen, asked.recipe),
        ],
        flags=new.source.flags(),
        old_flags={} if old is None else old.source.flags(),
        source=sources_together(new, old),
        export=export,
    )
    made = SearchSettings(
        recipe=asked.recipe,
        threshold=float(asked.threshold),
        threshold_preset=task.threshold_preset,
        method=strategy.method,
        metric=asked.metric,
        bands=strategy.bands,
        recall=Recall(
            promised=0.0 if found["in_part"] else strategy.promised,
            jaccard=strategy.threshold if asked.metric in MEASURES else None,
        ),
        linkage=task.linkage,
        order=task.order,
        ignored=asked.ignored,
        exclusions=exclusions,
        limited=found["hot"],
        timings=stages | {"other": max(0.0, time.perf_counter() - started - sum(stages.values()))},
    )

    def pairs(found: dict[str, Any], threshold: float) -> Found:
        core = Found.of_core(found, threshold)
        if asked.metric not in MEASURES or documents.source is None:
            return core
        return scored(core, documents.source, searched.lengths, asked.recipe, threshold, asked.metric)

    again = (lambda least, ranked: pairs(run.again(least, ranked).found, least)) if found["hot"] else None
    return Result(documents, made, pairs(found, made.threshold), again=again)


def _without_words(found: dict[str, Any], new: SearchInput) -> Iterator[Skipped]:
    """List the new documents that have nothing to compare; they stay documents, and are in no pair."""
    return (without_words(new.ids[number]) for number in array("I", found["empty"]) if number < len(new.ids))


def _export(new: SearchInput, old: SearchInput | None, lengths: Sequence[int]) -> Export | None:
    """Return who handed in what, if files are from a learning platform."""
    if new.is_native or not new.source.has_files:
        return None
    files = [new, *([old] if old is not None and not old.is_native and old.source.has_files else [])]
    from lookalike.documents.lms import recognise  # tables have no files

    students = {user: name for one in files for user, name in one.source.students().items()}
    return recognise((name for one in files for name in one.ids), lengths, students)


def _note_unseen(texts: int, recipe: Recipe) -> Iterator[str]:
    """Yield a note about the texts of tables that have invisible characters inside words."""
    if texts:
        has = "text has" if texts == 1 else "texts have"
        counted = "do not count" if recipe.invisible == "drop" else "count as characters"
        yield f"{texts:,} {has} invisible characters inside words; they {counted}"


def _notes(task: Task, found: dict[str, Any]) -> Iterator[str]:
    """Yield notes about what a user might not expect."""
    if hot := found["hot"]:
        most = limits_for(len(found["class"]) // 4, task.asked.max_pairs).pairs
        listed = "each is listed with its representative and a few others"
        raised = f"--max-pairs N (in Python: max_pairs=N) allows more than {most:,} pairs"
        yield f"{hot:,} documents are in clusters so large that not all their pairs are listed: {listed}; {raised}"
        yield (
            "a saved result of this search cannot be raised to a higher threshold or planned with another keep rule: "
            "search the documents again for that, or once with --max-pairs"
        )
        if task.linkage == "linked":
            yield "linked clusters are built from the listed pairs, so such a cluster may be split"
    if found["in_part"]:
        were = "was" if found["in_part"] == 1 else "were"
        parts = f"{found['in_part']:,} of them {were} not compared with all representatives"
        yield f"{parts}: give more memory, raise the threshold, or exclude the text that they share (common)"
