"""Run experiments into a folder: for each its table, its figure in three forms, its verdicts; and a gallery of them "
"all."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING, TypeAlias

from lookalike.experiments import figures
from lookalike.experiments.gallery import GALLERY, gallery
from lookalike.experiments.sources import code_digest
from lookalike.experiments.store import Folder, Record, Settings, digest, to_csv

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lookalike.experiments.experiment import Experiment, Setup

__all__ = ["Watch", "run"]

Watch: TypeAlias = Callable[["Experiment", float], None]
"""Told which experiment is being made, and which share of it is done."""


def run(
    chosen: Sequence[Experiment],
    setup: Setup,
    folder: Folder,
    *,
    files: Sequence[str] = (),
    watch: Watch | None = None,
) -> Iterator[Record]:
    """Make experiments one after the other, and give the record of each when all its files are written.

    `files` are the names of the texts as they were typed, for the commands that the gallery shows. Verdicts on other
    experiments in the folder are kept. What an interrupted run has made so far is whole, and in the gallery.
    """
    figures.require()
    try:
        for experiment in chosen:
            yield _make(experiment, setup, folder, files, watch or (lambda _experiment, _share: None))
    finally:
        if folder.records:
            folder.write(GALLERY, gallery(folder).encode())


def _make(experiment: Experiment, setup: Setup, folder: Folder, files: Sequence[str], watch: Watch) -> Record:
    started = perf_counter()
    code = code_digest(experiment.id)
    table = experiment.measure(setup, lambda share: watch(experiment, share))
    verdicts = tuple(experiment.judge(table, setup))
    figure = figures.new_figure(lambda empty: experiment.draw(table, setup, empty))
    written = to_csv(table).encode()
    drawn = {"png": figures.to_png(figure), "svg": figures.to_svg(figure), "pdf": figures.to_pdf(figure)}
    parts = {"csv": written, **drawn}
    for part, content in parts.items():
        folder.write(f"{experiment.id}.{part}", content)
    record = Record(
        id=experiment.id,
        title=experiment.title,
        items=experiment.items,
        caption=experiment.caption,
        settings=Settings.of(setup, files),
        code=code,
        csv=digest(written),
        seconds=round(perf_counter() - started, 3),
        verdicts=verdicts,
    )
    folder.keep(record)
    return record
