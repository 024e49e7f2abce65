"""Best-arm identification: the kernel against its transcription, the inflated constant, the stopping rule."""

from __future__ import annotations

import math

import numpy as np
import pytest

from private_bandits.papers.contextual.best_arm import lil_ucb
from private_bandits.problems import Arms
from private_bandits.simulate import streams

MEANS = [0.9, 0.2, 0.1]


def transcription(means, nu, sigma, seed):
    """lil'UCB with epsilon = 0.01, beta = 1, lambda = 9; ties in the index have probability 0 under noise."""
    e, beta, lam = 0.01, 1.0, 9.0
    c = (2 + e) / e * (1 / math.log(1 + e)) ** (1 + e)
    d = (math.sqrt(1 + nu) - 1) ** 2 / (4 * c)
    env, _, noise = streams(seed, 0)
    rewards = [[] for _ in means]

    def pull(i):
        rewards[i].append((1.0 if env.random() < means[i] else 0.0) + noise.normal(0, sigma))

    def bound(n):
        s2 = 1 / 4 + sigma**2
        return (1 + beta) * (1 + math.sqrt(e)) * math.sqrt(2 * s2 * (1 + e) * math.log(math.log((1 + e) * n) / d) / n)

    for i in range(len(means)):
        pull(i)
    while all(len(r) < 1 + lam * (sum(map(len, rewards)) - len(r)) for r in rewards):
        pull(int(np.argmax([sum(r) / len(r) + bound(len(r)) for r in rewards])))
    return [len(r) for r in rewards]


def test_it_pulls_the_arms_of_its_transcription():
    found = lil_ucb(Arms.bernoulli(MEANS), 0.1, 30.0, 0.1, seed=5)
    sigma = 2 * math.sqrt(2 * math.log(12.5)) / 30
    assert found.stopped and found.arm == 0
    assert list(found.pulls) == transcription(MEANS, 0.1, sigma, 5)


def test_noise_costs_pulls_as_its_variance():
    """s^2 = 1/4 + sigma^2: with sigma = 1/2 twice the pulls, up to chance."""
    epsilon = 4 * math.sqrt(2 * math.log(12.5))  # sigma = 1/2
    pulls = []
    for budget in (math.inf, epsilon):
        runs = [
            lil_ucb(Arms.bernoulli(MEANS), 0.1, budget, None if math.isinf(budget) else 0.1, seed=1, replication=r)
            for r in range(10)
        ]
        assert all(run.arm == 0 and run.stopped for run in runs)
        pulls.append(np.mean([sum(run.pulls) for run in runs]))
    assert pulls[1] / pulls[0] == pytest.approx(2.0, rel=0.2)


def test_it_says_when_it_did_not_stop():
    found = lil_ucb(Arms.bernoulli([0.5, 0.5]), 0.1, 1.0, 1e-3, seed=1, limit=1000)
    assert not found.stopped and sum(found.pulls) == 1000
    assert 0.2 < found.privacy.effective_epsilon < 0.3


@pytest.mark.parametrize(
    ("change", "word"), [({"failure": 1.0}, "failure"), ({"limit": 1}, "limit"), ({"seed": -1}, "seed")]
)
def test_bad_arguments_are_refused(change, word):
    values = {"failure": 0.1, "epsilon": 1.0, "delta": 1e-3, "seed": 0} | change
    with pytest.raises(ValueError, match=word):
        lil_ucb(Arms.bernoulli(MEANS), **values)
