"""How good the families of hash functions are: how well they mix, and how wrong the reports' versions are.

The designers of MurmurHash used two tests (report A, §6.3). Avalanche: flip one input bit, and each output bit should
change half of the time. Chi-squared: the keys 0, 1, 2 … should fall into equal parts of the range as evenly as chance
would put them, neither worse nor better.

A MinHash estimate is right only if every row is equally likely to come first. Report A's programs keep few bits of a
value or take it modulo the number of rows, so that different rows share the least value, and documents agree that
should not. Here those functions are written again, in slow Python, one error at a time.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Final

import lookalike as la
from lookalike.experiments import (
    Cell,
    Column,
    Experiment,
    Progress,
    Setup,
    Table,
    Verdict,
    data,
    each,
    figures,
    verdict,
)
from lookalike.hashing import FAMILIES, avalanche, chi_squared, murmur3_32
from lookalike.reference.hash_functions import first_primes, next_prime

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    Functions = Callable[[int, int, random.Random], Iterator[list[int]]]

__all__ = ["EXPERIMENTS", "WAYS", "Way", "bias", "estimate"]

# == avalanche and chi-squared =========================================================================================


BITS: Final = 32
ENOUGH: Final = 4.0
"""A z further from 0 than this is not chance."""

QUALITY_COLUMNS: Final = (
    Column("family"),
    Column("test"),
    Column("input", "bit"),
    Column("output", "bit"),
    Column("function"),
    Column("samples", "keys"),
    Column("value"),
)


def _measure_quality(setup: Setup, progress: Progress) -> Table:
    """Run both tests on each family: the shares of changed bits, and a z for each of several functions."""
    table = Table(QUALITY_COLUMNS)
    samples, functions = (1024, 8) if setup.quick else (16_384, 40)
    for family in each(FAMILIES, progress):
        found = avalanche(family, samples=samples, seed=setup.seed % 2**64)
        for i, row in enumerate(found.shares):
            table.rows.extend((family, "avalanche", i, j, 0, samples, share) for j, share in enumerate(row))
        for n in range(functions):
            spread = chi_squared(family, seed=(setup.seed + n) % 2**64)
            table.rows.append((family, "chi-squared z", "", "", n, spread.keys, spread.z))
    return table


# -- the figure ------------------------------------------------------------------------------------------------------


def _draw_quality(table: Table, setup: Setup, figure: Figure) -> None:
    """Draw a square of 32 × 32 bits for each family, and the z of its functions."""
    figure.set_size_inches(11, 6.6)
    layout = figure.subplot_mosaic([list(FAMILIES), ["chi"] * len(FAMILIES)], height_ratios=(1.25, 1))
    axes = [layout[family] for family in FAMILIES]
    for family, ax in zip(FAMILIES, axes, strict=True):
        shares = table.where(family=family, test="avalanche").numbers("value")
        square = [shares[i * BITS : (i + 1) * BITS] for i in range(BITS)]
        ax.imshow(square, vmin=0, vmax=1, cmap="PuOr", origin="lower")
        ax.grid(visible=False)
        ax.set(title=family, xlabel="output bit", xticks=(0, 8, 16, 24, 31), yticks=(0, 8, 16, 24, 31))
    axes[0].set_ylabel("flipped input bit")
    figure.colorbar(axes[0].images[0], ax=axes, shrink=0.85, label="share of flips (½ is best)")
    _draw_scores(table, layout["chi"])
    scores = table.where(test="chi-squared z", family=FAMILIES[0])
    figures.note(
        figure,
        f"avalanche: {table.numbers('samples')[0]:.0f} random keys for each flipped bit; chi-squared: "
        f"{len(scores.rows)} functions of each family; seed {setup.seed}",
    )


def _draw_scores(table: Table, axes: Axes) -> None:
    for n, family in enumerate(FAMILIES):
        values = table.where(family=family, test="chi-squared z").numbers("value")
        offsets = [n + (i / max(len(values) - 1, 1) - 0.5) * 0.6 for i in range(len(values))]
        axes.plot(offsets, values, color=figures.COLOURS[n], marker=figures.style(n)["marker"], linestyle="none")
    axes.axhspan(-ENOUGH, ENOUGH, color=figures.GREY, alpha=0.15, linewidth=0)
    axes.annotate("what chance explains", (-0.45, -ENOUGH), (0, 3), textcoords="offset points", color=figures.GREY)
    axes.set_xticks(range(len(FAMILIES)), FAMILIES)
    axes.grid(visible=False, axis="x")
    title = "How evenly 65 536 consecutive keys fill 256 parts"
    axes.set(ylabel="z of chi-squared", title=title, xlim=(-0.5, len(FAMILIES) - 0.5))


# -- the verdicts ----------------------------------------------------------------------------------------------------


def _judge_quality(table: Table, _setup: Setup) -> list[Verdict]:
    """Judge the claim that MurmurHash3 was designed for these tests, and that hash functions are uniform."""
    return [_murmur(table), _uniform(table)]


def worst_share(table: Table, family: str) -> float:
    """Return the share of flips that is furthest from ½, as a distance."""
    return max(abs(share - 0.5) for share in table.where(family=family, test="avalanche").numbers("value"))


def _scores(table: Table, family: str) -> list[float]:
    return table.where(family=family, test="chi-squared z").numbers("value")


def _murmur(table: Table) -> Verdict:
    """Rule: the worst share is within six standard deviations of ½, and every z within 4; in part if one is so."""
    samples = table.numbers("samples")[0]
    mixes = worst_share(table, "murmur3") <= 6 * 0.5 / samples**0.5
    scores = _scores(table, "murmur3")
    even = max(map(abs, scores)) <= ENOUGH
    others = ", ".join(f"{family} {worst_share(table, family):.3f}" for family in FAMILIES if family != "murmur3")
    return verdict(
        "A-6.3-tests",
        "holds" if mixes and even else "holds in part" if mixes or even else "does not hold",
        f"No share of flips is further than {worst_share(table, 'murmur3'):.3f} from ½ ({others}); z lies "
        f"between {min(scores):+.1f} and {max(scores):+.1f}.",
        {f"worst_share_{family}": worst_share(table, family) for family in FAMILIES},
    )


def _uniform(table: Table) -> Verdict:
    """Rule: no z is above 4, which is clustering, and no median below −4; in part if only the first is so."""
    medians = {family: sorted(_scores(table, family))[len(_scores(table, family)) // 2] for family in FAMILIES}
    clusters = max(max(_scores(table, family)) for family in FAMILIES) > ENOUGH
    odd = [family for family in FAMILIES if medians[family] < -ENOUGH]
    told = ", ".join(f"{family} {z:+.1f}" for family, z in medians.items())
    return verdict(
        "A-6-uniform",
        "does not hold" if clusters else "holds in part" if odd else "holds",
        f"Median z of chi-squared on row numbers: {told}. {'Some functions' if clusters else 'None'} "
        f"cluster; {' and '.join(odd) or 'none'} spread more evenly than chance, as linear functions of consecutive "
        "keys do. That is no merit for MinHash, which needs a random order, so linear functions are given mixed keys.",
        {f"median_z_{family}": z for family, z in medians.items()},
    )


_QUALITY: Final = Experiment(
    id="hash-quality",
    title="Avalanche and chi-squared of each hash family",
    items=(31, 35),
    caption="Squares: how often each output bit changes when one input bit is flipped. White is ½, as it should be; a "
    "triangle is a multiplication, which carries upwards only. Below: how evenly consecutive keys spread, as standard "
    "deviations from what chance gives; far below 0 is more even than chance.",
    seconds=0.1,
    measure=_measure_quality,
    draw=_draw_quality,
    judge=_judge_quality,
)


# == hash functions of row numbers, as the reports' programs have them, and corrected ==================================
#
# A function is given as the list of its values for the rows 0, 1, 2 …; the minhash of a document is the least value of
# its rows.


U32: Final = 2**32


@dataclass(frozen=True, slots=True)
class Way:
    """A way to make hash functions of row numbers."""

    family: str
    name: str
    kind: str
    """"as coded" in a report's program, "one error" of it alone, or "corrected"."""
    functions: Functions
    """From the numbers of rows and of functions: the values of all rows, function by function."""
    skips_zero: bool = False


