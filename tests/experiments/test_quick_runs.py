"""Every experiment in quick mode: its files, its verdicts, and a figure on which nothing covers anything."""

from __future__ import annotations

import re
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest

from lookalike.experiments import CLAIMS, FINDINGS, figures, judged_by
from lookalike.experiments.catalogue import by_id, experiments
from lookalike.experiments.store import from_csv, to_csv
from tests.experiments.quick import IN_ONE_WORKER, QUICK, measured

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox

    from lookalike.experiments import Verdict

pytestmark = IN_ONE_WORKER
IDS = [experiment.id for experiment in experiments()]
DIAGRAMS = [name for name in IDS if name.startswith("figure-")]


@cache
def drawn(name: str) -> Figure:
    return figures.new_figure(lambda empty: by_id(name).draw(measured(name), QUICK, empty))


@pytest.mark.parametrize("name", IDS)
def test_the_table_has_a_header_with_units_and_only_whole_rows(name: str) -> None:
    table = measured(name)
    header = to_csv(table).partition("\n")[0]
    assert re.fullmatch(r'("?[^",]+ \[[^\]",]+\]"?)(,"?[^",]+ \[[^\]",]+\]"?)*', header), header
    assert table.rows
    assert {len(row) for row in table.rows} == {len(table.columns)}
    assert all(value == value for row in table.rows for value in row), "not a number"
    assert from_csv(to_csv(table)).rows == table.rows


@pytest.mark.parametrize("name", IDS)
def test_verdicts_come_with_numbers(name: str) -> None:
    verdicts = by_id(name).judge(measured(name), QUICK)
    assert [verdict.conclusion for verdict in verdicts] == [
        claim.id for claim in sorted(judged_by([name]), key=lambda claim: _place(verdicts, claim.id))
    ], "each conclusion is judged once, by the first of its experiments"
    for verdict in verdicts:
        assert verdict.claim == CLAIMS[verdict.conclusion].text
        assert verdict.finding in FINDINGS
        assert verdict.items
        assert verdict.source
        assert verdict.claim
        assert re.search("[0-9]", verdict.evidence), "measured means numbers"
        assert all(value == value and abs(value) != float("inf") for value in verdict.numbers.values())


@pytest.mark.parametrize("name", IDS)
def test_the_figure_is_a_picture_and_the_same_for_the_same_table(name: str) -> None:
    once, again = drawn(name), figures.new_figure(lambda empty: by_id(name).draw(measured(name), QUICK, empty))
    png, svg, pdf = figures.to_png(once), figures.to_svg(once), figures.to_pdf(once)
    assert pdf.startswith(b"%PDF-")
    assert b"CreationDate" not in pdf
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert b"<svg" in svg
    assert b"dc:date" not in svg
    assert (figures.to_svg(again), figures.to_pdf(again)) == (svg, pdf)


@pytest.mark.parametrize("name", IDS)
def test_the_foot_tells_the_seed(name: str) -> None:
    foot = [text.get_text() for text in drawn(name).texts if text.get_gid() == "note"]
    assert len(foot) == 1
    assert re.search(r"\b[Ss]eed\s1\b", foot[0])


@pytest.mark.parametrize("name", [name for name in IDS if name not in DIAGRAMS])
def test_axes_have_labels_and_show_something(name: str) -> None:
    figure = drawn(name)
    assert any(axes.get_xlabel() for axes in figure.axes)
    # An axis of names, such as those of hash families, says itself what it is.
    assert any(axes.get_ylabel() or _names(axes) for axes in figure.axes)
    for axes in figure.axes:
        assert axes.has_data(), "an empty panel"


