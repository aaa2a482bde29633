"""Make v2.json, the vectors of format 2 (docs/format.md), from the reference alone: python tests/golden/make_v2.py

64-bit numbers are written as 16 hexadecimal digits, because many readers of JSON keep 53 bits only. A large set is
written as the first `count` numbers of stream(`stream`), SplitMix64 of §4. Texts have no lone surrogates, which JSON
readers refuse; `surrogates` gives such texts as code points.
"""

from __future__ import annotations

import json
from itertools import islice, product
from pathlib import Path
from typing import Any, Final, Literal

from lookalike import reference as ref
from lookalike.recipe import Recipe
from lookalike.reference.hash_functions import first_primes

VECTORS: Final = Path(__file__).with_name("v2.json")

SEEDS: Final = (0, 1, 0x0123_4567_89AB_CDEF, 2**64 - 1)
FAMILIES: Final = ("modular", "multiplicative", "murmur3", "jenkins")
PRIME: Final = 4_294_967_291

TEXTS: Final = {
    "empty": "",
    "blanks": " \t\r\n ",
    "nul": "a\x00b \x00\x00 c",
    "short": "Word",
    "ascii": "The quick brown fox can't jump: 3.14, 1,000 & well-known snake_case e.g. a.b!",
    "repeats": "to be or not to be, that is to be or not to be",
    "long word": "x" * 70 + " " + "y" * 17,
    "sixty-four": " ".join("abcdefgh"[i % 8] * (i % 5 + 1) for i in range(80)),
    "accents": "Ángström e\u0301te\u0301 ÜBER naïve Ёлка ἄνθρωπος Σίσυφος İstanbul ß",
    "forms": "ﬁne ½ Ⅷ x² Ａ１ ｶﾞ \u212b ｱﾊﾟｰﾄ",
    "chinese": "我们在北京。我们在北京大学。",
    "japanese": "カタカナとひらがな、漢字が混ざる。か\u3099",
    "korean": "한국어 \u1112\u1161\u11ab\u1100\u116e\u11a8어",
    "thai": "สวัสดีครับ กำลัง ๑๒๓",
    "arabic": "السَّلَامُ عَلَيْكُمْ ١٢٣ ـ",
    "hebrew": "שָׁלוֹם צה\"ל ג׳ורג׳ א'ב",
    "devanagari": "नमस्ते क\u093cलम ३४",
    "emoji": "ok 👨\u200d👩\u200d👧 👍🏽 🇪🇸🇫🇷🇪 1\ufe0f\u20e3 ❤\ufe0f☃",
    "marks": "“Don’t” — she said… €5 + $6 «a·b» ^`~",
    "combining": "\u0301a\u0327\u0301 q\u0307\u0323 \u0345\u034f",
    "bidi": "abc \u202edef\u202c \u2066x\u2069 \u200fy\u200e\u061c",
    "white": "a\u00a0b\u2003\u3000c\u2028d\u0085e\u200bf\ufeffg",
    "lone": "a\ufffdb \ufffd\ufffd c",
    "invisible": (
        "\ufeffE\u00ads\u200bs\u200ca\u034fy\ufe0f \U000e0061w\u2060ith e\u200d\u0301 3\u00ad.\u200b1\u20624 "
        "\u200e\u3164\u180b \u1112\u115f\u1161\u1160 \uffa0a\u17b4\ufff0\U000e01ef\U000e0fff\u061c\u202e"
    ),
}
CODE: Final = {
    "prose": TEXTS["ascii"],
    "java": (
        "/* Licence */\nimport java.util.*;\npublic class A {\n\t// é\n\tstatic int f(int[] a) {\n"
        "\t\treturn a[0] - 0x1Fe-5 + 1.5e-3; }\n\tString s = \"a\\\"b\", t = '\\'' + `c`;\n}\n"
    ),
    "python": (
        '#!/usr/bin/python\nfrom a import (\n    b,\n)\nDEF = r\'x\' + f"{y}"\ndef f(n):\n    """Doc."""\n'
        "    return n // 2  # half\n%magic\nx = '''a\nb'''\n"
    ),
    "other code": (
        'fn f<\'a>(x: &\'a str) { r#"a"b"# }\n-- sql\nSELECT 1 --x\n;; lisp\n<!-- a --> https://b\n'
        "use c::{\n d};\ne --[[ f ]] g"
    ),
    "invisible code": "\ufeffi\u00adf (x\u200b == '\u200ey'\u200d) { \u2060ret\u034furn \U000e00610; /\ufe0f/ z\n}",
    "broken code": 'a /* b\nc = \'d\n"e\\\nf = `g\n"""h\nimport (i\nj\r;k # l',
}
"""Texts for `unit = token` (§2.2)."""
SURROGATES: Final = {"lone": [0x61, 0xD800, 0x62, 0x20, 0xDFFF, 0xDBFF, 0x20, 0x63]}
"""Texts with lone surrogates, as code points, by the name of the text that they equal (§1, step 1)."""

