"""The experiments of the source reports, reproduced: measured by this project's code, corrected, drawn and judged.

Here is what an experiment is: a question, a table of measurements, a figure of it, and verdicts. A file of this folder
ends in its `EXPERIMENT`, or in `EXPERIMENTS` if it has several; `catalogue.py` lists them.

Each conclusion is judged once: those of the source reports in their own words, and ours, marked as such. It has one
finding, made by the first of its experiments; the others show more of it. `CLAIMS` holds them by name in the order of
`claims.toml`, and the gallery shows a table for each report. Report B's draft ends without conclusions: the last ones
are ours, from its experiments.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from importlib import resources
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.figure import Figure

__all__ = [
    "CLAIMS",
    "FINDINGS",
    "OURS",
    "REPORTS",
    "Cell",
    "Claim",
    "Column",
    "Experiment",
    "Finding",
    "Progress",
    "Setup",
    "Table",
    "Verdict",
    "claimed_by",
    "each",
    "judged_by",
    "verdict",
]

T = TypeVar("T")
Cell: TypeAlias = int | float | str
Finding: TypeAlias = Literal["holds", "holds in part", "does not hold", "undecided"]
FINDINGS: Final[tuple[Finding, ...]] = ("holds", "holds in part", "does not hold", "undecided")
"""Undecided is a time whose spread reaches across the cut: this run does not tell."""

Progress: TypeAlias = Callable[[float], None]
"""Told the share of the work that is done, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What a run of the experiments depends on, beside the code."""

    seed: int = 1
    quick: bool = False
    text: str | None = None
    """The base text to shuffle, instead of the built-in one of 50 words."""
    more: tuple[str, ...] = ()
    """Further texts: where an experiment needs a book, and one of all these is long enough, it is a part of it."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its name, its unit ("1" for a pure number), and whether it may differ from run to run."""

    name: str
    unit: str = "1"
    timed: bool = False
    """True for times and what is computed from them: all other columns are the same for the same seed."""


@dataclass(frozen=True, slots=True)
class Table:
    """The measurements of one experiment: what its CSV holds and its figure shows."""

    columns: tuple[Column, ...]
    rows: list[tuple[Cell, ...]] = field(default_factory=list)

    def position(self, name: str) -> int:
        """Return the place of a column."""
        return [column.name for column in self.columns].index(name)

    def values(self, name: str) -> list[Cell]:
        """Return one column."""
        place = self.position(name)
        return [row[place] for row in self.rows]

    def numbers(self, name: str) -> list[float]:
        """Return one column of numbers."""
        return [float(value) for value in self.values(name)]

    def where(self, **wanted: Cell) -> Table:
        """Return the rows whose named columns hold these values, in their order."""
        places = {self.position(name): value for name, value in wanted.items()}
        rows = [row for row in self.rows if all(row[place] == value for place, value in places.items())]
        return Table(self.columns, rows)

    def distinct(self, name: str) -> list[Cell]:
        """Return the values that a column takes, in order of first appearance."""
        return list(dict.fromkeys(self.values(name)))


@dataclass(frozen=True, slots=True)
class Verdict:
    """A conclusion, and what this run measured about it. `claims.verdict` makes one."""

    claim: str
    """The conclusion: the words of the report, or ours where no report has it."""
    source: str
    """Where it stands, for example "report A, §8.1", or "ours"."""
    items: tuple[int, ...]
    """The items of the checklist that it concerns."""
    finding: Finding
    evidence: str
    """The measured numbers, in a sentence that a person can read."""
    numbers: dict[str, float] = field(default_factory=dict)
    conclusion: str = ""
    """Its name in `claims.toml`."""
    report: str = ""
    """A, B, C or ours: whose table it is in."""

    def as_dict(self) -> dict[str, object]:
        """Return what verdicts.json holds of it."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Experiment:
    """One experiment. `measure` makes the table, `draw` the figure, `judge` the verdicts: the last two only from it."""

    id: str
    """Short, lower case, words joined by hyphens: the name of its files."""
    title: str
    """What the figure shows; for a person who chooses one."""
    items: tuple[int, ...]
    caption: str
    """What the figure shows and how to read it: two or three sentences."""
    seconds: float
    """About how long the full run takes, on one core."""
    measure: Callable[[Setup, Progress], Table]
    draw: Callable[[Table, Setup, Figure], None]
    judge: Callable[[Table, Setup], Sequence[Verdict]] = lambda _table, _setup: ()
    figure: str = ""
    """The figure of a report that it repeats, such as "report A, figure 2"; empty for one of ours."""


def each(steps: Sequence[T], progress: Progress) -> Iterator[T]:
    """Walk through steps of about equal weight, telling the progress."""
    for done, step in enumerate(steps):
        progress(done / len(steps))
        yield step
    progress(1.0)


# -- what is judged ----------------------------------------------------------------------------------------------------


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
