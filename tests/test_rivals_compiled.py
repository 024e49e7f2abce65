"""Rivals that are played by stretches: the law of users one by one, told plainly below, and what a user pays."""

from __future__ import annotations

import doctest
import importlib
import math

import numpy as np
import pytest
import scipy

from private_bandits import simulate
from private_bandits.kernels.episodes import upper_index
from private_bandits.papers.contextual import instances
from private_bandits.papers.heavy_tailed import pareto_arms
from private_bandits.problems import Arms, LinearContext
from private_bandits.streams import streams
from private_bandits_book.rivals import (
    clipped_rewards,
    exceedance_counts,
    random_lines,
    residual_epochs,
    threshold_ladder,
)

LINES, RESIDUALS, LADDER, CLIPPED = (
    importlib.import_module(f"private_bandits_book.rivals.{name}")
    for name in ("random_lines", "residual_epochs", "threshold_ladder", "clipped_rewards")
)
SETS = np.array([[[1.0, 0.0], [0.6, 0.8], [-0.8, 0.6]], [[0.0, 1.0], [0.8, -0.6], [0.28, 0.96]]])
THETA = np.array([0.5, -0.3])
TABLE = LinearContext.table(SETS, SETS @ THETA)
PARETO = pareto_arms([0.8, 0.5, 0.2], 1.8)
PAIR = instances.one_set(2, gap=0.3)
HORIZON, RUNS = 1000, 80


def best_of(vectors, theta):
    return int((vectors @ theta).argmax())


# the policies, a user at a time; each returns the regret of a run


def lines(rng, epsilon, first, growth, horizon=HORIZON):
    """Each user sends z and one bit."""
    truth = 1 / (1 + math.exp(-epsilon))
    gain, d = 1 / (2 * truth - 1), 2
    gram, moment, theta, lost, t, end = np.zeros((d, d)), np.zeros(d), None, 0.0, 0, math.ceil(first * gain**2)
    while t < horizon:
        if t == end:
            end += max(math.ceil(first * gain**2), int(growth * end))
            theta = np.linalg.solve(gram, moment) if np.linalg.eigvalsh(gram)[0] > 0 else None
        shown = rng.integers(len(SETS))
        action = rng.integers(3) if theta is None else best_of(SETS[shown], theta)
        x, mean = SETS[shown, action], SETS[shown, action] @ THETA
        lost += (SETS[shown] @ THETA).max() - mean
        if about := rng.random() < 0.75:
            v, radius = np.sign(mean + rng.uniform(-1, 1)) * x, 1.0
        else:
            v, radius = np.array([x[0] ** 2 - 0.5, math.sqrt(2) * x[0] * x[1], x[1] ** 2 - 0.5]), math.sqrt(d) / 2
        m, norm = len(v), np.linalg.norm(v)
        point = v / norm if rng.random() < (1 + norm / radius) / 2 else -v / norm
        z = rng.normal(size=m)
        z /= np.linalg.norm(z)
        bit = (z @ point > 0) == (rng.random() < truth)
        c = math.gamma(m / 2) / math.sqrt(math.pi) / math.gamma((m + 1) / 2)
        sent = (1 if bit else -1) * z * radius * gain / c
        if about:
            moment += sent / 0.75
        else:
            off = sent[1] / math.sqrt(2)
            gram += np.array([[sent[0] + 0.5, off], [off, sent[2] + 0.5]]) / 0.25
        t += 1
    return lost


