"""What the table of `lookalike scan` says beside the scores: what was left out of them, who was first, the passages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from rich.text import Text

from lookalike.documents.metadata import first_of
from lookalike.recipe import UNIT_NAMES
from lookalike.result.describe import blanked_where_excluded, excluded_words_of, texts_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from rich.console import RenderableType

    from lookalike.documents.metadata import Metadata
    from lookalike.result import Result

__all__ = ["About", "longest_passages"]

PLACES: Final = {"quotes": "quotes", "references": "references", "template": "templates", "common": "common text"}
MOST: Final = 5
"""Pairs whose longest passage is shown below the table."""
SHOWN: Final = (160, 80)
"""Characters of the two ends of a long passage: fewer than compare shows, because there are several pairs."""
LONGEST_TEXT: Final = 2_000_000
"""Characters: of longer documents no passage is looked for, so that a scan ends at once."""


@dataclass(frozen=True)
class About:
    """Further columns, which are there if there is something to say."""

    left_out: Mapping[int, Mapping[str, int]]
    known: Mapping[int, Metadata]
    """Both by the numbers of documents."""
    shortest: str = ""
    """The shortest passage that counts, in words."""
    dated_by: str = "--meta"
    """What tells the dates."""

    @classmethod
    def of(cls, result: Result, pairs: list[dict[str, Any]]) -> About:
        """Look at the documents of the pairs that are shown."""
        numbers = {pair[side] for pair in pairs for side in "ab"}
        dated = any(values.date is not None for values in result.metadata.values())
        least, unit = result.uncounted.min_words, f"{UNIT_NAMES[result.recipe.unit]}s"
        shortest = f"{least:,} {unit}" if least is not None else ""
        by = "the date of the submission" if result.platforms else "--meta"
        return cls(excluded_words_of(result, numbers), result.metadata_of if dated else {}, shortest, by)

    @property
    def headers(self) -> list[tuple[str, str]]:
        """The names of the columns and their sides."""
        return [*([("Left out", "right")] if self.left_out else []), *([("First", "left")] if self.known else [])]

    @property
    def cells(self) -> int:
        """How wide they are together."""
        wide = max((len(self._words(number)) for number in self.left_out), default=0)
        return (max(len("Left out"), 2 * wide + 3) + 2 if self.left_out else 0) + (7 if self.known else 0)

    def values(self, pair: Mapping[str, Any]) -> list[str]:
        """Return what the columns say of a pair."""
        said = [f"{self._words(pair['a'])} + {self._words(pair['b'])}"] if self.left_out else []
        if self.known:
            first = first_of(self.known.get(pair["a"]), self.known.get(pair["b"]))
            said.append({"a": "A", "b": "B", "same": "same"}.get(first or "", "?"))
        return said

    @property
    def legend(self) -> str:
        """What the columns mean."""
        there = {reason for words in self.left_out.values() for reason in words}
        reasons = ", ".join(place for reason, place in PLACES.items() if reason in there)
        said = [f"Left out: words of A + words of B that do not count ({reasons})."] if self.left_out else []
        if self.shortest:
            said.append(f"Only passages of at least {self.shortest} count.")
        if self.known:
            said.append(f"First: the older of the two, by {self.dated_by}.")
        return " ".join(said)

    def _words(self, number: int) -> str:
        return f"{sum(self.left_out.get(number, {}).values()):,}"


def longest_passages(
    result: Result, pairs: list[dict[str, Any]], show: Callable[[int, int], Text]
) -> Iterator[RenderableType]:
    """Give the longest passage of each of the closest pairs."""
    from lookalike.cli.output import width
    from lookalike.cli.passage_table import Passages
    from lookalike.text.passages import passages

    texts = texts_of(result, {pair[side] for pair in pairs[:MOST] for side in "ab"})
    shown = False
    for rank, pair in enumerate(pairs[:MOST], start=1):
        a, b = texts.get(pair["a"]), texts.get(pair["b"])
        if a is None or b is None or max(len(a), len(b)) > LONGEST_TEXT:
            continue
        found = passages(*blanked_where_excluded(result, a, b), result.recipe, least=result.uncounted.min_words)
        if not found:
            continue
        if not shown:
            which = "each" if len(pairs) <= MOST else f"the {MOST} closest"
            yield Text(f"The longest passage of {which}", style="bold")
            shown = True
        title = Text("  in ")
        room = (width() - 20) // 2
        title.append_text(show(pair["a"], room)).append(" and ").append_text(show(pair["b"], room))
        longest = max(found, key=lambda passage: passage.units)
        yield from Passages(a, b, result.recipe, SHOWN).show(longest, rank, title.plain)
