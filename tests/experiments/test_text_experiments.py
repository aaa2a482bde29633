"""Bags against sets, and the texts themselves."""

from __future__ import annotations

import pytest

import lookalike as la
from lookalike.experiments import Setup, Table, data, set_similarity, text_collections
from lookalike.experiments.catalogue import by_id
from tests.experiments.quick import IN_ONE_WORKER, QUICK, measured

pytestmark = IN_ONE_WORKER

# -- bags ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bagged() -> Table:
    return measured("bags")


def test_a_text_equals_itself_except_by_article_c(bagged: Table) -> None:
    itself = bagged.where(documents="itself")
    assert set(itself.numbers("set")) == set(itself.numbers("bag")) == {1.0}
    assert set(itself.numbers("report")) == {0.5}


def test_article_c_never_exceeds_a_half(bagged: Table) -> None:
    assert max(bagged.numbers("report")) == 0.5
    # Σ min / (|A| + |B|) is bag / (1 + bag), which is concave: so is the bound for means.
    for bag, report in zip(bagged.numbers("bag"), bagged.numbers("report"), strict=True):
        assert report <= bag / (1 + bag) + 1e-12


def test_copies_in_a_row_are_one_set_and_many_in_a_bag(bagged: Table) -> None:
    repeated = bagged.where(documents="repeated")
    shingles = len(la.normalize(data.base_text(QUICK), la.Recipe(unit="char"))) - set_similarity.K + 1
    for copies, as_set, as_bag in zip(*map(repeated.numbers, ("copies", "set", "bag")), strict=True):
        # A seam between two copies adds at most K new shingles; a text may repeat a few of its own.
        assert as_set >= 1 - set_similarity.K / (0.9 * shingles)
        assert 1 / copies * (1 - set_similarity.K / shingles) <= as_bag <= 1 / copies


def test_shuffles_of_the_same_letters(bagged: Table) -> None:
    first = bagged.where(documents="shuffles", k=1)
    assert first.numbers("set") == first.numbers("bag") == [1.0]


def test_verdicts_on_bags(bagged: Table) -> None:
    assert [verdict.finding for verdict in by_id("bags").judge(bagged, QUICK)] == [
        "does not hold",
        "holds in part",
    ]
    usual = Table(bagged.columns, [(*row[:-1], row[-2]) for row in bagged.rows])
    assert by_id("bags").judge(usual, QUICK)[0].finding == "holds"


# -- the texts themselves --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def described() -> Table:
    return measured("collections")


def test_the_base_text_is_like_report_bs(described: Table) -> None:
    assert text_collections.value(described, "base text", "words") == 50
    assert text_collections.value(described, "base text", "mean length") == 5.84
    for name in ("base text", "book"):
        assert sum(described.where(texts=name, quantity="share of length").numbers("value")) == pytest.approx(1)


def test_all_pairs_are_counted(described: Table) -> None:
    for name, pairs in (("20 shuffles", 190), ("60 shuffles", 1770)):
        assert text_collections.value(described, name, "pairs") == pairs
        assert sum(described.where(texts=name, quantity="pairs of similarity").numbers("value")) == pairs


def test_pairs_have_the_wanted_similarity(described: Table) -> None:
    made = described.where(texts="constructed pair")
    assert made.numbers("value") == pytest.approx(made.numbers("x"), abs=0.001)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_book_follows_zipf(seed: int) -> None:
    table = measured("collections", Setup(seed=seed, quick=True))
    assert 0.85 <= text_collections.zipf_exponent(table) <= 1.15


def test_verdicts_on_the_texts(described: Table) -> None:
    assert {verdict.finding for verdict in by_id("collections").judge(described, QUICK)} == {"holds"}
    own = Setup(quick=True, text="only a few words and none of them long")
    assert by_id("collections").judge(measured("collections", own), own)[1].finding == "does not hold"
