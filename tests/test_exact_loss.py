"""Exact losses of finite bandit policies: closed forms, a plain enumeration of every table, and limits."""

from __future__ import annotations

import math
from itertools import product
from zlib import crc32

import naive_privacy as naive
import numpy as np
import pytest
from scipy import stats

from private_bandits.papers.definitions.finite_policies import (
    Exponential,
    Greedy,
    LocallyPrivate,
    Response,
    noisy_argmax,
)
from private_bandits.privacy import (
    FinitePolicy,
    binomial_interval,
    environment_law,
    exact_loss,
    table_laws,
    worst_case,
)


class Table(FinitePolicy):
    """A random policy: a distribution for each history, some arms impossible."""

    def __init__(self, seed, n_arms, zeros=False):
        self.seed, self.n_arms, self.zeros, self.laws = seed, n_arms, zeros, {}

    def probabilities(self, history):
        if history not in self.laws:
            rng = np.random.default_rng([self.seed, crc32(repr(history).encode())])
            law = rng.dirichlet(np.ones(self.n_arms))
            if self.zeros and rng.random() < 0.2:
                law[rng.integers(self.n_arms)] = 0.0
            self.laws[history] = (law / law.sum()).tolist()
        return self.laws[history]


class Watching(Table):
    """The same under partial monitoring: the learner sees the sum of the outcomes and its own reward."""

    def signal(self, outcome, arm):
        return (outcome[arm], sum(outcome))


@pytest.mark.parametrize(("epsilon", "n_arms"), [(1e-9, 2), (0.3, 3), (40.0, 2)])
def test_randomised_response_pays_epsilon_a_round(epsilon, n_arms):
    """The best arm can differ in every round after the first, and each answer pays epsilon."""
    policy = Response(epsilon, n_arms=n_arms)
    for horizon in (1, 2, 3, 5):
        assert exact_loss(policy, horizon) == pytest.approx((horizon - 1) * epsilon, abs=1e-10)
        one_round = exact_loss(policy, horizon, definition="instantaneous")
        assert one_round == pytest.approx(epsilon * (horizon > 1), abs=1e-10)


class Constant(FinitePolicy):
    channel = None

    def __init__(self, law=(0.3, 0.7), rewards=(0.0, 1.0), channel=None):
        self.law, self.rewards, self.channel = law, rewards, channel

    def probabilities(self, history):
        return self.law


def test_limits():
    for definition in ("outcomes", "rewards", "instantaneous"):
        assert exact_loss(Constant(), 4, definition=definition) == exact_loss(Response(1.0, n_arms=2), 1) == 0.0
        assert exact_loss(Greedy(n_arms=2), 3, definition=definition) == math.inf
    assert exact_loss(Constant(), 3, definition="local") == math.inf
    assert exact_loss(Constant(rewards=[1.0]), 3, definition="local") == 0.0


@pytest.mark.parametrize(("seed", "n_arms", "horizon", "zeros"), [(1, 2, 3, False), (3, 3, 2, False), (5, 2, 3, True)])
def test_every_table_by_hand(seed, n_arms, horizon, zeros):
    policy = Table(seed, n_arms, zeros)
    expected = naive.outcomes_loss(policy, n_arms, horizon)
    assert exact_loss(policy, horizon) == pytest.approx(expected, abs=1e-12)
    assert exact_loss(policy, horizon, definition="rewards") == pytest.approx(expected, abs=1e-12)
    assert naive.rewards_loss(policy, n_arms, horizon) == pytest.approx(expected, abs=1e-12)
    instantaneous = exact_loss(policy, horizon, definition="instantaneous")
    assert instantaneous == pytest.approx(naive.instantaneous_loss(policy, n_arms, horizon), abs=1e-12)


@pytest.mark.parametrize("policy", [Watching(1, 2), Watching(2, 2, zeros=True), Watching(3, 3)])
def test_partial_monitoring_by_hand(policy):
    game = policy.n_arms, 5 - policy.n_arms
    losses = [exact_loss(policy, game[1], definition=definition) for definition in ("outcomes", "rewards")]
    assert losses[0] == pytest.approx(naive.outcomes_loss(policy, *game, see=policy.signal), abs=1e-12)
    assert losses[1] == pytest.approx(naive.rewards_loss(policy, *game, see=policy.signal), abs=1e-12)


@pytest.mark.parametrize("definition", ["outcomes", "rewards", "instantaneous"])
@pytest.mark.parametrize("policy", [Table(1, 2), Watching(2, 2)])
def test_the_witness_pays_the_loss(policy, definition):
    worst = worst_case(policy, 3, definition=definition)
    assert worst.loss == exact_loss(policy, 3, definition=definition)
    assert len(worst.arms) == len(worst.signals) + 1 == len(worst.neighbour) + 1
    assert sum(x != y for x, y in zip(worst.signals, worst.neighbour, strict=True)) == 1

    def chances(seen):
        histories = [tuple(zip(worst.arms[:t], seen[:t], strict=True)) for t in range(len(worst.arms))]
        return [policy.probabilities(history)[arm] for history, arm in zip(histories, worst.arms, strict=True)]

    p, q = chances(worst.signals), chances(worst.neighbour)
    ratio = p[-1] / q[-1] if definition == "instantaneous" else math.prod(p) / math.prod(q)
    assert math.log(ratio) == pytest.approx(worst.loss, abs=1e-12)


