"""Documents that are all alike, with names that are given."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import words

__all__ = ["corpus", "folder"]


def corpus(*ids: str | int, name: str = "corpus.jsonl") -> str:
    """Write documents with these ids, all alike."""
    rows = [{"id": id_, "text": words(0, 100 + number)} for number, id_ in enumerate(ids)]
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return name


def folder(*names: str) -> str:
    """Write files with these names, all alike."""
    Path("essays").mkdir()
    for number, name in enumerate(names):
        Path("essays", name).write_text(words(0, 100 + number), encoding="utf-8")
    return "essays"
