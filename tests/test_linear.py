"""Contexts, small factorisations and the linear kernel."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from private_bandits import simulate
from private_bandits.kernels import cholesky, linear
from private_bandits.papers.cascading import cascade_ucb1
from private_bandits.papers.contextual.algorithm_3 import ldp_glm
from private_bandits.papers.contextual.algorithm_5 import ldp_linucb
from private_bandits.papers.contextual.oful import linucb
from private_bandits.papers.contextual.online_to_confidence import gloc
from private_bandits.papers.contextual.skeleton import nearest
from private_bandits.problems import Arms, Cascade, LinearContext
from private_bandits.problems.contexts import draw_actions, draw_reward
from private_bandits.simulate import log_checkpoints, streams

THETA = [0.6, -0.3, 0.5]
PROBLEM = LinearContext.sphere(THETA, 4)
ODDS = LinearContext.sphere(THETA, 4, "logistic")
# every learner and every radius
BOXES = {
    "linucb": (PROBLEM, linucb(3)),
    "ldp": (PROBLEM, ldp_linucb(5.0, 0.1, 3, 1000, "derived")),
    "glm": (ODDS, ldp_glm(5.0, 0.1, 3, 1000)),
    "newton": (ODDS, gloc(3, 1000)),
}


def drawn(problem, n, seed=1):
    """n rounds of action vectors, shape (n, n_actions, dim), and their means."""
    record, env = problem.record(), np.random.default_rng(seed)
    actions, means = np.zeros((problem.dim, problem.n_actions)), np.zeros(problem.n_actions)
    vectors, rewards = [], []
    for _ in range(n):
        draw_actions(record, env, actions, means)
        vectors.append(actions.T.copy())
        rewards.append(means.copy())
    return np.array(vectors), np.array(rewards)


# --- problems


def test_unit_vectors_are_uniform_and_their_means_follow_theta():
    vectors, means = drawn(PROBLEM, 3000)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=2), 1.0)
    np.testing.assert_allclose(means, vectors @ THETA, atol=1e-12)
    for axis in range(3):  # in three dimensions a coordinate of a uniform unit vector is uniform on [-1, 1]
        assert stats.kstest(vectors[:, :, axis].ravel(), "uniform", (-1, 2)).pvalue > 1e-3
    assert np.max(np.abs(np.corrcoef(vectors[:, 0].T, vectors[:, 1].T) - np.eye(6))) < 0.08
    np.testing.assert_allclose(drawn(ODDS, 50)[1], 1.0 / (1.0 + np.exp(-drawn(PROBLEM, 50)[0] @ THETA)), atol=1e-12)


def test_a_table_shows_its_sets_uniformly():
    sets = np.random.default_rng(0).standard_normal((4, 3, 2))
    sets /= np.linalg.norm(sets, axis=2, keepdims=True)
    means = np.arange(12).reshape(4, 3) / 12
    problem = LinearContext.table(sets, means, "logistic")
    vectors, rewards = drawn(problem, 4000)
    which = np.round(rewards[:, 0] * 4).astype(int)
    np.testing.assert_array_equal(vectors, sets[which])
    assert stats.chisquare(np.bincount(which, minlength=4)).pvalue > 1e-3
    assert problem.uniform_regret() == pytest.approx(1 / 12)


@pytest.mark.parametrize("link", ["linear", "logistic"])
def test_rewards_have_their_mean_and_stay_in_range(link):
    problem, env = LinearContext.sphere([0.8], 2, link, 0.5), np.random.default_rng(2)
    mean = 0.8 if link == "linear" else 1 / (1 + math.exp(-0.8))
    rewards = np.array([draw_reward(mean, problem.binary, problem.noise, env) for _ in range(4000)])
    low, high = problem.reward_range
    assert low <= np.min(rewards) and np.max(rewards) <= high
    assert (low, high) == (pytest.approx((-1.3, 1.3)) if link == "linear" else (0.0, 1.0))
    spread = math.sqrt(mean * (1 - mean)) if problem.binary else 0.5 / math.sqrt(3)
    assert abs(np.mean(rewards) - mean) < 4 * spread / math.sqrt(4000)
    assert np.std(rewards) == pytest.approx(spread, rel=0.05)


@pytest.mark.parametrize("link", ["linear", "logistic"])
@pytest.mark.parametrize("theta", [[0.7], [0.6, -0.3], THETA, [0.2] * 20])
def test_uniform_regret_is_that_of_random_actions(theta, link):
    problem = LinearContext.sphere(theta, 3, link)
    _, means = drawn(problem, 20_000)
    given_up = np.max(means, axis=1) - means[:, 0]
    assert abs(np.mean(given_up) - problem.uniform_regret()) < 4 * np.std(given_up) / math.sqrt(20_000)
    assert LinearContext.sphere(theta, 1, link).uniform_regret() == pytest.approx(0.0, abs=1e-12)


def test_uniform_regret_on_the_line_is_exact():
    """The better of -1 and 1 is missing with probability 2^-n."""
    for n_actions in (2, 3, 5):
        found = LinearContext.sphere([0.7], n_actions).uniform_regret()
        assert found == pytest.approx(1.4 * (0.5 - 0.5**n_actions), rel=1e-12)


def test_problems_refuse_what_is_out_of_range():
    vectors, means = np.full((2, 3, 2), 0.5), np.full((2, 3), 0.5)
    cases = [
        (lambda: LinearContext.sphere([0.8, 0.8], 3), "theta must have norm <= 1"),
        (lambda: LinearContext.sphere([], 3), "theta must not be empty"),
        (lambda: LinearContext.sphere([math.nan], 3), r"theta\[0\] must be a number"),
        (lambda: LinearContext.sphere([0.8], 0), "n_actions must be >= 1, got 0"),
        (lambda: LinearContext.sphere([0.8], 3, "probit"), "link must be one of 'linear', 'logistic'"),
        (lambda: LinearContext.sphere([0.8], 3, noise=1.5), "noise must be >= 0 and <= 1"),
        (lambda: LinearContext.table(2 * vectors, means), "sets must hold vectors of norm <= 1"),
        (lambda: LinearContext.table(vectors, means[:1]), r"means must have shape \(2, 3\)"),
        (lambda: LinearContext.table(vectors[0], means), "sets must be a non-empty array of 3 dimensions"),
        (lambda: LinearContext.table(vectors * math.nan, means), "sets must be a non-empty array of finite numbers"),
        (lambda: LinearContext.table(vectors, -means, "logistic"), "means must be >= 0 and <= 1"),
        (lambda: LinearContext.table(vectors, 3 * means), "means must be >= -1 and <= 1"),
    ]
    for make, message in cases:
        with pytest.raises(ValueError, match=message):
            make()


def test_policies_and_problems_must_fit():
    run = {"horizon": 10, "replications": 1, "seed": 0}
    cases = [
        (Cascade([0.5, 0.5], 1), linucb(3), "needs a LinearContext"),
        (Arms.bernoulli([0.5, 0.5]), linucb(3), "needs a LinearContext"),
        (PROBLEM, cascade_ucb1(), "needs a list problem"),
        (PROBLEM, linucb(2), "calibrated for dim=2, the problem has 3"),
        (PROBLEM, gloc(3, 10), "rewards must be 0 or 1"),
        (PROBLEM, ldp_linucb(1.0, 0.1, 3, 10, largest_reward=1.0), r"rewards must be in \[-1, 1\]"),
        (PROBLEM, ldp_linucb(1.0, 0.1, 3, 9), "horizon must be <= 9"),
    ]
    for problem, policy, message in cases:
        with pytest.raises(ValueError, match=message):
            simulate(problem, policy, **run)
    # rewards at the very edge of the range are allowed, the last digit of a norm notwithstanding
    edge = LinearContext.sphere(np.full(20, 1 / math.sqrt(20)), 2)
    simulate(edge, ldp_linucb(1.0, 0.1, 20, 10), **run)


@pytest.mark.parametrize("problem", [ODDS, LinearContext.table([[[0.5, 0.5]]], [[0.2]], noise=0.3)], ids=str)
def test_a_problem_survives_pickling(problem):
    copy = pickle.loads(pickle.dumps(problem))
    assert str(copy) == str(problem) and copy.reward_range == problem.reward_range
    np.testing.assert_array_equal(drawn(copy, 5)[0], drawn(problem, 5)[0])


# --- factorisations


@pytest.mark.parametrize("dim", [1, 2, 7, 20])
def test_the_factor_solves(dim):
    rng = np.random.default_rng(dim)
    root = rng.standard_normal((dim, dim + 2))
    matrix, factor = root @ root.T, np.zeros((dim, dim))
    total = matrix + 0.3 * np.eye(dim)
    assert cholesky.factorise(np.triu(matrix), 0.3, factor)
    np.testing.assert_allclose(np.triu(factor), np.linalg.cholesky(total).T, rtol=1e-10)
    b, columns = rng.standard_normal(dim), rng.standard_normal((dim, 5))
    x, squares = b.copy(), np.zeros(5)
    cholesky.solve(factor, x)
    np.testing.assert_allclose(total @ x, b, atol=1e-9)
    cholesky.inverse_norms(factor, columns, np.zeros((dim, 5)), squares)
    np.testing.assert_allclose(squares, np.sum(columns * np.linalg.solve(total, columns), axis=0), rtol=1e-9)


def test_what_is_not_positive_definite_has_no_factor():
    factor = np.zeros((3, 3))
    x = np.array([0.6, 0.0, 0.8])
    for matrix in (np.zeros((3, 3)), np.diag([1.0, 2.0, -0.1]), np.outer(x, x), np.full((3, 3), np.nan)):
        assert not cholesky.factorise(matrix, 0.0, factor)
    assert cholesky.factorise(np.diag([1.0, 2.0, -0.1]), 0.2, factor)


def test_a_pivot_that_is_rounding_is_no_pivot():
    """Unless the caller says so: a barrier's Hessian has entries of all sizes."""
    matrix, factor = np.array([[1.0, 1.0], [1.0, 1.0 + 1e-14]]), np.zeros((2, 2))
    assert not cholesky.factorise(matrix, 0.0, factor)
    assert cholesky.factorise(matrix, 1e-6, factor)
    assert cholesky.eliminate(matrix.copy(), 0.0) and not cholesky.eliminate(matrix.copy(), 1e-12)


