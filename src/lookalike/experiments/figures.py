"""How every figure looks: one style, colours that colour-blind people tell apart, and a foot with sizes and seed.

Each series also has its own marker and its own kind of line, so that a black and white print can be read. Matplotlib is
loaded here and in the `draw` functions only, when a figure is made.
"""

from __future__ import annotations

import io
import textwrap
from typing import TYPE_CHECKING, Any, Final

from lookalike.errors import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

__all__ = [
    "COLOURS",
    "GREY",
    "new_figure",
    "note",
    "plain_numbers",
    "require",
    "style",
    "thumbnail",
    "to_pdf",
    "to_png",
    "to_svg",
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
