"""The native core. Private: use the functions of `lookalike`. Arrays come and go as little-endian bytes."""

import os
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, final

from typing_extensions import Buffer

__all__ = [
    "CharProperties",
    "Common",
    "Input",
    "Intake",
    "Postings",
    "Repeats",
    "Settings",
    "SignatureMatrix",
    "Spilled",
    "Strategy",
    "TableError",
    "TableFile",
    "agree",
    "at_least",
    "avalanche",
    "bad_lines",
    "build_info",
    "char_properties",
    "closest",
    "closest_rows",
    "confirm_copies",
    "counts",
    "elements",
    "entries_of",
    "family_value",
    "fetch_texts",
    "grouped",
    "hash_vec32",
    "hash_vec64",
    "hot_pairs",
    "jenkins_mix",
    "join_texts",
    "json_groups",
    "json_pairs",
    "least_scores",
    "limits",
    "linked",
    "merge_entries",
    "murmur3_32",
    "numbers_in",
    "overlap",
    "passages",
    "posting_keys",
    "principals",
    "propose",
    "repeated_in",
    "score_between",
    "search",
    "sets_of",
    "shared_in_long_runs",
    "shingles",
    "sign_rows",
    "spread",
    "star",
    "take_texts",
    "units",
    "verify",
    "verify_sets",
    "with_copies",
]

# A list of str, or of packed UTF-8: (64-bit offsets, data, first, count), the layout of Arrow's large_string.
_Texts: TypeAlias = list[str] | list[tuple[Any, Any, int, int]]

# Number, rows, the row of each text, texts, their ids, and (row, reason, id) of what has no text.
_Chunk: TypeAlias = tuple[
    int,
    int,
    list[int],
    list[str],
    list[int] | list[str] | None,
    list[tuple[int, str, int | str | None, int | str | None]],
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
    def default_ignorable(self) -> bool: ...
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
        invisible: str,
        form: str,
        sketch: str,
        family: str,
        hashes: int,
        seed: int,
    ) -> Settings: ...

_Left: TypeAlias = tuple[bytes, bytes, tuple[bytes, bytes, bytes, bytes, bytes]]

@final
class Repeats:
    """Parts or passages of a collection that occurred before: add all texts, find, then cut all texts."""

    def __new__(
        cls, settings: Settings, *, by: str, least: int, secret: int, memory: int, folder: str | os.PathLike[str]
    ) -> Repeats: ...
    def add(self, texts: _Texts, threads: int) -> None:
        """Take the next texts."""

    def find(self, progress: Callable[[str, int, int], None] | None = None) -> None:
        """Find the repeats, when all texts were added."""

    def cut(self, texts: _Texts, threads: int) -> _Left | int:
        """Cut the next texts, in the order in which they were added; or the place of one that has changed.

        Offsets and data of what is left; of each cut the text (32 bits), its first code point, the one after its last,
        its words (64 bits each), and the document that keeps it (32 bits).
        """

    def rewind(self) -> None:
        """Begin to cut anew, from the first text."""

@final
class Postings:
    """Which documents have a key: a table in memory. Numbers have 32 bits; each has as many keys of 64 as bands."""

    def __new__(cls, bands: int) -> Postings: ...
    def insert(self, numbers: bytes, keys: Buffer) -> None: ...
    def remove(self, numbers: bytes) -> None:
        """Meet these documents no longer; their entries stay."""

    def meet(self, keys: Buffer, most: int) -> tuple[bytes, bytes, list[int]]:
        """The documents that share a key with each query: queries, documents, and queries that met too many.

        Of a key that more than `most` documents have, the first so many are met.
        """

    def size(self) -> int:
        """How much memory it takes."""

def posting_keys(keys: Buffer, bands: int) -> bytes:
    """Keys of `sign_rows` with the band as a part of each."""

def entries_of(numbers: bytes, keys: Buffer, bands: int) -> bytes:
    """The entries of documents, 12 bytes each: key, number; sorted."""

def merge_entries(parts: Sequence[Buffer], least: int, greatest: int, removed: bytes) -> bytes:
    """Entries with keys from `least` to `greatest`, sorted, each once, without removed documents (ascending)."""

def numbers_in(pages: Sequence[Buffer], keys: Buffer) -> tuple[bytes, bytes]:
    """For each page the documents that it has under a key, as many pages as keys: which page, which document."""

