"""The texts of the experiments, generated from a seed: shuffles, a pair of wanted similarity, books.

The texts of the reports are copyrighted or lost. What they needed of them is kept: 50 words with 292 letters, of which
documents are made by shuffling, and texts as long as a novel whose words and shingles repeat as in a language. A few
real texts in the public domain are bundled; each is named on the command line as a file would be, `--text lorem`.

>>> from lookalike.experiments import Setup
>>> setup = Setup(seed=1)
>>> len(words(setup)), sum(map(len, words(setup)))
(50, 292)
>>> a, b = pair_of_similarity(setup, 0.6, 9)
>>> la.jaccard(a, b, recipe=la.Recipe(unit="char", k=9))
0.6
"""

from __future__ import annotations

import itertools
import random
import re
import tomllib
import unicodedata
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import lookalike as la
from lookalike.errors import RecipeError
from lookalike.tables.output_files import new_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lookalike.experiments import Setup


__all__ = [
    "BASE",
    "COUNT",
    "EXCERPTS",
    "Excerpt",
    "base_text",
    "body",
    "book",
    "collection",
    "edited",
    "pair_of_similarity",
    "pairs",
    "permutations",
    "words",
    "write_collections",
]

BASE = (
    "every morning the printer opened his narrow workshop beside the river and arranged miniature metal letters into "
    "lines of gentle verse while apprentices carried enormous paper from the harbour pages reported about distant "
    "islands others described comets travellers gardens or simple recipes for baking puddings he checked each sheet "
    "carefully"
)
"""The built-in base text: 50 words of 5.84 letters on average, as in report B."""

_MOST_WORDS = 200  # a longer text is no text to shuffle but a book
_FIRST_WORDS = 50
_LEAST = 400  # shingles of a constructed document: enough for a similarity that is right to a few thousandths
_TRIES = 100
_VOCABULARY = 8_000
_SYLLABLES = 120
_FOLLOWERS = 12  # words that usually come after a word
_USUAL = 0.65  # how often one of them does
_FLATTENING = 1.2  # Mandelbrot's correction: the very commonest words are a little rarer than Zipf's law says


def base_text(setup: Setup) -> str:
    """Return the text whose words are shuffled: of a long one, its first 50 words, as many as the reports took."""
    return BASE if setup.text is None else _passage(setup.text)


@cache
def _passage(text: str) -> str:
    written = text.split()
    return text if len(written) <= _MOST_WORDS else " ".join(written[:_FIRST_WORDS])


def words(setup: Setup) -> list[str]:
    """Return the words of the base text."""
    found = base_text(setup).split()
    if len(set(found)) < 2:
        raise RecipeError("the base text", base_text(setup), "a text of at least two different words")
    return found


def permutations(setup: Setup, count: int, salt: str = "") -> list[str]:
    """Return that many shuffles of the base text; the first of them are the same whatever their number is."""
    chance, shuffled = _chance(setup, "permutations", salt), words(setup)
    made = []
    for _ in range(count):
        chance.shuffle(shuffled)  # Fisher and Yates'
        made.append(" ".join(shuffled))
    return made


def pairs(setup: Setup, count: int = 5) -> list[tuple[str, str]]:
    """Return pairs of shuffles, as report B compares."""
    texts = permutations(setup, 2 * count, "pairs")
    return list(zip(texts[::2], texts[1::2], strict=True))


def edited(setup: Setup, text: str, count: int = 1, salt: str = "") -> str:
    """Return a near-copy: the text with `count` of its words replaced by invented ones.

    >>> from lookalike.experiments import Setup
    >>> copy = edited(Setup(), BASE)
    >>> sum(a != b for a, b in zip(copy.split(), BASE.split(), strict=True))
    1
    """
    chance, written = _chance(setup, "edited", salt), text.split()
    for place in chance.sample(range(len(written)), min(count, len(written))):
        old = written[place]
        while written[place] == old:
            written[place] = _word(_letters(setup), chance, max(3, len(old)))
    return " ".join(written)


def collection(setup: Setup, count: int, every: int = 10, salt: str = "") -> list[str]:
    """Return that many shuffles, of which every tenth is a near-copy of the one before it: one word is replaced."""
    texts = permutations(setup, count, salt)
    for place in range(every - 1, count, every):
        texts[place] = edited(setup, texts[place - 1], 1, f"{salt}/{place}")
    return texts