@pytest.mark.parametrize("dim", [1, 3, 8])
def test_the_projection_is_the_nearest_point_of_the_ball(dim):
    rng = np.random.default_rng(dim)
    for size in (0.5, 1.1, 20.0):
        root = rng.standard_normal((dim, dim))
        matrix = root @ root.T
        point = rng.standard_normal(dim)
        point *= size / np.linalg.norm(point)
        found = point.copy()
        cholesky.project(np.triu(matrix), 0.7, found, np.zeros((dim, dim)), *np.zeros((2, dim)))
        np.testing.assert_allclose(found, nearest(matrix + 0.7 * np.eye(dim), point), atol=1e-9)


# --- the loop


def played(problem, policy, horizon, seed=3, pieces=1):
    """State, regret at all checkpoints and the trace of one run, played in pieces."""
    record, source = problem.record(), streams(seed, 0)
    state, marks = linear.start(record, policy.record), log_checkpoints(horizon)
    regret, trace = np.zeros(len(marks)), np.zeros((horizon, 2), np.int64)
    edges = np.linspace(0, horizon, pieces + 1).astype(int)
    for first, last in zip(edges, edges[1:], strict=False):
        linear.advance(record, policy.record, state, first + 1, last, marks, regret, trace, *source)
    return state, regret, trace