def closest_rows(slots: Buffer, rows: Buffer, least: int, most: int) -> tuple[bytes, bytes]:
    """The rows of slots that agree best with one, best first: places, and slots that agree."""

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
class Strategy:
    """Everything that decides what a search finds, translated once."""

    def __new__(
        cls,
        settings: Settings,
        *,
        threshold: float,
        method: str,
        metric: str,
        bands: int,
        rows: int,
        least: int,
        ignored: list[int],
        drops_excluded: bool = False,
        min_units: int | None = None,
        limits: tuple[int, int] | None = None,
        max_pairs: int = 0,
        memory: int = ...,
    ) -> Strategy: ...

class TableError(Exception):
    """What the native reader of tables cannot read; rows and lines are counted from 0."""

    kind: str
    line: int | None
    errno: int | None

@final
class TableFile:
    """A Parquet or JSON Lines file, read a chunk at a time on several threads."""

    @staticmethod
    def open(
        path: str, form: str, compression: str | None = None, limits: tuple[int, int, int, int] | None = None
    ) -> TableFile:
        """Open a file; form is 'parquet' or 'jsonl', compression 'gz' or 'zst'.

        `limits`: bytes of a document, times that a file may expand, bytes that it always may, columns. Default: none.
        """

    def columns(self) -> list[tuple[str, str]]:
        """Names and kinds: 'text', 'bytes', 'integer', 'null', 'mixed' or 'other'."""

    def rows(self) -> int | None: ...
    def read(self, text: str, own_id: str | None, threads: int) -> list[_Chunk]:
        """All chunks in the order of the file, for tests."""

    def fetch(
        self, text: str, own_id: str | None, wanted: list[tuple[int, list[int]]], threads: int
    ) -> list[tuple[int, int, str]]:
        """Some documents again, by chunk and index, for tests."""

def bad_lines(lines: bytes | bytearray) -> list[tuple[int, str, int]]:
    """Those that are no JSON object, among whole lines: number, what is wrong, and at which character (or byte)."""

@final
class Input:
    """Documents to be searched: read once from the first to the last, then asked for some of them again."""

    @staticmethod
    def of_texts(texts: _Texts) -> Input: ...
    @staticmethod
    def of_table(table: TableFile, text: str, own_id: str | None = None) -> Input: ...
    @staticmethod
    def of_source(source: Any) -> Input:
        """Of an object with `batches()`, which gives packed UTF-8, and `fetch(numbers)`, which takes 32-bit numbers as
        bytes and gives some of them with their texts, packed.
        """

    def text_bytes(self) -> int | None:
        """How many bytes of text a table has, as its file says before it is read; None where that is not known."""

def fetch_texts(given: Input, documents: int, numbers: bytes, threads: int, most: int) -> list[tuple[int, str]]:
    """Some documents of an input, which has so many and has been read, with their numbers (32 bits); not of a list.

    What goes beyond `most` bytes is left out, and to be asked for again; one document at least is given.
    """

@final
class Intake:
    """Takes the documents of a search: each is signed and let go."""

    def __new__(cls, strategy: Strategy, keep: str, most: int = 0, spill: Any = None) -> Intake:
        """`keep`: "rows" for bands, "sets" for a join, "auto" for sets of up to `most` code points of text and rows
        beyond, "digests" for a join of what does not fit the memory. `spill` keeps rows in a file.
        """

    def add(
        self, given: Input, threads: int, progress: Callable[[str, int, int], object] | None = None
    ) -> dict[str, Any]:
        """Read an input, behind those that were read before: how many documents it has, how many of these have
        invisible characters inside words ("unseen"), and of a table what is known of its rows.
        """

    def finish(self, threads: int) -> tuple[bool, bytes]:
        """All inputs are read. Gives whether signatures were kept, and the length of each text as 64-bit numbers."""

    def code_points(self) -> int: ...

@final
class Spilled:
    """Rows in a work folder, to be searched stage by stage."""

    def __new__(
        cls,
        path: str | os.PathLike[str],
        entries: list[tuple[int, int, int, int]],
        strategy: Strategy,
        counts: list[int],
        memory: int,
    ) -> Spilled: ...
    def lengths(self) -> bytes: ...
    def candidates(
        self,
        strategy: Strategy,
        old_from: int,
        threads: int,
        progress: Callable[[str, int, int], object] | None = None,
    ) -> tuple[bytes, bytes]:
        """Packed pairs as 64-bit numbers, and hot documents as 32-bit numbers."""

    def verify(
        self,
        strategy: Strategy,
        inputs: list[Input],
        pairs: bytes,
        hot: bytes,
        work: Any,
        *,
        old_from: int,
        order: bytes | None,
        threads: int,
        progress: Callable[[str, int, int], object] | None = None,
    ) -> dict[str, Any]:
        """Verified pairs from the candidates. `work` keeps what is done: `verified() -> (portions, bytes)`,
        `add(bytes)`.
        """

