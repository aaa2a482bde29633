"""The preset essays: a class with copying of several kinds, and what the options of a scan make of it."""

import json
import re
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import lookalike as la
from tests.cli.conftest import COLLECTION, Run

ROOT = Path(__file__).parents[2]
ESSAYS = {
    name: paragraphs
    for name, paragraphs in runpy.run_path(str(ROOT / "examples" / "make_class.py"))["read_texts"]().items()
    if name not in ("sheet", "quote", "sources")
}
OWN = (COLLECTION / "river-cleanup.txt").read_text(encoding="utf-8").split("\n\n")


def exchanged(text: str, every: int) -> str:
    """Replace one word of so many by a word that nobody uses."""
    words = text.split()
    words[3::every] = [f"other{place}" for place in range(len(words[3::every]))]
    return " ".join(words)


@pytest.fixture
def mosaic(tmp_path: Path) -> tuple[str, str]:
    """Write a class with an essay of which every fifth word was replaced; return the names of that and of the copy."""
    texts = {name: "\n\n".join(paragraphs) for name, paragraphs in ESSAYS.items()}
    honest = [name for name in texts if len(texts[name].split()) > 120][:5]
    folder = tmp_path / "class"
    folder.mkdir()
    for name in honest:
        (folder / f"{name}.txt").write_text(texts[name], encoding="utf-8")
    (folder / "copy.txt").write_text(exchanged(texts[honest[0]], 5), encoding="utf-8")
    return f"{honest[0]}.txt", "copy.txt"


def test_a_copy_with_every_fifth_word_replaced_is_named(run: Run, mosaic: tuple[str, str]) -> None:
    original, copy = sorted(mosaic)
    title = "Similar only in passages shorter than 5 words (1 pair, not counted)"
    scan = ("scan", "class", "--preset", "essays")
    done = run(*scan, "--no-passages")
    _, below = done.out.split(title)
    assert re.search(rf"1 +[\d.]+% +[\d.]+% +[\d.]+%  {copy} +{original}|{original} +{copy}", below)
    assert "## Similar only in passages shorter than 5 words" in run(*scan, "--format", "md").out
    (pair,) = run(*scan, "--format", "json").json["short_passages"]["pairs"]
    assert 0.3 < max(pair["containment_a"], pair["containment_b"]) < 0.6
    csv = run(*scan, "--format", "csv")
    assert copy not in csv.out
    assert "1 pair is similar only in passages shorter than 5 words" in csv.err


def test_compare_does_not_contradict_itself(run: Run, mosaic: tuple[str, str]) -> None:
    compare = ("compare", *(f"class/{name}" for name in mosaic), "--preset", "essays")
    out = run(*compare).out
    assert "Little in common" not in out
    assert "Similar only in passages shorter than 5 words." in out
    assert "± 0.0000" not in out
    found = run(*compare, "--format", "json").json
    assert found["jaccard"] < 0.05 < found["any_length"]["jaccard"]
    assert abs(found["estimate"] - found["any_length"]["jaccard"]) < 4 * found["standard_error"]
    assert found["standard_error"] == pytest.approx(la.standard_error(found["any_length"]["jaccard"], 256))
    assert run(*compare[:3], "--format", "json").json["any_length"] is None


@pytest.mark.parametrize("options", [(), ("--preset", "essays")], ids=str)
def test_sources_of_a_mosaic_are_named(run: Run, mosaic: tuple[str, str], options: tuple[str, ...]) -> None:
    original, copy = mosaic
    found = run("sources", f"class/{copy}", "class", *options, "--format", "json").json
    assert found["share"] > 0.5
    assert found["sources"][0]["id"] == original
    Path("class", copy).write_text(exchanged(Path("class", original).read_text(encoding="utf-8"), 4), encoding="utf-8")
    done = run("sources", f"class/{copy}", "class", *options)
    assert re.search(
        rf"Similar only in shorter passages: \d+\.\d% of its sequences of 3 words are in\s{original}", done.out
    )


@pytest.fixture
def planted(tmp_path: Path) -> dict[tuple[str, str], str]:
    """Write a class; return what was planted, by the names of the pair."""
    texts = {name: "\n\n".join(paragraphs) for name, paragraphs in ESSAYS.items()}
    honest = [name for name in texts if len(texts[name].split()) > 120][:9]
    folder = tmp_path / "class"
    folder.mkdir()
    for name in honest:
        (folder / f"{name}.txt").write_text(texts[name], encoding="utf-8")
    a, b, c, d, e, f, *_ = honest
    mosaic = "\n\n".join([OWN[0], ESSAYS[c][1], OWN[1], ESSAYS[d][1], ESSAYS[e][1]])
    made = {
        "verbatim": (texts[a], [a]),
        "synonyms": (exchanged(texts[b], 17), [b]),
        "many-synonyms": (exchanged(texts[f], 7), [f]),
        "mosaic": (mosaic, [c, d, e]),
    }
    found: dict[tuple[str, str], str] = {}
    for name, (text, sources) in made.items():
        (folder / f"zz-{name}.txt").write_text(text, encoding="utf-8")
        found |= {(f"{source}.txt", f"zz-{name}.txt"): name for source in sources}
    return found


def pairs_of(done: Any) -> set[tuple[str, str]]:
    return {(pair["a"], pair["b"]) for pair in done.json["pairs"]}


