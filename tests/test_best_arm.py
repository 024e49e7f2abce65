"""Best-arm identification: the kernel against its transcription, the inflated constant, the stopping rule."""

from __future__ import annotations

import math

import numpy as np
import pytest

from private_bandits.papers.contextual.best_arm import lil_ucb
from private_bandits.problems import Arms
from private_bandits.simulate import streams

MEANS = [0.9, 0.2, 0.1]


def transcription(means, nu, noise, scale, seed):
    """lil'UCB with epsilon = 0.01, beta = 1, lambda = 9; ties in the index have probability 0 under noise.

    The radius of Laplace noise has its variance and one more term.
    """
    e, beta, lam = 0.01, 1.0, 9.0
    c = (2 + e) / e * (1 / math.log(1 + e)) ** (1 + e)
    d = (math.sqrt(1 + nu) - 1) ** 2 / (4 * c)
    env, _, rng = streams(seed, 0)
    draw, variance = (rng.normal, scale**2) if noise == "gaussian" else (rng.laplace, 2 * scale**2)
    rewards = [[] for _ in means]

    def pull(i):
        rewards[i].append((1.0 if env.random() < means[i] else 0.0) + draw(0, scale))

    def bound(n):
        level = math.log(math.log((1 + e) * n) / d) / n
        root = (1 + math.sqrt(e)) * math.sqrt(2 * (1 / 4 + variance) * (1 + e) * level)
        return (1 + beta) * (root + (scale * (1 + e) * level if noise == "laplace" else 0.0))

    for i in range(len(means)):
        pull(i)
    while all(len(r) < 1 + lam * (sum(map(len, rewards)) - len(r)) for r in rewards):
        pull(int(np.argmax([sum(r) / len(r) + bound(len(r)) for r in rewards])))
    return [len(r) for r in rewards]


def test_it_pulls_the_arms_of_its_transcription():
    found = lil_ucb(Arms.bernoulli(MEANS), 0.1, 30.0, 0.1, seed=5)
    sigma = 2 * math.sqrt(2 * math.log(12.5)) / 30
    assert found.stopped and found.arm == 0
    assert list(found.pulls) == transcription(MEANS, 0.1, "gaussian", sigma, 5)


def test_with_laplace_noise_it_pulls_the_arms_of_its_transcription():
    found = lil_ucb(Arms.bernoulli(MEANS), 0.1, 10.0, seed=5, noise="laplace")
    assert found.stopped and found.arm == 0
    assert list(found.pulls) == transcription(MEANS, 0.1, "laplace", 0.2, 5)
    assert found.privacy.effective_epsilon == pytest.approx(5.0)  # rewards are one apart, the noise is for two


def test_without_privacy_the_noise_has_no_name():
    runs = [lil_ucb(Arms.bernoulli(MEANS), 0.1, math.inf, seed=5, noise=noise) for noise in ("gaussian", "laplace")]
    assert runs[0] == runs[1]
    assert runs[0].privacy.label() == "no privacy"


@pytest.mark.parametrize(("noise", "epsilon", "delta"), [("laplace", 4.0, None), ("gaussian", 15.0, 0.1)])
def test_it_is_seldom_wrong_and_stops(noise, epsilon, delta):
    """Fewer than nu = 0.1 of 100 runs would be wrong; none is, and the claim stands at 95 % for 0.03."""
    runs = [
        lil_ucb(Arms.bernoulli([0.2, 0.9, 0.1]), 0.1, epsilon, delta, seed=3, replication=r, noise=noise)
        for r in range(100)
    ]
    assert all(run.stopped for run in runs)
    assert sum(run.arm != 1 for run in runs) == 0


@pytest.mark.parametrize("scale", [0.3, 2.0])
@pytest.mark.parametrize("mean", [0.5, 0.1])
def test_rewards_with_laplace_noise_are_sub_gamma(mean, scale):
    """ln E exp(x Z) <= x^2 (1/4 + 2 b^2) / (2 (1 - b |x|)); near 0 and at mean 1/2 with equality."""
    variance = 1 / 4 + 2 * scale**2
    for share in (-0.99, -0.5, -0.001, 0.001, 0.5, 0.99):
        x = share / scale
        log = math.log(1 - mean + mean * math.exp(x)) - mean * x - math.log(1 - share**2)
        assert log <= x**2 * variance / (2 * (1 - abs(share))) * (1 + 1e-9)
        if abs(share) == 0.001 and mean == 0.5:
            assert log == pytest.approx(x**2 * variance / 2, rel=2e-3)


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
    ("change", "word"),
    [({"failure": 1.0}, "failure"), ({"limit": 1}, "limit"), ({"seed": -1}, "seed")]
    + [({"noise": "uniform"}, "noise"), ({"noise": "laplace"}, "delta")],
)
def test_bad_arguments_are_refused(change, word):
    values = {"failure": 0.1, "epsilon": 1.0, "delta": 1e-3, "seed": 0} | change
    with pytest.raises(ValueError, match=word):
        lil_ucb(Arms.bernoulli(MEANS), **values)
