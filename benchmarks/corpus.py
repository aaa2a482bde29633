"""Text to measure with: English-like or Chinese-like, any number of documents, with planted copies; seeded.

Document i is a function of (script, seed, i) alone. So any part can be made on any core, and a collection of 1000
documents is the beginning of the one of a million.

Words follow Zipf's law over a vocabulary made of syllables, frequent words being short; lengths are log-normal with a
mean of 2.5 kB. One document in four is a copy of an earlier one: exact, or with 1 to 30 % of its words substituted,
deleted or inserted, or of its paragraphs moved, or with the navigation and footer of another site around it.
"""

from __future__ import annotations

import math
import random
from array import array
from dataclasses import dataclass
from functools import cache, partial
from itertools import accumulate
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["Corpus", "Kind", "Plan", "Script", "texts"]

Script = Literal["latin", "cjk"]
Kind = Literal["original", "exact", "substitute", "delete", "insert", "move", "site"]

# The share of each kind. Every collection has enough of each, and most pairs of documents have nothing to do with
# each other.
SHARES: Final[dict[Kind, float]] = {
    "original": 0.75,
    "exact": 0.03,
    "substitute": 0.06,
    "delete": 0.04,
    "insert": 0.04,
    "move": 0.04,
    "site": 0.04,
}

MEAN_BYTES: Final = 2500.0
SPREAD: Final = 0.7
"""Standard deviation of the logarithm of the length, as web pages have it."""
FEWEST_BYTES, MOST_BYTES = 200.0, 20_000.0
SITES: Final = 400
TABLE_BITS: Final = 20


@dataclass(frozen=True, slots=True)
class Writing:
    """How a script is written."""

    table: list[str]
    """2²⁰ words, each as often as it is used: a random number is a random word, without a search."""
    blank: str
    comma: str
    stops: str
    indent: str
    token_bytes: float
    """Mean length of a word with its share of blanks, marks, paragraphs and what sites add."""

    def words(self, rng: random.Random, count: int) -> list[str]:
        table, shift = self.table, 32 - TABLE_BITS
        return [table[number >> shift] for number in array("I", rng.randbytes(4 * count))]

    def tokens(self, paragraph: str) -> list[str]:
        """Return what an edit changes one of: words, or characters where there are no blanks."""
        return paragraph.split(" ") if self.blank else list(paragraph)


@dataclass(frozen=True, slots=True)
class Plan:
    """What document `number` is."""

    number: int
    kind: Kind
    source: int | None = None
    """The document that it is a copy of."""
    rate: float = 0.0
    """The share of words or paragraphs that differs."""


class Corpus:
    """All documents of one script and seed.

    >>> Corpus().text(7) == Corpus().text(7) != Corpus(seed=2).text(7)
    True
    """

    def __init__(self, script: Script = "latin", seed: int = 1) -> None:
        self.script: Script = script
        self.seed = seed
        self.writing = _writing(script)

    def plan(self, number: int) -> Plan:
        """Return what a document is, without making its text."""
        rng = self._rng("plan", number)
        kind = _kind(rng.random()) if number else "original"
        if kind == "original":
            return Plan(number, kind)
        source = int(rng.random() * number)
        rate = 0.01 * 30.0 ** rng.random() if kind not in ("exact", "site") else 0.0  # evenly on a logarithmic scale
        return Plan(number, kind, source, rate)

    def text(self, number: int) -> str:
        """Return the text of a document."""
        plan = self.plan(number)
        if plan.source is None:
            return self._original(number)
        # The source may itself be a copy: chains make groups that differ from one principal to its members.
        source = self.text(plan.source)
        edit = _EDITS.get(plan.kind)
        if edit is not None:
            return edit(self._rng("text", number), source, self.writing, plan.rate)
        return source if plan.kind == "exact" else self._with_site(self._rng("text", number), source)

    def _rng(self, what: str, number: int) -> random.Random:
        # A text as seed is hashed with SHA-512: neighbours are as different as strangers, on every version of Python.
        return random.Random(f"{self.script} {self.seed} {what} {number}")

    def _original(self, number: int) -> str:
        rng = self._rng("text", number)
        size = MEAN_BYTES * math.exp(SPREAD * _normal(rng) - SPREAD * SPREAD / 2)
        size = min(max(size, FEWEST_BYTES), MOST_BYTES)
        text = _prose(rng, self.writing, max(1, round(size / self.writing.token_bytes)))
        return self._with_site(rng, text) if rng.random() < 0.3 else text

    def _with_site(self, rng: random.Random, text: str) -> str:
        """Put the navigation and the footer of some site around a text."""
        site = self._rng("site", int(rng.random() * SITES))
        navigation = " | ".join(word.capitalize() for word in self.writing.words(site, 4 + site.getrandbits(2)))
        footer = self.writing.blank.join(self.writing.words(site, 10 + site.getrandbits(4)))
        return f"{navigation}\n\n{text}\n\n{footer}"


