"""How measurements are shown: how certain each is, and how every figure looks."""

from __future__ import annotations

import gc
import io
import math
import textwrap
from statistics import fmean, median
from time import process_time
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lookalike._native import SignatureMatrix, overlap
from lookalike.engine.bands import wilson as interval
from lookalike.errors import MissingExtraError
from lookalike.experiments import each
from lookalike.recipe import settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

    from lookalike import Recipe
    from lookalike.experiments import Finding, Progress

__all__ = [
    "COLOURS",
    "GREY",
    "ROUNDS",
    "Spread",
    "Z",
    "comparing",
    "correlation",
    "in_rounds",
    "mean_deviation",
    "new_figure",
    "note",
    "plain_numbers",
    "require",
    "sign_test",
    "signing",
    "signing_sets",
    "slope",
    "spread_of_deviation",
    "style",
    "thumbnail",
    "to_pdf",
    "to_png",
    "to_svg",
    "together",
    "wilson",
]

COLOURS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C6D1F")
"""Okabe and Ito's, without their yellow, which is hard to see on white; the last is darker than it."""
GREY: Final = "#666666"
"""For reference lines and what is drawn behind the data."""

_LINES: Final = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)), (0, (1, 1)), (0, (3, 1, 1, 1)))
_MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X", "*")

_RC: Final[dict[str, Any]] = {
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.labelsize": 10,
    "axes.prop_cycle": None,  # put in by _settings, which may load matplotlib
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 10.5,
    "figure.constrained_layout.h_pad": 0.07,
    "figure.constrained_layout.w_pad": 0.07,  # a text is a little wider in one form than in another
    "figure.dpi": 150,
    "figure.facecolor": "white",
    "figure.figsize": (8.0, 4.8),
    "figure.titlesize": 12,
    "font.family": "DejaVu Sans",  # comes with matplotlib: the same everywhere
    "font.size": 9.5,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.fontsize": 8.5,
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "lines.markersize": 4.5,
    "savefig.dpi": 150,
    "svg.fonttype": "path",
    "svg.hashsalt": "lookalike",  # or the ids inside an SVG would differ from run to run
}
_FOOT: Final = "note"


def require() -> None:
    """Refuse to go on without matplotlib."""
    try:
        import matplotlib as mpl  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("lookalike experiment run", "experiments") from error


def style(n: int) -> dict[str, Any]:
    """Return the colour, the kind of line and the marker of the n-th series, from 0."""
    return {
        "color": COLOURS[n % len(COLOURS)],
        "linestyle": _LINES[n % len(_LINES)],
        "marker": _MARKERS[n % len(_MARKERS)],
    }


def note(figure: Figure, text: str) -> None:
    """Write what a reader has to know about the data, such as sample sizes and the seed, at the foot of the figure."""
    for old in [old for old in figure.texts if old.get_gid() == _FOOT]:
        old.remove()
    figure.text(0.01, 0.01, text, gid=_FOOT, fontsize=7.5, color="#444444", ha="left", va="bottom")