@pytest.mark.parametrize("box", BOXES)
def test_a_run_may_be_cut_anywhere(box):
    problem, policy = BOXES[box]
    whole, cut = played(problem, policy, 300), played(problem, policy, 300, pieces=7)
    for part in range(2):
        np.testing.assert_array_equal(whole[part + 1], cut[part + 1])
    for one, other in zip(whole[0], cut[0], strict=True):
        np.testing.assert_array_equal(one, other)
    assert np.all(np.diff(whole[1]) >= 0.0)
    one, two = (simulate(problem, policy, horizon=200, replications=3, seed=1, n_jobs=n).regret for n in (1, 2))
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("box", BOXES)
def test_a_round_costs_one_factorisation(box, monkeypatch):
    """The loop before compilation, its factorisations counted; the projection of Newton steps has its own."""
    problem, policy = BOXES[box]
    made = []

    def counted(*args):
        made.append(1)
        return cholesky.factorise(*args)

    monkeypatch.setattr(linear, "factorise", counted)
    record, source, marks = problem.record(), streams(3, 0), np.array([30])
    state, shown = linear.start(record, policy.record), np.zeros((0, 2), np.int64)
    linear.advance.py_func(record, policy.record, state, 1, 30, marks, np.zeros(1), shown, *source)
    assert len(made) == 30


