"""Which document stays unless somebody says so: the same in the command, in `Result.plan` and in one call."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import lookalike as la
from lookalike.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable

WORDS = [f"word{number}" for number in range(40)]
EXCERPT, WHOLE = " ".join(WORDS[:20]), " ".join(WORDS)
COPY = " ".join([*WORDS[:39], "last"])


def by_plan(texts: list[str], metric: str, keep: str | None) -> list[str]:
    options: Any = {"metric": metric}
    plan = la.find(texts, 0.8, **options).plan(keep)
    return [text for text, kept in zip(texts, plan.kept_mask.to_pylist(), strict=True) if kept]


def by_call(texts: list[str], metric: str, keep: str | None) -> list[str]:
    return la.drop_near_duplicates(texts, keep=keep, metric=metric)


def by_command(texts: list[str], metric: str, keep: str | None) -> list[str]:
    Path("x.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")
    written = [] if keep is None else ["--keep", keep]
    assert main(["dedupe", "x.jsonl", "--metric", metric, "-t", "0.8", *written, "-o", "k.jsonl", "-q"]) == 0
    return [json.loads(line)["text"] for line in Path("k.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("way", [by_plan, by_call, by_command])
@pytest.mark.parametrize(
    ("metric", "keep", "texts", "stays"),
    [
        ("jaccard", None, [COPY[:-2], WHOLE], COPY[:-2]),
        ("jaccard", "longest", [COPY[:-2], WHOLE], WHOLE),
        ("containment", None, [EXCERPT, WHOLE], WHOLE),
        ("containment", None, [WHOLE, EXCERPT], WHOLE),
        ("containment", "first", [EXCERPT, WHOLE], EXCERPT),
    ],
)
def test_the_rule_that_nobody_wrote(
    way: Callable[[list[str], str, str | None], list[str]],
    metric: str,
    keep: str | None,
    texts: list[str],
    stays: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert way(texts, metric, keep) == [stays]
