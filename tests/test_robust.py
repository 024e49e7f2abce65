"""The robust index algorithms: privacy of the trees, moments."""

from __future__ import annotations

import math

import numpy as np
import pytest
from carried import state_after

from private_bandits import mechanisms
from private_bandits.kernels import robust
from private_bandits.papers.heavy_tailed import dp_robust_ucb
from private_bandits.papers.heavy_tailed.instances import pareto_arms
from private_bandits.reference_tools import Binary

# --- privacy


@pytest.mark.parametrize("horizon", [2, 100, 127, 128])
def test_what_the_trees_pay_is_exactly_epsilon(horizon):
    """The loss of one reward: its change over the scale, added over the nodes that hold it."""
    epsilon, v, u = 0.7, 0.5, 2.0
    policy = dp_robust_ucb(epsilon, v=v, u=u, horizon=horizon)
    tree = Binary(epsilon, horizon.bit_length(), None)
    thresholds = [(epsilon * u * k / math.log(horizon) ** 1.5) ** (1 / (1 + v)) for k in range(1, horizon + 1)]
    for threshold in thresholds:
        tree.scale = 2 * threshold * horizon.bit_length() / epsilon  # as the reference has it
        tree.add(0.0)
    # the node that is formed with leaf k ends there, as many leaves long as the lowest bit of k
    nodes = {(k - (k & -k) + 1, k): scale for k, (_, scale) in enumerate(tree.record, start=1)}
    for k, threshold in enumerate(thresholds, start=1):
        paid = sum(2 * threshold / scale for (first, last), scale in nodes.items() if first <= k <= last)
        assert paid <= epsilon * (1 + 1e-12)
    assert policy.privacy.effective_epsilon == pytest.approx(epsilon)
    # the kernel's node scale, at its first leaf
    assert policy.record.scale * thresholds[0] == pytest.approx(nodes[1, 1])
    # as calibrated: if thresholds did not grow, a reward of the first leaf would pay all of it
    assert sum(first <= 1 <= last for first, last in nodes) == horizon.bit_length()


def test_the_noise_of_a_mean_has_the_scale_of_its_nodes():
    """One arm that always pays 0: its mean is noise alone, of the nodes of the set bits of n."""
    epsilon, v, n = 1.0, 0.5, 22  # nodes 1-16, 17-20, 21-22
    problem, policy = pareto_arms([0.0], 2.0), dp_robust_ucb(epsilon, v=v, u=2.0, horizon=1000)
    sums = [state_after(robust, problem, policy.record, n, 2, replication).mean[0] * n for replication in range(4000)]
    levels = 10  # 1000 rounds
    scales = [2 * (2 * k / math.log(1000) ** 1.5) ** (1 / 1.5) * levels for k in (16, 20, 22)]
    assert np.var(sums) == pytest.approx(2 * sum(scale**2 for scale in scales), rel=0.15)
    assert policy.record.scale == levels * mechanisms.laplace_scale(epsilon, sensitivity=2.0)


# --- instances


def test_moments_by_hand():
    problem = pareto_arms([1.0, 0.5, 0.0], 3.0)
    # scale 2/3; E X^2 = 3 (4/9) / (3 - 2)
    np.testing.assert_allclose(problem.moments(1.0), [4 / 3, 1 / 3, 0.0])
    assert problem.moment(1.0) == pytest.approx(4 / 3)
    assert pareto_arms([1.0, 0.0], 1.9).moments(0.9).tolist() == [math.inf, 0.0]
    assert problem.best == 1.0
    np.testing.assert_allclose(problem.gaps, [0.0, 0.5, 1.0])
    assert pareto_arms([3.0, 1.0], 2.0).uniform_regret() == 1.0
