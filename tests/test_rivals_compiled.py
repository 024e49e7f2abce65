"""Rivals that are played by stretches: the law of users one by one, told plainly below, and what a user pays."""

from __future__ import annotations

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
from private_bandits_book.rivals import (
    clipped_rewards,
    level_by_squares,
    random_lines,
    residual_epochs,
    threshold_ladder,
)

LINES, RESIDUALS, INSTRUMENTS = (
    importlib.import_module(f"private_bandits_book.rivals.{name}")
    for name in ("random_lines", "residual_epochs", "instruments")
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


class Found:
    """What is known of theta, from releases of residuals times instruments q, and of |D x| q q'."""

    def __init__(self, n_actions, d=2):
        self.n_actions, self.d, self.theta = n_actions, d, np.zeros(d)
        self.told, self.noisy, self.rounds, self.off = np.zeros(d), 0.0, 0.0, 0.0
        self.slopes, self.moved = np.zeros((2, d, d)), np.zeros((2, d))

    def halving(self, power=1.0):
        across = np.outer(self.theta, self.theta) / max(self.theta @ self.theta, 1e-300)
        return np.eye(self.d) + (0.5**power - 1) * across

    def instrument(self, x):
        point = self.halving() @ x
        return point / np.linalg.norm(point), np.linalg.norm(point)

    def guess(self):
        """Of the best of random unit vectors, by a sum over their angles with theta."""
        angles = (np.arange(4000) + 0.5) * math.pi / 4000
        chosen = -np.diff((1 - np.append(0, angles + math.pi / 8000) / math.pi) ** self.n_actions)
        x = np.stack([np.cos(angles), np.sin(angles)])
        q = x * [[0.5], [1]]
        slopes = np.diag((chosen * q / np.linalg.norm(q, axis=0) * x).sum(axis=1))
        unit = self.theta / np.linalg.norm(self.theta)
        turn = np.array([unit, [-unit[1], unit[0]]])
        return turn.T @ slopes @ turn

    def add(self, rounds, weight, told, variance, about, spread):
        if self.theta.any():
            seen = np.array([about @ self.halving(-1), rounds * self.guess()])
            self.rounds, self.off = self.rounds + weight * rounds, self.off + weight**2 * spread
        else:
            seen = np.array([rounds / self.d * np.eye(self.d)] * 2)
        self.told, self.noisy = self.told + weight * told, self.noisy + weight**2 * variance
        self.slopes, self.moved = self.slopes + weight * seen, self.moved + weight * seen @ self.theta
        known = 0.05**2 / (0.05**2 + self.off / self.rounds**2) if self.rounds else 0.0
        shares = np.array([known, 1 - known])
        slopes, wanted = np.tensordot(shares, self.slopes, 1), shares @ self.moved + self.told
        slopes = slopes + self.noisy / (0.2**2 * np.trace(slopes) / self.d) * np.eye(self.d)
        least = 0.1 * np.trace(self.slopes[1]) / self.d
        normal = slopes.T @ slopes + least**2 * np.eye(self.d)
        self.theta = self.theta + np.linalg.solve(normal, slopes.T @ (wanted - slopes @ self.theta))
        self.theta /= max(1.0, np.linalg.norm(self.theta))


def lines(rng, epsilon, first, growth, horizon=HORIZON):
    """Each user sends z and one bit."""
    truth, d, state = 1 / (1 + math.exp(-epsilon)), 2, Found(3)
    gain, lost, t = 1 / (2 * truth - 1), 0.0, 0
    released, gram, begun, end = np.zeros(d), np.zeros((d, d)), 0, math.ceil(first * gain**2)

    def step(m, radius):
        return radius * gain * math.sqrt(math.pi) * math.gamma((m + 1) / 2) / math.gamma(m / 2)

    while t < horizon:
        if t == end:
            rounds, share = end - begun, 0.95 if begun else 1.0
            variance, spread = step(2, 1) ** 2 / 2 / share, step(3, math.sqrt(d) / 2) ** 2 / 3 / 0.05
            state.add(rounds, 1.0, released / share, rounds * variance, gram / 0.05, rounds * spread)
            released, gram, begun, end = np.zeros(d), np.zeros((d, d)), end, end + max(1, int(growth * end))
        shown = rng.integers(len(SETS))
        action = best_of(SETS[shown], state.theta) if begun else rng.integers(3)
        x, mean = SETS[shown, action], SETS[shown, action] @ THETA
        lost += (SETS[shown] @ THETA).max() - mean
        q, length = state.instrument(x)
        if about := not begun or rng.random() < 0.95:
            residual = np.clip(mean + rng.uniform(-1, 1) - x @ state.theta, -1, 1)
            v, radius = q if rng.random() < (1 + residual) / 2 else -q, 1.0
        else:
            square = length * np.outer(q, q) - np.eye(d) / 2
            v, radius = np.array([square[0, 0], math.sqrt(2) * square[0, 1], square[1, 1]]), math.sqrt(d) / 2
        norm = np.linalg.norm(v)
        point = v / norm if rng.random() < (1 + norm / radius) / 2 else -v / norm
        z = rng.normal(size=len(v))
        z /= np.linalg.norm(z)
        bit = (z @ point > 0) == (rng.random() < truth)
        sent = (1 if bit else -1) * z * step(len(v), radius)
        if about:
            released += sent
        else:
            off = sent[1] / math.sqrt(2)
            gram += np.array([[sent[0] + 0.5, off], [off, sent[2] + 0.5]])
        t += 1
    return lost


def residuals(rng, epsilon, first, clip, horizon=HORIZON):
    """Each user adds a clipped residual times an instrument, and the action's share in the slopes."""
    d, t, lost, state = 2, 0, 0.0, Found(3)
    rounds = math.ceil(first * max(2 * clip * math.sqrt(d + 1) / epsilon, 3))

    def ball(size, scale):
        z = rng.normal(size=size)
        return z / np.linalg.norm(z) * rng.gamma(size, scale)

    while t < horizon:
        released, gram, begun = np.zeros(d), np.zeros((d, d)), t
        while t < min(begun + rounds, horizon):
            shown = rng.integers(len(SETS))
            action = best_of(SETS[shown], state.theta) if begun else rng.integers(3)
            x, mean = SETS[shown, action], SETS[shown, action] @ THETA
            lost += (SETS[shown] @ THETA).max() - mean
            q, length = state.instrument(x)
            released += np.clip(mean + rng.uniform(-1, 1) - x @ state.theta, -clip, clip) * q
            gram += length * np.outer(q, q)
            t += 1
        scale, other = 2 * clip / (0.9 * epsilon if begun else epsilon), math.sqrt(2) / (0.1 * epsilon)
        released += ball(d, scale)
        a, b, c = ball(3, other)
        gram += [[a, b / math.sqrt(2)], [b / math.sqrt(2), c]]
        noise = scale**2 * (d + 1)
        weight = rounds / (rounds + 3 * d * noise)
        state.add(rounds, weight, released, noise + rounds / (3 * d), gram, 4 * other**2)
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


def clipped(rng, epsilon, first, level, local, squares=False, horizon=HORIZON):
    """Each user is in a sum, or sends a bit."""
    growth = (0.05 if local else 0.1) if squares else 0.2 if local else 0.5
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
            m = (n / (3 * g**2) if local else n) ** 2 if squares else n
            log = math.log(1 + max(1, horizon / 2 / m)) if n else 0.0
            spread = 2 * level * log * (g**2 if local else 1 / 3)
            index.append(each / n + math.sqrt(spread / n) + (0 if local else log / epsilon / n) if n else math.inf)
        action = int(np.argmax(index))
        length = max(least, int(growth * pulls[action]))


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
    "clipped, by squares": (
        PAIR,
        lambda h: level_by_squares(2.0, horizon=h, first=1),
        lambda r: clipped(r, 2, 1, 0.4, False, squares=True),
    ),
    "clipped bits, by squares": (
        PAIR,
        lambda h: level_by_squares(2.0, horizon=h, first=1, local=True),
        lambda r: clipped(r, 2, 1, 0.4, True, squares=True),
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
def test_a_run_may_be_played_in_pieces_and_longer_ones_are_refused(name, monkeypatch):
    problem, make, _ = PLAYED[name]
    policy, run = make(HORIZON), {"horizon": HORIZON, "replications": 1, "seed": 3, "checkpoints": [10, 500]}
    whole = simulate(problem, policy, **run).regret.values
    monkeypatch.setattr(policy.kernel, "PIECE", 300)
    pieces = simulate(problem, policy, **run).regret.values
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
        "clipped, by squares": lambda: level_by_squares(epsilon, horizon=9),
        "clipped bits, by squares": lambda: level_by_squares(epsilon, horizon=9, local=True),
    }
    policy = makers.get(name, lambda: threshold_ladder(epsilon, horizon=9, local="bits" in name))()
    paid, local = policy.account(0.0)
    assert paid == pytest.approx(epsilon) and local == (policy.privacy.trust == "local")
    assert policy.privacy.effective_epsilon == pytest.approx(epsilon)


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


def test_theta_follows_from_what_is_released():
    policy, rng, plain = residual_epochs(1.0, dim=2, horizon=9), np.random.default_rng(6), Found(3)
    state = RESIDUALS.start(TABLE.record(), policy.record)
    for rounds in (30, 30, 60, 120):
        told, root = 0.05 * rounds * rng.normal(size=2), rng.normal(size=(2, 2))
        release = (rounds, 0.8, told, 0.2 * rounds, rounds * root @ root.T, 3.0 * rounds)
        plain.add(*release)
        INSTRUMENTS.learn(state, *release, state.guess)
        np.testing.assert_allclose(state.theta, plain.theta, rtol=1e-5)
        assert 0 < np.linalg.norm(plain.theta) < 1


def test_a_user_moves_what_is_released_no_further_than_its_noise_is_made_for():
    rng, theta, moved = np.random.default_rng(5), np.array([0.3, -0.2, 0.1]), []
    for _ in range(20_000):
        told = []
        for x in rng.normal(size=(2, 3)):
            q, x = np.zeros(3), x / max(1.0, np.linalg.norm(x))
            length = INSTRUMENTS.instrument(x, theta, q)
            told.append((rng.choice([-1, 1]) * q, length * np.outer(q, q)))
        moved.append([np.linalg.norm(told[0][i] - told[1][i]) for i in range(2)])
    far, wide = np.max(moved, axis=0)
    assert 1.95 < far <= 2.0 + 1e-12 and 1.3 < wide <= math.sqrt(2)
