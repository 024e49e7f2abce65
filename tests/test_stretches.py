"""Whole stretches of play, drawn at once, have the law of users one by one."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import scipy.stats
from carried import go_on, state_after

from private_bandits.kernels import linear, phased, stretches, weighted
from private_bandits.mechanisms import gaussian_epsilon
from private_bandits.papers.contextual import (
    bounds,
    by_stretches,
    instances,
    joint_linucb,
    ldp_linucb,
    linucb_private_rewards,
    private_rewards,
    weighted_regression,
)
from private_bandits.problems import LinearContext
from private_bandits.simulation import simulate
from private_bandits.streams import streams

DELTA = 1e-3
FOR_400 = {"epsilon": 40.0, "dim": 2, "horizon": 400, "variant": "derived"}
SETS = [[[1.0, 0.0], [0.0, 0.8]], [[0.6, 0.6], [0.0, 0.0]], [[-0.5, 0.5], [0.3, 0.0]]]
THETA = np.array([0.5, -0.4])
SEVERAL = LinearContext.table(SETS, np.array(SETS) @ THETA)


def round_by_round(problem, policy, horizon, seed):
    """The same server, its users one by one: the regret at the horizon."""
    record, env, choice, noise = policy.record, *streams(seed, 1)
    constants, d = record.constants, problem.dim
    gram, moment = np.zeros((d, d)), np.zeros(d)
    best, lost, t = problem.means.max(axis=1), 0.0, 0

    def draw(size):
        return noise.laplace(0, constants.sigma, size) if record.laplace else noise.normal(0, constants.sigma, size)

    while t < horizon:
        a = gram + (constants.ridge + 2 * constants.shift * math.sqrt(t)) * np.eye(d)
        ready = t > 0 and np.linalg.eigvalsh(a)[0] > 0
        if ready:
            inverse, beta = np.linalg.inv(a), linear.radius(constants, t, 0.0)
            theta = inverse @ moment
            widths = np.sqrt(np.einsum("sai,ij,saj->sa", problem.sets, inverse, problem.sets))
            chosen = (problem.sets @ theta + beta * widths).argmax(axis=1)
        else:
            chosen = choice.integers(0, problem.n_actions, len(problem.sets))
        rounds = max(1, int(record.growth * (0.5 + choice.random()) * t))
        for _ in range(min(rounds, horizon - t)):
            shown = int(env.integers(len(chosen)))
            x, mean = problem.sets[shown, chosen[shown]], problem.means[shown, chosen[shown]]
            reward = mean + problem.noise * env.uniform(-1, 1) + noise.normal(0, record.reward_sigma)
            lost += best[shown] - mean
            entries = np.triu(draw((d, d)))
            gram = gram + np.outer(x, x) + entries + np.triu(entries, 1).T
            moment = moment + reward * x + draw(d)
            t += 1
    return lost


@pytest.mark.parametrize(
    "policy",
    [
        ldp_linucb(**FOR_400, delta=DELTA, calibration="analytic", bonus_factor=0.05),
        ldp_linucb(**FOR_400, noise="laplace", bonus_factor=0.005),
        linucb_private_rewards(20.0, delta=DELTA, dim=2),
    ],
    ids=["gaussian", "laplace", "rewards"],
)
def test_stretches_have_the_law_of_users_one_by_one(policy):
    runs, policy = 150, by_stretches(policy, growth=0.2)
    drawn = simulate(SEVERAL, policy, horizon=400, replications=runs, seed=3).regret.values[:, -1]
    brute = [round_by_round(SEVERAL, policy, 400, seed) for seed in range(runs)]
    assert scipy.stats.ks_2samp(drawn, brute).pvalue > 1e-3
    record, loud = policy.record, policy.record.constants._replace(sigma=5.0 * policy.record.constants.sigma)
    other = replace(policy, record=record._replace(constants=loud, reward_sigma=5.0 * record.reward_sigma))
    drawn = simulate(SEVERAL, other, horizon=400, replications=runs, seed=3).regret.values[:, -1]
    assert scipy.stats.ks_2samp(drawn, brute).pvalue < 1e-3  # the test sees the noise


def test_no_run_fills_the_tree_of_the_joint_model_before_its_end():
    policy, problem = joint_linucb(1.0, delta=DELTA, dim=2, horizon=10**9), instances.one_set(2, gap=1e-3)
    paid = gaussian_epsilon(policy.record.constants.sigma, delta=DELTA, sensitivity=4 * math.sqrt(policy.record.levels))
    assert paid == pytest.approx(1)
    result = simulate(problem, policy, horizon=10**9, replications=3, seed=0, checkpoints=[10**8])
    assert (result.regret[:, -1] > result.regret[:, 0]).all()


def test_users_of_laplace_noise_move_by_no_more_in_l1():
    rng = np.random.default_rng(0)
    for dim in (1, 2):
        far, most = dim + 1 + 4 * math.sqrt(dim), 0.0
        assert ldp_linucb(
            2.0, dim=dim, horizon=9, variant="derived", noise="laplace"
        ).record.constants.sigma == pytest.approx(far / 2)
        for _ in range(5000):
            messages = []
            for _ in range(2):
                x = rng.choice([-1.0, 1.0, 0.1], dim) if rng.random() < 0.5 else rng.standard_normal(dim)
                x /= max(np.linalg.norm(x), 1.0)
                messages.append(np.append(np.outer(x, x)[np.triu_indices(dim)], rng.choice([-2, 2]) * x))
            most = max(most, np.abs(messages[0] - messages[1]).sum())
        assert 0.6 * far < most <= far + 1e-12


def test_the_laplace_ellipsoids_hold_the_parameter():
    policy = ldp_linucb(20.0, dim=2, horizon=3000, variant="derived", noise="laplace")
    problem = instances.one_set(2)
    record, missed = policy.record.constants, 0
    for seed in range(20):
        source, state = streams(seed, 0), stretches.start(problem.record(), policy.record)
        for t in (100, 1000, 3000):
            go_on(stretches, problem, policy.record, state, 1, t, source)
            gram = state.gram + np.triu(state.gram, 1).T + (record.ridge + 2 * record.shift * math.sqrt(t)) * np.eye(2)
            off = np.linalg.solve(gram, state.moment) - [0.5, 0.0]
            missed += off @ gram @ off > linear.radius(record, t, 0.0) ** 2
    assert missed == 0


# --- weighted regression


SKEWED = LinearContext.table([[[1.0, 0.0]]] * 49 + [[[math.sqrt(1 - 0.01**2), 0.01]]], [[0.0]] * 50)


def test_the_messages_of_weighted_regression_move_by_no_more():
    rng, most = np.random.default_rng(0), [0.0, 0.0]
    for _ in range(8000):
        root = rng.standard_normal((2, 2)) * [1.0, 10.0 ** rng.uniform(0, 3)]
        weights = root.T @ root + 0.1 * np.eye(2)
        values, vectors = np.linalg.eigh(weights)
        half = vectors @ np.diag(np.sqrt(values)) @ vectors.T
        sent = []
        for _ in range(2):
            x = rng.standard_normal(2)
            x /= np.linalg.norm(x)
            turned, y = weights @ x, rng.choice([-2.0, 2.0])
            w = turned / np.linalg.norm(turned)
            assert np.linalg.norm(half @ x) ** 2 / np.linalg.norm(turned) <= 1 + 1e-9
            sent.append((np.outer(half @ x, half @ x) / np.linalg.norm(turned), np.outer(w, np.append(x, y))))
        for kind in (0, 1):
            most[kind] = max(most[kind], np.linalg.norm(sent[0][kind] - sent[1][kind]))
    assert most[0] <= math.sqrt(2) + 1e-9 and 0.95 * 2 * math.sqrt(5) < most[1] <= 2 * math.sqrt(5)
    policy = weighted_regression(1.0, delta=DELTA, dim=2, horizon=10**9)
    assert gaussian_epsilon(policy.record.regression_sigma, delta=DELTA, sensitivity=2 * math.sqrt(5)) == pytest.approx(
        1.0
    )
    assert gaussian_epsilon(policy.record.sigma, delta=DELTA, sensitivity=math.sqrt(2)) == pytest.approx(1.0)


def norms(problem, batches, rounds, epsilon=1.0):
    """The mean of |U x| over the law of the actions, with the weights after some rounds."""
    record = weighted_regression(epsilon, delta=DELTA, dim=problem.dim, horizon=rounds, batches=batches).record
    state = state_after(weighted, problem, record, rounds)
    return np.linalg.norm(problem.sets[:, 0] @ state.weights, axis=1).mean(), state.weights


def test_the_weights_are_found():
    found, weights = norms(SKEWED, 2, 10**15)
    assert 1.8 < found < 2.05  # at most d at the fixed point
    x = SKEWED.sets[:, 0]
    turned = x @ weights
    learnt = np.linalg.inv(((turned / np.linalg.norm(turned, axis=1, keepdims=True)).T @ x) / len(x))
    assert np.linalg.norm(x @ learnt, axis=1).mean() < 2.5
    assert np.array_equal(norms(SKEWED, 0, 10**6)[1], np.eye(2))


def test_the_best_actions_stay_and_others_leave():
    record = weighted_regression(1.0, delta=DELTA, dim=2, horizon=10**11).record
    lost = 0
    for seed in range(20):
        state = state_after(weighted, SEVERAL, record, 10**11, seed)
        lost += not state.alive[np.arange(3), SEVERAL.means.argmax(axis=1)].all()
        assert state.alive.sum() == 3
    assert lost == 0


def test_the_bounds_by_hand():
    for epsilon, delta in ((1.0, 0.0), (1e-9, 1e-3), (0.1, 1e-3)):
        told = math.expm1(epsilon) ** 2 + 2.2 * delta
        moved = 1 / math.sqrt(2e8 * told)
        assert bounds.local_lower(horizon=10**8, epsilon=epsilon, delta=delta) == pytest.approx(
            1e4 / (8 * math.sqrt(2 * math.e * told) * (1 + moved))
        )
    # of few users no more than half the rounds' gap, which is at most 1/3
    assert bounds.local_lower(horizon=1, epsilon=0.01) == pytest.approx(math.exp(-(math.expm1(0.01) ** 2) / 4) / 24)
    for delta in (1e-4, 0.3):  # between the bounds at epsilon near 0
        upper = bounds.all_or_nothing(delta=delta, dim=2, horizon=10**12)
        assert upper == pytest.approx(
            2 / delta
            + 2
            * (1 + math.sqrt(2 * math.log(10) + 2 * math.log1p(5e11)))
            * math.sqrt(4e12 * math.log1p(delta * 5e11) / delta)
        )
        lower = bounds.local_lower(epsilon=1e-300, delta=delta, horizon=10**12)
        assert 1 < upper / lower < 5000  # both of order sqrt(T / delta)
    record = weighted_regression(1.0, delta=DELTA, dim=2, horizon=10**10).record
    sigma, tail = record.regression_sigma, math.sqrt(2 * math.log(2 * 24 / 0.1))
    assert record.radius == pytest.approx(math.sqrt(2) * sigma * (math.sqrt(2) + tail) + 1 + tail)
    free = weighted_regression(math.inf, delta=DELTA, dim=2, horizon=1000)
    assert free.record.sigma == free.record.regression_sigma == 0.0 and free.privacy.trust == "none"


# --- private rewards in phases


def test_a_design_sees_every_direction():
    rng = np.random.default_rng(0)
    for dim, actions in ((2, 2), (3, 40), (4, 7)):
        x = rng.standard_normal((actions, dim)) * 10.0 ** rng.uniform(-3, 0, (actions, 1))
        shares = phased.design(x)
        inverse = np.linalg.inv(x.T @ (shares[:, None] * x))
        assert shares.sum() == pytest.approx(1.0) and np.einsum("ai,ij,aj->a", x, inverse, x).max() <= 2 * dim
    assert phased.design(np.array([[0.0], [2.0]])).tolist() == [0.0, 1.0]
    assert phased.design(np.zeros((2, 1))).tolist() == [0.5, 0.5]


def test_the_best_action_stays_with_private_rewards():
    """Over all phases of 300 runs; alpha is 0.1, and Bernstein's bound is generous."""
    triple = LinearContext.table([[[1.0, 0.0], [0.6, 0.6], [0.0, 0.9]]], [[0.9, 0.5, -0.4]])
    policy, lost = private_rewards(1.0, dim=2, n_actions=3, horizon=10**9), 0
    for seed in range(300):
        state = state_after(phased, triple, policy.record, 10**9, seed)
        lost += not state.alive[0]
        assert state.alive.sum() == 1
    assert lost <= 3
