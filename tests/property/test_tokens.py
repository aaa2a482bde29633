"""Tokens: the engine equals the definition, written down here from the tokens alone."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike import reference as ref
from lookalike.documents.open import spelled, token_recipe
from lookalike.recipe import Recipe

awkward = st.sampled_from(
    ["", "_", "__", "_5f", "a b", " ", "\n", "don't", "Straße", "İ", "e\u0301", "é", "the", "\udcff"]
)
token = st.one_of(st.text(max_size=4), awkward, st.integers(-20, 20), st.binary(max_size=3), st.integers())
tokens = st.lists(token, max_size=12)
recipes = st.builds(
    Recipe,
    k=st.integers(1, 4),
    bag=st.booleans(),
    hashes=st.just(32),
    seed=st.integers(0, 2**64 - 1),
    unit=st.sampled_from(["char", "word"]),
    stop_words=st.sampled_from(["none", "english"]),
    digits=st.sampled_from(["keep", "zero"]),
    sketch=st.sampled_from(["fast", "classic"]),
)


def meaning(one: Any) -> bytes:
    """The bytes that a token stands for."""
    if isinstance(one, str):
        return one.encode("utf-8", "surrogatepass").replace(b"\xed\xb3\xbf", "\ufffd".encode())
    return one if isinstance(one, bytes) else b"%d" % one


def shingles(document: list[Any], recipe: Recipe) -> Counter[tuple[bytes, ...]]:
    windows: Any = ref.windows
    found: Counter[tuple[bytes, ...]] = Counter(map(tuple, windows(list(map(meaning, document)), recipe.k)))
    return found if recipe.bag else Counter(set(found))


def elements(document: list[Any], recipe: Recipe) -> set[int]:
    """The hashes of a document, from its words and docs/format.md §3 and §4."""
    seen: Counter[int] = Counter()
    found = set()
    for window in ref.windows(list(map(spelled, document)), recipe.k):
        hashed = ref.hash_units(window, unit="word", seed=recipe.seed)
        found.add(ref.occurrence_hash(hashed, seen[hashed], recipe.seed) if recipe.bag else hashed)
        seen[hashed] += 1
    return found


@given(token, token)
def test_different_tokens_have_different_words(one: Any, other: Any) -> None:
    assert (spelled(one) == spelled(other)) == (meaning(one) == meaning(other))
    assert set(spelled(one)) <= set("_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")


@given(st.lists(tokens, max_size=4), recipes)
def test_signatures_are_those_of_the_reference(documents: list[list[Any]], recipe: Recipe) -> None:
    signed = la.sign(tokens=documents, recipe=recipe)
    for number, document in enumerate(documents):
        own = elements(document, recipe)
        if recipe.sketch == "fast":
            expected = ref.fast_sketch(own, recipe.hashes, recipe.seed)
        else:
            expected = ref.classic_signature(own, recipe.hashes, recipe.seed, recipe.family)
        assert signed[number] == expected
        assert ref.signature(" ".join(map(spelled, document)), token_recipe(recipe)) == expected


@given(st.lists(tokens, min_size=2, max_size=6), recipes, st.sampled_from(["exact", "brute"]))
def test_pairs_and_scores_are_those_of_the_sets(documents: list[list[Any]], recipe: Recipe, method: Any) -> None:
    expected = {}
    for b in range(len(documents)):
        for a in range(b):
            one, other = shingles(documents[a], recipe), shingles(documents[b], recipe)
            score = (one & other).total() / (one | other).total()
            if score >= 0.3 and (documents[a] or documents[b]):
                expected[a, b] = score
    metric: Any = "bag" if recipe.bag else "jaccard"
    found = la.find(tokens=documents, threshold=0.3, recipe=recipe, method=method, metric=metric).pairs.to_pylist()
    assert {(row["a"], row["b"]): row["jaccard"] for row in found} == expected


@given(st.lists(st.frozensets(st.integers(0, 9)), min_size=2, max_size=5))
def test_sets_and_their_lists_in_any_order(documents: list[frozenset[int]]) -> None:
    assert la.sign(tokens=documents).to_bytes() == la.sign(tokens=[sorted(one)[::-1] for one in documents]).to_bytes()