def estimate(way: Way, first: list[int], second: list[int], rows: int, hashes: int, chance: random.Random) -> float:
    """Return the share of functions whose least value over two sets of rows is the same."""
    agreeing = 0
    for made in way.functions(rows, hashes, chance):
        values = [value or U32 for value in made] if way.skips_zero else made
        agreeing += min(values[row] for row in first) == min(values[row] for row in second)
    return agreeing / hashes


def _modular_a(rows: int, hashes: int, chance: random.Random) -> Iterator[list[int]]:
    """Report A: a and b at random below the number of rows, modulo the next prime above it; 0 is made 1."""
    prime = next_prime(rows)
    for _ in range(hashes):
        a, b = chance.randrange(rows) or 1, chance.randrange(rows)
        yield [(a * row + b) % prime for row in range(rows)]


def _modular_b(rows: int, hashes: int, chance: random.Random) -> Iterator[list[int]]:
    """Report B: the i-th prime as factor, modulo the number of rows."""
    for p in first_primes(hashes):
        m = chance.randrange(rows)
        yield [(p * row + m) % rows for row in range(rows)]


def _modular_right(rows: int, hashes: int, chance: random.Random) -> Iterator[list[int]]:
    prime = U32 - 5
    for _ in range(hashes):
        a, b = chance.randrange(1, prime), chance.randrange(prime)
        yield [(a * row + b) % prime for row in range(rows)]


