"""Many estimates of the same similarities, summed up beside what theory expects of them (items 78 and 81)."""

from __future__ import annotations

import math
from statistics import fmean
from typing import TYPE_CHECKING, Final, NamedTuple

from lookalike.experiments import report_b, reported_modular
from lookalike.experiments.chance import Z, mean_deviation, spread_of_deviation

if TYPE_CHECKING:
    from lookalike.experiments.experiment import Setup

__all__ = ["LABELS", "REPORTED", "Summary", "error_of_mean", "error_of_pairs", "estimates", "summary"]

REPORTED: Final = "reported"
"""The modular functions of report B's program, beside the sketches of lookalike."""
LABELS: Final = report_b.LABELS | {REPORTED: "the report's modular hashing"}


def estimates(setup: Setup, functions: str, hashes: int, k: int, count: int) -> tuple[tuple[float, ...], ...]:
    """Return for each of `count` runs the estimates of the five pairs, by a sketch or by the report's functions."""
    if functions == REPORTED:
        return reported_modular.estimates(setup, k, report_b.runs(setup))[hashes][:count]
    return report_b.estimates(setup, functions, hashes, k, count)


class Summary(NamedTuple):
    """The estimates of five pairs, made several times, for one k and one number of hashes. All in percent."""

    exact: float
    """The mean similarity of the pairs."""
    once: float
    """The mean estimate of the pairs in the first run: what report B shows."""
    least: float
    most: float
    """Of the pairs in the first run."""
    mean: float
    """The mean estimate of all runs."""
    mean_margin: float
    """Half the 99.9 % interval of that, by theory."""
    decided: float
    """The share of estimates that are 0 or 100 %."""
    error: float
    """The mean |error| of a pair, over all runs."""
    expected: float
    """The same by theory."""
    margin: float
    """Half the 99.9 % interval of the mean |error|, by theory."""
    error_of_mean: float
    """Report B's error: |mean estimate of the five pairs − their mean similarity|; the mean of all runs."""
    error_once: float
    """The same in the first run: what report B shows."""


def error_of_pairs(run: tuple[float, ...], exact: tuple[float, ...]) -> float:
    """Return the mean |error| of the pairs."""
    return fmean(abs(estimate - jaccard) for estimate, jaccard in zip(run, exact, strict=True))


def error_of_mean(run: tuple[float, ...], exact: tuple[float, ...]) -> float:
    """Return the |error| of the mean of the pairs, in which errors up and down cancel."""
    return abs(fmean(run) - fmean(exact))


def summary(setup: Setup, functions: str, hashes: int, k: int) -> Summary:
    """Make the estimates for one k and one number of hashes, and sum them up."""
    exact = report_b.exact(setup, k)
    runs = estimates(setup, functions, hashes, k, report_b.runs(setup))
    every = [estimate for run in runs for estimate in run]
    # The standard error of a mean over independent pairs and runs.
    spreads = [math.sqrt(j * (1 - j) / hashes) for j in exact]
    deviations = [spread_of_deviation(j, hashes) for j in exact]
    shares = Summary(
        exact=fmean(exact),
        once=fmean(runs[0]),
        least=min(runs[0]),
        most=max(runs[0]),
        mean=fmean(every),
        mean_margin=Z * math.hypot(*spreads) / len(spreads) / math.sqrt(len(runs)),
        decided=fmean(estimate in (0, 1) for estimate in every),
        error=fmean(error_of_pairs(run, exact) for run in runs),
        expected=fmean(mean_deviation(j, hashes) for j in exact),
        margin=Z * math.hypot(*deviations) / len(deviations) / math.sqrt(len(runs)),
        error_of_mean=fmean(error_of_mean(run, exact) for run in runs),
        error_once=error_of_mean(runs[0], exact),
    )
    return Summary(*(100 * share for share in shares))
