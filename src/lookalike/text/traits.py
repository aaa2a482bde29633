"""What kind of text a collection has: its script, source code, marks above letters, noise, the length of documents.

All of it is decided by properties of the text itself, whatever the language, so that the right recipe can be chosen for
texts that nobody has seen before.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Traits", "is_code", "misspelt", "same_but_for_letters", "traits_of"]

LOOKED_AT: Final = 4000
"""Characters of each document, from its start, that are examined."""
_WORDS: Final = 100_000
"""Words of a collection that are checked for misspellings."""
_LONG: Final = 7
"""Letters of a word that is hardly similar to another by chance."""
_FREQUENT: Final = 5
_RARE: Final = 2
_ALIKE: Final = 0.6
"""From this similarity on, two pieces of text are the same, read or typed in two ways."""

_SUFFIXES: Final = frozenset(
    (
        *(
            "py",
            "pyw",
            "ipynb",
            "java",
            "kt",
            "kts",
            "scala",
            "groovy",
            "c",
            "h",
            "cc",
            "cpp",
            "cxx",
            "hh",
            "hpp",
            "cs",
        ),
        *(
            "js",
            "mjs",
            "jsx",
            "ts",
            "tsx",
            "go",
            "rs",
            "rb",
            "php",
            "swift",
            "sql",
            "sh",
            "bash",
            "pl",
            "pm",
            "lua",
            "r",
        ),
        *("r", "jl", "groovy", "hs", "ml", "clj", "ex", "exs", "erl", "dart", "m", "mm", "f90", "pas", "vb", "zig"),
    )
)
"""How the names of files with source code end."""
_SPACELESS: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u3130-\u318f\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
    "\uf900-\ufaff\U00020000-\U0003134f]"
)
"""Letters of Chinese, Japanese and Korean, and of Thai, Lao, Burmese and Khmer, which do not separate words either."""
_POINTED: Final = re.compile("[\u05d0-\u05ea\u0620-\u064a\u066e-\u06d3]")
_POINTS: Final = re.compile("[\u05b0-\u05c7\u064b-\u065f\u0670\u06d6-\u06ed]")
"""The vowel signs of Hebrew and Arabic, which some writers write and others omit."""
_CODE_LINE: Final = re.compile(
    r"""[;{}]\s*(?://.*|/\*.*)?$              # a statement or a block ends
    | ^\s*[}\])]+[;,)]*\s*$                   # nothing but closing brackets
    | ^\s*(?:\#include|\#define|\#!|//|/\*|\*/|@\w+\s*(?:\(|$))
    | ^\s*(?:import|from|package|using|require|namespace)\s+[\w.{*"'<]+.*(?:;|import\b.*|[\w"'>*])$(?<![.!?])
    | ^\s*(?:def|class|func|fn|function|sub|module|struct|interface)\s+\w+.*[:{(]\s*$
    | ^\s*(?:if|for|while|elif|else|switch|try|except|catch|with)\b.*[:{]\s*$
    | ^\s*(?:public|private|protected|static|const|let|var|final)\s+\w+.*[=({;:]
    | ^\s*return\b[^.]*$
    | ^\s*[\w.\[\]"']+\s*[-+*/|&:]?=(?!=)\s*\S   # an assignment
    | ^\s*[\w.]+\([^()]*\)?.*\)\s*$              # a call
    """,
    re.VERBOSE,
)
_SIGNS: Final = re.compile(r"[{}\[\];=<>*&|+\\_]|\w\(")
_TAG: Final = re.compile(r"</?[a-zA-Z]")


@dataclass(frozen=True, slots=True)
class Traits:
    """What the texts are like; shares are from 0 to 1."""

    documents: int
    words: float
    """The median number of words of a document."""
    spaceless: float
    """Of all letters, those of scripts without spaces between words (or with few letters to a word)."""
    code: float
    """Of all documents, those that are source code."""
    pointed: float
    """Vowel signs for each letter of Hebrew and Arabic; 0 where there are no such letters."""
    misspelt: float
    """Of the rare long words, those that differ from a frequent one in a single letter."""


def traits_of(texts: Sequence[str], names: Iterable[object] = ()) -> Traits:
    """Examine the beginning of each text; the ending of a file name shows whether it is source code.

    >>> found = traits_of(["本法自公布之日起施行。", "The law comes into force."])
    >>> round(found.spaceless, 2), found.code
    (0.33, 0.0)
    """
    heads = [text[:LOOKED_AT] for text in texts]
    whole = "".join(heads)
    letters = sum(map(str.isalpha, whole))
    pointed = len(_POINTED.findall(whole))
    by_name = [str(name).lower().rpartition(".")[2] in _SUFFIXES for name in names]
    by_name += [False] * (len(heads) - len(by_name))
    code = sum(named or is_code(head) for head, named in zip(heads, by_name, strict=True))
    return Traits(
        documents=len(heads),
        words=median(map(_words, texts)) if texts else 0.0,
        spaceless=len(_SPACELESS.findall(whole)) / letters if letters else 0.0,
        code=code / len(heads) if heads else 0.0,
        pointed=len(_POINTS.findall(whole)) / pointed if pointed * 10 > letters else 0.0,
        misspelt=misspelt(heads),
    )


def _words(text: str) -> int:
    """Return how many words a text has; in scripts without spaces each letter is one."""
    return len(text.split()) + len(_SPACELESS.findall(text))


def is_code(text: str) -> bool:
    r"""Return whether a text is source code, by the form of its lines.

    >>> is_code("def area(r):\n    x = r * r\n    return 3.14 * x\n"), is_code("Return it (soon).\nI did;\nhe did not.")
    (True, False)
    """
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > 2:
        return sum(_CODE_LINE.search(line[:300]) is not None for line in lines) >= 0.4 * len(lines)
    solid = len(text) - sum(map(str.isspace, text))
    return solid > 40 and len(_SIGNS.findall(text)) > 0.1 * solid and len(_TAG.findall(text)) < 0.01 * solid


def misspelt(texts: Iterable[str]) -> float:
    """Return the share of rare long words that differ from a frequent word in one letter, which is not the last.

    In clean text these are few; in text read by a machine every frequent word occurs in many wrong forms.
    """
    counted: Counter[str] = Counter()
    for text in texts:
        counted.update(re.findall(r"[^\W\d_]{5,}", text.lower()))
        if counted.total() > _WORDS:
            break
    frequent = {
        word[:place] + "*" + word[place + 1 :]
        for word, times in counted.items()
        if times >= _FREQUENT and len(word) >= _LONG
        for place in range(len(word) - 1)
    }
    rare = [word for word, times in counted.items() if times <= _RARE and len(word) >= _LONG]
    near = sum(any(f"{word[:at]}*{word[at + 1 :]}" in frequent for at in range(len(word) - 1)) for word in rare)
    return near / len(rare) if len(rare) >= 100 else 0.0


def same_but_for_letters(a: str, b: str) -> tuple[int, int]:
    """Return how many of the differences between two like texts are within words, and how many there are.

    >>> same_but_for_letters("the old house stood by the sea", "tbe old honse stood near the sea")
    (2, 3)
    """
    from difflib import SequenceMatcher

    of_a, of_b = (re.findall(r"\w+", text[:LOOKED_AT].lower()) for text in (a, b))
    within = differences = 0
    for kind, start, end, other, until in SequenceMatcher(None, of_a, of_b, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        differences += 1
        x, y = "".join(of_a[start:end]), "".join(of_b[other:until])
        if kind == "replace" and max(end - start, until - other) <= 4:
            within += SequenceMatcher(None, x, y, autojunk=False).ratio() >= _ALIKE
    return within, differences
