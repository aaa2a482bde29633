"""`drop_repeated_parts` and `drop_repeated_passages`: each type of data comes back as it was, with shorter texts."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING, Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import lookalike as la
from lookalike import _native
from lookalike.recipe import settings
from lookalike.search import repeats as driver
from lookalike.search.repeats import Repeats, Sought
from tests.search import test_deduplicate

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LINE = "Read more of our stories here."
TEXTS = [f"One.\n{LINE}", None, f"{LINE}\nTwo.", LINE.upper(), "", "Three."]
LEFT = [f"One.\n{LINE}", None, "Two.", "", "", "Three."]
CUTS = [
    {"id": 2, "start": 0, "end": 31, "words": 6, "kept_id": 0},
    {"id": 3, "start": 0, "end": 30, "words": 6, "kept_id": 0},
]
NAMES = [f"row {n}" for n in range(len(TEXTS))]
TABLE = pa.table({"name": NAMES, "text": TEXTS, "pages": [[n] for n in range(len(TEXTS))]})


class Dataset(test_deduplicate.Dataset):
    """The part of a Hugging Face Dataset that is used."""

    def map(self, change: Callable[..., dict[str, list[Any]]], **options: Any) -> Dataset:
        assert options["batched"]
        assert options["with_indices"]
        assert options["features"] is self.features
        (name,) = options["input_columns"]
        made = [change(None, [row])[name][0] for row in range(len(self))]
        place = self.table.column_names.index(name)
        return Dataset(self.table.set_column(place, self.table.schema.field(place), pa.array(made)))


TABLES: dict[str, tuple[Any, Callable[[Any], list[dict[str, Any]]]]] = {
    "pyarrow table": (TABLE, lambda data: data.to_pylist()),
    "pyarrow table in pieces": (
        pa.concat_tables([TABLE.slice(0, 3), TABLE.slice(3)]),
        lambda data: data.to_pylist(),
    ),
    "pyarrow record batch": (TABLE.combine_chunks().to_batches()[0], lambda data: data.to_pylist()),
    "polars": (pl.from_arrow(TABLE), lambda data: data.to_dicts()),
    "polars lazy": (pl.from_arrow(TABLE).lazy(), lambda data: data.collect().to_dicts()),  # type: ignore[union-attr]
    "dataset": (Dataset(TABLE), lambda data: data.table.to_pylist()),
    "list of dicts": (TABLE.to_pylist(), list),
}
COLUMNS: dict[str, tuple[Any, Callable[[Any], list[str | None]]]] = {
    "list": (TEXTS, list),
    "tuple": (tuple(TEXTS), list),
    "dict": (dict(zip(NAMES, TEXTS, strict=True)), lambda data: list(data.values())),
    "pyarrow array": (pa.array(TEXTS), lambda data: data.to_pylist()),
    "pyarrow chunked array": (TABLE["text"], lambda data: data.to_pylist()),
    "pyarrow dictionary": (pa.array(TEXTS).dictionary_encode(), lambda data: data.to_pylist()),
    "pandas series": (pd.Series(TEXTS), lambda data: [None if pd.isna(text) else text for text in data]),
    "pandas category": (
        pd.Series(TEXTS, dtype="category"),
        lambda data: [None if pd.isna(text) else text for text in data],
    ),
    "polars series": (pl.Series("text", TEXTS), lambda data: data.to_list()),
    "polars category": (pl.Series("text", TEXTS, dtype=pl.Categorical), lambda data: data.to_list()),
    "polars enum": (
        pl.Series("text", TEXTS, dtype=pl.Enum([text for text in TEXTS if text is not None])),
        lambda data: data.to_list(),
    ),
}


@pytest.mark.parametrize("kind", TABLES)
def test_tables_come_back_as_they_were(kind: str) -> None:
    data, rows = TABLES[kind]
    kept, cuts = la.drop_repeated_parts(data, "text", by="line", id_column="name", return_cuts=True)
    assert type(kept) is type(data)
    assert rows(kept) == [{**row, "text": text} for row, text in zip(TABLE.to_pylist(), LEFT, strict=True)]
    assert cuts.table["id"].to_pylist() == ["row 2", "row 3"]
    assert cuts.table["kept_id"].to_pylist() == ["row 0", "row 0"]


def test_a_frame_of_pandas_keeps_its_index_and_its_types() -> None:
    frame = TABLE.to_pandas()
    frame.index = pd.Index([10 * n for n in range(len(TEXTS))], name="place")
    kept = la.drop_repeated_parts(frame, "text", by="line")
    expected = frame.copy()
    expected["text"] = pd.Series(LEFT, index=frame.index, dtype=frame["text"].dtype)
    pd.testing.assert_frame_equal(kept, expected)
    assert frame["text"].iloc[2] == TEXTS[2]


@pytest.mark.parametrize("kind", COLUMNS)
def test_columns_come_back_as_they_were(kind: str) -> None:
    data, texts = COLUMNS[kind]
    kept, cuts = la.drop_repeated_parts(data, by="line", return_cuts=True)
    assert type(kept) is type(data)
    assert texts(kept) == LEFT
    names: list[Any] = list(range(len(TEXTS))) if kind != "dict" else NAMES
    listed = [{**cut, "id": names[int(cut["id"])], "kept_id": names[int(cut["kept_id"])]} for cut in CUTS]
    assert cuts.table.to_pylist() == listed
    assert (cuts.documents, cuts.changed, cuts.emptied) == (5, 2, 1)


@pytest.mark.parametrize("kind", COLUMNS)
def test_documents_that_lost_every_word_may_be_left_out(kind: str) -> None:
    """Those that had none to begin with stay."""
    data, texts = COLUMNS[kind]
    kept = la.drop_repeated_parts(data, by="line", drop_empty=True)
    assert type(kept) is type(data)
    assert texts(kept) == [LEFT[row] for row in (0, 1, 2, 4, 5)]


def test_texts_that_lose_nothing_are_not_touched() -> None:
    odd = "a\udcff lone surrogate"
    assert la.drop_repeated_parts([odd, f"{LINE}\n{LINE}"], by="line") == [odd, LINE]


def test_short_parts_stay_unless_they_are_asked_for() -> None:
    texts = ["Share\nOne", "Share\nTwo"]
    assert la.drop_repeated_parts(texts, by="line") == texts
    assert la.drop_repeated_parts(texts, by="line", min_words=1) == ["Share\nOne", "Two"]


def test_everything_repeated() -> None:
    texts = ["one two three four five six"] * 4
    for left in (la.drop_repeated_parts(texts), la.drop_repeated_passages(texts, words=5)):
        assert left == [texts[0], "", "", ""]
    assert la.drop_repeated_passages(texts, words=5, drop_empty=True) == texts[:1]


@pytest.mark.parametrize("texts", [[], [""], ["", ""], [None], ["one two three"], ["\n\r\n \u2028"]])
def test_collections_without_repeats(texts: list[str | None]) -> None:
    assert la.drop_repeated_parts(texts, min_words=1) == texts
    assert la.drop_repeated_passages(texts, words=1) == texts


def test_one_document_that_repeats_itself() -> None:
    text = "Dear all,\r\n\r\nthe tide rises twice a day.\r\n\r\nThe tide rises twice a day!\r\n\r\nYours"
    assert la.drop_repeated_parts([text]) == ["Dear all,\r\n\r\nthe tide rises twice a day.\r\n\r\nYours"]
    assert la.drop_repeated_passages([text], words=6) == la.drop_repeated_parts([text])


def test_words_are_normalised_as_the_recipe_says() -> None:
    texts = ["Ein schöner Tag im Mai 2024.", "EIN SCHO\u0308NER TAG, im Mai 2023!"]
    assert la.drop_repeated_parts(texts) == texts
    assert la.drop_repeated_parts(texts, recipe=la.Recipe(digits="zero")) == [texts[0], ""]
    exact = la.Recipe(digits="zero", lowercase=False, unit="char")
    assert la.drop_repeated_parts(texts, recipe=exact) == texts


def test_chinese_has_a_word_for_each_character() -> None:
    texts = ["潮水每天涨落两次。月亮牵引大海。", "他写道：潮水每天涨落两次。然后"]
    assert la.drop_repeated_parts([texts[0], "潮水每天涨落两次。好"], by="sentence") == [texts[0], "好"]
    assert la.drop_repeated_passages(texts, words=8) == [texts[0], "他写道：然后"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"by": "word"}, "by must be line, paragraph or sentence, not 'word'"),
        ({"min_words": 0}, "min_words must be a whole number of at least 1, not 0"),
        ({"memory": 1000}, "memory must be at least 512MiB, not 1KB"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(la.RecipeError) as error:
        la.drop_repeated_parts(["a"], **arguments)
    assert str(error.value).startswith(message)


@pytest.mark.parametrize("words", [0, 10_001])
def test_wrong_lengths_of_passages(words: int) -> None:
    with pytest.raises(la.RecipeError, match="words must be a whole number"):
        la.drop_repeated_passages(["a"], words=words)


@pytest.mark.parametrize("later", ['{"text": "one two three four six"}\n', '{"text": "x"}\n' * 3, ""])
def test_a_source_that_changes_between_the_reads_is_refused(tmp_path: Path, later: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "one two three four five"}\n' * 2, encoding="utf-8")
    with Repeats(la.open_paths([str(path)]), Sought.parts("line")) as repeats:
        path.write_text('{"text": "one two three four five"}\n' + later, encoding="utf-8")
        with pytest.raises(la.DocumentError, match="has changed since it was read"):
            list(repeats.cut())


def test_a_folder_that_cannot_be_written_to_is_named_as_the_reason(tmp_path: Path) -> None:
    recipe = settings(la.Recipe())
    gone = tmp_path / "gone"
    repeats = _native.Repeats(recipe, by="line", least=1, secret=1, memory=0, folder=gone)
    with pytest.raises(la.LookalikeError, match=r"the temporary folder cannot be used: .*TMPDIR names another"):
        repeats.add(["one two"], 1)


def test_nothing_stays_in_the_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(driver, "HELD", 64)
    texts = [f"{LINE}\nnumber {n} has a line of its own" for n in range(100)]
    with Repeats(la.open_documents(texts), Sought.parts("line")):
        assert list(tmp_path.rglob("*.numbers"))
    assert la.drop_repeated_parts(texts, by="line")[1:] == [text.partition("\n")[2] for text in texts[1:]]
    assert not list(tmp_path.iterdir())