def residuals(rng, epsilon, first, clip, horizon=HORIZON):
    """Each user adds a clipped residual times the action, and the action's square."""
    d, t, lost, theta = 2, 0, 0.0, np.zeros(2)
    total, moment, noisy = np.zeros((d, d)), np.zeros(d), 0.0
    rounds = math.ceil(first * max(2 * clip * math.sqrt(d + 1) / epsilon, 3))

    def ball(size, scale):
        z = rng.normal(size=size)
        return z / np.linalg.norm(z) * rng.gamma(size, scale)

    while t < horizon:
        released, gram, begun = np.zeros(d), np.zeros((d, d)), t
        while t < min(begun + rounds, horizon):
            shown = rng.integers(len(SETS))
            action = best_of(SETS[shown], theta) if begun else rng.integers(3)
            x, mean = SETS[shown, action], SETS[shown, action] @ THETA
            lost += (SETS[shown] @ THETA).max() - mean
            released += np.clip(mean + rng.uniform(-1, 1) - x @ theta, -clip, clip) * x
            gram += np.outer(x, x)
            t += 1
        scale = 2 * clip / (0.65 * epsilon if begun else epsilon)
        released += ball(d, scale)
        a, b, c = ball(3, math.sqrt(2) / (0.35 * epsilon))
        gram += [[a, b / math.sqrt(2)], [b / math.sqrt(2), c]]
        gram = gram if begun else rounds / d * np.eye(d)
        weight = rounds / (rounds + 3 * scale**2 * (d + 1))
        total, moment, noisy = total + weight * gram, moment + weight * (released + gram @ theta), noisy + weight**2
        noisy = noisy if begun else 0.0
        floor = math.sqrt(4 * noisy) * math.sqrt(2) / (0.35 * epsilon)
        values, vectors = np.linalg.eigh(total + floor * np.eye(d))
        least = np.maximum(values, max(floor, 1e-9 * abs(values).max()))
        theta = theta + vectors @ (vectors.T @ (moment - total @ theta) / least)
        theta /= max(1.0, np.linalg.norm(theta))
        rounds = t
    return lost


def ladder(rng, epsilon, first, level, local, draw, means, horizon=HORIZON):
    """Each user is counted, or sends a bit."""
    k, flip = len(means), 1 / (1 + math.exp(epsilon)) if local else 0.0
    least = math.ceil(first / (1 - 2 * flip) ** 2 if local else first * (1 + 1 / epsilon))
    pulls, over, rung, step, t, lost, arm, length = [{} for _ in means], [{} for _ in means], -16, 8, 0, 0.0, 0, least

    def share(j):
        return (over[j][rung] / pulls[j][rung] - flip) / (1 - 2 * flip)

    def upper(mean, most):
        return upper_index(np.empty((0, 3)), most, 0.0, math.inf if local else epsilon, math.e, 1, mean)

    while True:
        count = 0
        for _ in range(length):
            if t == horizon:
                return lost
            t, lost = t + 1, lost + max(means) - means[arm]
            count += (draw(rng, arm) > 2 ** (rung / 8)) != (rng.random() < flip)
        pulls[arm][rung] = pulls[arm].get(rung, 0) + length
        over[arm][rung] = over[arm].get(rung, 0) + count + (0 if local else rng.laplace(0, 1 / epsilon))
        for _ in range(3):
            known = [j for j in range(k) if rung in pulls[j]]
            high = sum(1 + (pulls[j][rung] >= 4 * least) for j in known if share(j) > 0.9)
            if high > 1:
                rung += step
            elif step > 1 and (len(known) == k or (len(known) > high and len(known) > 1)):
                step = 1
                rung -= 8 * any(rung - 8 in each for each in pulls)
            elif len(known) == k and max(map(share, known)) < 0.35:
                rung -= 8
            else:
                break
        most = level * math.log(t + 1) + 3
        index = [
            min([1 - flip, *(upper(over[j][r] / n, most / n) for r, n in pulls[j].items() if r <= rung)])
            for j in range(k)
        ]
        best = [j for j in range(k) if index[j] == max(index)]
        fewest = min(pulls[j].get(rung, 0) for j in best)
        arm = rng.choice([j for j in best if pulls[j].get(rung, 0) == fewest])
        n = pulls[arm].get(rung, 0)
        length = max(least, int(0.25 * n) if local else n)


