"""The algorithms of Chen et al. (2020): limits, what is paid, radii, instances."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from semibandit_settings import INSTANCES

from private_bandits.papers.semibandits import (
    VARIANTS,
    cucb,
    cucb_dp,
    cucb_dp_least_pulled,
    cucb_ldp1,
    cucb_ldp2,
    instances,
    radii,
)
from private_bandits.simulation import trace

T = 400


# --- limits


@pytest.mark.parametrize("name", INSTANCES)
def test_without_privacy_every_repair_is_cucb_with_its_update(name):
    problem = INSTANCES[name]
    size, arms = problem.list_size, problem.n_arms

    def plays(policy):
        return trace(problem, policy, horizon=2000, seed=2)

    everything, least = plays(cucb()), plays(cucb(update="least"))
    free = {"epsilon": math.inf, "variant": "repaired"}
    sizes = {"list_size": size, "n_arms": arms, "horizon": 2000}
    for policy in (cucb_ldp1(**free, list_size=size), cucb_dp(**free, **sizes)):
        np.testing.assert_array_equal(plays(policy), everything)
    for policy in (cucb_ldp2(**free), cucb_dp_least_pulled(**free, **sizes)):
        np.testing.assert_array_equal(plays(policy), least)
    assert not np.array_equal(everything, least)


# --- privacy


def corners(size):
    return np.array(list(itertools.product((0.0, 1.0), repeat=size)))


@pytest.mark.parametrize("epsilon", [0.3, 5.0])
@pytest.mark.parametrize("size", [1, 2, 5])
def test_local_algorithms_pay_exactly_epsilon(epsilon, size):
    """The log ratio of two densities of Laplace reports is largest where no noise crosses the outcomes."""
    for variant in VARIANTS:
        for policy, sent in (
            (cucb_ldp1(epsilon, list_size=size, variant=variant), corners(size)),
            (cucb_ldp2(epsilon, variant=variant), corners(1)),
        ):
            scale = policy.record.scale
            reports = 50 + corners(sent.shape[1])
            losses = [np.sum(np.abs(y - a) - np.abs(y - b)) / scale for y in reports for a in sent for b in sent]
            assert policy.privacy.effective_epsilon == pytest.approx(max(losses), rel=1e-12)
            assert policy.privacy.effective_epsilon == pytest.approx(epsilon, rel=1e-12)
            assert policy.privacy.trust == "local"


@pytest.mark.parametrize("least", [False, True])
@pytest.mark.parametrize("horizon", [2, 7, 8, 37])
@pytest.mark.parametrize("variant", VARIANTS)
def test_central_algorithms_by_brute_force(least, horizon, variant):
    """Fix the super arms, change one user's outcomes in every way: the nodes that see it pay what is stated."""
    n_arms, size, epsilon = 4, 2, 0.7
    box = cucb_dp_least_pulled if least else cucb_dp
    policy = box(epsilon, n_arms=n_arms, list_size=size, horizon=horizon, variant=variant)
    rng = np.random.default_rng(horizon)
    played = [rng.permutation(n_arms)[:size] for _ in range(horizon)]
    reported, pulls = [], np.zeros(n_arms)
    for arms in played:
        reported.append([min(arms, key=lambda i: pulls[i])] if least else list(arms))
        pulls[reported[-1]] += 1
    worst = 0.0
    for changed in range(horizon):
        for before, after in itertools.product(corners(size), repeat=2):
            leaves = np.zeros((2, n_arms, horizon))
            for side, outcome in enumerate((before, after)):
                for arm, value in zip(played[changed], outcome, strict=True):
                    if arm in reported[changed]:
                        leaves[side, arm, changed] = value
            moved = sum(
                np.abs(leaves[0, :, n - (n & -n) : n].sum(axis=1) - leaves[1, :, n - (n & -n) : n].sum(axis=1)).sum()
                for n in range(1, horizon + 1)
            )
            worst = max(worst, moved / policy.record.scale)
    assert policy.privacy.effective_epsilon == pytest.approx(worst, rel=1e-12)
    assert worst == pytest.approx(epsilon) if variant == "repaired" else worst <= epsilon
    assert policy.privacy.trust == "central"


# --- radii


def report_radius(b, n, log_term):
    """What the mean of n reports with noise Lap(b) on each leaves, to one side, with probability exp(-log_term)."""
    return math.sqrt((0.5 + 4 * b**2) * log_term / n) + b * log_term / n


def test_radii_by_hand():
    assert report_radius(0.0, 6, 3.0) == pytest.approx(math.sqrt(3.0 / 12))  # Hoeffding
    assert report_radius(2.0, 4, 3.0) == pytest.approx(math.sqrt(16.5 * 3 / 4) + 6 / 4)
    assert radii.node_radius(4, 9.0) == pytest.approx(2 * 6 + 9)
    record = cucb_ldp1(0.5, list_size=3, variant="repaired", horizon=1000).record
    for n in (1, 10, 500):
        bonus = math.sqrt(record.terms[0, 1] / n) + record.bonus_scale / n
        assert bonus == pytest.approx(report_radius(6.0, n, 3 * math.log(1000)))


def test_repaired_radius_is_a_tail_bound_by_sampling():
    """With exp(-L) = 5 % a mean must leave its radius in at most 5 % of runs, and in more than 0.05 %."""
    rng = np.random.default_rng(0)
    for scale, n in ((0.5, 3), (3.0, 1), (3.0, 40), (0.01, 40)):
        reports = (rng.random((40_000, n)) < 0.5) + rng.laplace(0.0, scale, (40_000, n))
        below = np.mean(reports.mean(axis=1) < 0.5 - report_radius(scale, n, math.log(20)))
        assert 0.0005 < below < 0.05
    for levels in (1, 5, 17):
        sums = rng.laplace(0.0, 1.0, (40_000, levels)).sum(axis=1)
        assert 0.0005 < np.mean(sums > radii.node_radius(levels, math.log(20))) < 0.05


# --- instances


def test_instances_have_their_gaps():
    path, public = instances.k_path(12, 4, 0.6, b_1=2.0), instances.public_arms(12, 4, 0.6, b_1=2.0)
    np.testing.assert_allclose(np.sort(path.rewards), [3.4, 3.4, 4.0])
    np.testing.assert_allclose(np.sort(public.rewards), [3.4] * 5 + [4.0])
    assert (path.b_1, path.b_inf) == (public.b_1, public.b_inf) == (2.0, 8.0)
    np.testing.assert_allclose(instances.k_path(5, 1, 0.6, b_1=3.0).rewards, [1.5, 0.9, 0.9, 0.9, 0.9])
    assert instances.coverage(n_nodes=5, n_targets=3, n_chosen=2, p=0.5, gap=0.2).best == pytest.approx(
        3 * (1 - 0.5**2)
    )
