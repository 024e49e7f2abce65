"""Rivals for lists, super arms, contexts and heavy tails: each against its pseudo-code, its noise, and its promise."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
import scipy

from private_bandits.channels import channel_loss
from private_bandits.mechanisms import response_probabilities
from private_bandits.papers.cascading import b_lb
from private_bandits.policy_checks import check_policy
from private_bandits.problems import Arms, Cascade, LinearContext, SemiBandit
from private_bandits.simulation import trace
from private_bandits.streams import streams
from private_bandits_book.rivals.all_observations import AllObserved
from private_bandits_book.rivals.list_batches import ListBatches
from private_bandits_book.rivals.whole_reply import AllBits, WholeReply

LISTS = b_lb(6, 3, 0.4, 0.3)
SETS = SemiBandit.from_sets([0.5] * 2 + [0.2] * 3, [*combinations(range(5), 2)])
WEIGHED = SemiBandit.from_sets([0.6, 0.5, 0.4, 0.1], [[0, 1], [2], [2, 3]], weights=[0.5, 1.0, 1.0, 0.2])
CASES = [
    (AllObserved(), LISTS),
    (AllObserved(least_first=True), LISTS),
    (AllObserved(), SETS),
    (AllObserved(), WEIGHED),
    (WholeReply(1.5, list_size=3), LISTS),
    (AllBits(1.5, list_size=2), SETS),
    (AllBits(1.5, list_size=2), WEIGHED),
    (ListBatches(1.5, horizon=1000), LISTS),
    (ListBatches(1.5, horizon=1000), SETS),
]
NAMES = [f"{policy.name}, {problem}" for policy, problem in CASES]


class Plain:
    """Each of them item by item: everything that was seen is kept, and added up anew in every round."""

    def __init__(self, policy):
        self.name, self.policy = "plain", policy

    def start(self, problem, choice, noise):
        self.problem, self.choice, self.noise = problem, choice, noise
        self.seen = [[] for _ in range(problem.n_arms)]  # pairs: ones and zeros
        self.batch = []
        return self

    def posterior(self, item):
        ones, zeros = (sum(pair[k] for pair in self.seen[item]) for k in (0, 1))
        if isinstance(self.policy, WholeReply):
            p, q = response_probabilities(1.5, n_values=4)
            v = 1 + q * (1 - q) * 4 / 2 / (p - q) ** 2
            return 1 + max(ones, 0) / v, 1 + max(zeros, 0) / v
        return 1 + ones, 1 + zeros

    def ask(self):
        if self.batch and len(self.batch) < self.length:
            return self.shown
        items = range(self.problem.n_arms)
        beta = [self.posterior(item) for item in items]
        draws = [self.choice.beta(*beta[item]) for item in items]
        if isinstance(self.policy, AllBits):
            q = 1 / (1 + math.exp(0.75))
            draws = [(draw - q) / (1 - 2 * q) for draw in draws]
        if hasattr(self.problem, "sets"):
            self.shown = list(max(self.problem.sets, key=lambda s: self.problem.value(s, draws)))
        else:
            self.shown = sorted(items, key=lambda item: -draws[item])[: self.problem.list_size]
        if self.policy.least_first:
            counts = [sum(beta[item]) for item in self.shown]
            if isinstance(self.policy, ListBatches):
                counts = [sum(pair[2] for pair in self.seen[item]) for item in self.shown]
            fewest = counts.index(min(counts))
            self.shown[0], self.shown[fewest] = self.shown[fewest], self.shown[0]
        if isinstance(self.policy, ListBatches):
            self.e = 0.75  # two clicks of a list may move, or both places of a set
            self.c = math.log(1000) / self.e**2
            before = sum(pair[2] for pair in self.seen[self.shown[0]])
            self.batch, self.length = [], max(math.ceil(math.sqrt(self.c)), int(before))
        return self.shown

    def tell(self, feedback):
        lists = isinstance(self.problem, Cascade)
        if isinstance(self.policy, ListBatches):
            self.batch.append(list(feedback))
            if len(self.batch) == self.length:
                self.release(lists)
        elif isinstance(self.policy, WholeReply):
            p, q = response_probabilities(1.5, n_values=4)
            reply, u = (feedback.index(1) if 1 in feedback else 3), self.noise.random()
            if u < 4 * q:
                reply = int(u / q)
            z = [((reply == k) - q) / (p - q) for k in range(3)]
            for k, item in enumerate(self.shown):
                self.seen[item].append((z[k], 1 - sum(z[: k + 1])))
        else:
            for item, value in zip(self.shown, feedback, strict=False):
                bit, q = value, 1 / (1 + math.exp(0.75))
                if isinstance(self.policy, AllBits) and (u := self.noise.random()) < 2 * q:
                    bit = u >= q
                self.seen[item].append((bit, 1 - bit))

    def release(self, lists):
        views = self.length
        for place, item in enumerate(self.shown):
            exact = sum(reply[place] for reply in self.batch if len(reply) > place)
            up, down = (math.floor(-math.log(1 - self.noise.random()) / self.e) for _ in range(2))
            noisy = min(max(exact + up - down, 0), views)
            share = views / (views + self.c) if views else 0
            self.seen[item].append((share * noisy, share * (views - noisy), views))
            views -= noisy * lists
        self.batch = []


@pytest.mark.parametrize(("policy", "problem"), CASES, ids=NAMES)
def test_it_can_be_played_and_plays_its_pseudo_code(policy, problem):
    check_policy(policy, problem)
    rows = trace(problem, policy, horizon=900, seed=4)
    np.testing.assert_array_equal(rows, trace(problem, Plain(policy), horizon=900, seed=4))


@pytest.mark.parametrize(
    ("policy", "problem"),
    [
        (AllObserved(least_first=True), LISTS),
        (AllObserved(), SETS),
        (WholeReply(3.0, list_size=3), LISTS),
        (AllBits(6.0, list_size=2), SETS),
        (ListBatches(1.0, horizon=4000), LISTS),
        (ListBatches(1.0, horizon=4000), SETS),
    ],
    ids=str,
)
def test_it_learns(policy, problem):
    late = trace(problem, policy, horizon=4000, seed=1)[3000:, : problem.list_size]
    assert np.isin(late, np.argsort(-problem.means)[: problem.list_size]).mean() > 0.9


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_randomised_replies_are_true_as_often_as_is_promised(epsilon):
    """In 40,000 replies half or twice the epsilon is off by many standard errors."""
    whole = WholeReply(epsilon, list_size=3).start(LISTS, *streams(7, 0)[1:])
    bits = AllBits(epsilon, list_size=2).start(SETS, *streams(7, 1)[1:])
    found = []
    for learner, reply, true, k, each in ((whole, [0.0, 1.0], 1, 4, epsilon), (bits, [1.0, 0.0], 1, 2, epsilon / 2)):
        learner.ask()
        told = [learner.tell(reply) for _ in range(40_000)]
        kept = sum((one if isinstance(one, int) else one[0]) == true for one in told)
        for factor in (0.5, 1.0, 2.0):
            chance = math.exp(factor * each) / (math.exp(factor * each) + k - 1)
            found.append(scipy.stats.binomtest(kept, 40_000, chance).pvalue)
    assert min(found[1::3]) > 1e-4 and max(found[0::3] + found[2::3]) < 1e-10
    p, q = response_probabilities(epsilon, n_values=4)
    assert WholeReply(epsilon, list_size=3).privacy.effective_epsilon == pytest.approx(
        channel_loss(np.full((4, 4), q) + (p - q) * np.eye(4))
    )
    assert AllBits(epsilon, list_size=2).privacy.effective_epsilon == pytest.approx(epsilon)


@pytest.mark.parametrize(("problem", "moved"), [(LISTS, 2), (SETS, 2), (SemiBandit.top_k([0.5] * 5, 4), 4)], ids=str)
def test_the_noise_of_a_sum_is_for_all_sums_that_a_user_moves(problem, moved):
    """The variance of two-sided geometric noise, of 4,000 first batches of replies without a click."""
    noises = []
    for run in range(4000):
        learner = ListBatches(1.0, horizon=10**6, cost=100.0).start(problem, *streams(3, run)[1:])
        order = list(learner.ask())
        learner.left, learner.length, learner.sums = 1, 200, [100.0] * len(order)
        learner.tell([0.0] * len(order))
        noises.append(learner.ones[order[0]] - 1.0)
    rho = math.exp(-1.0 / moved)
    share = 200 / (200 + learner.price)
    assert np.var(np.array(noises) / share) == pytest.approx(2 * rho / (1 - rho) ** 2, rel=0.2)
    assert ListBatches(1.0, horizon=10).privacy.effective_epsilon == 1.0


def test_what_does_not_fit_is_refused():
    coverage = SemiBandit.coverage([[0.5, 0.1], [0.2, 0.6], [0.4, 0.4]], n_chosen=2)
    contexts = LinearContext.sphere([0.6, 0.0], n_actions=3)
    for policy, problem in ((AllObserved(), coverage), (AllObserved(), contexts), (AllBits(1.0, list_size=3), LISTS)):
        with pytest.raises(ValueError, match="must be"):
            policy.start(problem, *streams(0, 0)[1:])
    for policy in (WholeReply(1.0, list_size=2), WholeReply(1.0, list_size=1)):
        with pytest.raises(ValueError, match="must be a Cascade"):
            policy.start(Arms.bernoulli([0.5, 0.4]), *streams(0, 0)[1:])