def clipped(rng, epsilon, first, level, local, horizon=HORIZON):
    """Each user is in a sum, or sends a bit."""
    means, g = PAIR.means[0], (1 + math.exp(-epsilon)) / (1 - math.exp(-epsilon))
    least = math.ceil(first * g**2 if local else first * (2 / epsilon * math.sqrt(math.log(horizon)) + 1))
    pulls, sums, t, lost, action, length = [0, 0], [0.0, 0.0], 0, 0.0, 0, least
    while True:
        total = 0.0
        for _ in range(length):
            if t == horizon:
                return lost
            t, lost = t + 1, lost + max(means) - means[action]
            reward = np.clip(means[action] + rng.uniform(-1, 1), -1, 1)
            if local:
                bit = (rng.random() < (1 + reward) / 2) == (rng.random() < 1 / (1 + math.exp(-epsilon)))
                reward = g if bit else -g
            total += reward
        pulls[action] += length
        sums[action] += total + (0 if local else rng.laplace(0, 2 / epsilon))
        index = []
        for n, each in zip(pulls, sums, strict=True):
            log = math.log(1 + max(1, horizon / 2 / n)) if n else 0.0
            spread = 2 * level * log * (g**2 if local else 1 / 3)
            index.append(each / n + math.sqrt(spread / n) + (0 if local else log / epsilon / n) if n else math.inf)
        action = int(np.argmax(index))
        length = max(least, int((0.2 if local else 0.5) * pulls[action]))


def pareto(rng, arm):
    return PARETO.means[arm] * 0.8 / 1.8 * rng.random() ** (-1 / 1.8)


def shifted(rng, arm):
    return PAIR.means[0, arm] + rng.uniform(-1, 1) + 2


PLAYED = {
    "lines": (
        TABLE,
        lambda h: random_lines(2.0, dim=2, horizon=h, first=20, growth=0.3),
        lambda r: lines(r, 2, 20, 0.3),
    ),
    "residuals": (TABLE, lambda h: residual_epochs(2.0, dim=2, horizon=h), lambda r: residuals(r, 2, 8, 1)),
    "ladder": (
        PARETO,
        lambda h: threshold_ladder(2.0, horizon=h, first=8),
        lambda r: ladder(r, 2, 8, 0.3, False, pareto, PARETO.means),
    ),
    "ladder of bits": (
        PARETO,
        lambda h: threshold_ladder(2.0, horizon=h, first=8, local=True),
        lambda r: ladder(r, 2, 8, 0.3, True, pareto, PARETO.means),
    ),
    "clipped": (
        PAIR,
        lambda h: clipped_rewards(2.0, horizon=h),
        lambda r: clipped(r, 2, 4, 0.4, False),
    ),
    "clipped bits": (
        PAIR,
        lambda h: clipped_rewards(2.0, horizon=h, local=True),
        lambda r: clipped(r, 2, 4, 0.4, True),
    ),
    "ladder, same actions": (
        PAIR,
        lambda h: threshold_ladder(2.0, horizon=h, first=8),
        lambda r: ladder(r, 2, 8, 0.3, False, shifted, PAIR.means[0]),
    ),
}
EACH = pytest.mark.parametrize("name", PLAYED)


@EACH
def test_it_has_the_law_of_users_one_by_one(name):
    problem, make, plain = PLAYED[name]
    found = simulate(problem, make(HORIZON), horizon=HORIZON, replications=RUNS, seed=5, checkpoints=[]).regret[:, -1]
    wanted = [plain(np.random.default_rng(run)) for run in range(RUNS)]
    assert scipy.stats.ks_2samp(np.round(found, 6), np.round(wanted, 6)).pvalue > 1e-3


@EACH
def test_a_run_may_be_played_in_pieces_and_longer_ones_are_refused(name):
    problem, make, _ = PLAYED[name]
    policy, whole = make(HORIZON), np.zeros(3)
    marks, empty = np.array([10, 500, HORIZON]), policy.blank(problem, 0)
    kernel = policy.kernel
    state, pieces = kernel.start(problem.record(), policy.record), np.zeros(3)
    source = streams(3, 0)
    kernel.advance(problem.record(), policy.record, state, 1, HORIZON, marks, whole, empty, *source)
    state, source = kernel.start(problem.record(), policy.record), streams(3, 0)
    for first, last in ((1, 300), (301, 500), (501, HORIZON)):
        kernel.advance(problem.record(), policy.record, state, first, last, marks, pieces, empty, *source)
    assert pieces.tolist() == whole.tolist() and (np.diff(whole) >= 0).all()
    for other, long in (
        (problem, HORIZON + 1),
        (Arms.bernoulli([0.5]) if name in ("lines", "residuals") else TABLE, 9),
    ):
        with pytest.raises(ValueError, match="horizon must be|problem"):
            simulate(other, policy, horizon=long, replications=1, seed=0)