@pytest.mark.parametrize("name", IDS)
def test_no_label_covers_another(name: str) -> None:
    figure = drawn(name)
    figure.draw_without_rendering()
    for axes in figure.axes:
        if axes.name == "3d":
            continue  # the labels lie in space; each such figure also has a plane form
        for axis in (axes.xaxis, axes.yaxis):
            boxes = [box for label in axis.get_ticklabels() if (box := _box(label)) is not None]
            assert not _overlaps(boxes), f"tick labels of {axes.get_title()}"
    texts = [box for text in figure.texts if (box := _box(text)) is not None]
    panels = [axes.get_tightbbox() for axes in figure.axes if axes.name != "3d"]
    for text in texts:
        assert not any(panel is not None and _meet(text, panel) for panel in panels), "the foot, or a title, on a panel"


@pytest.mark.parametrize("name", IDS)
def test_nothing_is_cut_off_at_the_edge(name: str) -> None:
    figure = drawn(name)
    figure.draw_without_rendering()
    whole = figure.bbox
    parts = [(axes.get_title() or axes.get_ylabel(), axes.get_tightbbox()) for axes in figure.axes]
    parts += [(text.get_text(), text.get_window_extent()) for text in figure.texts]
    parts += [("legend", legend.get_window_extent()) for legend in figure.legends]
    for what, box in parts:
        assert box is not None
        assert box.x0 >= -2 and box.y0 >= -2, what  # noqa: PT018
        assert box.x1 <= whole.x1 + 2 and box.y1 <= whole.y1 + 2, what  # noqa: PT018


@pytest.mark.parametrize("name", IDS)
def test_no_legend_covers_data(name: str) -> None:
    figure = drawn(name)
    figure.draw_without_rendering()
    outside = [legend.get_window_extent() for legend in figure.legends]
    assert not _overlaps(outside)
    for axes in figure.axes:
        assert not any(_meet(box, axes.bbox) for box in outside), "a legend of the figure lies on a panel"
        legend = axes.get_legend()
        if legend is None or axes.name == "3d":
            continue
        box = legend.get_window_extent()
        covered = sum(_count_inside(box, points) for points in _drawn_points(axes))
        assert covered == 0, f"{covered} points under the legend of {axes.get_title()}"


def _place(verdicts: Sequence[Verdict], conclusion: str) -> int:
    return [verdict.conclusion for verdict in verdicts].index(conclusion)


def _names(axes: Axes) -> bool:
    return all(re.match("[A-Za-z]", label.get_text()) for label in axes.get_yticklabels())


# -- geometry ----------------------------------------------------------------------------------------------------------


def _box(text: object) -> Bbox | None:
    if not text.get_visible() or not text.get_text().strip():  # type: ignore[attr-defined]
        return None
    box: Bbox = text.get_window_extent()  # type: ignore[attr-defined]
    return box


def _meet(a: Bbox, b: Bbox, slack: float = 1.0) -> bool:
    return bool(a.x0 < b.x1 - slack and b.x0 < a.x1 - slack and a.y0 < b.y1 - slack and b.y0 < a.y1 - slack)


def _overlaps(boxes: list[Bbox]) -> list[tuple[Bbox, Bbox]]:
    return [(a, b) for a, b in combinations(boxes, 2) if _meet(a, b)]


def _count_inside(box: Bbox, points: np.ndarray) -> int:
    (x0, y0), (x1, y1) = box.min, box.max
    x, y = points.T
    return int(np.count_nonzero((x > x0) & (x < x1) & (y > y0) & (y < y1)))


def _drawn_points(axes: Axes) -> Iterator[np.ndarray]:
    """Give the points of each line on the picture, with points between them, and the corners of bars."""
    for line in axes.get_lines():
        if line.get_transform() != axes.transData:
            continue  # a line across the whole panel, such as a grid line or a mark
        shown = axes.transData.transform(line.get_xydata())
        if line.get_linestyle() != "None" and len(shown) > 1:
            steps = np.linspace(0, 1, 20)[:, None, None]
            yield (shown[:-1] * (1 - steps) + shown[1:] * steps).reshape(-1, 2)
        yield shown
    for patch in axes.patches:
        yield patch.get_transform().transform(patch.get_path().vertices)
