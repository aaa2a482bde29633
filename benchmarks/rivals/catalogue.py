"""The engines: where each adapter is, what it can do, and what is said about it beside its numbers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from benchmarks.rivals.tasks import Job, Kind

__all__ = ["ENGINES", "FOLDER", "OWN", "Engine"]

FOLDER: Final = Path(__file__).parents[1] / "engines"
WORDS_ONLY: Final = "it splits words only"


@dataclass(frozen=True, slots=True)
class Engine:
    """One way of one engine."""

    name: str
    folder: str
    kinds: tuple[Kind, ...]
    variant: str = ""
    units: tuple[str, ...] = ("word", "char")
    full_set: bool = True
    """Whether it looks at every shingle."""

    @property
    def module(self) -> str:
        """The program that is run."""
        return f"benchmarks.engines.{self.folder}.engine"

    @property
    def requirements(self) -> Path:
        """The pinned packages."""
        return FOLDER / self.folder / "requirements.txt"

    def cannot(self, job: Job) -> str | None:
        """Say why this engine cannot do a task of a kind that it knows."""
        return None if job.unit in self.units else WORDS_ONLY


OWN: Final = "lookalike"
_ALL: Final[tuple[Kind, ...]] = ("signatures", "search", "queries")
_TWO: Final[tuple[Kind, ...]] = ("signatures", "search")

ENGINES: Final = (
    Engine(OWN, "lookalike", ("signatures", "search", "exact", "queries")),
    Engine("lookalike, classic", "lookalike", ("signatures",), "classic"),
    Engine("datasketch", "datasketch", _ALL),
    Engine("datasketch, xxh32", "datasketch", _ALL, "xxh32"),
    Engine("rensa R", "rensa", _TWO, "R"),
    Engine("rensa R, LSH", "rensa", ("search", "queries"), "R lsh"),
    Engine("rensa C", "rensa", _TWO, "C"),
    Engine("rensa rho", "rensa", _TWO, "rho", full_set=False),
    Engine("gaoya", "gaoya", _ALL),
    Engine("Daft", "daft", _TWO, units=("word",)),
    Engine("Daft, our bands", "daft", ("search",), "recall", units=("word",)),
    Engine("FastSketchLSH", "fastsketchlsh", _ALL),
    Engine("text-dedup", "text_dedup", _TWO, units=("word",)),
    Engine("datatrove", "datatrove", _TWO, units=("word",)),
    Engine("SetSimilaritySearch", "setsimilaritysearch", ("exact",)),
    Engine("scikit-learn", "scikit_learn", ("exact",)),
)
