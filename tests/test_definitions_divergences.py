"""Lemmas 3 to 7 of Basu et al. (2019) and the divergences behind them, against independent sums and quadrature."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import rel_entr
from scipy.stats import beta

from private_bandits.papers.definitions import bounds, finite_policies
from private_bandits.privacy import FinitePolicy, divergences
from private_bandits_book.chapters.definitions import lemmas

close = pytest.approx
FIRST, SECOND = (0.5, 0.45), (0.5, 0.7)


class Drawn(FinitePolicy):
    """A policy whose every distribution is drawn once; its loss is whatever it is."""

    def __init__(self, seed, n_arms=2, spread=1.0):
        self.rng, self.n_arms, self.spread, self.laws = np.random.default_rng(seed), n_arms, spread, {}

    def probabilities(self, history):
        if history not in self.laws:
            weights = np.exp(self.spread * self.rng.uniform(-1, 1, self.n_arms))
            self.laws[history] = weights / weights.sum()
        return self.laws[history]


RESPONSE, DRAWN = finite_policies.Response(0.5, n_arms=2), Drawn(3)


def _brute(policy, means, horizon):
    """Probability of each history, one product at a time."""
    law = {}
    for path in product(product(range(len(means)), (0, 1)), repeat=horizon):
        chance = 1.0
        for t, (arm, reward) in enumerate(path):
            chance *= policy.probabilities(path[:t])[arm] * (means[arm] if reward else 1 - means[arm])
        law[path] = chance
    return law


def _kl(one, other):
    return float(sum(rel_entr(one[path], other[path]) for path in one))


def _actions(law):
    total = defaultdict(float)
    for path, chance in law.items():
        total[tuple(arm for arm, _ in path)] += chance
    return total


# --- divergences


def test_kl_and_its_edges():
    for p, q in ((0.5, 0.25), (0.0, 0.75), (0.01, 0.99)):
        assert divergences.bernoulli_kl(p, q) == close(float(rel_entr(p, q) + rel_entr(1 - p, 1 - q)))
    assert divergences.bernoulli_kl(0.5, 1.0) == math.inf
    assert divergences.bernoulli_kl(1.0, 1.0) == 0.0
    # close distributions keep their digits: d is gap^2 / (2 p (1 - p)) there
    assert divergences.bernoulli_kl(0.5, 0.5 + 1e-7) == close(2e-14, rel=1e-6)
    rng = np.random.default_rng(0)
    p, q = rng.dirichlet(np.ones(5), 2)
    assert divergences.kl_divergence(p, q) == close(float(rel_entr(p, q).sum()))
    assert divergences.kl_divergence([0.0, 0.5, 0.5], [0.5, 0.25, 0.25]) == close(math.log(2))


@pytest.mark.parametrize(("p", "q", "epsilon"), [(0.5, 0.6, 0.01), (0.0, 0.3, 3.0)])
def test_what_the_response_keeps(p, q, epsilon):
    keep = math.exp(epsilon) / (1 + math.exp(epsilon))
    answers = [np.array([1 - x, x]) @ [[keep, 1 - keep], [1 - keep, keep]] for x in (p, q)]
    assert divergences.response_kl(p, q, epsilon=epsilon) == close(float(rel_entr(*answers).sum()), rel=1e-8)
    assert divergences.response_kl(p, q, epsilon=math.inf) == close(divergences.bernoulli_kl(p, q))


@pytest.mark.parametrize("epsilon", [0.05, 2.0])
@pytest.mark.parametrize(("p", "q"), [(0.5, 0.55), (0.9, 0.3), (0.0, 0.4)])
def test_private_kl_is_its_minimum(p, q, epsilon):
    low, high = sorted((p, q))
    found = minimize_scalar(
        lambda z: epsilon * abs(z - p) + float(rel_entr(z, q) + rel_entr(1 - z, 1 - q)),
        bounds=(low, high),
        method="bounded",
        options={"xatol": 1e-12},
    )
    value = divergences.private_kl(p, q, epsilon=epsilon)
    assert value == close(min(found.fun, divergences.bernoulli_kl(p, q), epsilon * abs(p - q)), rel=1e-7)


def test_private_kl_in_its_limits():
    assert divergences.private_kl(0.3, 0.6, epsilon=math.inf) == divergences.bernoulli_kl(0.3, 0.6)
    assert divergences.private_kl(0.3, 0.6, epsilon=2.0) == divergences.bernoulli_kl(0.3, 0.6)  # log-odds 1.25 apart
    assert divergences.private_kl(0.3, 0.6, epsilon=1e-6) == close(0.3e-6, rel=1e-5)
    assert divergences.private_kl(0.3, 1.0, epsilon=0.7) == close(0.7 * 0.7)
    assert divergences.private_kl(0.4, 0.4, epsilon=0.7) == 0.0
    for epsilon in (3.0, 30.0, 40.0, 700.0, 1e4):  # where 1 - q + q e^(-epsilon) is a difference of nothing
        assert divergences.private_kl(0.25, 1.0, epsilon=epsilon) == close(0.75 * epsilon, rel=1e-15)
        assert divergences.private_kl(1e-9, 0.0, epsilon=epsilon) == close(1e-9 * epsilon, rel=1e-15)
    values = [divergences.private_kl(0.2, 0.7, epsilon=x) for x in np.linspace(0.05, 4, 40)]
    assert values == sorted(values)


# --- Lemmas 3 to 7


def paired(policy, horizon, first=FIRST, second=SECOND):
    return lemmas.Pair(policy, first, second, horizon)


def action_bound(pair):
    """Sum over arms of E_1[N_a] d_epsilon at the exact loss."""
    arms = zip(pair.pulls[0], pair.p.tolist(), pair.q.tolist(), strict=True)
    return sum(n * divergences.private_kl(x, y, epsilon=pair.loss()) for n, x, y in arms)


def actions(pair):
    codes = pair.arms @ (len(pair.p) ** np.arange(pair.horizon))
    return float(rel_entr(*(np.bincount(codes, weights=law) for law in (pair.ours, pair.theirs))).sum())


@pytest.mark.parametrize("policy", [DRAWN, finite_policies.Greedy(n_arms=2)])
def test_lemma_3_is_exact(policy):
    pair = paired(policy, 3)
    laws = [_brute(policy, means, 3) for means in (FIRST, SECOND)]
    assert pair.divergence == close(_kl(*laws), rel=1e-10) == close(pair.reward_term, rel=1e-10)
    assert actions(pair) == close(_kl(*map(_actions, laws)), rel=1e-10)
    assert pair.pulls[0].sum() == close(3.0) and pair.likeliest >= 1.5


@pytest.mark.parametrize(("epsilon", "p", "q"), [(0.05, 0.5, 0.55), (1.5, 0.1, 0.9)])
def test_lemma_4_by_hand(epsilon, p, q):
    printed = 2 * min(4.0, math.exp(2 * epsilon)) * (math.exp(epsilon) - 1) ** 2 * divergences.bernoulli_kl(p, q)
    (row,) = lemmas.lemma_4([epsilon], [(p, q)]).itertuples()
    assert row.looseness == close(printed / divergences.response_kl(p, q, epsilon=epsilon))


def test_lemma_5_adds_a_positive_term_at_the_exact_loss():
    pair = paired(RESPONSE, 4)
    extra, claimed = lemmas.lemma_5(pair)
    rate = math.exp(-4 / min(pair.pulls[0].min(), pair.pulls[1].min()))
    assert claimed == close((1 - 2 * rate) / (1 - rate)) and claimed < 1 < pair.likeliest
    assert extra == close(bounds.spurious_term(epsilon=0.5) * claimed) and extra > 0


def test_lemma_6_holds_for_a_trivial_reason_and_a_step_fails():
    pair = paired(finite_policies.Exponential(0.1, n_arms=2), 2, (0.6, 0.6), (0.65, 0.65))
    least, integral, claimed = lemmas.lemma_6(pair)
    laws = [_brute(pair.policy, means, 2) for means in ((0.6, 0.6), (0.65, 0.65))]
    turned = {path: ((path[0][0], 1 - path[0][1]), path[1]) for path in laws[0]}
    by_hand = sum(laws[0][path] * math.log(laws[0][near] / laws[1][near]) for path, near in turned.items())
    assert integral == close(by_hand) and integral > claimed > pair.divergence
    assert least > pair.divergence


def test_lemma_7_is_tight_for_the_response():
    pair = paired(RESPONSE, 3)
    assert lemmas.lemma_7(pair) == close(0.0, abs=1e-12)  # the next answers tell of the turned reward
    assert lemmas.lemma_7(paired(DRAWN, 3)) < 0


def test_lipschitz_rewards_are_fewer_than_named():
    far, x = lemmas.slopes(10.0), np.linspace(0.05, 0.95, 200_001)
    assert far["Beta"] == close(0.9 * np.abs(np.diff(beta(2, 2).logpdf(x)) / np.diff(x)).max(), rel=1e-3)
    assert (far["Gaussian"], far["exponential"], far["Bernoulli"]) == close((200.0, 10.0, math.log(3)))


def test_what_replaces_lemma_6(epsilon=1.0):
    for policy in (
        finite_policies.Response(epsilon, n_arms=2),
        finite_policies.Exponential(epsilon, n_arms=2),
        Drawn(7, spread=epsilon),
    ):
        pair = paired(policy, 4)
        assert actions(pair) <= action_bound(pair) <= pair.reward_term
    # several arms that differ, in both directions
    pair = paired(finite_policies.Exponential(epsilon, n_arms=2), 4, (0.2, 0.8), (0.7, 0.3))
    assert 0 < actions(pair) <= action_bound(pair) < pair.reward_term
