"""The vectors of format 2: the reference made them, the core has to give them, and nobody may change them.

`rust/core/tests/golden.rs` reads the same file. How to change the format: CONTRIBUTING.md.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

import lookalike as la
from lookalike import _native
from lookalike.engine.sign import Signatures
from lookalike.recipe import Recipe, settings
from tests.golden import make_v2

VECTORS: dict[str, Any] = json.loads(make_v2.VECTORS.read_text(encoding="ascii"))
RECIPES = {name: Recipe.from_dict(given) for name, given in VECTORS["recipes"].items()}
VERBATIM = Recipe(unit="char", k=64, lowercase=False, whitespace="keep", punctuation="keep", form="none")


def number(text: str) -> int:
    return int(text, 16)


def elements(text: str, recipe: Recipe) -> list[int]:
    return _native.elements(text, settings(recipe))


def test_the_file_is_what_the_reference_makes() -> None:
    assert make_v2.VECTORS.read_text(encoding="ascii") == make_v2.build(), "run python tests/golden/make_v2.py"


def test_format_2_does_not_change() -> None:
    # A published format: these vectors stay as they are for ever. New ones go into new sections, and only then does
    # this digest change; a change of a number is format 3, in a file of its own.
    digest = hashlib.sha256(make_v2.VECTORS.read_bytes()).hexdigest()
    assert digest == "721b266debcf494b26988123b350b32c212df74b0a53cba1f6e2878db36737b3"


def test_the_file_stays_small() -> None:
    assert make_v2.VECTORS.stat().st_size < 350_000


@pytest.mark.parametrize("name", make_v2.RECIPES)
def test_recipes_are_written_out_in_full(name: str) -> None:
    assert RECIPES[name] == Recipe(**make_v2.RECIPES[name])


def test_hashes_of_bytes() -> None:
    # A text of fewer than k characters is one shingle: its own bytes. (Bytes that are no text are for the core's test.)
    vectors = [v for v in VECTORS["bytes"] if bytes.fromhex(v["data"]).isascii()]
    assert vectors
    for vector in vectors:
        recipe = VERBATIM.replace(seed=number(vector["seed"]))
        text = bytes.fromhex(vector["data"]).decode("ascii")
        found = [elements(text[:n], recipe) for n in range(len(text) + 1)]
        assert found == [[number(h)] for h in vector["hashes"]]


@pytest.mark.parametrize("name", make_v2.RECIPES)
def test_units_and_elements_of_texts(name: str) -> None:
    recipe = RECIPES[name]
    vectors = [v for v in VECTORS["units"] if v["recipe"] == name]
    assert len(vectors) == len(make_v2.TEXTS)
    for vector in vectors:
        text = VECTORS["texts"][vector["text"]]
        assert [unit.text for unit in la.units(text, recipe)] == list(vector["units"]), vector["text"]
        assert elements(text, recipe) == [number(x) for x in vector["elements"]], vector["text"]


def test_units_and_elements_of_code() -> None:
    for vector in VECTORS["code"]:
        recipe = Recipe.from_dict(vector["recipe"])
        assert [unit.text for unit in la.units(vector["text"], recipe)] == vector["units"], vector["text"]
        assert elements(vector["text"], recipe) == [number(x) for x in vector["elements"]], vector["text"]


@pytest.mark.parametrize("name", make_v2.RECIPES)
def test_lone_surrogates_are_replaced(name: str) -> None:
    for text, code_points in VECTORS["surrogates"].items():
        broken = "".join(map(chr, code_points))
        vector = next(v for v in VECTORS["units"] if v["recipe"] == name and v["text"] == text)
        assert elements(broken, RECIPES[name]) == [number(x) for x in vector["elements"]]


def test_values_of_the_families() -> None:
    for v in VECTORS["values"]:
        found = [_native.family_value(v["family"], v["function"], key, number(v["seed"])) for key in v["keys"]]
        assert found == v["values"], v


@pytest.mark.parametrize("sketch", ["fast", *make_v2.FAMILIES])
def test_signatures_of_sets(sketch: str) -> None:
    vectors = [v for v in VECTORS["signatures"] if v.get("family", v["sketch"]) == sketch]
    assert vectors
    for v in vectors:
        recipe = Recipe(
            sketch=v["sketch"], family=v.get("family", "jenkins"), hashes=v["hashes"], seed=number(v["seed"])
        )
        members = make_v2.elements_of(VECTORS["sets"][v["set"]])
        assert la.sign_sets([members], recipe)[0] == v["slots"], (v["set"], recipe)


def test_infinity_is_for_the_empty_set_alone() -> None:
    for v in VECTORS["signatures"]:
        assert (0xFFFF_FFFF in v["slots"]) == (v["set"] == "none")


def test_band_keys() -> None:
    for v in VECTORS["bands"]:
        slots = VECTORS["band signatures"][v["signature"]]
        data = b"".join(slot.to_bytes(4, "little") for slot in slots)
        signatures = Signatures.from_bytes(data, Recipe(hashes=len(slots)))
        found = la.band_keys(signatures, la.Bands(v["bands"], v["rows"]), key=v["kind"])
        assert found == [[number(key) for key in v["keys"]]], v


def test_kept_invisible_code_points_give_the_numbers_of_format_1() -> None:
    # The digest was made from the vectors of format 1, of which these recipes and texts were a part.
    new = {"word invisible", "word nfkc", "char plain"}, {"invisible"}
    names = [name for name in make_v2.RECIPES if name not in new[0]]
    texts = [text for name, text in make_v2.TEXTS.items() if name not in new[1]]
    found = [elements(text, RECIPES[name].replace(invisible="keep")) for name in names for text in texts]
    assert hashlib.sha256(json.dumps(found).encode()).hexdigest()[:16] == "ea5ae7f0cdf15fee"