def test_a_class_with_copies_in_part(
    run: Callable[..., Any], planted: dict[tuple[str, str], str], tmp_path: Path
) -> None:
    folder = str(tmp_path / "class")
    assert pairs_of(run("scan", folder, "--preset", "essays", "--format", "json")) == set(planted)
    whole = pairs_of(run("scan", folder, "--format", "json"))
    assert {planted[pair] for pair in whole} == {"verbatim"}
    said = run("scan", folder)
    hidden = len(planted) - 1
    assert f"{hidden} more pairs share passages below this threshold" in " ".join(said.out.split())
    assert "below this threshold" not in run("scan", folder, "--format", "csv").out
    assert "below this threshold" not in run("scan", folder, "--preset", "essays").out
    assert "below this threshold" not in run("scan", folder, "--quiet").out


def test_a_task_sheet_in_every_essay_is_told(run: Callable[..., Any]) -> None:
    scan = ("scan", str(ROOT / "examples" / "class" / "essays"), "--preset", "essays", "--no-passages")
    said = "Most documents share some text"
    assert said in run(*scan).out
    assert said not in run(*scan, "--common", "0.5").out


def test_a_program_is_compared_line_by_line(run: Callable[..., Any]) -> None:
    ours = "def total(prices):\n    result = 0\n    for price in prices:\n        result += price\n    return result\n"
    Path("ours.py").write_text(ours * 2, encoding="utf-8")
    Path("theirs.py").write_text(ours.replace("price", "x") * 2, encoding="utf-8")
    out = run("compare", "ours.py", "theirs.py", "--preset", "code").out
    assert "whatever the names, comments and layout" in out
    assert re.search(r"^ {11}result [+]= price +│ {9}result [+]= x$", out, re.MULTILINE)


def test_a_preset_brings_its_settings_and_each_can_be_changed(run: Callable[..., Any]) -> None:
    Path("sample").symlink_to(COLLECTION)

    def scan(*options: str) -> dict[str, Any]:
        found: dict[str, Any] = run("scan", "sample", "--preset", "essays", "--format", "json", *options).json
        return found

    found = scan()
    assert (found["threshold"], found["metric"], found["min_words"]) == (0.1, "containment", 5)
    assert la.Recipe.from_dict(found["recipe"]) == la.Recipe.preset("essays") == la.Recipe(k=3, form="nfkc")
    other = scan("-t", "0.3", "--metric", "jaccard", "--min-words", "9", "-k", "4")
    assert (other["threshold"], other["metric"], other["min_words"], other["recipe"]["k"]) == (0.3, "jaccard", 9, 4)
    assert run("scan", "sample", "--preset", "edited", "--format", "json").json["threshold"] == 0.5


def test_commands_that_are_shown_name_the_preset(run: Callable[..., Any]) -> None:
    Path("sample").symlink_to(COLLECTION)
    done = run("scan", "sample", "--preset", "essays", "-t", "0.2", "--save", "run.lookalike")
    assert " --preset essays" in " ".join(done.out.replace("\\\n", " ").split())
    command = la.Result.load("run.lookalike").origin["command"]
    assert command == "lookalike scan sample --preset essays --threshold 0.2"
    loaded = la.Result.load("run.lookalike")
    assert (loaded.metric, loaded.exclusions.min_words, loaded.threshold) == ("containment", 5, 0.2)
    planned = run("estimate", "sample", "--preset", "essays")
    assert "every pair at or above the threshold" in planned.out
    assert "lookalike scan sample --preset essays" in planned.out
    compared = run("compare", "sample/river-cleanup.txt", "sample/angling-club-newsletter.md", "--preset", "essays")
    assert "at least 5 words" in compared.out


def test_removing_takes_only_the_recipe_of_a_preset(run: Callable[..., Any]) -> None:
    Path("sample").symlink_to(COLLECTION)
    assert run("dedupe", "sample", "--preset", "essays", "--plan", "plan.jsonl").code == 0
    removed = [json.loads(line) for line in Path("plan.jsonl").read_text(encoding="utf-8").splitlines()]
    assert all(row["score"] >= 0.8 for row in removed if row.get("score") is not None)
    assert sum(row.get("score") is not None for row in removed) <= 3


def test_the_same_in_python() -> None:
    found = la.find(COLLECTION, preset="essays")
    assert (found.threshold, found.metric, found.exclusions.min_words) == (0.1, "containment", 5)
    assert found.recipe == la.Recipe.preset("essays")
    other = la.find(COLLECTION, 0.5, preset="essays", metric="jaccard", recipe=la.Recipe(), min_words=8)
    assert (other.threshold, other.metric, other.recipe, other.exclusions.min_words) == (0.5, "jaccard", la.Recipe(), 8)
    with pytest.raises(la.RecipeError, match="did you mean 'essays'"):
        la.find(COLLECTION, preset="essay")
    assert la.estimate_cost(COLLECTION, preset="essays").promised_recall == 1.0


def test_the_note_leaves_out_pairs_by_one_author(run: Run, mosaic: tuple[str, str]) -> None:
    for path in Path("class").iterdir():
        Path("authors", "ann" if path.name in mosaic else path.stem).mkdir(parents=True, exist_ok=True)
        path.rename(Path("authors", "ann" if path.name in mosaic else path.stem, path.name))
    done = run("scan", "authors", "--preset", "essays", "--group-by", "dir")
    assert done.code == 0
    assert "similar only in passages" not in done.err
    assert "Similar only in passages" not in done.out
