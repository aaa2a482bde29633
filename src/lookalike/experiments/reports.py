"""What the experiments of a report share: its preprocessing, its sizes, its texts, and estimates by signatures.

The estimates of report B are kept while the program runs, because several figures show the same ones; each experiment
also runs alone. Every estimate has hash functions of its own, so that any two are independent.
"""

from __future__ import annotations

import hashlib
import math
import random
from functools import lru_cache, partial
from itertools import accumulate
from statistics import fmean, median
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import lookalike as la
from lookalike.experiments import Experiment, data, figures
from lookalike.experiments.figures import Z, mean_deviation, signing_sets, spread_of_deviation
from lookalike.recipe import FAMILIES
from lookalike.reference.hash_functions import first_primes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from collections.abc import Set as AbstractSet

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from lookalike.experiments import Cell, Setup, Table, Verdict

__all__ = [
    "BANDS",
    "DOCUMENTS",
    "FAST",
    "HASHES",
    "LABELS",
    "OTHERS",
    "PAIRS",
    "REPORTED",
    "SIZES",
    "SKETCHES_A",
    "SKETCHES_B",
    "STEPS",
    "ZOOMS",
    "Summary",
    "agree",
    "different",
    "error_of_mean",
    "error_of_pairs",
    "estimates",
    "exact",
    "experiments_by_family",
    "foot",
    "handing_over",
    "hash_seed",
    "mark_word_length",
    "median_by_k",
    "number_of",
    "pairs",
    "recipe_a",
    "recipe_b",
    "reported_estimates",
    "runs",
    "sample",
    "similarities",
    "sizes",
    "sketch",
    "sketch_estimates",
    "summary",
    "texts_of_pairs",
    "word_length",
    "zoom_legend",
]

DOCUMENTS: Final = 410
"""As many shuffles as report A has in §8.3."""
BANDS: Final = la.Bands(20, 10)
"""The bands of report A, §8.3."""
FAST: Final = "fast sketch"
SKETCHES_A: Final = (*FAMILIES, FAST)
"""The kinds of signature: classic MinHash with each family, and this project's own."""
_SMALLEST: Final = 1e-9  # find() wants a threshold above 0, and this is below every similarity that is not 0


def recipe_a(k: int, **settings: Any) -> la.Recipe:
    """Return report A's preprocessing: characters in lower case, neither white space nor punctuation."""
    return la.Recipe(unit="char", k=k, whitespace="remove").replace(**settings)


def hash_seed(setup: Setup, number: int) -> int:
    """Return another seed of hash functions for each number up to a thousand."""
    return (1_000 * setup.seed + number) % 2**64


def similarities(texts: list[str], settings: la.Recipe) -> dict[tuple[int, int], float]:
    """Return the exact similarity of every pair that shares a shingle."""
    pairs = la.find(texts, _SMALLEST, method="brute", recipe=settings).pairs
    listed: list[list[Any]] = [pairs[name].to_pylist() for name in ("a", "b", "jaccard")]
    return {(a, b): similarity for a, b, similarity in zip(*listed, strict=True)}


def sketch(name: str) -> dict[str, Any]:
    """Return the settings of a kind of signature.

    >>> sketch("murmur3"), sketch("fast sketch")
    ({'sketch': 'classic', 'family': 'murmur3'}, {'sketch': 'fast'})
    """
    return {"sketch": "fast"} if name == FAST else {"sketch": "classic", "family": name}