def _few_bits(rows: int, hashes: int, chance: random.Random) -> Iterator[list[int]]:
    """Report A: a real factor from 0.018 to 1.218 that overflows above 1, and as many bits as the rows need."""
    bits = max(1, math.floor(math.log2(rows)))
    for _ in range(hashes):
        s = math.floor(chance.uniform(0.018, 1.218) * U32) % U32
        yield [(row * s % U32) >> (32 - bits) for row in range(rows)]


def _odd_and_offset(rows: int, hashes: int, chance: random.Random, bits: int = 32) -> Iterator[list[int]]:
    for _ in range(hashes):
        s, offset = chance.randrange(1, U32, 2), chance.randrange(U32)
        yield [((row * s + offset) % U32) >> (32 - bits) for row in range(rows)]


def _odd_and_few_bits(rows: int, hashes: int, chance: random.Random) -> Iterator[list[int]]:
    return _odd_and_offset(rows, hashes, chance, max(1, math.floor(math.log2(rows))))


def _murmur_functions(*, mod_rows: bool, repeating: bool) -> Functions:
    """Return MurmurHash3 as report A has it, modulo the rows and with seeds that repeat, or without these errors."""

    def functions(rows: int, hashes: int, chance: random.Random) -> Iterator[list[int]]:
        seeds = [chance.randrange(hashes) for _ in range(hashes)] if repeating else chance.sample(range(U32), hashes)
        keys = [row.to_bytes(4, "little") for row in range(rows)]
        for seed in seeds:
            yield [murmur3_32(key, seed) % (rows if mod_rows else U32) for key in keys]

    return functions


WAYS: Final = (
    Way("modular", "report A: mod next prime", "as coded", _modular_a),
    Way("modular", "report B: small primes, mod rows", "as coded", _modular_b),
    Way("modular", "large prime, random factor", "corrected", _modular_right),
    Way("multiplicative", "report A: few bits, 0 skipped", "as coded", _few_bits, skips_zero=True),
    Way("multiplicative", "report A: few bits, 0 kept", "one error", _few_bits),
    Way("multiplicative", "odd factor and offset, few bits", "one error", _odd_and_few_bits),
    Way("multiplicative", "odd factor and offset, 32 bits", "corrected", _odd_and_offset),
    Way("murmur3", "report A: mod rows, seeds repeat", "as coded", _murmur_functions(mod_rows=True, repeating=True)),
    Way("murmur3", "mod rows, different seeds", "one error", _murmur_functions(mod_rows=True, repeating=False)),
    Way("murmur3", "32 bits, seeds repeat", "one error", _murmur_functions(mod_rows=False, repeating=True)),
    Way("murmur3", "32 bits, different seeds", "corrected", _murmur_functions(mod_rows=False, repeating=False)),
)


# == what they estimate for the pair of similarity 0.6 =================================================================


SIMILARITY: Final = 0.6
K: Final = 9
HASHES: Final = 300
RECIPE: Final = la.Recipe(unit="char", k=K, sketch="classic", hashes=HASHES)

BIAS_COLUMNS: Final = tuple(map(Column, ("family", "functions", "kind", "run", "exact", "estimate")))


def _measure_bias(setup: Setup, progress: Progress) -> Table:
    """Estimate one pair many times, with new functions each time, in each way."""
    a, b = data.pair_of_similarity(setup, SIMILARITY, K)
    exact = la.jaccard(a, b, recipe=RECIPE)
    rows = _rows_of(a, b)
    chance = random.Random(f"{setup.seed}/biased families")
    table = Table(BIAS_COLUMNS)
    for run in each(range(8 if setup.quick else 40), progress):
        for way in WAYS:
            table.rows.append((way.family, way.name, way.kind, run, exact, estimate(way, *rows, HASHES, chance)))
        for family in FAMILIES:
            recipe = RECIPE.replace(family=family, seed=chance.getrandbits(64))
            value = la.sign([a, b], recipe, threads=1).estimate(0, 1)
            table.rows.append((family, "lookalike: mixed keys", "ours", run, exact, value))
    return table


def _rows_of(a: str, b: str) -> tuple[list[int], list[int], int]:
    """Return the documents as row numbers of their characteristic matrix, and the number of rows."""
    matrix = la.characteristic_matrix([a, b], RECIPE)
    first, second = (list(rows) for rows in matrix.columns.values())
    return first, second, len(matrix.rows)


def ways(table: Table) -> list[tuple[Cell, Cell, Cell]]:
    """Return (family, functions, kind) of each way, family by family."""
    found = list(dict.fromkeys((row[0], row[1], row[2]) for row in table.rows))
    return [way for family in FAMILIES for way in found if way[0] == family]


