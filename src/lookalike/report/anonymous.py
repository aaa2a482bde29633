"""A page without names: documents are called "Document 07", and a key that is kept apart says who they are.

Documents are numbered by the digests of their texts, so that the same collection always gets the same numbers and the
order tells nothing of the names. Names that ids, paths and metadata tell are blacked out in the texts as well.
"""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from collections import defaultdict
from graphlib import TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lookalike.report.collect import ReportPage, digest_of
from lookalike.tables.output_files import new_file
from lookalike.tables.write_table import CsvWriter
from lookalike.urls import is_url

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

__all__ = ["KeyRow", "anonymised", "key_path", "write_key"]

_WORD: Final = re.compile(r"[^\W_]+")
_HEAD: Final = (
    *("schema", "kind", "made", "version", "summary", "threshold", "low", "searched", "metric", "method", "linkage"),
    *("recall", "oldFrom", "pairCount", "copies", "groupCount", "minWords", "reasons", "leftOutOfScores", "recipe"),
    *("recipeText", "recipeDigest", "unit", "least", "limits", "leftOut"),
)
"""What is said of the search and has no names in it. Whatever is not listed here, or below, is left out."""
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
    """Return an order of the documents in which the page forms the groups of the search, and which tells no names.

    Groups depend on which of two principals comes first, where a document is like both. So principals go before all
    others, and only such two are kept in their order.
    """
    given = head["pairs"]
    border = len(numbers) if head["oldFrom"] is None else head["oldFrom"]
    partners: defaultdict[int, list[int]] = defaultdict(list)
    taken: dict[int, int] = {}
    for a, b in list(zip(given["a"], given["b"], strict=True))[: head["pairCount"]]:
        if max(a, b) >= border:  # who is like an old document belongs to it
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
