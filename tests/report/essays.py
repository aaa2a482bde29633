"""A made-up class for tests of the report: essays on one task, with copying of several kinds in them."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import Final

from lookalike.documents.metadata import Metadata

__all__ = ["MOSAIC", "TASK", "essays", "metadata", "old_essays", "with_mosaic"]

TASK: Final = (
    "Essay task: describe how a place that you know has changed in the last hundred years. Use your own words and name "
    "your sources."
)
_WHO: Final = [
    "The river",
    "Our village",
    "The old mill",
    "A careful reader",
    "The committee",
    "My grandmother",
    "The newspaper",
    "Every engineer",
    "The harbour",
    "A young teacher",
    "The weather",
    "The council",
    "The museum",
    "The bridge",
    "The library",
    "A fisherman",
]
_DID: Final = [
    "changed",
    "remembered",
    "described",
    "rebuilt",
    "questioned",
    "surprised",
    "supported",
    "ignored",
    "measured",
    "celebrated",
    "delayed",
    "followed",
    "shaped",
    "explained",
    "crossed",
    "recorded",
]
_WHAT: Final = [
    "the narrow valley",
    "a long winter",
    "the first result",
    "every small detail",
    "the noisy market",
    "an unlikely friendship",
    "the broken clock",
    "a quiet protest",
    "the shared water",
    "a forgotten letter",
    "the evening train",
    "a simple machine",
    "the northern coast",
    "the price of bread",
    "a public promise",
    "the last harvest",
]
_HOW: Final = [
    "before the snow melted",
    "although nobody had asked",
    "because the evidence was thin",
    "while the children slept",
    "after years of argument",
    "with more patience than skill",
    "in spite of the cost",
    "as the photographs show",
    "until the money ran out",
    "when the bells rang",
    "without a single witness",
    "for reasons that remain unclear",
]
_QUOTE: Final = (
    "As the chronicle says, “the bells of the lower town were silent for eleven days, and no boat dared to leave the "
    "harbour before the water had fallen”."
)
_REFERENCES: Final = "References\n\nWeber, A. (1998). A History of the Lower Town. Harbour Press, pp. 3.\n"
NAMES: Final = ["Adams", "Baker", "Chen", "Diaz", "Evans", "Fischer", "Garcia", "Haddad", "Ivanova", "Jansen"]


def _sentences(rng: random.Random, number: int) -> list[str]:
    parts = (_WHO, _DID, _WHAT, _HOW)
    return [" ".join(rng.choice(part) for part in parts) + "." for _ in range(number)]


def _changed(rng: random.Random, sentences: list[str]) -> list[str]:
    """Change a word of every second sentence: what a careless copier does."""
    made = []
    for place, sentence in enumerate(sentences):
        words = sentence.split()
        if place % 2:
            words[rng.randrange(2, len(words) - 1)] = rng.choice(("certainly", "perhaps", "really"))
        made.append(" ".join(words))
    return made


def _text(sentences: list[str], *, quoting: bool) -> str:
    paragraphs = [TASK, *(" ".join(sentences[i : i + 5]) for i in range(0, len(sentences), 5))]
    if quoting:
        paragraphs[2:2] = [_QUOTE]
        paragraphs.append(_REFERENCES)
    return "\n\n".join(paragraphs)


def essays(number: int = 20) -> dict[str, str]:
    """Return the essays: 7 is a copy of 3, 12 a changed one, 15 begins like it, and 18 is 17 with its order turned."""
    rng = random.Random(3)
    own = [_sentences(rng, 20) for _ in range(number)]
    own[7] = list(own[3])
    own[12] = _changed(rng, own[3])
    own[15] = own[3][:12] + own[15][:8]
    own[18] = own[17][10:] + own[17][:10]
    return {name_of(i): _text(sentences, quoting=i % 4 == 3) for i, sentences in enumerate(own)}


MOSAIC: Final = "mosaic-zoë.txt"


def with_mosaic() -> dict[str, str]:
    """Return the essays and one that is put together from three of them, four sentences of each, with some of its own.

    Each of its pairs is far below any usual threshold.
    """
    texts = essays()
    rng = random.Random(21)
    own = _sentences(rng, 10)
    parts = [" ".join(_sentences_of(texts[name_of(number)])[6:10]) for number in (1, 8, 10)]
    return {**texts, MOSAIC: "\n\n".join([own[0], parts[0], own[1], parts[1], own[2], parts[2], " ".join(own[3:])])}


def _sentences_of(text: str) -> list[str]:
    return [f"{sentence}." for sentence in " ".join(text.removeprefix(TASK).split()).removesuffix(".").split(". ")]


def name_of(number: int) -> str:
    """Return the id of an essay."""
    return f"essay-{number:02d}-{NAMES[number % 10].lower()}.txt"


def old_essays() -> dict[str, str]:
    """Return last year's essays: the first is what essay 5 was copied from."""
    rng = random.Random(9)
    return {"2025/lind.txt": essays()[name_of(5)], "2025/moe.txt": _text(_sentences(rng, 20), quoting=False)}


def metadata(number: int = 20) -> dict[str, Metadata]:
    """Return a name, an author, a time and a label for each essay."""
    start = datetime(2026, 3, 1, 8, tzinfo=UTC)
    return {
        name_of(i): Metadata(
            name=f"{NAMES[i % 10]}, essay {i}",
            author=f"{NAMES[i % 10]} {'AB'[i // 10 % 2]}.",
            date=start + timedelta(hours=7 * (number - i)),
            label=f"class {'ab'[i % 2]}",
        )
        for i in range(number)
    }
