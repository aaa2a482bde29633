"""The audit: what it measures is the share of the true pairs that a result has."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike import _native
from lookalike.documents import Source, open_documents
from lookalike.engine.bands import wilson
from lookalike.recipe import settings
from lookalike.result import audit as auditing
from lookalike.tables.columns import as_bytes
from tests.corpus import pages
from tests.property.strategies import tries

if TYPE_CHECKING:
    from pathlib import Path

RECIPE = la.Recipe(k=2)
TEXTS = pages(11, originals=120, words=40, changes=(0, 1, 2, 3, 5, 8))
EXACT = la.find(TEXTS, 0.5, recipe=RECIPE, method="exact")
NEAR = EXACT._found.pairs.table.num_rows


def without(result: la.Result, chosen: list[bool]) -> la.Result:
    """The result without some of its near pairs."""
    kept = result._found.pairs.table.filter(pa.array([not lost for lost in chosen]))
    found = replace(result._found, **{name: as_bytes(kept[name]) for name in kept.column_names})  # type: ignore[arg-type]
    return result._changed(_found=found, _searched=found)


def test_all_is_there() -> None:
    audited = EXACT.audit(documents=TEXTS, sample=10_000)
    assert audited.recall == la.Recall(1.0, 1.0, (1.0, 1.0))
    assert EXACT.recall.measured is None
    seen = audited.audited
    assert seen is not None
    assert (seen.true_pairs, seen.found, seen.missed.num_rows) == (NEAR, NEAR, 0)
    assert seen.drawn == seen.of == len(set(EXACT._found.firsts))
    found = f"{NEAR} of {NEAR} pairs at or above the threshold found: recall 1.0000"
    assert str(seen) == f"{seen.drawn} of {seen.of} documents drawn: {found}"


@given(st.integers(0, 5), st.integers(1, 300), st.integers(0, 9))
@tries(0.5)
def test_what_is_missing_is_missed(every: int, sample: int, seed: int) -> None:
    lost = [every > 0 and number % every == 0 for number in range(NEAR)]
    result = without(EXACT, lost)
    seen = result.audit(sample, seed=seed, documents=TEXTS).audited
    assert seen is not None
    drawn = {n for n in range(len(TEXTS)) if n in set(auditing._draw(firsts(), sample, seed))}
    rows = EXACT._found.pairs.table.to_pylist()
    touched = [(row, gone) for row, gone in zip(rows, lost, strict=True) if row["a"] in drawn or row["b"] in drawn]
    assert seen.drawn == len(drawn) == min(sample, seen.of)
    assert seen.true_pairs == len(touched)
    key = lambda row: (row["a"], row["b"])  # noqa: E731
    assert sorted(seen.missed.to_pylist(), key=key) == sorted((row for row, gone in touched if gone), key=key)
    assert seen.found == sum(not gone for _, gone in touched)
    if touched:
        assert seen.measured == seen.found / seen.true_pairs
        assert seen.interval is not None
        assert seen.interval[0] <= seen.measured <= seen.interval[1]


def firsts() -> list[int]:
    return sorted(set(EXACT._found.firsts))


def test_small_portions_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    result = without(EXACT, [number % 3 == 0 for number in range(NEAR)])
    whole = result.audit(50, documents=TEXTS).audited
    monkeypatch.setattr(auditing, "_PORTION", 1)
    monkeypatch.setattr(auditing, "_LARGER", 0)
    source = open_documents(TEXTS)
    few = result.audit(50, documents=Pieces(source)).audited
    assert whole is not None
    assert few is not None
    assert whole.to_dict() == few.to_dict()
    assert whole.missed.sort_by([("a", "ascending"), ("b", "ascending")]).equals(
        few.missed.sort_by([("a", "ascending"), ("b", "ascending")])
    )


class Pieces(Source):
    """A source that gives seven documents at a time."""

    name = "pieces"

    def __init__(self, source: Source) -> None:
        self.source = source

    def batches(self, *, rows: bool = False) -> Any:
        for batch in self.source.batches():
            for start in range(0, len(batch), 7):
                yield replace(batch, ids=batch.ids[start : start + 7], texts=batch.texts[start : start + 7])

    def skipped(self) -> Any:
        return []

    def notes(self) -> Any:
        return []

    def size(self) -> Any:
        return self.source.size()


def test_the_same_seed_draws_the_same() -> None:
    one, two, other = (EXACT.audit(40, seed=seed, documents=TEXTS).audited for seed in (1, 1, 2))
    assert one is not None
    assert two is not None
    assert other is not None
    assert one.to_dict() == two.to_dict()
    assert one.true_pairs != other.true_pairs


def test_a_sample_without_a_true_pair_measures_nothing() -> None:
    texts = ["one two three", "one two three", "four five six"]
    result = la.find(texts).audit(documents=texts)
    assert result.recall == la.Recall(1.0, None, None)
    assert result.audited is not None
    assert str(result.audited) == (
        "2 of 2 documents drawn: they have no pair at or above the threshold but copies, so the recall could not be "
        "measured"
    )
    assert la.find([]).audit(documents=[]).recall.measured is None


def test_a_copy_that_was_not_seen_as_one_is_missed() -> None:
    texts = ["one two three", "one two three", "four five six"]
    result = la.find(texts, recipe=RECIPE)
    found = replace(result._found, classes=as_bytes(pa.array([0, 1, 2], pa.uint32())))
    seen = result._changed(_found=found, _searched=found).audit(documents=texts).audited
    assert seen is not None
    assert [(row["a"], row["b"]) for row in seen.missed.to_pylist()] == [(0, 1)]


def test_the_audit_belongs_to_its_threshold() -> None:
    audited = EXACT.audit(documents=TEXTS)
    higher = audited.rethreshold(0.9)
    assert (higher.recall.measured, higher.audited) == (None, None)
    assert higher.audit(documents=TEXTS).recall.measured == 1.0
    assert higher.rethreshold(0.5).recall == audited.recall
    assert "measured 1 ·" in audited.summary()


@pytest.mark.parametrize("metric", ["containment", "bag"])
def test_other_metrics(metric: Any) -> None:
    texts = ["a b c d e", "a b c d e f g h i j k l m n o p q r s t u v w x y z", "a b a b a b", "a b a b x"]
    result = la.find(texts, 0.5, metric=metric, recipe=la.Recipe(k=1))
    seen = result.audit(documents=texts).audited
    assert seen is not None
    assert seen.true_pairs > 0
    assert seen.measured == 1.0


def test_old_documents() -> None:
    new, old = TEXTS[:60], TEXTS[60:]
    result = la.find(new, 0.5, against=[*old, *new[:30]], recipe=RECIPE, method="exact")
    seen = result.audit(documents=new, against=[*old, *new[:30]]).audited
    assert seen is not None
    assert seen.measured == 1.0
    assert seen.of <= 60
    assert seen.true_pairs == result._found.pairs.table.num_rows


def test_templates_do_not_count() -> None:
    template = "this is the sheet that everybody was given and must hand in again"
    texts = [f"{template} {page}" for page in TEXTS[:60]]
    result = la.find(texts, 0.5, ignore=[template], recipe=RECIPE, method="exact")
    ignored = tuple(_native.elements(template, settings(RECIPE)))
    seen = result._changed(excluded_shingles=ignored).audit(documents=texts).audited
    assert seen is not None
    assert seen.measured == 1.0


def test_a_promise_is_kept() -> None:
    result = la.find(TEXTS, 0.5, recipe=RECIPE, method="lsh", recall=0.9).audit(documents=TEXTS)
    assert result.recall.measured is not None
    assert result.recall.measured > 0.8


# -- texts that are not there ----------------------------------------------------------------------------------------


def test_a_folder_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lookalike.documents.combined_source.KEPT", 0)  # as if it were too large to be kept in memory
    for number, text in enumerate(TEXTS[:20]):
        (tmp_path / f"{number:02}.txt").write_text(text)
    result = la.find(tmp_path, 0.5, recipe=RECIPE)
    assert result.audit().recall.measured == 1.0
    result.save(tmp_path.with_suffix(".lookalike"))
    loaded = la.Result.load(tmp_path.with_suffix(".lookalike"))
    with pytest.raises(la.DocumentError, match=r"not there any more.*give them: result.audit\(documents=…\)"):
        loaded.audit()
    assert loaded.audit(documents=tmp_path).recall.measured == 1.0
    (tmp_path / "03.txt").unlink()
    with pytest.raises(la.DocumentError, match="vanished"):
        result.audit()
    with pytest.raises(la.DocumentError, match="are not the ones that were searched"):
        loaded.audit(documents=tmp_path)


def test_the_texts_of_a_small_folder_are_kept(tmp_path: Path) -> None:
    for number, text in enumerate(TEXTS[:20]):
        (tmp_path / f"{number:02}.txt").write_text(text)
    result = la.find(tmp_path, 0.5, recipe=RECIPE)
    (tmp_path / "03.txt").unlink()
    assert result.audit().recall.measured == 1.0


def test_an_audit_excludes_what_the_search_excluded() -> None:
    quoted = [f'{text} He said "{TEXTS[0]}" to us.' for text in TEXTS[:20]]
    result = la.find(quoted, 0.5, recipe=RECIPE, skip=["quotes"])
    assert 0 < result.pair_count < la.find(quoted, 0.5, recipe=RECIPE).pair_count
    seen = result.audit().audited
    assert seen is not None
    assert (seen.found, seen.measured) == (seen.true_pairs, 1.0)


def test_an_audit_cannot_be_made_of_long_passages() -> None:
    with pytest.raises(la.RecipeError, match="min_words is not supported by an audit"):
        la.find(TEXTS, 0.5, recipe=RECIPE, min_words=9).audit()


def test_other_documents_are_refused() -> None:
    for others in (TEXTS[:-1], [*TEXTS, "one more"], {str(n): text for n, text in enumerate(TEXTS[:-1])}):
        with pytest.raises(la.DocumentError, match="are not the ones that were searched; give the same documents"):
            EXACT.audit(documents=others)


@pytest.mark.parametrize("sample", [0, -1, 1.5])
def test_a_sample_that_is_none(sample: Any) -> None:
    with pytest.raises(la.RecipeError, match="sample must be a whole number"):
        EXACT.audit(sample, documents=TEXTS)


# -- the interval ----------------------------------------------------------------------------------------------------


@given(st.integers(1, 10_000), st.data())
def test_the_interval_holds_the_share(total: int, data: st.DataObject) -> None:
    found = data.draw(st.integers(0, total))
    low, high = wilson(found, total)
    assert 0.0 <= low <= found / total <= high <= 1.0
    assert low < high


def test_the_interval_of_the_books() -> None:
    # Brown, Cai, DasGupta (2001) and every table since: 95 %, 8 of 10.
    assert [round(end, 4) for end in wilson(8, 10)] == [0.4902, 0.9433]


def test_what_did_not_count_in_the_search_does_not_count_in_the_audit() -> None:
    quote = "“the tide rises because the moon pulls the water of the sea towards itself every single day”"
    texts = [f"{first} {quote} {' '.join(first[::-1])}" for first in ("abcdefgh", "ijklmnop", "qrstuvwx")]
    texts += [texts[0].replace("tide", "sea"), "quite another text, of which nobody has written a copy"]
    result = la.find(texts, 0.3, recipe=RECIPE, skip=["quotes"])
    assert result.pairs.num_rows == 1
    seen = result.audit(documents=texts).audited
    assert seen is not None
    assert (seen.true_pairs, seen.found) == (0, 0)  # the one pair is of copies, once the quotes are excluded
