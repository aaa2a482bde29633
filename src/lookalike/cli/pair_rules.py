"""What is known of documents and pairs beside the texts: `--meta`, `--group-by` and `--marks`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lookalike.cli.options import makes, option
from lookalike.cli.values import whole_number
from lookalike.errors import RecipeError
from lookalike.result.authors import KNOWN, check_rule, group_by, left_out
from lookalike.result.pairs import only_pairs
from lookalike.tables.wording import count

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

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
        help="Leave out pairs of one author: lms, dir, a pattern with one group; author or label, by --meta; none.",
        values=("lms", "dir", *KNOWN, "none"),
    ),
    "min_length": option(
        "--min-length", panel=_PANEL, metavar="WORDS", help="Skip documents with fewer words than this."
    ),
    "marks": option("--marks", panel=_PANEL, metavar="FILE", help="Leave out what a report marked 'not an issue'."),
}


SHORT: Final = 200
"""Characters: texts that are shorter fill the top of a list, because they are soon alike."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRules:
    """The options, as they were typed."""

    meta: str | None = None
    group_by: str | None = None
    """None: by student, if the names of files are those of a learning platform."""
    min_length: int | None = None
    marks: str | None = None

    def read(self, paths: Sequence[str]) -> Known:
        """Read the files, before anything is searched."""
        from lookalike.documents.metadata import read_metadata

        if self.group_by in KNOWN and self.meta is None:
            raise RecipeError("--group-by", self.group_by, "used with --meta FILE, which has that column")
        if self.group_by not in (None, "none"):
            check_rule(self.group_by, "--group-by")
        marks = None
        if self.marks is not None:
            from lookalike.report.marks import read_marks

            marks = read_marks(self.marks)
        return Known(self, paths, {} if self.meta is None else read_metadata(self.meta), marks)

    def files(self) -> Iterator[str]:
        """Give the names of the files, which nothing may be written over."""
        yield from (name for name in (self.meta, self.marks) if name is not None)


@dataclass(frozen=True, slots=True)
class Known:
    """What the files say."""

    given: PairRules
    paths: Sequence[str]
    metadata: Mapping[str, Metadata]
    marks: Marks | None

    def apply(self, result: Result) -> tuple[Result, list[str]]:
        """Return the result with names and without the pairs that are left out, and notes."""
        from lookalike.documents.metadata import for_documents

        notes: list[str] = []
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
        if self.marks is not None:
            result, number = _unmarked(result, self.marks)
            those = "pair marked as not an issue is" if number == 1 else "pairs marked as not an issue are"
            notes.append(f"{number:,} {those} left out (--marks {self.given.marks})")
        rule = self.given.group_by
        if rule is None and result.platforms:
            rule = "lms"
            notes.append("the files of a student are one submission (--group-by none: each file by itself)")
            notes += self._short(result)
        if rule not in (None, "none"):
            result = group_by(result, rule, self.paths, "--group-by")
        return result, notes

    def _short(self, result: Result) -> list[str]:
        """Say that there are texts of a few words, which are easily alike."""
        short = sum(length < SHORT for length in result.length_of or ())
        if self.given.min_length is not None or not short:
            return []
        return [f"{count(short, 'document')} of fewer than {SHORT} characters; --min-length 40 skips what is so short"]


def pairs_left_out(notes: Sequence[str], result: Result) -> list[str]:
    """Return a sentence for each rule that left out a pair: a report has to say it too."""
    said = [*notes, *([] if result.authors is None else [left_out(result.authors)])]
    return [note for note in said if "left out" in note and not note.startswith("0 ")]


def _unmarked(result: Result, marks: Marks) -> tuple[Result, int]:
    """Return the result without the pairs that are marked as not an issue, and how many these are."""
    ids, listed = result.id_of, result.listed
    ends = zip(listed.values("a"), listed.values("b"), strict=True)
    kept = [not marks.is_left_out(ids[a], ids[b], b_old=ids.is_old(b)) for a, b in ends]
    number = kept.count(False)
    return (only_pairs(result, kept) if number else result), number


def _made(given: dict[str, Any]) -> PairRules:
    least = given["min_length"]
    words = None if least is None else whole_number("--min-length", least, least=1)
    return PairRules(**given | {"min_length": words})


with_pair_rules = makes("rules", _OPTIONS, _made)
"""Give a command that takes `rules` the options that make them."""
