"""The native core. Private: use the functions of `lookalike`. Arrays come and go as little-endian bytes."""

from collections.abc import Callable
from typing import Any, TypeAlias, final

__all__ = [
    "BandBuckets",
    "CharProperties",
    "Settings",
    "SignatureMatrix",
    "Signer",
    "TableError",
    "TableFile",
    "at_least",
    "avalanche",
    "build_info",
    "char_properties",
    "classes_of",
    "closest",
    "common",
    "counts",
    "elements",
    "family_value",
    "filter_pairs",
    "find",
    "grouped",
    "hash_vec32",
    "hash_vec64",
    "jenkins_mix",
    "least_scores",
    "linked",
    "merge_pairs",
    "murmur3_32",
    "overlap",
    "passages",
    "principals",
    "score_between",
    "sets_of",
    "shingles",
    "sign_batch",
    "spread",
    "star",
    "take_texts",
    "units",
    "verify_pairs",
    "with_copies",
]

# A list of str, or of packed UTF-8: (64-bit offsets, data, first, count), the layout of Arrow's large_string.
_Texts: TypeAlias = list[str] | list[tuple[Any, Any, int, int]]

# Number, rows, the row of each text, texts, their ids, and (row, reason, id) of what has no text.
_Chunk: TypeAlias = tuple[
    int, int, list[int], list[str], list[int] | list[str] | None, list[tuple[int, str, int | str | None]]
]
# Pairs: a and b (32 bits), jaccard, containment_a, containment_b (floats of 64 bits); sorted by a, then b.
_Pairs: TypeAlias = tuple[bytes, bytes, bytes, bytes, bytes]

@final
class CharProperties:
    """What the core knows of a code point."""

    @property
    def word_break(self) -> str: ...
    @property
    def extended_pictographic(self) -> bool: ...
    @property
    def white_space(self) -> bool: ...
    @property
    def mark(self) -> bool: ...
    @property
    def decimal(self) -> bool: ...
    @property
    def combining_class(self) -> int: ...
    @property
    def lower(self) -> int: ...

@final
class Settings:
    """The settings of a `Recipe`, translated once."""

    def __new__(
        cls,
        *,
        unit: str,
        k: int,
        bag: bool,
        lowercase: bool,
        whitespace: str,
        punctuation: str,
        accents: str,
        digits: str,
        stop_words: list[str],
        form: str,
        sketch: str,
        family: str,
        hashes: int,
        seed: int,
    ) -> Settings: ...

@final
class SignatureMatrix:
    """Signatures of a collection, one row a document."""

    @staticmethod
    def of_texts(texts: _Texts, settings: Settings, threads: int) -> SignatureMatrix: ...
    @staticmethod
    def of_sets(sets: list[list[int]], settings: Settings, threads: int) -> SignatureMatrix: ...
    @staticmethod
    def of_bytes(data: bytes, hashes: int) -> SignatureMatrix: ...
    def to_bytes(self) -> bytes: ...
    def __len__(self) -> int: ...
    def slots(self, i: int) -> list[int]: ...
    def agreeing(self, i: int, j: int) -> int: ...
    def union(self, rows: list[int]) -> SignatureMatrix: ...
    def band_keys(self, bands: int, rows: int, key: str, threads: int) -> bytes: ...
    def candidates(self, bands: int, rows: int, key: str, threads: int) -> tuple[bytes, list[tuple[int, int]]]: ...

def units(text: str, settings: Settings) -> list[tuple[str, int, int]]:
    """Units: (normalised text, first code point, code point after the last)."""

def shingles(text: str, settings: Settings) -> list[tuple[str, int, int]]:
    """Shingles in order, repeats included: (text, first code point, code point after the last)."""

def elements(text: str, settings: Settings) -> list[int]:
    """The document as a sorted list of distinct 64-bit elements."""

def overlap(a: str, b: str, settings: Settings) -> tuple[int, int, int]:
    """(shared elements, elements of a, elements of b)."""

def counts(a: str, b: str, settings: Settings) -> tuple[int, int, float, float, float]:
    """Sums over shingle counts: (Σ min, Σ max, Σ product, Σ a², Σ b²)."""

def passages(a: str, b: str, settings: Settings, least: int) -> list[tuple[int, int, int, int, int]]:
    """Shared passages: (start in a, end in a, start in b, end in b, units), in code points."""

@final
class Signer:
    """Signs the batches of a collection while the rest of it is read, on whichever thread they are given to it."""

    def __new__(cls, settings: Settings, ignored: list[int]) -> Signer: ...
    def add(self, number: int, texts: _Texts) -> None:
        """Sign the texts of batch `number`, on this thread."""

    def stop(self) -> None:
        """Let every `add` end soon, by KeyboardInterrupt."""

    def __len__(self) -> int: ...

class TableError(Exception):
    """What the native reader of tables cannot read; rows and lines are counted from 0."""

    kind: str
    line: int | None
    errno: int | None

@final
class TableFile:
    """A Parquet or JSON Lines file, read a chunk at a time on several threads."""

    @staticmethod
    def open(path: str, form: str, compression: str | None = None) -> TableFile:
        """Open a file; form is 'parquet' or 'jsonl', compression 'gz' or 'zst'."""

    def columns(self) -> list[tuple[str, str]]:
        """Names and kinds: 'text', 'bytes', 'integer', 'null', 'mixed' or 'other'."""

    def rows(self) -> int | None: ...
    def read(self, text: str, own_id: str | None, threads: int) -> list[_Chunk]:
        """All chunks in the order of the file, for tests."""

    def fetch(
        self, text: str, own_id: str | None, wanted: list[tuple[int, list[int]]], threads: int
    ) -> list[tuple[int, int, str]]:
        """Some documents again, by chunk and index, for tests."""