def pair_of_similarity(setup: Setup, similarity: float, k: int) -> tuple[str, str]:
    """Return two texts whose character k-shingles have this Jaccard similarity, by construction.

    Both have n shingles and begin with the same m of them, then go on differently: J = m / (2n − m). The words are
    invented from the letters of the base text. White space counts, as it does in a recipe by default.
    """
    if not 0 <= similarity <= 1:
        raise RecipeError("similarity", similarity, "from 0 to 1")
    size, shared = _sizes(similarity)
    recipe = la.Recipe(unit="char", k=k)
    chance = _chance(setup, "pair", f"{similarity}/{k}")
    for _ in range(_TRIES):  # a short shingle may come twice by chance, and then the count is wrong: try another text
        # Nothing shared but the beginning of a shingle is nothing shared at all.
        start = _run(setup, chance, shared + k - 1) if shared else ""
        length = size + k - 1
        a, b = (start + _run(setup, chance, length - len(start)) for _ in range(2))
        sets = [{shingle.text for shingle in la.shingles(text, recipe)} for text in (a, b)]
        if len(sets[0]) == len(sets[1]) == size and len(sets[0] & sets[1]) == shared:
            return a, b
    raise RecipeError("k", k, f"large enough that {size} different shingles fit into a text")


def book(setup: Setup, size: int, salt: str = "") -> str:
    """Return a text of that many characters: a part of a given one if that is long enough, else an invented one.

    Invented words follow Zipf's law. A word has its usual followers, so phrases come again, and words are
    made of syllables, so parts of them do: about 40 % of the 9-shingles of a novel are different, as in English.

    >>> from lookalike.experiments import Setup
    >>> text = book(Setup(), 100_000)
    >>> len(text), text.isascii()
    (100000, True)
    """
    chance = _chance(setup, "book", salt)
    given = [text for text in (setup.text, *setup.more) if text is not None and len(text) >= size]
    if given:
        text = chance.choice(given)
        start = chance.randint(0, len(text) - size)
        return text[start : start + size]
    written, length, words = [], 0, _Language(setup).words(chance)
    while length < size:
        sentence = " ".join(itertools.islice(words, chance.randint(4, 24)))
        end = ".\n" if chance.random() < 0.15 else ". "
        written.append(sentence[0].upper() + sentence[1:] + end)
        length += len(written[-1])
    return "".join(written)[:size]


def _chance(setup: Setup, *purpose: str) -> random.Random:
    """Return random numbers that depend on the seed and the purpose alone: not on what was drawn before."""
    return random.Random("/".join((str(setup.seed), *purpose)))


def _sizes(similarity: float) -> tuple[int, int]:
    """Return how many shingles each document has and how many are shared, as near to the similarity as can be.

    >>> _sizes(0.6)
    (400, 300)
    """

    def nearest(size: int) -> int:
        return round(2 * size * similarity / (1 + similarity))

    size = min(range(_LEAST, 2 * _LEAST), key=lambda size: abs(nearest(size) / (2 * size - nearest(size)) - similarity))
    return size, nearest(size)


def _run(setup: Setup, chance: random.Random, length: int) -> str:
    """Return invented words, cut to a length; both ends are letters."""
    letters = _letters(setup)
    text = ""
    while len(text) < length:
        text += " " * bool(text) + _word(letters, chance, chance.randint(2, 10))
    text = text[:length]
    return text[:-1] + chance.choice(letters) if text.endswith(" ") else text


class _Language:
    """Invented words, the commonest first, each with those that usually follow it.

    They are those of the seed, not of a book: two books of one seed are two texts of one language.
    """

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._vocabulary = _vocabulary(setup)
        self._weights = list(
            itertools.accumulate(1 / (rank + _FLATTENING) for rank in range(1, len(self._vocabulary) + 1))
        )
        self._usual = list(itertools.accumulate(1 / rank for rank in range(1, _FOLLOWERS + 1)))
        self._followers: dict[str, list[str]] = {}

    def words(self, chance: random.Random) -> Iterator[str]:
        """Give words without end: mostly a usual follower of the word before, else any."""
        word = self._any(chance, 1)[0]
        while True:
            yield word
            if chance.random() < _USUAL:
                word = chance.choices(self._after(word), cum_weights=self._usual)[0]
            else:
                word = self._any(chance, 1)[0]

    def _after(self, word: str) -> list[str]:
        if word not in self._followers:
            self._followers[word] = self._any(_chance(self._setup, "followers", word), _FOLLOWERS)
        return self._followers[word]

    def _any(self, chance: random.Random, count: int) -> list[str]:
        return chance.choices(self._vocabulary, cum_weights=self._weights, k=count)


