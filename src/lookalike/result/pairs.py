"""The pairs that a person sees: with copies, with ids instead of numbers, and by author.

Pairs by one author are dropped, and all documents of an author are one submission.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from lookalike import _native
from lookalike.errors import RecipeError
from lookalike.opening import is_url, shown_url
from lookalike.tables.columns import COLUMNS, Found, Pairs, score_columns, whole
from lookalike.tables.spelling import count, json_rows, json_values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import pyarrow as pa

    from lookalike.report.side_files import Marks
    from lookalike.result import Result
    from lookalike.tables.columns import DocumentIds, Metric

    Rule = str | Callable[[Any], str | None]

__all__ = [
    "KNOWN",
    "MOST_COPIES",
    "Authors",
    "NamedPairs",
    "PairListing",
    "Submission",
    "SubmissionPair",
    "check_rule",
    "group_by",
    "omitted_by_author",
    "only_pairs",
    "pairs_of",
    "rows_of",
    "without_marked",
]

MOST_COPIES: Final = 1_000_000
"""Pairs between copies are all listed up to this many; beyond, each copy is listed with the first of its kind only."""
_AUTHORS: Final = ("author_a", "author_b")


class PairListing(NamedTuple):
    """Pairs by the numbers of their documents, sorted, and which pairs of copies are among them."""

    pairs: Pairs
    copies: Literal["all", "first"]


def pairs_of(found: Found, old_from: int | None = None, most: int | None = None) -> PairListing:
    """Return all pairs by number, sorted by a, then b; of two documents from `old_from` on there is none.

    If copies add more than `most`, by default `MOST_COPIES`, each is listed with its first only.
    """
    old = found.documents if old_from is None else old_from
    allowed = MOST_COPIES if most is None else most
    columns, are_all = _native.with_copies(found.classes, found.pairs.columns, old, allowed)
    return PairListing(Pairs(*columns), "all" if are_all else "first")


class NamedPairs:
    """Pairs with the ids of their documents: a table that needs no pyarrow before `to_arrow`.

    Of an old document, which is always b, ``b_old`` tells; the column is there if there were old documents at all.
    """

    def __init__(
        self,
        pairs: Pairs,
        ids: DocumentIds,
        firsts: Sequence[int | None] | None = None,
        author: Callable[[int], str | None] | None = None,
        metric: Metric = "jaccard",
    ) -> None:
        """Take pairs, the ids of all documents, and by what the pairs were scored.

        Perhaps also for each pair the number of the document that was first, and who wrote which document.
        """
        self._scores = score_columns(metric)
        self._pairs, self._ids, self._firsts, self._author = pairs, ids, firsts, author

    def __len__(self) -> int:
        """Return their number."""
        return len(self._pairs)

    @property
    def by_number(self) -> Pairs:
        """The pairs by the numbers of their documents."""
        return self._pairs

    @property
    def column_names(self) -> list[str]:
        """a, b, the scores, ``first`` if it is known who was, and the authors if they are known."""
        first = [] if self._firsts is None else self._ids.names("first")
        authors = [] if self._author is None else list(_AUTHORS)
        return ["a", *self._ids.names("b"), *self._scores, *first, *authors]

    def chunks(self, rows: int) -> Iterator[list[Sequence[Any]]]:
        """Yield the columns, this many rows at a time."""
        for start in range(0, len(self), rows):
            part = slice(start, start + rows)
            a = self._ids.take(self._pairs.values("a")[part])
            b = self._ids.columns("b", self._pairs.values("b")[part].tolist())
            scores = [self._pairs.values(name)[part].tolist() for name in COLUMNS[2:]]
            first = {} if self._firsts is None else self._ids.columns("first", self._firsts[part])
            yield [a, *b.values(), *scores, *first.values(), *self._authors(part)]

    def _authors(self, part: slice) -> list[list[str | None]]:
        if self._author is None:
            return []
        return [[self._author(number) for number in self._pairs.values(side)[part]] for side in COLUMNS[:2]]

    def json_pieces(self, rows: int, between: str) -> Iterator[str]:
        """Yield the pairs as JSON objects, this many at a time, with `between` between them."""
        if self._firsts is not None or self._ids.old is not None or self._author is not None:
            for columns in self.chunks(rows):
                yield between.join(json_rows(self.column_names, [columns]))
            return
        for start in range(0, len(self), rows):
            part = slice(start, start + rows)
            ends = [list(json_values(self._ids.take(self._pairs.values(side)[part]))) for side in COLUMNS[:2]]
            scores = [self._pairs.values(name)[part].tobytes() for name in COLUMNS[2:]]
            yield _native.json_pairs(ends[0], ends[1], self._scores, scores, between)

    def to_pylist(self) -> list[dict[str, Any]]:
        """Return a dict for each pair."""
        names = self.column_names
        every = self.chunks(max(1, len(self)))
        return [dict(zip(names, row, strict=True)) for columns in every for row in zip(*columns, strict=True)]

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table."""
        import pyarrow as pa

        table = self._pairs.table
        columns: dict[str, Any] = {"a": self._ids.new.to_arrow().take(whole(table["a"]))}
        columns |= self._ids.arrow_columns("b", whole(table["b"]))
        columns |= {shown: table[name] for shown, name in zip(self._scores, COLUMNS[2:], strict=True)}
        if self._firsts is not None:
            columns |= self._ids.arrow_columns("first", whole(pa.array(self._firsts, pa.uint32())))
        names = self._authors(slice(None))
        columns |= {name: pa.array(found, pa.large_string()) for name, found in zip(_AUTHORS, names, strict=False)}
        return pa.table(columns)