@final
class Common:
    """Counts the shingles of a collection, in two passes."""

    def __new__(cls, settings: Settings, drops_excluded: bool) -> Common: ...
    def add(self, given: Input, threads: int, progress: Callable[[str, int, int], None] | None = None) -> int:
        """Read an input; gives the number of its documents."""

    def count_exactly(self, least: int) -> None:
        """Begin the second pass: count what may be in at least so many documents."""

    def found(self) -> list[int]:
        """The shingles that at least so many documents have, sorted."""

def search(
    intake: Intake,
    strategy: Strategy,
    inputs: list[Input],
    *,
    old_from: int,
    order: bytes | None,
    threads: int,
    progress: Callable[[str, int, int], object] | None = None,
) -> dict[str, Any]:
    """Verified pairs of the documents that an intake has taken from these inputs.

    class, a, b, jaccard, containment_a, containment_b as bytes; candidates, hot, in_part; seconds by stage. `short`
    pairs share only passages that are too short to count; `short_pairs` has the columns of the closest of them.
    """

def limits(documents: int, max_pairs: int = 0) -> tuple[int, int]:
    """How many pairs buckets may propose, and how many may be listed, before clusters of so many documents are hot."""

def sign_rows(texts: _Texts, strategy: Strategy, threads: int) -> tuple[bytes, bytes, bytes, bytes, bytes]:
    """Digests (24 bytes), shingles (32 bits), lengths and keys (64 bits), slots (bytes): document by document."""

def propose(
    rows: tuple[Buffer, Buffer, Buffer],
    strategy: Strategy,
    *,
    classes: Buffer | None,
    old_from: int | None,
    threads: int,
) -> tuple[bytes, bytes, bytes, bytes]:
    """Candidates among rows (digests, keys, slots): a and b of each pair, classes, hot documents; all in 32 bits."""

def agree(a: Buffer, b: Buffer, hashes: int) -> bytes:
    """In how many slots each row of one column agrees with the same row of another, in 32 bits."""

def sets_of(texts: _Texts, strategy: Strategy, threads: int) -> tuple[bytes, bytes]:
    """The elements of each text that count: where each begins and the last ends, all elements; in 64 bits."""

def verify(a: Buffer, b: Buffer, texts: _Texts, strategy: Strategy, threads: int) -> dict[str, bytes]:
    """The pairs of texts that the strategy looks for: a, b, jaccard, containment_a, containment_b."""

def verify_sets(
    a: Buffer, b: Buffer, sets: tuple[Buffer, Buffer], strategy: Strategy, threads: int
) -> dict[str, bytes]:
    """The same for documents whose elements are given as `sets_of` gives them."""

def confirm_copies(classes: Buffer, texts: _Texts, strategy: Strategy, threads: int) -> bytes:
    """The classes without copies whose shingles are others than those of their first."""

def hot_pairs(
    hot: Buffer,
    classes: Buffer,
    pairs: tuple[Buffer, Buffer],
    texts: _Texts,
    strategy: Strategy,
    *,
    order: bytes | None,
    old_from: int | None,
    threads: int,
) -> dict[str, bytes]:
    """The pairs of hot documents with their representatives, and a few more, beside pairs that are verified."""

def shared_in_long_runs(a: str, b: str, strategy: Strategy) -> int:
    """How many shingles two texts share, as far as they count by the `min_units` of the strategy."""

def linked(documents: int, a: bytes, b: bytes) -> bytes:
    """For each document the least number of its linked group."""

def star(class_: bytes, a: bytes, b: bytes, order: bytes, /) -> bytes:
    """For each document the principal of its star."""

def json_groups(principals: list[str], members: list[str], starts: bytes, between: str, /) -> str:
    """JSON objects of groups, whose ids are JSON already, one text for all."""

def json_pairs(a: list[str], b: list[str], names: Sequence[str], scores: Sequence[bytes], between: str, /) -> str:
    """JSON objects of pairs, whose ids are JSON already, one text for all; `names` are the keys of the scores."""

def join_texts(parts: list[tuple[Any, Any, int, int]]) -> tuple[bytes, bytes]:
    """Packed texts one behind the other: their offsets and their data."""

def repeated_in(packed: tuple[Any, Any, int, int]) -> tuple[int, int] | None:
    """The first packed text that was there before, and where: (before, text)."""

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
