"""The pictures of docs/accuracy.md, drawn from a record: `python -m benchmarks.accuracy.pictures` draws them again.

They are in the style of the experiments. Text stays text, so that the files are small and can be searched; the same
record gives the same bytes.
"""

from __future__ import annotations

import io
import json
import math
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from benchmarks.accuracy.agreement import CURVE, VERDICT_METRICS
from benchmarks.accuracy.recall import METHODS, SIGMAS, least_allowed
from benchmarks.accuracy.recipes import OWN
from benchmarks.measure import RECORDS, ROOT
from lookalike.experiments.figures import GREY, new_figure, note, plain_numbers, style

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["FOLDER", "picture_name", "pictures", "to_svg", "write_pictures"]

FOLDER: Final = ROOT / "docs" / "images"
Record = dict[str, Any]


def picture_name(subject: str) -> str:
    """Return the name of the file about a collection, about `estimates` or about `recall`."""
    return f"accuracy-{subject.replace('_', '-')}.svg"


def pictures(record: Record) -> dict[str, bytes]:
    """Draw all pictures of a record, by the name of their file."""
    drawn = {
        "estimates": partial(_draw_estimates, rows=record["estimates"]),
        "recall": partial(_draw_recall, record=record),
    }
    drawn |= {
        name: partial(_draw_collection, name=name, found=found)
        for name, found in record["labelled"].items()
        if found["kind"] is not None
    }
    return {picture_name(subject): to_svg(new_figure(draw)) for subject, draw in drawn.items()}