def test_regret_is_the_mean_given_up():
    problem = BOXES["glm"][0]
    _, regret, trace = played(*BOXES["glm"], 400)
    _, means = replayed(problem, 400)
    given_up = np.max(means, axis=1) - means[np.arange(400), trace[:, 0]]
    np.testing.assert_allclose(regret, np.cumsum(given_up)[log_checkpoints(400) - 1])


def replayed(problem, horizon, seed=3):
    """The action vectors and means that the environment stream of `played` showed."""
    record, env = problem.record(), streams(seed, 0).env
    actions, means = np.zeros((problem.dim, problem.n_actions)), np.zeros(problem.n_actions)
    vectors, rewards = [], []
    for _ in range(horizon):
        draw_actions(record, env, actions, means)
        env.random()
        vectors.append(actions.T.copy())
        rewards.append(means.copy())
    return np.array(vectors), np.array(rewards)


def test_without_noise_theta_is_the_ridge_regression_and_nothing_is_drawn():
    quiet = LinearContext.sphere(THETA, 4, noise=0.0)
    state, _, trace = played(quiet, replace(linucb(3), record=linucb(3).record._replace(ridge=0.5)), 300)
    vectors, means = replayed(quiet, 300)
    x, y = vectors[np.arange(300), trace[:, 0]], means[np.arange(300), trace[:, 0]]
    np.testing.assert_allclose(state.theta, np.linalg.solve(x.T @ x + 0.5 * np.eye(3), x.T @ y))
    for problem, policy in ((PROBLEM, linucb(3)), (ODDS, gloc(3, 50)), (ODDS, ldp_glm(math.inf, 0.1, 3, 50))):
        source = streams(0, 0)
        before = source.noise.bit_generator.state
        record, state = problem.record(), linear.start(problem.record(), policy.record)
        nothing = np.zeros(1), np.zeros((0, 0), np.int64)
        linear.advance(record, policy.record, state, 1, 50, np.array([50]), *nothing, *source)
        assert source.noise.bit_generator.state == before


def test_the_noise_is_symmetric_with_independent_entries_of_its_size():
    """With zero vectors, what a round adds to V, to u and to the estimate is its noise alone."""
    dim, n = 3, 3000
    still = LinearContext.table(np.zeros((1, 2, dim)), np.full((1, 2), 0.5), "logistic")
    policy = ldp_glm(2.0, 0.1, dim, n, noise="analytic")
    record = policy.record._replace(step=1e-6)  # so small that the estimate stays in the ball
    problem, source = still.record(), streams(5, 0)
    state, before, noises = linear.start(problem, record), None, []
    for t in range(1, n + 1):
        nothing = np.zeros(1), np.zeros((0, 0), np.int64)
        linear.advance(problem, record, state, t, t, np.array([n]), *nothing, *source)
        now = np.concatenate([state.gram[np.triu_indices(dim)], state.moment, -state.estimate / 1e-6])
        noises.append(now if before is None else now - before)
        before = now
        if t == 40:  # the matrix that is factorised is the symmetric one
            whole = state.gram + np.triu(state.gram, 1).T + 2.0 * record.shift * math.sqrt(t) * np.eye(dim)
            assert state.ready[0]
            np.testing.assert_allclose(np.triu(state.factor), np.linalg.cholesky(whole).T)
    scale = np.array([record.sigma] * 9 + [record.gradient_sigma] * 3)
    standard = np.array(noises) / scale
    for entry in standard.T:
        assert stats.kstest(entry, "norm").pvalue > 1e-3
    assert np.max(np.abs(np.corrcoef(standard.T) - np.eye(12))) < 4.5 / math.sqrt(n)
    assert record.gradient_sigma == pytest.approx(math.e / (1 + math.e) * record.sigma)