RECIPES: Final[dict[str, dict[str, Any]]] = {
    "default": {},
    "word 1": {"k": 1},
    "word kept": {"k": 2, "lowercase": False, "punctuation": "keep", "invisible": "keep", "form": "none"},
    "word invisible": {"k": 2, "invisible": "keep"},
    "word nfkc": {"k": 3, "form": "nfkc"},
    "word bag": {"k": 1, "bag": True, "seed": 7},
    "word stop": {"k": 2, "stop_words": ["the", "to", "Don't", "我"]},
    "word bare": {"k": 3, "accents": "strip", "digits": "zero", "seed": 2**64 - 1},
    "word 64": {"k": 64},
    "char 9": {"unit": "char", "k": 9},
    "char raw": {
        "unit": "char",
        "k": 24,
        "lowercase": False,
        "whitespace": "keep",
        "punctuation": "keep",
        "invisible": "keep",
        "form": "none",
    },
    "char plain": {"unit": "char", "k": 3, "whitespace": "keep", "punctuation": "keep", "form": "none"},
    "char nfd": {"unit": "char", "k": 3, "form": "nfd", "whitespace": "remove"},
    "char nfkc": {"unit": "char", "k": 2, "form": "nfkc", "digits": "zero", "punctuation": "keep"},
    "char bare": {"unit": "char", "k": 5, "form": "nfkd", "accents": "strip", "bag": True},
    "char stop": {"unit": "char", "k": 4, "stop_words": "english", "accents": "strip", "form": "none", "seed": 0},
}


def hexadecimal(number: int) -> str:
    """Write 64 bits."""
    return f"{number:016x}"


def stream(state: int, count: int) -> list[int]:
    """Return the first numbers of SplitMix64."""
    return list(islice(ref.splitmix(state), count))


def of_bytes() -> list[dict[str, Any]]:
    """§4, bytes: the beginnings, of 0 to 40 bytes, of a text in ASCII and of bytes that are none."""
    ascii_data = bytes(ord("a") + i * 7 % 26 for i in range(40))
    any_data = bytes((i * 151 + 43) % 256 for i in range(40))
    return [
        {
            "seed": hexadecimal(seed),
            "data": data.hex(),
            "hashes": [hexadecimal(ref.hash_bytes(data[:n], seed)) for n in range(41)],
        }
        for seed, data in product(SEEDS, (ascii_data, any_data))
    ]


def of_words() -> list[dict[str, Any]]:
    """§4, word shingles."""
    windows = [[], [""], ["a"], ["a", "b"], ["b", "a"], ["ab"], ["ab", "ab", "ab"], ["naïve", "我们", "👍🏽", "\0"]]
    windows += [["word"] * 64, [f"w{i}" for i in range(64)], ["x" * 8, "x" * 9, "x" * 16, "x" * 17, "x" * 40]]
    return [
        {"seed": hexadecimal(seed), "words": words, "hash": hexadecimal(ref.hash_units(words, unit="word", seed=seed))}
        for seed, words in product(SEEDS, windows)
    ]


