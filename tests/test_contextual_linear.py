"""The contextual algorithms of Zheng et al. (2020): references, limits, what is sent and paid, the radii."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from carried import go_on

from private_bandits.kernels import linear
from private_bandits.mechanisms import gaussian_epsilon
from private_bandits.papers.contextual import (
    accounting,
    algorithm_3,
    algorithm_5,
    bounds,
    oful,
    online_to_confidence,
    skeleton,
)
from private_bandits.papers.contextual.algorithm_3 import ldp_glm
from private_bandits.papers.contextual.algorithm_5 import ldp_linucb
from private_bandits.papers.contextual.oful import linucb
from private_bandits.papers.contextual.online_to_confidence import gloc
from private_bandits.problems import LinearContext
from private_bandits.simulate import streams, trace

HORIZON, ALPHA, DELTA = 250, 0.1, 1e-3
THETAS = {1: [0.7], 2: [0.6, -0.7], 4: [0.5, -0.3, 0.5, 0.4]}
C = 1 / (1 + math.exp(-1))


def problem_of(dim, n_actions=3, link="linear"):
    return LinearContext.sphere(THETAS[dim], n_actions, link)


def assert_plays(problem, policy, reference, *arguments, replications=2, **options):
    """The reference plays the policy's very actions, and they are not all the same."""
    for replication in range(replications):
        shown = trace(problem, policy, horizon=HORIZON, seed=11, replication=replication)
        found = reference(problem, HORIZON, streams(11, replication), *arguments, **options)
        np.testing.assert_array_equal(shown, found)
        assert len(np.unique(shown[:, 0])) == problem.n_actions


# --- references


DERIVED = [("derived", noise, 0.2, ALPHA, 0.5) for noise in ("classical", "analytic")]


@pytest.mark.parametrize(("dim", "told"), [(1, ()), (2, ()), (4, ()), (2, DERIVED[0]), (2, DERIVED[1])])
@pytest.mark.parametrize("epsilon", [0.5, 50.0, math.inf])
def test_algorithm_5(epsilon, dim, told):
    policy = ldp_linucb(epsilon, DELTA, dim, HORIZON, *told)
    assert_plays(problem_of(dim), policy, algorithm_5.reference, epsilon, DELTA, *told)


@pytest.mark.parametrize("responses", ["bounded", "binary"])
@pytest.mark.parametrize("variant", ["printed", "repaired"])
@pytest.mark.parametrize("noise", ["classical", "analytic"])
@pytest.mark.parametrize("epsilon", [1.0, 100.0, math.inf])
def test_algorithm_3(epsilon, noise, variant, responses):
    told = {"variant": variant, "noise": noise, "bonus_factor": 0.1, "responses": responses}
    policy = ldp_glm(epsilon, DELTA, 2, HORIZON, **told)
    assert_plays(problem_of(2, link="logistic"), policy, algorithm_3.reference, epsilon, DELTA, **told)


def with_ridge(policy, ridge):
    """The same with another ridge, of which GLOC's cost is a multiple."""
    return replace(policy, record=policy.record._replace(ridge=ridge, cost=ridge * policy.record.cost))


@pytest.mark.parametrize("dim", [1, 4])
def test_the_learners_without_privacy(dim):
    """A small ridge, so that steps leave the ball and the projection is used; and a table of sets."""
    odds = problem_of(dim, link="logistic")
    assert_plays(odds, with_ridge(gloc(dim, HORIZON), 0.1), online_to_confidence.reference, ridge=0.1)
    assert_plays(problem_of(dim), with_ridge(linucb(dim), 0.1), oful.reference, ridge=0.1)
    sets = np.random.default_rng(0).standard_normal((5, 3, dim))
    table = LinearContext.table(sets / 3, np.arange(15).reshape(5, 3) / 15)
    assert_plays(table, linucb(dim), oful.reference)


# --- without privacy


@pytest.mark.parametrize("noise", ["classical", "analytic"])
def test_without_privacy_the_repairs_act_as_their_learners(noise):
    run = {"horizon": 2000, "seed": 4}
    limit = ldp_linucb(math.inf, DELTA, 2, 2000, "derived", noise)
    np.testing.assert_array_equal(trace(problem_of(2), limit, **run), trace(problem_of(2), linucb(2), **run))
    assert_same_radius(limit, linucb(2))
    odds = problem_of(2, link="logistic")
    for responses in accounting.RESPONSES:
        limit = ldp_glm(math.inf, DELTA, 2, 2000, "repaired", noise, responses=responses)
        learner = gloc(2, 2000, "gradient", responses=responses)
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
        error = skeleton.sigmoid(x @ estimate) - y
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
    paid = ldp_linucb(epsilon, DELTA, 3, 100).privacy
    sigma = 6 * math.sqrt(2 * math.log(2.5 / DELTA)) / epsilon
    assert paid.effective_epsilon == paid.value_epsilon == pytest.approx(gaussian_epsilon(sigma, DELTA, 4.0))
    assert paid.effective_epsilon < 0.7 * epsilon
    assert (paid.trust, paid.effective_delta) == ("local", DELTA)
    analytic = ldp_linucb(epsilon, DELTA, 3, 100, noise="analytic").privacy
    assert analytic.effective_epsilon == pytest.approx(epsilon, rel=1e-6)
    for how in product(("printed", "repaired"), accounting.RESPONSES):
        paid = ldp_glm(epsilon, DELTA, 3, 100, how[0], "analytic", responses=how[1]).privacy.effective_epsilon
        assert paid > 1.5 * epsilon if how == ("printed", "bounded") else paid == pytest.approx(epsilon, rel=1e-6)
    # the classical split is so generous that even the halved noise of the gradient keeps the promise
    assert ldp_glm(epsilon, DELTA, 3, 100).privacy.effective_epsilon < epsilon


# --- radii and bounds


@pytest.mark.parametrize("dim", [2, 30])
def test_the_shift_bounds_the_noise_and_is_not_far_from_it(dim):
    rng, horizon = np.random.default_rng(dim), 400
    policies = [ldp_linucb(1.0, DELTA, dim, horizon, variant) for variant in ("printed", "derived")]
    noise, largest = np.zeros((dim, dim)), 0.0
    for t in range(1, horizon + 1):
        noise += skeleton.symmetric(rng, dim, 1.0)
        largest = max(largest, np.max(np.abs(np.linalg.eigvalsh(noise))) / math.sqrt(t))
    for policy in policies:
        assert largest <= policy.record.shift / policy.record.sigma
    assert largest > (0.2 if dim == 2 else 0.6) * policies[1].record.shift / policies[1].record.sigma
    assert policies[1].record.shift < 0.6 * policies[0].record.shift


@pytest.mark.parametrize(
    "make",
    [
        lambda: ldp_linucb(1.0, DELTA, 2, 300, "derived", "analytic"),
        lambda: ldp_linucb(100.0, DELTA, 2, 300, "derived", "analytic"),
        lambda: ldp_glm(10.0, DELTA, 2, 300, "repaired", "analytic"),
        lambda: linucb(2),
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
    beta = linear.radius(gloc(dim, horizon, "gradient").record, horizon, 0.0)
    at_infinity = bounds.theorem_10(**free, responses="binary")
    assert at_infinity == pytest.approx((2 + 2 * beta * root) / 4)
