"""Numbers as a person reads them, and the line that closes a run."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lookalike.result.recall import Recall
    from lookalike.result.result import Result

__all__ = ["at_least", "count", "duration", "recall_of", "summary"]


def count(number: int, what: str) -> str:
    """Return a number with its noun.

    >>> count(1, "pair"), count(1200, "pair")
    ('1 pair', '1,200 pairs')
    """
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def at_least(share: float, digits: int = 3) -> str:
    """Return a share that is never rounded up: what is below 1 does not read 1.

    >>> at_least(0.9916), at_least(0.99), at_least(0.99999), at_least(1.0)
    ('0.991', '0.99', '0.999', '1')
    """
    scale = 10**digits
    return f"{math.floor(share * scale + 1e-9) / scale:g}" if share < 1.0 else "1"


def duration(seconds: float) -> str:
    """Return a time as short as it is telling.

    >>> duration(0.0312), duration(1.84), duration(42), duration(125), duration(7380)
    ('0.03 s', '1.8 s', '42 s', '2 min 5 s', '2 h 3 min')
    """
    if seconds < 0.1:
        return f"{seconds:.2f} s"
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if not minutes:
        return f"{rest} s"
    hours, minutes_left = divmod(minutes, 60)
    return f"{hours} h {minutes_left} min" if hours else f"{minutes} min {rest} s"


def recall_of(recall: Recall) -> str:
    """Return the recall in words.

    >>> from lookalike.result import Recall
    >>> recall_of(Recall(1.0)), recall_of(Recall(0.9916, 0.9961, (0.9894, 0.9989)))
    ('recall 1', 'recall ≥ 0.991, measured 0.996 (0.989 to 0.998)')
    """
    said = "recall 1" if recall.promised >= 1.0 else f"recall ≥ {at_least(recall.promised)}"
    if recall.measured is None:
        return said
    said += f", measured {at_least(recall.measured)}"
    if recall.interval is not None and recall.interval[0] != recall.interval[1]:
        said += f" ({at_least(recall.interval[0])} to {at_least(recall.interval[1])})"
    return said


def summary(result: Result) -> str:
    """Return the closing line of a run.

    >>> import lookalike as la
    >>> summary(la.find(["one two three", "one two three!", ""])).rpartition(" · ")[0]
    '3 documents · 1 pair ≥ 0.80 in 1 group · scores exact · recall 1'
    """
    new = result.documents if result.old_from is None else result.old_from
    documents = count(new, "document")
    if result.skipped:
        reasons = Counter(skipped.reason for skipped in result.skipped)
        by_reason = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
        listed = ", ".join(f"{number:,} {reason}" for reason, number in by_reason)
        documents += f" ({len(result.skipped):,} skipped: {listed})"
    if result.old_from is not None:
        documents += f" against {result.documents - new:,} old"
    threshold = f"{result.threshold:.2f}" if round(result.threshold, 2) == result.threshold else f"{result.threshold:g}"
    pairs = f"{count(result.pair_count, 'pair')} ≥ {threshold} in {count(len(result.groups), 'group')}"
    if result.copies_listed == "first":
        pairs += " (copies listed with their first only)"
    return " · ".join((documents, pairs, "scores exact", recall_of(result.recall), duration(result.seconds)))
