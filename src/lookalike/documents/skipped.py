"""What is said of documents that were skipped: how many, why, and whether that was on purpose."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lookalike.documents.model import Skipped

__all__ = ["BY_RULE", "reason_words", "skipped_words", "unread", "unread_first"]

BY_RULE: Final = frozenset(
    {"hidden", "ignored", "excluded", "empty", "null text", "link", "link loop", "table", "given twice", "not a file"}
    | {"receipt", "too short"}
)
"""Reasons for which something is skipped on purpose; with any other it was meant to be read and could not be."""


def unread(skipped: Iterable[Skipped]) -> list[Skipped]:
    """Return those that were meant to be read and could not be."""
    return [one for one in skipped if one.reason not in BY_RULE]


def unread_first(skipped: Iterable[Skipped]) -> list[Skipped]:
    """Return them with those first that were meant to be read and could not be: a reader has to see to these.

    >>> from lookalike.documents.model import Skipped
    >>> [one.id for one in unread_first([Skipped("a", "empty"), Skipped("b", "too large"), Skipped("c", "hidden")])]
    ['b', 'a', 'c']
    """
    return sorted(skipped, key=lambda one: one.reason in BY_RULE)


def skipped_words(skipped: Iterable[Skipped]) -> str:
    """Return how many were skipped, and why; nothing if none was.

    >>> from lookalike.documents.model import Skipped
    >>> skipped_words([Skipped("a", "empty"), Skipped("b", "too large"), Skipped("c", "binary")])
    '3 skipped: 1 binary, 1 empty, 1 too large'
    """
    return reason_words(Counter(one.reason for one in skipped))


def reason_words(reasons: Counter[str]) -> str:
    """Return the same of reasons that are counted already.

    >>> reason_words(Counter({"empty": 1200, "binary": 1})), reason_words(Counter())
    ('1,201 skipped: 1,200 empty, 1 binary', '')
    """
    if not reasons:
        return ""
    by_number = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    listed = ", ".join(f"{number:,} {reason}" for reason, number in by_number)
    return f"{reasons.total():,} skipped: {listed}"
