"""What attackers of the benchmark brought: one noise for all places, releases weighed one by one, falling levels."""

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
from private_bandits_book.rivals.batch_by_batch import BatchByBatch, against, body, deviation, highest
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


@pytest.mark.parametrize("problem", [ARMS, LISTS, SETS], ids=["arms", "lists", "sets"])
def test_all_places_are_summed_and_released_with_one_noise(problem):
    """Batches by hand; in a list a place was seen as often as the released clicks before it say."""
    policy, size, lists = BatchByBatch(1.0, horizon=9000, first=1.5, level=0.5), problem.list_size, problem is LISTS
    check_policy(policy, problem)
    learner = policy.start(problem, np.random.default_rng(1), np.random.default_rng(2))
    world, noise = np.random.default_rng(3), np.random.default_rng(2)
    counts, releases, at, fewer = np.zeros(problem.n_arms), [[] for _ in range(problem.n_arms)], 0, 0
    while at < 900:
        shown = list(learner.ask())
        assert (np.diff(counts[shown]) >= 0).all() and len(set(shown)) == size
        places = 1 + sum(counts[item] <= 2 * counts[shown[0]] for item in shown[1:])
        fewer += places < size
        kept = math.sqrt(2) / deviation(places, clicks=lists)
        alike = 0.5 + math.sqrt(0.25 + math.log(9000) / kept**2)
        length = max(math.ceil(1.5 * alike), int(0.5 * counts[shown[0]]))
        totals = np.zeros(size)
        for _ in range(length):
            click = int(world.integers(size + 1))
            reply = [0.0] * click + [1.0] * (click < size) if lists else world.integers(2, size=size).tolist()
            totals[: len(reply)] += reply
            assert learner.ask() == shown
            learner.tell(reply)
        radius = noise.gamma(places + 1, 1.0)
        released, seen = totals[:places] + radius * body(noise, places, clicks=lists), float(length)
        for item, number in zip(shown, released, strict=False):
            if seen > 0:
                counts[item] += seen
                releases[item].append([number / seen, seen, kept])
                most = 0.5 * max(math.log(9000 / (problem.n_arms * counts[item])), 0.0)
                assert learner.indices[item] == pytest.approx(highest(np.array(releases[item]), most))
            seen -= min(max(number, 0.0), seen) if lists else 0.0
        np.testing.assert_allclose(learner.counts, counts)
        at += length
    assert learner.counts.min() > 0 and (size == 1 or fewer)
    assert policy.privacy.effective_epsilon == pytest.approx(1.0)


def test_a_release_speaks_against_a_mean_by_what_privacy_leaves_of_it():
    """Against the divergence where it is defined, its slope where noise left [0, 1], and a grid of means."""
    for mean in (0.0, 0.1, 0.5, 0.97, 1.0):
        for q, kept in [(0.05, 0.5), (0.3, 2.0), (0.8, math.inf), (0.999, 0.1)]:
            release = np.array([[mean, 7.0, kept]])
            assert against(release, q) == pytest.approx(7 * private_kl(mean, q, epsilon=kept), abs=1e-12)
    for mean, inside in [(-0.4, 0.0), (1.3, 1.0)]:
        farther = against(np.array([[mean, 7.0, 0.5]]), 0.6) - against(np.array([[inside, 7.0, 0.5]]), 0.6)
        assert farther == pytest.approx(7 * 0.5 * abs(mean - inside))
    several = np.array([[0.4, 20.0, 1.0], [-0.2, 5.0, 0.3], [0.7, 9.0, 1.0]])
    grid = np.linspace(0.001, 0.999, 999)
    said = np.array([against(several, q) for q in grid])
    assert said == pytest.approx([sum(against(several[[k]], q) for k in range(3)) for q in grid])
    for most in (0.0, 0.5, 3.0):
        assert highest(several, most) == pytest.approx(grid[said <= said.min() + most + 1e-4].max(), abs=5e-3)
    assert highest(several, 1e3) > 0.999


def test_a_level_falls_with_the_pulls_of_an_arm():
    """Phases by hand, and the index as the largest q that the divergence allows."""
    policy = LevelByPulls(1.0, horizon=2000, level=0.7)
    check_policy(policy, ARMS)
    learner = policy.start(ARMS, np.random.default_rng(1), np.random.default_rng(2))
    world, noise, at = np.random.default_rng(3), np.random.default_rng(2), 0
    truth, flip = response_probabilities(1.0, n_values=2)
    assert policy.privacy.effective_epsilon == pytest.approx(1.0)
    assert learner._index(4.0, 4) == pytest.approx(truth)
    counts, sums, grid = [0] * 3, [0.0] * 3, np.linspace(0.0, truth, 401)
    while at < 600:
        (arm,) = learner.ask()
        if min(counts):
            tops = []
            for total, count in zip(sums, counts, strict=True):
                mean, most = min(total / count, truth), 0.7 * math.log(max(1.0, 2000 / (3 * count))) / count
                apart = scipy.special.rel_entr(mean, grid) + scipy.special.rel_entr(1 - mean, 1 - grid)
                tops.append(max([mean, *grid[(grid >= mean) & (apart <= most)]]))
            assert tops[arm] >= max(tops) - 5e-3
        length = max(1, int(0.05 * counts[arm]))
        for _ in range(length):
            assert learner.ask() == [arm]
            reward = float(world.random() < ARMS.means[arm])
            learner.tell([reward])
            u = noise.random()
            sums[arm] += float(int(u / flip)) if u < 2 * flip else reward
        counts[arm] += length
        assert learner.counts == counts and learner.sums == pytest.approx(sums)
        at += length


@pytest.mark.parametrize("policy", [OneBit(1.0), LevelByPulls(1.0, horizon=9), OneItem()], ids=lambda one: one.name)
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
