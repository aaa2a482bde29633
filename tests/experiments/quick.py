"""Quick tables, measured once: all test files that use them are in one group, and so in one worker."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest

from lookalike.experiments.catalogue import by_id
from lookalike.experiments.experiment import Setup, Table, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from lookalike.experiments.experiment import Cell, Finding

QUICK = Setup(quick=True)
IN_ONE_WORKER = pytest.mark.xdist_group("experiments")


@cache
def measured(name: str, seed: int = 1) -> Table:
    """Return the quick table of an experiment."""
    shares: list[float] = []
    table = by_id(name).measure(Setup(seed=seed, quick=True), shares.append)
    assert shares == sorted(shares), "progress goes forward"
    assert all(0 <= share <= 1 for share in shares)
    return table


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
