"""The collections that engines are compared on: generated, seeded, and normalised beforehand.

Engines differ in how they normalise and split. So the texts here are words of a-z and 0-9 with one blank between them,
or Chinese characters and nothing else: on such text every engine but datatrove, which cuts some words with spaCy, makes
the same shingles, and all answers can be held against one truth. It spares the engines that would normalise in Python
that work; lookalike does its own all the same.
"""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING, Final, Literal

from benchmarks.corpus import Corpus
from benchmarks.files import CACHE, kept, write_parquet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import pyarrow as pa

__all__ = ["NAMES", "VERSION", "Name", "parquet", "texts"]

Name = Literal["pages", "chinese", "tweets", "templates"]
VERSION: Final = 2
"""Part of the names of kept files: a change of any text or of the layout must raise it."""
FEWEST, MOST = 5, 20
"""Words of a tweet."""
SITE_PAGES: Final = 100
"""Pages of one site, in `templates`."""

_WORD: Final = re.compile(r"[a-z0-9]+")
_NO_HAN: Final = re.compile(r"[^\u4e00-\u9fff]+")


def plain(text: str) -> str:
    """Return the words of a text, in lower case, with one blank between them."""
    return " ".join(_WORD.findall(text.lower()))


def pages(count: int) -> Iterator[str]:
    """Yield English-like pages of 2.4 kB; one in four is a copy of an earlier one, from exact to 30 % changed."""
    corpus = Corpus()
    return (plain(corpus.text(number)) for number in range(count))


def chinese(count: int) -> Iterator[str]:
    """Yield Chinese-like pages with the same copies; characters only, no blanks and no marks."""
    corpus = Corpus("cjk")
    return (_NO_HAN.sub("", corpus.text(number)) for number in range(count))


def tweets(count: int) -> Iterator[str]:
    """Yield texts of 5 to 20 words; one in four is an earlier one with up to two words changed, left out or put in."""
    writing = Corpus().writing
    made: list[list[str]] = []
    for number in range(count):
        rng = random.Random(f"tweet {number}")
        if number and rng.random() < 0.25:
            words = list(made[int(rng.random() * number)])
            for _ in range(int(rng.random() * 3)):
                _edit(rng, words, plain(writing.words(rng, 1)[0]).split()[0])
        else:
            words = plain(" ".join(writing.words(rng, rng.randrange(FEWEST, MOST + 1)))).split()[:MOST]
        made.append(words)
        yield " ".join(words)


def _edit(rng: random.Random, words: list[str], new: str) -> None:
    place, kind = int(rng.random() * len(words)), int(rng.random() * 3)
    if kind == 1 and len(words) > FEWEST:
        del words[place]
    elif kind == 2 and len(words) < MOST:
        words.insert(place, new)
    else:
        words[place] = new


def templates(count: int) -> Iterator[str]:
    """Yield pages of which a half is the template of their site, the same on its 100 pages. Copies are on one site.

    So pages of a site that have nothing else in common are alike by a third: far below a threshold, but near enough
    for bands to propose many of them.
    """
    corpus = Corpus()
    sites = -(-count // SITE_PAGES)
    site_of: list[int] = []
    for number in range(count):
        source = corpus.plan(number).source
        site_of.append(number % sites if source is None else site_of[source])
        text = plain(corpus.text(number)).split()
        rng = random.Random(f"template {site_of[number]}")
        template = plain(" ".join(corpus.writing.words(rng, 300))).split()
        yield " ".join([*template[:150], *text[:300], *template[150:]])


NAMES: Final[dict[Name, Callable[[int], Iterator[str]]]] = {
    "pages": pages,
    "chinese": chinese,
    "tweets": tweets,
    "templates": templates,
}


def texts(name: Name, count: int) -> Iterator[str]:
    """Yield the first `count` texts of a collection."""
    return NAMES[name](count)


def parquet(name: Name, count: int, *, folder: Path = CACHE) -> Path:
    """Return a Parquet file (id, text; snappy) of a collection; made once, then kept. Row 7 has the id d00000007."""
    path = folder / f"rivals-{name}-v{VERSION}-{count}.parquet"
    return kept(path, lambda unfinished: write_parquet(unfinished, [_table(name, count)]))


def _table(name: Name, count: int) -> pa.Table:
    import pyarrow as pa

    return pa.table({"id": [f"d{row:08d}" for row in range(count)], "text": list(texts(name, count))})
