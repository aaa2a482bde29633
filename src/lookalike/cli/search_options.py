"""The options for the recipe, for excluded text, and for the search: the same on every command.

The values of a recipe pass as they were typed; `Recipe` itself checks them, so that the command line and the library
say the same.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from lookalike.cli.input import old_documents, without_password
from lookalike.cli.messages import complain
from lookalike.cli.options import (
    flag,
    makes,
    maybe_number,
    number,
    one_of,
    option,
    several,
    share,
    size,
    threads_of,
    typed,
    whole_number,
)
from lookalike.documents.text_file import read_small
from lookalike.engine import DISTANCE, METHODS, METRICS
from lookalike.errors import RecipeError, suggest
from lookalike.opening import is_url
from lookalike.presets import PRESETS, find_preset, with_preset
from lookalike.recipe import FAMILIES, IDLE, Recipe
from lookalike.text.excluded import check_kinds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from lookalike.cli.input import Reading
    from lookalike.documents import Source
    from lookalike.engine import Method
    from lookalike.engine.bands import Bands
    from lookalike.engine.groups import Linkage
    from lookalike.result import Result
    from lookalike.tables.columns import Metric

    Report = Callable[[str, int, int | None], None]

__all__ = [
    "LONGEST",
    "RECIPE",
    "Demand",
    "ExcludedText",
    "Removal",
    "Search",
    "as_typed",
    "make_recipe",
    "template_texts",
    "usual",
    "with_demand",
    "with_excluded",
    "with_recipe",
    "with_removal",
    "with_search",
]


def _choice(spelling: str, metavar: str, help: str, *values: str) -> tuple[Any, Any]:  # noqa: A002 — as Typer calls it
    return option(spelling, panel="Recipe", metavar=metavar, help=help, values=values)


def _number(spelling: str, help: str) -> tuple[Any, Any]:  # noqa: A002
    return option(spelling, panel="Recipe", metavar="N", help=help)


def _flag(spelling: str, help: str) -> tuple[Any, Any]:  # noqa: A002
    return flag(spelling, panel="Recipe", help=help)


def _listed(names: Iterable[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}"


PRESET: Final[dict[str, tuple[Any, Any]]] = {
    "preset": _choice(
        "--preset",
        "NAME",
        f"Start from {', '.join(PRESETS)} (default: prose); other options override it. essays finds copied passages. A "
        "scan also takes its threshold, metric and shortest passage; so does dedupe, but not those of "
        f"{_listed(name for name, preset in PRESETS.items() if preset.is_for_finding)}, which are for finding.",
        *PRESETS,
    )
}
"""The option from which a recipe starts, and a search."""

# Name of the setting → type and option. The metavars are short because the help must fit 80 columns.
RECIPE: Final[dict[str, tuple[Any, Any]]] = {
    **PRESET,
    "unit": _choice("--unit", "UNIT", "Unit of a shingle: char, word or token (of code).", "char", "word", "token"),
    "k": _number("-k", "Units per shingle, 1 to 64."),
    "bag": _flag("--bag/--no-bag", "Count repeated shingles."),
    "lowercase": _flag("--lowercase/--no-lowercase", "Ignore case."),
    "whitespace": _choice("--whitespace", "HOW", "keep, collapse or remove (unit char).", "keep", "collapse", "remove"),
    "punctuation": _choice("--punctuation", "HOW", "keep or remove.", "keep", "remove"),
    "accents": _choice("--accents", "HOW", "keep, or strip (é counts as e).", "keep", "strip"),
    "digits": _choice("--digits", "HOW", "keep, or zero (every digit counts as 0).", "keep", "zero"),
    "stop_words": _choice(
        "--stop-words", "LIST", "Words to ignore: none, english, or a file with one word per line.", "none", "english"
    ),
    "invisible": _choice("--invisible", "HOW", "drop or keep what nobody sees, such as soft hyphens.", "drop", "keep"),
    "form": _choice(
        "--form", "FORM", "Unicode normal form: none, nfc, nfd, nfkc or nfkd.", "none", "nfc", "nfd", "nfkc", "nfkd"
    ),
    "sketch": _choice("--sketch", "KIND", "Signature: fast or classic.", "fast", "classic"),
    "family": _choice(
        "--family", "NAME", f"Hash family of a classic sketch: {', '.join(FAMILIES[:-1])} or {FAMILIES[-1]}.", *FAMILIES
    ),
    "hashes": _number("--hashes", "Hashes per signature, 1 to 65535."),
    "seed": _number("--seed", "Seed of all hashes."),
}


def make_recipe(options: dict[str, Any]) -> Recipe:
    """Return the preset with the given options changed; None means not given.

    >>> make_recipe({"preset": "code", "k": "3", "family": "murmur3"})
    Recipe(unit='token', k=3, sketch='classic', family='murmur3')
    """
    given = {name: value for name, value in options.items() if value is not None}
    base = Recipe.preset(given.pop("preset", "prose"))
    for name in ("k", "hashes", "seed"):
        if name in given:
            given[name] = number(given[name])
    if "family" in given and given.setdefault("sketch", "classic") == "fast":
        raise RecipeError("family", given["family"], "left out with --sketch fast", "it belongs to --sketch classic")
    if "stop_words" in given:
        given["stop_words"] = _stop_words(given["stop_words"])
    recipe = base.replace(**given)
    for name in given:
        if name in IDLE.get(recipe.unit, ()):
            complain(f"note: --{name.replace('_', '-')} has no effect while the unit is {recipe.unit}")
    return recipe


def _stop_words(given: str) -> str | list[str]:
    if given in ("none", "english"):
        return given
    if not is_url(given) and not Path(given).exists():
        allowed = "'none', 'english' or a file of words, one per line"
        raise RecipeError("stop_words", given, allowed, suggest(given, ("none", "english")) or "no such file")
    return [word for line in read_small(given, "give a shorter list").splitlines() if (word := line.strip())]


def as_typed(made: Any, recipe: Recipe) -> list[str]:
    """Return the options that make this value, which has a `preset`, and this recipe: those that are not the preset's.

    >>> as_typed(Demand(preset="essays", threshold=0.2, metric="containment"), Recipe(k=3, form="nfkc"))
    ['--preset', 'essays', '--threshold', '0.2']
    """
    return [*typed(made, usual(made)), *typed(recipe, find_preset(made.preset or "prose").recipe)]


def usual(made: Any) -> Any:
    """Return what the preset of this value makes if no other option is given, without the name of the preset."""
    _, metric, min_words = with_preset(made.preset, None, None, None, removing=getattr(made, "removes", False))
    own = {field.name for field in fields(made)}
    return type(made)(**{name: value for name, value in (("metric", metric), ("min_words", min_words)) if name in own})


with_recipe = makes("recipe", RECIPE, make_recipe)
"""Give a command that takes a `recipe` the options that make one."""

_PANEL: Final = "Search"
LONGEST: Final = 2**31
"""No passage is longer; a larger number means the same, and the core need not count so far."""

EXCLUDED: Final[dict[str, tuple[Any, Any]]] = {
    "ignore": several("--ignore", panel=_PANEL, metavar="FILE", help="Exclude the text of a template; repeatable."),
    "skip": several("--skip", panel=_PANEL, metavar="WHAT", help="Exclude, comma-separated: quotes,references."),
    "min_words": option("--min-words", panel=_PANEL, metavar="N", help="Shortest passage that counts, in words."),
}


@dataclass(frozen=True, kw_only=True)
class ExcludedText:
    """What is excluded from the scores."""

    preset: str | None = None
    """Where the shortest passage comes from if it was not given."""
    ignore: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    min_words: int | None = None


def excluded_values(given: Mapping[str, Any]) -> dict[str, Any]:
    """Read the options, as the fields of a `ExcludedText`.

    >>> excluded_values({"ignore": None, "skip": ["references,quotes"], "min_words": "12"})
    {'ignore': (), 'skip': ('quotes', 'references'), 'min_words': 12}
    """
    kinds = [kind.strip() for words in given["skip"] or () for kind in words.split(",")]
    least = given["min_words"]
    return {
        "ignore": tuple(given["ignore"] or ()),
        "skip": check_kinds(kinds, "--skip"),
        "min_words": None if least is None else min(whole_number("--min-words", least, least=1), LONGEST),
    }


def _excluded(given: Mapping[str, Any]) -> ExcludedText:
    values, preset = excluded_values(given), given["preset"]
    return ExcludedText(
        preset=preset, **values | {"min_words": with_preset(preset, None, None, values["min_words"])[2]}
    )


with_excluded = makes("excluded", EXCLUDED | PRESET, _excluded)
"""Give a command that takes what is `excluded` the options that make one."""


def template_texts(paths: Sequence[str], reading: Reading) -> list[str]:
    """Return the texts of templates, which are few and short, whatever their format."""
    if not paths:
        return []
    return [text for batch in reading.open(paths, alone=False).batches() for text in batch.texts]


THRESHOLD: Final = 0.8
LINKAGES: Final = ("star", "linked")

_DEMAND: Final[dict[str, tuple[Any, Any]]] = {
    "threshold": option(
        "-t",
        "--threshold",
        panel=_PANEL,
        metavar="T",
        help="Minimum similarity, as 0.8 or 80% (default: 0.8, or the preset's).",
    ),
    "recall": option(
        "--recall", panel=_PANEL, metavar="R", help="Minimum share of the pairs ≥ T to find (default: 0.99)."
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
    "memory": option("--memory", panel=_PANEL, metavar="SIZE", help="Memory limit, such as 6GB."),
}
_SEARCH: Final[dict[str, tuple[Any, Any]]] = {
    **_DEMAND,
    "linkage": option(
        "--linkage", panel=_PANEL, metavar="HOW", help="Cluster by star (default) or linked.", values=LINKAGES
    ),
    "against": several(
        "--against",
        panel=_PANEL,
        metavar="OLD",
        help="Also compare with these, but not these among themselves; repeatable.",
    ),
    **EXCLUDED,
    "bands": option("--bands", panel=_PANEL, metavar="N", help="LSH bands, instead of those chosen for the recall."),
    "rows": option("--rows", panel=_PANEL, metavar="N", help="Rows per band (default: as many as fit)."),
    "common": option(
        "--common",
        panel=_PANEL,
        metavar="S",
        help="Exclude shingles found in more than this share of documents, such as 0.3.",
    ),
    "max_pairs": option(
        "--max-pairs",
        panel=_PANEL,
        metavar="N",
        help="List up to N pairs of very large clusters; each takes 150 bytes of memory (default: a million, and 8 for "
        "each document).",
    ),
    "threads": option("--threads", panel=_PANEL, metavar="N", help="Threads (default: one per processor)."),
    "work": option("--work", panel=_PANEL, metavar="DIR", help="Keep unfinished work here, to resume it."),
}


@dataclass(frozen=True, kw_only=True)
class Demand:
    """What decides the cost of a search."""

    preset: str | None = None
    """Where the others come from that were not given."""
    threshold: float | None = None
    """As given; `least` is what is searched with."""
    removes: ClassVar[bool] = False
    """Whether documents are removed by it."""
    recall: float = 0.99
    method: Method = "auto"
    metric: Metric = "jaccard"
    memory: int | None = None

    @property
    def least(self) -> float:
        """The least similarity."""
        return with_preset(self.preset, self.threshold, self.metric, None, removing=self.removes)[0]


@dataclass(frozen=True, kw_only=True)
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
    max_pairs: int | None = None
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
        from lookalike.engine.bands import Bands

        bands = self.bands or max(1, hashes // (self.rows or 1))
        return Bands(bands, self.rows or max(1, hashes // bands))

    def shown(self) -> Search:
        """Return it as it may be shown and saved: without passwords."""
        return replace(self, against=tuple(map(without_password, self.against)))

    def find(
        self, source: Source, recipe: Recipe, reading: Reading, report: Report | None, min_length: int | None = None
    ) -> tuple[Result, Callable[[], None]]:
        """Run the search; what comes with the result is to be called when all outputs are written."""
        from lookalike.search.find import find_kept

        return find_kept(
            source,
            self.least if self.removes else self.threshold,
            preset=None if self.removes else self.preset,
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
            max_pairs=self.max_pairs,
            memory=self.memory,
            work=self.work,
            threads=self.threads,
            progress=report,
        )


@dataclass(frozen=True, kw_only=True)
class Removal(Search):
    """A search that decides what is removed."""

    removes: ClassVar[bool] = True

    @classmethod
    def at(cls, search: Search) -> Removal:
        """Return the removal of what a search found: its threshold is written, wherever it came from."""
        least = None if search.preset is None else search.least
        values = {field.name: getattr(search, field.name) for field in fields(search)}
        return cls(**values | {"threshold": search.threshold if least is None else least})


def _checked_choice(option: str, given: str | None, choices: tuple[str, ...]) -> Any:
    return choices[0] if given is None else one_of(option, given, choices)


def _threshold(given: str, metric: str | None) -> float:
    try:
        return share("--threshold", given)
    except RecipeError as error:
        if metric != "euclidean":
            raise
        raise RecipeError(error.field, given, error.allowed, DISTANCE) from None


def _demand(given: dict[str, Any], *, removing: bool = False) -> dict[str, Any]:
    preset = given.get("preset")
    least = None if given["threshold"] is None else _threshold(given["threshold"], given["metric"])
    metric = None if given["metric"] is None else _checked_choice("--metric", given["metric"], METRICS)
    _, metric, _ = with_preset(preset, least, metric, None, removing=removing)
    return {
        "preset": preset,
        "threshold": least,
        "recall": share("--recall", given["recall"] if given["recall"] is not None else "0.99"),
        "method": _checked_choice("--method", given["method"], METHODS),
        "metric": metric,
        "memory": size("--memory", given["memory"]) if given["memory"] is not None else None,
    }


def _search(given: dict[str, Any], kind: type[Search] = Search) -> Search:
    made = kind(
        **_demand(given, removing=kind.removes),
        linkage=_checked_choice("--linkage", given["linkage"], LINKAGES),
        against=tuple(given["against"] or ()),
        **excluded_values(given),
        common=share("--common", given["common"]) if given["common"] is not None else None,
        bands=maybe_number("--bands", given["bands"]),
        rows=maybe_number("--rows", given["rows"]),
        max_pairs=maybe_number("--max-pairs", given["max_pairs"]),
        threads=threads_of(given["threads"]),
        work=given["work"],
    )
    if made.preset is None or made.min_words is not None:
        return made
    return replace(made, min_words=usual(made).min_words)


with_demand = makes("demand", _DEMAND | PRESET, lambda given: Demand(**_demand(given)))
"""Give a command that takes a `demand` the options that make one."""

with_search = makes("search", _SEARCH | PRESET, _search)
"""Give a command that takes a `search` the options that make one."""

with_removal = makes("search", _SEARCH | PRESET, partial(_search, kind=Removal))
"""The same for a command that removes documents: a preset that is for finding must not remove more of them."""
