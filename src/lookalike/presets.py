"""Ready-made settings: some of our own, and what well-known corpora used, each with its source and the recall it gives.

A preset is a recipe together with a threshold, a metric, the shortest passage that counts and bands, because only all
of them together decide what is found. Several published settings find less than half of the pairs at the very threshold
that they state; `Preset.recall` says so.

>>> for name in ("prose", "fineweb", "slimpajama"):
...     print(f"{name:10} finds {PRESETS[name].recall:.1%} of the pairs at {PRESETS[name].threshold}")
prose      finds 99.2% of the pairs at 0.8
fineweb    finds 77.2% of the pairs at 0.75
slimpajama finds 39.9% of the pairs at 0.8

The published corpora hashed with other functions (most with a·x + b modulo a prime, some of them overflowing first), so
the numbers of a signature are not theirs; the shingles, the count of hashes and the bands are, as far as a recipe can
say. All presets use the fast sketch, whose slots agree with the same probability as theirs, the Jaccard similarity.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from lookalike.errors import RecipeError
from lookalike.recipe import NAMED, Recipe

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lookalike.tables.columns import Metric

__all__ = [
    "PRESETS",
    "Preset",
    "Recipe",
    "band_probability",
    "check_removal",
    "find_preset",
    "finding_preset",
    "with_preset",
]


def band_probability(similarity: float, bands: int, rows: int) -> float:
    """Return the probability that a pair of this similarity shares a band: 1 − (1 − sʳ)ᵇ (docs/primer.md §7).

    >>> round(band_probability(0.8, 20, 5), 6)
    0.999644
    """
    equal_band = similarity**rows
    if equal_band >= 1.0:
        return 1.0
    # The plain formula loses every digit where sʳ is below 1e-16; this one keeps them.
    return -math.expm1(bands * math.log1p(-equal_band))


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A recipe with all that goes with it in a search, and where it comes from.

    >>> PRESETS["lee2022"].bands, PRESETS["lee2022"].rows, round(PRESETS["lee2022"].recall, 3)
    (450, 20, 0.995)
    """

    name: str
    recipe: Recipe
    threshold: float
    bands: int
    rows: int
    source: str
    """Who published these settings."""
    note: str
    """Why they are so, and where the recipe differs from the source."""
    metric: Metric = "jaccard"
    """By what the threshold is meant."""
    min_words: int | None = None
    """The shortest passage that counts."""
    is_for_finding: bool = False
    """Whether it is meant to show similar documents to a person: where documents are removed, only its recipe counts,
    because a document that shares a tenth with another is no duplicate of it."""

    @property
    def recall(self) -> float:
        """The share of the pairs exactly at the threshold that is found: by the bands, or by containment all of them.

        Of closer pairs bands find more.
        """
        if self.metric == "containment":
            return 1.0
        return band_probability(self.threshold, self.bands, self.rows)


_OWN = "lookalike"
_DEFAULT: Final = "prose"

_ALL: Final = (
    Preset(
        name="prose",
        recipe=Recipe(),
        threshold=0.8,
        bands=26,
        rows=8,
        source=_OWN,
        note="The default. Five words is what most web corpora use; the bands are chosen for a recall of 0.99 at 0.8.",
    ),
    Preset(
        name="edited",
        recipe=Recipe(unit="char", k=9, form="nfkc"),
        threshold=0.5,
        bands=35,
        rows=3,
        source=_OWN,
        note=(
            "Texts that were changed here and there: answers rewritten by hand, scanned pages, revised contracts. A "
            "changed letter spoils nine shingles of characters, but five shingles of whole words; there are about five "
            "times as many shingles."
        ),
        is_for_finding=True,
    ),
    Preset(
        name="essays",
        recipe=Recipe(k=3, form="nfkc"),
        threshold=0.1,
        bands=44,
        rows=1,
        source=_OWN,
        note=(
            "Essays, articles and reports, of which parts were copied: containment finds a few sentences from another "
            "text, also where words were exchanged, and passages of fewer than five words do not count. Containment is "
            "searched without bands; those here give signatures a recall of 0.99 at a Jaccard similarity of 0.1."
        ),
        metric="containment",
        min_words=5,
        is_for_finding=True,
    ),
    Preset(
        name="code",
        recipe=Recipe(unit="token", k=8),
        threshold=0.6,
        bands=34,
        rows=4,
        source=_OWN,
        note=(
            "Source code in any language. Comments, licence headers and imports do not count; names, numbers and "
            "strings are treated as equal, so that renaming them changes nothing. Eight tokens are about a line "
            "of a program."
        ),
        is_for_finding=True,
    ),
    Preset(
        name="cjk",
        recipe=Recipe(unit="char", whitespace="remove", form="nfkc"),
        threshold=0.8,
        bands=26,
        rows=8,
        source=_OWN,
        note=(
            "Chinese, Japanese and Korean texts: characters need no dictionary of words; NFKC makes full-width and "
            "half-width forms one; line breaks inside a sentence do not count."
        ),
    ),
    Preset(
        name="fineweb",
        recipe=Recipe(accents="strip", digits="zero", invisible="keep", hashes=112),
        threshold=0.75,
        bands=14,
        rows=8,
        source="Penedo et al., The FineWeb Datasets, 2024, arXiv:2406.17557; datatrove, simplify_text",
        note=(
            "datatrove splits words with a tokeniser per language and after deleting marks (well-known is one word "
            "there, two here), drops all non-spacing marks, and turns each run of digits into one 0, not each digit."
        ),
    ),
    Preset(
        name="lee2022",
        recipe=Recipe(lowercase=False, punctuation="keep", invisible="keep", form="none", hashes=9000),
        threshold=0.8,
        bands=450,
        rows=20,
        source="Lee et al., Deduplicating Training Data Makes Language Models Better, ACL 2022, arXiv:2107.06499",
        note=(
            "The paper's b = 20 is the rows of a band and its r = 450 the number of bands; read the other way round, "
            "nothing is ever found. The paper splits at spaces, so a comma belongs to its word; here it is a word of "
            "its own. The paper also requires an edit similarity of 0.8."
        ),
    ),
    Preset(
        name="slimpajama",
        recipe=Recipe(unit="char", k=13, invisible="keep", hashes=128),
        threshold=0.8,
        bands=9,
        rows=13,
        source="Soboleva et al., SlimPajama: a 627B token, cleaned and deduplicated RedPajama, Cerebras, 2023",
        note=(
            "Described as 13-grams; the published code forms them from the characters of a string, and so does this "
            "preset. The code deletes the marks of ASCII only and drops documents of fewer than 200 characters."
        ),
    ),
    Preset(
        name="redpajama2",
        recipe=Recipe(k=13, invisible="keep", form="nfd", hashes=128),
        threshold=0.8,
        bands=9,
        rows=13,
        source="Weber et al., RedPajama: an Open Dataset for Training Large Language Models, 2024, arXiv:2411.12372",
        note=(
            "The signatures published for 0.8; those for 0.7, 0.9 and 1.0 have 14 × 9, 5 × 25 and 1 × 128. The code "
            "deletes only ASCII punctuation, splits at spaces, and skips documents of fewer than 13 words."
        ),
    ),
    Preset(
        name="stack",
        recipe=Recipe(lowercase=False, invisible="keep", form="none"),
        threshold=0.7,
        bands=25,
        rows=10,
        source="Kocetkov et al., The Stack: 3 TB of permissively licensed source code, 2022, arXiv:2211.15533",
        note=(
            "Their tokens are the runs of A-Z, a-z, 0-9 and _. Here a letter outside ASCII is a part of its word, and "
            "inside a word the marks are deleted: a.b is ab, snake_case is snakecase. They dropped files of fewer "
            "than 5 (first 10) tokens."
        ),
    ),
    Preset(
        name="nemo",
        recipe=Recipe(
            unit="char",
            k=24,
            lowercase=False,
            whitespace="keep",
            punctuation="keep",
            invisible="keep",
            form="none",
            hashes=260,
        ),
        threshold=0.8,
        bands=20,
        rows=13,
        source="NVIDIA NeMo Curator 1.4, defaults of the fuzzy deduplication workflow",
        note="The text is taken as it is. NeMo Curator removes by shared bands alone, without checking the similarity.",
    ),
)

