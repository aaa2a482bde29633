"""Repeated passages by a suffix array, as exact-substring tools find them: a second method, to check and compare with.

`python -m benchmarks.suffix_array` cuts passages of 50 words out of a generated collection, by the suffix array and by
lookalike, each in a process of its own, checks that both cut the same words, and prints the time and the memory.
"""

from __future__ import annotations

import subprocess
import sys
import time
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

__all__ = ["left_words"]

WORDS = 50
SIZES = (1000, 4000)


def left_words(documents: Sequence[Sequence[Hashable]], least: int) -> list[list[Hashable]]:
    """Return the words of each document without passages of `least` words that stand before them.

    >>> left_words(["abcde", "xbcdy"], 3)
    [['a', 'b', 'c', 'd', 'e'], ['x', 'y']]
    """
    text, starts = _joined(documents)
    gone = bytearray(len(text))
    for places in _equal_places(text, least):
        first = min(places)
        for place in places:
            if place >= first + least:
                gone[place : place + least] = b"\1" * least
    return [
        [word for at, word in enumerate(words, start) if not gone[at]]
        for words, start in zip(documents, starts, strict=True)
    ]


def _joined(documents: Sequence[Sequence[Hashable]]) -> tuple[list[int], list[int]]:
    """Return all words as numbers, with a number behind each document that is nowhere else, and where each begins."""
    numbers: dict[Hashable, int] = {}
    text: list[int] = []
    starts = []
    for document, words in enumerate(documents, 1):
        starts.append(len(text))
        text += [numbers.setdefault(word, len(numbers)) for word in words]
        text.append(-document)
    return text, starts


def _equal_places(text: list[int], least: int) -> list[list[int]]:
    """Return the places at which the same `least` words begin, for all that are at several."""
    suffixes = _suffix_array(text)
    common = _common_prefixes(text, suffixes)
    found: list[list[int]] = []
    for long, run in groupby(enumerate(common), lambda entry: entry[1] >= least):
        if long:
            rows = [row for row, _ in run]
            found.append(suffixes[rows[0] : rows[-1] + 2])
    return found


def _suffix_array(text: list[int]) -> list[int]:
    """Sort the suffixes by their first 1, 2, 4 … words (Manber and Myers 1990)."""
    rank = list(text)
    width = 1
    while True:
        second = rank[width:] + [-len(text) - 1] * min(width, len(text))
        keys = list(zip(rank, second, strict=True))
        order = sorted(range(len(text)), key=keys.__getitem__)
        new = 0
        for place, (key, run) in enumerate(groupby(order, keys.__getitem__)):
            del key
            for suffix in run:
                rank[suffix] = place
            new = place + 1
        if new == len(text):
            return order
        width *= 2


def _common_prefixes(text: list[int], suffixes: list[int]) -> list[int]:
    """Return how many words each suffix shares with the next one in their order (Kasai and others 2001)."""
    row = [0] * len(suffixes)
    for place, suffix in enumerate(suffixes):
        row[suffix] = place
    common = [0] * max(0, len(suffixes) - 1)
    length = 0
    for suffix, place in enumerate(row):
        if place + 1 == len(row):
            length = 0
            continue
        other = suffixes[place + 1]
        while max(suffix, other) + length < len(text) and text[suffix + length] == text[other + length]:
            length += 1
        common[place] = length
        length = max(0, length - 1)
    return common


# -- the measurement -----------------------------------------------------------------------------------------------


def _measured(method: str, documents: int) -> str:
    """Run one method; return its seconds, a digest of what is left, the memory it took in MB, and the sizes in MB."""
    import hashlib

    import lookalike as la
    from benchmarks import corpus

    texts = [" ".join(la.normalize(text).split()) for text in corpus.texts(documents, "latin")]
    la.drop_repeated_passages(texts[:1])  # loads what it needs
    before = _status("VmRSS")
    begun = time.perf_counter()
    if method == "suffix array":
        left = [" ".join(map(str, words)) for words in left_words([text.split() for text in texts], WORDS)]
    else:
        left = la.drop_repeated_passages(texts, words=WORDS, threads=1)
    seconds = time.perf_counter() - begun
    digest = hashlib.sha256("\0".join(left).encode()).hexdigest()[:16]
    size, kept = sum(map(len, texts)) / 1e6, sum(map(len, left)) / 1e6
    return f"{seconds:.2f} {digest} {_status('VmHWM') - before:.0f} {size:.1f} {size - kept:.2f}"


def _status(field: str) -> float:
    """Return what Linux says of the memory of this process, in MB."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines())
    return int(status[field].split()[0]) / 1000


def main() -> None:
    """Measure both methods, or one, as a child is told."""
    if len(sys.argv) > 1:
        print(_measured(sys.argv[1], int(sys.argv[2])))
        return
    for documents in SIZES:
        rows = []
        for method in ("suffix array", "lookalike"):
            command = [sys.executable, "-m", "benchmarks.suffix_array", method, str(documents)]
            found = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
            rows.append(found)
            seconds, _, peak, size, cut = found
            print(f"{documents} documents, {size} MB, {cut} MB cut: {method}: {seconds} s, {peak} MB")
        if len(set(map(itemgetter(1), rows))) > 1:
            sys.exit("the two methods leave different words")


if __name__ == "__main__":
    main()
