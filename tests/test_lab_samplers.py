"""The laboratory's generator and samplers have the laws that they are named after."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lab import ask
from scipy import stats

DRAWN = 20_000
LEVEL = 1e-4  # of each test; the seed is fixed


def _drawn(*asked: tuple[Any, ...]) -> list[np.ndarray]:
    return [np.array(drawn) for drawn in ask(*(("drawn", *one) for one in asked))]


def _fits(drawn: np.ndarray, law: Any) -> bool:
    return bool(stats.kstest(drawn, law).pvalue > LEVEL)


def test_continuous_laws() -> None:
    laws: list[tuple[str, tuple[float, ...], Any]] = [
        ("random", (), stats.uniform()),
        ("standardNormal", (), stats.norm()),
        ("laplace", (3.0,), stats.laplace(scale=3.0)),
        ("gaussian", (0.5,), stats.norm(scale=0.5)),
        ("gamma", (8193.0,), stats.gamma(8193.0)),
    ]
    for (name, _, law), drawn in zip(laws, _drawn(*((n, 1, DRAWN, *given) for n, given, _ in laws)), strict=True):
        assert _fits(drawn, law.cdf), name


@pytest.mark.parametrize(
    ("name", "law", "end", "edge"),
    [("standardNormal", stats.norm, 4.0, 3.45), ("standardLaplace", stats.laplace, 10.0, 7.7)],
)
def test_every_layer_of_a_ziggurat_and_its_tail(name: str, law: Any, end: float, edge: float) -> None:
    cells = 128  # the last has what lies beyond
    counted, draws = ask(("counted", name, 8, 4_000_000, end / cells, cells), ("drawn", name, 2, 400_000))
    expected = 2 * -np.diff([*law.sf(np.linspace(0, end, cells + 1)), 0.0]) * np.sum(counted)
    assert stats.chisquare(counted, expected).pvalue > LEVEL
    drawn = np.array(draws)
    assert stats.binomtest(int(np.sum(drawn > 0)), len(drawn)).pvalue > LEVEL
    far = np.abs(drawn)[np.abs(drawn) > edge]  # beyond the last layer
    assert stats.binomtest(len(far), len(drawn), 2 * law.sf(edge)).pvalue > LEVEL
    assert _fits(far, lambda x: 1 - law.sf(x) / law.sf(edge))


def test_tail_of_the_normal_law() -> None:
    edge = 3.442619855899
    for far in _drawn(*(("normalTail", 7, 4 * DRAWN, negative) for negative in (False, True))):
        assert _fits(np.abs(far), lambda x: 1 - stats.norm.sf(x) / stats.norm.sf(edge))


def test_sums_of_many_are_normal() -> None:
    shapes, games = (9e3, 1e12), ((200_000, 0.06), (1e15, 0.7))
    for shape, drawn in zip(shapes, _drawn(*(("gamma", 3, 8_000, shape) for shape in shapes)), strict=True):
        first, second = drawn.reshape(2, -1)
        assert _fits((first - second) / np.sqrt(2 * shape), stats.norm.cdf)  # what a sum of Laplace draws is made of
    for (tries, chance), drawn in zip(games, _drawn(*(("binomial", 5, DRAWN, *game) for game in games)), strict=True):
        assert np.array_equal(drawn, np.round(drawn))
        assert _fits((drawn - tries * chance) / np.sqrt(tries * chance * (1 - chance)), stats.norm.cdf)


def test_binomial_gap_by_gap() -> None:
    games = [(20, 0.3), (9000, 0.2275), (1e12, 2.048e-9), (50, 0.9)]
    for (tries, chance), drawn in zip(games, _drawn(*(("binomial", 4, 3_000, *game) for game in games)), strict=True):
        law = stats.binom(int(tries), chance)
        jittered = law.cdf(drawn) - stats.uniform.rvs(size=len(drawn), random_state=0) * law.pmf(drawn)
        assert _fits(jittered, "uniform"), (tries, chance)


def test_response() -> None:
    lie, truth = 0.13, 0
    for values, drawn in zip((2, 5), _drawn(*(("respond", 6, DRAWN, truth, n, lie) for n in (2, 5))), strict=True):
        expected = np.full(values, lie * DRAWN)
        expected[truth] = (1 - (values - 1) * lie) * DRAWN
        assert stats.chisquare(np.bincount(drawn, minlength=values), expected).pvalue > LEVEL


def test_streams_are_independent() -> None:
    drawn = np.array(ask(*(("streams", seed, replication, 4_000) for seed in (0, 1) for replication in (0, 1))))
    rows = drawn.reshape(12, -1)  # the three streams of each
    correlations = np.corrcoef(rows)[np.triu_indices(12, 1)]
    serial = [np.corrcoef(row[:-1], row[1:])[0, 1] for row in rows]
    assert np.abs([*correlations, *serial]).max() < 5 / np.sqrt(rows.shape[1])
    assert _fits(rows[:, 0], "uniform")
