"""The files that go with a report: marks, and the key to a page without names.

Marks are what a person decided about pairs while reading a report; the next scan hears them. On a page without names,
documents are called "Document 07", and the key, which is kept apart, says who they are. Documents are numbered by the
digests of their texts, so that the same collection always gets the same numbers and the order tells nothing of the
names. Names that ids, paths and metadata tell are blacked out in the texts as well.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import reprlib
import unicodedata
from collections import defaultdict
from dataclasses import dataclass, field
from graphlib import TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lookalike.errors import DocumentError, suggest
from lookalike.opening import is_url
from lookalike.report.collect import ReportPage, digest_of
from lookalike.tables.output_files import new_file
from lookalike.tables.spelling import parse_json
from lookalike.tables.write_table import CsvWriter

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

__all__ = [
    "CHECKED",
    "MARKS",
    "NOT_AN_ISSUE",
    "SCHEMA",
    "KeyRow",
    "Mark",
    "Marks",
    "anonymised",
    "key_path",
    "read_marks",
    "write_key",
]

# -- marks -------------------------------------------------------------------------------------------------------------

SCHEMA: Final = "lookalike-marks/1"
CHECKED: Final = "checked"
NOT_AN_ISSUE: Final = "not an issue"
MARKS: Final = (CHECKED, NOT_AN_ISSUE)
_REMEDY: Final = "export the marks again from the report"


@dataclass(frozen=True, slots=True)
class Mark:
    """What was decided about a pair."""

    mark: str = ""
    """``checked``, ``not an issue``, or nothing if there is only a note."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks of pairs; which of the two documents comes first does not matter.

    >>> marks = Marks({("a.txt", "b.txt"): Mark("not an issue", "one author")})
    >>> marks.of("b.txt", "a.txt")
    Mark(mark='not an issue', note='one author')
    >>> marks.is_omitted("a.txt", "b.txt"), marks.is_omitted("a.txt", "c.txt")
    (True, False)
    """

    pairs: Mapping[tuple[str, str], Mark] = field(default_factory=dict)
    """By the ids of the two documents as text, the lesser one first."""
    with_old: Mapping[tuple[str, str], Mark] = field(default_factory=dict)
    """Marks of a document and an old one (`find(…, against=…)`), by the ids of the two in this order."""

    def __len__(self) -> int:
        """Return how many pairs have a mark or a note."""
        return len(self.pairs) + len(self.with_old)

    def of(self, a: object, b: object, *, b_old: bool = False) -> Mark | None:
        """Return the mark of a pair; `b_old` says that b is an old document."""
        return self.with_old.get((str(a), str(b))) if b_old else self.pairs.get(_key(str(a), str(b)))

    def is_omitted(self, a: object, b: object, *, b_old: bool = False) -> bool:
        """Return whether a pair is marked as not an issue, and so omitted."""
        mark = self.of(a, b, b_old=b_old)
        return mark is not None and mark.mark == NOT_AN_ISSUE

    def to_dict(self) -> dict[str, Any]:
        """Return the marks as the file has them."""
        pairs: list[dict[str, Any]] = []
        for marks, old in ((self.pairs, {}), (self.with_old, {"b_old": True})):
            pairs += [{"a": a, "b": b} | old | {"mark": one.mark, "note": one.note} for (a, b), one in marks.items()]
        return {"schema": SCHEMA, "pairs": pairs}


def read_marks(path: str | os.PathLike[str]) -> Marks:
    """Read marks from the file that a report exported; anything else is a `DocumentError` that says where."""
    from lookalike.documents.text_file import read_small

    source = os.fspath(path)
    try:
        given = parse_json(read_small(source, _REMEDY))
    except DocumentError:
        raise
    except json.JSONDecodeError as error:
        raise DocumentError(source, f"line {error.lineno}", f"is not JSON ({error.msg})", _REMEDY) from None
    except ValueError as error:
        raise DocumentError(source, "file", f"is not JSON ({error})", _REMEDY) from None
    _check_schema(given.get("schema") if isinstance(given, dict) else None, source)
    if not isinstance(given.get("pairs"), list):
        raise DocumentError(source, "file", "has no list of pairs", _REMEDY)
    listed = list(_marked_pairs(given["pairs"], source))
    return Marks({_key(*ends): mark for ends, old, mark in listed if not old}, {e: m for e, old, m in listed if old})


def _check_schema(schema: object, source: str) -> None:
    if schema == SCHEMA:
        return
    if isinstance(schema, str) and schema.startswith("lookalike-marks/"):
        problem = f"has the form {schema[:40]}, and this version of lookalike reads {SCHEMA}"
        raise DocumentError(source, "file", problem, "update lookalike")
    raise DocumentError(source, "file", "has no marks of lookalike", _REMEDY)


def _marked_pairs(given: list[Any], source: str) -> Iterator[tuple[tuple[str, str], bool, Mark]]:
    """Yield the ids of each pair, whether the second document is an old one, and the mark."""
    for number, pair in enumerate(given, start=1):
        place = f"pair {number}"
        if not isinstance(pair, dict) or any(type(pair.get(side)) not in (str, int) for side in "ab"):
            raise DocumentError(source, place, "does not name two documents, a and b", _REMEDY)
        mark, note = ("" if pair.get(name) is None else pair[name] for name in ("mark", "note"))
        if not isinstance(note, str):
            raise DocumentError(source, place, "has a note that is not text", _REMEDY)
        if mark not in ("", *MARKS):
            remedy = suggest(mark, MARKS) or f"the marks are {CHECKED!r} and {NOT_AN_ISSUE!r}"
            raise DocumentError(source, place, f"has the mark {reprlib.repr(mark)}", remedy)
        if not isinstance(old := pair.get("b_old", False), bool):
            raise DocumentError(source, place, "has a b_old that is neither true nor false", _REMEDY)
        yield (str(pair["a"]), str(pair["b"])), old, Mark(mark, note)


def _key(a: str, b: str) -> tuple[str, str]:
    return (a, b) if a <= b else (b, a)


# -- a page without names ----------------------------------------------------------------------------------------------

_WORD: Final = re.compile(r"[^\W_]+")
_HEAD: Final = (
    *("schema", "kind", "made", "version", "summary", "threshold", "low", "searched", "metric", "method", "linkage"),
    *("recall", "oldFrom", "pairCount", "copies", "groupCount", "minWords", "reasons", "leftOutOfScores", "recipe"),
    *("short", "recipeText", "recipeDigest", "unit", "least", "limits", "limited", "leftOut"),
)
"""What is said of the search and has no names in it. Anything not listed here, or below, is dropped."""
_COLUMNS: Final = ("length", "units", "sha256", "flags")
"""The same of each document."""
_SHORTEST: Final = {"author": 2, "id": 3}
"""Letters that a part of a name has at least; an initial would black out half of a text."""


class KeyRow(NamedTuple):
    """Who a document is."""

    document: str
    id: str
    name: str
    author: str


def anonymised(page: ReportPage) -> tuple[ReportPage, list[KeyRow]]:
    """Return the page without any name, and the key to it."""
    head, columns = page.head, page.head["documents"]
    count = len(columns["id"])
    numbers = _numbers(columns, head["oldFrom"])
    places = sorted(range(count), key=numbers.__getitem__)
    names = [f"Document {number + 1:0{len(str(count))}}" for number in range(count)]
    known = [columns.get(name) or [""] * count for name in ("name", "author")]
    key = [
        KeyRow(names[new], str(columns["id"][old]), *(column[old] or "" for column in known))
        for new, old in enumerate(places)
    ]
    documents: dict[str, list[Any]] = {"id": names}
    documents |= {name: [columns[name][old] for old in places] for name in _COLUMNS if name in columns}
    if "flags" in documents:  # what they say may quote the document
        documents["flags"] = [[[kind, ""] for kind, _ in flags] for flags in documents["flags"]]
    pairs, turned = _pairs(head["pairs"], numbers, page.body["back"].keys())
    made = {name: head[name] for name in _HEAD} | {
        "anonymous": True,
        "title": "A collection of documents",
        "command": "",
        "notes": [],
        "problem": head["problem"] and "Some texts could not be read again, so some passages cannot be shown.",
        "skipped": [[f"Skipped {place}", reason, ""] for place, (_, reason, _) in enumerate(head["skipped"], start=1)],
        "pairsLeftOut": ["some pairs, by rules that name files or people"] if head["pairsLeftOut"] else [],
        "order": _order(head, numbers),
        "submissions": _submissions(head.get("submissions"), places),
        "documents": documents,
        "pairs": pairs,
        "digest": digest_of(documents["sha256"]) if "sha256" in documents and all(documents["sha256"]) else "",
        "marks": list(_marks(head, numbers, names)),
    }
    return ReportPage(made, _body(page.body, numbers, turned, _Names(columns, page.body["texts"].values()))), key


def _numbers(columns: Mapping[str, Any], old_from: int | None) -> list[int]:
    """Return the new number of each document: new documents first, each side by the digests of the texts."""
    ids = columns["id"]
    digests = columns.get("sha256") or [None] * len(ids)
    hashed = (hashlib.sha256(str(own).encode("utf-8", "surrogatepass")).hexdigest() for own in ids)
    known = [digest or instead for digest, instead in zip(digests, hashed, strict=True)]
    border = len(ids) if old_from is None else old_from
    order = sorted(range(len(ids)), key=lambda old: (old >= border, known[old], str(ids[old])))
    numbers = [0] * len(ids)
    for new, old in enumerate(order):
        numbers[old] = new
    return numbers


def _pairs(
    given: Mapping[str, list[Any]], numbers: Sequence[int], kept: Collection[int]
) -> tuple[dict[str, list[Any]], list[bool]]:
    """Return the pairs with the new numbers, the lesser first, and for each whether its documents changed sides.

    Those at the places in `kept` stay: their passages are not the same from both sides.
    """
    ends = [(numbers[a], numbers[b]) for a, b in zip(given["a"], given["b"], strict=True)]
    turned = [a > b and place not in kept for place, (a, b) in enumerate(ends)]
    ends = [(b, a) if turn else (a, b) for (a, b), turn in zip(ends, turned, strict=True)]
    both = [
        (in_a, in_b) if turn else (in_b, in_a)
        for in_b, in_a, turn in zip(given["containment_a"], given["containment_b"], turned, strict=True)
    ]
    columns = {"a": [a for a, _ in ends], "b": [b for _, b in ends], "jaccard": list(given["jaccard"])}
    return columns | {"containment_a": [one for one, _ in both], "containment_b": [other for _, other in both]}, turned


def _order(head: Mapping[str, Any], numbers: Sequence[int]) -> list[int]:
    """Return an order of the documents in which the page forms the clusters of the search, and which reveals no names.

    Clusters depend on which of two representatives comes first, if a document is similar to both. So these go before
    all others, and only such two are kept in their order.
    """
    given = head["pairs"]
    border = len(numbers) if head["oldFrom"] is None else head["oldFrom"]
    partners: defaultdict[int, list[int]] = defaultdict(list)
    taken: dict[int, int] = {}
    for a, b in list(zip(given["a"], given["b"], strict=True))[: min(head["pairCount"], head["short"]["from"])]:
        if max(a, b) >= border:  # a document that is similar to an old one joins it
            taken[min(a, b)] = max(a, b)
            continue
        partners[a].append(b)
        partners[b].append(a)
    principals = []
    for document in range(len(numbers)) if head["order"] is None else head["order"]:
        if document in partners and document not in taken:
            principals.append(document)
            taken |= {other: document for other in (document, *partners[document]) if other not in taken}
    ways = {
        (numbers[other], numbers[taken[document]])
        for document, others in partners.items()
        for other in others
        if taken.get(other) == other and taken[document] < border and taken[document] != other
    }
    sorter: TopologicalSorter[int] = TopologicalSorter(dict.fromkeys(sorted(map(numbers.__getitem__, principals)), ()))
    for later, sooner in sorted(ways):
        sorter.add(later, sooner)
    first = list(sorter.static_order())
    return [*first, *sorted(set(numbers).difference(first))]


def _submissions(given: Mapping[str, Any] | None, places: Sequence[int]) -> dict[str, Any] | None:
    """Return which documents have one author, who is called by them: that is what the key tells."""
    if given is None:
        return None
    own: dict[int, list[int]] = {}
    for new, old in enumerate(places):
        if given["of"][old] is not None:
            own.setdefault(given["of"][old], []).append(new)
    digits = len(str(len(places)))
    of: list[int | None] = [None] * len(places)
    names: list[str] = []
    for documents in own.values():
        for document in documents:
            of[document] = len(names)
        listed = ", ".join(f"{document + 1:0{digits}}" for document in documents)
        names.append(f"Document{'s' if len(documents) > 1 else ''} {listed}")
    return {"names": names, "of": of}


def _body(body: Mapping[str, Any], numbers: Sequence[int], turned: Sequence[bool], names: _Names) -> dict[str, Any]:
    def moved(by_document: Mapping[int, Any]) -> dict[int, Any]:
        return {numbers[old]: value for old, value in sorted(by_document.items(), key=lambda one: numbers[one[0]])}

    def swapped(flat: list[int], turn: bool, size: int) -> list[int]:
        """Change the sides of each run: a, a, b, b of characters; a, b, length of units."""
        if not turn:
            return flat
        orders = {4: (2, 3, 0, 1), 3: (1, 0, 2)}
        return [flat[at + place] for at in range(0, len(flat), size) for place in orders[size]]

    return {
        "texts": {number: names.blacked_out(text) for number, text in moved(body["texts"]).items()},
        "spans": moved(body["spans"]),
        "masked": moved(body["masked"]),
        "letters": moved(body["letters"]),
        "blocks": [
            [[units, swapped(places, turn, 4), *masks] for units, places, *masks in blocks]
            for blocks, turn in zip(body["blocks"], turned, strict=True)
        ],
        "back": body["back"],
        "runs": [[swapped(run, turn, 3) for run in runs] for runs, turn in zip(body["runs"], turned, strict=True)],
        "shared": [
            [[[numbers[old], *place] for old, *place in places], blocks, sorted(numbers[old] for old in others)]
            for places, blocks, others in body["shared"]
        ],
    }


def _marks(head: Mapping[str, Any], numbers: Sequence[int], names: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the marks of documents that are here, without notes: a note may name somebody."""
    old_from = len(numbers) if head["oldFrom"] is None else head["oldFrom"]
    sides: tuple[dict[str, str], dict[str, str]] = ({}, {})
    for old, own in enumerate(head["documents"]["id"]):
        sides[old >= old_from][str(own)] = names[numbers[old]]
    for mark in head["marks"]:
        a, b = sides[0].get(str(mark["a"])), sides[bool(mark.get("b_old"))].get(str(mark["b"]))
        if a is not None and b is not None and mark["mark"]:
            yield mark | {"a": a, "b": b, "note": ""}


