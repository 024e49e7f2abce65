"""Contexts, small factorisations and the linear kernel."""

from __future__ import annotations

import math

import numpy as np
import pytest
from carried import go_on
from scipy import stats

from private_bandits.kernels import linear
from private_bandits.kernels.parts import cholesky
from private_bandits.papers.contextual.algorithm_3 import ldp_glm
from private_bandits.papers.contextual.shared import nearest
from private_bandits.problems import LinearContext
from private_bandits.problems.contexts import draw_actions, draw_reward
from private_bandits.streams import streams

THETA = [0.6, -0.3, 0.5]
PROBLEM = LinearContext.sphere(THETA, 4)
ODDS = LinearContext.sphere(THETA, 4, "logistic")


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


# --- factorisations


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


def test_the_noise_is_symmetric_with_independent_entries_of_its_size():
    """With zero vectors, what a round adds to V, to u and to the estimate is its noise alone."""
    dim, n = 3, 3000
    still = LinearContext.table(np.zeros((1, 2, dim)), np.full((1, 2), 0.5), "logistic")
    policy = ldp_glm(2.0, delta=0.1, dim=dim, horizon=n, calibration="analytic")
    record = policy.record._replace(step=1e-6)  # so small that the estimate stays in the ball
    state, source, before, noises = linear.start(still.record(), record), streams(5, 0), None, []
    for t in range(1, n + 1):
        go_on(linear, still, record, state, t, t, source)
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
