"""What privacy costs in long games: each step of Theorems A, B and C, and the contraction, against exact values."""

from __future__ import annotations

import math
from itertools import product

import pytest
from scipy.optimize import minimize

from private_bandits.papers.definitions import bounds, factor, replacements
from private_bandits.privacy.divergences import bernoulli_kl, response_kl

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
    assert (
        factor.theorem_a(n_arms=3, horizon=10**70, epsilon=0.01)
        > factor.theorem_a(n_arms=3, horizon=10**70, epsilon=1.0)
        > factor.theorem_a(n_arms=3, horizon=10**70, epsilon=math.inf)
    )
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
    assert (
        factor.central_upper(n_arms=10, horizon=100, epsilon=1.0) == 90
        and factor.central_upper(n_arms=2, horizon=1, epsilon=1.0) == 0.5
    )
    for n_arms, horizon, epsilon in product((2, 5), (10, 10**12), (1e-6, 0.1, math.inf)):
        game = {"n_arms": n_arms, "epsilon": epsilon, "horizon": horizon}
        assert replacements.central_minimax(**game) <= factor.central_upper(**game)


# --- Theorem B


# --- Theorem C


def test_theorem_c_is_the_contrast_of_randomised_response():
    for epsilon in (0.1, 1.0, 5.0):
        keep, lie = math.exp(epsilon) / (1 + math.exp(epsilon)), 1 / (1 + math.exp(epsilon))
        assert factor.theorem_c(epsilon=epsilon) == close(1 / (keep - lie))
        lower = replacements.local_minimax(n_arms=5, horizon=10**12, epsilon=epsilon) / replacements.minimax(
            n_arms=5, horizon=10**12
        )
        assert lower == close(factor.theorem_c(epsilon=epsilon), rel=1e-3)


# --- the contraction


def test_randomised_response_reaches_the_contraction():
    for epsilon in (0.2, 3.0):
        share = replacements.contraction(epsilon=epsilon)
        assert share == close((math.expm1(epsilon) / (math.exp(epsilon) + 1)) ** 2)
        assert response_kl(0.5, 0.5001, epsilon) / bernoulli_kl(0.5, 0.5001) == close(share, rel=1e-6)


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


# --- refusals


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: factor.theorem_a(n_arms=2, horizon=3, epsilon=1.0), "horizon must be >= 4"),
        (
            lambda: factor.theorem_a_excess(n_arms=2, horizon=100, epsilon=1.0, mixing=0.1, batch=10, epochs=4),
            "epochs must be <= log4",
        ),
        (lambda: replacements.asoodeh_zhang(gaps=[0.5], divergences=[0.0], horizon=500, epsilon=1.0), "divergences"),
    ],
)
def test_bad_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
