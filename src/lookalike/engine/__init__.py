"""Many documents: signatures, bands, candidates, clusters. Numbers in, numbers out.

`Strategy`, here, decides how a search is done: the method, the bands and the filter that keep the promised recall.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from lookalike import _native
from lookalike.engine.bands import Bands, binomial, check_bands, choose_bands
from lookalike.errors import BandsError, RecipeError, check_number, suggest
from lookalike.recipe import DEFAULT, Recipe, settings
from lookalike.tables.columns import MEASURES, Metric

__all__ = [
    "DEFAULT",
    "DISTANCE",
    "HELD",
    "METHODS",
    "METRICS",
    "SHARED",
    "UNIT_LENGTH",
    "Asked",
    "Method",
    "Strategy",
    "candidates_from",
    "choose_strategy",
    "least_agreeing",
]


Method = Literal["auto", "lsh", "exact", "signatures", "brute"]
METHODS: Final = ("auto", "lsh", "exact", "signatures", "brute")
METRICS: Final = ("jaccard", "containment", "bag", *MEASURES)
DISTANCE: Final = "for a distance of at most d, give 1 / (1 + d)"
"""What to do about a threshold that is no similarity."""
SHARED: Final = 1e-9
"""A Jaccard similarity that every two documents with a common shingle have."""
MARGIN: Final = 0.75
"""The share of a squared cosine from which pairs are candidates for it."""
NEAR: Final = 0.5
"""The Jaccard similarity from which pairs are candidates for a Euclidean distance."""

HELD: Final = 256 << 20
"""Bytes of sets that verification holds at a time, by default."""
SMALL: Final = 3_500_000
"""Up to about this many shingles the exact join takes a fraction of a second, and its recall is 1."""
UNIT_LENGTH: Final = {"char": 1, "word": 6, "token": 3}
"""About how many characters a unit has with the white space after it, and so how many there are to a shingle."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """Everything that decides what a search finds: pickled or stored, it means the same in another process.

    >>> strategy = choose_strategy(Asked(DEFAULT, 0.8), size=10**9)
    >>> strategy.method, strategy.bands, round(strategy.promised, 4)
    ('lsh', Bands(bands=26, rows=8), 0.9914)
    """

    recipe: Recipe
    method: str
    metric: Metric
    threshold: float
    """Of the similarity that the core computes: Jaccard, also where another measure scores the candidates."""
    bands: Bands | None
    least: int
    """Slots of two signatures that must agree before a pair is verified."""
    promised: float
    ignored: tuple[int, ...] = ()
    """Excluded shingles: those of templates, and common ones."""
    skip: tuple[str, ...] = ()
    """Of ``quotes`` and ``references``: excluded from every text before it is shingled."""
    min_words: int | None = None
    """Units of the shortest passage that counts."""
    max_pairs: int = 0
    """Pairs of very large clusters that are listed, if that is more than the number of documents says."""

    @property
    def signs(self) -> str:
        """A digest of all that decides a row of `sign_rows`: recipe, bands, and the excluded text.

        With `min_words`, whatever it is, texts with the same shingles in another order have different digests.
        """
        import hashlib  # it loads OpenSSL, which most searches never need

        in_order = self.min_words is not None
        decides = (str(self.recipe), self.bands, self.ignored, self.skip, *(["in order"] if in_order else []))
        return hashlib.sha256(repr(decides).encode()).hexdigest()[:16]

    def native(self, *, memory: int = HELD, limits: tuple[int, int] | None = None) -> _native.Strategy:
        """Return it as the core takes it; `memory` is what verifying may hold at a time, in bytes."""
        return _native.Strategy(
            settings(self.recipe),
            threshold=self.threshold,
            method=self.method,
            metric="containment" if self.metric == "containment" else "jaccard",
            bands=self.bands.bands if self.bands else 1,
            rows=self.bands.rows if self.bands else 1,
            least=self.least,
            ignored=list(self.ignored),
            drops_excluded=bool(self.skip),
            min_units=self.min_words,
            limits=limits,
            max_pairs=self.max_pairs,
            memory=memory,
        )


@dataclass(frozen=True, slots=True)
class Asked:
    """What a caller wants to find, before the size of the collection is known."""

    recipe: Recipe
    threshold: float
    recall: float = 0.99
    method: str = "auto"
    metric: Metric = "jaccard"
    bands: Bands | None = None
    ignored: tuple[int, ...] = ()
    skip: tuple[str, ...] = ()
    min_words: int | None = None
    max_pairs: int = 0

    def check(self) -> None:
        """Refuse settings that no search can satisfy."""
        _share("threshold", self.threshold, DISTANCE if self.metric == "euclidean" else "")
        _share("recall", self.recall)
        for name, given, allowed in (("metric", self.metric, METRICS), ("method", self.method, METHODS)):
            if given not in allowed:
                raise RecipeError(name, given, "one of " + ", ".join(allowed), suggest(given, allowed))
        if self.metric == "containment" and self.method in ("lsh", "signatures"):
            allowed_methods = "'auto', 'exact' or 'brute' for containment: signatures do not know it"
            raise RecipeError("method", self.method, allowed_methods)
        if self.metric in MEASURES and (self.ignored or self.skip):
            allowed_metrics = "jaccard, bag or containment where text is excluded"
            raise RecipeError("metric", self.metric, allowed_metrics, "it counts all shingles of a text")

    @property
    def jaccard(self) -> float:
        """The Jaccard similarity from which pairs are looked for."""
        return candidates_from(self.metric, float(self.threshold), self.method)

    @property
    def exact_up_to(self) -> int | None:
        """Characters of text up to which the exact join is taken; None if that does not depend on the size."""
        if self.metric == "containment" or self.method != "auto" or self.bands is not None or self.recall == 1.0:
            return None
        try:
            _bands(self.jaccard, self.recall, self.recipe)
        except BandsError:
            return None
        return SMALL * UNIT_LENGTH[self.recipe.unit]


def choose_strategy(asked: Asked, size: int) -> Strategy:
    """Decide how to search a collection whose texts have `size` characters."""
    asked.check()
    threshold, recall, bands = asked.jaccard, float(asked.recall), asked.bands
    chosen = _choose(asked, size)
    if chosen != "lsh":
        bands = None
    elif bands is None:
        bands = _bands(threshold, recall, asked.recipe)
    else:
        check_bands(bands, asked.recipe.hashes)
    lost = _allowed_loss(chosen, recall)
    return Strategy(
        recipe=asked.recipe,
        method=chosen,
        metric=asked.metric,
        threshold=threshold,
        bands=bands,
        least=least_agreeing(threshold, asked.recipe.hashes, lost) if lost else 0,
        promised=_promised(chosen, threshold, recall, bands, lost),
        ignored=asked.ignored,
        skip=asked.skip,
        min_words=asked.min_words,
        max_pairs=asked.max_pairs,
    )


def candidates_from(metric: Metric, threshold: float, method: str) -> float:
    """Return the Jaccard similarity from which pairs are looked for: the threshold, unless another measure cuts them.

    Where no shingle is repeated, a cosine of c takes a Jaccard similarity of c² or more: the smaller set has at least
    the share c² of the larger one. Repeats can lower it, so `MARGIN` of that is enough. A distance takes none, because
    two short texts are never far from each other: `NEAR` is what two documents have at the distance d if they have 3 d²
    shingles together. Brute force compares all.

    >>> round(candidates_from("cosine", 0.8, "lsh"), 6), candidates_from("euclidean", 0.1, "exact")
    (0.48, 0.5)
    """
    if metric not in MEASURES:
        return threshold
    if method == "brute":
        return SHARED
    return MARGIN * threshold**2 if metric == "cosine" else NEAR


def _share(name: str, given: float, hint: str = "") -> float:
    allowed = "a number above 0 and at most 1"
    value = check_number(name, given, allowed)
    if not 0.0 < value <= 1.0:
        raise RecipeError(name, given, allowed, hint)
    return value


def _choose(asked: Asked, size: int) -> str:
    if asked.method != "auto":
        return asked.method
    if asked.metric != "containment" and asked.bands is not None:
        return "lsh"
    most = asked.exact_up_to
    return "exact" if most is None or size <= most else "lsh"


def _bands(threshold: float, recall: float, recipe: Recipe) -> Bands:
    """Return bands for a recall that the sketch filter may then lower to what was asked for."""
    return choose_bands(threshold, recall=recall + _allowed_loss("lsh", recall), hashes=recipe.hashes)


def _allowed_loss(method: str, recall: float) -> float:
    """Return the share of true pairs that the filter on agreeing slots may lose."""
    return {"lsh": (1.0 - recall) / 50, "signatures": 1.0 - recall}.get(method, 0.0)


def _promised(method: str, threshold: float, recall: float, bands: Bands | None, lost: float) -> float:
    if method == "lsh" and bands is not None:
        return bands.recall(threshold) - lost
    return recall if method == "signatures" else 1.0


def least_agreeing(threshold: float, hashes: int, lost: float) -> int:
    """Return how many slots must agree so that a pair at the threshold is lost with at most the chance `lost`.

    The number of slots that agree is binomial (classic), or varies less than that (fast).

    >>> least_agreeing(0.8, 256, 0.0002)
    181
    """
    below, slots = binomial(0, hashes, threshold), 0
    while below <= lost and slots < hashes:
        slots += 1
        below += binomial(slots, hashes, threshold)
    return slots
