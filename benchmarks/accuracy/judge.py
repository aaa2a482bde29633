"""How well scores agree with labels, what chance does to that, and which preset is better.

A difference counts when it is more than SIGMAS standard errors. The standard error is that of the difference itself,
from a bootstrap: the units of the collection are drawn anew, with repeats, and both recipes are judged on the same
draw, so that what is hard for both cancels out. Three, because some hundred differences between our own presets are
looked at in a run: with two standard errors, two or three of them would count by chance alone. And it has to be LEAST
at the least: where nearly all pairs are told apart, a single one that moves would count.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from benchmarks.accuracy.pairs import Judged

__all__ = [
    "LEAST",
    "MEASURES",
    "ROUNDS",
    "SIGMAS",
    "STEPS",
    "Agreement",
    "Histogram",
    "better_than",
    "compare",
    "outcome",
    "resampled",
    "to_steps",
]

STEPS: Final = 10_000
"""Scores are counted in steps of 1/10000."""
SIGMAS: Final = 3.0
LEAST: Final = 0.002
"""A smaller difference is a tie, be it chance or not: two pairs of a thousand."""
ROUNDS: Final = 200
"""Draws of the bootstrap: they give a standard error to within a twentieth of it."""
SEED: Final = 1
MEASURES: Final = ("auc", "f1")


def to_steps(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Return the step of each score."""
    return (scores * STEPS + 1e-9).astype(np.int64)


@dataclass(frozen=True, slots=True)
class Agreement:
    """How well a score agrees with the labels."""

    auc: float
    f1: float
    """The best."""
    threshold: float
    """The one with the best F1; of equals the highest."""
    precision: float
    recall: float


class Histogram:
    """The weight of the pairs of each kind that have a score of 0/10000, 1/10000 … 10000/10000."""

    def __init__(self, yes: npt.NDArray[np.float64], no: npt.NDArray[np.float64]) -> None:
        self.no = no
        # With at least this score, which is what a threshold finds.
        self.yes_from, self.no_from = (np.cumsum(counted[::-1])[::-1] for counted in (yes, no))
        self.yes = yes

    @classmethod
    def of(
        cls, steps: npt.NDArray[np.int64], together: npt.NDArray[np.bool_], weight: npt.NDArray[np.float64]
    ) -> Histogram:
        """Count pairs by the step of their score."""
        yes = np.bincount(steps[together], weight[together], STEPS + 1)
        no = np.bincount(steps[~together], weight[~together], STEPS + 1)
        return cls(yes.astype(np.float64), no.astype(np.float64))

    def auc(self) -> float:
        """Return how often a pair that belongs together scores higher than one that does not; equal counts half."""
        below = self.no_from[0] - self.no_from
        whole = self.yes_from[0] * self.no_from[0]
        return float(np.sum(self.yes * (below + self.no / 2)) / whole) if whole else 0.5

    def f1(self) -> npt.NDArray[np.float64]:
        """Return F1 for every threshold."""
        whole = self.yes_from + self.no_from + self.yes_from[0]
        found: npt.NDArray[np.float64] = np.divide(2 * self.yes_from, whole, out=np.zeros_like(whole), where=whole > 0)
        return found

    def at(self, threshold: float) -> tuple[float, float]:
        """Return precision and recall of the pairs that score at least this."""
        step = int(threshold * STEPS + 1e-9)
        yes, no = float(self.yes_from[step]), float(self.no_from[step])
        return yes / (yes + no) if yes + no else 0.0, yes / float(self.yes_from[0]) if self.yes_from[0] else 0.0

    def f1_at(self, threshold: float) -> float:
        """Return F1 of the pairs that score at least this."""
        return float(self.f1()[int(threshold * STEPS + 1e-9)])

    def measures(self) -> dict[str, float]:
        """Return what recipes are compared by."""
        found = self.agreement()
        return {"auc": found.auc, "f1": found.f1}

    def as_row(self) -> dict[str, float]:
        """Return the agreement as it is kept."""
        return {name: round(value, 5) for name, value in asdict(self.agreement()).items()}

    def agreement(self) -> Agreement:
        """Return the area under the curve, and the best threshold above 0 with what it finds."""
        f1 = self.f1()
        best = STEPS - int(np.argmax(f1[:0:-1]))  # the last of the best
        precision, recall = self.at(best / STEPS)
        return Agreement(self.auc(), float(f1[best]), best / STEPS, precision, recall)


Key = TypeVar("Key", bound=Hashable)


def resampled(
    judged: Judged, scored: Mapping[Key, npt.NDArray[np.int64]], rounds: int = ROUNDS
) -> dict[Key, npt.NDArray[np.float64]]:
    """Return AUC and best F1 of every score in every draw: name → rounds × 2. All are judged on the same draws."""
    rng = np.random.default_rng(SEED)
    found = {name: np.empty((rounds, len(MEASURES))) for name in scored}
    for number in range(rounds):
        drawn = np.bincount(rng.integers(0, judged.units, judged.units), minlength=judged.units)
        within = judged.unit_a == judged.unit_b
        times = np.where(within, drawn[judged.unit_a], drawn[judged.unit_a] * drawn[judged.unit_b])
        chosen = times > 0
        together, weight = judged.together[chosen], (judged.weight * times)[chosen]
        for name, steps in scored.items():
            histogram = Histogram.of(steps[chosen], together, weight)
            found[name][number] = histogram.auc(), float(histogram.f1()[1:].max())
    return found


def compare(own: Mapping[str, float], other: Mapping[str, float], draws: npt.NDArray[np.float64]) -> dict[str, Any]:
    """Return by how much one recipe is better than another, and the standard error of that, for each measure.

    `draws` has the differences in the draws of the bootstrap.
    """
    errors = draws.std(axis=0, ddof=1)
    return {
        measure: {"difference": round(own[measure] - other[measure], 5), "error": round(float(errors[number]), 5)}
        for number, measure in enumerate(MEASURES)
    }


def outcome(difference: float, error: float) -> str:
    """Tell whether a difference is more than chance, and large enough to be seen: better, worse or a tie."""
    if abs(difference) <= SIGMAS * error or abs(difference) < LEAST:
        return "tie"
    return "better" if difference > 0 else "worse"


def better_than(compared: Mapping[str, Mapping[str, Any] | None], measures: Sequence[str]) -> dict[str, list[str]]:
    """Return, for each measure, the recipes to which the own one loses. The own one is compared with None."""
    return {
        measure: [
            name
            for name, by in compared.items()
            if by is not None and outcome(by[measure]["difference"], by[measure]["error"]) == "worse"
        ]
        for measure in measures
    }
