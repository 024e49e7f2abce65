"""What privacy costs in long games: each step of Theorems A, B and C, and the contraction, against exact values."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import binom

from private_bandits.baselines import ldp_ucb_response, ucb
from private_bandits.mechanisms.noise import geometric, laplace
from private_bandits.papers import definitions
from private_bandits.papers.definitions import bounds, factor, replacements, theorem_a
from private_bandits.policy import Player
from private_bandits.privacy.divergences import bernoulli_kl, response_kl
from private_bandits.problems import Arms
from private_bandits.simulation import trace
from private_bandits.streams import streams

close = pytest.approx


# --- Theorem A


def test_theorem_a_is_its_formula_and_the_best_of_its_free_quantities():
    horizon, epsilon = 10**24, 0.5
    for mixing, batch, epochs in ((0.1, 10**20, 30), (1e-3, 10**22, 36)):
        log, g = math.log(4 * 3 * horizon / 4**epochs), 2.0**-epochs
        wanted = 3 * (128 / g * log + 32 * math.log(12 * horizon) / epsilon + batch * g + 1) + 4 / g
        wanted += g * horizon * (horizon / batch) * 0.63 / (epsilon * math.sqrt(batch * mixing * (1 - mixing)))
        assert factor.theorem_a_excess(
            n_arms=3, horizon=horizon, epsilon=epsilon, mixing=mixing, batch=batch, epochs=epochs
        ) == close(wanted)

    def ratio(free):
        mixing, epochs = min(math.exp(free[0]), 0.4), max(1, round(free[2]))
        excess = factor.theorem_a_excess(
            n_arms=3, horizon=10**50, epsilon=epsilon, mixing=mixing, batch=int(math.exp(free[1])), epochs=epochs
        )
        return math.log((1 + excess / replacements.minimax(n_arms=3, horizon=10**50)) / (1 - 2 * mixing))

    found = factor.theorem_a(n_arms=3, horizon=10**50, epsilon=epsilon)
    searched = [minimize(ratio, (-7.0, 100.0, e), method="Nelder-Mead").fun for e in (60.0, 68.0, 74.0)]
    assert math.log(found) <= min(searched) * 1.05


def test_the_factor_of_theorem_a_falls_to_one():
    for epsilon in (0.01, 1.0):
        factors = [factor.theorem_a(n_arms=3, horizon=10**power, epsilon=epsilon) for power in (40, 60, 80, 120)]
        assert factors == sorted(factors, reverse=True) and 1 < factors[-1] < 1.0001
        # the rate of the corollary, (epsilon^2 T)^(-1/11) but for a logarithm
        rate = math.log((factors[2] - 1) / (factors[3] - 1)) / (40 * math.log(10))
        assert 0.9 / 11 < rate < 1.1 / 11
    at = [factor.theorem_a(n_arms=3, horizon=10**70, epsilon=epsilon) for epsilon in (0.01, 1.0, math.inf)]
    assert at[0] > at[1] > at[2]
    for n_arms, horizon in product((2, 3, 10, 1000), (1, 2, 5, 30, 10**3, 10**6)):
        if horizon >= n_arms:
            assert replacements.minimax(n_arms=n_arms, horizon=horizon) >= 0.03 * math.sqrt(n_arms * horizon)


@pytest.mark.parametrize(("n_arms", "epsilon"), [(2, 0.01), (10, 1.0), (10, math.inf)])
def test_central_upper_by_hand(n_arms, epsilon):
    """For every last epoch: what the arms cost that leave, first failures, and arms never told apart."""
    horizon = 10**9
    totals = [horizon * (1 - 1 / n_arms)]
    for last in range(1, 15):
        pulls, costs, failures = [], [], 0.0
        for epoch in range(1, last + 1):
            log, width = math.log(3 * n_arms * horizon / 4**epoch), 2.0**-epoch / 8
            pulls.append(math.ceil(max(log / (2 * width**2), log / (epsilon * width))))
            failing = n_arms * (2 * math.exp(-2 * pulls[-1] * width**2) + math.exp(-epsilon * pulls[-1] * width))
            assert failing <= 4**epoch / horizon * (1 + 1e-9)
            failures += 4**epoch / horizon * horizon * 2.0 ** (1 - epoch)
            costs.append(2.0 ** (1 - epoch) * sum(pulls))
        totals.append((n_arms - 1) * max(costs) + failures + horizon * 2.0**-last)
    assert factor.central_upper(n_arms=n_arms, horizon=horizon, epsilon=epsilon) == close(min(totals))


def test_central_upper_is_between_the_lower_bound_and_uniform_play():
    assert factor.central_upper(n_arms=10, horizon=100, epsilon=1.0) == 90
    assert factor.central_upper(n_arms=2, horizon=1, epsilon=1.0) == 0.5
    for n_arms, horizon, epsilon in product((2, 5), (10, 10**12), (1e-6, 0.1, math.inf)):
        game = {"n_arms": n_arms, "epsilon": epsilon, "horizon": horizon}
        assert replacements.central_minimax(**game) <= factor.central_upper(**game)


# --- Theorem C


def test_theorem_c_is_the_contrast_of_randomised_response():
    for epsilon in (0.1, 1.0, 5.0):
        keep, lie = math.exp(epsilon) / (1 + math.exp(epsilon)), 1 / (1 + math.exp(epsilon))
        assert factor.theorem_c(epsilon=epsilon) == close(1 / (keep - lie))
        game = {"n_arms": 5, "horizon": 10**12}
        lower = replacements.local_minimax(**game, epsilon=epsilon) / replacements.minimax(**game)
        assert lower == close(factor.theorem_c(epsilon=epsilon), rel=1e-3)


# --- the contraction


def test_randomised_response_reaches_the_contraction():
    for epsilon in (0.2, 3.0):
        share = replacements.contraction(epsilon=epsilon)
        assert share == close((math.expm1(epsilon) / (math.exp(epsilon) + 1)) ** 2)
        assert response_kl(0.5, 0.5001, epsilon=epsilon) / bernoulli_kl(0.5, 0.5001) == close(share, rel=1e-6)


def test_the_bound_for_any_law():
    means, log = [0.7, 0.4, 0.2], math.log(500)
    gaps, divergences = [0.3, 0.5], [bernoulli_kl(m, 0.7) for m in means[1:]]
    for epsilon in (0.1, 1.0, 4.0):
        found = replacements.asoodeh_zhang(gaps=gaps, divergences=divergences, horizon=500, epsilon=epsilon)
        assert found == close(
            sum(g / d for g, d in zip(gaps, divergences, strict=True)) / math.tanh(epsilon / 2) ** 2 * log
        )
        # for Bernoulli arms between what the paper's method gives and what is exact
        assert bounds.theorem_4(means=means, horizon=500, epsilon=epsilon, variant="corrected") <= found
        assert found <= replacements.local_lower(means=means, horizon=500, epsilon=epsilon) * (1 + 1e-12)
    # Gaussian arms of unit variance: divergence gap^2/2
    assert replacements.asoodeh_zhang(gaps=[0.5], divergences=[0.125], horizon=500, epsilon=math.inf) == close(4 * log)


# --- the policies of the proofs

MEANS, HORIZON = [0.9, 0.3, 0.7, 0.1], 60_000


class Turns(Player):
    """A policy whose next arm depends on every reward that it is told."""

    name = "turns"

    def start(self, problem, choice, noise):
        self.n_arms, self.place = problem.n_arms, 0
        return self

    def ask(self):
        return [self.place % self.n_arms]

    def tell(self, feedback):
        self.place += 1 + int(feedback[0])


def transcribed(epsilon, epochs, batch=0, mixing=0.0):
    """The proof of Theorem A around `Turns`, or that of elimination without a batch: who is left, and the arms."""
    env, _, noise = streams(7, 0)
    left, rows = list(range(4)), []

    def pulled(arm):
        rows.append(arm)
        reward = float(env.random() < MEANS[arm])
        if mixing and noise.random() < 2 * mixing:
            reward = float(noise.random() < 0.5)
        return reward

    for e in range(1, epochs + 1):
        log = math.log((4 if batch else 3) * 4 * HORIZON / 4**e)
        n = math.ceil(max(32 * 4**e, 8 * 2**e / epsilon) * log)
        sums = dict.fromkeys(left, 0.0)
        for _ in range(n):
            for arm in left:
                sums[arm] += pulled(arm)
        if batch:
            noisy = {arm: (s + geometric(noise, epsilon)) / n for arm, s in sums.items()}
        else:
            noisy = {arm: s / n + laplace(noise, 1 / (epsilon * n)) for arm, s in sums.items()}
        left = [arm for arm in left if max(noisy.values()) - noisy[arm] <= 2**-e / 2]
    store, place = {arm: [] for arm in left}, 0
    while len(rows) < HORIZON:
        arm = left[place % len(left)] if batch else left[0]
        if not batch:
            rows.append(arm)
            continue
        if not store[arm]:
            total = sum(pulled(arm) for _ in range(batch))
            store[arm] = [batch, min(max(total + geometric(noise, epsilon), 0), batch)]
        while store[arm] and len(rows) < HORIZON:
            m, ones = store[arm]
            one = ones == m if ones in (0, m) else noise.random() * m < ones
            store[arm] = [m - 1, ones - one] if m > 1 else []
            place += 1 + one
            arm = left[place % len(left)]
    return left, rows[:HORIZON]


@pytest.mark.parametrize(("epsilon", "epochs"), [(1.0, 1), (0.02, 1), (0.1, 2), (math.inf, 2)])
def test_elimination_plays_the_proof(epsilon, epochs):
    policy = definitions.elimination(epsilon, n_arms=4, horizon=HORIZON, epochs=epochs)
    shown = trace(Arms.bernoulli(MEANS), policy, horizon=HORIZON, seed=7)
    left, rows = transcribed(epsilon, epochs)
    assert shown[:, 0].tolist() == rows and 1 <= len(left) < 4


@pytest.mark.parametrize(
    ("epsilon", "epochs", "batch", "mixing"), [(1.0, 1, 50, 0.0), (0.05, 1, 30, 0.1), (0.1, 2, 7, 0.01)]
)
def test_the_policy_of_theorem_a_plays_the_proof(epsilon, epochs, batch, mixing):
    policy = definitions.eliminate_and_replay(
        Turns(), epsilon, n_arms=4, horizon=HORIZON, mixing=mixing, batch=batch, epochs=epochs
    )
    shown = trace(Arms.bernoulli(MEANS), policy, horizon=HORIZON, seed=7)
    left, rows = transcribed(epsilon, epochs, batch, mixing)
    assert len(left) == 3 - epochs and shown[:, 0].tolist() == rows


def test_a_compiled_policy_on_responses_plays_as_the_one_that_is_compiled_on_them():
    arms = Arms.bernoulli(MEANS)
    for epsilon in (0.3, 2.0, math.inf):
        run = {"horizon": 2000, "seed": 7}
        shown = trace(arms, definitions.on_responses(ucb(), epsilon), **run)
        np.testing.assert_array_equal(shown, trace(arms, ldp_ucb_response(epsilon), **run))


@pytest.mark.parametrize(("mean", "found"), [(0.9, 0.9), (0.9, 0.88), (0.05, 0.07), (0.5, 0.5), (0.52, 0.47)])
def test_sums_that_are_moved_to_the_middle_have_the_law_of_an_arm_there(mean, found):
    """Step 4 of Theorem C: off by no more than what the estimate is off, and the root of the batch."""
    m, draws, rng = 400, 200_000, np.random.default_rng(1)
    moved = [theorem_a.middle(int(s), m, found, rng) for s in rng.binomial(m, mean, draws)]
    seen = np.bincount(moved, minlength=m + 1) / draws
    wanted = binom.pmf(np.arange(m + 1), m, 0.5 + mean - found)
    assert 0.5 * np.abs(seen - wanted).sum() < 0.04
    unmoved = binom.pmf(np.arange(m + 1), m, mean)
    assert abs(mean - 0.5) < 0.1 or 0.5 * np.abs(unmoved - wanted).sum() > 0.9


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"epochs": 8}, "epochs must be >= 1 and <= 7, got 8"),
        ({"batch": 0}, "batch must be >= 1"),
        ({"mixing": 0.5}, "mixing must be >= 0 and < 0.5, got 0.5"),
        ({"policy": ucb(horizon=10)}, "policy must be for 60000 rounds or more, got UCB"),
        ({"policy": ldp_ucb_response(1.0)}, "policy must be ucb, kl_ucb or thompson, or written in Python"),
    ],
)
def test_what_the_policies_of_the_proofs_refuse(change, message):
    told = {"policy": ucb(), "n_arms": 4, "horizon": HORIZON, "mixing": 0.1, "batch": 10, "epochs": 2} | change
    with pytest.raises(ValueError, match=message):
        definitions.eliminate_and_replay(epsilon=1.0, **told)
    policy = definitions.elimination(1.0, n_arms=3, horizon=HORIZON)
    with pytest.raises(ValueError, match="n_arms=3, the problem has 4"):
        trace(Arms.bernoulli(MEANS), policy, horizon=HORIZON, seed=1)
