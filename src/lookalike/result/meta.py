"""What `meta.json` of a saved result must say: every field has its type and its range, whoever wrote the file."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from lookalike.engine.bands import MOST_HASHES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Check: TypeAlias = Callable[[Any], bool]

__all__ = ["check_meta", "parse_meta"]

_MOST_DOCUMENTS: Final = 2**32 - 2
_MOST_SECONDS: Final = 1e12


def parse_meta(data: bytes) -> Any:
    """Read JSON; `NaN` and its like are no numbers here."""
    return json.loads(data, parse_constant=_no_number)


def check_meta(meta: Mapping[str, Any]) -> None:
    """Raise `ValueError` that says what is wrong; fields that are not known do not matter."""
    for name, check in _FIELDS.items():
        if name not in meta:
            _demand(name in _MAY_BE_MISSING, f"it has no {name}")
        else:
            _demand(check(meta[name]), f"{name} is not what it should be")
    documents, audit = meta["documents"], meta["audit"]
    thresholds = (0.0, meta["searched_threshold"], meta["threshold"], 1.0)
    _demand(all(x <= y for x, y in pairwise(thresholds)), "a threshold is not between 0 and 1")
    _demand((meta["old_from"] or 0) <= documents, "old documents begin nowhere")
    _demand(meta.get("limited", 0) <= documents, "more documents are limited than there are")
    _demand(meta["bands"] is None or meta["bands"][0] * meta["bands"][1] <= MOST_HASHES, "bands is too much")
    if audit is not None:
        _demand(audit["found"] <= audit["true_pairs"] and audit["drawn"] <= audit["of"] <= documents, "audit is not so")
        _demand((audit["measured"] is None) == (audit["interval"] is None), "audit has half a measure")
    _demand((audit is not None) == ("missed.arrow" in meta["parts"]), "audit and missed.arrow belong together")
    needed = {"ids.arrow", "classes.arrow", "pairs.arrow"}
    if (meta.get("origin") or {}).get("paths"):  # texts that are read again are checked against their lengths
        needed.add("lengths.arrow")
    _demand(needed <= set(meta["parts"]), "a part is missing")


def _demand(holds: bool, problem: str) -> None:
    if not holds:
        raise ValueError(problem)


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number")


# -- kinds of values -------------------------------------------------------------------------------------------------


def _is_text(value: Any) -> bool:
    """Say whether a value is text that can be written as UTF-8: JSON can spell halves of characters."""
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_typed(value: Any) -> bool:
    """Say whether a value is text as a person types it: a name in it may have bytes that are no UTF-8."""
    try:
        return isinstance(value, str) and "\0" not in value and value.encode("utf-8", "surrogateescape") is not None
    except UnicodeEncodeError:
        return False


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _whole(least: int = 0, most: int = 2**63 - 1) -> Check:
    return lambda value: type(value) is int and least <= value <= most


def _number(most: float) -> Check:
    return lambda value: type(value) in (int, float) and 0 <= value <= most


def _is_share(value: Any) -> bool:
    return _number(1.0)(value)


def _is_interval(value: Any) -> bool:
    return _row(_is_share, _is_share)(value) and bool(value[0] <= value[1])


def _one_of(*values: str) -> Check:
    return lambda value: isinstance(value, str) and value in values


def _or_none(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _list_of(check: Check) -> Check:
    return lambda value: isinstance(value, list) and all(map(check, value))


def _row(*checks: Check) -> Check:
    """Return the check of a list that has one value for each of the given ones."""
    return lambda value: (
        isinstance(value, list) and len(value) == len(checks) and all(c(v) for c, v in zip(checks, value, strict=True))
    )


def _map_of(names: Check, values: Check) -> Check:
    return lambda value: isinstance(value, dict) and all(names(n) and values(v) for n, v in value.items())


def _object(**checks: Check) -> Check:
    """Return the check of an object with these fields and no others."""
    return lambda value: (
        isinstance(value, dict) and set(value) == set(checks) and all(checks[n](v) for n, v in value.items())
    )


def _with_any_of(**checks: Check) -> Check:
    """Return the check of an object whose fields, as far as they are known, are right."""
    return lambda value: isinstance(value, dict) and all(checks[n](v) for n, v in value.items() if n in checks)


def _some_of(**checks: Check) -> Check:
    """Return the check of an object with some of these fields and no others."""
    return lambda value: _with_any_of(**checks)(value) and set(value) <= set(checks)


def _is_id(value: Any) -> bool:
    return _is_text(value) or _whole(-(2**63))(value)


def _is_digest(value: Any) -> bool:
    return isinstance(value, str) and len(value) == 64 and set(value) <= set("0123456789abcdef")


# -- the fields ------------------------------------------------------------------------------------------------------

_PARTS: Final = ("ids", "classes", "pairs", "lengths", "order", "ignored", "templates", "missed")
_RECALL: Final[dict[str, Check]] = {"measured": _or_none(_is_share), "interval": _or_none(_is_interval)}
_READING: Final = _with_any_of(
    text_column=_or_none(_is_typed),
    id_column=_or_none(_is_typed),
    include=_list_of(_is_typed),
    exclude=_list_of(_is_typed),
    encoding=_is_typed,
    hidden=_is_flag,
)
_FIELDS: Final[dict[str, Check]] = {
    "lookalike": _is_text,
    "recipe": _is_text,
    "digest": _is_text,
    "searched_threshold": _is_share,
    "threshold": _is_share,
    "method": _one_of("exact", "brute", "lsh", "signatures"),
    "metric": _one_of("jaccard", "containment", "bag"),
    "linkage": _one_of("star", "linked"),
    "bands": _or_none(_row(_whole(1, MOST_HASHES), _whole(1, MOST_HASHES))),
    "documents": _whole(0, _MOST_DOCUMENTS),
    "candidates": _whole(),
    "old_from": _or_none(_whole()),
    "limited": _whole(),
    "recall": _object(promised=_is_share, **_RECALL),
    "audit": _or_none(_object(drawn=_whole(), of=_whole(), true_pairs=_whole(), found=_whole(), **_RECALL)),
    "skipped": _list_of(_row(_is_text, _is_text, _is_text)),
    "flags": _map_of(_is_text, _list_of(_row(_is_text, _is_text, _whole()))),
    "notes": _list_of(_is_text),
    "timings": _map_of(_is_text, _number(_MOST_SECONDS)),
    "skip": _list_of(_one_of("quotes", "references")),
    "min_words": _or_none(_whole(1)),
    "short_pairs": _whole(),
    "metadata": _list_of(_row(_is_id, _some_of(name=_is_text, author=_is_text, date=_is_text, label=_is_text))),
    "origin": _or_none(
        _with_any_of(
            command=_is_text,
            paths=_list_of(_is_typed),
            against=_list_of(_is_typed),
            reading=_READING,
            left_out=_list_of(_is_typed),
        )
    ),
    "parts": _map_of(_one_of(*(f"{name}.arrow" for name in _PARTS)), _object(bytes=_whole(), sha256=_is_digest)),
}
_MAY_BE_MISSING: Final = frozenset({"limited", "flags", "origin", "skip", "min_words", "short_pairs", "metadata"})