def plain_numbers(axis: Axis, *ticks: float) -> None:
    """Write the numbers of a logarithmic axis as 0.02 or 1,000, not as powers, at these places if there are any."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

    if ticks:
        axis.set_major_locator(FixedLocator(ticks))
    axis.set_major_formatter(FuncFormatter(lambda value, _place: f"{value:,.0f}" if value >= 1 else f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def new_figure(draw: Callable[[Figure], None]) -> Figure:
    """Make an empty figure of the house style, and have it drawn."""
    require()
    import matplotlib as mpl
    from matplotlib.figure import Figure as NewFigure

    with mpl.rc_context(_settings()):
        figure = NewFigure(layout="constrained")
        draw(figure)
        _make_room_for_note(figure)
        _freeze(figure)
        return figure


def to_png(figure: Figure) -> bytes:
    """Return the figure as PNG."""
    return _saved(figure, "png", {"Software": None})


def to_svg(figure: Figure) -> bytes:
    """Return the figure as SVG, without the date: the same table gives the same bytes."""
    return _saved(figure, "svg", {"Date": None, "Creator": None})


def to_pdf(figure: Figure) -> bytes:
    """Return the figure as PDF, without the date: the same table gives the same bytes."""
    return _saved(figure, "pdf", {"CreationDate": None, "Creator": None, "Producer": None})


def thumbnail(png: Path) -> bytes:
    """Return a picture in a small form, as PNG of few colours."""
    require()
    from PIL import Image  # matplotlib brings it, to write PNG

    small = io.BytesIO()
    with Image.open(png) as picture:
        picture.thumbnail((440, 330))
        picture.convert("P", palette=Image.Palette.ADAPTIVE).save(small, "PNG", optimize=True)
    return small.getvalue()


def _saved(figure: Figure, form: str, metadata: dict[str, Any]) -> bytes:
    import matplotlib as mpl

    with mpl.rc_context(_settings()):
        written = io.BytesIO()
        figure.savefig(written, format=form, metadata=metadata)
        return written.getvalue()


def _settings() -> Any:  # a dict; matplotlib's stubs want every key spelled out in its type
    from cycler import cycler

    return {**_RC, "axes.prop_cycle": cycler(color=COLOURS)}


def _make_room_for_note(figure: Figure) -> None:
    """Break the note into lines that fit, and keep the axes above it: the layout knows nothing of it."""
    foot = next((text for text in figure.texts if text.get_gid() == _FOOT), None)
    engine = figure.get_layout_engine()
    if foot is None or engine is None:
        return
    width, height = figure.get_size_inches()
    lines = textwrap.wrap(foot.get_text(), max(20, int(width * 17)))
    foot.set_text("\n".join(lines))
    share = (0.12 + 0.14 * len(lines)) / height
    engine.set(rect=(0.0, share, 1.0, 1.0 - share))  # type: ignore[call-arg]


def _freeze(figure: Figure) -> None:
    """Lay out the figure once, for all forms alike, and round: the solver's last digits differ from run to run."""
    figure.draw_without_rendering()
    for axes in figure.axes:
        _keep_ticks(axes)  # the size of the axes decides their ticks, and a longer label would need more room
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for axes in figure.axes:
        left, bottom, width, height = axes.get_position(original=True).bounds
        axes.set_position((round(left, 5), round(bottom, 5), round(width, 5), round(height, 5)))


def _keep_ticks(axes: Axes) -> None:
    """Keep the ticks that the axes have now, however they are laid out."""
    from matplotlib.ticker import FixedLocator

    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(FixedLocator(axis.get_majorticklocs().tolist()))


ROUNDS: Final = 9
"""With nine rounds, the second and the eighth of them enclose the median with a probability of 96 %."""


class Spread(NamedTuple):
    """A median over rounds, and between which values it lies: all rounds but the extremes, from seven rounds on."""

    low: float
    middle: float
    high: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        """Return the spread of what the rounds gave."""
        ordered = sorted(values)
        trimmed = ordered[1:-1] if len(ordered) >= 7 else ordered
        return cls(trimmed[0], median(ordered), trimmed[-1])

    @classmethod
    def of_ratios(cls, first: Sequence[float], second: Sequence[float]) -> Spread:
        """Return the spread of the first divided by the second, round by round."""
        return cls.of(a / max(b, 1e-12) for a, b in zip(first, second, strict=True))

    def decide(self, *, holds_from: float, fails_to: float) -> Finding:
        """Judge "at least": it holds if all of the spread is above one cut, and fails if all is below the other."""
        return "holds" if self.low >= holds_from else "does not hold" if self.high <= fails_to else "undecided"

    def decide_below(self, *, holds_to: float, fails_from: float) -> Finding:
        """Judge "at most": it holds if all of the spread is below one cut, and fails if all is above the other."""
        return "holds" if self.high <= holds_to else "does not hold" if self.low >= fails_from else "undecided"

    def __str__(self) -> str:
        """Return the median with its spread, for a sentence."""
        digits = max(0, 2 - math.floor(math.log10(abs(self.middle)))) if self.middle else 2
        low, middle, high = (f"{value:,.{min(digits, 4)}f}" for value in self)
        return f"{middle} ({low} to {high})"


def together(parts: Sequence[Finding]) -> Finding:
    """Return the finding on a conclusion of several parts, of which some may be undecided.

    >>> together(["holds", "holds"]), together(["holds", "does not hold"]), together(["holds", "undecided"])
    ('holds', 'holds in part', 'undecided')
    >>> together(["does not hold", "does not hold"]), together(["holds in part", "undecided"])
    ('does not hold', 'holds in part')
    """
    known = set(parts)
    if "holds in part" in known or {"holds", "does not hold"} <= known:
        return "holds in part"  # whatever the undecided ones are
    return "undecided" if "undecided" in known else next(iter(known))


