"""What is said of a result: the line that closes a run, its JSON by the schema ``lookalike/1``, and files of pairs.

The texts of the few documents that are described are read again.
"""

from __future__ import annotations

from array import array
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from lookalike import _native
from lookalike.documents.document_batches import skipped_words
from lookalike.errors import LookalikeError, RecipeError
from lookalike.recipe import UNIT_NAMES
from lookalike.result.pairs import NamedPairs, submission_pairs
from lookalike.result.view import recall_of
from lookalike.tables.columns import COLUMNS, score_columns
from lookalike.tables.output_files import opened
from lookalike.tables.spelling import BETWEEN, count, duration, json_values, write_json
from lookalike.text.excluded import EXCLUDED_IN_B, exclude, excluded_spans
from lookalike.text.excluded import excluded_words as count_excluded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from lookalike.documents import Flag, Source
    from lookalike.engine.groups import Group
    from lookalike.recipe import Recipe
    from lookalike.result import Result
    from lookalike.tables.columns import Found, Metric, Pairs
    from lookalike.tables.output_files import Target
    from lookalike.text.excluded import Exclusions

__all__ = [
    "described",
    "excluded_words",
    "excluded_words_of",
    "group_dict",
    "head",
    "measured",
    "scored",
    "short_pairs",
    "shortest",
    "summary",
    "texts_of",
    "without_excluded",
    "write_pairs",
]

_CHARACTERS: Final = 100_000_000
"""Of texts that are held at a time while pairs are scored once more."""
SCHEMA: Final = "lookalike/1"
"""The name and version of what `Result.to_dict` gives."""
REASONS: Final = ("quotes", "references", "template", "common")


def summary(result: Result) -> str:
    """Return the closing line of a run.

    >>> import lookalike as la
    >>> summary(la.find(["one two three", "one two three!", ""])).rpartition(" · scores")[0]
    '3 documents (1 without words) · 1 pair ≥ 0.80 in 1 cluster'
    """
    new = result.documents if result.old_from is None else result.old_from
    documents = count(new, "document")
    if said := skipped_words(result.skipped):
        documents += f" ({said})"
    if result.old_from is not None:
        documents += f" against {result.documents - new:,} old"
    threshold = f"{result.threshold:.2f}" if round(result.threshold, 2) == result.threshold else f"{result.threshold:g}"
    pairs = f"{count(result.pair_count, 'pair')} ≥ {threshold} in {count(result.group_count, 'cluster')}"
    if result.copies_listed == "first":
        pairs += " (copies listed with their first only)"
    if result.bands is not None:
        pairs += f" · {count(result.candidates, 'candidate pair')}"
    took = duration(result.seconds)
    if "audit" in result.timings:
        took += f", {duration(result.timings['audit'])} of them the audit"
    return " · ".join((documents, pairs, "scores exact", recall_of(result.recall), took))


def short_pairs(result: Result) -> list[str]:
    """Return the sentences about pairs that share only short passages, if there are any.

    >>> import lookalike as la
    >>> texts = ["one two three four X five six seven eight", "one two three four Y five six seven eight"]
    >>> short_pairs(la.find(texts, 0.3, recipe=la.Recipe(k=3), min_words=5))[0].partition(":")[0]
    '1 pair is similar only in passages shorter than 5 words'
    """
    short, unscored, said = result.listed_short, result.short_unscored, []
    if short.count:
        those = (
            f"{count(short.count, 'pair')}{'' if short.threshold >= result.threshold else f' ≥ {short.threshold:g}'}"
        )
        named = "named" if len(short.pairs) == short.count else f"the {len(short.pairs):,} closest are named"
        only = f"{'is' if short.count == 1 else 'are'} similar only in passages shorter than"
        least = shortest(result.exclusions, result.recipe)
        said.append(f"{those} {only} {least}: not counted, but {named} in the table, in JSON and in the report")
    if unscored:
        was = "pair below it was" if unscored == 1 else "pairs below it were"
        scored_so = f"{unscored:,} {was} not scored with shorter passages"
        said.append(
            f"the threshold was raised to {result.threshold:g}: {scored_so}; search again at it to name all such pairs"
        )
    return said


def shortest(exclusions: Exclusions, recipe: Recipe) -> str:
    """Return the shortest passage that counts, in words."""
    return "" if exclusions.min_words is None else f"{exclusions.min_words:,} {UNIT_NAMES[recipe.unit]}s"


