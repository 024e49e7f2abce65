"""The eliminations for heavy-tailed rewards: noise, the bound on the means, long horizons."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from carried import state_after
from scipy import stats

from private_bandits.kernels import elimination
from private_bandits.papers.heavy_tailed import (
    bounds,
    dp_robust_se,
    ldp_robust_se,
    pareto_arms,
    robust_se,
    setting,
)
from private_bandits.privacy import sensitivity
from private_bandits.simulation import simulate

MEANS = [0.5, 0.9, 0.2]
LONG = 10**15


def first_epoch(problem, policy, seed):
    """Pulls, the distance at which an arm leaves, and the released means of the first epoch."""
    share, width = elimination._epoch(policy.record.terms, policy.record.beta, problem.n_arms, 1)
    return share, width, state_after(elimination, problem, policy.record, share * problem.n_arms, seed).means


# --- lengths, thresholds, the rule


def slide_epoch(epoch, log, epsilon, v, u, c):
    """What the talk's bounds (4) and (5) can afford: the central epoch at epsilon^2, with u^(2/v) for u^(1/v)."""
    pulls = math.ceil(u ** (2 / v) * (c * 2**epoch) ** ((1 + v) / v) * log / epsilon**2) + 1
    share = log / (pulls * epsilon**2)
    return bounds.Epoch(float(pulls), (u / share) ** (1 / (1 + v)), u ** (1 / (1 + v)) * share ** (v / (1 + v)))


