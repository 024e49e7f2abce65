"""Rivals for lists, super arms, contexts and heavy tails: each against its pseudo-code, its noise, and its promise."""

from __future__ import annotations

import math
from functools import reduce
from itertools import combinations
from operator import add

import numpy as np
import pytest
import scipy

from private_bandits.baselines.azize_dp_klucb import reference as dp_klucb_reference
from private_bandits.channels import channel_loss
from private_bandits.kernels import stretches
from private_bandits.kernels.parts.sums import exceedance
from private_bandits.mechanisms import gaussian_sigma, response_probabilities
from private_bandits.papers.cascading import b_lb
from private_bandits.papers.contextual import shared
from private_bandits.papers.contextual.instances import one_set
from private_bandits.papers.heavy_tailed import pareto_arms
from private_bandits.policy_checks import check_policy
from private_bandits.problems import Arms, Cascade, LinearContext, SemiBandit
from private_bandits.simulation import simulate, trace
from private_bandits.streams import streams
from private_bandits_book.rivals.all_observations import AllObserved
from private_bandits_book.rivals.exceedance_counts import exceedance_counts, on_bits
from private_bandits_book.rivals.greedy_epochs import greedy_epochs
from private_bandits_book.rivals.list_batches import ListBatches
from private_bandits_book.rivals.one_item_index import OneItemIndex
from private_bandits_book.rivals.single_observation import OneBit
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
    (OneBit(1.5), Arms.bernoulli([0.9, 0.5, 0.4])),
    (OneBit(1.5), LISTS),
    (OneBit(1.5), SETS),
]
NAMES = [f"{policy.name}, {problem}" for policy, problem in CASES]

VECTORS = np.array([[[1.0, 0.0], [0.0, 1.0]], [[0.6, 0.8], [-0.8, 0.6]], [[-1.0, 0.0], [0.6, -0.8]]])
TEN = LinearContext.table(VECTORS, VECTORS @ [0.6, 0.3])
PAIR = one_set(2, gap=0.4)
PARETO = pareto_arms([0.9, 0.6, 0.3], shape=1.5)


class Plain:
    """Each of them item by item: everything that was seen is kept, and added up anew in every round."""

    def __init__(self, policy):
        self.name, self.policy, self.one = "plain", policy, isinstance(policy, OneBit)

    def start(self, problem, choice, noise):
        self.problem, self.choice, self.noise = problem, choice, noise
        self.seen = [[] for _ in range(problem.n_arms)]  # pairs: ones and zeros
        self.batch = []
        return self

    def posterior(self, item):
        # one by one: from Python 3.12 on, sum corrects what is rounded
        ones, zeros = (reduce(add, (pair[k] for pair in self.seen[item]), 0) for k in (0, 1))
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
        if hasattr(self.problem, "sets") and not self.one:
            self.shown = list(max(self.problem.sets, key=lambda s: self.problem.value(s, draws)))
        else:
            self.shown = sorted(items, key=lambda item: -draws[item])[: self.problem.list_size]
        if self.one or self.policy.least_first:
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
            for item, value in zip(self.shown[:1] if self.one else self.shown, feedback, strict=False):
                bit, q = value, 1 / (1 + math.exp(1.5 if self.one else 0.75))
                if isinstance(self.policy, AllBits | OneBit) and (u := self.noise.random()) < 2 * q:
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


@pytest.mark.parametrize("problem", [TEN, PAIR], ids=str)
@pytest.mark.parametrize(("delta", "radius"), [(0.0, 0.0), (0.0, 30.0), (1e-3, 0.0)])
def test_greedy_epochs_play_their_pseudo_code(problem, delta, radius):
    """Least squares on the sums of all epochs, each with noise of one scale, once."""
    policy = greedy_epochs(1.0, delta=delta, dim=2, horizon=5000, radius=radius)
    check_policy(policy, problem)
    scale = 3.0 + 4.0 * math.sqrt(2.0)
    if delta:  # 2 for unit vectors, 4 with rewards to 2
        scale = gaussian_sigma(1.0, delta=delta, sensitivity=4.0)
    drawn = streams(5, 0)

    def users(n, size):
        return scale * drawn.noise.standard_normal(size) if delta else drawn.noise.laplace(0.0, scale, size)

    told = shared.stretched(
        problem,
        5000,
        drawn,
        lambda t: scale,
        lambda t: radius,
        shared.messages(2, users),
        growth=1.0,
        first=math.ceil(4 * scale),
    )
    np.testing.assert_array_equal(trace(problem, policy, horizon=5000, seed=5), told)