def head(result: Result, pairs: NamedPairs) -> dict[str, Any]:
    """Return settings, counts, and what is known of the documents of these pairs."""
    return {
        "schema": SCHEMA,
        "recipe": result.recipe.to_dict(),
        "threshold": result.threshold,
        "method": result.method,
        "metric": result.metric,
        "recall": {
            "of": "clusters" if result.limited else "pairs",
            "promised": result.recall.promised,
            "measured": result.recall.measured,
        }
        | ({} if result.recall.jaccard is None else {"jaccard": result.recall.jaccard}),
        "bands": None if result.bands is None else {"bands": result.bands.bands, "rows": result.bands.rows},
        "candidates": result.candidates,
        "documents": result.documents,
        "limited": result.limited,
        "copies_listed": result.copies_listed,
        "notes": list(result.notes),
        "skipped": [{"id": skipped.id, "reason": skipped.reason} for skipped in result.skipped],
        "flags": [*_flags(result, result.flags, old=False), *_flags(result, result.old_flags, old=True)],
        "skip": list(result.exclusions.skip),
        "min_words": result.exclusions.min_words,
        "short_passages": _short_passages(result),
        "left_out": _excluded(result, pairs),
        "metadata": [_named(result, number) | values.to_dict() for number, values in result.metadata_of.items()],
        **_submissions(result, pairs),
    }


def _short_passages(result: Result) -> dict[str, Any]:
    """Return the pairs that share only passages that are too short to count, scored as if they counted."""
    short = result.listed_short
    return {"threshold": short.threshold, "count": short.count, "pairs": described(result, short.pairs).to_pylist()}


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


def _excluded(result: Result, pairs: NamedPairs) -> list[dict[str, Any]]:
    """Return how many words of each document of these pairs are excluded, if any are."""
    if not result.excluded_shingles and not result.exclusions.skip:
        return []
    listed = pairs.by_number
    found = excluded_words_of(result, {*listed.values("a"), *listed.values("b")})
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
    """Return a cluster as JSON has it; with old documents it says which they are."""
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
    from lookalike.documents.metadata import first_of  # few searches know dates

    firsts = [
        {"a": a, "b": b}.get(first_of(known.get(a), known.get(b)) or "")
        for a, b in zip(pairs.values("a"), pairs.values("b"), strict=True)
    ]
    return NamedPairs(pairs, result.id_of, firsts, author=names, metric=result.metric)


def texts_of(result: Result, wanted: Iterable[int]) -> dict[int, str]:
    """Return the texts of the wanted documents, by their numbers; those that cannot be read any more are missing."""
    numbers, lengths = sorted(set(wanted)), result.length_of
    if result.source is None or lengths is None or not numbers:
        return {}
    found: dict[int, str] = {}
    try:
        for those, texts in result.source.fetch(numbers):
            read = zip(those, texts, strict=True)
            found |= {number: text for number, text in read if len(text) == lengths[number]}
    except (LookalikeError, OSError):  # the source is gone: what was found stays true without its text
        return found
    return found


def scored(
    found: Found, source: Source, lengths: Sequence[int], recipe: Recipe, threshold: float, metric: Metric
) -> Found:
    """Return what a search by Jaccard found, scored by another measure, without the pairs below its threshold.

    The texts are read again, some at a time. Copies have the same shingles as often: any measure finds them equal.
    """
    pairs = found.pairs
    scores = array("d")
    for those in _portions(list(zip(pairs.values("a"), pairs.values("b"), strict=True)), lengths):
        wanted = sorted({number for pair in those for number in pair})
        texts = {n: text for numbers, read in source.fetch(wanted) for n, text in zip(numbers, read, strict=True)}
        scores.extend(_similarity(metric, texts[a], texts[b], recipe) for a, b in those)
    return found.with_pairs(replace(pairs, jaccard=scores.tobytes()).at_least(threshold, metric))


def _similarity(metric: Metric, a: str, b: str, recipe: Recipe) -> float:
    """Return the cosine, or 1 / (1 + d) of the Euclidean distance d, of two vectors of counts: both from 0 to 1."""
    from lookalike.text.measures import cosine, euclidean

    return cosine(a, b, recipe=recipe) if metric == "cosine" else 1.0 / (1.0 + euclidean(a, b, recipe=recipe))


