"""Doubling episodes with truncation: noise, and the bound on the index."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from private_bandits.kernels import episodes
from private_bandits.papers.heavy_tailed import adap_robust_ucb, pareto_arms, setting
from private_bandits.simulation import simulate
from private_bandits.streams import streams

NO_TRACE = np.zeros((0, 0), np.int64)


@pytest.mark.parametrize("epsilon", [0.4, 5.0])
def test_a_mean_pays_epsilon_for_one_reward(epsilon):
    """Rewards of 0 show the noise of the mean of an episode of n pulls in [-B, B]: sensitivity 2B/n."""
    v, u, horizon, n = 0.9, 2.0, 1000, 4
    record, arms = adap_robust_ucb(epsilon, v=v, u=u, horizon=horizon).record, pareto_arms([0.0], 2.2).record()
    noise = []
    for seed in range(2500):
        state = episodes.start(arms, record)
        episodes.advance(arms, record, state, 1, 2 * n, np.array([2 * n]), np.zeros(1), NO_TRACE, *streams(seed, 0))
        assert state.pulls[0] == 2 * n
        noise.append(state.means[0])
    threshold = (u * n * min(1, epsilon) / math.log(horizon)) ** (1 / (1 + v))
    assert 2 * threshold / n / np.mean(np.abs(noise)) == pytest.approx(epsilon, rel=0.08)
    assert stats.kstest(noise, stats.laplace(scale=2 * threshold / (n * epsilon)).cdf).pvalue > 1e-3


@pytest.mark.parametrize(("epsilon", "v"), [(0.2, 0.5), (10.0, 0.9)])
def test_the_index_is_a_bound(v, epsilon):
    """Mean + width err stays above the true mean, and below it plus twice the width, in long and short episodes."""
    problem, horizon = setting(3, v), 10**9
    policy = adap_robust_ucb(epsilon, v=v, u=problem.moment(v), horizon=horizon)
    arms, record = problem.record(), policy.record
    for seed in range(20):
        state = episodes.start(arms, record)
        source = streams(seed, 0)
        for last in (10**3, 10**6, 10**9):
            first = 1 if last == 10**3 else last // 1000 + 1
            episodes.advance(arms, record, state, first, last, np.array([10**9]), np.zeros(1), NO_TRACE, *source)
            radius = (record.terms[0, 1] / state.pulls) ** record.terms[0, 2]
            assert (np.abs(state.means - problem.means) < radius).all()


def test_the_guarantee_and_the_moment_that_it_needs():
    policy = adap_robust_ucb(0.5, v=0.5, u=1.0, horizon=100)
    assert (policy.privacy.effective_epsilon, policy.privacy.trust) == (0.5, "central")
    heavy, policy = pareto_arms([0.5, 0.4], 1.6), adap_robust_ucb(1.0, v=0.9, u=1.0, horizon=100)
    with pytest.raises(ValueError, match="the moment of order 1.9 must be finite"):
        simulate(heavy, policy, horizon=9, replications=1, seed=0)