@pytest.mark.parametrize("v", [0.3, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("c", [4.0, 24.0])
@pytest.mark.parametrize(("size", "epoch"), [(2, 1), (5, 3)])
def test_epochs_are_those_of_the_bounds(v, c, size, epoch):
    """Two independent pieces of code for R and err; and the threshold is c/2 err, 12 err as printed."""
    beta, law = 0.01, {"epsilon": 0.4, "v": v, "u": 5.6, "c": c}
    logs = [math.log(inside * size * epoch**2 / beta) for inside in (4, 8, 8)]
    made = dp_robust_se(**law, beta=beta), ldp_robust_se(**law, beta=beta)
    made = *made, ldp_robust_se(**law, beta=beta, variant="slide_rate")
    for policy, log, bound in zip(made, logs, (bounds.dp_epoch, bounds.ldp_epoch, slide_epoch), strict=True):
        expected = bound(epoch=epoch, log=log, **law)
        share, width = elimination._epoch(policy.record.terms, beta, size, epoch)
        if expected.pulls > 2.0**62 / size:
            assert share == 2**62 // size  # longer than any run
            continue
        assert share == pytest.approx(expected.pulls, rel=1e-9, abs=1)
        assert width == pytest.approx(c / 2 * expected.error, rel=1e-6)
        threshold = policy.record.truncation * (share / log) ** policy.record.truncation_power
        assert threshold == pytest.approx(expected.threshold, rel=1e-6)
        if "slide" not in policy.name and share > 1e4:
            assert width == pytest.approx(2.0**-epoch / 2, rel=1e-3)  # the gap in view, halved


# --- privacy


@pytest.mark.parametrize("epsilon", [0.3, 1.0])
def test_the_mean_of_an_epoch_pays_epsilon_for_one_reward(epsilon):
    """Arms that always pay 0 show the noise; a truncated reward in [-B, B] moves a mean of R by 2B/R at most."""
    policy = dp_robust_se(epsilon, v=0.9, u=1.0, beta=0.5, c=3.0)
    noise = []
    for seed in range(1500):
        share, _, means = first_epoch(pareto_arms([0.0, 0.0], 2.0), policy, seed)
        noise.extend(means)
    log = math.log(4 * 2 / 0.5)
    threshold = (share * epsilon / log) ** (1 / 1.9)
    small = [np.array(row) for row in itertools.product([-threshold, 0.0, threshold], repeat=3)]
    worst = max(sensitivity([[a.mean()], [b.mean()]]) for a in small for b in small if np.count_nonzero(a != b) == 1)
    assert worst == pytest.approx(2 * threshold / 3)
    paid = worst * 3 / share / np.mean(np.abs(noise))
    assert paid == pytest.approx(epsilon, rel=0.07)
    assert stats.kstest(noise, stats.laplace(scale=2 * threshold / (share * epsilon)).cdf).pvalue > 1e-3


@pytest.mark.parametrize("variant", ["repaired", "slide_rate"])
def test_a_report_pays_epsilon(variant):
    """The noise of R reports is that of R draws of scale 2B/epsilon."""
    epsilon, v, u, beta, c = 0.7, 0.9, 1.0, 0.5, 3.0
    policy = ldp_robust_se(epsilon, v=v, u=u, beta=beta, c=c, variant=variant)
    runs = [first_epoch(pareto_arms([0.0, 0.0], 2.0), policy, seed) for seed in range(1000)]
    share, log = runs[0][0], math.log(8 * 2 / beta)
    x = math.sqrt(log / share) / epsilon if variant == "repaired" else log / (share * epsilon**2)
    threshold = (u / x) ** (1 / (1 + v))
    spread = np.std([means for _, _, means in runs]) * math.sqrt(share)
    assert 2 * threshold / (spread / math.sqrt(2)) == pytest.approx(epsilon, rel=0.07)


def test_without_privacy_both_are_robust_se():
    problem, exact = pareto_arms(MEANS, 1.6), robust_se(v=0.5, u=2.0, beta=0.1, c=24.0)
    for policy in (dp_robust_se(math.inf, v=0.5, u=2.0, beta=0.1), ldp_robust_se(math.inf, v=0.5, u=2.0, beta=0.1)):
        assert policy.privacy.trust == "none"
        one, other = (simulate(problem, each, horizon=10**8, replications=2, seed=0) for each in (policy, exact))
        np.testing.assert_array_equal(one.regret, other.regret)


# --- the bound on the means


@pytest.mark.parametrize("v", [0.5, 0.9])
@pytest.mark.parametrize("c", [12.0, 24.0])
def test_the_bound_on_the_means_holds_where_it_is_proven(v, c):
    """Within (c/4) err, of which (c/2) err is the distance at which an arm leaves."""
    problem = setting(1, v)
    u, beta = problem.moment(v), 0.05
    policies = [robust_se(v=v, u=u, beta=beta, c=c)]
    if c == 24.0:
        policies += [dp_robust_se(1.0, v=v, u=u, beta=beta, c=c), ldp_robust_se(1.0, v=v, u=u, beta=beta, c=c)]
    for policy in policies:
        worst = []
        for seed in range(60):
            _, width, means = first_epoch(problem, policy, seed)
            worst.append(np.max(np.abs(means - problem.means)) / width)
        assert max(worst) < 0.5, policy.name
        assert max(worst) > 0.01, policy.name  # not vacuous by orders of magnitude


# --- long horizons


@pytest.mark.parametrize("v", [0.5, 0.9])
def test_regret_at_the_longest_horizon_stays_below_the_epochs_of_the_gaps(v):
    """With probability 1 - 2 beta an arm of gap g is pulled in the epochs with 2^-e > g/2 only."""
    problem, beta = setting(1, v), 1e-3
    u = problem.moment(v)
    for policy, log_factor, epoch in (
        (dp_robust_se(1.0, v=v, u=u, beta=beta), 4, bounds.dp_epoch),
        (ldp_robust_se(1.0, v=v, u=u, beta=beta, c=6.0), 8, bounds.ldp_epoch),
    ):
        c = 24.0 if "DP Robust SE" == policy.name else 6.0
        law = {"v": v, "u": u, "epsilon": 1.0, "c": c}
        ceiling, start = 0.0, epoch(epoch=1, log=math.log(log_factor * 5 / beta), **law).pulls
        for gap in problem.gaps[problem.gaps > 0]:
            last = math.ceil(math.log2(1 / gap) - 1e-9)
            logs = [math.log(log_factor * 5 * e**2 / beta) for e in range(1, last + 1)]
            ceiling += gap * sum(epoch(epoch=e, log=log, **law).pulls for e, log in enumerate(logs, 1))
        final = simulate(problem, policy, horizon=LONG, replications=10, seed=1).regret[:, -1]
        assert float(final.max()) <= ceiling * (1 + 1e-12), policy.name
        assert float(final.min()) >= start * problem.gaps.sum() * (1 - 1e-12), policy.name  # all arms are in epoch 1
