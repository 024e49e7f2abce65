"""Our algorithms of the semi-bandits room: the hypercube, the super-arm radius; instances whose best mean is 1."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from private_bandits.mechanisms import _raw as mechanisms
from private_bandits.papers import semibandits as paper
from private_bandits.papers.semibandits import algorithm_2, bounds, instances, repair_hypercube, repair_radius
from private_bandits.problems import SemiBandit
from private_bandits.simulation import simulate, trace
from private_bandits.streams import streams


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("epsilon", [0.3, 2.0])
def test_a_corner_of_the_hypercube_pays_epsilon_and_is_as_true_as_it_says(size, epsilon):
    """By enumeration of the random corner before the choice."""
    truth = math.exp(epsilon) / (1 + math.exp(epsilon))

    class Told:
        def __init__(self, numbers):
            self.numbers = iter(numbers)

        def random(self):
            return next(self.numbers)

    sent = {}
    for outcomes in itertools.product((0.0, 1.0), repeat=size):
        law = dict.fromkeys(itertools.product((0.0, 1.0), repeat=size), 0.0)
        for bits in law:
            for lucky in (True, False):
                vector = np.array(outcomes)
                draws = [*(0.2 if bit else 0.8 for bit in bits), np.nextafter(truth, 0.0) if lucky else truth]
                mechanisms.hypercube.py_func(Told(draws), vector, size, truth)
                law[tuple(vector)] += (truth if lucky else 1 - truth) / 2**size
        sent[outcomes] = np.array(list(law.values()))
        agree = [[bit == value for bit, value in zip(corner, outcomes, strict=True)] for corner in law]
        sure = 2 * (sent[outcomes] @ np.array(agree, float)) - 1
        assert sure == pytest.approx(repair_hypercube.agreement(epsilon, size))
        assert sure.min() >= math.tanh(epsilon / 2) / math.sqrt(2 * size) - 1e-12
    worst = max(float(np.max(one / other)) for one in sent.values() for other in sent.values())
    assert math.log(worst) == pytest.approx(epsilon)
    for policy in (
        paper.cucb_hypercube(epsilon, list_size=size, horizon=100),
        paper.super_arm_radius(epsilon, horizon=100),
    ):
        assert policy.privacy.effective_epsilon == pytest.approx(epsilon)


@pytest.mark.parametrize("seed", range(20))
def test_what_is_not_observed_counts_as_0(seed):
    sent = [np.array([1.0, 0.0, 1.0, last]) for last in (0.0, 1.0)]
    for vector, observed in zip(sent, (4, 3), strict=True):
        mechanisms.hypercube(np.random.default_rng(seed), vector, observed, 0.9)
    assert sent[0].tolist() == sent[1].tolist()


def test_the_bound_is_its_formula_and_holds():
    game, true = {"horizon": 10**5, "epsilon": 2.0}, math.tanh(1.0) ** 2
    level = math.log(10**5) + math.log(len(repair_radius.grid(10**5)))
    paths = instances.k_path(12, 4, 0.8)
    windows = instances.separated("windows", others=4, list_size=2, distance=0.4)
    largest = instances.separated("max-path", others=4, list_size=2, distance=0.5)
    rest = [2 / low - 1 / high for low, high in zip(windows.smallest_gaps, windows.largest_gaps, strict=True) if low]
    for problem, wanted in (
        (paths, 2.2 * level * 4 / true * 8 / 0.8 + (12 + 3) * 0.8),
        (windows, 2.2 * level * 2 / true * sum(rest) + (6 + 5) * 0.8),
        (largest, 2.2 * (level + 2 * math.log(2)) * 2 / true * 4 / 0.5 + (6 + 3) * 0.5),
    ):
        most = bounds.super_arm_radius_upper(problem=problem, **game)
        assert most == pytest.approx(wanted) and most < problem.uniform_regret() * 10**5
        policy = paper.super_arm_radius(2.0, horizon=10**5)
        assert simulate(problem, policy, horizon=10**5, replications=3, seed=2).regret.values[:, -1].max() < most


def test_the_grid_grows_by_a_tenth():
    points = repair_radius.grid(10**6)
    assert points[0] == 1 and points[-1] <= 10**6
    assert all(a < b <= a + -(-a // 10) for a, b in itertools.pairwise(points))
    assert len(points) <= 10 + math.log(10**6) / math.log(1.1)


@pytest.mark.parametrize("groups", [None, [0, 1, 2, 2], [0, 0, -1, -1]])
def test_the_largest_mean_is_a_reward_of_shared_draws(groups):
    with pytest.raises(ValueError, match="groups must join all arms of a super arm"):
        SemiBandit.from_sets([0.5, 0.4, 0.3, 0.2], [[0, 1], [2, 3]], reward="largest", groups=groups)
    problem = SemiBandit.from_sets([0.5, 0.4, 0.3, 0.2], [[0, 1], [2, 3]], reward="largest", groups=[0, 0, 1, 1])
    assert problem.rewards.tolist() == [0.5, 0.3] and (problem.b_inf, problem.b_1) == (1.0, 1.0)
    played = trace(problem, paper.cucb_ldp2(1.0), horizon=50, seed=0)
    assert played.tolist() == algorithm_2.reference(problem, 50, streams(0, 0), epsilon=1.0)
