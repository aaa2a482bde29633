"""Bad calls of every public function: the class of the error, and what its message says."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

import lookalike as la
from lookalike import hashing
from lookalike.presets import find_preset

if TYPE_CHECKING:
    from collections.abc import Callable

wrong: Any = la  # the calls below are wrong on purpose, which their types would tell
signed = la.sign(["a b c", "d e f"])

CALLS: list[tuple[str, Callable[[], object], type[la.LookalikeError], str]] = [
    # documents
    ("one text", lambda: la.sign("text"), la.DocumentError, "are one str, not a collection"),
    ("one bytes", lambda: wrong.sign(b"text"), la.DocumentError, "are one bytes, not a collection"),
    ("a number", lambda: wrong.sign(["a", 1]), la.DocumentError, "document 1: text is int, not str"),
    ("bytes", lambda: wrong.sign(["a", "b", b"c"]), la.DocumentError, "document 2: text is bytes, not str; decode it"),
    ("none", lambda: wrong.find(["a", None]), la.DocumentError, "document 1: text is NoneType, not str; leave"),
    ("a named none", lambda: wrong.find({"x": None}), la.DocumentError, "document 'x': text is NoneType"),
    ("a list", lambda: wrong.find([["a"], "b"]), la.DocumentError, "document 0: text is list, not str"),
    ("mixed ids", lambda: wrong.find({"a": "x", 1: "y"}), la.DocumentError, "not of the same type as the first"),
    ("a float id", lambda: wrong.sign({1.5: "x"}), la.DocumentError, "id is float, not str or int"),
    ("find a text", lambda: la.find("text"), la.DocumentError, "give a list or dict of texts"),
    ("a matrix cell", lambda: wrong.characteristic_matrix({"x": 1}), la.DocumentError, "document 'x': text is int"),
    # measures
    ("text and set", lambda: la.jaccard("a", {1}), la.DocumentError, "document 'b': value is not a text but a is one"),
    ("set and text", lambda: la.cosine({1}, "b"), la.DocumentError, "document 'a': value is not a text but b is one"),
    ("two bytes", lambda: la.jaccard(b"a", b"b"), la.DocumentError, "document 'a': value is bytes"),
    ("two nones", lambda: wrong.euclidean(None, None), la.DocumentError, "value is NoneType; give a text, a set"),
    ("a negative count", lambda: la.jaccard(Counter(x=1), Counter(x=-1)), la.DocumentError, "'b': count of 'x' is -1"),
    ("half a count", lambda: wrong.bag_jaccard({"x": 0.5}, {}), la.DocumentError, "count of 'x' is 0.5"),
    ("a similarity of 2", lambda: la.standard_error(2, 10), la.RecipeError, "jaccard must be a number from 0 to 1"),
    # recipes
    ("k = 0", lambda: la.Recipe(k=0), la.RecipeError, "k must be a whole number from 1 to 64, not 0"),
    ("k = 65", lambda: la.Recipe(k=65), la.RecipeError, "not 65"),
    ("k = 2.5", lambda: wrong.Recipe(k=2.5), la.RecipeError, "k must be a whole number"),
    ("hashes = 0", lambda: la.Recipe(hashes=0), la.RecipeError, "hashes must be a whole number from 1 to 65535"),
    ("too many hashes", lambda: la.Recipe(hashes=65_536), la.RecipeError, "not 65536"),
    ("a negative seed", lambda: la.Recipe(seed=-1), la.RecipeError, "seed must be"),
    ("a seed of 65 bits", lambda: la.Recipe(seed=2**64), la.RecipeError, "seed must be"),
    ("a unit", lambda: wrong.Recipe(unit="words"), la.RecipeError, "did you mean 'word'?"),
    ("a family", lambda: wrong.Recipe(family="md5"), la.RecipeError, "family must be"),
    ("a flag", lambda: wrong.Recipe(bag="yes"), la.RecipeError, "bag must be True or False, not 'yes'"),
    ("a stop list", lambda: wrong.Recipe(stop_words="german"), la.RecipeError, "stop_words must be"),
    ("a stop word", lambda: wrong.Recipe(stop_words=["a", 1]), la.RecipeError, "each of stop_words must be a word"),
    ("a setting", lambda: la.Recipe().replace(foo=1), la.RecipeError, "a setting must be one of unit, k"),
    ("a recipe's text", lambda: la.Recipe.parse("nonsense"), la.RecipeError, "the format of a recipe must be"),
    ("other recipes", lambda: la.Recipe().check_same(la.Recipe(k=9)), la.MismatchError, "k is 5 and 9"),
    ("a preset", lambda: find_preset("prosa"), la.RecipeError, "did you mean 'prose'?"),
    # find
    ("threshold 0", lambda: la.find([], 0), la.RecipeError, "threshold must be a number above 0 and at most 1, not 0"),
    ("threshold 1.1", lambda: la.find([], 1.1), la.RecipeError, "not 1.1"),
    ("threshold nan", lambda: la.find([], math.nan), la.RecipeError, "not nan"),
    ("threshold text", lambda: wrong.find([], "0.8"), la.RecipeError, "not '0.8'"),
    ("a method", lambda: wrong.find([], method="exakt"), la.RecipeError, "did you mean 'exact'?"),
    ("recall 0", lambda: la.find([], recall=0), la.RecipeError, "recall must be a number above 0 and at most 1"),
    ("recall 1 by bands", lambda: la.find([], recall=1.0, method="lsh"), la.BandsError, "recall must be below 1"),
    ("bands too long", lambda: la.find([], bands=la.Bands(100, 10)), la.BandsError, "need 1000 hashes"),
    ("no such bands", lambda: la.find([], 0.01, method="lsh"), la.BandsError, "no bands find"),
    ("a linkage", lambda: wrong.find(["a"], linkage="x").groups, la.RecipeError, "linkage must be 'star' or 'linked'"),
    ("an order", lambda: la.find(["a", "b"], order=[0, 0]).groups, la.RecipeError, "every number from 0 to 1 once"),
    # signatures, bands, groups
    ("half a signature", lambda: la.Signatures.from_bytes(b"abc", la.Recipe()), la.LookalikeError, "not whole signa"),
    ("keys of long bands", lambda: la.band_keys(signed, la.Bands(100, 10)), la.BandsError, "the signature has 256"),
    ("long bands", lambda: la.candidates(signed, la.Bands(100, 10)), la.BandsError, "the signature has 256"),
    ("no bands", lambda: la.Bands(0, 5), la.BandsError, "bands must be a whole number of at least 1, not 0"),
    ("half a row", lambda: wrong.Bands(5, 0.5), la.BandsError, "rows must be a whole number"),
    ("bands at 0", lambda: la.choose_bands(0), la.BandsError, "every pair is wanted"),
    ("bands at 2", lambda: la.choose_bands(2), la.BandsError, "threshold must be a number from 0 to 1, not 2"),
    ("bands by magic", lambda: wrong.choose_bands(0.5, method="x"), la.BandsError, "method must be"),
    ("bands of nothing", lambda: la.choose_bands(0.5, hashes=0), la.BandsError, "hashes must be"),
    ("a weight", lambda: la.choose_bands(0.5, method="areas", fp_weight=-1), la.BandsError, "fp_weight must be"),
    ("one point", lambda: la.s_curve(la.Bands(1, 1), points=1), la.BandsError, "points must be"),
    ("a pair of strangers", lambda: la.groups(3, [(0, 7)]), la.RecipeError, "from 0 to 2, not 7"),
    ("a negative pair", lambda: la.groups(3, [(0, -1)]), la.RecipeError, "from 0 to 2, not -1"),
    ("a linkage of groups", lambda: wrong.groups(3, [], linkage="x"), la.RecipeError, "linkage must be"),
    ("a short order", lambda: la.groups(3, [], order=[2, 1]), la.RecipeError, "every number from 0 to 2 once"),
    ("a negative thread", lambda: la.sign(["a"], threads=-1), la.RecipeError, "threads must be"),
    ("half a thread", lambda: wrong.find(["a"], threads=0.5), la.RecipeError, "threads must be"),
    ("a kind of key", lambda: wrong.band_keys(signed, la.Bands(2, 2), key="md5"), la.RecipeError, "key must be"),
    ("a negative element", lambda: la.sign_sets([[1], [-1]]), la.RecipeError, "an element of set 1 must be a whole"),
    ("an element of 65 bits", lambda: la.sign_sets([[2**64]]), la.RecipeError, "an element of set 0 must be a whole"),
    ("a text as an element", lambda: wrong.sign_sets([["a"]]), la.RecipeError, "not 'a'"),
    ("a negative order", lambda: la.groups(2, [], order=[-1, 0]), la.RecipeError, "every number from 0 to 1 once"),
    ("no hashes", lambda: la.standard_error(0.5, 0), la.RecipeError, "hashes must be"),
    ("a recall of text", lambda: wrong.find(["a"], recall="x"), la.RecipeError, "recall must be"),
    # passages and hash functions
    ("a number as a text", lambda: wrong.compare("a", 5), la.DocumentError, "document 'b': text is int"),
    ("bytes as a text", lambda: wrong.units(b"a"), la.DocumentError, "text is bytes, not str"),
    ("none as a text", lambda: wrong.shingles(None), la.DocumentError, "text is NoneType, not str"),
    ("bytes in passages", lambda: wrong.passages("a", b"b"), la.DocumentError, "document 'b': text is bytes"),
    ("passages of x", lambda: wrong.passages("a", "b", least="x"), la.RecipeError, "least must be"),
    ("a matrix of a text", lambda: la.characteristic_matrix("abc"), la.DocumentError, "not a collection"),
    ("a negative avalanche", lambda: hashing.avalanche("murmur3", seed=-1), la.RecipeError, "seed must be"),
    (
        "no passage",
        lambda: la.passages("a", "b", least=0),
        la.RecipeError,
        "least must be a whole number of at least 1",
    ),
    ("compare no passage", lambda: la.compare("a", "b", least=0), la.RecipeError, "least must be"),
    ("a seed of 33 bits", lambda: hashing.murmur3_32(b"", 2**32), la.RecipeError, "seed must be a whole number from 0"),
    ("a word of 33 bits", lambda: hashing.jenkins_mix(1, 2, 2**32), la.RecipeError, "c must be"),
    ("a negative value", lambda: hashing.hash_vec([-1]), la.RecipeError, "values must be"),
    ("16 bits", lambda: hashing.hash_vec([1], bits=16), la.RecipeError, "bits must be 32 or 64, not 16"),
    ("33 bits", lambda: hashing.multiplicative(1, bits=33), la.RecipeError, "bits must be"),
    ("modulus 0", lambda: hashing.modular(1, 1, 1, 0), la.RecipeError, "modulus must be"),
    ("avalanche of md5", lambda: hashing.avalanche("md5"), la.RecipeError, "family must be one of modular"),
    ("no samples", lambda: hashing.avalanche("murmur3", samples=0), la.RecipeError, "samples must be"),
    ("one bucket", lambda: hashing.chi_squared("murmur3", buckets=1), la.RecipeError, "buckets must be"),
    ("no keys", lambda: hashing.chi_squared("murmur3", keys=0), la.RecipeError, "keys must be"),
]


@pytest.mark.parametrize(("call", "kind", "says"), [case[1:] for case in CALLS], ids=[case[0] for case in CALLS])
def test_bad_call(call: Callable[[], object], kind: type[la.LookalikeError], says: str) -> None:
    with pytest.raises(la.LookalikeError) as caught:
        call()
    assert type(caught.value) is kind
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)  # one line each: a command prints it as it is


def test_too_many_candidates_are_counted_and_not_made() -> None:
    copies = la.sign(["one and the same text"] * 5000)
    with pytest.raises(la.BandsError, match="12497500 candidates, most of them copies"):
        la.candidates(copies, la.Bands(4, 8))


@pytest.mark.parametrize("function", [la.sign, la.find])
@pytest.mark.parametrize("place", [0, 1, 99, 5000])
def test_the_document_with_a_wrong_type_is_named(function: Callable[..., object], place: int) -> None:
    documents: list[Any] = ["text"] * 5001
    documents[place] = 7
    with pytest.raises(la.DocumentError, match=f"^document {place}: text is int"):
        function(documents)


def test_nothing_at_all_is_a_collection() -> None:
    assert len(la.sign([])) == 0
    for method in ("auto", "lsh", "exact", "signatures", "brute"):
        found = la.find([], method=method)
        assert (found.pairs.num_rows, found.groups) == (0, [])
    assert la.groups(0, []) == []
