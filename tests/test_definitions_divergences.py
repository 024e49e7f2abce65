"""Lemmas 3 to 7 of Basu et al. (2019) and the divergences behind them, against independent sums and quadrature."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import rel_entr
from scipy.stats import beta, expon, norm

from private_bandits.privacy import FinitePolicy, channel_loss, divergences
from private_bandits_book import policies
from private_bandits_book.definitions import divergences as reports
from private_bandits_book.definitions import histories

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


class Tell(FinitePolicy):
    """Pull arm 0, say through randomised response what it gave, and say no more."""

    def __init__(self, epsilon):
        self.keep = 1 / (1 + math.exp(-epsilon))

    def probabilities(self, history):
        if not history:
            return np.array([1.0, 0.0, 0.0])
        won = history[0][1]
        return np.array([0.0, self.keep if won else 1 - self.keep, 1 - self.keep if won else self.keep])


POLICIES = {
    "response": policies.Response(0.5, 2),
    "exponential": policies.Exponential(0.8, 2),
    "drawn": Drawn(3),
    "greedy": policies.Greedy(2),
}


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


@pytest.mark.parametrize(("p", "q"), [(0.5, 0.25), (0.0, 0.75), (1.0, 0.25), (0.3, 0.3), (0.01, 0.99)])
def test_bernoulli_kl(p, q):
    assert divergences.bernoulli_kl(p, q) == close(float(rel_entr(p, q) + rel_entr(1 - p, 1 - q)))


def test_kl_at_its_edges():
    assert divergences.bernoulli_kl(0.5, 1.0) == math.inf
    assert divergences.bernoulli_kl(1.0, 1.0) == 0.0
    # close distributions keep their digits: d is gap^2 / (2 p (1 - p)) there
    assert divergences.bernoulli_kl(0.5, 0.5 + 1e-7) == close(2e-14, rel=1e-6)
    rng = np.random.default_rng(0)
    p, q = rng.dirichlet(np.ones(5), 2)
    assert divergences.kl_divergence(p, q) == close(float(rel_entr(p, q).sum()))
    assert divergences.kl_divergence([0.0, 0.5, 0.5], [0.5, 0.25, 0.25]) == close(math.log(2))
    assert reports.total_variation(p, q) == close(float(np.maximum(p - q, 0).sum()))


def channels(epsilon, draws):
    """Random channels on two rewards, of 2 to 6 reports, whose odds are drawn from [-epsilon, epsilon]."""
    rng = np.random.default_rng(0)
    for _ in range(draws):
        size = int(rng.integers(2, 7))
        odds = epsilon * rng.uniform(-1.0, 1.0, size)
        odds[:2] = epsilon, -epsilon
        row = rng.dirichlet(np.ones(size))
        # the first two reports, of extreme odds, make up what the second row lacks to sum to 1
        excess, mass = 1.0 - row[2:] @ np.exp(odds[2:]), 1.0 - row[2:].sum()
        row[0] = (excess - mass * math.exp(-epsilon)) / (2.0 * math.sinh(epsilon))
        row[1] = mass - row[0]
        if row[0] >= 0.0 and row[1] >= 0.0:
            yield np.array([row, row * np.exp(odds)])


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 3.0])
@pytest.mark.parametrize(("p", "q"), [(0.5, 0.6), (0.1, 0.9), (0.0, 0.3)])
def test_no_channel_keeps_more_than_the_response(p, q, epsilon):
    keep = math.exp(epsilon) / (1 + math.exp(epsilon))
    channel = np.array([[keep, 1 - keep], [1 - keep, keep]])
    answers = [np.array([1 - x, x]) @ channel for x in (p, q)]
    assert divergences.response_kl(p, q, epsilon) == close(float(rel_entr(*answers).sum()), rel=1e-8)
    assert reports.response_channel(epsilon) == close(channel)
    shares = [float(rel_entr([1 - p, p] @ drawn, [1 - q, q] @ drawn).sum()) for drawn in channels(epsilon, 1000)]
    assert 0.9 < max(shares) / divergences.response_kl(p, q, epsilon) <= 1 + 1e-9
    assert divergences.response_kl(p, q, math.inf) == close(divergences.bernoulli_kl(p, q))


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 4.0])
def test_every_ldp_channel_is_a_response_followed_by_another(epsilon):
    """The weights of the proof are a channel, and composing gives back the one that they come from."""
    ratio, near = math.exp(epsilon), np.exp(epsilon * np.linspace(0, 1, 16))
    given = np.array([near[::-1], near]) / near.sum()  # as the tails of noise, neighbours up to e^epsilon apart
    after = np.array([ratio * given[0] - given[1], ratio * given[1] - given[0]]) / (ratio - 1)
    assert (after >= -1e-12).all()
    assert after.sum(axis=1) == close(np.ones(2))
    assert reports.response_channel(epsilon) @ after == close(given)


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 2.0, 6.0])
@pytest.mark.parametrize(("p", "q"), [(0.5, 0.55), (0.2, 0.9), (0.9, 0.3), (0.0, 0.4)])
def test_private_kl_is_its_minimum(p, q, epsilon):
    low, high = sorted((p, q))
    found = minimize_scalar(
        lambda z: epsilon * abs(z - p) + float(rel_entr(z, q) + rel_entr(1 - z, 1 - q)),
        bounds=(low, high),
        method="bounded",
        options={"xatol": 1e-12},
    )
    value = divergences.private_kl(p, q, epsilon)
    assert value == close(min(found.fun, divergences.bernoulli_kl(p, q), epsilon * abs(p - q)), rel=1e-7)


def test_private_kl_in_its_limits():
    assert divergences.private_kl(0.3, 0.6, math.inf) == divergences.bernoulli_kl(0.3, 0.6)
    assert divergences.private_kl(0.3, 0.6, 2.0) == divergences.bernoulli_kl(0.3, 0.6)  # log-odds 1.25 apart
    assert divergences.private_kl(0.3, 0.6, 1e-6) == close(0.3e-6, rel=1e-5)
    assert divergences.private_kl(0.3, 1.0, 0.7) == close(0.7 * 0.7)
    assert divergences.private_kl(0.4, 0.4, 0.7) == 0.0
    values = [divergences.private_kl(0.2, 0.7, x) for x in np.linspace(0.05, 4, 40)]
    assert values == sorted(values)


# --- Lemma 4


@pytest.mark.parametrize("epsilon", [0.05, math.log(2), 1.5])
def test_chain_of_lemma_4_by_hand(epsilon):
    found = reports.lemma_4(reports.response_channel(epsilon), [0.6, 0.4], [0.3, 0.7], epsilon)
    factor = min(4, math.exp(2 * epsilon)) * (math.exp(epsilon) - 1) ** 2
    rewards = 0.6 * math.log(2) + 0.4 * math.log(4 / 7)
    assert divergences.local_factor(epsilon) == close(factor)
    assert found.rewards == close(rewards)
    assert found.tv == close(0.3)
    assert found.duchi == close(factor * 0.09)
    assert found.printed == close(2 * factor * rewards)
    assert found.corrected == close(factor * rewards / 2)
    assert found.kept == close(found.best)


def test_chain_of_lemma_4_holds_for_drawn_channels():
    rng = np.random.default_rng(5)
    for _ in range(200):
        channel = rng.dirichlet(np.ones(4), 3) * 0.9 + 0.1 / 4
        epsilon = channel_loss(channel)
        p, q = rng.dirichlet(np.ones(3), 2)
        found = reports.lemma_4(channel, p, q, epsilon)
        assert found.kept < found.symmetric <= found.duchi <= found.corrected < found.printed
        assert math.isnan(found.best)
        # the norm: the L1 distance in the place of its half would break Pinsker
        assert found.tv**2 <= found.rewards / 2


def test_lemma_4_is_loose_by_eight_at_best():
    frame = reports.lemma_4_table([1e-3, 1.0, 5.0], [(0.5, 0.501)])
    exact = frame.set_index("epsilon")
    small = exact.loc[1e-3]
    assert small.looseness == close(2 * 4 * (1 + 3e-3) * 1.0, rel=0.01)
    # what Duchi et al. lose, of which 2 is the symmetric divergence
    assert small.duchi_loss == close(2.0, rel=0.01)
    # what Pinsker loses, all of it the wrong norm where rewards are close to 1/2
    assert small.pinsker_loss == close(4.0, rel=1e-3)
    assert (frame.printed / frame.corrected).tolist() == close([4.0] * len(frame))
    assert exact.looseness[5.0] > 100_000
    assert frame.looseness.tolist() == close((frame.duchi_loss * frame.pinsker_loss).tolist())


@pytest.mark.parametrize("epsilon", [0.3, 2.0])
def test_lemma_4_for_histories(epsilon):
    learner = policies.Greedy(2)
    found = histories.lemma_4(learner, FIRST, SECOND, 3, epsilon)
    keep = math.exp(epsilon) / (1 + math.exp(epsilon))
    laws = [_brute(learner, [1 - keep + x * (2 * keep - 1) for x in means], 3) for means in (FIRST, SECOND)]
    assert found.divergence == close(_kl(*laws))
    assert found.best == close(found.divergence)
    # here the rewards of both environments only differ in arm 1
    kept, rewards = divergences.response_kl(0.45, 0.7, epsilon), divergences.bernoulli_kl(0.45, 0.7)
    assert found.printed / found.divergence == close(2 * divergences.local_factor(epsilon) * rewards / kept)


# --- Lemma 3


def paired(name, horizon, first=FIRST, second=SECOND):
    return histories.Pair(POLICIES.get(name, name), first, second, horizon)


@pytest.mark.parametrize("name", POLICIES)
def test_lemma_3_is_exact(name):
    found = paired(name, 4)
    one, other = (_brute(POLICIES[name], means, 4) for means in (FIRST, SECOND))
    assert found.divergence == close(_kl(one, other))
    assert found.reward_term == close(found.divergence)
    assert found.policy_term == 0.0
    assert found.actions == close(_kl(_actions(one), _actions(other)))
    assert sum(found.pulls) == close(4.0)
    pulls = sum(chance * sum(arm == 1 for arm, _ in path) for path, chance in one.items())
    assert found.pulls[1] == close(pulls)
    assert found.reward_term == close(pulls * divergences.bernoulli_kl(0.45, 0.7))


def test_lemma_3_with_a_policy_that_knows_the_environment():
    policy, other = Drawn(1), Drawn(2)
    found = histories.Pair(policy, FIRST, SECOND, 3, other)
    one, two = _brute(policy, FIRST, 3), _brute(other, SECOND, 3)
    assert found.divergence == close(_kl(one, two))
    assert found.divergence == close(found.policy_term + found.reward_term)
    assert found.policy_term > 0.1
    by_hand = 0.0
    for path, chance in one.items():
        for t in range(3):
            by_hand += chance * float(rel_entr(policy.probabilities(path[:t]), other.probabilities(path[:t])).sum())
    assert found.policy_term == close(by_hand)


# --- Lemma 5


@pytest.mark.parametrize("name", ["response", "exponential", "drawn"])
def test_lemma_5_adds_a_term_that_is_not_there(name):
    pair, policy = paired(name, 4), POLICIES[name]
    found, loss = histories.lemma_5(pair), pair.loss("instantaneous")
    least = min(*pair.pulls, *paired(name, 4, SECOND, FIRST).pulls)
    rate = math.exp(-4 / least)
    assert found.claimed == close((1 - 2 * rate) / (1 - rate)) and found.claimed < 1.0
    assert found.extra == close(2 * loss * (math.exp(2 * loss) - 1) * found.claimed) and found.extra > 0
    largest = sum(
        max(policy.probabilities(path).max() for path in product(product((0, 1), (0, 1)), repeat=t)) for t in range(4)
    )
    assert found.likeliest == close(float(largest))
    assert found.likeliest >= 2.0  # four rounds, two arms


def test_lemma_5_at_the_exact_loss():
    assert paired("response", 3).loss("instantaneous") == close(0.5)
    assert histories.lemma_5(paired("greedy", 3)).extra == math.inf


# --- Lemma 6


@pytest.mark.parametrize("step", [1, 2, 3])
@pytest.mark.parametrize("name", ["response", "exponential", "drawn"])
def test_lemma_6_holds_for_a_trivial_reason(name, step):
    pair = paired(name, 3)
    found, paid = histories.lemma_6(pair, step), pair.loss() + math.log(0.7 / 0.3)
    assert found.text == close(2 * paid + math.exp(2 * paid) * pair.divergence)
    assert found.appendix == close(math.exp(paid) * (2 * paid + pair.divergence))
    assert min(found.text, found.appendix) > pair.divergence
    one, two = (_brute(POLICIES[name], means, 3) for means in (FIRST, SECOND))

    def turn(path):
        return tuple((arm, 1 - x if t == step - 1 else x) for t, (arm, x) in enumerate(path))

    integral = sum(chance * math.log(one[turn(path)] / two[turn(path)]) for path, chance in one.items())
    assert found.integral == close(integral)
    assert found.claimed == close(math.exp(2 * paid) * pair.divergence)


def test_step_of_lemma_6_fails_on_one_pull():
    """One arm in effect: 0.6 ln(0.4/0.35) + 0.4 ln(0.6/0.65) = 0.048 against 3.45 * 0.0053."""
    pair = paired(Drawn(0, spread=0.0), 1, (0.6, 0.6), (0.65, 0.65))
    found = histories.lemma_6(pair)
    assert pair.loss() == 0.0
    assert found.integral == close(0.6 * math.log(0.4 / 0.35) + 0.4 * math.log(0.6 / 0.65))
    assert found.claimed == close((0.65 / 0.35) ** 2 * divergences.bernoulli_kl(0.6, 0.65))
    assert found.integral > 2.5 * found.claimed
    # which of the two statements is larger depends on the divergence
    assert found.appendix > found.text
    apart = histories.lemma_6(paired(policies.Response(2.0, 2), 3, (0.1, 0.1), (0.9, 0.9)))
    assert apart.text > apart.appendix


def test_lemma_6_needs_every_history():
    with pytest.raises(ValueError, match="policy must allow every history"):
        histories.lemma_6(paired("greedy", 3))


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_what_replaces_lemma_6(epsilon):
    for policy in (policies.Response(epsilon, 2), policies.Exponential(epsilon, 2), Drawn(7, spread=epsilon)):
        pair = paired(policy, 4)
        azize_basu = 6 * pair.loss() * sum(n * abs(p - q) for n, p, q in pair.by_arm())
        assert pair.actions <= histories.action_bound(pair) <= min(pair.reward_term, azize_basu)
    # several arms that differ, in both directions
    pair = paired(policies.Exponential(epsilon, 2), 4, (0.2, 0.8), (0.7, 0.3))
    assert 0 < pair.actions <= histories.action_bound(pair) < pair.reward_term


def test_what_replaces_lemma_6_is_nearly_tight():
    """One pull told through randomised response keeps epsilon tanh(epsilon/2) where the bound is epsilon."""
    pair = paired(Tell(4.0), 2, (0.001, 0.5, 0.5), (0.999, 0.5, 0.5))
    bound = histories.action_bound(pair)
    assert pair.loss() == close(4.0)
    assert pair.actions == close(divergences.response_kl(0.001, 0.999, 4.0))
    assert bound == close(divergences.private_kl(0.001, 0.999, 4.0))
    assert 0.9 * bound < pair.actions <= bound
    assert pair.reward_term == close(divergences.bernoulli_kl(0.001, 0.999))


# --- Lemma 7


def test_lemma_7_is_tight_for_the_response():
    pair = paired("response", 3, (0.5, 0.7), (0.5, 0.7))
    found = histories.lemma_7(pair)
    assert pair.loss() == close(1.0)
    assert found.bound == close(1.0 + math.log(0.7 / 0.3))
    law = _brute(policies.Response(0.5, 2), (0.5, 0.7), 3)
    worst = max(
        math.log(chance / law[(*path[:t], (path[t][0], 1 - path[t][1]), *path[t + 1 :])])
        for path, chance in law.items()
        for t in range(3)
    )
    assert found.ratio == close(worst)
    assert 0.9 * found.bound < found.ratio <= found.bound + 1e-12
    for seed in range(5):
        drawn = histories.lemma_7(paired(Drawn(seed), 3, (0.2, 0.6), (0.2, 0.6)))
        assert drawn.ratio <= drawn.bound + 1e-12


def test_lipschitz_rewards_are_fewer_than_named():
    frame = histories.lipschitz((2.0, 20.0)).set_index(["family", "reach"]).slope
    step = 1e-6
    for reach in (2.0, 20.0):
        edge = 0.5 / reach
        slopes = {
            "Gaussian": (norm.logpdf(reach - step) - norm.logpdf(reach)) / step,
            "Beta": (beta.logpdf(edge + step, 2, 2) - beta.logpdf(edge, 2, 2)) / step,
            "Exponential": (expon.logpdf(reach) - expon.logpdf(reach + step)) / step,
            "Bernoulli": math.log(3),
        }
        for family, slope in slopes.items():
            assert frame[family, reach] == close(slope, rel=1e-3)
    shift = histories.lipschitz((2.0, 20.0)).set_index(["family", "reach"])
    assert shift.difference["Beta", 2.0] == close(0.5)
    product = shift.slope * shift.difference
    for family, stays in (("Gaussian", False), ("Beta", False), ("Exponential", False), ("Bernoulli", True)):
        assert bool(product[family, 20.0] < 5 * product[family, 2.0]) is stays
        assert bool(shift.bounded[family, 20.0]) is stays


# --- refusals


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: divergences.bernoulli_kl(1.5, 0.5), "p must be >= 0 and <= 1"),
        (lambda: divergences.private_kl(0.5, 0.4, 0.0), "epsilon must be > 0"),
        (lambda: divergences.response_mean(-0.1, 1.0), "p must be"),
    ],
)
def test_bad_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
