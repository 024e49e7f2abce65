"""What attackers of the benchmark brought: the noise of all places together, and levels that fall with the pulls."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy

from private_bandits.mechanisms import response_probabilities
from private_bandits.papers.cascading import b_lb
from private_bandits.policy_checks import check_policy
from private_bandits.privacy import private_kl
from private_bandits.problems import Arms, SemiBandit
from private_bandits.simulation import simulate
from private_bandits_book.rivals.all_places import AllPlacesIndex, body, deviation
from private_bandits_book.rivals.level_by_pulls import LevelByPulls
from private_bandits_book.rivals.single_observation import OneBit, OneItem

LISTS, SETS = b_lb(6, 3, 0.4, 0.3), SemiBandit.top_k([0.7, 0.6, 0.3, 0.2], 2)
ARMS = Arms.bernoulli([0.7, 0.4, 0.3])


def reach(points, clicks):
    """The factor by which the body must grow to hold each point."""
    if not clicks:
        return np.abs(points).max(axis=1)
    return np.maximum(points.clip(0).sum(axis=1), (-points).clip(0).sum(axis=1))


@pytest.mark.parametrize("clicks", [True, False])
@pytest.mark.parametrize("size", [1, 2, 4])
def test_a_point_of_the_body_is_uniform_and_the_noise_has_the_density_of_the_k_norm_mechanism(size, clicks):
    """Against points of the cube that lie in the body, and the Gamma(K) law that the reach of such noise has."""
    rng = np.random.default_rng([size, clicks])
    drawn = np.array([body(rng, size, clicks=clicks) for _ in range(20_000)])
    cube = rng.uniform(-1.0, 1.0, (400_000, size))
    kept = cube[reach(cube, clicks) <= 1.0]
    for of in (lambda z: z[:, 0], lambda z: (z > 0).sum(axis=1) + 0.01 * z.sum(axis=1), lambda z: reach(z, clicks)):
        assert scipy.stats.ks_2samp(of(drawn), of(kept)).pvalue > 1e-4
    noise = rng.gamma(size + 1, 2.0, (20_000, 1)) * drawn
    assert scipy.stats.kstest(reach(noise, clicks) / 2.0, scipy.stats.gamma(size).cdf).pvalue > 1e-4
    assert scipy.stats.kstest(reach(noise, clicks), scipy.stats.gamma(size).cdf).pvalue < 1e-10
    assert noise.std() == pytest.approx(2.0 * deviation(size, clicks=clicks), rel=0.05)


def test_a_user_moves_the_sums_of_places_within_the_body():
    replies = np.vstack([np.zeros(3), np.eye(3)])  # a list has one click at most
    differences = (replies[:, None] - replies[None]).reshape(-1, 3)
    assert reach(differences, True).max() == 1.0
    corners = np.array(np.meshgrid([0, 1], [0, 1])).reshape(2, -1).T
    assert reach((corners[:, None] - corners[None]).reshape(-1, 2), False).max() == 1.0


@pytest.mark.parametrize("problem", [LISTS, SETS], ids=["lists", "sets"])
def test_all_places_are_summed_and_released_with_one_noise(problem):
    """Batches by hand; in a list a place was seen as often as the released clicks before it say."""
    policy, size, lists = AllPlacesIndex(1.0, first=5, level=0.5), problem.list_size, problem is LISTS
    check_policy(policy, problem)
    learner = policy.start(problem, np.random.default_rng(1), np.random.default_rng(2))
    world, noise = np.random.default_rng(3), np.random.default_rng(2)
    counts, sums, at = np.zeros(problem.n_arms), np.zeros(problem.n_arms), 0
    while at < 400:
        shown = list(learner.ask())
        assert (np.diff(counts[shown]) >= 0).all() and len(set(shown)) == size
        length = max(5, int(0.5 * counts[shown[0]]))
        totals = np.zeros(size)
        for _ in range(length):
            click = int(world.integers(size + 1))
            reply = [0.0] * click + [1.0] * (click < size) if lists else world.integers(2, size=size).tolist()
            totals[: len(reply)] += reply
            assert learner.ask() == shown
            learner.tell(reply)
        radius = noise.gamma(size + 1, 1.0)
        released, seen = totals + radius * body(noise, size, clicks=lists), float(length)
        for item, number in zip(shown, released, strict=True):
            if seen > 0:
                counts[item] += seen
                sums[item] += number
            seen -= min(max(number, 0.0), seen) if lists else 0.0
        np.testing.assert_allclose([learner.counts, learner.sums], [counts, sums])
        at += length


@pytest.mark.parametrize("local", [False, True])
def test_a_level_falls_with_the_pulls_of_an_arm(local):
    """Phases by hand, and the index as the largest q that the divergence allows."""
    policy = LevelByPulls(1.0, horizon=2000, first=4, level=0.7, local=local)
    check_policy(policy, ARMS)
    learner = policy.start(ARMS, np.random.default_rng(1), np.random.default_rng(2))
    world, noise, at = np.random.default_rng(3), np.random.default_rng(2), 0
    truth, flip = response_probabilities(1.0, n_values=2)
    assert learner._index(4.0, 4) == pytest.approx(truth if local else 1.0)
    counts, sums = [0] * 3, [0.0] * 3
    while at < 600:
        (arm,) = learner.ask()
        if min(counts):
            most = [0.7 * math.log(max(1.0, 2000 / (3 * n))) / n for n in counts]
            grid = np.linspace(0.0, truth if local else 1.0, 401)
            means = [min(max(s / n, 0.0), grid[-1]) for s, n in zip(sums, counts, strict=True)]
            fits = [
                [private_kl(m, q, epsilon=math.inf if local else 1.0) <= o for q in grid if q >= m]
                for m, o in zip(means, most, strict=True)
            ]
            tops = [
                max([m] + [q for q, fit in zip(grid[grid >= m], ok, strict=True) if fit])
                for m, ok in zip(means, fits, strict=True)
            ]
            assert tops[arm] >= max(tops) - 5e-3
        length = max(4, int((0.05 if local else 1.0) * counts[arm]))
        for _ in range(length):
            assert learner.ask() == [arm]
            reward = float(world.random() < ARMS.means[arm])
            learner.tell([reward])
            if local:
                u = noise.random()
                reward = float(int(u / flip)) if u < 2 * flip else reward
            sums[arm] += reward
        counts[arm] += length
        sums[arm] += 0.0 if local else noise.laplace(0.0, 1.0)
        assert learner.counts == counts and learner.sums == pytest.approx(sums)
        at += length


@pytest.mark.parametrize(
    ("policy", "problem"),
    [
        (AllPlacesIndex(1.0, first=10, level=0.4), LISTS),
        (AllPlacesIndex(1.0, first=10, level=0.4), SETS),
        (LevelByPulls(1.0, horizon=8000, first=10, level=0.7), ARMS),
        (LevelByPulls(1.0, horizon=8000, level=0.7, local=True), ARMS),
        (LevelByPulls(1.0, horizon=8000, level=0.7, local=True), SETS),
    ],
    ids=["lists", "sets", "central", "local", "local sets"],
)
def test_it_learns(policy, problem):
    runs = simulate(problem, policy, horizon=8000, replications=4, seed=1, n_jobs=1, progress=False, checkpoints=[])
    assert float(runs.regret[:, -1].mean()) < 0.3 * problem.uniform_regret() * 8000
    assert policy.privacy.effective_epsilon == pytest.approx(1.0)


@pytest.mark.parametrize(
    "policy", [OneBit(1.0), LevelByPulls(1.0, horizon=9, local=True), OneItem()], ids=lambda one: one.name
)
def test_a_reward_between_0_and_1_counts_as_its_mean(policy):
    """Of 20,000 rewards of 0.3 and 0.8, of one arm: cut to whole numbers they would be 0."""
    learner, rewards = (
        policy.start(Arms.bernoulli([0.5]), np.random.default_rng(1), np.random.default_rng(2)),
        [0.3, 0.8],
    )
    for number in range(20_000):
        learner.ask()
        learner.tell([rewards[number % 2]])
    counted = (learner.sums[0] if hasattr(learner, "sums") else learner.ones[0]) / 20_000
    flip = getattr(learner, "flip", 0.0)
    assert counted == pytest.approx(flip + (1 - 2 * flip) * 0.55, abs=0.02)
