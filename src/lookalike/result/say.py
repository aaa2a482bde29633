"""What is said of a result: the line that closes a run, and the head of its JSON, by the schema ``lookalike/1``."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from lookalike.documents.metadata import first_of
from lookalike.documents.skipped import skipped_words
from lookalike.recipe import UNIT_NAMES
from lookalike.result.authors import submission_pairs
from lookalike.result.pairs import NamedPairs
from lookalike.result.recall import recall_of
from lookalike.result.texts import left_out_of
from lookalike.tables.found import COLUMNS, score_columns
from lookalike.tables.wording import count, duration

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lookalike.documents import Flag
    from lookalike.engine.groups import Group
    from lookalike.recipe import Recipe
    from lookalike.result.result import Result
    from lookalike.tables.found import Pairs
    from lookalike.text.uncounted import Uncounted

__all__ = ["described", "group_dict", "head", "short_pairs", "summary"]

SCHEMA: Final = "lookalike/1"
"""The name and version of what `Result.to_dict` gives."""
REASONS: Final = ("quotes", "references", "template", "common")


def summary(result: Result) -> str:
    """Return the closing line of a run.

    >>> import lookalike as la
    >>> summary(la.find(["one two three", "one two three!", ""])).rpartition(" · ")[0]
    '3 documents · 1 pair ≥ 0.80 in 1 group · scores exact · recall 1 of pairs at or above the threshold'
    """
    new = result.documents if result.old_from is None else result.old_from
    documents = count(new, "document")
    if said := skipped_words(result.skipped):
        documents += f" ({said})"
    if result.old_from is not None:
        documents += f" against {result.documents - new:,} old"
    threshold = f"{result.threshold:.2f}" if round(result.threshold, 2) == result.threshold else f"{result.threshold:g}"
    pairs = f"{count(result.pair_count, 'pair')} ≥ {threshold} in {count(result.group_count, 'group')}"
    if result.copies_listed == "first":
        pairs += " (copies listed with their first only)"
    if result.bands is not None:
        pairs += f" · {count(result.candidates, 'candidate pair')}"
    took = duration(result.seconds)
    if "audit" in result.timings:
        took += f", {duration(result.timings['audit'])} of them the audit"
    return " · ".join((documents, pairs, "scores exact", recall_of(result.recall), took))


def short_pairs(uncounted: Uncounted, recipe: Recipe) -> list[str]:
    """Return the sentence about pairs that share only short passages, if there were any.

    >>> from lookalike.recipe import Recipe
    >>> from lookalike.text.uncounted import Uncounted
    >>> short_pairs(Uncounted(min_words=12, short_pairs=1), Recipe()), short_pairs(Uncounted(), Recipe())
    (['1 pair is alike only with passages shorter than 12 words, and left out'], [])
    """
    if not (lost := uncounted.short_pairs):
        return []
    unit = f"{UNIT_NAMES[recipe.unit]}s"
    those = "1 pair is" if lost == 1 else f"{lost:,} pairs are"
    return [f"{those} alike only with passages shorter than {uncounted.min_words} {unit}, and left out"]


def head(result: Result, pairs: NamedPairs) -> dict[str, Any]:
    """Return settings, counts, and what is known of the documents of these pairs."""
    return {
        "schema": SCHEMA,
        "recipe": result.recipe.to_dict(),
        "threshold": result.threshold,
        "method": result.method,
        "metric": result.metric,
        "recall": {"promised": result.recall.promised, "measured": result.recall.measured}
        | ({} if result.recall.jaccard is None else {"jaccard": result.recall.jaccard}),
        "bands": None if result.bands is None else {"bands": result.bands.bands, "rows": result.bands.rows},
        "candidates": result.candidates,
        "documents": result.documents,
        "skipped": [{"id": skipped.id, "reason": skipped.reason} for skipped in result.skipped],
        "flags": [*_flags(result, result.flags, old=False), *_flags(result, result.old_flags, old=True)],
        "skip": list(result.uncounted.skip),
        "min_words": result.uncounted.min_words,
        "left_out": _left_out(result, pairs),
        "metadata": [_named(result, number) | values.to_dict() for number, values in result.metadata_of.items()],
        **_submissions(result, pairs),
    }


def _submissions(result: Result, pairs: NamedPairs) -> dict[str, Any]:
    """Return the pairs of submissions that these pairs are in, if it is known who wrote what."""
    authors = result.authors
    if authors is None or not authors.are_submissions:
        return {}
    found = submission_pairs(result.id_of, authors, pairs.by_number.closest(len(pairs), result.metric))
    names = zip(("a", "b", *score_columns(result.metric)), COLUMNS, strict=True)
    scores = {shown: attrgetter(name) for shown, name in names}
    each = ({shown: value(one) for shown, value in scores.items()} | {"pairs": len(one.pairs)} for one in found)
    return {"submissions": list(each)}


def _left_out(result: Result, pairs: NamedPairs) -> list[dict[str, Any]]:
    """Return how many words of each document did not count; of the documents of these pairs that have such words."""
    if not result.ignored and not result.uncounted.skip:
        return []
    listed = pairs.by_number
    found = left_out_of(result, {*listed.values("a"), *listed.values("b")})
    return [_named(result, one) | {reason: found[one].get(reason, 0) for reason in REASONS} for one in sorted(found)]


def _named(result: Result, number: int) -> dict[str, Any]:
    """Return the id of a document and, where there are old ones, whether it is one."""
    ids = result.id_of
    return {"id": ids[number]} | ({} if ids.old is None else {"id_old": ids.is_old(number)})


def _flags(result: Result, flags: Mapping[str, Sequence[Flag]], *, old: bool) -> Iterator[dict[str, Any]]:
    for name, found in flags.items():
        named = {"id": name} | ({} if result.id_of.old is None else {"id_old": old})
        yield from (named | {"kind": flag.kind, "detail": flag.detail, "count": flag.count} for flag in found)


def group_dict(group: Group) -> dict[str, Any]:
    """Return a group as JSON has it; with old documents it tells which they are."""
    if not group.members_old:
        return {"principal": group.principal, "members": list(group.members)}
    return {
        "principal": group.principal,
        "principal_old": group.principal_old,
        "members": list(group.members),
        "members_old": list(group.members_old),
    }


def described(result: Result, pairs: Pairs) -> NamedPairs:
    """Return the pairs with their ids, and columns that name the authors and the older document, if they are known."""
    known, authors = result.metadata_of, result.authors
    names = None if authors is None or not authors.are_submissions else authors.name
    if not any(values.date for values in known.values()):
        return NamedPairs(pairs, result.id_of, author=names, metric=result.metric)
    firsts = [
        {"a": a, "b": b}.get(first_of(known.get(a), known.get(b)) or "")
        for a, b in zip(pairs.values("a"), pairs.values("b"), strict=True)
    ]
    return NamedPairs(pairs, result.id_of, firsts, author=names, metric=result.metric)