PAIRS: Final = 5
SIZES: Final = tuple(range(1, 16))
"""The shingle sizes k of report B, which begins at 0; a shingle of no characters means nothing."""
HASHES: Final = (1, 25, 50, 100, 250, 500, 750, 1000)
STEPS: Final = (1, 25, 50, *range(100, 1001, 50))
"""The numbers of hashes of the report's figure in three dimensions."""
ZOOMS: Final = (1, 25, 50)
"""The least number of hashes of each of the three panels of an error plot."""
SKETCHES_B: Final = (*FAMILIES, "fast")
OTHERS: Final = tuple(name for name in SKETCHES_B if name not in ("modular", "jenkins"))
"""Those that report B does not have."""
REPORTED: Final = "reported"
"""The modular functions of report B's program, beside the sketches of lookalike."""
LABELS: Final = {name: name for name in FAMILIES} | {
    REPORTED: "the report's modular hashing",
    "modular": "modular hashing",
    "jenkins": "Jenkins' mix",
    "multiplicative": "multiplicative hashing",
    "murmur3": "MurmurHash3",
    "fast": "our fast sketch",
}


def experiments_by_family(
    kind: str,
    title: str,
    items: tuple[int, ...],
    captions: tuple[str, str],
    measure: Callable[..., Table],
    draw: Callable[[Table, Setup, Figure], None],
    judge: Callable[[Table, Setup], Sequence[Verdict]],
    *,
    seconds: tuple[float, float, float],
    figures: tuple[str, str],
    modular: tuple[str, ...] = (REPORTED, "modular"),
) -> tuple[Experiment, ...]:
    """Return one experiment for each of the two kinds of functions of report B, and one for the other families.

    The second caption is for those, whose figure no report has. Verdicts are made with modular functions.
    """
    kinds = {"modular": modular, "jenkins": ("jenkins",), "others": OTHERS}
    return tuple(
        Experiment(
            id=f"{kind}-{name}",
            title=f"{title}, with {LABELS.get(name, 'other families')}",
            items=tuple(sorted((*items, 82))) if name == "jenkins" else items,
            caption=captions[name == "others"],
            seconds=taken,
            measure=partial(measure, functions=functions),
            draw=draw,
            judge=judge if name == "modular" else lambda _table, _setup: (),
            figure=figure,
        )
        for (name, functions), taken, figure in zip(kinds.items(), seconds, (*figures, ""), strict=True)
    )


def runs(setup: Setup) -> int:
    """Return how many times each estimate is made, with other hash functions."""
    return 6 if setup.quick else 100


def pairs(setup: Setup) -> list[tuple[str, str]]:
    """Return the five pairs of shuffles."""
    return data.pairs(setup, PAIRS)


def word_length(setup: Setup) -> float:
    """Return the mean number of characters of a word of the base text."""
    return fmean(map(len, data.words(setup)))


def recipe_b(k: int, sketch: str = "fast", hashes: int = 1, **others: Any) -> la.Recipe:
    """Return the recipe of report B: characters, white space included."""
    kind = {"sketch": "fast"} if sketch == "fast" else {"sketch": "classic", "family": sketch}
    settings = {"unit": "char", "whitespace": "keep", "punctuation": "keep", **kind, **others}
    return la.Recipe(k=k, hashes=hashes, **settings)


@lru_cache(maxsize=256)
def exact(setup: Setup, k: int) -> tuple[float, ...]:
    """Return the Jaccard similarity of each pair."""
    return tuple(la.jaccard(a, b, recipe=recipe_b(k)) for a, b in pairs(setup))


@lru_cache(maxsize=4096)
def sketch_estimates(setup: Setup, sketch: str, hashes: int, k: int, count: int) -> tuple[tuple[float, ...], ...]:
    """Return for each of `count` runs the estimates of the five pairs."""
    chance = random.Random(f"{setup.seed}/estimates/{sketch}/{hashes}/{k}")
    texts = pairs(setup)

    def estimate(pair: tuple[str, str]) -> float:
        signatures = la.sign(pair, recipe_b(k, sketch, hashes, seed=chance.getrandbits(64)), threads=1)
        return signatures.estimate(0, 1)

    return tuple(tuple(map(estimate, texts)) for _ in range(count))


def sample(setup: Setup, more: str = "") -> str:
    """Return what stands at the foot of a figure: the sizes of the sample and the seed."""
    words = len(data.words(setup))
    return f"{PAIRS} random pairs of shuffles of {words} words{more}. Seed {setup.seed}{', quick run' * setup.quick}."