def texts(count: int, script: Script = "latin", seed: int = 1) -> Iterator[str]:
    """Yield the first `count` documents."""
    corpus = Corpus(script, seed)
    return map(corpus.text, range(count))


# -- making text ------------------------------------------------------------------------------------------------------


def _kind(share: float) -> Kind:
    for kind, limit in zip(SHARES, accumulate(SHARES.values()), strict=True):
        if share < limit:
            return kind
    return "original"


def _normal(rng: random.Random) -> float:
    """Return a normal variable by Box and Muller; random.gauss may be made otherwise in another version of Python."""
    return math.sqrt(-2.0 * math.log(1.0 - rng.random())) * math.cos(2.0 * math.pi * rng.random())


def _prose(rng: random.Random, writing: Writing, count: int) -> str:
    words, bits, blank = writing.words(rng, count), rng.getrandbits, writing.blank
    paragraphs: list[str] = []
    sentences: list[str] = []
    at, left = 0, 2 + bits(2)
    while at < count:
        sentence = words[at : at + 5 + bits(4) + bits(3)]
        at += len(sentence)
        if len(sentence) > 10:
            sentence[3 + bits(2)] += writing.comma
        sentence[0] = sentence[0].capitalize()
        sentences.append(blank.join(sentence) + writing.stops[bits(4)])
        left -= 1
        if not left or at >= count:
            paragraphs.append(writing.indent + blank.join(sentences))
            sentences, left = [], 2 + bits(2)
    return "\n\n".join(paragraphs)


def _syllables(rng: random.Random) -> Callable[[], str]:
    onsets = [*"bcdfghjklmnprstvw" * 2, "", "", "", "br", "ch", "cl", "dr", "gr", "pl", "sh", "st", "th", "tr", "wh"]
    vowels, codas = [*"aaeeeiioou", "ea", "ou"], [*([""] * 10), *"nnrrsstldm", "ng", "nd", "st"]
    return lambda: "".join(part[int(rng.random() * len(part))] for part in (onsets, vowels, codas))


def _latin_words(count: int) -> list[str]:
    rng = random.Random("latin words")
    syllable = _syllables(rng)
    words: dict[str, None] = {}
    while len(words) < count:
        # The n-th word has about log(n) syllables: what is said often is short.
        length = 1 + int(rng.random() * (0.6 + math.log10(1 + len(words)) * 0.5))
        words["".join(syllable() for _ in range(length))] = None
    made = list(words)
    # What a tokeniser must get right is a few percent of any text: numbers, possessives, compounds.
    for rank in range(30, count, 41):
        made[rank] = str(rng.getrandbits(11)) if rank % 2 else f"{rng.getrandbits(5)}.{rng.getrandbits(3)}"
    for rank in range(25, count, 37):
        made[rank] += "'s" if rank % 3 else "-" + made[rank - 7]
    return made