def find(
    texts: _Texts,
    settings: Settings,
    *,
    threshold: float,
    method: str,
    metric: str,
    bands: int,
    rows: int,
    least: int,
    old_from: int,
    ignored: list[int],
    threads: int,
    signer: Signer | None = None,
    progress: Callable[[str, int, int], object] | None = None,
) -> dict[str, Any]:
    """Verified pairs of a collection: class, a, b, jaccard, containment_a, containment_b, candidates.

    What a signer has signed are the first of the texts; it has nothing any more afterwards.
    """

def common(texts: _Texts, settings: Settings, least: int, threads: int) -> list[int]:
    """Shingles that at least so many of the texts have, sorted."""

@final
class BandBuckets:
    """The buckets of one band, given out as packed pairs."""

    def __new__(cls, keys: bytes, class_: bytes, old_from: int) -> BandBuckets: ...
    def next(self, most: int) -> bytes: ...

def sign_batch(
    texts: _Texts, settings: Settings, ignored: list[int], bands: int, rows: int, threads: int
) -> tuple[bytes, bytes, list[bytes]]:
    """A batch of texts: signatures, digests (two 64-bit numbers each), the 64-bit keys of each band."""

def classes_of(digests: bytes) -> bytes:
    """For each document the first one with an equal digest."""

def merge_pairs(pairs: bytes) -> bytes:
    """Packed pairs (the smaller number in the upper 32 bits), sorted, each once."""

def filter_pairs(
    pairs: bytes,
    *,
    first_a: int,
    signatures_a: bytes,
    first_b: int,
    signatures_b: bytes,
    hashes: int,
    least: int,
    threads: int,
) -> bytes:
    """The packed pairs with at least `least` slots that agree."""

def sets_of(texts: _Texts, wanted: bytes, settings: Settings, ignored: list[int], threads: int) -> tuple[bytes, bytes]:
    """The element sets of the texts that `wanted` marks: (64-bit sizes, all 64-bit elements)."""

def verify_pairs(
    pairs: bytes,
    block_a: tuple[bytes, bytes, bytes],
    block_b: tuple[bytes, bytes, bytes],
    settings: Settings,
    *,
    metric: str,
    threshold: float,
    threads: int,
) -> dict[str, Any]:
    """The verified among packed pairs. A block: document numbers, starts of their sets and the end, elements."""

def linked(documents: int, a: bytes, b: bytes) -> bytes:
    """For each document the least number of its linked group."""

def star(class_: bytes, a: bytes, b: bytes, order: bytes, /) -> bytes:
    """For each document the principal of its star."""

def take_texts(packed: tuple[Any, Any, int, int], places: bytes) -> list[str]:
    """The packed texts at these places, 32 bits each."""

def principals(class_: bytes, pairs: _Pairs, order: bytes, linkage: str, containment: bool, old_from: int) -> bytes:
    """For each document its principal, where documents from `old_from` on are old."""

def grouped(principal: bytes, old_from: int) -> tuple[bytes, bytes, bytes]:
    """The groups that principals make: members group after group, starts and the end, principals."""

def least_scores(class_: bytes, pairs: _Pairs, grouping: tuple[bytes, bytes, bytes], containment: bool) -> bytes:
    """The least score of a member of each group to its principal; not a number if one is unknown."""

def at_least(pairs: _Pairs, threshold: float, containment: bool) -> _Pairs:
    """The pairs at or above a threshold."""

def closest(pairs: _Pairs, most: int, containment: bool) -> _Pairs:
    """The closest pairs: by score, then Jaccard, then place."""

def with_copies(class_: bytes, pairs: _Pairs, old_from: int, most: int) -> tuple[_Pairs, bool]:
    """The pairs with those of copies, and whether these are all: of more than `most`, those with their first."""

def score_between(class_: bytes, pairs: _Pairs, x: bytes, y: bytes, containment: bool) -> bytes:
    """The score of each two documents: 1 between copies, not a number where there is no pair."""

def char_properties(code_point: int) -> CharProperties:
    """Properties of a code point as the core sees them."""

def murmur3_32(data: bytes, seed: int) -> int:
    """MurmurHash3_x86_32."""

def jenkins_mix(a: int, b: int, c: int) -> int:
    """Robert Jenkins' 96-bit mix, third word."""

def hash_vec32(values: list[int]) -> int:
    """`hash_vec` of the source report in 32 bits."""

def hash_vec64(values: list[int]) -> int:
    """`hash_vec` of the source report in 64 bits."""

def family_value(name: str, i: int, key: int, seed: int) -> int:
    """Value of function `i` of a family at a 32-bit key."""

def avalanche(name: str, samples: int, seed: int) -> list[list[float]]:
    """Share of flipped output bits for each flipped input bit, 32 × 32."""

def spread(name: str, keys: int, buckets: int, seed: int) -> list[int]:
    """Number of the keys 0 … keys − 1 in each bucket."""

def build_info() -> dict[str, Any]:
    """How this module was built and what it runs on."""
