"""The generated texts as files, with a page that says what they are: for those who want to measure by other means."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from lookalike.experiments import data
from lookalike.tables.output_files import new_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lookalike.experiments.experiment import Setup

__all__ = ["COUNT", "write_collections"]

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
    foot = "Items are those of the checklist of the source reports. The same seed gives the same files.\n"
    with new_file(Path(folder) / _README, private=False) as stream:
        stream.write("\n".join((head, "".join(written), foot)).encode())


def _collections(setup: Setup, count: int) -> dict[str, tuple[str, dict[str, str]]]:
    pair = data.pair_of_similarity(setup, 0.6, 9)
    books = {f"{size // 1000}-kB.txt": data.book(setup, size, str(size)) for size in _BOOKS}
    pairs = {
        f"pair-{number}-{side}.txt": text
        for number, texts in enumerate(data.pairs(setup), start=1)
        for side, text in zip("ab", texts, strict=True)
    }
    return {
        "base": (f"the base text, {len(data.words(setup))} words", {"base.txt": data.base_text(setup)}),
        "shuffles-20": ("20 shuffles of the base text, 190 pairs (items 50, 51, 70)", _numbered(setup, 20)),
        f"shuffles-{count}": (
            f"{count} shuffles of the base text, begun alike (items 51, 72)",
            _numbered(setup, count),
        ),
        "pair-60": (
            "two texts whose character 9-shingles have Jaccard similarity 0.6 (items 51, 73)",
            {"a.txt": pair[0], "b.txt": pair[1]},
        ),
        "pairs": ("5 random pairs of shuffles (items 51, 75)", pairs),
        "books": (f"3 texts as long as novels, {_origin(setup)} (item 49)", books),
    }


def _origin(setup: Setup) -> str:
    given = [text for text in (setup.text, *setup.more) if text is not None and len(text) >= _BOOKS[0]]
    return (
        "parts of texts that were given where those are long enough"
        if given
        else "invented, with repeats as in English"
    )


def _numbered(setup: Setup, count: int) -> dict[str, str]:
    texts = data.permutations(setup, count)
    return {f"shuffle-{number:03}.txt": text for number, text in enumerate(texts)}
