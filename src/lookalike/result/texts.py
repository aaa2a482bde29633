"""The texts of a result, read again for the few documents that are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lookalike.errors import LookalikeError

if TYPE_CHECKING:
    from collections.abc import Collection

    from lookalike.result.result import Result

__all__ = ["left_out_of", "texts_of"]


def texts_of(result: Result, wanted: Collection[Any]) -> dict[Any, str]:
    """Return the texts of the wanted documents, by their ids; those that cannot be read any more are missing."""
    names = set(wanted)
    if result.source is None or not names:
        return {}
    numbers = {number: name for number, name in enumerate(result.ids.to_pylist()) if name in names}
    lengths = None if result.lengths is None else result.lengths.to_pylist()
    found: dict[Any, str] = {}
    start = 0
    try:
        for batch in result.source.batches():
            for number in range(start, start + len(batch)):
                if number in numbers:
                    text = batch.texts[number - start]
                    if lengths is None or len(text) == lengths[number]:
                        found[numbers[number]] = text
            start += len(batch)
    except (LookalikeError, OSError):  # the source is gone: what was found stays true without its text
        return found
    return found


def left_out_of(result: Result, wanted: Collection[Any]) -> dict[Any, dict[str, int]]:
    """Return how many words of each document did not count, by reason; documents without such words are not listed."""
    from lookalike.search.uncounted import words_left_out

    if not result.ignored and not result.uncounted.skip:
        return {}
    return words_left_out(result, texts_of(result, wanted))
