"""Presets where documents are removed: the command and the library remove the same, and never for a shared passage."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import lookalike as la
from lookalike.presets import PRESETS
from lookalike.spark.__main__ import main as spark_job
from tests.corpus import prose

if TYPE_CHECKING:
    from tests.cli.conftest import Run

FOR_FINDING = [name for name, preset in PRESETS.items() if preset.is_for_finding]


def words_of(seed: int, count: int) -> list[str]:
    return prose(random.Random(seed), count)


def cut(words: list[str], changed: int, number: int) -> str:
    """Return a text whose last words are others: of n words, n - 4 - changed shingles of five words stay."""
    own = [f"other{number}x{place}" for place in range(changed)]
    return " ".join([*words[: len(words) - changed], *own])


@pytest.fixture
def texts() -> dict[str, str]:
    """Pairs at every few hundredths of the similarity, an excerpt, and a passage in another text."""
    made: dict[str, str] = {}
    for number, changed in enumerate((2, 6, 9, 11, 13, 15, 19, 26, 40)):
        words = words_of(number, 104)
        made[f"{number} a"], made[f"{number} b"] = " ".join(words), cut(words, changed, number)
    words = words_of(50, 300)
    made |= {"whole": " ".join(words), "excerpt": " ".join(words[40:120])}
    made["quoting"] = " ".join([*words_of(51, 200), *words[200:240], *words_of(52, 50)])
    return made


def removed_by_command(run: Run, *options: str) -> set[str]:
    assert run("dedupe", *options, "--keep", "longest", "--plan", "plan.jsonl", "--force").code == 0
    rows = map(json.loads, Path("plan.jsonl").read_text(encoding="utf-8").splitlines())
    return {row["id"] for row in rows if not row.get("kept")}


def removed(texts: dict[str, str], **options: Any) -> set[str]:
    kept = la.drop_near_duplicates(texts, keep="longest", **options)
    return set(texts) - set(kept)


@pytest.mark.parametrize(
    "options", [{}, {"threshold": 0.5}, {"metric": "containment"}], ids=lambda given: str([*given])
)
@pytest.mark.parametrize("preset", PRESETS)
def test_the_command_and_the_library_remove_the_same(
    run: Run, texts: dict[str, str], preset: str, options: dict[str, Any]
) -> None:
    rows = [{"id": name, "text": text} for name, text in texts.items()]
    Path("rows.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    typed = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    gone = removed_by_command(run, "rows.jsonl", "--preset", preset, *typed)
    assert gone == removed(texts, preset=preset, **options)
    known = PRESETS[preset]
    least = 0.8 if known.is_for_finding else known.threshold
    found = la.find(texts, options.get("threshold", least), recipe=known.recipe, metric=options.get("metric"))
    assert gone == set(found.plan("longest").removed_ids.to_pylist())
    assert gone


def test_a_published_threshold_counts_and_one_for_finding_does_not(texts: dict[str, str]) -> None:
    usual = removed(texts)
    for preset in ("essays", "edited"):  # to the tokens of code, all words are equal
        assert not {"excerpt", "whole", "quoting"} & removed(texts, preset=preset)
    assert removed(texts, preset="prose") == usual
    assert removed(texts, preset="fineweb") > usual


@pytest.mark.parametrize("preset", FOR_FINDING)
def test_what_a_preset_for_finding_found_has_no_plan_at_its_own_threshold(
    run: Run, texts: dict[str, str], preset: str
) -> None:
    found = la.find(texts, preset=preset)
    found.save("run.lookalike")
    for result in (found, la.Result.load("run.lookalike"), found.with_ids([*range(len(texts))])):
        with pytest.raises(la.RecipeError) as caught:
            result.plan()
        assert (caught.value.field, caught.value.hint) == ("threshold", "write result.rethreshold(0.8).plan()")
    assert found.rethreshold(0.8).plan().removed
    for written in (PRESETS[preset].threshold, 0.8):
        assert la.find(texts, written, preset=preset).plan().documents == len(texts)
    refused = run("dedupe", "--result", "run.lookalike", "--plan", "plan.jsonl")
    assert "--threshold must be given" in refused.complaint
    assert "-t 0.8" in refused.complaint
    assert not Path("plan.jsonl").exists()
    assert run("dedupe", "--result", "run.lookalike", "-t", "0.8", "--plan", "plan.jsonl").code == 0


@pytest.mark.parametrize("preset", FOR_FINDING)
def test_a_scan_that_is_saved_says_whose_threshold_it_has(run: Run, texts: dict[str, str], preset: str) -> None:
    Path("rows.jsonl").write_text("\n".join(json.dumps({"text": text}) for text in texts.values()), encoding="utf-8")
    least = str(PRESETS[preset].threshold)
    for name, options, whose in (("own", [], preset), ("written", ["-t", least], None)):
        assert run("scan", "rows.jsonl", "--preset", preset, *options, "--save", f"{name}.lookalike").code == 0
        assert la.Result.load(f"{name}.lookalike").threshold_preset == whose
    assert run("dedupe", "--result", "own.lookalike").code == 2
    assert run("dedupe", "--result", "written.lookalike").code == 0
    assert "cannot be used with --result" in run("dedupe", "--result", "own.lookalike", "--preset", "prose").complaint


def test_a_preset_names_the_recipe_of_repeated_parts(run: Run) -> None:
    Path("rows.jsonl").write_text('{"text": "one two three four five\\nONE two three four five"}\n', encoding="utf-8")
    for preset in PRESETS:
        done = run("dedupe", "rows.jsonl", "--by", "line", "--preset", preset, "-o", f"{preset}.jsonl")
        assert done.code == 0, done.err


def test_the_next_command_after_a_scan_keeps_the_preset(run: Run, texts: dict[str, str]) -> None:
    Path("rows.jsonl").write_text("\n".join(json.dumps({"text": text}) for text in texts.values()), encoding="utf-8")
    for preset, written in (("fineweb", "--threshold 0.75"), ("edited", "--threshold 0.5")):
        shown = " ".join(run("scan", "rows.jsonl", "--preset", preset).out.replace("\\\n", " ").split())
        assert f"lookalike dedupe rows.jsonl --preset {preset} {written} -o kept.jsonl" in shown


def test_a_job_on_spark_refuses_it_before_it_starts(capfd: pytest.CaptureFixture[str]) -> None:
    assert spark_job(["nothing", "out", "--preset", "essays"]) == 2
    said = capfd.readouterr().err
    assert "--threshold must be given to plan removals" in said
    assert not Path("out").exists()


def test_a_table_goes_the_same_way() -> None:
    text = " ".join(words_of(1, 60))
    table = pa.table({"text": [text, text + " more"]})
    assert la.drop_near_duplicates(table, preset="essays").num_rows == 1
