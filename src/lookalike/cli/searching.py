"""The options that say what is searched for and how: the same on every command that searches a collection."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from lookalike.cli.against import old_documents, without_password
from lookalike.cli.left_out import LEFT_OUT, left_out_values, template_texts
from lookalike.cli.options import makes, option, several
from lookalike.cli.recipe_options import PRESET
from lookalike.cli.values import share, size, threads_of, whole_number
from lookalike.engine.bands import Bands
from lookalike.engine.strategy import DISTANCE, METHODS, METRICS
from lookalike.errors import RecipeError
from lookalike.presets import find_preset, with_preset
from lookalike.recipe import suggest
from lookalike.search.find import find_kept

if TYPE_CHECKING:
    from collections.abc import Callable

    from lookalike.cli.reading import Reading
    from lookalike.documents import Source
    from lookalike.engine.groups import Linkage
    from lookalike.engine.strategy import Method
    from lookalike.recipe import Recipe
    from lookalike.result import Result
    from lookalike.tables.found import Metric

    Report = Callable[[str, int, int | None], None]

__all__ = ["Demand", "Search", "with_demand", "with_removal", "with_search"]

THRESHOLD: Final = 0.8
LINKAGES: Final = ("star", "linked")

_PANEL: Final = "Search"
_DEMAND: Final[dict[str, tuple[Any, Any]]] = {
    "threshold": option(
        "-t",
        "--threshold",
        panel=_PANEL,
        metavar="T",
        help="Least similarity, as 0.8 or 80%; default 0.8, or the preset's.",
    ),
    "recall": option(
        "--recall", panel=_PANEL, metavar="R", help="Share of the pairs at or above T to find at least; default 0.99."
    ),
    "method": option(
        "--method", panel=_PANEL, metavar="NAME", help="auto, lsh, exact, signatures or brute.", values=METHODS
    ),
    "metric": option(
        "--metric",
        panel=_PANEL,
        metavar="NAME",
        help="jaccard (default), containment, bag, cosine or euclidean.",
        values=METRICS,
    ),
    "memory": option("--memory", panel=_PANEL, metavar="SIZE", help="Most memory to use, as 6GB."),
}
_SEARCH: Final[dict[str, tuple[Any, Any]]] = {
    **_DEMAND,
    "linkage": option(
        "--linkage", panel=_PANEL, metavar="HOW", help="Groups by star (default) or linked.", values=LINKAGES
    ),
    "against": several(
        "--against", panel=_PANEL, metavar="OLD", help="Compare with these too, not them with each other; repeatable."
    ),
    **LEFT_OUT,
    "bands": option("--bands", panel=_PANEL, metavar="N", help="Bands of LSH, instead of those for the recall."),
    "rows": option("--rows", panel=_PANEL, metavar="N", help="Rows of each band; default: as many as fit."),
    "common": option(
        "--common", panel=_PANEL, metavar="S", help="Leave out shingles in more than this share of documents, as 0.3."
    ),
    "threads": option("--threads", panel=_PANEL, metavar="N", help="Threads; default: one for each processor."),
    "work": option("--work", panel=_PANEL, metavar="DIR", help="Keep unfinished work here, to resume."),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """What decides the cost of a search."""

    preset: str | None = None
    """Where the others come from that were not given."""
    threshold: float | None = None
    """As given; `least` is what is searched with."""
    recall: float = 0.99
    method: Method = "auto"
    metric: Metric = "jaccard"
    memory: int | None = None

    @property
    def least(self) -> float:
        """The least similarity."""
        return THRESHOLD if self.threshold is None else self.threshold


@dataclass(frozen=True, slots=True, kw_only=True)
class Search(Demand):
    """All that decides what a search finds."""

    linkage: Linkage = "star"
    against: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    min_words: int | None = None
    common: float | None = None
    bands: int | None = None
    rows: int | None = None
    threads: int = 0
    work: str | None = None

    def banding(self, hashes: int) -> Bands | None:
        """Return the bands that were asked for; what is not given of them is as large as a signature allows."""
        if self.bands is None and self.rows is None:
            return None
        option, given = ("--rows", self.rows) if self.bands is None else ("--bands", self.bands)
        if self.method not in ("auto", "lsh") or self.metric == "containment":
            other = f"--method {self.method}" if self.method not in ("auto", "lsh") else "--metric containment"
            raise RecipeError(option, given, f"left out with {other}", "bands are for LSH")
        bands = self.bands or max(1, hashes // (self.rows or 1))
        return Bands(bands, self.rows or max(1, hashes // bands))

    def shown(self) -> Search:
        """Return it as it may be shown and saved: without passwords."""
        return replace(self, against=tuple(map(without_password, self.against)))

    def find(
        self, source: Source, recipe: Recipe, reading: Reading, report: Report | None, min_length: int | None = None
    ) -> tuple[Result, Callable[[], None]]:
        """Run the search; what comes with the result is to be called when all outputs are written."""
        return find_kept(
            source,
            self.least,
            recall=self.recall,
            method=self.method,
            metric=self.metric,
            recipe=recipe,
            bands=self.banding(recipe.hashes),
            against=old_documents(self.against, recipe, reading, self.memory),
            ignore=template_texts(self.ignore, reading),
            skip=self.skip,
            min_words=self.min_words,
            min_length=min_length,
            common=self.common,
            linkage=self.linkage,
            memory=self.memory,
            work=self.work,
            threads=self.threads,
            progress=report,
        )


def _choice(option: str, given: str | None, choices: tuple[str, ...]) -> Any:
    if given is None:
        return choices[0]
    if given not in choices:
        allowed = f"{', '.join(choices[:-1])} or {choices[-1]}"
        raise RecipeError(option, given, allowed, suggest(given, choices))
    return given


def _threshold(given: str, metric: str | None) -> float:
    try:
        return share("--threshold", given)
    except RecipeError as error:
        if metric != "euclidean":
            raise
        raise RecipeError(error.field, given, error.allowed, DISTANCE) from None


def _demand(given: dict[str, Any]) -> dict[str, Any]:
    preset = given.get("preset")
    least = None if given["threshold"] is None else _threshold(given["threshold"], given["metric"])
    metric = None if given["metric"] is None else _choice("--metric", given["metric"], METRICS)
    usual_least, metric, _ = with_preset(preset, least, metric, None)
    return {
        "preset": preset,
        "threshold": least if preset is None else usual_least,
        "recall": share("--recall", given["recall"] if given["recall"] is not None else "0.99"),
        "method": _choice("--method", given["method"], METHODS),
        "metric": metric,
        "memory": size("--memory", given["memory"]) if given["memory"] is not None else None,
    }


def _count(option: str, given: str | None) -> int | None:
    return None if given is None else whole_number(option, given, least=1)


def _search(given: dict[str, Any]) -> Search:
    made = Search(
        **_demand(given),
        linkage=_choice("--linkage", given["linkage"], LINKAGES),
        against=tuple(given["against"] or ()),
        **left_out_values(given),
        common=share("--common", given["common"]) if given["common"] is not None else None,
        bands=_count("--bands", given["bands"]),
        rows=_count("--rows", given["rows"]),
        threads=threads_of(given["threads"]),
        work=given["work"],
    )
    if made.preset is None or made.min_words is not None:
        return made
    return replace(made, min_words=find_preset(made.preset).min_words)


with_demand = makes("demand", _DEMAND | PRESET, lambda given: Demand(**_demand(given)))
"""Give a command that takes a `demand` the options that make one."""

with_search = makes("search", _SEARCH | PRESET, _search)
"""Give a command that takes a `search` the options that make one."""

with_removal = makes("search", _SEARCH, _search)
"""The same for a command that removes documents: a preset with a low threshold must not remove more of them."""
