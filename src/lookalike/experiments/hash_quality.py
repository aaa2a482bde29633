"""How well the hash functions mix: the two tests that the designers of MurmurHash used (item 35), on every family.

Avalanche: flip one input bit, and each output bit should change half of the time. Chi-squared: the keys 0, 1, 2 …
should fall into equal parts of the range as evenly as chance would put them, neither worse nor better.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lookalike.experiments.claims import verdict
from lookalike.experiments.experiment import Column, Experiment, Progress, Setup, Table, Verdict, each
from lookalike.hashing import FAMILIES, avalanche, chi_squared

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENT"]

BITS: Final = 32
ENOUGH: Final = 4.0
"""A z further from 0 than this is not chance."""

COLUMNS: Final = (
    Column("family"),
    Column("test"),
    Column("input", "bit"),
    Column("output", "bit"),
    Column("function"),
    Column("samples", "keys"),
    Column("value"),
)


def measure(setup: Setup, progress: Progress) -> Table:
    """Run both tests on each family: the shares of changed bits, and a z for each of several functions."""
    table = Table(COLUMNS)
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


def draw(table: Table, setup: Setup, figure: Figure) -> None:
    """Draw a square of 32 × 32 bits for each family, and the z of its functions."""
    from lookalike.experiments import figures

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
    from lookalike.experiments import figures

    for n, family in enumerate(FAMILIES):
        values = table.where(family=family, test="chi-squared z").numbers("value")
        offsets = [n + (i / max(len(values) - 1, 1) - 0.5) * 0.6 for i in range(len(values))]
        axes.plot(offsets, values, color=figures.COLOURS[n], marker=figures.style(n)["marker"], linestyle="none")
    axes.axhspan(-ENOUGH, ENOUGH, color=figures.GREY, alpha=0.15, linewidth=0)
    axes.annotate("what chance explains", (-0.45, -ENOUGH), (0, 3), textcoords="offset points", color=figures.GREY)
    axes.set_xticks(range(len(FAMILIES)), FAMILIES)
    axes.grid(visible=False, axis="x")
    axes.set(ylabel="z of chi-squared", title="How evenly 65 536 consecutive keys fill 256 parts", xlim=(-0.5, 3.5))


# -- the verdicts ----------------------------------------------------------------------------------------------------


def judge(table: Table, _setup: Setup) -> list[Verdict]:
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


EXPERIMENT: Final = Experiment(
    id="hash-quality",
    title="Avalanche and chi-squared of each hash family",
    items=(31, 35),
    caption="Squares: how often each output bit changes when one input bit is flipped. White is ½, as it should be; a "
    "triangle is a multiplication, which carries upwards only. Below: how evenly consecutive keys spread, as standard "
    "deviations from what chance gives; far below 0 is more even than chance.",
    seconds=0.1,
    measure=measure,
    draw=draw,
    judge=judge,
)
