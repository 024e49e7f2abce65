"""The contextual algorithms of Zheng et al. (2020): limits, what is sent and paid, the radii."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from carried import go_on

from private_bandits import simulate
from private_bandits.kernels import linear
from private_bandits.mechanisms import gaussian_epsilon
from private_bandits.papers.contextual import accounting, bounds, instances, shared
from private_bandits.papers.contextual.algorithm_3 import ldp_glm
from private_bandits.papers.contextual.algorithm_5 import ldp_linucb
from private_bandits.papers.contextual.delta_trap import all_or_nothing
from private_bandits.papers.contextual.oful import linucb
from private_bandits.papers.contextual.online_to_confidence import gloc
from private_bandits.papers.contextual.stretched import by_stretches
from private_bandits.privacy.accounts import account
from private_bandits.privacy.deltas import channel_epsilon
from private_bandits.problems import LinearContext
from private_bandits.simulation import trace
from private_bandits.streams import streams

ALPHA, DELTA = 0.1, 1e-3
THETAS = {1: [0.7], 2: [0.6, -0.7], 4: [0.5, -0.3, 0.5, 0.4]}
C = 1 / (1 + math.exp(-1))


def problem_of(dim, n_actions=3, link="linear"):
    return LinearContext.sphere(THETAS[dim], n_actions, link)


# --- without privacy


@pytest.mark.parametrize("noise", ["classical", "analytic"])
def test_without_privacy_the_repairs_act_as_their_learners(noise):
    run = {"horizon": 2000, "seed": 4}
    free = {"epsilon": math.inf, "delta": DELTA, "dim": 2, "horizon": 2000, "calibration": noise}
    limit = ldp_linucb(**free, variant="derived")
    np.testing.assert_array_equal(trace(problem_of(2), limit, **run), trace(problem_of(2), linucb(dim=2), **run))
    assert_same_radius(limit, linucb(dim=2))
    odds = problem_of(2, link="logistic")
    for responses in accounting.RESPONSES:
        limit = ldp_glm(**free, variant="repaired", responses=responses)
        learner = gloc(dim=2, horizon=2000, learner="gradient", responses=responses)
        np.testing.assert_array_equal(trace(odds, limit, **run), trace(odds, learner, **run))
        assert_same_radius(limit, learner)
        assert limit.privacy.trust == "none"


def assert_same_radius(policy, other):
    for t in (0, 1, 40, 2000):
        assert linear.radius(policy.record, t, 0.0) == linear.radius(other.record, t, 0.0)


# --- what is sent, and what it pays


def farthest(sent, low, high):
    """Largest distance between what two users may send, over a fine grid of the disc; extreme rewards are enough."""
    angles = np.linspace(0, 2 * math.pi, 144, endpoint=False)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    users = [(length * x, y) for length in (1.0, 0.7) for x in circle for y in (low, high)]
    vectors = np.array([sent(x, y) for x, y in users])
    squares = np.sum(vectors**2, axis=1)
    return math.sqrt(np.max(squares[:, None] + squares - 2 * vectors @ vectors.T))


def upper(x):
    return np.array([x[0] * x[0], x[0] * x[1], x[1] * x[1]])


@pytest.mark.parametrize("largest_reward", [0.5, 1.0, 1.3, 2.0, 3.0])
def test_the_joint_sensitivity_of_algorithm_5_is_what_a_search_finds(largest_reward):
    sent, most = accounting.linucb_messages(largest_reward), largest_reward
    joint = farthest(lambda x, y: np.concatenate([upper(x), y * x]), -most, most)
    assert joint == pytest.approx(accounting.joint_sensitivity(sent), rel=1e-3)
    assert farthest(lambda x, y: upper(x), -most, most) == pytest.approx(sent[0].exact, rel=1e-3)
    assert farthest(lambda x, y: y * x, -most, most) == pytest.approx(sent[1].exact, rel=1e-3)


@pytest.mark.parametrize("responses", ["bounded", "binary"])
@pytest.mark.parametrize("variant", ["printed", "repaired"])
def test_the_joint_sensitivity_of_algorithm_3_bounds_what_a_search_finds(variant, responses):
    reach = accounting.error_reach(responses)
    low, high = (-C, 1 + C) if responses == "bounded" else (0.0, 1.0)
    parts_sent = accounting.glm_messages(responses, variant)

    def sent(x, y, estimate):
        error = shared.sigmoid(x @ estimate) - y
        assert abs(error) <= reach + 1e-12
        return upper(x), (x @ estimate) * x, error * x

    def joint(x, y, estimate):
        parts = sent(x, y, estimate)
        return np.concatenate([part / m.relative_noise for part, m in zip(parts, parts_sent, strict=True)])

    found, second, gradient = 0.0, 0.0, 0.0
    for angle in (0.0, 0.4, math.pi / 4):
        for length in (0.3, 1.0):
            estimate = length * np.array([math.cos(angle), math.sin(angle)])
            found = max(found, farthest(lambda x, y, e=estimate: joint(x, y, e), low, high))
            second = max(second, farthest(lambda x, y, e=estimate: sent(x, y, e)[1], low, high))
            gradient = max(gradient, farthest(lambda x, y, e=estimate: sent(x, y, e)[2], low, high))
    bound = accounting.joint_sensitivity(parts_sent)
    assert 0.8 * bound < found <= bound + 1e-9
    assert second == pytest.approx(1.0, rel=1e-3) and parts_sent[1].exact == 1.0
    assert 0.75 * parts_sent[2].exact < gradient <= parts_sent[2].exact + 1e-9
    # the printed noise covers half of what a bounded reward moves the gradient by, and all of what a binary one does
    ratio = parts_sent[2].exact / parts_sent[2].printed
    assert ratio == pytest.approx(2.0 if (variant, responses) == ("printed", "bounded") else 1.0)
    assert (gradient > parts_sent[2].printed) == (ratio > 1.5)


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 6.0])
def test_what_a_round_pays(epsilon):
    """Exact, by the joint sensitivity: 4 with rewards in [-2, 2]; the analytic noise pays epsilon to the last digit."""
    game = {"epsilon": epsilon, "delta": DELTA, "dim": 3, "horizon": 100}
    paid, sigma = ldp_linucb(**game).privacy, 6 * math.sqrt(2 * math.log(2.5 / DELTA)) / epsilon
    exact = gaussian_epsilon(sigma, delta=DELTA, sensitivity=4.0)
    assert paid.effective_epsilon == paid.value_epsilon == pytest.approx(exact)
    assert paid.effective_epsilon < 0.7 * epsilon
    assert (paid.trust, paid.effective_delta) == ("local", DELTA)
    analytic = game | {"calibration": "analytic"}
    assert ldp_linucb(**analytic).privacy.effective_epsilon == pytest.approx(epsilon, rel=1e-6)
    for how in product(("printed", "repaired"), accounting.RESPONSES):
        paid = ldp_glm(**analytic, variant=how[0], responses=how[1]).privacy.effective_epsilon
        assert paid > 1.5 * epsilon if how == ("printed", "bounded") else paid == pytest.approx(epsilon, rel=1e-6)
    # the classical split is so generous that even the halved noise of the gradient keeps the promise
    assert ldp_glm(**game).privacy.effective_epsilon < epsilon


# --- radii and bounds


@pytest.mark.parametrize("dim", [2, 30])
def test_the_shift_bounds_the_noise_and_is_not_far_from_it(dim):
    rng, horizon = np.random.default_rng(dim), 400
    policies = [
        ldp_linucb(1.0, delta=DELTA, dim=dim, horizon=horizon, variant=variant) for variant in ("printed", "derived")
    ]
    noise, largest = np.zeros((dim, dim)), 0.0
    for t in range(1, horizon + 1):
        noise += shared.symmetric(rng, dim, 1.0)
        largest = max(largest, np.max(np.abs(np.linalg.eigvalsh(noise))) / math.sqrt(t))
    for policy in policies:
        assert largest <= policy.record.shift / policy.record.sigma
    assert largest > (0.2 if dim == 2 else 0.6) * policies[1].record.shift / policies[1].record.sigma
    assert policies[1].record.shift < 0.6 * policies[0].record.shift


@pytest.mark.parametrize(
    "make",
    [
        lambda: ldp_linucb(1.0, delta=DELTA, dim=2, horizon=300, variant="derived", calibration="analytic"),
        lambda: ldp_linucb(100.0, delta=DELTA, dim=2, horizon=300, variant="derived", calibration="analytic"),
        lambda: ldp_glm(10.0, delta=DELTA, dim=2, horizon=300, variant="repaired", calibration="analytic"),
        lambda: linucb(dim=2),
    ],
)
def test_the_derived_ellipsoids_hold_the_parameter(make):
    policy = make()
    link = "logistic" if policy.record.binary else "linear"
    problem = LinearContext.sphere([0.6, -0.8], 5, link)
    most = 0.0
    for replication in range(10):
        source, state = streams(8, replication), linear.start(problem.record(), policy.record)
        for t in range(1, 301):
            go_on(linear, problem, policy.record, state, t, t, source)
            if t > 20:
                assert state.ready[0]
                distance = np.linalg.norm(np.triu(state.factor) @ (state.theta - problem.theta))
                most = max(most, distance / state.sums[0])
    assert 0.02 < most <= 1.0


def test_the_bounds_by_hand():
    dim, horizon = 3, 5000
    beta = 1.0 + math.sqrt(2 * math.log(1 / ALPHA) + dim * math.log(1 + horizon / dim))
    root = math.sqrt(2 * horizon * dim * math.log(1 + horizon / dim))
    free = {"dim": dim, "epsilon": math.inf, "delta": DELTA, "horizon": horizon, "variant": "derived"}
    assert bounds.theorem_8(**free) == pytest.approx(2 + 2 * beta * root)
    # the logistic link is a quarter as steep
    beta = linear.radius(gloc(dim=dim, horizon=horizon, learner="gradient").record, horizon, 0.0)
    at_infinity = bounds.theorem_10(**free, responses="binary")
    assert at_infinity == pytest.approx((2 + 2 * beta * root) / 4)


# --- all or nothing


def test_all_or_nothing_pays_delta_and_nothing_less():
    """Exact, of a finite copy: three users who send their number with probability delta, else the blank."""
    channel = np.hstack([DELTA * np.eye(3), np.full((3, 1), 1 - DELTA)])
    assert channel_epsilon(channel, DELTA)[0] == 0.0
    assert channel_epsilon(channel, DELTA * (1 - 1e-6))[0] == math.inf
    policy = all_or_nothing(delta=DELTA, dim=2)
    for one in (policy, by_stretches(policy)):
        assert (one.privacy.effective_epsilon, one.privacy.effective_delta, one.privacy.trust) == (0.0, DELTA, "local")
        assert account(one, DELTA) == (0.0, True) and account(one, DELTA / 2) == (math.inf, True)


def test_all_or_nothing_has_the_regret_of_its_bound():
    """Of order sqrt(T / delta), on the sets of the chapter; uniform play has more."""
    for delta, horizon in ((1e-3, 10**8), (1e-2, 10**10)):
        problem = instances.one_set(2, gap=10 * math.sqrt(2 / (delta * horizon)))
        run = {"horizon": horizon, "replications": 20, "seed": 1, "checkpoints": []}
        regret = simulate(problem, by_stretches(all_or_nothing(delta=delta, dim=2)), **run).regret.values
        assert regret.mean() < bounds.all_or_nothing(delta=delta, dim=2, horizon=horizon)
        assert regret.mean() < 0.5 * problem.uniform_regret() * horizon
