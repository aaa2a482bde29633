"""Which recipe and threshold suit a collection: try the presets on a sample, choose one, and say why.

What is recommended follows from properties of the texts, and from how the like ones among them differ: in letters, as
scanned pages do; in words, as revisions do; or in all but a passage. What each preset would find on the sample, and at
what cost, is told besides.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from lookalike import _native
from lookalike.documents import open_documents
from lookalike.errors import DocumentError
from lookalike.presets import PRESETS
from lookalike.recipe import Recipe, settings
from lookalike.search.derived import shortest_passage
from lookalike.search.find import find
from lookalike.text.traits import Traits, same_but_for_letters, traits_of

if TYPE_CHECKING:
    from lookalike.documents import Source
    from lookalike.result import Result
    from lookalike.tables.columns import Metric

__all__ = ["Advice", "Example", "Trial", "advise"]

MOST_BYTES: Final = 48 << 20
MOST_SECONDS: Final = 5.0
"""Reading stops at the first of the two; what was not read is taken to be like the rest."""
MOST_CHARACTERS: Final = 400_000
"""Of the sample: each trial then takes a fraction of a second."""
LONGEST: Final = 10_000
"""Characters of a document that are looked at, so that the sample has many documents."""
BLOCK: Final = 16
"""Adjacent documents are sampled together, because copies often are adjacent: in one folder, or versions by name."""
PAIRS_READ: Final = 40
"""Pairs whose differences are looked at."""

OWN: Final = ("essays", "prose", "edited", "code", "cjk")
SIZES: Final[dict[str, Recipe]] = {
    "words, k = 2": Recipe(k=2),
    "words, k = 8": Recipe(k=8),
    "characters, k = 5": Recipe(unit="char", k=5),
    "characters, k = 13": Recipe(unit="char", k=13),
}
"""Other lengths of shingles that are tried; each with the threshold that the preset of its unit has."""

_SPACELESS: Final = 0.3
_CODE: Final = 0.5
_POINTED: Final = 0.02
_MISSPELT: Final = 0.08
_WITHIN_WORDS: Final = 0.4
_FEW_WORDS: Final = 30
_REVISED: Final = 0.15
_VERSIONS: Final = 0.4
_IN_PART: Final = 0.25
"""The share of the shorter document that is more than boilerplate, and the share of documents that have as much."""
_CLASS: Final = 2_000
"""Documents up to which files are taken for submissions, articles or reports that a person reads one by one."""
_PAGES: Final = (".html", ".htm", ".xhtml", ".shtml")


@dataclass(frozen=True, slots=True)
class Example:
    """A pair near the cut."""

    a: str | int
    b: str | int
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What one recipe found in the sample, and what it cost."""

    name: str
    recipe: Recipe
    threshold: float
    metric: Metric
    min_words: int | None
    pairs: int
    documents: int
    """Those in a pair."""
    shingles: int
    """Of a document, in the mean."""
    seconds: float
    above: Example | None
    """The last pair that is listed."""
    below: Example | None
    """The first that is not."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, ready for JSON."""
        return {
            "name": self.name,
            "recipe": self.recipe.to_dict(),
            "threshold": self.threshold,
            "metric": self.metric,
            "min_words": self.min_words,
            "pairs": self.pairs,
            "documents": self.documents,
            "shingles": self.shingles,
            "hashes": self.recipe.hashes,
            "seconds": round(self.seconds, 3),
            "above": _plain(self.above),
            "below": _plain(self.below),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """A recommendation, its reason, and what was tried."""

    preset: str
    recipe: Recipe
    threshold: float
    metric: Metric
    min_words: int | None
    reason: str
    documents: int
    """Read; of a large collection that is its beginning."""
    complete: bool
    """Whether all documents were read."""
    sampled: int
    """Documents in the sample, on which everything was tried."""
    traits: Traits
    tried: tuple[Trial, ...] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, ready for JSON."""
        return {
            "preset": self.preset,
            "recipe": self.recipe.to_dict(),
            "threshold": self.threshold,
            "metric": self.metric,
            "min_words": self.min_words,
            "reason": self.reason,
            "documents": self.documents,
            "complete": self.complete,
            "sampled": self.sampled,
            "tried": [trial.to_dict() for trial in self.tried],
        }


def advise(documents: Any, *, text: str | None = None, id: str | None = None, threads: int = 0) -> Advice:  # noqa: A002
    r"""Recommend a preset for a collection: look at a sample of it, and try the presets and several k.

    `documents`, `text` and `id` are as in `find`. A large collection is read in part: its first 48 MB, or what can be
    read in five seconds.

    >>> advice = advise(["int f(int x) {\n  return x + 1;\n}\n", "int g(int y) {\n  return y * 2;\n}\n"])
    >>> advice.preset, advice.reason
    ('code', 'the documents are source code: 2 of 2 by their names or the form of their lines')
    """
    sample = _read(open_documents(documents, text=text, id=id))
    traits = traits_of(sample.texts, sample.ids)
    tried, results = _try_all(sample, threads)
    preset, reason = _choose(sample, traits, {trial.name: trial for trial in tried}, results)
    chosen = PRESETS[preset]
    recipe = chosen.recipe
    if traits.pointed >= _POINTED:
        recipe = recipe.replace(accents="strip")
        reason += "; vowel signs, which not every writer sets, do not count (accents)"
    return Advice(
        preset=preset,
        recipe=recipe,
        threshold=chosen.threshold,
        metric=chosen.metric,
        min_words=chosen.min_words,
        reason=reason,
        documents=sample.read,
        complete=sample.complete,
        sampled=len(sample.texts),
        traits=traits,
        tried=tuple(tried),
    )


# -- the sample --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Sample:
    ids: list[str | int]
    texts: list[str]
    read: int
    complete: bool
    are_files: bool

    @property
    def are_pages(self) -> bool:
        pages = sum(str(name).lower().endswith(_PAGES) or "://" in str(name) for name in self.ids)
        return pages * 2 > len(self.ids)


def _read(source: Source) -> _Sample:
    """Read the collection, or the beginning of a large one, and draw blocks of documents from it."""
    ids: list[str | int] = []
    texts: list[str] = []
    size, started, complete = 0, time.perf_counter(), True
    for batch in source.batches():
        if size > MOST_BYTES or time.perf_counter() - started > MOST_SECONDS:
            complete = False
            break
        ids += batch.ids
        texts += (text[:LONGEST] for text in batch.texts)
        size += batch.texts.nbytes
    if not texts:
        remedy = "lookalike files says why" if source.skipped() else "it is empty"
        raise DocumentError(source.name, "file", "contains no readable document", remedy)
    kept = _drawn([len(text) for text in texts])
    chosen = [texts[number] for number in kept]
    return _Sample([ids[number] for number in kept], chosen, len(texts), complete, source.form is None and _named(ids))


def _named(ids: list[str | int]) -> bool:
    """Return whether the ids look like names of files."""
    endings = [str(name).rpartition(".")[2] for name in ids[:100]]
    return sum(0 < len(one) <= 5 and one.isalnum() and not one.isdigit() for one in endings) * 2 > len(endings)


def _drawn(lengths: list[int]) -> list[int]:
    """Return the numbers of the documents of the sample, in order."""
    starts = list(range(0, len(lengths), BLOCK))
    if sum(lengths) > MOST_CHARACTERS:
        random.Random(1).shuffle(starts)  # noqa: S311 — a sample
    kept: list[int] = []
    size = 0
    for start in starts:
        kept += range(start, min(start + BLOCK, len(lengths)))
        size += sum(lengths[start : start + BLOCK])
        if size > MOST_CHARACTERS:
            break
    return sorted(kept)


# -- trials ------------------------------------------------------------------------------------------------------------


def _try_all(sample: _Sample, threads: int) -> tuple[list[Trial], dict[str, Result]]:
    tried: list[Trial] = []
    results: dict[str, Result] = {}
    for name in OWN:
        preset = PRESETS[name]
        asked = (preset.recipe, preset.threshold, preset.metric, preset.min_words)
        trial, results[name] = _try(sample, name, *asked, threads=threads)
        tried.append(trial)
    for name, recipe in SIZES.items():
        like = PRESETS["prose" if recipe.unit == "word" else "edited"]
        tried.append(_try(sample, name, recipe, like.threshold, like.metric, None, threads=threads)[0])
    return tried, results


def _try(
    sample: _Sample,
    name: str,
    recipe: Recipe,
    threshold: float,
    metric: Metric,
    min_words: int | None,
    *,
    threads: int,
) -> tuple[Trial, Result]:
    """Search the sample, also somewhat below the threshold, for the pairs that are just not listed."""
    started = time.perf_counter()
    low = 0.2 if name == "prose" else threshold * 0.8
    found = find(sample.texts, low, recipe=recipe, metric=metric, min_words=min_words, threads=threads)
    seconds = time.perf_counter() - started
    above: list[tuple[float, int, int]] = []
    below: list[tuple[float, int, int]] = []
    numbers: set[int] = set()
    for a, b, score in _scored(found):
        (above if score >= threshold else below).append((score, a, b))
        if score >= threshold:
            numbers |= {a, b}
    some, core = sample.texts[:: max(1, len(sample.texts) // 50)], settings(recipe)
    trial = Trial(
        name=name,
        recipe=recipe,
        threshold=threshold,
        metric=metric,
        min_words=min_words,
        pairs=len(above),
        documents=len(numbers),
        shingles=round(sum(len(_native.elements(text, core)) for text in some) / len(some)),
        seconds=seconds,
        above=_example(sample, min(above, default=None)),
        below=_example(sample, max(below, default=None)),
    )
    return trial, found


def _scored(result: Result) -> list[tuple[int, int, float]]:
    listed = result.listed
    names = ("containment_a", "containment_b") if result.metric == "containment" else ("jaccard",)
    scores = (max(of_pair) for of_pair in zip(*(listed.values(name) for name in names), strict=True))
    return list(zip(listed.values("a"), listed.values("b"), scores, strict=True))


def _example(sample: _Sample, pair: tuple[float, int, int] | None) -> Example | None:
    return None if pair is None else Example(sample.ids[pair[1]], sample.ids[pair[2]], pair[0])


def _plain(example: Example | None) -> dict[str, Any] | None:
    return None if example is None else {"a": example.a, "b": example.b, "score": example.score}


# -- the choice --------------------------------------------------------------------------------------------------------


def _choose(sample: _Sample, traits: Traits, tried: dict[str, Trial], results: dict[str, Result]) -> tuple[str, str]:
    """Return the name of a preset, and why."""
    documents = len(sample.texts)
    if traits.code >= _CODE:
        number = round(traits.code * documents)
        return (
            "code",
            f"the documents are source code: {number:,} of {documents:,} by their names or the form of their lines",
        )
    if traits.spaceless >= _SPACELESS:
        return "cjk", f"{traits.spaceless:.0%} of the letters are of scripts that do not separate words by spaces"
    within, differences = _within_words(sample, results["edited"])
    if differences >= 20 and within >= _WITHIN_WORDS * differences:
        share = f"{within / differences:.0%} of the differences between like documents are letters within words"
        return "edited", f"{share}, as in scanned pages: shingles of characters survive them, those of words do not"
    if traits.misspelt >= _MISSPELT:
        share = f"{traits.misspelt:.0%} of the rare words are a frequent word with one wrong letter"
        return "edited", f"{share}, as in scanned pages: shingles of characters survive them, those of words do not"
    if traits.words < _FEW_WORDS:
        few = f"the documents are short: half of them have fewer than {round(traits.words) + 1} words"
        return "edited", f"{few}, and one changed word would spoil most shingles of five words"
    return _by_pairs(sample, tried, results)


def _by_pairs(sample: _Sample, tried: dict[str, Trial], results: dict[str, Result]) -> tuple[str, str]:
    """Choose among the presets for prose, by how similar the documents are."""
    documents = len(sample.texts)
    best = _best(results["prose"])
    whole = PRESETS["prose"].threshold
    revised = sum(score < whole for score in best.values())
    in_part = sum(score >= _IN_PART for score in _best(results["essays"]).values())
    edited = tried["edited"].documents
    if in_part >= _IN_PART * documents and edited * 2 < in_part:
        return "essays", (
            f"{in_part:,} of {documents:,} documents are in pairs that share a quarter or more of the shorter one, but "
            f"only {edited:,} are like another one as a whole: containment finds what was copied in part"
        )
    if revised >= _REVISED * documents or len(best) >= _VERSIONS * documents:
        return "edited", (
            f"{len(best):,} of {documents:,} documents have another version, {revised:,} of them only one that was "
            "changed a lot: shingles of characters find revisions down to 0.5"
        )
    if sample.are_files and not sample.are_pages and sample.read <= _CLASS:
        return "essays", (
            f"{sample.read:,} documents in files: who copies, copies in part, and containment of passages of at least "
            f"{shortest_passage(Recipe())} words finds that too"
        )
    return "prose", (
        f"this is prose; {len(best) - revised:,} of {documents:,} documents are like another by {whole:.0%} or more, "
        "and few are revisions: shingles of five words tell copies from the rest at the least cost"
    )


def _best(result: Result) -> dict[int, float]:
    """Return the highest score of each document that is in a pair."""
    best: dict[int, float] = {}
    for a, b, score in _scored(result):
        best[a], best[b] = max(best.get(a, 0.0), score), max(best.get(b, 0.0), score)
    return best


def _within_words(sample: _Sample, edited: Result) -> tuple[int, int]:
    """Return how many differences between like documents are within words, and how many there are."""
    pairs = [(a, b) for a, b, score in _scored(edited) if score < 0.95]
    random.Random(1).shuffle(pairs)  # noqa: S311 — a sample
    counted = [same_but_for_letters(sample.texts[a], sample.texts[b]) for a, b in pairs[:PAIRS_READ]]
    return sum(within for within, _ in counted), sum(differences for _, differences in counted)