class _Names:
    """Words that are names: parts of authors, and parts of ids that no text has in small letters."""

    def __init__(self, columns: Mapping[str, Any], texts: Iterable[str]) -> None:
        self._words = set(_parts(columns.get("author") or (), _SHORTEST["author"]))
        others = set(_parts([*columns["id"], *(columns.get("name") or ())], _SHORTEST["id"])) - self._words
        usual: set[str] = set()
        for text in texts if others else ():
            usual.update(_folded(word) for word in _WORD.findall(text) if word.islower())
        self._words |= others - usual

    def blacked_out(self, text: str) -> str:
        """Return the text with bars in the place of names; JavaScript counts as many characters as before."""
        return _WORD.sub(lambda found: self._bar(found[0]), text) if self._words else text

    def _bar(self, word: str) -> str:
        if word.islower() or _folded(word) not in self._words:
            return word
        return "█" * (len(word) + sum(letter > "\uffff" for letter in word))


def _parts(names: Iterable[Any], shortest: int) -> Iterator[str]:
    for name in names:
        for word in _WORD.findall(str(name or "")):
            if len(word) >= shortest and not word.isdigit():
                yield _folded(word)


def _folded(word: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", word.casefold()) if not unicodedata.combining(c))


def key_path(path: str | os.PathLike[str]) -> str:
    """Return where the key of a report goes: beside it.

    >>> key_path("out/report.html")
    'out/report.key.csv'
    """
    return re.sub(r"\.html?$", "", os.fspath(path), flags=re.IGNORECASE) + ".key.csv"


def write_key(key: Sequence[KeyRow], path: str | os.PathLike[str]) -> None:
    """Write the key as CSV, for its owner's eyes alone."""
    if not is_url(path) and Path(path).is_file():
        Path(path).chmod(0o600)  # a file that is there keeps its permissions
    with new_file(path, private=True) as stream:
        table = CsvWriter(stream, KeyRow._fields)
        table.write_columns(list(zip(*key, strict=True)) if key else [[] for _ in KeyRow._fields])
