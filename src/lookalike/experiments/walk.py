"""The method step by step on texts of one's own: shingles, matrix, signature, bands, candidates, scores.

Everything is computed by the reference, with the small hash functions of the article, (a·x + b) mod p of the row number
x, so that each number can be checked by hand. This is the article's own example:

>>> seen = walk({"S1": "a d", "S2": "c", "S3": "b d e", "S4": "a c d"}, recipe=Recipe(unit="word"), k=1, hashes=2,
...             bands=2, functions=[(1, 1), (3, 1)], sort=True)
>>> seen.state(0), seen.state(2)
([[1, None, None, 1], [1, None, None, 1]], [[1, 3, 2, 1], [1, 2, 4, 1]])
>>> seen.signature
[[1, 3, 0, 1], [0, 2, 0, 0]]
>>> [(pair.a, pair.b, pair.estimate) for pair in seen.pairs][:2]
[(0, 1, 0.0), (0, 2, 0.5)]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations, islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lookalike import reference
from lookalike.engine.bands import Bands, check_bands
from lookalike.errors import LookalikeError, RecipeError, check_whole
from lookalike.recipe import Recipe
from lookalike.reference.text import units, windows

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Sequence

    Signature = list[list[int | None]]

__all__ = ["CHAR", "HASHES", "Pair", "Step", "Walk", "walk"]

CHAR: Final = Recipe(unit="char", k=3)
"""What texts are cut into unless a recipe is given: small shingles, of which a short text has several."""
HASHES: Final = 12
ROWS: Final = 2
MOST_HASHES: Final = 64
"""Up to here goes the slider for the number of hash functions, or further if more were asked for."""
MOST_DOCUMENTS: Final = 20
MOST_UNITS: Final = 20_000
"""More is neither read by anybody nor quick in slow, clear Python."""


class Step(NamedTuple):
    """One row of the matrix, and what it changes in the signatures."""

    row: int
    values: list[int]
    """What each hash function makes of the row number."""
    changes: list[tuple[int, int, int | None, int]]
    """Document, hash function, the number before (None is infinity) and after."""


class Pair(NamedTuple):
    """Two documents by number, and all that the steps say about them."""

    a: int
    b: int
    shared: int
    union: int
    jaccard: float
    estimate: float
    cosine: float
    euclidean: float
    bands: tuple[int, ...]
    """The bands in which both have the same numbers, counted from 0."""
    chance: float
    """With which probability a pair of this similarity becomes a candidate, if the hash functions were ideal."""
    finding: str
    """found, false positive, missed, or nothing."""


@dataclass(frozen=True)
class Walk:
    """The steps, each computed when it is asked for. In a notebook it shows itself."""

    names: tuple[str, ...]
    units: tuple[tuple[str, ...], ...]
    """The words or characters of each document, normalised."""
    recipe: Recipe
    """Its k and number of hashes are those of the walk."""
    bands: Bands
    functions_given: tuple[tuple[int, int], ...] = ()
    sort: bool = False

    @cached_property
    def shingles(self) -> list[list[str]]:
        """All shingles of each document in order, repeats included."""
        joiner = " " if self.recipe.unit == "word" else ""
        return [[joiner.join(window) for window in windows(of_one, self.recipe.k)] for of_one in self.units]

    @cached_property
    def elements(self) -> list[str]:
        """The rows of the matrix: every shingle once, in the order of first appearance, or sorted."""
        rows, _ = reference.characteristic_matrix(self.shingles)
        return sorted(rows) if self.sort else rows

    @cached_property
    def matrix(self) -> list[list[int]]:
        """The characteristic matrix: a row for each shingle, a column for each document."""
        sets = [set(of_one) for of_one in self.shingles]
        return [[int(element in column) for column in sets] for element in self.elements]

    @cached_property
    def prime(self) -> int:
        """The least prime that is not below the number of rows: then each function is a permutation of them."""
        return reference.next_prime(max(len(self.elements), 2) - 1)

    @cached_property
    def draws(self) -> list[tuple[int, int]]:
        """Random numbers from the seed, two for each hash function that the walk or its page may want."""
        stream = islice(reference.splitmix(self.recipe.seed), 2 * max(MOST_HASHES, self.recipe.hashes))
        return [(first >> 32, second >> 32) for first, second in zip(stream, stream, strict=True)]

    @cached_property
    def functions(self) -> list[tuple[int, int]]:
        """The a and b of each hash function (a·x + b) mod p: those that were given, then drawn ones.

        None is drawn twice as long as there are others: instead of it comes the next one, by b and then by a.
        """
        p, made = self.prime, list(self.functions_given)
        taken = set(made)
        for u, v in self.draws[len(made) :]:
            a, b = 1 + u % (p - 1), v % p
            while (a, b) in taken and len(taken) < p * (p - 1):
                b = (b + 1) % p
                a = a if b else 1 + a % (p - 1)
            made.append((a, b))
            taken.add((a, b))
        return made[: self.recipe.hashes]

    @cached_property
    def steps(self) -> list[Step]:
        """The rows in order, each with the changes that it makes to the signatures."""
        return list(self._steps())

    @cached_property
    def signature(self) -> Signature:
        """The signature matrix: a row for each hash function, a column for each document."""
        return reference.signature_matrix(self.matrix, self._callables)

    def state(self, row: int) -> Signature:
        """Return the signature matrix after a row of the matrix, counted from 0."""
        return next(islice(reference.signature_states(self.matrix, self._callables), row, None))

    @cached_property
    def candidates(self) -> set[tuple[int, int]]:
        """The pairs that have the same numbers in at least one band."""
        return reference.candidates(self._columns, self.bands.bands, self.bands.rows)

    @cached_property
    def threshold(self) -> float:
        """The article's threshold, (1/b)^(1/r)."""
        return self.bands.rule_threshold

    @cached_property
    def pairs(self) -> list[Pair]:
        """All pairs, with their scores and whether LSH found them."""
        return [self._pair(a, b) for a, b in combinations(range(len(self.names)), 2)]

    @cached_property
    def work(self) -> dict[str, int]:
        """How often something was done: what LSH does, and what it saves."""
        documents, hashes = len(self.names), self.recipe.hashes
        ones = sum(map(sum, self.matrix))
        return {
            "hash evaluations, each row once": len(self.elements) * hashes,
            "hash evaluations, anew for each document": ones * hashes,
            "band keys": self.bands.bands * documents,
            "comparisons of all pairs": documents * (documents - 1) // 2,
            "comparisons of candidates": len(self.candidates),
        }

    def page(self) -> str:
        """Return the page with sliders: one HTML file that needs nothing else."""
        from lookalike.experiments.walk_page import page

        return page(self)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file."""
        from lookalike.tables.output_files import new_file

        with new_file(path, private=False) as stream:
            stream.write(self.page().encode())

    def as_dict(self) -> dict[str, Any]:
        """Return all steps as plain values, for programs."""
        return {
            "settings": {
                "unit": self.recipe.unit,
                "k": self.recipe.k,
                "hashes": self.recipe.hashes,
                "bands": self.bands.bands,
                "rows": self.bands.rows,
                "seed": self.recipe.seed,
                "prime": self.prime,
                "threshold": self.threshold,
                "half_point": self.bands.half_point,
            },
            "documents": list(self.names),
            "shingles": self.shingles,
            "elements": self.elements,
            "matrix": self.matrix,
            "functions": [{"a": a, "b": b} for a, b in self.functions],
            "signature": self.signature,
            "candidates": sorted(map(list, self.candidates)),
            "pairs": [{**pair._asdict(), "bands": list(pair.bands)} for pair in self.pairs],
            "work": self.work,
        }

    def _repr_html_(self) -> str:
        from lookalike.experiments.walk_page import in_notebook

        return in_notebook(self)

    @cached_property
    def _callables(self) -> list[Callable[[int], int]]:
        return [partial(reference.modular, a=a, b=b, m=self.prime) for a, b in self.functions]

    @cached_property
    def _columns(self) -> list[list[int]]:
        """The signature of each document; none holds infinity, since every document has a shingle."""
        return [[int(value) for value in column if value is not None] for column in zip(*self.signature, strict=True)]

    def _steps(self) -> Iterator[Step]:
        before: Signature = [[None] * len(self.names) for _ in self.functions]
        for row, after in enumerate(reference.signature_states(self.matrix, self._callables)):
            changes = [
                (document, number, before[number][document], new)
                for document in range(len(self.names))
                for number in range(len(self.functions))
                if (new := after[number][document]) is not None and new != before[number][document]
            ]
            yield Step(row, [function(row) for function in self._callables], changes)
            before = after

    def _pair(self, a: int, b: int) -> Pair:
        types = reference.row_types(self.matrix, a, b)
        counts = [Counter(of_one) for of_one in self.shingles]
        r = self.bands.rows
        left, right = self._columns[a], self._columns[b]
        same = [n for n in range(self.bands.bands) if left[n * r : n * r + r] == right[n * r : n * r + r]]
        alike, candidate = types.jaccard >= self.threshold, (a, b) in self.candidates
        finding = ("found" if alike else "false positive") if candidate else "missed" if alike else ""
        return Pair(
            a,
            b,
            shared=types.d,
            union=types.b + types.c + types.d,
            jaccard=types.jaccard,
            estimate=reference.estimate(left, right),
            cosine=reference.cosine(counts[a], counts[b]),
            euclidean=reference.euclidean(counts[a], counts[b]),
            bands=tuple(same),
            chance=self.bands.probability(types.jaccard),
            finding=finding,
        )


def walk(
    texts: Sequence[str] | Mapping[str, str],
    *,
    k: int | None = None,
    hashes: int = HASHES,
    bands: int | None = None,
    rows: int | None = None,
    recipe: Recipe | None = None,
    functions: Sequence[tuple[int, int]] = (),
    sort: bool = False,
) -> Walk:
    """Walk through the method on a few short texts, or a dict of them by name.

    * `k`: units in a shingle, instead of the recipe's; the recipe says how texts are normalised and cut, and its seed
      draws the hash functions. Default: characters, k = 3.
    * `bands` and `rows`: how a signature of `hashes` numbers is cut; if one is missing, as large as fits, and `rows`
      is 2 if both are.
    * `functions`: a and b of the first hash functions (a·x + b) mod p, to follow an example from a book.
    * `sort`: rows of the matrix in alphabetical order; else in the order in which the shingles first appear.

    >>> seen = walk(["Nadal", "Nadia"], k=2)
    >>> seen.elements, seen.pairs[0].jaccard
    (['na', 'ad', 'da', 'al', 'di', 'ia'], 0.3333333333333333)
    """
    if isinstance(texts, str):
        raise RecipeError("texts", texts, "a list of texts, or a dict of them by name")
    named = dict(texts) if isinstance(texts, Mapping) else {f"S{n}": text for n, text in enumerate(texts, start=1)}
    if not 2 <= len(named) <= MOST_DOCUMENTS:
        raise LookalikeError(f"a walk takes from 2 to {MOST_DOCUMENTS} texts, not {len(named)}")
    wanted = recipe or CHAR
    wanted = wanted.replace(k=wanted.k if k is None else k, hashes=hashes)
    cut = tuple(tuple(units(text, wanted)) for text in named.values())
    size = sum(map(len, cut))
    if size > MOST_UNITS:
        what = "words" if wanted.unit == "word" else "characters"
        raise LookalikeError(f"a walk takes up to {MOST_UNITS:,} {what}, and these texts have {size:,}: shorten them")
    return Walk(
        tuple(named), cut, wanted, _cut(hashes, bands, rows), tuple(_function(each) for each in functions), bool(sort)
    )


def _cut(hashes: int, bands: int | None, rows: int | None) -> Bands:
    if rows is None:
        rows = min(ROWS, hashes) if bands is None else max(1, hashes // check_whole("bands", bands, 1))
    made = Bands(max(1, hashes // max(1, rows)) if bands is None else bands, rows)
    check_bands(made, hashes)
    return made


def _function(given: Sequence[Any]) -> tuple[int, int]:
    allowed = "two whole numbers a and b, a at least 1, b at least 0"
    if len(given) != 2 or not all(isinstance(n, int) and 0 <= n < 2**31 for n in given) or given[0] < 1:
        raise RecipeError("functions", given, allowed)
    return given[0], given[1]
