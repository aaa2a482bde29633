"""Advice on collections of several kinds, made here: no tuning to the ones that benchmarks use."""

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

import lookalike as la
from lookalike.cli import main
from lookalike.text.traits import is_code, misspelt, traits_of
from tests.cli.conftest import COLLECTION

ROOT = Path(__file__).parents[2]
WORDS = [
    f"{a}{b}{c}" for a in ("gar", "mon", "tel", "rus") for b in ("ipa", "ote", "uli") for c in ("den", "sta", "ver")
]


def prose(seed: int, length: int = 150) -> str:
    """A text of words, some of which are frequent in all texts."""
    rng = random.Random(seed)
    return " ".join(rng.choice(WORDS) if rng.random() < 0.6 else f"w{rng.randrange(10**6)}x" for _ in range(length))


def misread(text: str, seed: int) -> str:
    """The text as a machine would read it: letters are taken for others."""
    rng = random.Random(seed)
    return "".join(rng.choice("ceoun") if c in "aeiou" and rng.random() < 0.08 else c for c in text)


def revised(text: str, seed: int) -> str:
    """The text with a third of its sentences written anew."""
    words = text.split()
    place = seed % 90
    return " ".join([*words[:place], *prose(seed + 10**6, 50).split(), *words[place + 50 :]])


def scanned() -> list[str]:
    texts = [prose(seed) for seed in range(30)]
    return [*texts, *(misread(text, seed) for seed, text in enumerate(texts))]


def versions() -> list[str]:
    return [text for seed in range(20) for text in (prose(seed), revised(prose(seed), seed))]


def code() -> list[str]:
    return [path.read_text(encoding="utf-8") for path in sorted((ROOT / "rust" / "core" / "src").glob("*.rs"))[:20]]


CASES: dict[str, tuple[str, Callable[[], list[str]]]] = {
    "scanned pages": ("edited", scanned),
    "versions": ("edited", versions),
    "short texts": ("edited", lambda: [prose(seed, 12) for seed in range(60)]),
    "Chinese": ("cjk", lambda: ["".join(map(chr, range(0x4E00 + n, 0x4E00 + n + 200))) for n in range(0, 4000, 200)]),
    "Thai": ("cjk", lambda: ["".join(map(chr, (*range(0x0E01, 0x0E2E),))) * 3 + str(n) for n in range(20)]),
    "code": ("code", code),
    "articles": ("prose", lambda: [*(prose(seed) for seed in range(60)), prose(3), prose(4)]),
}


@pytest.mark.parametrize("case", CASES)
def test_each_kind_of_text_gets_its_preset(case: str) -> None:
    preset, texts = CASES[case]
    advice = la.advise(texts())
    assert (advice.preset, advice.recipe) == (preset, la.Recipe.preset(preset)), advice.reason
    assert advice.threshold == la.PRESETS[preset].threshold


def test_a_folder_of_documents_that_share_little_is_read_for_passages(tmp_path: Path) -> None:
    for seed in range(12):
        (tmp_path / f"essay-{seed}.txt").write_text(prose(seed, 300), encoding="utf-8")
    advice = la.advise(tmp_path)
    assert (advice.preset, advice.metric, advice.min_words) == ("essays", "containment", 5)
    for path in tmp_path.iterdir():
        path.rename(path.with_suffix(".py"))
    assert la.advise(tmp_path).preset == "code"  # by the names


def test_vowel_signs_do_not_count_where_there_are_some() -> None:
    letters = [chr(code) for code in range(0x0628, 0x063A)]
    rng = random.Random(1)
    bare = [" ".join("".join(rng.choices(letters, k=4)) for _ in range(80)) for _ in range(12)]
    pointed = ["".join(f"{letter}\u064e" if letter != " " else " " for letter in text) for text in bare]
    assert la.advise(bare).recipe.accents == "keep"
    advice = la.advise([*bare, *pointed])
    assert advice.recipe.accents == "strip"
    assert "vowel signs" in advice.reason
    assert la.compare(bare[0], pointed[0], advice.recipe).jaccard == 1.0


def test_what_was_tried_is_told_with_its_cost() -> None:
    advice = la.advise(versions())
    tried = {trial.name: trial for trial in advice.tried}
    assert {"essays", "prose", "edited", "code", "cjk", "words, k = 2", "characters, k = 13"} <= set(tried)
    edited = tried["edited"]
    again = la.find(versions(), preset="edited")
    assert edited.pairs == again.pair_count == 20
    assert edited.above is not None
    assert edited.above.score == min(row["jaccard"] for row in again.pairs.to_pylist())
    assert edited.shingles > tried["prose"].shingles > 100
    assert advice.sampled == advice.documents == 40
    assert advice.complete


def test_a_large_collection_is_sampled_and_an_empty_one_refused() -> None:
    many = la.advise([prose(seed, 400) for seed in range(400)])
    assert (many.preset, many.documents) == ("prose", 400)
    assert many.sampled < 400
    with pytest.raises(la.DocumentError, match="contains no readable document"):
        la.advise([])


def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = tmp_path / "strings.parquet"
    pq.write_table(pa.table({"text": code()}), file)
    assert main(["advise", str(file), "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {"preset", "recipe", "threshold", "reason", "tried"} <= set(found)
    assert found["preset"] == "code"
    assert la.Recipe.from_dict(found["recipe"]) == la.Recipe.preset("code")
    assert {"name", "pairs", "shingles", "hashes", "seconds", "above", "below"} <= set(found["tried"][0])
    assert main(["advise", str(COLLECTION)]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("Recommended: ")
    assert "Closest to the threshold" in shown
    assert "Next: lookalike scan" in shown


def test_traits() -> None:
    assert not is_code(ROOT.joinpath("README.md").read_text(encoding="utf-8"))
    assert is_code("for(i=0;i<9;i++){a[i]=b[i]*c;d(a[i],&e);if(a[i]==7){return f(g);}}")
    assert not is_code("<p>One two three four five six seven eight nine ten eleven twelve thirteen.</p>")
    clean = [prose(seed, 400) for seed in range(30)]
    assert misspelt(clean) < 0.02
    assert traits_of(["안녕하세요 여러분"]).spaceless == 1.0
    assert traits_of([]).documents == 0
