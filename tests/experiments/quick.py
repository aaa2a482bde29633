"""Quick tables, each measured once in a run of the tests, whoever asks for it: the tests, a run, or a command.

All test files that use them are in one group, and so in one worker (`pytest --dist loadgroup`).
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import pytest

from lookalike.experiments import Setup, Table, Verdict
from lookalike.experiments.catalogue import by_id, experiments

if TYPE_CHECKING:
    from collections.abc import Callable

    from lookalike.experiments import Cell, Experiment, Finding

QUICK = Setup(quick=True)
IN_ONE_WORKER = pytest.mark.xdist_group("experiments")
REAL = {experiment.id: experiment for experiment in experiments()}


@cache
def measured(name: str, setup: Setup = QUICK) -> Table:
    """Return the quick table of an experiment."""
    shares: list[float] = []
    table = REAL[name].measure(setup, shares.append)
    assert shares == sorted(shares), "progress goes forward"
    assert all(0 <= share <= 1 for share in shares)
    return table


def remembered(name: str) -> Experiment:
    """Return an experiment that takes the table which was measured before."""
    return replace(REAL[name], measure=lambda setup, _progress: measured(name, setup))


def judged(name: str, table: Table | None = None) -> dict[str, Verdict]:
    """Return the verdicts on the quick table, or on another one, by the names of the conclusions."""
    verdicts = by_id(name).judge(measured(name) if table is None else table, QUICK)
    return {verdict.conclusion: verdict for verdict in verdicts}


def findings(name: str, table: Table | None = None) -> dict[str, Finding]:
    """Return the findings by the names of the conclusions."""
    return {conclusion: verdict.finding for conclusion, verdict in judged(name, table).items()}


def changed(table: Table, column: str, change: Callable[[dict[str, Cell]], Cell]) -> Table:
    """Return the table with other values in one column, made from the rows as they were."""
    place, names = table.position(column), [each.name for each in table.columns]
    rows = []
    for row in table.rows:
        value = change(dict(zip(names, row, strict=True)))
        rows.append((*row[:place], value, *row[place + 1 :]))
    return Table(table.columns, rows)
