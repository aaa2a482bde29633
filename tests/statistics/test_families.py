"""How well the hash functions of the source reports mix: the two tests of their designers (docs/primer.md §5)."""

from __future__ import annotations

import pytest

from lookalike import hashing
from tests.statistics.bounds import SIGMAS

SEEDS = range(1, 9)


@pytest.mark.parametrize("seed", SEEDS)
def test_murmur3_has_the_avalanche_of_a_random_function(seed: int) -> None:
    found = hashing.avalanche("murmur3", samples=16_384, seed=seed)
    # `passed` allows six standard deviations to 1024 shares: a false alarm has a chance of 2·10⁻⁶.
    assert found.passed
    # The mean distance of a share from 1/2 is √(2/π) standard deviations of 0.5/√samples, give or take 2 %.
    assert found.mean == pytest.approx(0.798 * 0.5 / 128, rel=0.12)


@pytest.mark.parametrize("seed", SEEDS)
def test_jenkins_mix_has_its_designers_avalanche(seed: int) -> None:
    # He asked that every input bit change every output bit in 1/4 to 3/4 of all cases. It is much better than that, yet
    # not perfect: bit 0 changes bit 31 in 54 % of the cases.
    found = hashing.avalanche("jenkins", samples=65_535, seed=seed)
    assert found.worst < 0.06
    assert found.mean < 0.0025


@pytest.mark.parametrize("seed", SEEDS)
def test_the_multiplicative_method_has_no_avalanche(seed: int) -> None:
    # A multiplication carries upwards only: no input bit reaches a lower output bit, and the last one always flips.
    found = hashing.avalanche("multiplicative", samples=1024, seed=seed)
    assert not found.passed
    assert all(found.shares[i][j] == 0.0 for i in range(32) for j in range(i))
    assert all(found.shares[i][i] == 1.0 for i in range(32))


@pytest.mark.parametrize("family", ["murmur3", "jenkins"])
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("keys", "buckets"), [(65_536, 256), (100_000, 1000), (5_000, 10)])
def test_mixing_families_spread_like_a_random_function(family: str, seed: int, keys: int, buckets: int) -> None:
    found = hashing.chi_squared(family, keys=keys, buckets=buckets, seed=seed)
    assert abs(found.z) < SIGMAS
    assert "as even as a random function" in str(found) or abs(found.z) > 4


@pytest.mark.parametrize("family", ["modular", "multiplicative"])
@pytest.mark.parametrize("seed", SEEDS)
def test_linear_families_spread_consecutive_keys_more_evenly_than_chance(family: str, seed: int) -> None:
    found = hashing.chi_squared(family, seed=seed)
    assert found.z < -SIGMAS
    assert "more even than chance" in str(found)


def test_a_constant_would_be_seen_to_cluster() -> None:
    clustered = hashing.ChiSquared("none", keys=65_536, buckets=256, statistic=400.0)
    assert clustered.z > SIGMAS
    assert "clusters" in str(clustered)
