"""The stages of a search, each against the reference, and all of them together against `find`."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections import Counter
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike import reference as ref
from lookalike.engine import Asked, Strategy, choose_strategy, stages
from lookalike.tables.packed import Texts
from tests.corpus import pages
from tests.property.strategies import Case, collections, tries

if TYPE_CHECKING:
    from collections.abc import Callable

    from lookalike.tables.columns import Metric

SHAPES = ((24, 1), (12, 2), (5, 4), (1, 24))

thresholds = st.one_of(
    st.tuples(st.integers(1, 12), st.integers(1, 12)).map(lambda pair: min(pair) / max(pair)),
    st.floats(0.01, 1.0),
)
shapes = st.sampled_from(SHAPES)
cases = collections(hashes=24)

Scores = tuple[float, float, float]
# What a caller may have of texts; Arrow has no lone surrogates.
FORMS: tuple[Callable[[list[str]], Any], ...] = (
    list,
    tuple,
    Texts.of,
    lambda texts: Texts.of(texts).to_arrow(),
    lambda texts: Texts.of(["?", *texts]).to_arrow().cast(pa.string()).slice(1),
    lambda texts: pa.chunked_array([Texts.of(texts[:1]).to_arrow(), Texts.of(texts[1:]).to_arrow()]),
)


def strategy_of(case: Case, threshold: float, shape: tuple[int, int], **how: Any) -> Strategy:
    return choose_strategy(Asked(case.recipe, threshold, method="lsh", bands=la.Bands(*shape), **how), size=0)


def columns(table: pa.Table) -> dict[tuple[int, int], Scores]:
    return {(r["a"], r["b"]): (r["jaccard"], r["containment_a"], r["containment_b"]) for r in table.to_pylist()}


def pair_table(pairs: list[tuple[int, int]]) -> pa.Table:
    return pa.table({name: pa.array([pair[side] for pair in pairs], pa.uint32()) for side, name in enumerate("ab")})


def firsts(texts: list[str], case: Case) -> list[int]:
    """For each text the first with the same shingles in the same numbers, by the reference."""
    bags = [Counter(ref.shingles(text, case.recipe)) for text in texts]
    return [bags.index(bag) for bag in bags]


# -- rows ------------------------------------------------------------------------------------------------------------


@given(cases, shapes, st.sampled_from(FORMS), st.integers(1, 3))
@tries(2)
def test_rows_are_those_of_the_reference(case: Case, shape: tuple[int, int], form: Any, threads: int) -> None:
    rows = stages.sign_rows(form(case.texts), strategy_of(case, 0.5, shape), threads=threads)
    signatures = [ref.signature(text, case.recipe) for text in case.texts]
    assert rows.column("keys").to_pylist() == [ref.band_keys(signature, *shape) for signature in signatures]
    assert rows.column("slots").to_pylist() == [bytes(map(ref.slot_byte, signature)) for signature in signatures]
    assert rows.column("shingles").to_pylist() == [len(ref.shingles(text, case.recipe)) for text in case.texts]
    assert rows.column("length").to_pylist() == [len(text) for text in case.texts]
    digests = rows.column("digest").to_pylist()
    assert [digests.index(digest) for digest in digests] == firsts(case.texts, case)


@given(cases, shapes, st.data())
def test_a_row_depends_on_its_text_alone(case: Case, shape: tuple[int, int], data: st.DataObject) -> None:
    strategy = strategy_of(case, 0.5, shape)
    whole = stages.sign_rows(case.texts, strategy)
    order = data.draw(st.permutations(range(len(case.texts))))
    again = stages.sign_rows([case.texts[i] for i in order], strategy)
    assert again.equals(whole.take(pa.array(order)))
    assert stages.sign_rows([], strategy).num_rows == 0
    assert stages.agree(whole, whole, strategy).to_pylist() == [case.recipe.hashes] * len(case.texts)
    slots: list[Any] = whole.column("slots").to_pylist()
    agreeing = [sum(x == y for x, y in zip(slots[i], own, strict=True)) for i, own in zip(order, slots, strict=True)]
    assert stages.agree(again, whole, strategy).to_pylist() == agreeing


@given(cases, shapes)
def test_without_bands_rows_have_no_keys(case: Case, shape: tuple[int, int]) -> None:
    strategy = choose_strategy(Asked(case.recipe, 0.5, method="signatures"), size=0)
    rows = stages.sign_rows(case.texts, strategy)
    assert rows.column("keys").to_pylist() == [[]] * len(case.texts)
    assert rows.column("slots").equals(stages.sign_rows(case.texts, strategy_of(case, 0.5, shape)).column("slots"))
    proposed = stages.propose(rows, strategy)
    found = stages.verify(proposed.pairs, case.texts, strategy)
    assert found.equals(stages.join(case.texts, strategy).pairs.table)


def test_rows_of_another_strategy_are_refused() -> None:
    one = Case(la.Recipe(k=2, hashes=24), ["one two three", "four five six"])
    strategy = strategy_of(one, 0.5, (12, 2))
    rows = stages.sign_rows(one.texts, strategy)
    for other in (
        strategy_of(one, 0.5, (8, 3)),
        strategy_of(one._replace(recipe=la.Recipe(k=3, hashes=24)), 0.5, (12, 2)),
        strategy_of(one, 0.5, (12, 2), ignored=(7,)),
        strategy_of(one, 0.5, (12, 2), skip=("quotes",)),
    ):
        with pytest.raises(la.LookalikeError, match="rows"):
            stages.propose(rows, other)
    assert stages.propose(rows, strategy_of(one, 0.9, (12, 2))).pairs.num_rows == 0  # the threshold may be another
    assert stages.propose(rows.replace_schema_metadata(None), strategy).hot.to_pylist() == []
    with pytest.raises(la.RecipeError, match="method"):
        stages.propose(rows, choose_strategy(Asked(one.recipe, 0.5), size=0))


# -- candidates ------------------------------------------------------------------------------------------------------


def expected_candidates(case: Case, strategy: Strategy, old_from: int) -> list[tuple[int, int]]:
    signatures = [ref.signature(text, case.recipe) for text in case.texts]
    classes = firsts(case.texts, case)
    bands = strategy.bands
    assert bands is not None

    def agreeing(a: int, b: int) -> int:
        return sum(ref.slot_byte(x) == ref.slot_byte(y) for x, y in zip(signatures[a], signatures[b], strict=True))

    return sorted(
        (a, b)
        for a, b in ref.candidates(signatures, bands.bands, bands.rows)
        if classes[a] == a and classes[b] == b and a < old_from and agreeing(a, b) >= strategy.least
    )


@given(cases, thresholds, shapes, st.data())
@tries(2)
def test_candidates_share_a_key_and_enough_slots(
    case: Case, threshold: float, shape: tuple[int, int], data: st.DataObject
) -> None:
    strategy = strategy_of(case, threshold, shape)
    old_from = data.draw(st.one_of(st.none(), st.integers(0, len(case.texts))))
    proposed = stages.propose(stages.sign_rows(case.texts, strategy), strategy, old_from=old_from)
    found = [(pair["a"], pair["b"]) for pair in proposed.pairs.to_pylist()]
    assert found == expected_candidates(case, strategy, len(case.texts) if old_from is None else old_from)
    assert proposed.classes.to_pylist() == firsts(case.texts, case)
    assert proposed.hot.to_pylist() == []


# -- verification ----------------------------------------------------------------------------------------------------


@given(cases, thresholds, st.sampled_from(("jaccard", "containment")), st.sampled_from(FORMS), st.data())
@tries(2)
def test_verified_pairs_have_the_scores_of_the_reference(
    case: Case, threshold: float, metric: Metric, form: Any, data: st.DataObject
) -> None:
    strategy = choose_strategy(Asked(case.recipe, threshold, method="exact", metric=metric), size=0)
    possible = list(combinations(range(len(case.texts)), 2))
    drawn = data.draw(st.lists(st.sampled_from(possible), max_size=12)) if possible else []
    turned = [pair[::-1] if data.draw(st.booleans()) else pair for pair in drawn]
    elements = [ref.elements(text, case.recipe) for text in case.texts]
    sets: Any = stages.sets(form(case.texts), strategy)
    assert sets.to_pylist() == [sorted(members) for members in elements]
    expected = {
        (a, b): (ref.jaccard(x, y), ref.containment(x, y), ref.containment(y, x))
        for a, b in sorted(drawn)
        for x, y in [(elements[a], elements[b])]
    }
    wanted = {
        pair: scores
        for pair, scores in expected.items()
        if (scores[0] if metric == "jaccard" else max(scores[1:])) >= threshold
    }
    found = stages.verify(pair_table(turned), form(case.texts), strategy)
    assert list(columns(found).items()) == list(wanted.items())
    assert stages.verify_sets(pair_table(turned), sets, strategy).equals(found)
    beside = pa.concat_arrays([sets.slice(0, 1), sets]).slice(1)  # not at the beginning of its buffers
    assert stages.verify_sets(pair_table(turned), beside.cast(pa.list_(pa.uint64())), strategy).equals(found)


@given(cases, shapes, st.data())
def test_copies_are_confirmed_on_the_shingles(case: Case, shape: tuple[int, int], data: st.DataObject) -> None:
    strategy, true = strategy_of(case, 0.5, shape), firsts(case.texts, case)
    given = [data.draw(st.sampled_from([0, i])) for i in range(len(case.texts))]
    expected = [c if true[i] == true[c] else i for i, c in enumerate(given)]
    found = stages.confirm_copies(pa.array(given), case.texts, strategy)  # of 64 bits
    assert found.to_pylist() == expected
    true_classes = pa.array(true, pa.uint32())
    assert stages.confirm_copies(true_classes, case.texts, strategy).equals(true_classes)


def test_copies_that_stand_alone_are_proposed_again() -> None:
    case = Case(la.Recipe(k=1, hashes=24), ["a b c d", "a b c d", "a b c e"])
    strategy = strategy_of(case, 0.5, (24, 1))
    rows = stages.sign_rows(case.texts, strategy)
    assert stages.propose(rows, strategy).classes.to_pylist() == [0, 0, 2]
    alone = stages.propose(rows, strategy, classes=pa.array([0, 1, 2], pa.uint32()))
    assert {"a": 0, "b": 1} in alone.pairs.to_pylist()


NOT_TEXTS: Any = ["a", None]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: stages.verify(pair_table([(0, 2)]), ["a", "b"], s), r"\(0, 2\) is no pair of 2 documents"),
        (lambda s: stages.verify(pair_table([(1, 1)]), ["a", "b"], s), r"\(1, 1\) is no pair of 2 documents"),
        (lambda s: stages.verify(pair_table([]), NOT_TEXTS, s), "document 1: text is NoneType"),
        (lambda s: stages.sign_rows("one text", s), "one text, not a collection"),
        (lambda s: stages.sign_rows(pa.array(["a", None]), s), "missing in 1 of 2 rows"),
        (lambda s: stages.sign_rows(pa.array([1, 2]), s), "int64, not text"),
        (lambda s: stages.confirm_copies(pa.array([1, 1], pa.uint32()), ["a", "b"], s), "classes must name"),
        (lambda s: stages.confirm_copies(pa.array([0], pa.uint32()), ["a", "b"], s), "classes must name"),
        (lambda s: stages.verify_sets(pair_table([(0, 1)]), pa.array([[2, 1], [3]]), s), "must be sorted"),
        (lambda s: stages.clusters(pa.array([0, 1]), pair_table([(0, 1)]), old_from=1), "pairs with their scores"),
        (lambda s: stages.clusters(pa.array([0, 1]), pair_table([(0, 1)]), order=[0, 0]), "from 0 to 1 once"),
    ],
)
def test_what_cannot_be_is_refused(call: Callable[[Strategy], Any], message: str) -> None:
    strategy = strategy_of(Case(la.Recipe(hashes=24), []), 0.5, (12, 2))
    with pytest.raises(ValueError, match=message):
        call(strategy)


# -- all of them -----------------------------------------------------------------------------------------------------


def chain(
    texts: list[str], strategy: Strategy, parts: list[int], old_from: int | None
) -> tuple[pa.Array[Any], pa.Table]:
    """Classes and verified pairs, from rows that were signed in parts."""
    ends = [0, *sorted(parts), len(texts)]
    batches = [stages.sign_rows(texts[i:j], strategy) for i, j in pairwise(ends)]
    proposed = stages.propose(pa.Table.from_batches(batches), strategy, old_from=old_from)
    classes = stages.confirm_copies(proposed.classes, texts, strategy)
    digests, only = [one for batch in batches for one in batch["digest"].to_pylist()], stages.empty_digest(strategy)
    apart = [number if digests[number] == only else first for number, first in enumerate(classes.to_pylist())]
    classes = pa.array(apart, pa.uint32())
    return classes, stages.verify(proposed.pairs, texts, strategy)


def with_copies(classes: list[Any], pairs: dict[tuple[int, int], Scores], old_from: int) -> dict[Any, Scores]:
    """All pairs, those of copies too."""
    found: dict[Any, Scores] = {}
    for a, b in combinations(range(len(classes)), 2):
        x, y = classes[a], classes[b]
        if a >= old_from:
            continue
        if x == y:
            found[a, b] = (1.0, 1.0, 1.0)
        elif (min(x, y), max(x, y)) in pairs:
            jaccard, in_b, in_a = pairs[min(x, y), max(x, y)]
            found[a, b] = (jaccard, in_b, in_a) if x < y else (jaccard, in_a, in_b)
    return found


def group_sets(principals: list[Any], old_from: int) -> set[tuple[int, tuple[int, ...]]]:
    members: dict[int, list[int]] = {}
    for document, principal in enumerate(principals):
        members.setdefault(principal, []).append(document)
    return {(p, tuple(those)) for p, those in members.items() if len(those) > 1 and those[0] < old_from}


@given(cases, thresholds, shapes, st.sampled_from(("star", "linked")), st.data())
@tries(2)
def test_the_stages_together_find_what_find_does(
    case: Case, threshold: float, shape: tuple[int, int], linkage: Literal["star", "linked"], data: st.DataObject
) -> None:
    texts, count = case.texts, len(case.texts)
    how: dict[str, Any] = {"recipe": case.recipe, "method": "lsh", "bands": la.Bands(*shape), "linkage": linkage}
    parts = data.draw(st.lists(st.integers(0, count), max_size=3))
    order = data.draw(st.one_of(st.none(), st.permutations(range(count))))
    result = la.find(texts, threshold, order=order, **how)
    classes, pairs = chain(texts, strategy_of(case, threshold, shape), parts, None)
    assert with_copies(classes.to_pylist(), columns(pairs), count) == columns(result.pairs)
    principals = stages.clusters(classes, pairs, linkage=linkage, order=order).to_pylist()
    assert group_sets(principals, count) == {(group.principal, group.members) for group in result.groups}


@given(cases, thresholds, shapes, st.sampled_from(("star", "linked")), st.data())
def test_the_stages_together_compare_new_with_old(
    case: Case, threshold: float, shape: tuple[int, int], linkage: Literal["star", "linked"], data: st.DataObject
) -> None:
    texts, count = case.texts, len(case.texts)
    cut = data.draw(st.integers(0, count))
    number: dict[Any, int] = {f"{'n' if i < cut else 'o'}{i}": i for i in range(count)}
    new, old = ({name: texts[i] for name, i in number.items() if name[0] == kind} for kind in "no")
    bands = la.Bands(*shape)
    result = la.find(new, threshold, against=old, recipe=case.recipe, method="lsh", bands=bands, linkage=linkage)
    classes, pairs = chain(texts, strategy_of(case, threshold, shape), [cut], cut)
    found = {(number[a], number[b]): scores for (a, b), scores in columns(result.pairs).items()}
    assert with_copies(classes.to_pylist(), columns(pairs), cut) == found
    principals = stages.clusters(classes, pairs, linkage=linkage, old_from=cut).to_pylist()
    groups = {(number[g.principal], tuple(number[m] for m in g.members)) for g in result.groups}
    assert group_sets(principals, cut) == groups


QUOTING = [
    'he said "one two three four five six seven eight nine ten" and the tide came in over the wall at noon today',
    "she wrote that the tide came in over the wall at noon today and then went out again before anyone saw it",
    'he said "ten nine eight seven six five four three two one" and the tide came in over the wall at noon today',
]


@pytest.mark.parametrize("how", [{"skip": ("quotes",)}, {"min_words": 9}, {"skip": ("quotes",), "min_words": 4}])
def test_excluded_text_is_excluded_in_every_stage(how: dict[str, Any]) -> None:
    case = Case(la.Recipe(k=3, hashes=24), QUOTING)
    for form in FORMS:
        strategy = strategy_of(case, 0.2, (24, 1), **how)
        result = la.find(case.texts, 0.2, recipe=case.recipe, method="lsh", bands=la.Bands(24, 1), **how)
        rows = stages.sign_rows(form(case.texts), strategy)
        pairs = stages.verify(stages.propose(rows, strategy).pairs, form(case.texts), strategy)
        found = with_copies(stages.propose(rows, strategy).classes.to_pylist(), columns(pairs), 3)
        assert found == columns(result.pairs)
        assert found
        joined = stages.join(form(case.texts), strategy)
        assert joined.pairs.table.equals(pairs)


# -- hot clusters ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("old_from", [None, 60])
def test_hot_clusters_are_those_of_a_whole_search(old_from: int | None) -> None:
    page = pages(3, originals=1, words=80, changes=(0,))[0].split()
    texts = [" ".join([*page[:i], f"x{i % 37}", *page[i + 1 :]]) for i in range(80)] + pages(4, 20, 60, (1, 2))
    case, limits = Case(la.Recipe(k=2, hashes=64), texts), (500, 200)
    strategy = strategy_of(case, 0.7, (16, 4))
    proposed = stages.propose(stages.sign_rows(texts, strategy), strategy, old_from=old_from, limits=limits)
    assert len(proposed.hot) > 20
    cool = stages.verify(proposed.pairs, texts, strategy)
    more = stages.hot_pairs(proposed, cool, texts, strategy, old_from=old_from, limits=limits)
    pairs = pa.concat_tables([cool, more])
    whole = stages.join(texts, strategy, old_from=old_from, limits=limits)
    assert columns(pairs) == columns(whole.pairs.table)
    all_pairs = stages.join(texts, strategy, old_from=old_from, limits=stages.UNLIMITED).pairs.table
    assert pairs.num_rows < all_pairs.num_rows
    if old_from is None:
        assert stages.clusters(proposed.classes, pairs).equals(stages.clusters(proposed.classes, all_pairs))


# -- another process -------------------------------------------------------------------------------------------------

PROGRAM = """
import pickle, sys
from lookalike.engine import stages
strategy, texts = pickle.load(sys.stdin.buffer)
assert "pyarrow" not in sys.modules
rows = stages.sign_rows(texts, strategy, threads=1)
sys.stdout.buffer.write(pickle.dumps(rows))
"""


def test_rows_signed_in_another_process_are_the_same() -> None:
    texts = pages(7, originals=40, words=60, changes=(0, 1, 2, 5))
    case = Case(la.Recipe(k=3), texts)
    strategy = strategy_of(case, 0.6, (26, 8), ignored=(1, 2, 3), skip=("quotes", "references"))
    parts = []
    for part in (texts[:33], texts[33:]):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], input=pickle.dumps((strategy, part)), capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr.decode()
        parts.append(pickle.loads(done.stdout))
    here = stages.sign_rows(texts, strategy)
    together = pa.Table.from_batches(parts)
    assert together.equals(pa.Table.from_batches([here]), check_metadata=True)
    assert stages.propose(together, strategy).pairs.equals(stages.propose(here, strategy).pairs)
