"""How a search is chosen: the choice itself is tested with `find`; here, that it can travel."""

import pickle
from dataclasses import FrozenInstanceError

import pytest

from lookalike import Bands, Recipe
from lookalike.engine import METRICS, Asked, choose_strategy
from lookalike.tables.columns import MEASURES, Metric


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("size", [100, 1_000_000_000])
def test_a_strategy_is_the_same_in_another_process(metric: Metric, size: int) -> None:
    ignored, skip = ((), ()) if metric in MEASURES else ((7,), ("quotes",))
    strategy = choose_strategy(Asked(Recipe(), 0.8, metric=metric, ignored=ignored, skip=skip), size)
    assert pickle.loads(pickle.dumps(strategy)) == strategy
    assert pickle.loads(pickle.dumps(strategy)).signs == strategy.signs
    assert strategy.method == ("lsh" if size > 10**6 and metric != "containment" else "exact")


def test_a_strategy_does_not_change() -> None:
    strategy = choose_strategy(Asked(Recipe(), 0.8, method="lsh", bands=Bands(20, 8)), 0)
    with pytest.raises(FrozenInstanceError):
        strategy.threshold = 0.5  # type: ignore[misc]
    assert strategy.bands == Bands(20, 8)