def test_greedy_epochs_pay_what_they_promise_for_one_epoch():
    """The L1 reach by a search over pairs of users, and the kernel's own account; half the scale pays twice as much."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(2, 20_000, 2))
    x[0, :2], x[1, :2] = [[1.0, 1.0], [1.0, -1.0]], [[-1.0, -1.0], [-1.0, 1.0]]
    x /= np.linalg.norm(x, axis=2, keepdims=True)
    sent = np.stack([x[..., 0] ** 2, x[..., 0] * x[..., 1], x[..., 1] ** 2, 2 * x[..., 0], 2 * x[..., 1]], axis=-1)
    moved = np.abs(sent[0] - sent[1]).sum(axis=1).max()
    for policy, delta in (
        (greedy_epochs(0.5, dim=2, horizon=99), 0.0),
        (greedy_epochs(0.5, delta=1e-6, dim=2, horizon=9), 1e-6),
    ):
        assert policy.privacy.joint and policy.privacy.trust == "central"
        assert policy.account(delta) == pytest.approx((policy.privacy.effective_epsilon, False))
        assert policy.privacy.effective_epsilon == pytest.approx(0.5, rel=1e-6)
    laplace = greedy_epochs(0.5, dim=2, horizon=99).record.constants.sigma
    assert 4.0 * math.sqrt(2.0) - 1e-9 <= moved <= 0.5 * laplace + 1e-9
    halved = greedy_epochs(1.0, dim=2, horizon=99).record
    assert stretches.account(halved, 0.0)[0] == pytest.approx(1.0)


@pytest.mark.parametrize("epsilon", [1.0, math.inf])
def test_exceedance_counts_are_dp_klucb_on_bernoulli_arms(epsilon):
    policy = exceedance_counts(epsilon, horizon=3000, level=0.7)
    check_policy(policy, PARETO)
    shares = [min(1.0, (mean / 3.0) ** 1.5) for mean in (0.9, 0.6, 0.3)]
    assert [exceedance(mean, 1.5, 1.0) for mean in (0.9, 0.6, 0.3)] == pytest.approx(shares)
    rewards = (
        pareto_arms([0.9], shape=1.5).means[0] / 3.0 * (1.0 - np.random.default_rng(2).random(100_000)) ** (-1 / 1.5)
    )
    assert scipy.stats.binomtest(int((rewards > 1.0).sum()), 100_000, shares[0]).pvalue > 1e-4
    told = dp_klucb_reference(Arms.bernoulli(shares), 3000, streams(5, 0), epsilon=epsilon, level=0.7)
    np.testing.assert_array_equal(trace(PARETO, policy, horizon=3000, seed=5), told)
    paid = policy.privacy.effective_epsilon
    assert policy.account(0.0) == (paid, False) and paid == pytest.approx(epsilon)


def test_one_bit_of_a_reward_is_sent_as_often_as_is_promised_and_arms_stay_in_order():
    policy = exceedance_counts(1.0, horizon=3000, threshold=0.5, level=0.7, local=True)
    truth, flip = response_probabilities(1.0, n_values=2)
    assert policy.record.flip == flip and policy.privacy.trust == "local" and policy.mechanism == "response"
    assert policy.privacy.effective_epsilon == pytest.approx(1.0) and truth + flip == pytest.approx(1.0)
    far = {"horizon": 10**12, "replications": 4, "seed": 1, "n_jobs": 1, "progress": False, "checkpoints": []}
    local = simulate(PARETO, exceedance_counts(1.0, horizon=10**12, threshold=0.5, local=True), **far).regret[:, -1]
    free = simulate(PARETO, exceedance_counts(math.inf, horizon=10**12, threshold=0.5), **far).regret[:, -1]
    assert float(free.mean()) < float(local.mean()) < 1e-6 * PARETO.uniform_regret() * 10**12
    bits = Arms.bernoulli([0.7, 0.4])
    played = simulate(bits, on_bits(1.0, level=0.7), **far | {"horizon": 3000}).regret[:, -1]
    assert float(played.max()) < 0.5 * bits.uniform_regret() * 3000


@pytest.mark.parametrize("problem", [LISTS, SETS], ids=["lists", "sets"])
def test_one_item_index_sums_the_least_observed_item_and_adds_one_noise_a_batch(problem):
    """Its batches by hand: the observations of the first item, with the noise that the stream has next."""
    policy, rounds = OneItemIndex(1.0, first=5, level=0.5), 400
    learner = policy.start(problem, np.random.default_rng(1), np.random.default_rng(2))
    world, noise, counts, sums, at = np.random.default_rng(3), np.random.default_rng(2), {}, {}, 0
    while at < rounds:
        first = learner.ask()[0]
        shown = [counts.get(item, 0) for item in learner.order]
        assert shown == sorted(shown) and len(set(learner.order)) == problem.list_size
        length = max(5, int(0.5 * counts.get(first, 0)))
        told = (world.random(length) < 0.4).astype(float)
        for value in told:
            assert learner.ask() == learner.order
            learner.tell([value])
        counts[first] = counts.get(first, 0) + length
        sums[first] = sums.get(first, 0.0) + told.sum() + noise.laplace(0.0, 1.0)
        assert learner.counts[first] == counts[first] and learner.sums[first] == pytest.approx(sums[first])
        at += length
    fresh = OneItemIndex(1.0, first=5, level=0.5)
    runs = simulate(problem, fresh, horizon=4000, replications=4, seed=1, n_jobs=1, progress=False, checkpoints=[])
    assert float(runs.regret[:, -1].mean()) < 0.5 * problem.uniform_regret() * 4000
