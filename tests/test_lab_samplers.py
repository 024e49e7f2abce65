"""The laboratory's generator and samplers have the laws that they are named after."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lab import ask
from scipy import stats

DRAWN = 20_000
LEVEL = 1e-4  # of each test; the seed is fixed
CONTINUOUS: dict[str, tuple[tuple[Any, ...], Any]] = {
    "random": ((), stats.uniform()),
    "standardNormal": ((), stats.norm()),
    "laplace": ((3.0,), stats.laplace(scale=3.0)),
    "standardLaplace": ((), stats.laplace()),
    "gaussian": ((0.5,), stats.norm(scale=0.5)),
    "gamma": ((8193.0,), stats.gamma(8193.0)),
}
"""Of a sampler the arguments that follow its stream, and the law."""


@pytest.mark.parametrize("name", CONTINUOUS)
def test_continuous_law(name: str) -> None:
    given, law = CONTINUOUS[name]
    assert stats.kstest(ask(("drawn", name, 1, DRAWN, *given))[0], law.cdf).pvalue > LEVEL


@pytest.mark.parametrize(
    ("name", "law", "end"), [("standardNormal", stats.norm, 4.0), ("standardLaplace", stats.laplace, 10.0)]
)
def test_every_layer_of_a_ziggurat(name: str, law: Any, end: float) -> None:
    cells = 128  # the last has what lies beyond
    counts = np.array(ask(("counted", name, 8, 4_000_000, end / cells, cells))[0])
    expected = 2 * -np.diff([*law.sf(np.linspace(0, end, cells + 1)), 0.0]) * counts.sum()
    assert stats.chisquare(counts, expected).pvalue > LEVEL


@pytest.mark.parametrize(
    ("name", "law", "edge"), [("standardNormal", stats.norm, 3.45), ("standardLaplace", stats.laplace, 7.7)]
)
def test_tail_of_a_ziggurat(name: str, law: Any, edge: float) -> None:
    drawn = np.array(ask(("drawn", name, 2, 400_000))[0])
    assert stats.binomtest(int(np.sum(drawn > 0)), len(drawn)).pvalue > LEVEL
    assert stats.kstest(drawn, law.cdf).pvalue > LEVEL
    far = np.abs(drawn)[np.abs(drawn) > edge]  # beyond the last layer
    assert stats.binomtest(len(far), len(drawn), 2 * law.sf(edge)).pvalue > LEVEL
    assert stats.kstest(far, lambda x: 1 - law.sf(x) / law.sf(edge)).pvalue > LEVEL


@pytest.mark.parametrize("negative", [False, True])
def test_tail_of_the_normal_law(negative: bool) -> None:
    far, edge = np.abs(ask(("drawn", "normalTail", 7, 4 * DRAWN, negative))[0]), 3.442619855899
    assert stats.kstest(far, lambda x: 1 - stats.norm.sf(x) / stats.norm.sf(edge)).pvalue > LEVEL


@pytest.mark.parametrize("shape", [9e3, 1e7, 1e12, 1e15])
def test_gamma_of_many(shape: float) -> None:
    first, second = np.reshape(ask(("drawn", "gamma", 3, 8_000, shape))[0], (2, -1))
    standard = (first - second) / np.sqrt(2 * shape)  # what a sum of Laplace draws is made of
    assert stats.kstest(standard, stats.norm.cdf).pvalue > LEVEL


@pytest.mark.parametrize(("tries", "chance"), [(20, 0.3), (9000, 0.2275), (1e6, 0.002), (1e12, 2.048e-9), (50, 0.9)])
def test_binomial_gap_by_gap(tries: float, chance: float) -> None:
    drawn, law = np.array(ask(("drawn", "binomial", 4, 3_000, tries, chance))[0]), stats.binom(int(tries), chance)
    jittered = law.cdf(drawn) - stats.uniform.rvs(size=len(drawn), random_state=0) * law.pmf(drawn)
    assert stats.kstest(jittered, "uniform").pvalue > LEVEL


@pytest.mark.parametrize(("tries", "chance"), [(200_000, 0.06), (1e6, 0.5), (1e15, 1e-9), (1e15, 0.7)])
def test_binomial_of_many(tries: float, chance: float) -> None:
    drawn = np.array(ask(("drawn", "binomial", 5, DRAWN, tries, chance))[0])
    assert np.array_equal(drawn, np.round(drawn))
    spread = np.sqrt(tries * chance * (1 - chance))
    assert stats.kstest((drawn - tries * chance) / spread, stats.norm.cdf).pvalue > LEVEL


@pytest.mark.parametrize("values", [2, 5])
def test_response(values: int) -> None:
    lie, truth = 0.13, 0
    counts = np.bincount(ask(("drawn", "respond", 6, DRAWN, truth, values, lie))[0], minlength=values)
    expected = np.full(values, lie * DRAWN)
    expected[truth] = (1 - (values - 1) * lie) * DRAWN
    assert stats.chisquare(counts, expected).pvalue > LEVEL


def test_streams_are_independent() -> None:
    drawn = np.array(ask(*(("streams", seed, replication, 4_000) for seed in (0, 1) for replication in (0, 1))))
    rows = drawn.reshape(12, -1)  # the three streams of each
    correlations = np.corrcoef(rows)[np.triu_indices(12, 1)]
    assert np.abs(correlations).max() < 5 / np.sqrt(rows.shape[1])
    assert stats.kstest(rows[:, 0], "uniform").pvalue > LEVEL
    serial = [np.corrcoef(row[:-1], row[1:])[0, 1] for row in rows]
    assert np.abs(serial).max() < 5 / np.sqrt(rows.shape[1])
