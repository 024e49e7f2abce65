"""Replay: kernel against the plain learner, the policy itself where nothing is noisy, and the batches."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from private_bandits.baselines import (
    adap_ucb,
    agrawal_algorithm_1,
    kl_ucb,
    ldp_ucb_response,
    replay,
    thompson,
    ucb,
)
from private_bandits.kernels import replay as kernel
from private_bandits.kernels.episodes import kl_upper
from private_bandits.papers import cascading
from private_bandits.problems import Arms, SemiBandit
from private_bandits.reference_tools import largest
from private_bandits.simulation import simulate, trace
from private_bandits_book.rivals.single_observation import OneItem

MEANS = [0.5, 0.9, 0.1, 0.9, 0.45]


class Plain:
    """An index policy in Python: `index(s, n, t, choice)` of each arm."""

    def __init__(self, name, index):
        self.name, self.index = name, index

    def start(self, problem, choice, noise):
        return Learner(self, problem.n_arms, choice)


class Learner:
    def __init__(self, rule, n_arms, choice):
        self.rule, self.choice, self.t = rule, choice, 1
        self.pulls, self.total = [0] * n_arms, [0] * n_arms

    def ask(self):
        pairs = zip(self.total, self.pulls, strict=True)
        self.arm = largest([self.rule.index(s, n, self.t, self.choice) for s, n in pairs], 1, self.choice)[0]
        return [self.arm]

    def tell(self, feedback):
        self.t += 1
        self.pulls[self.arm] += 1
        self.total[self.arm] += int(feedback[0])


def radius(s, n, t, choice):
    return s / n + math.sqrt(2 * math.log(t) / n) if n else math.inf


def divergence(s, n, t, choice):
    return kl_upper(s / n, math.log(t) / n) if n else math.inf


PLAIN = {
    "UCB": (ucb, Plain("UCB", radius)),
    "KL-UCB": (kl_ucb, Plain("KL-UCB", divergence)),
    "Thompson": (thompson, Plain("TS", lambda s, n, t, c: agrawal_algorithm_1.beta(1 + s, 1 + n - s, c))),
}
RULES = [
    (math.inf, {"first": 1, "growth": 0.0}),
    (math.inf, {}),
    (0.2, {}),
    (1.0, {"growth": 0.3}),
    (3.0, {"first": 1, "growth": 2.0, "cost": 0.0}),
    (1e-9, {"first": 2}),
]


@pytest.mark.parametrize("policy", PLAIN)
@pytest.mark.parametrize("rule", range(len(RULES)))
def test_kernel_plays_the_learner_written_in_python(policy, rule):
    problem, (make, plain), (epsilon, options) = Arms.bernoulli(MEANS), PLAIN[policy], RULES[rule]
    for replication in range(3):
        shown = trace(
            problem, replay(make(), epsilon, horizon=3000, **options), horizon=3000, seed=7, replication=replication
        )
        learner = replay(plain, epsilon, horizon=3000, **options)
        np.testing.assert_array_equal(shown, trace(problem, learner, horizon=3000, seed=7, replication=replication))


@pytest.mark.parametrize("make", [ucb, lambda: ucb(alpha=0.5), kl_ucb, lambda: kl_ucb(c=3.0), thompson])
@pytest.mark.parametrize("means", [MEANS, [0.0, 1.0, 1.0], [0.3], [0.0, 0.0]])
def test_without_noise_and_with_batches_of_one_it_is_the_policy_itself(make, means):
    problem = Arms.bernoulli(means)
    for replication in range(3):
        alone = trace(problem, make(), horizon=3000, seed=2, replication=replication)
        inside = replay(make(), math.inf, horizon=3000, first=1, growth=0.0)
        np.testing.assert_array_equal(alone, trace(problem, inside, horizon=3000, seed=2, replication=replication))


@pytest.mark.parametrize("epsilon", [0.05, 0.7, 6.0])
def test_a_release_has_the_law_of_the_page(epsilon):
    """Of a sum 3 of 5: two-sided geometric noise, clipped; it counts as k observations with the mean of the release."""
    loss, runs = 2.0 / epsilon**2, 40_000
    noise = np.random.default_rng(5)
    drawn = np.array([kernel.released(epsilon, 0.0, 5, 3, noise) for _ in range(runs)])
    assert set(drawn[:, 0]) == {5}
    z, q = np.arange(-2000, 2001), math.exp(-epsilon)
    law = np.zeros(6)
    np.add.at(law, np.clip(3 + z, 0, 5), (1 - q) / (1 + q) * q ** np.abs(z))
    assert stats.chisquare(np.bincount(drawn[:, 1], minlength=6), law / law.sum() * runs).pvalue > 1e-3
    drawn = np.array([kernel.released(epsilon, loss, 40, 13, noise) for _ in range(runs)])
    worth = max(1, int(1600 / (40 + loss)))
    assert set(drawn[:, 0]) == {worth}
    mean = np.dot(np.clip(13 + z, 0, 40), q ** np.abs(z)) / np.sum(q ** np.abs(z)) / 40
    assert drawn[:, 1].mean() / worth == pytest.approx(mean, abs=4 * drawn[:, 1].std() / worth / runs**0.5 + 1e-9)


def test_batches_double_from_the_first_that_counts_as_an_observation():
    epsilon, horizon = 0.3, 20_000
    policy = replay(ucb(), epsilon, horizon=horizon)
    first, loss = policy.record.first, math.log(horizon) / epsilon**2
    assert first**2 / (first + loss) >= 1 > (first - 1) ** 2 / (first - 1 + loss)
    played = trace(Arms.bernoulli(MEANS), policy, horizon=horizon, seed=3)[:, 0]
    pulls, at = [0] * 5, 0
    while at < horizon:
        arm = played[at]
        size = max(first, pulls[arm])
        assert set(played[at : at + size]) == {arm}
        pulls[arm], at = pulls[arm] + size, at + size
    assert replay(ucb(), math.inf, horizon=100).record.first == 1


def test_rewards_between_0_and_1_are_rounded_at_random():
    learner = replay(PLAIN["UCB"][1], math.inf, horizon=10, first=1000, growth=0.0).start(
        Arms.bernoulli([0.5]), *np.random.default_rng(1).spawn(2)
    )
    for _ in range(1000):
        learner.ask()
        learner.tell([0.3])
    assert learner.ones[0] / learner.left[0] == pytest.approx(0.3, abs=0.06)


@pytest.mark.parametrize("policy", [adap_ucb(1.0), ldp_ucb_response(1.0), replay(ucb(), 1.0, horizon=10)], ids=str)
def test_what_cannot_be_replayed_is_refused(policy):
    with pytest.raises(ValueError, match="policy must be ucb, kl_ucb or thompson, or written in Python"):
        replay(policy, 1.0, horizon=10)


class Reading(OneItem):
    """`OneItem` that then reads its feedback in one more way."""

    name = "more"

    def __init__(self, read):
        self.read = read

    def tell(self, feedback):
        super().tell(feedback)
        self.read(feedback)


MORE = [
    lambda feedback: feedback[1],
    lambda feedback: feedback[:1],
    list,
    lambda feedback: np.asarray(feedback, float),
]


@pytest.mark.parametrize(
    "problem", [cascading.b_lb(4, 2, 0.2, 0.1), SemiBandit.top_k([0.5, 0.5, 0.1], 2)], ids=["cascade", "sets"]
)
def test_a_policy_that_reads_more_than_one_number_of_a_list_is_refused(problem):
    """It would otherwise run on one number, without a word, wherever it is lenient about the others."""
    game = {"horizon": 200, "replications": 1, "seed": 0}
    assert np.isfinite(simulate(problem, replay(OneItem(), 1.0, horizon=200), **game).regret).all()
    for read in MORE:
        with pytest.raises(
            ValueError, match=r"policy must read one number a round, feedback\[0\], got more, which reads more"
        ):
            simulate(problem, replay(Reading(read), 1.0, horizon=200), **game)
