"""Successive elimination by epochs: what noise is drawn, the law of rewards, and what leaves."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from carried import go_on, state_after
from one_by_one import one_by_one
from scipy import stats

from private_bandits.baselines import dp_se, sajed_algorithm_2
from private_bandits.kernels import elimination
from private_bandits.privacy import sensitivity
from private_bandits.problems import Arms
from private_bandits.simulation import simulate, trace
from private_bandits.streams import streams

LONG = 10**15


def noisy_means(problem, record, seed):
    """Pulls of each arm in the first epoch, and the noisy means at its end."""
    share, _ = elimination._epoch(record.terms, record.beta, problem.n_arms, 1)
    return share, state_after(elimination, problem, record, share * problem.n_arms, seed).means


# --- the noise


@pytest.mark.parametrize("epsilon", [0.05, 1.0, 8.0])
def test_the_noise_pays_epsilon_for_one_reward(epsilon):
    """The sensitivity of an epoch's means, by brute force, over the scale of what is really added to them."""
    pulls, arms = 3, 2
    worst = 0.0
    for rewards in itertools.product([0.0, 1.0], repeat=pulls * arms):
        table = np.array(rewards).reshape(arms, pulls)
        for changed in np.ndindex(table.shape):
            other = table.copy()
            other[changed] = 1.0 - other[changed]
            worst = max(worst, sensitivity([table.mean(axis=1), other.mean(axis=1)]))
    assert worst == pytest.approx(1 / pulls)

    problem, record = Arms.bernoulli([0.0, 1.0]), dp_se(epsilon, n_arms=2, horizon=1000).record
    noise = []
    for seed in range(2000):
        share, means = noisy_means(problem, record, seed)
        noise.extend((means - problem.means) * share)  # worst * pulls = 1 is the sensitivity of this
    assert worst * pulls / np.mean(np.abs(noise)) == pytest.approx(epsilon, rel=0.06)
    assert stats.kstest(noise, stats.laplace(scale=1 / epsilon).cdf).pvalue > 1e-3


# --- the rewards


def test_elimination_has_the_law_of_rewards_drawn_one_by_one():
    """A reference that draws reward by reward, and the kernel: when do the arms leave?"""
    problem, horizon, runs = Arms.bernoulli([0.6, 0.4, 0.5]), 60_000, 150
    told = {"epsilon": 0.3, "n_arms": 3, "horizon": horizon, "beta": 0.9}
    policy = dp_se(**told)

    def pulls(played):
        return np.bincount(played, minlength=3)[1:]

    kernel = [pulls(trace(problem, policy, horizon=horizon, seed=1, replication=r)[:, 0]) for r in range(runs)]
    plain = [
        pulls(np.array(sajed_algorithm_2.reference(problem, horizon, one_by_one(2, r), **told))[:, 0])
        for r in range(runs)
    ]
    for arm in range(2):
        sample = [row[arm] for row in kernel], [row[arm] for row in plain]
        assert len(set(sample[0])) > 1  # the moment at which the arm leaves is random
        assert stats.ks_2samp(*sample).pvalue > 1e-3


# --- what leaves, and when


@pytest.mark.parametrize("epsilon", [0.05, 1.0, math.inf])
def test_an_arm_leaves_by_the_epoch_of_its_gap(epsilon):
    """With probability 1 - beta an arm of gap 2^-e or more has left after epoch e, and the best arm never leaves."""
    gaps = np.array([0.0, 0.5, 0.25, 0.125, 0.0625])
    problem = Arms.bernoulli(0.75 - gaps)
    policy = dp_se(epsilon, n_arms=5, horizon=LONG, beta=1e-3)
    for replication in range(40):
        source, state = streams(3, replication), elimination.start(problem.record(), policy.record)
        for _ in range(20):
            size, epoch, begun = (int(x) for x in state.clock)
            if size == 1:
                break
            share, _ = elimination._epoch(policy.record.terms, policy.record.beta, size, epoch + 1)
            go_on(elimination, problem, policy.record, state, begun + 1, begun + size * share, source)
            kept = state.alive[: state.clock[0]]
            assert 0 in kept
            assert (gaps[kept] < 2.0 ** -(epoch + 1)).all()
        assert state.clock[0] == 1


# --- regret


def test_regret_never_falls_not_even_in_its_last_digit():
    """Consecutive rounds where the regret is so large that a rounded sum could go down."""
    problem = Arms.bernoulli([0.3, 0.3 - 1e-7, 0.1, 0.3 - 1e-9])
    around = 3 * 10**14
    marks = [*range(around, around + 40), LONG]
    regret = simulate(
        problem, dp_se(1.0, n_arms=4, horizon=LONG), horizon=LONG, replications=2, seed=0, checkpoints=marks
    ).regret
    assert (np.diff(regret, axis=1) >= 0).all()
    assert float(regret[0, 0]) > 1e4