def in_rounds(
    works: Sequence[Callable[[], object]], progress: Progress, *, rounds: int = ROUNDS, least: float = 0.0005
) -> list[list[float]]:
    """Return for each work the processor seconds of one call, in each of several rounds through all works.

    A call that is too short for the clock is repeated until the calls take `least` seconds together. The first call of
    a work, which fills caches, is not counted.

    >>> times = in_rounds([lambda: sum(range(100)), lambda: sum(range(100_000))], lambda share: None)
    >>> len(times[0]), Spread.of_ratios(times[1], times[0]).low > 10
    (9, True)
    """
    calls = [0] * len(works)
    taken: list[list[float]] = [[] for _ in works]
    collecting = gc.isenabled()
    gc.disable()
    try:
        for place in each([place for _ in range(rounds) for place in range(len(works))], progress):
            work = works[place]
            calls[place] = calls[place] or _enough(work, least)
            taken[place].append(_run(work, calls[place]) / calls[place])
    finally:
        if collecting:
            gc.enable()
    return taken


def _enough(work: Callable[[], object], least: float) -> int:
    """Return how many calls take `least` seconds; the first call is often slower than the others, so count again."""
    calls = max(1, math.ceil(least / max(_run(work, 1), 1e-9)))
    return max(1, math.ceil(least * calls / max(_run(work, calls), 1e-9))) if calls > 1 else 1


def _run(work: Callable[[], object], calls: int) -> float:
    start = process_time()
    for _ in range(calls):
        work()
    return process_time() - start


# -- works that are timed: calls of the core, without the checks that the public functions make in Python ------------


def signing(texts: Iterable[str], recipe: Recipe) -> Callable[[], SignatureMatrix]:
    """Return the work of making signatures from texts: every window is cut and hashed."""
    listed, translated = list(texts), settings(recipe)
    return lambda: SignatureMatrix.of_texts(listed, translated, 1)


def signing_sets(sets: list[list[int]], recipe: Recipe) -> Callable[[], SignatureMatrix]:
    """Return the work of making signatures from sets of different shingles, and of handing the sets over to the core.

    The same with one multiplicative hash is the handing over alone: the difference is the time of the functions.
    """
    translated = settings(recipe)
    return lambda: SignatureMatrix.of_sets(sets, translated, 1)


def comparing(pairs: Sequence[tuple[str, str]], recipe: Recipe) -> Callable[[], object]:
    """Return the work of cutting and comparing pairs of texts exactly."""
    translated = settings(recipe)
    return lambda: [overlap(a, b, translated) for a, b in pairs]


# -- chance: expected errors, intervals and the sign test --------------------------------------------------------------


Z: Final = 3.291
"""Standard errors to each side of a 99.9 % interval. Not 95 %: of dozens of verdicts, some would be wrong."""


def mean_deviation(share: float, hashes: int) -> float:
    """Return the expected |estimate − share| of a signature: the mean deviation of a binomial variable, exact.

    De Moivre's formula 2·m·C(h, m)·pᵐ·(1 − p)ʰ⁻ᵐ⁺¹ / h, with m the first whole number above h·p.
    """
    if not 0 < share < 1:
        return 0.0
    m = math.floor(hashes * share) + 1
    logarithm = _log_choose(hashes, m) + m * math.log(share) + (hashes - m + 1) * math.log1p(-share)
    return 2 * m * math.exp(logarithm) / hashes


def spread_of_deviation(share: float, hashes: int) -> float:
    """Return the standard deviation of |estimate − share|."""
    return math.sqrt(max(0.0, share * (1 - share) / hashes - mean_deviation(share, hashes) ** 2))


def sign_test(more: int, fewer: int) -> float:
    """Return how likely a split at least as uneven would be if both signs were equally likely (both sides, exact)."""
    tries, least = more + fewer, min(more, fewer)
    if more == fewer:
        return 1.0
    half = tries * math.log(2)
    return min(1.0, 2 * math.fsum(math.exp(_log_choose(tries, n) - half) for n in range(least + 1)))


def wilson(successes: int, tries: int) -> tuple[float, float]:
    """Return Wilson's 99.9 % interval of a share.

    >>> [round(end, 2) for end in wilson(58, 100)]
    [0.42, 0.73]
    """
    return interval(successes, tries, Z)


def slope(xs: Sequence[float], ys: Sequence[float]) -> float:
    """Return the slope of the straight line with the least squares."""
    mean_x, mean_y = fmean(xs), fmean(ys)
    down = math.fsum((x - mean_x) ** 2 for x in xs)
    return math.fsum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / down if down else 0.0


def correlation(xs: Sequence[float], ys: Sequence[float]) -> float:
    """Return Pearson's correlation, 0 if one of the two does not vary."""
    product = slope(xs, ys) * slope(ys, xs)
    return math.copysign(math.sqrt(min(1.0, product)), slope(xs, ys)) if product > 0 else 0.0


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
