"""At the ends of every range regret is finite and never falls, or a problem is refused; sums stay accurate."""

from __future__ import annotations

import inspect
import math
from fractions import Fraction

import hostile
import numpy as np
import pytest
from numba import njit

from private_bandits import baselines, simulate
from private_bandits.papers import cascading, heavy_tailed
from private_bandits.policy import Policy
from private_bandits.problems import Arms, Cascade, ConvexLoss, LinearContext, SemiBandit

CALLS = hostile.public()
MEANS = {"equal": [0.5] * 3, "no gap": [0.6, 0.6, 0.2], "zeros": [0.0] * 3, "ones": [1.0] * 3, "ends": [1.0, 0.0, 0.5]}
SIZES = (1, 2, 3)  # of three items: L = 1, and K = L


def problems():
    """Problems at the ends of their ranges, each with its number of items and their size."""
    for means in MEANS.values():
        for size in SIZES:
            yield 3, size, Cascade(means, size)
            yield 3, size, SemiBandit.top_k(means, size)
        yield 3, 1, SemiBandit.from_sets(means, [[0], [1], [2]])
        yield 3, 3, SemiBandit.from_sets(means, [[0, 1, 2]])
        yield 3, 1, Arms.bernoulli(means)
        for link in ("linear", "logistic"):
            yield 3, 1, LinearContext.table([[[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]]], [means], link=link)
        yield 3, 1, ConvexLoss.arms([means, means[::-1]])
    yield 1, 1, Cascade([0.5], 1)
    yield 1, 1, Arms.bernoulli([0.5])
    yield 2, 1, heavy_tailed.pareto_arms([0.5, 0.5], 2.0)
    yield 2, 1, ConvexLoss.ball([[0.0, 0.0]])
    yield 2, 1, ConvexLoss.ball([[1.0, 0.0]])


PROBLEMS = list(problems())


ENVELOPES = {"papers.contextual.by_stretches"}  # of a policy, whose own extremes are played
MAKERS = [path for path, call in CALLS.items() if inspect.signature(call).return_annotation is Policy]
MAKERS = sorted({*MAKERS} - ENVELOPES)


@pytest.mark.parametrize("path", MAKERS)
def test_regret_at_the_ends_of_every_range_is_finite_and_never_falls(path):
    function, meant, played = CALLS[path], hostile.meant(path, CALLS[path]), 0
    for epsilon in (1e-6, 1e6, math.inf) if "epsilon" in meant else (1.0,):
        for n_items, size, problem in PROBLEMS:
            ends = {"epsilon": epsilon, "n_items": n_items, "n_arms": n_items, "list_size": size, "size": size}
            for horizon in (1, 50):
                given = meant | {name: value for name, value in (ends | {"horizon": horizon}).items() if name in meant}
                try:
                    with hostile.limited(30.0):  # compiling, too
                        policy = function(**given)
                        lost = simulate(problem, policy, horizon=horizon, replications=1, seed=1).regret.values
                except ValueError as error:
                    assert len(str(error)) <= 200 and "\n" not in str(error)
                    continue
                played += 1
                assert np.isfinite(lost).all() and (np.diff(lost, prepend=0.0) >= 0).all(), (problem, given, lost)
    assert played


def quick(horizon):
    """Algorithms that play by epochs or leaps."""
    arms, pareto = Arms.bernoulli([0.9, 0.5]), heavy_tailed.setting(1, 0.9)
    yield Cascade([0.9, 0.6], 1), cascading.cascade_ucb1()
    for epsilon in (1e-6, 1.0, 1e6, math.inf):
        yield arms, baselines.dp_se(epsilon, n_arms=2, horizon=horizon)
        yield pareto, heavy_tailed.dp_robust_se(epsilon, 0.9, 1.0, 0.1)
        yield pareto, heavy_tailed.adap_robust_ucb(epsilon, 0.9, 1.0, horizon)


@pytest.mark.check
def test_a_billion_rounds():
    for problem, policy in quick(10**9):
        lost = simulate(problem, policy, horizon=10**9, replications=1, seed=1).regret.values[0]
        worst = 10**9 * (problem.means.max() - problem.means.min())
        assert np.isfinite(lost).all() and (np.diff(lost) >= 0).all() and 0 <= lost[-1] <= worst * (1 + 1e-12)
        if len(problem.means) == 2:  # a whole number of gaps, exactly
            gap = Fraction(problem.means.max()) - Fraction(problem.means.min())
            pulls = round(Fraction(lost[-1]) / gap)
            sums = pulls if isinstance(problem, Cascade) else 8  # a cascade's regret is added gap by gap
            assert abs(Fraction(lost[-1]) - pulls * gap) <= pulls * gap * sums / 2**53 < gap / 1000


@pytest.mark.parametrize("horizon", [2**53 + 1, 10**17, 2**62 - 1, 2**62])
@pytest.mark.parametrize("epsilon", [1e-30, 1.0, math.inf])
def test_the_longest_runs_overflow_nowhere(horizon, epsilon):
    """With one arm, or too much noise to tell two, an epoch may have all rounds; the next one would end behind 2^63."""
    two, pareto = Arms.bernoulli([0.6, 0.4]), heavy_tailed.setting(1, 0.9)
    games = [(problem, baselines.dp_klucb(epsilon)) for problem in (two, Arms.bernoulli([0.5]))]
    games += [(Arms.bernoulli([0.5] * size), baselines.dp_se(epsilon, size, horizon)) for size in (1, 2, 3)]
    games += [(problem, heavy_tailed.quantile_se(epsilon, 1e-6)) for problem, _ in games]
    games += [(pareto, heavy_tailed.dp_robust_se(epsilon, 0.9, 1.0, 0.1))]
    games += [(pareto, heavy_tailed.adap_robust_ucb(epsilon, 0.9, 1.0, horizon))]
    for problem, policy in games:
        result = simulate(problem, policy, horizon=horizon, replications=1, seed=1)
        lost, worst = result.regret.values[0], problem.means.max() - problem.means.min()
        assert result.t.values[-1] == horizon and (np.diff(result.t) > 0).all()
        assert (np.diff(lost, prepend=0.0) >= 0).all() and (lost <= worst * result.t.values * (1 + 1e-12)).all()


@njit
def added(number, gap):
    total = 0.0
    for _ in range(number):
        total += gap
    return total


@pytest.mark.parametrize("gap", [0.1, 1 / 3])
def test_a_sum_of_a_billion_gaps_is_accurate(gap):
    """Kernels add round by round: half a unit in the last place each time, so n / 2^53 of the sum at most."""
    number = 10**9
    exact = number * Fraction(gap)
    assert abs(Fraction(added(number, gap)) - exact) / exact < Fraction(number, 2**53) < Fraction(12, 10**8)


@pytest.mark.parametrize("policy", [cascading.uniform(), cascading.cascade_ucb1()], ids=["uniform", "by leaps"])
def test_the_regret_of_a_kernel_is_the_exact_one_of_its_pulls(policy):
    """Two items, one shown: each round loses the gap or nothing, so the exact regret is a whole number of gaps."""
    problem, horizon = Cascade([0.9, 0.6], 1), 10**6
    lost = simulate(problem, policy, horizon=horizon, replications=2, seed=3).regret.values[:, -1]
    gap = Fraction(problem.means[0]) - Fraction(problem.means[1])
    for value in lost:
        pulls = round(Fraction(value) / gap)
        assert 0 < pulls < horizon and abs(Fraction(value) - pulls * gap) < pulls * gap * Fraction(horizon, 2**53)