def _cjk_words(count: int) -> list[str]:
    rng = random.Random("cjk words")
    common = [chr(0x4E00 + int(rng.random() * 0x51A5)) for _ in range(3500)]
    words: dict[str, None] = {}
    while len(words) < count:
        length = 1 + int(rng.random() * min(3.0, 1.0 + math.log10(1 + len(words)) / 2))
        # Few characters make most words.
        words["".join(common[int(len(common) * rng.random() ** 2)] for _ in range(length))] = None
    return list(words)


@cache
def _writing(script: Script) -> Writing:
    if script == "latin":
        table = _zipf_table(_latin_words(40_000))
        return Writing(table, " ", ",", "............?!;:", "", _mean_bytes(table) + 1.6)
    table = _zipf_table(_cjk_words(40_000))
    return Writing(table, "", "，", "。。。。。。。。。。。。？！；：", "　　", _mean_bytes(table) + 0.8)


def _zipf_table(words: list[str]) -> list[str]:
    """Return a table in which word n stands in proportion to (n + 2.7)^−1.05, the law of Zipf and Mandelbrot."""
    size = 1 << TABLE_BITS
    marks = list(accumulate((rank + 2.7) ** -1.05 for rank in range(1, len(words) + 1)))
    table: list[str] = []
    for word, mark in zip(words, marks, strict=True):
        table += [word] * (round(size * mark / marks[-1]) - len(table))
    return table


def _mean_bytes(table: Sequence[str]) -> float:
    return sum(len(word.encode()) for word in table) / len(table)


# -- planting copies --------------------------------------------------------------------------------------------------


def _places(rng: random.Random, count: int, rate: float) -> list[int]:
    """Return different places in order, at least one, the share `rate` of `count`."""
    wanted = min(count, max(1, round(rate * count)))
    places: set[int] = set()
    while len(places) < wanted:
        places.add(int(rng.random() * count))
    return sorted(places)


def _edit_tokens(
    rng: random.Random,
    text: str,
    writing: Writing,
    rate: float,
    edit: Callable[[str, str, str], str],
) -> str:
    paragraphs = [writing.tokens(paragraph) for paragraph in text.split("\n\n")]
    # One list of all tokens with the paragraph that each belongs to would be slower than finding it at each edit.
    starts = [0, *accumulate(map(len, paragraphs))]
    places = _places(rng, starts[-1], rate)
    fresh = writing.words(rng, len(places))
    which = 0
    for place, word in zip(places, fresh, strict=True):
        while starts[which + 1] <= place:
            which += 1
        tokens = paragraphs[which]
        tokens[place - starts[which]] = edit(tokens[place - starts[which]], word, writing.blank)
    # A deleted word has become empty, and its blank goes too.
    return "\n\n".join(writing.blank.join(filter(None, tokens)) for tokens in paragraphs)


def _substitute(old: str, new: str, _blank: str) -> str:
    return new + old[-1] if old[-1:] in {".", ",", "。", "，"} and len(old) > 1 else new


def _move(rng: random.Random, text: str, writing: Writing, rate: float) -> str:
    paragraphs = text.split("\n\n")
    if len(paragraphs) == 1:
        # A single paragraph: its sentences are moved.
        stop = writing.stops[0] + writing.blank
        sentences = paragraphs[0].split(stop)
        return stop.join(_moved(rng, sentences, rate))
    return "\n\n".join(_moved(rng, paragraphs, rate))


def _moved(rng: random.Random, items: list[str], rate: float) -> list[str]:
    places = _places(rng, len(items), rate)
    taken = [items[place] for place in places]
    left = [item for place, item in enumerate(items) if place not in set(places)]
    for item in taken:
        left.insert(int(rng.random() * (len(left) + 1)), item)
    return left


_EDITS: Final[dict[Kind, Callable[[random.Random, str, Writing, float], str]]] = {
    "substitute": partial(_edit_tokens, edit=_substitute),
    "delete": partial(_edit_tokens, edit=lambda _old, _new, _blank: ""),
    "insert": partial(_edit_tokens, edit=lambda old, new, blank: old + blank + new),
    "move": _move,
}