def of_occurrences() -> list[dict[str, Any]]:
    """§4, bags."""
    return [
        {
            "seed": hexadecimal(seed),
            "shingle": hexadecimal(shingle),
            "elements": [hexadecimal(ref.occurrence_hash(shingle, j, seed)) for j in (0, 1, 2, 3, 1000)],
            "occurrences": [0, 1, 2, 3, 1000],
        }
        for seed, shingle in product(SEEDS, (0, 0x1234_5678_9ABC_DEF0, 2**64 - 1))
    ]


def of_texts() -> list[dict[str, Any]]:
    """§1 to §4: the units and, sorted, the elements of every text by every recipe."""
    found = []
    for (recipe_name, settings), (name, text) in product(RECIPES.items(), TEXTS.items()):
        recipe = Recipe(**settings)
        units = ref.units(text, recipe)
        elements = sorted(ref.elements(text, recipe))
        found.append(
            {
                "recipe": recipe_name,
                "text": name,
                "units": "".join(units) if recipe.unit == "char" else units,
                "elements": [hexadecimal(x) for x in elements],
            }
        )
    return found


def of_code() -> list[dict[str, Any]]:
    """§2.2: the units and elements of source code."""
    found = []
    recipes = (
        Recipe(unit="token", k=8),
        Recipe(unit="token", k=1, bag=True, seed=7),
        Recipe(unit="token", k=2, invisible="keep"),
    )
    for recipe, text in product(recipes, CODE.values()):
        elements = [hexadecimal(x) for x in sorted(ref.elements(text, recipe))]
        given = recipe.to_dict() | {"stop_words": []}
        found.append({"recipe": given, "text": text, "units": ref.units(text, recipe), "elements": elements})
    return found


def of_values() -> list[dict[str, Any]]:
    """§5.2: the values of single functions, at keys where the arithmetic turns over."""
    keys = [0, 1, 2, 0x7FFF_FFFF, 0x8000_0000, 0xDEAD_BEEF, PRIME - 1, PRIME, PRIME + 1, 2**32 - 1]
    return [
        {
            "family": family,
            "seed": hexadecimal(seed),
            "function": i,
            "keys": keys,
            "values": [ref.family_functions(family, i + 1, seed)[i](key) for key in keys],
        }
        for family, seed, i in product(FAMILIES, SEEDS, (0, 1, 40))
    ]


def unlucky_elements() -> list[int]:
    """Elements whose value would be infinity and has to be cut (§5): found by solving for the key."""
    draw = ref.splitmix(1 ^ 0x6D75_6C74_6900_0000)  # multiplicative, seed 1, function 0
    s, o = next(draw) >> 32 | 1, next(draw) >> 32
    found = [pow(s, -1, 2**32) * (0xFFFF_FFFF - o) % 2**32]
    draw = ref.splitmix(1 ^ 0x6661_7374_7631_0000)  # fast, seed 1: the last pass, slots 0 to 6
    _ = next(draw), next(draw)
    for _ in range(7):
        a, b = next(draw) >> 32 | 1, next(draw) >> 32
        found.append(pow(a, -1, 2**32) * (0xFFFF_FFFF - b) % 2**32)
    return found


def sets() -> dict[str, dict[str, Any]]:
    """Sets to be signed: written out, or as the beginning of a stream."""
    small = {
        "none": [],
        "zero": [0],
        "last": [2**64 - 1],
        "one": stream(1, 1),
        "five": stream(5, 5),
        "edges": [0, 1, PRIME, 2**32 - 1, 2**32, (2**32 - 1) << 32, 2**63, 2**64 - 1],
        "one key": [1, 1 << 32, 2 << 32 | 3, 3 << 32 | 2],
    }
    small |= {f"unlucky {i}": [x] for i, x in enumerate(unlucky_elements())}
    made: dict[str, dict[str, Any]] = {name: {"elements": [hexadecimal(x) for x in xs]} for name, xs in small.items()}
    made["three hundred"] = {"stream": hexadecimal(300), "count": 300}
    made["three thousand"] = {"stream": hexadecimal(3000), "count": 3000}
    return made


