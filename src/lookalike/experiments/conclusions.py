"""Report A's eight conclusions, each tested by a small measurement and shown in a panel (item 86)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lookalike.experiments.chance import mean_deviation
from lookalike.experiments.conclusion_data import ALIKE, BANDS, CHANGED, HASHES, UNLIKE, measure
from lookalike.experiments.conclusion_verdicts import doublings, judge_all, ratios, series, times
from lookalike.experiments.experiment import Experiment, Setup, Table, Verdict
from lookalike.hashing import FAMILIES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENT"]

TITLES: Final = (
    "Small k, large k, k = 9",
    "A larger k takes longer",
    "Modular is fastest",
    "Exact, signatures, LSH",
    "More functions, less error",
    "LSH matters more with more",
    "b and r need care",
    "Explore; all pairs are exponential",
)


def draw(table: Table, setup: Setup, figure: Figure) -> None:
    """Draw a panel for each conclusion; its title says what was found."""
    from lookalike.experiments import figures

    figure.set_size_inches(13.5, 7.8)
    panels = figure.subplots(2, 4)
    drawn = (_sizes, _times, _families, _approaches, _hashes, _ratios, _bands, _doublings)
    verdicts = judge(table, setup)
    for number, (panel, draw_panel, verdict) in enumerate(zip(panels.flat, drawn, verdicts, strict=True), start=1):
        draw_panel(table, panel)
        panel.set_title(f"{number}. {TITLES[number - 1]}:\n{verdict.finding}")
    figures.note(
        figure,
        f"1: {_pages(table)} pages of 2000 characters of a generated book, alike if J ≥ 0.5; 2, 3: texts of 30 000 "
        f"characters; 4, 6, 8: shuffles of 50 words, k = 5, h = {HASHES}, {BANDS}, multiplicative; 5: the pair of "
        f"similarity 0.6, k = 9; 7: planted pairs of sets. Times: one thread, best of several runs; seed {setup.seed}",
    )


def _pages(table: Table) -> str:
    return f"{table.where(conclusion=1, series='pages').numbers('value')[0]:.0f}"


def _sizes(table: Table, axes: Axes) -> None:
    from lookalike.experiments import figures

    for n, (name, label) in enumerate((("unrelated pages", "unrelated pages"), (CHANGED, "near copies"))):
        shares = series(table, 1, name)
        axes.plot(list(shares), list(shares.values()), label=label, **figures.style(n))
    axes.plot([9, 9], [0, 1], color=figures.GREY, linestyle=":")
    axes.set(xscale="log", xlabel="k (characters)", ylabel="share called alike", ylim=(-0.03, 1.35))
    axes.set_xticks([1, 2, 4, 9, 20, 64], ["1", "2", "4", "9", "20", "64"])
    axes.set_xticks([], minor=True)
    axes.legend(loc="upper right")


def _times(table: Table, axes: Axes) -> None:
    from lookalike.experiments import figures

    for n, name in enumerate(("exact comparison", f"two signatures, h = {HASHES}")):
        taken = times(table, 2, name)
        axes.plot(list(taken), list(taken.values()), label=name, **figures.style(n))
    axes.set(
        xlabel="k (characters)", ylabel="time (ms)", ylim=(0, 1.5 * max(table.where(conclusion=2).numbers("time")))
    )
    axes.legend(loc="upper left")


def _families(table: Table, axes: Axes) -> None:
    from lookalike.experiments import figures

    names = [*FAMILIES, "fast sketch"]
    values = [times(table, 3, name)[n] for n, name in enumerate(names)]
    axes.barh(range(len(names)), values, color=[figures.COLOURS[n == 0] for n in range(len(names))], height=0.6)
    axes.set_yticks(range(len(names)), [name.replace(" ", "\n") for name in names])
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    axes.set_xlabel(f"time of a signature, h = {HASHES} (ms)")


def _approaches(table: Table, axes: Axes) -> None:
    from lookalike.experiments import figures

    for n, name in enumerate(("all pairs, exact", "all pairs of signatures", "signatures and LSH")):
        taken = times(table, 4, name)
        axes.plot(list(taken), list(taken.values()), label=name, **figures.style(n))
    axes.set(yscale="log", ylabel="time (ms)")
    _scale_of_documents(axes, list(times(table, 4, "all pairs, exact")))
    low, high = axes.get_ylim()
    axes.set_ylim(low, high * 12)  # room for the legend
    axes.legend(loc="upper left")


def _scale_of_documents(axes: Axes, counts: list[float]) -> None:
    """Make the scale of documents logarithmic, with the numbers that were measured; every second if there are many."""
    axes.set(xscale="log", xlabel="documents")
    shown = counts if len(counts) <= 4 else counts[::-2][::-1]
    axes.set_xticks(shown, [f"{count:.0f}" for count in shown])
    axes.set_xticks([], minor=True)


def _hashes(table: Table, axes: Axes) -> None:
    from lookalike.experiments import figures

    errors = series(table, 5, "measured")
    axes.plot(list(errors), list(errors.values()), label="measured", **figures.style(0))
    theory = [mean_deviation(0.6, int(h)) for h in errors]
    axes.plot(list(errors), theory, color=figures.GREY, linestyle="--", label="theory: as 1/√h")
    axes.set(xscale="log", yscale="log", xlabel="hash functions h", ylabel="mean error of an estimate")
    axes.set_yticks([0.01, 0.03, 0.1, 0.3], ["0.01", "0.03", "0.1", "0.3"])
    axes.set_yticks([], minor=True)
    axes.legend(loc="lower left")


def _ratios(table: Table, axes: Axes) -> None:
    from lookalike.experiments import figures

    saved = ratios(table)
    axes.plot(list(saved), list(saved.values()), **figures.style(0))
    axes.axhline(1, color=figures.GREY, linestyle="--")
    axes.set(ylabel="time without LSH / with LSH", ylim=(0, 1.15 * max(saved.values())))
    _scale_of_documents(axes, list(saved))


def _bands(table: Table, axes: Axes) -> None:
    from lookalike.experiments import figures

    for n, similarity in enumerate((ALIKE, UNLIKE)):
        shares = series(table, 7, f"pairs of similarity {similarity}")
        axes.plot(list(shares), list(shares.values()), label=f"pairs at J = {similarity}", **figures.style(n))
    axes.set(
        xscale="log", xlabel=f"bands b (rows: {HASHES}/b)", ylabel="share that become candidates", ylim=(-0.03, 1.35)
    )
    axes.legend(loc="upper left")


def _doublings(table: Table, axes: Axes) -> None:
    from lookalike.experiments import figures

    for n, (name, label) in enumerate((("all pairs, exact", "exact"), ("signatures and LSH", "LSH"))):
        grown = doublings(table, name)
        axes.plot(list(grown), list(grown.values()), label=label, **figures.style(2 * n))
    for height, label, line in ((4, "quadratic: 4", "--"), (2, "linear: 2", ":")):
        axes.axhline(height, color=figures.GREY, linestyle=line, label=label)
    top = max(doublings(table, "all pairs, exact").values())
    axes.set(ylabel="time / time for half as many", ylim=(0, max(6.0, 1.4 * top)))
    _scale_of_documents(axes, list(doublings(table, "all pairs, exact")))
    axes.legend(loc="upper right", ncols=2)


def judge(table: Table, _setup: Setup) -> list[Verdict]:
    """Return the eight verdicts."""
    return judge_all(table)


EXPERIMENT: Final = Experiment(
    id="conclusions",
    title="Report A's eight conclusions, tested",
    items=(86, 101, 104),
    caption="One panel for each numbered conclusion of report A, with what was found. 1: a k that is neither small "
    "nor very large tells near copies from unrelated pages. 4, 6, 8: the time of the three approaches for more "
    "and more documents; twice the documents take four times as long for an exact comparison, which is quadratic and "
    "not exponential.",
    seconds=15,
    measure=measure,
    draw=draw,
    judge=judge,
)
