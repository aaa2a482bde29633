"""What is judged, each conclusion once: those of the source reports in their own words, and ours, marked as such.

A conclusion has one finding, made by the first of its experiments; the others show more of it. `CLAIMS` holds them by
name in the order of `claims.toml`, and the gallery shows a table for each report. Report B's draft ends without
conclusions: the last ones are ours, from its experiments (item 118).
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Final

from lookalike.experiments.experiment import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lookalike.experiments.experiment import Finding

__all__ = ["CLAIMS", "OURS", "REPORTS", "Claim", "claimed_by", "judged_by", "verdict"]

OURS: Final = "ours"
REPORTS: Final = {
    "A": "Report A: document similarity detection using hashing (17 December 2018)",
    "B": "Report B: detection of similarity between documents with hashing (draft of December 2018, and its program)",
    "C": "Article C: a blog post on MinHash and LSH",
    OURS: "Ours: what no report says, and what report B's draft leaves open",
}
"""Whose conclusions there are, in the order of the tables."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A conclusion: whose it is, where it stands, its words, and which experiments show it."""

    id: str
    report: str
    """A key of `REPORTS`."""
    section: str
    """"§8.1", or for one of ours what it answers or adds to; may be empty."""
    text: str
    """A quotation from the report; or ours, in our words."""
    items: tuple[int, ...]
    """The items of the checklist that it concerns."""
    experiments: tuple[str, ...]
    """The first one judges it."""

    @property
    def source(self) -> str:
        """Return whose it is and where it stands, for a line of text."""
        name = {"A": "report A", "B": "report B", "C": "article C"}.get(self.report, OURS)
        return f"{name}, {self.section}" if self.section else name


def verdict(id: str, finding: Finding, evidence: str, numbers: dict[str, float]) -> Verdict:  # noqa: A002 — as in `Claim`
    """Return a finding on a conclusion."""
    claim = CLAIMS[id]
    return Verdict(claim.text, claim.source, claim.items, finding, evidence, numbers, claim.id, claim.report)


def claimed_by(experiment: str) -> list[Claim]:
    """Return the conclusions that an experiment shows something of, judged there or not."""
    return [claim for claim in CLAIMS.values() if experiment in claim.experiments]


def _read() -> dict[str, Claim]:
    text = resources.files("lookalike.experiments").joinpath("claims.toml").read_text(encoding="utf-8")
    listed = tomllib.loads(text)["claim"]
    return {
        each["id"]: Claim(**each | {"items": tuple(each["items"]), "experiments": tuple(each["experiments"])})
        for each in listed
    }


CLAIMS: Final = _read()
"""The conclusions by name, in the order of the tables: `claims.toml`."""


def judged_by(experiments: Sequence[str]) -> list[Claim]:
    """Return the conclusions that these experiments judge, in the order of the tables."""
    return [claim for claim in CLAIMS.values() if claim.experiments[0] in experiments]