def bias(table: Table, family: str, functions: str) -> tuple[float, float]:
    """Return the mean estimate minus the exact similarity, and the standard error of that mean."""
    mine = table.where(family=family, functions=functions)
    values = mine.numbers("estimate")
    return fmean(values) - mine.numbers("exact")[0], stdev(values) / len(values) ** 0.5


# -- the figure ------------------------------------------------------------------------------------------------------


def _draw_bias(table: Table, setup: Setup, figure: Figure) -> None:
    """Draw a line of dots for each way: each dot is one estimate."""
    figure.set_size_inches(10, 6.2)
    axes = figure.subplots()
    listed = ways(table)[::-1]
    looks = {"as coded": 1, "one error": 4, "corrected": 2, "ours": 0}
    for height, (family, functions, kind) in enumerate(listed):
        values = table.where(family=family, functions=functions).numbers("estimate")
        look = figures.style(looks[str(kind)])
        axes.plot(values, [height] * len(values), look["marker"], color=look["color"], alpha=0.4)
        axes.plot(fmean(values), height, "|", color="black", ms=17, mew=2)
    exact = table.numbers("exact")[0]
    error = la.standard_error(exact, HASHES)
    axes.axvspan(exact - 2 * error, exact + 2 * error, color=figures.GREY, alpha=0.15, linewidth=0)
    axes.axvline(exact, color=figures.GREY, linestyle="--")
    axes.annotate(f"exact: {exact:.3f}", (exact, len(listed) - 0.45), (4, 0), textcoords="offset points")
    for kind, label in (
        ("as coded", "as in the reports' programs"),
        ("one error", "one of their errors"),
        ("corrected", "corrected, on row numbers"),
        ("ours", "lookalike, on mixed keys"),
    ):
        look = figures.style(looks[kind])
        axes.plot([], [], look["marker"], color=look["color"], label=label)
    axes.plot([], [], "|", color="black", ms=12, mew=2, label="mean")
    axes.set_yticks(range(len(listed)), [f"{family}: {functions}" for family, functions, _ in listed])
    axes.set(xlabel="estimated Jaccard similarity", ylim=(-0.7, len(listed)))
    axes.legend(loc="lower right")
    figures.note(
        figure,
        f"one pair, k = {K}, J = {exact:.4f}; {HASHES} functions an estimate, "
        f"{len(table.distinct('run'))} estimates each; shaded: ±2 standard errors of one estimate; seed {setup.seed}",
    )


# -- the verdicts ----------------------------------------------------------------------------------------------------


def _judge_bias(table: Table, _setup: Setup) -> list[Verdict]:
    """Judge whether the families of report A, as coded, estimate the Jaccard similarity; report B's is judged by k."""
    return [
        _verdict(table, "modular", "report A: mod next prime", "ours-bias-modular-A"),
        _verdict(table, "multiplicative", "report A: few bits, 0 skipped", "ours-bias-multiplicative-A"),
        _verdict(table, "murmur3", "report A: mod rows, seeds repeat", "ours-bias-murmur-A"),
    ]


def _verdict(table: Table, family: str, functions: str, claim: str) -> Verdict:
    """Rule: the mean is within 0.02 of J, or within four of its standard errors; it fails if it is 0.03 beyond."""
    off, error = bias(table, family, functions)
    ours, our_error = bias(table, family, "lookalike: mixed keys")
    exact = table.numbers("exact")[0]
    others = "; ".join(
        f"{name} {exact + bias(table, family, str(name))[0]:.3f}"
        for kin, name, kind in ways(table)
        if kin == family and kind in ("one error", "corrected")
    )
    return verdict(
        claim,
        "holds" if abs(off) <= max(4 * error, 0.02) else "does not hold" if abs(off) > 0.05 else "holds in part",
        f"Mean estimate {exact + off:.3f} ± {error:.3f} for J = {exact:.3f}"
        + (f" ({others})" if others else "")
        + f"; lookalike's {family} functions on mixed keys: {exact + ours:.3f} ± {our_error:.3f}.",
        {"bias": off, "standard_error": error, "bias_of_lookalike": ours},
    )


_BIAS: Final = Experiment(
    id="biased-families",
    title="The hash functions of the reports' programs beside corrected ones: which read too high",
    items=(32, 33, 34, 107, 108, 109, 110),
    caption="Each dot is an estimate of one pair of similarity 0.6 by 300 functions. Functions that keep few bits, or "
    "take a hash modulo the number of rows, let different rows share the least value and read too high. Corrected "
    "functions, and lookalike's, scatter about the truth as theory says (shaded).",
    seconds=15,
    measure=_measure_bias,
    draw=_draw_bias,
    judge=_judge_bias,
)

EXPERIMENTS = (_QUALITY, _BIAS)
