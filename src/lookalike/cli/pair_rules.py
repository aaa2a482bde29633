"""What is known of documents and pairs beside the texts: `--meta`, `--group-by` and `--marks`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lookalike.cli.group_by import KNOWN, author_rule, by_author, known_rule, left_out
from lookalike.cli.options import makes, option
from lookalike.result.pairs import only_pairs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lookalike.cli.group_by import Authors, Rule
    from lookalike.documents.metadata import Metadata
    from lookalike.report.marks import Marks
    from lookalike.result import Result

__all__ = ["PairRules", "pairs_left_out", "with_pair_rules"]

_PANEL: Final = "Documents and pairs"
_OPTIONS: Final[dict[str, tuple[Any, Any]]] = {
    "meta": option("--meta", panel=_PANEL, metavar="FILE", help="A table: id, name, author, date and label; CSV."),
    "group_by": option(
        "--group-by",
        panel=_PANEL,
        metavar="RULE",
        help="Leave out pairs of one author: dir, a pattern with one group; author or label, by --meta.",
        values=("dir", *KNOWN),
    ),
    "marks": option("--marks", panel=_PANEL, metavar="FILE", help="Leave out what a report marked 'not an issue'."),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRules:
    """The options, as they were typed."""

    meta: str | None = None
    group_by: str | None = None
    marks: str | None = None

    def read(self, paths: Sequence[str]) -> Known:
        """Read the files, before anything is searched."""
        from lookalike.documents.metadata import read_metadata

        rule = None
        if self.group_by is not None and (self.meta is None or self.group_by not in KNOWN):
            rule = author_rule(self.group_by, paths)
        marks = None
        if self.marks is not None:
            from lookalike.report.marks import read_marks

            marks = read_marks(self.marks)
        return Known(self, {} if self.meta is None else read_metadata(self.meta), rule, marks)

    def files(self) -> Iterator[str]:
        """Give the names of the files, which nothing may be written over."""
        yield from (name for name in (self.meta, self.marks) if name is not None)


@dataclass(frozen=True, slots=True)
class Known:
    """What the files say."""

    given: PairRules
    metadata: Mapping[str, Metadata]
    rule: Rule | None
    marks: Marks | None

    def apply(self, result: Result) -> tuple[Result, Authors | None, list[str]]:
        """Return the result with names and without the pairs that are left out; who wrote what; and notes."""
        from lookalike.documents.metadata import for_documents

        notes: list[str] = []
        rule = self.rule
        if self.given.meta is not None:
            absent: list[str] = []
            known = for_documents(self.metadata, result.id_of, self.given.meta, absent)
            if absent:
                rows = "1 row names" if len(absent) == 1 else f"{len(absent):,} rows name"
                notes.append(
                    f"{self.given.meta}: {rows} no document that was read: {', '.join(absent[:3])}"
                    f"{' …' if len(absent) > 3 else ''}"
                )
            result = result.with_metadata({str(name): values for name, values in known.items()})
            if self.given.group_by in KNOWN:
                rule = known_rule(self.given.group_by, result.metadata_of)
        if self.marks is not None:
            result, number = _unmarked(result, self.marks)
            those = "pair marked as not an issue is" if number == 1 else "pairs marked as not an issue are"
            notes.append(f"{number:,} {those} left out (--marks {self.given.marks})")
        authors = None
        if rule is not None:
            result, authors = by_author(result, rule)
        return result, authors, notes


def pairs_left_out(notes: Sequence[str], authors: Authors | None) -> list[str]:
    """Return a sentence for each rule that left out a pair: a report has to say it too."""
    said = [*notes, *([] if authors is None else [left_out(authors)])]
    return [note for note in said if not note.startswith("0 ")]


def _unmarked(result: Result, marks: Marks) -> tuple[Result, int]:
    """Return the result without the pairs that are marked as not an issue, and how many these are."""
    ids, listed = result.id_of, result.listed
    ends = zip(listed.values("a"), listed.values("b"), strict=True)
    kept = [not marks.is_left_out(ids[a], ids[b], b_old=ids.is_old(b)) for a, b in ends]
    number = kept.count(False)
    return (only_pairs(result, kept) if number else result), number


with_pair_rules = makes("rules", _OPTIONS, lambda given: PairRules(**given))
"""Give a command that takes `rules` the options that make them."""