def only_pairs(result: Result, wanted: Callable[[int, int], bool]) -> Result:
    """Return the result with the pairs whose documents are `wanted`, by their numbers.

    In the new result, copies are separate documents, because a pair of copies may be omitted too.
    """
    found, listed = result._found, result.listed  # noqa: SLF001 — what the result was made of
    kept = listed.select(map(wanted, listed.values("a"), listed.values("b")))
    short = tuple(one.only(wanted) for one in found.short)
    if len(kept) == len(listed) and short == found.short:
        return result
    return result.with_found(replace(Found.of_pairs(result.documents, kept, result.candidates), short=short))


def without_marked(result: Result, marks: Marks) -> Result:
    """Return the result without the pairs that a person has marked as not an issue, as `read_marks` reads them."""
    ids = result.id_of
    return only_pairs(result, lambda a, b: not marks.is_omitted(ids[a], ids[b], b_old=ids.is_old(b)))


# -- authors -----------------------------------------------------------------------------------------------------------

KNOWN: Final = ("author", "label")
"""Columns of the metadata that can name a submission."""
_ALLOWED: Final = "lms, dir, author, label, none, or a regular expression with one group, which is the author"
_LONGEST: Final = 120
"""Characters of a name in a message."""


@dataclass(frozen=True, slots=True)
class Authors:
    """The author of each document, and how many pairs are omitted for it."""

    rule: str
    """As it was given."""
    names: tuple[str, ...]
    of: tuple[int | None, ...]
    """By the numbers of documents, the place of the author in `names`; None if the author is unknown."""
    omitted: int = 0
    """How many pairs had two documents of one author."""

    def name(self, number: int) -> str | None:
        """Return the author of a document."""
        place = self.of[number]
        return None if place is None else self.names[place]

    def key(self, number: int) -> int:
        """Return what tells submissions apart: a document without an author is one of its own."""
        place = self.of[number]
        return -1 - number if place is None else place

    @property
    def are_submissions(self) -> bool:
        """Whether the documents of an author were handed in together; those of one label were not."""
        return self.rule != "label"


@dataclass(frozen=True, slots=True)
class Submission:
    """All documents of one author."""

    name: str
    """The author, or the id of a document that has none."""
    documents: tuple[Any, ...]
    """Their ids."""


@dataclass(frozen=True, slots=True)
class SubmissionPair:
    """Two submissions that share something, with the scores of their closest documents."""

    a: str
    b: str
    jaccard: float
    containment_a: float
    containment_b: float
    pairs: tuple[dict[str, Any], ...]
    """All pairs of their documents, the closest first: ids and scores, a always being of the submission a."""


def check_rule(given: str, called: str = "group_by") -> None:
    """Refuse a rule that is none, before anything is searched."""
    if given in ("lms", "dir", *KNOWN):
        return
    try:
        pattern = re.compile(given)
    except re.error as error:
        allowed = "lms, dir, author, label, none, or a valid regular expression"
        raise RecipeError(called, given, allowed, str(error)) from None
    if pattern.groups != 1:
        raise RecipeError(called, given, _ALLOWED, "put the author in (brackets)")


def group_by(result: Result, rule: Rule, folders: Iterable[str] = (), called: str = "group_by") -> Result:
    """Return the result without the pairs of one author, and with who wrote what; see `Result.group_by`."""
    if isinstance(rule, str):
        check_rule(rule, called)
    if rule == "lms" and not result.platforms:
        result = _recognised(result, called)
    told = _told(result, rule, folders)
    if not any(told):
        raise _no_author(result, rule, called)
    places: dict[str, int] = {}
    of = tuple(None if name is None else places.setdefault(name, len(places)) for name in told)
    authors = Authors(rule if isinstance(rule, str) else "a function", tuple(places), of)
    kept = only_pairs(result, lambda a, b: authors.key(a) != authors.key(b))
    return kept.with_authors(replace(authors, omitted=result.pair_count - kept.pair_count))