def write_pictures(record: Record, folder: Path = FOLDER) -> list[Path]:
    """Draw all pictures of a record into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, content in pictures(record).items():
        (folder / name).write_bytes(content)
        paths.append(folder / name)
    return paths


def to_svg(figure: Figure) -> bytes:
    """Return a figure as SVG, its text as text: without a date, and with ids that do not differ from run to run."""
    import matplotlib as mpl

    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "lookalike"}):
        written = io.BytesIO()
        figure.savefig(written, format="svg", metadata={"Date": None, "Creator": None})
    # Where DejaVu is missing, Verdana is as wide; anything else might not fit.
    return written.getvalue().replace(b"'DejaVu Sans'", b"'DejaVu Sans', Verdana, sans-serif")


# -- one collection ---------------------------------------------------------------------------------------------------


def _draw_collection(figure: Figure, name: str, found: Mapping[str, Any]) -> None:
    """Draw F1 by threshold for our own presets; recall where it is not known what does not belong together."""
    figure.set_size_inches(8.0, 3.7)
    rows = {row["recipe"]: row["scores"] for row in found["agreement"] if row["recipe"] in OWN}
    panels = figure.subplots(1, 2, sharey=True)
    for axes, metric in zip(panels, VERDICT_METRICS, strict=True):
        for number, preset in enumerate(OWN):
            _draw_curve(axes, number, preset, rows[preset][metric], is_own=preset == found["kind"])
        if found["only_labelled"]:
            # Most of these pairs belong together, so this is already high: a score is worth what it adds.
            axes.axhline(rows[OWN[0]][metric]["curve"][0], color=GREY, linewidth=1, label="every pair called a copy")
        axes.set(title=f"by {metric}", xlabel=f"threshold of {metric}", xlim=(-0.02, 1.02), ylim=(-0.02, 1.05))
    panels[0].set_ylabel("F1" if found["complete"] else "recall of the labelled pairs")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right", ncols=len(labels))
    figure.suptitle(name, x=0.01, ha="left")
    said = f"{found['documents']:,} documents, {found['positives']:,} pairs that belong together. "
    if found["complete"]:
        note(figure, said + f"Large marks: the best F1 of each preset; {found['kind']} is the preset for this text.")
    else:
        note(figure, said + "The labels are not complete, so precision and F1 are not known.")


def _draw_curve(axes: Axes, number: int, preset: str, score: Mapping[str, Any], *, is_own: bool) -> None:
    look = style(number)
    label = f"{preset} (its kind)" if is_own else preset
    width = 2.4 if is_own else 1.4
    axes.plot(CURVE, score["curve"], label=label, markevery=(number * 2 + 1, 10), linewidth=width, **look)
    if "f1" in score:
        mark = {**look, "linestyle": "none", "markersize": 10, "markeredgecolor": "black", "zorder": 5}
        axes.plot([score["threshold"]], [score["f1"]], **mark)


# -- estimates --------------------------------------------------------------------------------------------------------


def _draw_estimates(figure: Figure, rows: list[Mapping[str, Any]]) -> None:
    """Draw the error of the fast sketch by similarity, and that of all sketches by the size of the sets."""
    figure.set_size_inches(8.0, 4.2)
    left, right = figure.subplots(1, 2)
    sizes = sorted({row["n"] for row in rows})
    hashes = rows[0]["hashes"]
    grid = [step / 200 for step in range(201)]
    left.plot(grid, [math.sqrt(j * (1 - j) / hashes) for j in grid], color=GREY, label="theory, √(J(1−J)/h)")
    for number, size in enumerate(sizes):
        points = [(row["jaccard"], row["sketches"]["fast"]["error"]) for row in rows if row["n"] == size]
        look = {**style(number), "linestyle": "none"}
        left.plot(*zip(*points, strict=True), label=f"{size:,} shingles", **look)
    left.set(title="fast sketch: error (rmse) by similarity", xlabel="Jaccard J", ylabel="error of the estimate")
    left.set_ylim(bottom=0)
    left.legend(loc="lower center")
    for number, sketch in enumerate(rows[0]["sketches"]):
        of = {size: [row["sketches"][sketch]["error_to_theory"] for row in rows if row["n"] == size] for size in sizes}
        means = [math.sqrt(sum(x * x for x in of[size]) / len(of[size])) for size in sizes]
        right.plot(sizes, means, label=sketch, **style(number))
    right.axhline(1.0, color=GREY, linewidth=1)
    right.set_xscale("log")
    plain_numbers(right.xaxis, *sizes)
    right.set(title="error to theory by length", xlabel="shingles of a document", ylabel="error ÷ theory")
    right.set_ylim(0, 1.25)
    right.legend(loc="lower left")
    figure.suptitle("Estimates of random sets against theory", x=0.01, ha="left")
    pairs = ", ".join(f"{next(row['pairs'] for row in rows if row['n'] == size):,} of {size:,}" for size in sizes)
    note(figure, f"{hashes} hashes. Pairs for each similarity: {pairs} shingles. Right: all similarities together.")


# -- recall -----------------------------------------------------------------------------------------------------------


def _draw_recall(figure: Figure, record: Record) -> None:
    """Draw the recall of the pairs just above the threshold, where a promise is tightest, by their number."""
    figure.set_size_inches(8.0, 4.0)
    rows = [*record["generated"], *(row for found in record["labelled"].values() for row in found["recall"])]
    asked = sorted({row["asked"] for row in rows})
    panels = figure.subplots(1, len(asked), squeeze=False)[0]
    for axes, recall in zip(panels, asked, strict=True):
        _draw_promise(axes, recall, [row for row in rows if row["asked"] == recall and row["near"]])
    handles, labels = panels[-1].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right", ncols=len(labels))
    figure.suptitle("Recall: promised and measured", x=0.01, ha="left")
    note(
        figure,
        "Each mark is one search: a collection, a preset and a threshold of 0.5 or 0.8. Counted are the pairs from the "
        "threshold to 0.05 above it, against the exact join.",
    )


def _draw_promise(axes: Axes, recall: float, rows: list[Mapping[str, Any]]) -> None:
    most = max((row["near"] for row in rows), default=10)
    grid = [10 ** (step / 60 * math.log10(most * 1.5)) for step in range(61)]
    axes.axhline(recall, color=GREY, linewidth=1.2, label="promised")
    limit = [least_allowed(recall, round(pairs)) for pairs in grid]
    axes.plot(grid, limit, color=GREY, linestyle=":", label=f"less by {SIGMAS:g} standard errors")
    for number, method in enumerate(METHODS):
        points = [(row["near"], row[method]["recall_near"]) for row in rows if row[method]]
        # Both often find all: a larger, empty mark leaves the other one to be seen.
        look = {**style(number), "linestyle": "none", "markersize": 4 + 3 * number}
        if number:
            look["markerfacecolor"] = "none"
        if points:
            axes.plot(*zip(*points, strict=True), label=method, **look)
    axes.set_xscale("log")
    plain_numbers(axes.xaxis)
    axes.set(title=f"recall {recall:g} asked for", xlabel="pairs just above the threshold", ylabel="share found")
    missing = 1 - recall
    axes.set_ylim(recall - 1.5 * missing, 1 + 0.15 * missing)
    axes.set_yticks([recall + missing * step / 2 for step in range(-3, 3)])


def main() -> None:
    record = json.loads((RECORDS / "accuracy-latest.json").read_text(encoding="utf-8"))
    for path in write_pictures(record):
        print(f"{path.relative_to(ROOT)}  {path.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