def _portions(pairs: list[tuple[int, int]], lengths: Sequence[int]) -> Iterator[list[tuple[int, int]]]:
    """Cut pairs into runs whose texts can be held at a time."""
    start, held, size = 0, set[int](), 0
    for place, pair in enumerate(pairs):
        new = set(pair) - held
        held |= new
        size += sum(lengths[number] for number in new)
        if size > _CHARACTERS:
            yield pairs[start : place + 1]
            start, held, size = place + 1, set(), 0
    if pairs[start:]:
        yield pairs[start:]


def measured(result: Result, measure: str) -> pa.Table:
    """Return the pairs with the cosine or the Euclidean distance of their counts of shingles, the closest first."""
    import pyarrow as pa

    from lookalike.text.measures import cosine, euclidean

    known = {"cosine": cosine, "euclidean": euclidean}
    if measure not in known:
        raise RecipeError("measure", measure, "'cosine' or 'euclidean'")
    compute = known[measure]
    listed = result.listed
    numbers = list(zip(listed.values("a"), listed.values("b"), strict=True))
    texts = texts_of(result, {number for pair in numbers for number in pair})
    values = [
        compute(texts[a], texts[b], recipe=result.recipe) if a in texts and b in texts else None for a, b in numbers
    ]
    table = result.pairs if measure not in result.pairs.column_names else result.pairs.drop_columns(measure)
    return table.append_column(measure, pa.array(values, pa.float64())).sort_by(
        [(measure, "descending" if measure == "cosine" else "ascending")]
    )


def excluded_words_of(result: Result, wanted: Iterable[int]) -> dict[int, dict[str, int]]:
    """Return how many words of each document are excluded, by reason; documents without such words are not listed."""
    if not result.excluded_shingles and not result.exclusions.skip:
        return {}
    return excluded_words(result, texts_of(result, wanted))


def without_excluded(result: Result, a: str, b: str) -> tuple[str, str]:
    """Return two texts of a result, as long as before, with excluded text replaced by a mark."""
    ignored, templates = frozenset(result.excluded_shingles), frozenset(result.exclusions.templates)
    if not ignored and not result.exclusions.skip:
        return a, b
    of_a, of_b = (excluded_spans(text, result.recipe, result.exclusions.skip, ignored, templates) for text in (a, b))
    return exclude(a, of_a), exclude(b, of_b, EXCLUDED_IN_B)


def excluded_words(result: Result, texts: Mapping[int, str]) -> dict[int, dict[str, int]]:
    """Return for each text how many words are excluded, by reason: quotes, references, template, common."""
    exclusions = result.exclusions
    ignored, templates = frozenset(result.excluded_shingles), frozenset(exclusions.templates)
    if not ignored and not exclusions.skip:
        return {}
    counted = {
        number: count_excluded(text, excluded_spans(text, result.recipe, exclusions.skip, ignored, templates))
        for number, text in texts.items()
    }
    return {number: words for number, words in counted.items() if words}


def write_pairs(
    result: Result,
    target: Target,
    format: str,  # noqa: A002 — the public name
    *,
    top: int | None,
    raw_csv: bool,
) -> None:
    """Write the pairs, or the `top` most similar ones; as json, all of `Result.to_dict`."""
    from lookalike.tables.write_table import ROWS, write_table  # a run that only prints a table needs no writers

    pairs = described(result, result.listed if top is None else result.closest(top))
    if format == "jsonl":
        with opened(target) as stream:
            stream.writelines(piece.encode() + b"\n" for piece in pairs.json_pieces(ROWS, "\n"))
    elif format != "json":
        write_table(target, pairs, format, raw_csv=raw_csv)
    else:
        lists = {"pairs": pairs.json_pieces(ROWS, BETWEEN), "groups": _group_pieces(result, ROWS)}
        with opened(target) as stream:
            write_json(stream, head(result, pairs), lists)


def _group_pieces(result: Result, most: int) -> Iterator[str]:
    """Yield the clusters as JSON objects, `most` at a time."""
    if result.old_from is not None:
        for start in range(0, result.group_count, most):
            yield BETWEEN.join(json_values(list(map(group_dict, result.groups[start : start + most]))))
        return
    # By number: making a `Group` of each takes longer than writing it.
    members, starts, heads = (memoryview(column).cast("I") for column in result.grouping)
    for start in range(0, len(heads), most):
        part = starts[start : start + most + 1]
        principals = json_values(result.id_of.take(heads[start : start + most]))
        listed = json_values(result.id_of.take(members[part[0] : part[-1]]))
        yield _native.json_groups(list(principals), list(listed), part.tobytes(), BETWEEN)
