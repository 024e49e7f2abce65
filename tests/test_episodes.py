"""Doubling episodes with forgetting: what noise is drawn, the KL index, and the law of sums."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from carried import state_after
from one_by_one import one_by_one
from scipy import stats

from private_bandits.baselines import adap_klucb, adap_ucb
from private_bandits.baselines.azize_algorithm_1 import reference
from private_bandits.kernels import episodes
from private_bandits.privacy import sensitivity
from private_bandits.problems import Arms
from private_bandits.simulation import trace

BOXES = {"AdaP-UCB": adap_ucb, "AdaP-KLUCB": adap_klucb}


@pytest.mark.parametrize("epsilon", [0.05, 1.0, 8.0])
def test_the_noise_pays_epsilon_for_one_reward(epsilon):
    """An episode after the first has N/2 rewards: the sensitivity of its mean over the scale of what is added."""
    rewards = 4
    tables = [np.array(row) for row in itertools.product([0.0, 1.0], repeat=rewards)]
    worst = max(sensitivity([[a.mean()], [b.mean()]]) for a in tables for b in tables if np.count_nonzero(a != b) == 1)
    assert worst == pytest.approx(1 / rewards)

    noise = []
    for seed in range(3000):  # episodes of 1, 1, 2 and 4 pulls
        state = state_after(episodes, Arms.bernoulli([1.0]), adap_ucb(epsilon).record, 8, seed)
        assert state.pulls[0] == 2 * rewards
        noise.append(state.means[0] - 1.0)
    assert worst / np.mean(np.abs(noise)) == pytest.approx(epsilon, rel=0.08)
    assert stats.kstest(noise, stats.laplace(scale=1 / (rewards * epsilon)).cdf).pvalue > 1e-3


def _kl(p, q):
    """Divergence of Bernoulli(p) from Bernoulli(q), 0 < q < 1."""
    ones = p * math.log(p / q) if p > 0 else 0.0
    zeros = (1 - p) * math.log((1 - p) / (1 - q)) if p < 1 else 0.0
    return zeros + ones


@pytest.mark.parametrize("mean", [0.0, 1e-9, 0.2, 0.5, 0.97, 1.0])
@pytest.mark.parametrize("budget", [1e-12, 1e-3, 0.1, 2.0, 40.0])
def test_kl_upper_is_the_last_number_within_the_budget(mean, budget):
    q = episodes.kl_upper(mean, budget)
    if mean == 1.0:
        assert q == 1.0
        return
    assert mean <= q < 1.0
    assert _kl(mean, q) <= budget
    above = q + 1e-15 * q * (1 - q) / (q - mean) + 2 * math.ulp(q)  # as far as the divergence is known
    assert above >= 1.0 or _kl(mean, above) > budget


@pytest.mark.parametrize("box", BOXES)
def test_sums_have_the_law_of_rewards_drawn_one_by_one(box):
    horizon, runs = 600, 250
    problem, told = Arms.bernoulli([0.7, 0.4]), {"epsilon": 2.0, "alpha": 0.5}
    policy = BOXES[box](**told)
    kernel = [np.sum(trace(problem, policy, horizon=horizon, seed=1, replication=r)[:, 0]) for r in range(runs)]
    plain = [
        np.sum(np.array(reference(problem, horizon, one_by_one(2, r), **told, kl=box == "AdaP-KLUCB"))[:, 0])
        for r in range(runs)
    ]
    assert len(set(kernel)) > 5
    assert stats.ks_2samp(kernel, plain).pvalue > 1e-3
