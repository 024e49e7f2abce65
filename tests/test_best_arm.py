"""Best-arm identification: the kernel against its reference, the inflated constant, the stopping rule."""

from __future__ import annotations

import math

import numpy as np
import pytest

from private_bandits import simulate
from private_bandits.papers.contextual.appendix_b2 import identifier, lil_ucb, reference
from private_bandits.problems import Arms
from private_bandits.simulate import streams, trace

MEANS = [0.9, 0.2, 0.1]


@pytest.mark.parametrize(
    ("noise", "method", "epsilon", "delta"),
    [
        ("gaussian", "classical", 30.0, 0.1),
        ("gaussian", "analytic", 10.0, 0.1),
        ("laplace", "classical", 10.0, None),
    ],
)
def test_it_pulls_the_arms_of_its_reference(noise, method, epsilon, delta):
    problem = Arms.bernoulli(MEANS)
    found = lil_ucb(problem, 0.1, epsilon, delta, seed=5, noise=noise, method=method)
    assert found.stopped and found.arm == 0
    assert list(found.pulls) == reference(problem, 0.1, streams(5, 0), epsilon, delta, noise, method)
    if noise == "laplace":  # rewards are one apart, the noise is for two
        assert found.privacy.effective_epsilon == pytest.approx(5.0)


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


def test_a_search_is_not_simulated():
    for play in (
        lambda *given: simulate(*given, horizon=10, replications=1, seed=0),
        lambda *given: trace(*given, horizon=10, seed=0),
    ):
        with pytest.raises(ValueError, match="lil'UCB searches for the best arm and stops by itself"):
            play(Arms.bernoulli(MEANS), identifier(0.1, 1.0, 1e-3))