PRESETS: Final[Mapping[str, Preset]] = MappingProxyType({preset.name: preset for preset in _ALL})
"""The presets by name; read-only."""
NAMED.update((preset.name, preset.recipe) for preset in _ALL)


def find_preset(name: str) -> Preset:
    """Return the preset of this name.

    >>> find_preset("slimpyjama")
    Traceback (most recent call last):
        ...
    lookalike.errors.RecipeError: preset must be one of prose, edited, essays, code, cjk, fineweb, lee2022, \
slimpajama, redpajama2, stack, nemo, not 'slimpyjama'; did you mean 'slimpajama'?
    """
    Recipe.preset(name)  # says which names there are
    return PRESETS[name]


def with_preset(
    name: str | None,
    threshold: float | None,
    metric: Metric | None,
    min_words: int | None,
    *,
    removing: bool = False,
) -> tuple[float, Metric, int | None]:
    """Return the threshold, the metric and the shortest passage of a search: those given, or else the preset's.

    Where documents are removed, a preset that is for finding brings none of the three.

    >>> with_preset("essays", None, None, 8), with_preset(None, None, None, None)
    ((0.1, 'containment', 8), (0.8, 'jaccard', None))
    >>> with_preset("essays", None, None, None, removing=True), with_preset("fineweb", None, None, None, removing=True)
    ((0.8, 'jaccard', None), (0.75, 'jaccard', None))
    """
    preset = find_preset(_DEFAULT if name is None else name)
    if removing and preset.is_for_finding:
        preset = PRESETS[_DEFAULT]
    if metric == "euclidean" and threshold is None:  # any would be arbitrary: distances grow with the texts
        raise RecipeError("threshold", None, "given with metric 'euclidean'", "1 / (1 + d) for a distance of at most d")
    return (
        preset.threshold if threshold is None else threshold,
        preset.metric if metric is None else metric,
        preset.min_words if min_words is None else min_words,
    )


def finding_preset(name: str | None, threshold: float | None) -> str | None:
    """Return the preset if a search took its threshold from it and it is for finding: then nothing is removed by that.

    >>> finding_preset("essays", None), finding_preset("essays", 0.5), finding_preset("prose", None)
    ('essays', None, None)
    """
    return name if name is not None and threshold is None and find_preset(name).is_for_finding else None


def check_removal(name: str | None, remedy: str, *, option: str = "threshold") -> None:
    """Refuse to plan removals at the threshold of a preset that is for finding; `remedy` says how to write another.

    >>> check_removal("essays", "write result.rethreshold(0.8).plan()")
    Traceback (most recent call last):
        ...
    lookalike.errors.RecipeError: threshold must be given to plan removals: that of the preset essays, 0.1, is meant \
for finding; write result.rethreshold(0.8).plan()
    """
    if name is not None:
        least = f"that of the preset {name}, {find_preset(name).threshold:g}, is meant for finding"
        raise RecipeError(option, None, f"given to plan removals: {least}", remedy)