def elements_of(made: dict[str, Any]) -> list[int]:
    """Read one of `sets`."""
    if "stream" in made:
        return stream(int(made["stream"], 16), made["count"])
    return [int(x, 16) for x in made["elements"]]


def of_signatures() -> list[dict[str, Any]]:
    """§5: signatures of the sets."""
    kinds: list[tuple[dict[str, Any], int, int]] = [
        ({"sketch": "fast"}, hashes, seed) for hashes, seed in product((1, 7, 64, 256), (1, 2**64 - 1))
    ]
    kinds += [
        ({"sketch": "classic", "family": family}, hashes, seed)
        for family, (hashes, seed) in product(FAMILIES, ((1, 1), (7, 2**64 - 1), (33, 1)))
    ]
    found = []
    for (settings, hashes, seed), (name, made) in product(kinds, sets().items()):
        elements = elements_of(made)
        wide = hashes > 7 and name.startswith("unlucky")
        slow = settings["sketch"] == "classic" and len(elements) > 300 and hashes > 7
        if wide or slow:
            continue
        recipe = Recipe(hashes=hashes, seed=seed, **settings)
        slots = sign(elements, recipe)
        found.append({**settings, "hashes": hashes, "seed": hexadecimal(seed), "set": name, "slots": slots})
    return found


def sign(elements: list[int], recipe: Recipe) -> list[int]:
    """Sign a set by the reference."""
    if recipe.sketch == "fast":
        return ref.fast_sketch(elements, recipe.hashes, recipe.seed)
    return ref.classic_signature(elements, recipe.hashes, recipe.seed, recipe.family)


def band_signatures() -> dict[str, list[int]]:
    """Signatures of 24 slots to be cut into bands."""
    return {
        "random": [x >> 32 for x in stream(6, 24)],
        "zero": [0] * 24,
        "largest": [0xFFFF_FFFE] * 24,
        "infinity": [0xFFFF_FFFF] * 24,
        "counting": list(range(24)),
    }


def of_bands() -> list[dict[str, Any]]:
    """§6: the keys of all kinds."""
    kinds: tuple[Literal["mix64", "hash_vec64", "hash_vec32"], ...] = ("mix64", "hash_vec64", "hash_vec32")
    shapes = ((1, 1), (1, 24), (24, 1), (4, 5), (3, 8), (2, 11))
    return [
        {
            "kind": kind,
            "bands": bands,
            "rows": rows,
            "signature": name,
            "keys": [hexadecimal(key) for key in ref.band_keys(signature, bands, rows, kind)],
        }
        for kind, (bands, rows), (name, signature) in product(kinds, shapes, band_signatures().items())
    ]


def build() -> str:
    """Return the whole file: one vector on each line."""
    sections: dict[str, Any] = {
        "streams": [{"state": hexadecimal(s), "numbers": [hexadecimal(x) for x in stream(s, 5)]} for s in SEEDS],
        "primes": first_primes(60),
        "bytes": of_bytes(),
        "words": of_words(),
        "occurrences": of_occurrences(),
        "recipes": {
            name: Recipe(**settings).to_dict() | {"stop_words": list(Recipe(**settings).stop_list)}
            for name, settings in RECIPES.items()
        },
        "texts": TEXTS,
        "surrogates": SURROGATES,
        "units": of_texts(),
        "values": of_values(),
        "sets": sets(),
        "signatures": of_signatures(),
        "band signatures": band_signatures(),
        "bands": of_bands(),
        "code": of_code(),
    }
    parts = [f"{json.dumps(name)}: {_lines(section)}" for name, section in sections.items()]
    return '{\n"format": 2,\n' + ",\n".join(parts) + "\n}\n"


def _lines(section: Any) -> str:
    write = json.JSONEncoder(ensure_ascii=True, separators=(",", ":")).encode
    if isinstance(section, dict):
        return "{\n" + ",\n".join(f"{write(name)}:{write(value)}" for name, value in section.items()) + "\n}"
    return "[\n" + ",\n".join(write(value) for value in section) + "\n]"


if __name__ == "__main__":
    VECTORS.write_text(build(), encoding="ascii")