# Local privacy


def test_local_loss_is_that_of_the_channel(epsilon=2.0):
    policy = LocallyPrivate(Greedy(n_arms=2), epsilon)
    for horizon in (1, 3):
        assert exact_loss(policy, horizon, definition="local") == pytest.approx(epsilon, abs=1e-10)
    assert naive.local_loss(policy.channel.tolist(), 3) == pytest.approx(epsilon, abs=1e-10)


def test_hidden_responses_are_summed_over():
    """P(a | r) as a sum over every response sequence, and the loss of one reward is at most that of its response."""
    learner = Exponential(3.0, n_arms=2)
    policy = LocallyPrivate(learner, 0.8)
    for arms, rewards in product(product((0, 1), repeat=4), product((0, 1), repeat=4)):
        expected = naive.private_probability(learner, policy.channel.tolist(), arms, rewards)
        table = [(reward, reward) for reward in rewards]
        if expected > 0:
            assert naive.probability(policy, arms, table) == pytest.approx(expected, rel=1e-12)
    assert exact_loss(policy, 4) <= 0.8 + 1e-12
    assert exact_loss(LocallyPrivate(Greedy(n_arms=2), 0.8), 4) == pytest.approx(0.8, abs=1e-12)


# Environment privacy

PAIRS = [
    ([[0.8, 0.2], [0.3, 0.7]], [[0.5, 0.5], [0.6, 0.4]], 0.3),
    ([[0.1, 0.9], [0.9, 0.1]], [[0.2, 0.8], [0.9, 0.1]], 0.1),
    ([[1.0, 0.0], [0.3, 0.7]], [[1.0, 0.0], [0.6, 0.4]], 0.3),  # a reward is impossible under both
]


@pytest.mark.parametrize(("one", "other", "apart"), PAIRS)
@pytest.mark.parametrize(
    ("policy", "output"), [(Table(1, 2), "history"), (Table(1, 2), "actions"), (Watching(3, 2), "actions")]
)
def test_environment_loss_by_hand(policy, output, one, other, apart):
    pairs, see = ((one, other), (other, one)), policy.signal or naive.own_reward
    expected = max(naive.environment_loss(policy, *pair, 2, output, see=see) / apart for pair in pairs)
    means = [[arm[1] for arm in environment] for environment in (one, other)]
    for environments in ([one, other], means):
        loss = exact_loss(policy, 2, definition="environment", environments=environments, output=output)
        assert loss == pytest.approx(expected, rel=1e-10)
    near = {"definition": "environment", "environments": means, "output": output, "distance": lambda *_: 0.25}
    assert exact_loss(policy, 2, **near) == pytest.approx(expected * apart / 0.25, rel=1e-10)


@pytest.mark.parametrize("policy", [Table(1, 2), Watching(2, 2)])
def test_laws_of_tables_and_environments(policy):
    laws = table_laws(policy, 3)
    assert laws.shape == (4, 4, 2, 2, 2)
    see = policy.signal or naive.own_reward
    outcomes = list(product((0, 1), repeat=2))
    for i, j in ((0, 3), (2, 1)):
        for arms in product((0, 1), repeat=3):
            table = (outcomes[i], outcomes[j], outcomes[0])
            assert laws[i, j][arms] == pytest.approx(naive.probability(policy, arms, table, see), rel=1e-12)
    chances = np.array([0.3 * 0.4, 0.3 * 0.6, 0.7 * 0.4, 0.7 * 0.6])
    mixed = np.einsum("i,j,ijabc->abc", chances, chances, laws)
    assert environment_law(policy, 3, (0.7, 0.6)) == pytest.approx(mixed, rel=1e-10)
    assert environment_law(policy, 3, (0.7, 0.6)).sum() == pytest.approx(1.0, abs=1e-12)


# Continuous noise


def two_laplace(gap, scale):
    """P(X - Y < gap) for two independent Laplace draws of one scale, in closed form."""
    d = abs(gap) / scale
    tail = (0.5 + d / 4) * math.exp(-d)
    return 1 - tail if gap >= 0 else tail


def test_argmax_of_noisy_scores():
    for gap, scale in ((0.0, 1.0), (-0.3, 0.5), (-7.0, 3.0), (60.0, 1.0)):
        expected = two_laplace(gap, scale), two_laplace(-gap, scale)
        assert noisy_argmax((gap, 0.0), (scale, scale)) == pytest.approx(expected, rel=1e-12)
    scores, scales = (0.2, 1.0, 0.7), (1.0, 0.25, 0.5)
    law = noisy_argmax(scores, scales)
    assert sum(law) == pytest.approx(1.0, abs=1e-13)
    draws = np.random.default_rng(5).laplace(scores, scales, (400_000, 3)).argmax(axis=1)
    assert np.bincount(draws, minlength=3) / 400_000 == pytest.approx(np.array(law), abs=0.003)
    assert noisy_argmax((1.0,) * 3, (2.0,) * 3) == pytest.approx((1 / 3,) * 3, rel=1e-13)


def test_the_binomial_interval_is_scipys():
    for hits in (0, 7, 20):
        theirs = stats.binomtest(hits, 20).proportion_ci(0.9)
        assert binomial_interval(hits, 20, confidence=0.9)[:2] == pytest.approx((theirs.low, theirs.high), abs=1e-9)