def _vocabulary(setup: Setup) -> list[str]:
    """Return invented words, the commonest first: those are short, as in a language."""
    chance = _chance(setup, "vocabulary")
    syllables = _syllables(_letters(setup), chance)
    weights = list(itertools.accumulate(1 / rank for rank in range(1, len(syllables) + 1)))
    made: dict[str, None] = {}
    while len(made) < _VOCABULARY:
        length = chance.randint(2, 4) if len(made) < 100 else chance.randint(3, 10)
        word = "".join(chance.choices(syllables, cum_weights=weights, k=length // 2 + 1))[:length]
        made[word if word not in made else word + _word(_letters(setup), chance, 2)] = None
    return list(made)


def _syllables(letters: str, chance: random.Random) -> list[str]:
    """Return syllables of two or three letters, most with a vowel after a consonant."""
    vowels = [c for c in letters if unicodedata.normalize("NFD", c)[0] in "aeiouy"] or list(letters)
    others = [c for c in letters if c not in vowels] or list(letters)
    made: dict[str, None] = {}
    for _ in range(50 * _SYLLABLES):
        last = chance.choice(others) if chance.random() < 0.4 else ""
        made[chance.choice(others) + chance.choice(vowels) + last] = None
        if len(made) == _SYLLABLES:
            break
    return list(made)


def _letters(setup: Setup) -> str:
    """Return the letters of the base text, each as often as it is in it; of the built-in one if there are too few."""
    letters = "".join(c for c in base_text(setup).lower() if c.isalpha())
    return letters if len(set(letters)) >= 8 else "".join(BASE.split())


def _word(letters: str, chance: random.Random, length: int) -> str:
    return "".join(chance.choices(letters, k=length))


# -- real texts: filler, and openings in five languages ----------------------------------------------------------------


class Excerpt(NamedTuple):
    """A text and where it comes from."""

    title: str
    language: str
    text: str


def _excerpts() -> dict[str, Excerpt]:
    text = resources.files("lookalike.experiments").joinpath("excerpts.toml").read_text(encoding="utf-8")
    return {name: Excerpt(**told) for name, told in tomllib.loads(text).items()}


EXCERPTS: Final = _excerpts()
"""Name → text: `excerpts.toml`."""

_FIRST: Final = re.compile(r"^\*\*\* ?START OF TH[^\n]*\n", re.MULTILINE)
_LAST: Final = re.compile(r"^\*\*\* ?END OF TH", re.MULTILINE)


def body(text: str) -> str:
    r"""Return a text without the licence that Project Gutenberg puts around its books.

    >>> body("Title\n*** START OF THE PROJECT GUTENBERG EBOOK X ***\nIt was.\n*** END OF THE PROJECT …\nLicence")
    'It was.\n'
    """
    start, end = _FIRST.search(text), _LAST.search(text)
    return text[start.end() if start else 0 : end.start() if end else len(text)]


# -- the generated texts as files, for those who want to measure by other means ----------------------------------------


_README: Final = "README.txt"
COUNT: Final = 410
"""Documents of the largest collection of report A."""
_BOOKS: Final = (430_000, 600_000, 725_000)
"""The sizes of the texts of report A: novels of 430 to 725 kB."""


def write_collections(setup: Setup, folder: str, count: int = COUNT) -> Iterator[tuple[str, str]]:
    """Write each collection into a folder of its own; give its path and what it is when it is written.

    `count` is the number of documents of the largest one.
    """
    written = []
    for name, (what, texts) in _collections(setup, count).items():
        place = Path(folder) / name
        place.mkdir(parents=True, exist_ok=True)
        for file, text in texts.items():
            with new_file(place / file, private=False) as stream:
                stream.write(f"{text}\n".encode())
        written.append(f"{name}/  {what}\n")
        yield str(place), what
    base = "the built-in text" if setup.text is None else "texts of its own" if setup.more else "a text of its own"
    head = f"The texts of the experiments of lookalike, made from seed {setup.seed} and {base}.\n"
    foot = "The same seed gives the same files.\n"
    with new_file(Path(folder) / _README, private=False) as stream:
        stream.write("\n".join((head, "".join(written), foot)).encode())


def _collections(setup: Setup, count: int) -> dict[str, tuple[str, dict[str, str]]]:
    pair = pair_of_similarity(setup, 0.6, 9)
    books = {f"{size // 1000}-kB.txt": book(setup, size, str(size)) for size in _BOOKS}
    sides = {
        f"pair-{number}-{side}.txt": text
        for number, texts in enumerate(pairs(setup), start=1)
        for side, text in zip("ab", texts, strict=True)
    }
    return {
        "base": (f"the base text, {len(words(setup))} words", {"base.txt": base_text(setup)}),
        "shuffles-20": ("20 shuffles of the base text, 190 pairs (report A, §8.1)", _numbered(setup, 20)),
        f"shuffles-{count}": (
            f"{count} shuffles of the base text, begun alike (report A, §8.3)",
            _numbered(setup, count),
        ),
        "pair-60": (
            "two texts whose character 9-shingles have Jaccard similarity 0.6 (report A, §8.4)",
            {"a.txt": pair[0], "b.txt": pair[1]},
        ),
        "pairs": ("5 random pairs of shuffles (report B, §7)", sides),
        "books": (f"3 texts as long as novels, {_origin(setup)} (report A, §7.1)", books),
    }


def _origin(setup: Setup) -> str:
    given = [text for text in (setup.text, *setup.more) if text is not None and len(text) >= _BOOKS[0]]
    return (
        "parts of texts that were given where those are long enough"
        if given
        else "invented, with repeats as in English"
    )


def _numbered(setup: Setup, count: int) -> dict[str, str]:
    texts = permutations(setup, count)
    return {f"shuffle-{number:03}.txt": text for number, text in enumerate(texts)}