def mark_word_length(axes: Axes, setup: Setup, *, label: bool = True) -> None:
    """Draw a vertical line at the mean word length."""
    length = word_length(setup)
    axes.axvline(
        length,
        color=figures.GREY,
        linestyle=":",
        linewidth=1,
        label=f"mean word length {length:.2f}" if label else None,
    )


def zoom_legend(figure: Figure, panels: Sequence[Axes], title: str) -> None:
    """Put one legend beside the panels, from the first of them."""
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right upper", title=title, alignment="left")


# -- the modular hash functions of report B's program (§4.2.2) ---------------------------------------------------------
#
# The i-th function is (p·row + m) mod z: p the i-th prime, m random below z, and z the number of rows, which is the
# size of the union of the two documents. z is not prime. Where p divides z, p rows share each value, and two documents
# agree already if each has one of the p rows of the least value. That pulls the estimate up.


def agree(a: AbstractSet[int], b: AbstractSet[int], p: int, m: int, z: int) -> bool:
    """Tell whether two documents, sets of rows whose union is all rows below z, have the same least (p·row + m) mod z.

    Every row is in one of the two, so the least value is the least of all, m mod g with g = gcd(p, z). The rows that
    have it are g, at equal distances, and only they need a look.
    """
    g = math.gcd(p, z)
    step = z // g
    least = range(-(m // g) * pow(p // g, -1, step) % step, z, step)
    return any(row in a for row in least) and any(row in b for row in least)


@lru_cache(maxsize=64)
def reported_estimates(setup: Setup, k: int, count: int) -> dict[int, tuple[tuple[float, ...], ...]]:
    """Return for each number of hashes, for each of `count` runs, the estimates of the five pairs."""
    chance = random.Random(f"{setup.seed}/reported modular/{k}")
    made = [[_shares(*texts, k, chance) for texts in pairs(setup)] for _ in range(count)]
    return {h: tuple(tuple(shares[h] for shares in run) for run in made) for h in STEPS}


def _shares(first: str, second: str, k: int, chance: random.Random) -> dict[int, float]:
    """Return the share of agreeing functions among the first 1, 25, 50 … of them."""
    a, b = _sets(first, second, k)
    rows = sorted(a | b)
    chance.shuffle(rows)  # the report's rows stand in the order of a hash table
    number = {shingle: row for row, shingle in enumerate(rows)}
    z, mine, others = len(rows), {number[s] for s in a}, {number[s] for s in b}
    primes = first_primes(max(STEPS))
    sums = list(accumulate(agree(mine, others, p, chance.randrange(z), z) for p in primes))
    return {h: sums[h - 1] / h for h in STEPS}


@lru_cache(maxsize=256)
def _sets(first: str, second: str, k: int) -> tuple[frozenset[str], frozenset[str]]:
    one, other = (frozenset(s.text for s in la.shingles(text, recipe_b(k))) for text in (first, second))
    return one, other


# -- many estimates of the same similarities, beside what theory expects of them (§7.1.2) ------------------------------


def estimates(setup: Setup, functions: str, hashes: int, k: int, count: int) -> tuple[tuple[float, ...], ...]:
    """Return for each of `count` runs the estimates of the five pairs, by a sketch or by the report's functions."""
    if functions == REPORTED:
        return reported_estimates(setup, k, runs(setup))[hashes][:count]
    return sketch_estimates(setup, functions, hashes, k, count)


class Summary(NamedTuple):
    """The estimates of five pairs, made several times, for one k and one number of hashes. All in percent."""

    exact: float
    """The mean similarity of the pairs."""
    once: float
    """The mean estimate of the pairs in the first run: what report B shows."""
    least: float
    most: float
    """Of the pairs in the first run."""
    mean: float
    """The mean estimate of all runs."""
    mean_margin: float
    """Half the 99.9 % interval of that, by theory."""
    decided: float
    """The share of estimates that are 0 or 100 %."""
    error: float
    """The mean |error| of a pair, over all runs."""
    expected: float
    """The same by theory."""
    margin: float
    """Half the 99.9 % interval of the mean |error|, by theory."""
    error_of_mean: float
    """Report B's error: |mean estimate of the five pairs − their mean similarity|; the mean of all runs."""
    error_once: float
    """The same in the first run: what report B shows."""


def error_of_pairs(run: tuple[float, ...], exact: tuple[float, ...]) -> float:
    """Return the mean |error| of the pairs."""
    return fmean(abs(estimate - jaccard) for estimate, jaccard in zip(run, exact, strict=True))


def error_of_mean(run: tuple[float, ...], exact: tuple[float, ...]) -> float:
    """Return the |error| of the mean of the pairs, in which errors up and down cancel."""
    return abs(fmean(run) - fmean(exact))


def summary(setup: Setup, functions: str, hashes: int, k: int) -> Summary:
    """Make the estimates for one k and one number of hashes, and sum them up."""
    true = exact(setup, k)
    made = estimates(setup, functions, hashes, k, runs(setup))
    every = [estimate for run in made for estimate in run]
    # The standard error of a mean over independent pairs and runs.
    spreads = [math.sqrt(j * (1 - j) / hashes) for j in true]
    deviations = [spread_of_deviation(j, hashes) for j in true]
    shares = Summary(
        exact=fmean(true),
        once=fmean(made[0]),
        least=min(made[0]),
        most=max(made[0]),
        mean=fmean(every),
        mean_margin=Z * math.hypot(*spreads) / len(spreads) / math.sqrt(len(made)),
        decided=fmean(estimate in (0, 1) for estimate in every),
        error=fmean(error_of_pairs(run, true) for run in made),
        expected=fmean(mean_deviation(j, hashes) for j in true),
        margin=Z * math.hypot(*deviations) / len(deviations) / math.sqrt(len(made)),
        error_of_mean=fmean(error_of_mean(run, true) for run in made),
        error_once=error_of_mean(made[0], true),
    )
    return Summary(*(100 * share for share in shares))


# -- times -------------------------------------------------------------------------------------------------------------


def sizes(setup: Setup) -> tuple[int, ...]:
    """Return the values of k that are timed."""
    return (1, 2, 3, 4, 5, 6, 7, 9, 12, 15) if setup.quick else SIZES


def texts_of_pairs(setup: Setup) -> list[str]:
    """Return the texts of the five pairs."""
    return [text for pair in pairs(setup) for text in pair]


def different(text: str, k: int) -> list[int]:
    """Return the different shingles of a text, each as a number of 64 bits."""
    return [number_of(each) for each in sorted({shingle.text for shingle in la.shingles(text, recipe_b(k))})]


def number_of(shingle: str) -> int:
    """Return a shingle as a number of 64 bits."""
    return int.from_bytes(hashlib.blake2b(shingle.encode(), digest_size=8).digest(), "little")


def handing_over(sets: list[list[int]], k: int) -> Callable[[], object]:
    """Return the work of handing sets over to the core, with one multiplication for each element."""
    return signing_sets(sets, recipe_b(k, "multiplicative", 1))


def median_by_k(table: Table, column: str, **wanted: Cell) -> dict[int, float]:
    """Return the median over the rounds for each k."""
    rows = table.where(**wanted)
    return {int(k): median(rows.where(k=k).numbers(column)) for k in rows.distinct("k")}


def foot(setup: Setup, table: Table) -> str:
    """Return what stands at the foot of a figure of times."""
    return (
        f"Time of a pair, mean of {PAIRS} random pairs of shuffles; median of {len(table.distinct('round'))} "
        f"rounds, shaded: their spread; processor time of one thread. Seed {setup.seed}{', quick run' * setup.quick}. "
        "Dotted: mean word length."
    )
