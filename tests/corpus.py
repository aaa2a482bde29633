"""Made-up texts for tests: the same words for the same seed, with near copies as alike as wanted."""

from __future__ import annotations

import random
from array import array
from typing import Final

__all__ = ["VOCABULARY", "near_copy", "pages", "pair_of_sets", "prose", "random_numbers"]

_SYLLABLES: Final = ("ba", "ce", "di", "fo", "gu", "ha", "ji", "ka", "lo", "mu", "na", "pe", "ra", "si", "to", "ve")


def _vocabulary(size: int) -> tuple[str, ...]:
    rng = random.Random(20240229)
    words: dict[str, None] = {}
    while len(words) < size:
        words["".join(rng.choices(_SYLLABLES, k=rng.choice((1, 2, 2, 3, 3, 4))))] = None
    return tuple(words)


VOCABULARY: Final = _vocabulary(4000)
# Word i is drawn about 1/(i + 10) as often as the first: the way of natural language.
_WEIGHTS: Final = tuple(1 / (i + 10) for i in range(len(VOCABULARY)))


def prose(rng: random.Random, words: int) -> list[str]:
    """Return words with the frequencies of natural language."""
    return rng.choices(VOCABULARY, _WEIGHTS, k=words)


def near_copy(rng: random.Random, words: list[str], changes: int) -> list[str]:
    """Return the words with so many of them, at different places, replaced."""
    copy = list(words)
    for place in rng.sample(range(len(words)), changes):
        copy[place] = rng.choice(VOCABULARY) + "x"
    return copy


def pages(seed: int, originals: int, words: int, changes: tuple[int, ...]) -> list[str]:
    """Return pages of `words` to 1½ × `words` words, each followed by a near copy; `changes` says how near, in turn."""
    rng = random.Random(seed)
    made = []
    for i in range(originals):
        page = prose(rng, words + rng.randrange(words // 2))
        made += [" ".join(page), " ".join(near_copy(rng, page, changes[i % len(changes)]))]
    return made


def random_numbers(rng: random.Random, count: int) -> list[int]:
    """Return 64-bit numbers."""
    return array("Q", rng.randbytes(8 * count)).tolist()


def pair_of_sets(rng: random.Random, size: int, shared: int) -> tuple[list[int], list[int]]:
    """Return two sets of `size` random numbers, `shared` of them in both."""
    numbers = random_numbers(rng, 2 * size - shared)
    return numbers[:size], numbers[size - shared :]
