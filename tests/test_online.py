"""Convex losses and the online learners: solvers, directions, constants."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from private_bandits import simulate
from private_bandits.kernels import online
from private_bandits.kernels.parts import barrier, weights
from private_bandits.papers.contextual import (
    agarwal_algorithm_1,
    algorithm_1,
    zimmert_tsallis_inf,
)
from private_bandits.papers.contextual.algorithm_1 import one_point
from private_bandits.papers.contextual.shared_convex import loss
from private_bandits.problems import ConvexLoss
from private_bandits.simulation import trace
from private_bandits.streams import streams

ANCHORS = [[0.5, -0.2, 0.4], [-0.7, 0.6, 0.3], [0.2, 0.9, -0.6], [0.1, 0.1, 0.2]]
TABLE = [[0.2, 0.5, 0.8, 0.9], [0.4, 0.3, 0.5, 0.1], [0.0, 1.0, 0.3, 0.3]]
RADIAL = ("quadratic", "smooth", "distance", "kinked")


def convex(kind, **options):
    return ConvexLoss.ball(ANCHORS, kind=kind, **options)


# --- the stochastic learner


def test_the_stochastic_learner_keeps_the_best_point():
    """Of 30 runs none loses it, where the three cases occur."""
    problem = ConvexLoss.ball([[0.1], [-0.05], [-0.1]], kind="quadratic", mode="stochastic", spread=0.05)
    horizon = 4000
    policy = one_point(math.inf, problem=problem, horizon=horizon, learner="stochastic")
    best, cases = problem.best_point()[0][0], set()
    for seed in range(30):
        cuts = []
        plain = agarwal_algorithm_1.reference(problem, horizon=horizon, scale=0.0, noise="gaussian", cuts=cuts)
        rows = algorithm_1.around(plain, problem, horizon, streams(seed, 0), 0.0, "gaussian")
        np.testing.assert_allclose(trace(problem, policy, horizon=horizon, seed=seed), rows, atol=1e-12)
        assert all(low <= best <= high for _, low, high in cuts)
        cases |= {case for case, *_ in cuts}
    assert cases == {1, 2, 3}


# --- the regret


@pytest.mark.parametrize("mode", ["schedule", "stochastic"])
def test_regret_is_against_the_best_fixed_point(mode):
    options = {"schedule": [0, 1, 1, 2]} if mode == "schedule" else {"weights": [0.5, 0.25, 0.25, 0.0], "spread": 0.1}
    problem = convex("distance", mode=mode, **options)
    policy = one_point(3.0, problem=problem, delta=1e-3, horizon=120)
    points = trace(problem, policy, horizon=120, seed=5)[:, :-1]
    result = simulate(problem, policy, horizon=120, replications=1, seed=5, checkpoints=[7, 50])
    for t, found in zip((7, 50, 120), result.regret.values[0], strict=True):
        order = [[0, 1, 1, 2][s % 4] for s in range(t)]
        counts = np.bincount(order, minlength=4) if mode == "schedule" else t * problem.weights
        if mode == "schedule":
            suffered = sum(loss(problem, which, x) for which, x in zip(order, points[:t], strict=True))
        else:
            suffered = sum(problem.weights @ [loss(problem, m, x) for m in range(4)] for x in points[:t])
        assert found == pytest.approx(suffered - solved(problem, counts), abs=1e-6)


def test_regret_of_arms_is_against_the_best_arm():
    problem = ConvexLoss.arms(TABLE, schedule=[0, 1, 2, 1])
    policy = one_point(math.inf, problem=problem, horizon=90, learner="tsallis")
    arms = trace(problem, policy, horizon=90, seed=5)[:, 0].astype(int)
    rows = np.array(TABLE)[[[0, 1, 2, 1][t % 4] for t in range(90)]]
    expected = rows[np.arange(90), arms].sum() - rows.sum(axis=0).min()
    assert simulate(problem, policy, horizon=90, replications=1, seed=5).regret.values[0, -1] == pytest.approx(expected)


def solved(problem, counts):
    """The smallest sum of losses by scipy."""
    inside = [{"type": "ineq", "fun": lambda x: problem.radius**2 - x @ x}]

    def total(x):
        return sum(n * loss(problem, which, x) for which, n in enumerate(counts))

    options = {"ftol": 1e-14, "maxiter": 500}
    starts = [np.full(3, 0.1), np.full(3, 0.3), np.array([0.2, 0.1, 0.25])]
    return min(minimize(total, x, constraints=inside, options=options).fun for x in starts)


@pytest.mark.parametrize("kind", [*RADIAL, "linear"])
@pytest.mark.parametrize("counts", [[3, 1, 4, 1], [0, 1, 1, 0], [1, 1, 1, 9]])
def test_the_best_point_is_the_one_that_scipy_finds(kind, counts):
    """At the last counts the best point of the kinked losses is the anchor with the kink."""
    problem = convex(kind)
    point, value, gap = problem.best_point(counts)
    assert problem.allows(point) and not problem.allows([point, [0.5]])
    assert value == pytest.approx(sum(n * loss(problem, which, point) for which, n in enumerate(counts)))
    assert 0 <= gap < 1e-8
    assert value == pytest.approx(solved(problem, counts), abs=1e-6)


# --- the direction


def gradients(problem, record, batches, rounds, at):
    """Mean gradient estimate of each batch of rounds, the steps being too small to leave the point `at`."""
    numbers, empty, found = problem.record(), np.zeros((0, 8)), []
    source, at = streams(11, 0), np.array(at)
    slope, hessian = np.zeros(len(at)), np.zeros((len(at), len(at)))
    barrier.barrier(numbers.radius, at, slope, hessian)
    for _ in range(batches):
        state = online.start(numbers, record)
        state.centre[:] = at
        state.linear[:] = -slope / record.step  # with it the leader stands at this point
        online.advance(numbers, record, state, 1, rounds, np.array([rounds]), np.zeros(1), empty, *source)
        np.testing.assert_allclose(state.centre, at, atol=1e-3)
        if record.learner == online.BARRIER:
            found.append((state.linear + slope / record.step) / rounds + record.curvature * at)
        else:
            found.append((at - state.centre) / record.step / rounds)
    return np.array(found)


@pytest.mark.parametrize(
    ("learner", "radius", "curvature"),
    [
        (online.SPHERE, 0.9, 0.0),
        (online.TWO_POINT, 0.4, 0.0),
        (online.BARRIER, 0.9, 0.0),
        (online.BARRIER, 0.8, 1.0),
    ],
)
@pytest.mark.parametrize("noise", [online.GAUSSIAN, online.LAPLACE])
def test_gradient_estimates_are_unbiased_for_the_smoothed_loss(learner, radius, curvature, noise):
    """For a quadratic the smoothed loss has the gradient x - z; each mean lies within 4.5 standard errors of it.

    The interval is a tenth of the gradient at most, so that a factor of two could not hide.
    """
    problem = ConvexLoss.ball([[0.9, -1.2, 1.0]], kind="quadratic", radius=2.0)
    at = [0.3, 0.5, -0.2]
    record = online.Record(learner, 1e-8, radius=radius, shrink=0.5, curvature=curvature, noise=noise, scale=0.3)
    found = gradients(problem, record, 40, 10_000, at)
    expected = np.array(at) - problem.anchors[0]
    error = np.std(found, axis=0, ddof=1) / math.sqrt(len(found))
    assert np.all(4.5 * error < 0.1 * np.abs(expected))
    assert np.all(np.abs(np.mean(found, axis=0) - expected) < 4.5 * error)


def test_the_direction_is_uniform_on_the_sphere():
    rng, u = np.random.default_rng(5), np.zeros(3)
    found = np.array([online.on_sphere(rng, u) or u.copy() for _ in range(20_000)])
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(np.mean(found, axis=0), 0.0, atol=4.5 / math.sqrt(3 * 20_000))
    np.testing.assert_allclose(found.T @ found / 20_000, np.eye(3) / 3, atol=0.01)


# --- weights, barrier, projection


@pytest.mark.parametrize("step", [2.0, 0.02, 2e-4])
@pytest.mark.parametrize(
    "cumulated", [[0, 0, 0], [5.0], [1.0, 2.0, 30.0, 1e6], [1e9, 1e9 + 1, 1e9 + 5], [-40.0, 3.0, 0.0]]
)
def test_tsallis_weights_are_those_of_a_root_finder(cumulated, step):
    total, found = np.array(cumulated, float), np.zeros(len(cumulated))
    x = weights.tsallis(total, step, found)
    assert np.sum(found) == pytest.approx(1.0, abs=1e-15)
    assert x < np.min(total)
    np.testing.assert_allclose(found, zimmert_tsallis_inf.distribution(total, step), rtol=1e-6)


@pytest.mark.parametrize("pull", [0.0, 50.0])
def test_the_leader_is_found_far_from_the_start(pull):
    linear, x, slope, hessian = np.array([300.0, -2000.0, 40.0]), np.zeros(3), np.zeros(3), np.zeros((3, 3))
    barrier.ftrl_step(1.0, 0.7, linear, pull, x, slope, hessian)
    barrier.barrier(1.0, x, slope, hessian)
    np.testing.assert_allclose(slope + 0.7 * (linear + pull * x), 0.0, atol=1e-6 * 2000)


# --- problems


@pytest.mark.parametrize("kind", [*RADIAL, "linear"])
def test_the_bound_counts_the_noise_on_a_loss(kind):
    quiet, noisy = (convex(kind, mode="stochastic", spread=spread) for spread in (0.0, 0.3))
    assert noisy.bound == pytest.approx(quiet.bound + 0.3)


@pytest.mark.parametrize("kind", [*RADIAL, "linear"])
def test_constants_of_a_problem_bound_its_losses(kind):
    """B and G are reached, beta and mu are never crossed."""
    problem, rng = convex(kind), np.random.default_rng(8)
    points = rng.normal(size=(800, 3))
    points /= np.maximum(1, np.linalg.norm(points, axis=1))[:, None]
    points = np.vstack([points, [-np.array(a) / np.linalg.norm(a) for a in ANCHORS], [np.array(ANCHORS[2]) / 1.1]])
    points = np.vstack([points, np.eye(3), np.zeros((1, 3))])
    table = np.array([[loss(problem, which, x) for x in points] for which in range(4)])
    assert 0.98 * problem.bound < np.max(np.abs(table)) <= problem.bound * (1 + 1e-12)
    half, slopes, bends = np.roll(points, 1, axis=0), [], []
    for x, y in zip(points, half, strict=True):
        apart = np.linalg.norm(x - y)
        for which in range(4):
            a, b, c = (loss(problem, which, v) for v in (x, y, (x + y) / 2))
            slopes.append(abs(a - b) / apart)
            bends.append(8 * ((a + b) / 2 - c) / apart**2)
    assert 0.5 * problem.lipschitz < max(slopes) <= problem.lipschitz * (1 + 1e-12)
    assert problem.strong_convexity - 1e-9 <= min(bends)
    assert max(bends) <= problem.smoothness * (1 + 1e-9) + 1e-9


@pytest.mark.parametrize("domain", ["ball", "arms"])
@pytest.mark.parametrize("schedule", [None, [0, 1, 1, 2]])
def test_uniform_regret_is_that_of_random_points(domain, schedule):
    """Against 40,000 random points, to about four of their standard errors."""
    rng, size = np.random.default_rng(6), 40_000
    if domain == "arms":
        problem, points = ConvexLoss.arms(TABLE, schedule=schedule), np.arange(4.0)[:, None]
    else:
        problem, points = convex("kinked", schedule=schedule), rng.uniform(-1, 1, (size, 3))
        points = points[np.linalg.norm(points, axis=1) <= 1]
    rows = len(problem.anchors)
    shares = np.full(rows, 1 / rows) if schedule is None else np.bincount(schedule, minlength=rows) / 4
    lost = np.mean([shares @ [loss(problem, which, x) for which in range(rows)] for x in points[:8000]])
    expected = lost - problem.best_point(shares)[1]
    assert problem.uniform_regret() == pytest.approx(expected, abs=1e-12 if domain == "arms" else 0.03)
