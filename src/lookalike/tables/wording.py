"""Numbers as a person reads them."""

from __future__ import annotations

import math

__all__ = ["at_least", "count", "duration", "roughly", "size"]


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


def size(count: int) -> str:
    """Return bytes as a person reads them.

    >>> size(532), size(2_500_000), size(25_000_000_000)
    ('532 B', '2.5 MB', '25 GB')
    """
    power = min(4, (len(str(max(1, count))) - 1) // 3)
    return f"{count / 1000**power:.3g} {('B', 'kB', 'MB', 'GB', 'TB')[power]}"


def roughly(seconds: float) -> str:
    """Return a guessed time, without digits that nobody knows.

    >>> roughly(0.4), roughly(75), roughly(7300)
    ('1 s', '75 s', '2 h 2 min')
    """
    if seconds < 120:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"