@EACH
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 10.0])
def test_its_record_pays_what_it_states(name, epsilon):
    makers = {
        "lines": lambda: random_lines(epsilon, dim=3, horizon=9),
        "residuals": lambda: residual_epochs(epsilon, dim=3, horizon=9),
        "clipped": lambda: clipped_rewards(epsilon, horizon=9),
        "clipped bits": lambda: clipped_rewards(epsilon, horizon=9, local=True),
    }
    policy = makers.get(name, lambda: threshold_ladder(epsilon, horizon=9, local="bits" in name))()
    paid, local = policy.account(0.0)
    assert paid == pytest.approx(epsilon) and local == (policy.privacy.trust == "local")
    assert policy.privacy.effective_epsilon == pytest.approx(epsilon)


@pytest.mark.parametrize("module", [LINES, RESIDUALS, LADDER, CLIPPED], ids=["lines", "residuals", "ladder", "clipped"])
def test_its_example_runs(module):
    failed, tried = doctest.testmod(module)
    assert tried and not failed


@pytest.mark.parametrize("users", [50, 5000])  # one by one, and as a normal number
def test_what_users_send_of_a_vector_is_the_vector_on_average(users):
    point, flip, noise = np.array([0.3, -0.2, 0.1]), 0.3, np.random.default_rng(1)
    sums = []
    for _ in range(4000):
        found = np.zeros(3)
        LINES._sides(noise, point, found, 0.7, -0.5, users, flip)
        sums.append(found / users)
    spread = (0.7 / 0.4 / 0.5) ** 2 / 3  # of one user: R g / c for m = 3
    np.testing.assert_allclose(np.mean(sums, axis=0), -0.5 * point, atol=5 * math.sqrt(spread / users / 4000))
    covariance = spread * np.eye(3) - 0.25 * np.outer(point, point)
    np.testing.assert_allclose(users * np.cov(np.transpose(sums)), covariance, atol=0.08 * spread)


def test_noise_in_a_ball_has_the_density_that_keeps_the_promise():
    """exp(-|z| / scale): the length is a gamma variable, and each direction is as likely."""
    noise = np.random.default_rng(2)
    found = np.array([RESIDUALS._ball(noise, 3, 2.0) for _ in range(4000)])
    lengths = np.linalg.norm(found, axis=1)
    assert scipy.stats.kstest(lengths, scipy.stats.gamma(3, scale=2.0).cdf).pvalue > 1e-3
    assert scipy.stats.kstest(lengths, scipy.stats.gamma(3, scale=1.0).cdf).pvalue < 1e-9
    assert scipy.stats.kstest(found[:, 0] / lengths, scipy.stats.uniform(-1, 2).cdf).pvalue > 1e-3


@pytest.mark.parametrize(("mean", "guess"), [(0.3, -0.5), (0.0, 0.0), (-0.6, 0.7)])
def test_sums_of_clipped_residuals_have_the_law_of_single_ones(mean, guess):
    env, record = np.random.default_rng(3), TABLE.record()
    many = [RESIDUALS.clipped_sum(record, mean, guess, 0.8, 400, env) for _ in range(1500)]
    single = np.clip(mean + env.uniform(-1, 1, (1500, 400)) - guess, -0.8, 0.8).sum(axis=1)
    assert scipy.stats.ks_2samp(many, single).pvalue > 1e-3


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("unit", [0.1, 0.5, 2.0, 10.0])
def test_the_ladder_finds_the_scale_of_rewards(local, unit):
    """In other units it has a multiple of its regret; a threshold that was tuned never learns above its scale."""

    def regret(policy, factor):
        arms = pareto_arms(factor * PARETO.means, 1.8)
        return simulate(arms, policy, horizon=10**9, replications=40, seed=1, checkpoints=[]).regret.mean() / factor

    policy = threshold_ladder(1.0, horizon=10**9, local=local)
    assert regret(policy, unit) < 8 * regret(policy, 1.0)
    fixed = exceedance_counts(1.0, horizon=10**9, threshold=0.05, level=0.6, local=local)  # all arms exceed it
    assert regret(fixed, 10.0) > 1e6
