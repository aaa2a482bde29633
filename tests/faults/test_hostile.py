"""Documents that make programs slow or fat: huge ones, equal ones, endless repetitions.

Each runs in a process of its own, so that one that does not come back can be ended. The limits are for hanging only.
"""

from __future__ import annotations

import pytest

from tests.faults.child import PEAK, run

PREPARE = f"""
import random
import pyarrow
import lookalike as la
{PEAK}
small = [f"a small page beside the others, number {{i}}" for i in range(1000)]
la.sign(small)
la.find(small).pairs.num_rows
base = peak()
"""

# Words of six letters, so that nearly all shingles are different.
ASCII = """
data = random.Random(1).randbytes(21_500_000)
large = data.hex(" ", 3)
del data
size = len(large)
"""
# Seven letters and a blank in turn, of two bytes each; made without a list of words, which would be the peak itself.
CYRILLIC = """
data = bytearray(50_000_000)
data[0::2] = b"\\xd0" * 25_000_000
data[1::2] = random.Random(1).randbytes(25_000_000).translate(bytes(0xB0 + i % 16 for i in range(256)))
data[0::16] = data[1::16] = b" " * 3_125_000
large = data.decode()
size = len(data)
del data
"""


@pytest.mark.parametrize("call", ["la.sign([*small, large])", "la.find([*small, large]).groups"])
def test_one_document_of_50_megabytes(call: str) -> None:
    program = f"{PREPARE}{ASCII}{call}\nprint(size, peak() - base)"
    size, used = map(int, run(program).split())
    assert size > 50_000_000
    assert used <= 4 * size


def test_one_document_of_50_megabytes_that_is_not_ascii() -> None:
    # Python itself keeps two forms of such a text, its own and UTF-8, each as large as the document.
    program = f"{PREPARE}{CYRILLIC}la.sign([*small, large])\nprint(size, peak() - base)"
    size, used = map(int, run(program).split())
    assert size == 50_000_000
    assert used <= 6 * size


def test_a_million_equal_documents() -> None:
    program = """
        import lookalike as la
        found = la.find(["one and the same short text"] * 1_000_000)
        print(found.copies_listed, found.pairs.num_rows, [(g.principal, len(g)) for g in found.groups])
        print(found.pairs.slice(999_998).to_pylist())
    """
    first, second = run(program).splitlines()
    assert first == "first 999999 [(0, 1000000)]"
    assert second == str([{"a": 0, "b": 999_999, "jaccard": 1.0, "containment_a": 1.0, "containment_b": 1.0}])


@pytest.mark.parametrize("method", ["auto", "lsh", "exact", "signatures", "brute"])
def test_a_hundred_thousand_equal_pages_and_near_ones(method: str) -> None:
    # 200 near pages of 60 words, each with one word of its own: 19 900 pairs among them, 200 with the copies.
    program = f"""
        import lookalike as la
        words = [f"word{{i}}" for i in range(60)]
        near = [" ".join([*words[:i % 60], f"other{{i}}", *words[i % 60 + 1:]]) for i in range(200)]
        page = " ".join(words)
        texts = [page] * 50_000 + near + [page.upper()] * 50_000
        found = la.find(texts, 0.6, method="{method}", recall=0.999)
        print(found.copies_listed, found.pairs.num_rows, [(g.principal, len(g)) for g in found.groups])
        some = [row for row in found.pairs.slice(0, 50_001).to_pylist() if row["b"] == 50_000]
        print(round(some[0]["jaccard"], 2), found.candidates)
    """
    first, second = run(program).splitlines()
    listed, rows, groups = first.split(" ", 2)
    assert (listed, groups) == ("first", "[(0, 100200)]")
    assert int(rows) > 99_999 + 200
    assert float(second.split()[0]) > 0.6
    assert int(second.split()[1]) <= 201 * 200 / 2


@pytest.mark.parametrize("method", ["lsh", "signatures"])
def test_candidates_of_copies_do_not_multiply(method: str) -> None:
    program = f"""
        import lookalike as la
        texts = [f"text {{i % 50}} about something quite different {{i % 50}}" for i in range(200_000)]
        found = la.find(texts, 0.9, method="{method}", linkage="linked")
        print(len(found.groups), {{len(g) for g in found.groups}}, found.candidates <= 1225)
    """
    assert run(program) == "50 {4000} True\n"


CHARACTERS = "la.Recipe(unit='char', k=9)"


@pytest.mark.parametrize(
    ("text", "recipe"),
    [
        ("'a' * 5_000_000", "la.Recipe()"),
        ("'a ' * 2_500_000", "la.Recipe()"),
        ("'a' * 5_000_000", CHARACTERS),
        ("'a' * 5_000_000", "la.Recipe(unit='char', bag=True)"),
        ("'\\u00e9' * 2_500_000", CHARACTERS),
        ("'\\x00' * 5_000_000", CHARACTERS),
        ("' ' * 5_000_000", "la.Recipe(unit='char', k=9, whitespace='keep')"),
    ],
)
def test_one_character_in_five_megabytes(text: str, recipe: str) -> None:
    program = f"""
        import lookalike as la
        found = la.find([{text}, "a", {text}, {text} + "b"], 0.9999, recipe={recipe})
        print(*found.groups[0].members)
    """
    assert run(program).startswith("0 2")


@pytest.mark.parametrize("unit", ["word", "char"])
def test_passages_of_one_word_in_a_megabyte(unit: str) -> None:
    program = f"""
        import lookalike as la
        a = "word " * 200_000
        found = la.passages(a, a[:-5], la.Recipe(unit="{unit}"))
        print(found[0].units, sum(p.units for p in found), len(la.units(a, la.Recipe(unit="{unit}"))))
    """
    longest, covered, units = map(int, run(program).split())
    assert longest == (199_999 if unit == "word" else 999_994)  # the blank at the end is no character
    assert covered <= units


def test_passages_of_a_megabyte_in_another_order() -> None:
    # From the front and from the back in turn: the places in the second text jump to and fro across all of it.
    program = """
        import random
        import lookalike as la
        rng = random.Random(3)
        lines = [" ".join([f"n{i}", *rng.choices("abcdefghijklmnop", k=8)]) for i in range(60_000)]
        other = [lines[i // 2] if i % 2 == 0 else lines[-1 - i // 2] for i in range(60_000)]
        a, b = " ".join(other), " ".join(lines)
        found = la.passages(a, b, least=5)
        print(len(b) > 1_000_000, len(found) > 59_000, all(a[p.a_start:p.a_end] == b[p.b_start:p.b_end] for p in found))
    """
    assert run(program, limit=20.0) == "True True True\n"


@pytest.mark.parametrize("accents", ["keep", "strip"])
@pytest.mark.parametrize("form", ["none", "nfc", "nfkd"])
def test_endless_marks_on_one_letter(accents: str, form: str) -> None:
    # The two marks have to change places all along: sorting them one by one would never end.
    program = f"""
        import lookalike as la
        text = "a" + "\\u0301\\u0327" * 200_000 + " b"
        recipe = la.Recipe(k=1, accents="{accents}", form="{form}")
        units = la.units(text, recipe)
        print(len(units), units[1].start, len(la.units(text, recipe.replace(unit="char"))))
    """
    assert run(program, limit=20.0).split()[:2] == ["2", "400002"]
