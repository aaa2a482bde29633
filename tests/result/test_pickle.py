"""Every public value can be pickled and copied: what worker processes send to each other."""

from __future__ import annotations

import copy
import inspect
import pickle
from typing import TYPE_CHECKING, Any

import pytest

import lookalike as la
from lookalike import errors
from lookalike.engine import Asked, choose_strategy
from lookalike.report.side_files import Mark

if TYPE_CHECKING:
    from collections.abc import Callable

TEXTS = {"a": "one two three four five six", "b": "One two three four five six!", "c": "something else altogether"}
RESULT = la.find(TEXTS, 0.5, against={1: TEXTS["a"], 2: TEXTS["c"]}, order=[4, 3, 2, 1, 0])

VALUES: dict[str, Any] = {
    "Audit": la.find(TEXTS, 0.5).audit(documents=TEXTS).audited,
    "Bands": la.Bands(20, 5),
    "Check": la.Check(3, ["page 7 is damaged"], ["a"]),
    "CharacteristicMatrix": la.CharacteristicMatrix(("one two",), {"a": (0,)}),
    "Comparison": la.compare(TEXTS["a"], TEXTS["b"]),
    "Cost": la.estimate_cost(list(TEXTS.values())),
    "Cuts": la.drop_repeated_parts(TEXTS, by="line", return_cuts=True)[1],
    "Decision": la.Decision("a", False, la.Hits([la.Hit("b", 0.9, 0.9, 1.0)], query="a")),
    "Ensured": la.Ensured(2, 1),
    "Flag": la.Flag("hidden text", "white on white", 3),
    "Group": RESULT.groups[0],
    "Hit": la.Hit("a", 0.9, 1.0, 0.9),
    "Hits": la.Hits([la.Hit("a", 0.9)], query="b", truncated=True),
    "Advice": la.advise(list(TEXTS.values())),
    "KeepRule": la.KeepRule.parse("max:stars"),
    "Limits": la.Limits(),
    "Marks": la.Marks({("a", "b"): Mark("checked")}, {("a", "b"): Mark("", "old")}),
    "Metadata": la.Metadata("Essay", "Ann"),
    "Passage": la.compare(TEXTS["a"], TEXTS["b"]).passages,
    "Plan": RESULT.plan(),
    "Preset": la.PRESETS["edited"],
    "Recall": la.Recall(0.99, 0.98, (0.9, 1.0)),
    "Recipe": la.Recipe(k=3),
    "Result": RESULT,
    "Shingle": la.shingles(TEXTS["a"]),
    "Signatures": la.sign(list(TEXTS.values())),
    "Skipped": la.Skipped("a", "empty"),
    "SourceMatch": la.SourceMatch("b", "some words", 2, 1, ()),
    "Sources": la.sources(TEXTS["a"], {"b": TEXTS["b"]}),
    "Span": la.Span(0, 3, "quotes"),
    "Strategy": choose_strategy(Asked(la.Recipe(), 0.8, 0.99, "lsh", "jaccard", None, (), (), None), 10**9),
    "LookalikeError": la.LookalikeError("it did not work"),
    "RecipeError": la.RecipeError("k", 0, "a whole number", "try 5"),
    "BandsError": la.BandsError("too many bands"),
    "DocumentError": la.DocumentError("a.txt", "file", "is empty", "write something"),
    "DuplicateIdError": la.DuplicateIdError("a", "line 1", "line 2"),
    "ConflictError": la.ConflictError(("a", "b"), 2, "essays.db"),
    "MismatchError": la.MismatchError("x", "y", {"k": (3, 5)}),
    "MissingExtraError": la.MissingExtraError("reading pdf", "documents"),
    "StoreError": la.StoreError("essays.db", "is closed", "open it again"),
    "DamagedError": la.DamagedError("essays.db", "is damaged", "run: lookalike index repair"),
    "ServerError": la.ServerError("http://127.0.0.1:8000", "refuses the token", "give the write token", 403),
    "InternalError": la.InternalError("a bug"),
}
WAYS: dict[str, Callable[[Any], Any]] = {
    "pickle": lambda value: pickle.loads(pickle.dumps(value)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


def told(value: Any) -> Any:
    """What a value says of itself."""
    if isinstance(value, Exception):
        return type(value), str(value), vars(value)
    if isinstance(value, la.Result):
        return value.to_dict(), value.pairs, value.groups, value.lengths, value.order, value.old_from
    if isinstance(value, la.Signatures):
        return value.to_bytes(), value.recipe
    if isinstance(value, la.Plan | la.Cuts):
        return value.table, repr(value)
    return value.to_dict() if isinstance(value, la.Audit) else repr(value)


@pytest.mark.parametrize("way", list(WAYS))
@pytest.mark.parametrize("name", list(VALUES))
def test_public_values_can_be_pickled_and_copied(name: str, way: str) -> None:
    assert told(WAYS[way](VALUES[name])) == told(VALUES[name])


def test_no_public_class_is_forgotten() -> None:
    public = {name for name in la.__all__ if inspect.isclass(getattr(la, name))}
    raised = {name for name in errors.__all__ if inspect.isclass(getattr(errors, name))}
    # A source, an index and a client belong to their process: they hold files and connections.
    assert (public | raised) - {"Client", "Index", "Source"} <= set(VALUES)


def test_a_copy_of_a_result_reads_its_texts_again_and_a_pickled_one_cannot() -> None:
    assert copy.deepcopy(RESULT).source is RESULT.source
    again = WAYS["pickle"](RESULT)
    assert again.source is None
    assert again.rethreshold(0.9).pair_count == RESULT.rethreshold(0.9).pair_count
