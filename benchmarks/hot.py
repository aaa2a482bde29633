"""Collections in which almost every document is like almost every other: where time and memory may become quadratic.

edited       one page of 300 words, each document with 2 of them replaced: any two are alike by about 0.87
boilerplate  pages of 300 words of which 240 are the same on all: any two are alike by about 0.66, below the usual
             threshold of 0.8 but near enough for bands to propose most pairs

Document i is a function of (kind, seed, i) alone, as in benchmarks/corpus.py.
"""

from __future__ import annotations

import random
from typing import Final, Literal, get_args

from benchmarks.corpus import Corpus

__all__ = ["KINDS", "Hot", "Pages"]

Hot = Literal["edited", "boilerplate"]
KINDS: Final[tuple[Hot, ...]] = get_args(Hot)
WORDS: Final = 300
EDITED: Final = 2
OWN: Final = 60
"""Words of a boilerplate page that no other page has in this order."""


class Pages:
    """All documents of one kind and seed.

    >>> Pages("edited").text(7) == Pages("edited").text(7) != Pages("edited").text(8)
    True
    """

    def __init__(self, kind: Hot, seed: int = 1) -> None:
        self.kind: Hot = kind
        self.seed = seed
        self._writing = Corpus(seed=seed).writing
        self._page = self._writing.words(random.Random(f"{kind} {seed} page"), WORDS)

    def text(self, number: int) -> str:
        """Return the text of a document."""
        rng = random.Random(f"{self.kind} {self.seed} text {number}")
        words = list(self._page)
        if self.kind == "edited":
            for place in rng.sample(range(WORDS), EDITED):
                words[place] = f"{self._writing.words(rng, 1)[0]}{number}"  # a word that is not there already
        else:
            start = (WORDS - OWN) // 2
            words[start : start + OWN] = self._writing.words(rng, OWN)
        return " ".join(words)