def _told(result: Result, rule: Rule, folders: Iterable[str]) -> list[str | None]:
    """Return the author of each document, by its number."""
    if callable(rule):
        return [rule(name) or None for name in result.id_of]
    if rule in ("lms", *KNOWN):
        known = result.metadata_of
        field = "label" if rule == "label" else "author"
        return [getattr(known.get(number), field, None) or None for number in range(result.documents)]
    if rule == "dir":
        above = sorted(map(_plain, folders), key=len, reverse=True)
        return [_folder(str(name), above) for name in result.id_of]
    pattern = re.compile(rule)
    return [(found[1] or None) if (found := pattern.search(str(name))) else None for name in result.id_of]


def _recognised(result: Result, called: str) -> Result:
    """Look again for an export, now that the user says that there is one."""
    from lookalike.documents.lms import recognise  # few searches are of such exports

    export = recognise(result.id_of, result.length_of, certain=True)
    if export is None:
        raise RecipeError(called, "lms", "given with file names of Moodle, Canvas or Blackboard", _sample(result))
    return result.with_export(export)


def _no_author(result: Result, rule: Rule, called: str) -> RecipeError:
    if rule in KNOWN:
        return RecipeError(called, rule, f"a column of the metadata, which has no {rule}")
    if callable(rule):
        return RecipeError(called, "a function", "one that names an author", _sample(result))
    wanted = "used where documents are in folders below PATH" if rule == "dir" else "a pattern that some name has"
    return RecipeError(called, rule, wanted, _sample(result))


def _sample(result: Result) -> str:
    """Return the name of a document, as an example of what a rule is applied to."""
    name = str(result.id_of[0]) if result.documents else ""
    return f"a name is {name if len(name) <= _LONGEST else name[:_LONGEST] + '…'!r}"


def _plain(path: str) -> str:
    return shown_url(path).rstrip("/") if is_url(path) else PurePath(path).as_posix()


def _folder(name: str, above: Iterable[str]) -> str | None:
    """Return the folder right below those that were named.

    >>> _folder("essays/ann/draft/one.txt", ["essays"]), _folder("ann/one.txt", []), _folder("one.txt", [])
    ('ann', 'ann', None)
    """
    for folder in above:
        if name.startswith(f"{folder}/"):
            name = name[len(folder) + 1 :]
            break
    return name.split("/")[0] if "/" in name else None


def omitted_by_author(authors: Authors) -> str:
    """Say which pairs were omitted."""
    whom = {"label": "label", "lms": "student"}.get(authors.rule, "author")
    pairs = count(authors.omitted, "pair")
    return f"{pairs} between documents of one {whom} omitted (--group-by {authors.rule})"


# -- pairs of submissions ----------------------------------------------------------------------------------------------


def rows_of(pairs: Pairs, authors: Authors | None, most: int | None = None) -> tuple[list[list[dict[str, Any]]], int]:
    """Return for each two submissions all pairs of their documents, by number, and how many rows there are in all.

    `pairs` are the closest first, and so are the rows, of which the first `most` are returned. The a of every pair in a
    row is a document of the same submission. Without authors, each pair is a row.
    """
    rows: dict[tuple[int, int], list[dict[str, Any]]] = {}
    others: set[tuple[int, int]] = set()
    for values in zip(*(pairs.values(name) for name in COLUMNS), strict=True):
        a, b = values[:2] if authors is None else map(authors.key, values[:2])
        turned = (b, a) in rows or (b, a) in others
        key = (b, a) if turned else (a, b)
        if key not in rows and (key in others or len(rows) == most):
            others.add(key)
            continue
        pair = dict(zip(COLUMNS, values, strict=True))
        if turned:
            pair |= {"a": pair["b"], "b": pair["a"]}
            pair |= {"containment_a": pair["containment_b"], "containment_b": pair["containment_a"]}
        rows.setdefault(key, []).append(pair)
    return list(rows.values()), len(rows) + len(others)


def submissions(ids: DocumentIds, authors: Authors | None) -> Iterator[Submission]:
    """Yield all submissions, in the order of their first documents; without authors, each document by itself."""
    if authors is None:
        yield from (Submission(str(name), (name,)) for name in ids)
        return
    documents: dict[int, list[Any]] = {}
    for number, name in enumerate(ids):
        documents.setdefault(authors.key(number), []).append(name)
    for key, those in documents.items():
        yield Submission(authors.names[key] if key >= 0 else str(those[0]), tuple(those))


def submission_pairs(ids: DocumentIds, authors: Authors | None, pairs: Pairs) -> Iterator[SubmissionPair]:
    """Yield the pairs of submissions; `pairs` are the closest first."""

    def named(pair: dict[str, Any]) -> dict[str, Any]:
        return pair | {side: ids[pair[side]] for side in "ab"}

    for row in rows_of(pairs, authors)[0]:
        a, b = ((authors and authors.name(row[0][side])) or str(ids[row[0][side]]) for side in "ab")
        scores = {name: row[0][name] for name in COLUMNS[2:]}
        yield SubmissionPair(a, b, **scores, pairs=tuple(map(named, row)))
