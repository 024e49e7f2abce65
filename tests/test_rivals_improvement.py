"""Expected improvement on arms, beside a plain version: all sums and all means one by one."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy

from private_bandits.mechanisms.noise import geometric
from private_bandits.papers.cascading import b_lb
from private_bandits.policy_checks import check_policy
from private_bandits.problems import Arms, SemiBandit
from private_bandits_book.rivals.expected_improvement import (
    ExpectedImprovement,
    add_likelihood,
    index,
    share,
    sum_tails,
    weigh,
)
from private_bandits_book.rivals.improvement_bits import ImprovementBits, OneExplorer, below

ARMS = Arms.bernoulli([0.7, 0.4, 0.3])
MEANS = np.sin(np.pi * (np.arange(240) + 0.5) / 480) ** 2


def plain_likelihood(noisy, n, epsilon):
    """Of each mean, by the sum over all numbers of ones."""
    ones = np.arange(n + 1)
    weights = np.exp(-epsilon * np.abs(noisy - ones))
    return np.array([scipy.stats.binom.pmf(ones, n, q) @ weights for q in MEANS])


@pytest.mark.parametrize(
    ("noisy", "n", "epsilon"), [(3, 8, 1.0), (-4, 8, 1.0), (11, 8, 0.3), (40, 90, 10.0), (700, 900, 0.1), (5, 5, 100.0)]
)
def test_the_likelihood_is_the_sum_over_what_the_batch_may_have_had(noisy, n, epsilon):
    logs = np.full(len(MEANS), 2.0)
    add_likelihood(logs, MEANS, noisy, n, epsilon)
    exact = plain_likelihood(noisy, n, epsilon)
    seen = exact > 1e-250
    assert seen.sum() > 20
    assert logs[seen] - 2.0 == pytest.approx(np.log(exact[seen]), abs=2e-3)


def test_the_index_is_the_largest_reward_that_would_be_given_up_for_a_batch():
    logs = np.log(plain_likelihood(5, 12, 1.0))
    tails = np.zeros((2, len(MEANS)))
    sum_tails(logs, MEANS, tails)
    weights = np.exp(logs) / np.exp(logs).sum()
    middle = weights @ MEANS
    for left, price in [(1000.0, 8.0), (1000.0, 800.0), (10.0, 1e6), (1e9, 1.0)]:
        worth = [left * (weights @ np.maximum(MEANS - v, 0.0)) >= price * (v - middle) for v in MEANS]
        most = max(middle, MEANS[np.flatnonzero(worth).max()])
        assert most - 1e-9 <= index(tails, MEANS, left, price) <= most + 8e-3


def test_a_shared_prior_is_bayes_rule_for_all_arms_together():
    """Against the sum over two priors and the means of three arms, of which the last has no release."""
    priors = np.array([scipy.stats.beta.pdf(MEANS, 1, 9), scipy.stats.beta.pdf(MEANS, 6, 6)])
    priors *= np.sqrt(MEANS * (1 - MEANS))  # the means of the grid are dense at 0 and 1
    priors /= priors.sum(axis=1, keepdims=True)
    likely = np.array([plain_likelihood(3, 20, 1.0), plain_likelihood(9, 20, 1.0), np.ones(len(MEANS))])
    logs, evidence, tails = np.log(likely) - 700.0, np.zeros((3, 2)), np.zeros((3, 2, len(MEANS)))
    for arm in range(2):
        weigh(logs[arm], priors, evidence[arm])
    share(logs, priors, evidence, MEANS, tails)
    joint = np.einsum("ha,hb,hc,a,b,c->abc", priors, priors, priors, *likely, optimize=True)
    for arm, rest in enumerate([(1, 2), (0, 2), (0, 1)]):
        posterior = joint.sum(axis=rest) / joint.sum()
        assert tails[arm, 0] == pytest.approx(np.cumsum(posterior[::-1])[::-1], rel=1e-6, abs=1e-9)
        assert tails[arm, 1, 0] == pytest.approx(posterior @ MEANS, rel=1e-6)


def test_a_shared_prior_is_one_of_what_the_arms_have_in_common():
    """Of 40 arms at 0.02 the 41st is believed to be small before it was pulled often, and is not without it."""
    arms = Arms.bernoulli([0.02] * 41)
    middle = {}
    for shared in (False, True):
        policy = ExpectedImprovement(1.0, horizon=2000, first=1.0, cost=2.0, shared=shared)
        learner = policy.start(arms, np.random.default_rng(1), np.random.default_rng(2))
        for _ in range(41 * policy.shortest):
            learner.ask()
            learner.tell([0.0])
        middle[shared] = learner.tails[:, 1, 0].max()
    assert middle[True] < 0.5 * middle[False]


def test_batches_are_of_the_arm_that_may_gain_most():
    """By hand, from the releases; play and noise have generators of their own."""
    policy = ExpectedImprovement(1.0, horizon=2000, first=1.5, cost=2.0)
    check_policy(policy, ARMS)
    learner = policy.start(ARMS, np.random.default_rng(1), np.random.default_rng(2))
    world, noise, choice = np.random.default_rng(3), np.random.default_rng(2), np.random.default_rng(1)
    least = math.ceil(1.5 * (0.5 + math.sqrt(0.25 + math.log(2000))))
    pulls, likely, at = [0] * 3, np.ones((3, len(MEANS))), 0
    while at < 1200:
        indices, ties = [], choice.random(3)
        for arm in range(3):
            weights = likely[arm] / likely[arm].sum()
            middle, price = weights @ MEANS, 2.0 * max(least, 0.5 * pulls[arm])
            over = [(2000 - at) * (weights @ np.maximum(MEANS - v, 0.0)) - price * (v - middle) for v in MEANS]
            place = max(np.flatnonzero(np.array(over) >= 0.0), default=0)
            low, high = MEANS[place], MEANS[min(place + 1, 239)]
            share = over[place] / (over[place] - over[min(place + 1, 239)] + 1e-300)
            indices.append(max(middle, low + (high - low) * share) if pulls[arm] else math.inf)
        wanted = int(np.lexsort((ties, -np.array(indices)))[0])
        length, ones = max(least, int(0.5 * pulls[wanted])), 0
        for _ in range(length):
            assert learner.ask() == [wanted]
            reward = float(world.random() < ARMS.means[wanted])
            ones += int(reward)
            learner.tell([reward])
        likely[wanted] *= plain_likelihood(ones + geometric.py_func(noise, 1.0), length, 1.0)
        likely[wanted] /= likely[wanted].max()
        pulls[wanted] += length
        at += length
        assert learner.pulls.tolist() == pulls
    for epsilon in (0.1, 1.0, math.inf):
        assert ExpectedImprovement(epsilon, horizon=8000).privacy.effective_epsilon == pytest.approx(epsilon)


def test_a_reward_between_0_and_1_counts_as_its_mean():
    learner = ExpectedImprovement(1.0, horizon=10**5).start(
        Arms.bernoulli([0.5]), np.random.default_rng(1), np.random.default_rng(2)
    )
    for number in range(20_000):
        learner.ask()
        learner.tell([[0.3, 0.8][number % 2]])
    assert learner.tails[0, 1, 0] == pytest.approx(0.55, abs=0.02)


@pytest.mark.parametrize("problem", [ARMS, b_lb(6, 3, 0.4, 0.3), SemiBandit.top_k([0.7, 0.6, 0.3, 0.2], 2)])
def test_bits_are_weighed_by_how_often_they_are_true(problem):
    """Phases by hand: what is played has the largest indices of a posterior that is found bit by bit."""
    policy = ImprovementBits(1.0, horizon=3000, first=1.0, cost=1.5)
    check_policy(policy, problem)
    learner = policy.start(problem, np.random.default_rng(1), np.random.default_rng(2))
    world, flip, size = np.random.default_rng(3), 1.0 / (1.0 + math.e), problem.list_size
    least = math.ceil(1.0 / (1.0 - 2.0 * flip) ** 2)
    seen, logs, at = np.zeros(problem.n_arms), np.zeros((problem.n_arms, len(MEANS))), 0
    while at < 1500:
        indices = []
        for item in range(problem.n_arms):
            weights = np.exp(logs[item] - logs[item].max())
            weights /= weights.sum()
            middle, price = weights @ MEANS, 1.5 * max(least, 0.5 * seen[item])
            worth = [(3000 - at) * (weights @ np.maximum(MEANS - v, 0)) >= price * (v - middle) for v in MEANS]
            indices.append(max([middle, *MEANS[worth]]) if seen[item] else math.inf)
        shown = list(learner.ask())
        others = [indices[item] for item in range(problem.n_arms) if item not in shown]
        assert min(indices[item] for item in shown) >= max(others) - 0.013
        assert (np.diff(seen[shown]) >= 0).all()
        length = max(least, int(0.1 * seen[shown[0]]))
        for _ in range(length):
            assert learner.ask() == shown
            reply = [float(world.random() < problem.means[shown[0]])] + [0.0] * (size - 1)
            bit = learner.tell(reply)
            chance = flip + (1.0 - 2.0 * flip) * MEANS
            logs[shown[0]] += np.log(chance if bit else 1.0 - chance)
        seen[shown[0]] += length
        at += length
        assert learner.counts == seen.tolist()
    assert seen.min() > 0
    assert policy.privacy.effective_epsilon == pytest.approx(1.0) and policy.privacy.trust == "local"


@pytest.mark.parametrize("problem", [b_lb(6, 3, 0.4, 0.3), SemiBandit.top_k([0.7, 0.6, 0.3, 0.2], 2)])
def test_one_item_at_most_is_shown_to_be_learnt_about(problem):
    """The others have the largest posterior means; and where all have, the bit is on the item that it may demote."""
    policy = OneExplorer(1.0, horizon=3000, first=1.0, cost=1.5)
    check_policy(policy, problem)
    learner = policy.start(problem, np.random.default_rng(1), np.random.default_rng(2))
    world, size, explored, free = np.random.default_rng(3), problem.list_size, 0, 0
    while learner.t < 2500:
        shown = learner.ask()
        means, indices = learner.tails[:, 1, 0], np.array([learner._index(item) for item in range(problem.n_arms)])
        outside = [item for item in range(problem.n_arms) if item not in shown]
        if all(learner.counts):
            assert min(means[shown[1:]]) >= max(means[outside]) - 1e-12
            new = means[shown[0]] < max(means[outside]) - 1e-12
            explored, free = explored + new, free + (not new)
            least = np.sort(indices)[-size]
            assert indices[shown[0]] >= least if new else indices[outside].max() <= least
            if not new:
                worth = [below(learner.tails[i], MEANS, max(means[outside])) / learner._observed(i) for i in shown]
                assert worth[0] == max(worth)
        for _ in range(learner.length):
            learner.ask()
            learner.tell([float(world.random() < problem.means[shown[0]])] + [0.0] * (size - 1))
    assert explored > 2 and free > 2


def test_what_a_posterior_has_below():
    logs = np.log(plain_likelihood(5, 12, 1.0))
    tails = np.zeros((2, len(MEANS)))
    sum_tails(logs, MEANS, tails)
    weights = np.exp(logs) / np.exp(logs).sum()
    for v in (0.0, 0.2, 0.41, 0.9, 1.0):
        assert below(tails, MEANS, v) == pytest.approx(weights @ np.maximum(v - MEANS, 0.0), abs=1e-12)
