"""The bounds of Chen et al. (2020): by hand, by summation, limits."""

from __future__ import annotations

import math

import numpy as np
import pytest

from private_bandits.papers.semibandits import bounds
from private_bandits.problems import SemiBandit

T = 1000
LOG = math.log(T)
UNEVEN = SemiBandit.from_sets([0.9, 0.8, 0.6, 0.5, 0.3], [[0, 1], [2, 3], [1, 4], [3, 4]], weights=2.0)
GAME = {"problem": UNEVEN, "horizon": T}
ARMS, PATHS = (
    {"n_arms": 6, "gap": 0.3, "horizon": T, "b_inf": 2.0},
    {"n_arms": 12, "list_size": 4, "horizon": T, "b_1": 2.0},
)
CORRECTED = {"variant": "corrected"}
# rewards 3.4, 2.2, 2.2, 1.6: gaps 1.2, 1.2, 1.8; arm 0 is in no bad super arm
SMALLEST, LARGEST = [1.2, 1.2, 1.2, 1.2], [1.2, 1.2, 1.8, 1.8]


def close(value, rel=1e-9):
    return pytest.approx(value, rel=rel)


# --- by hand


def test_theorems_2_and_4_as_printed():
    over = 4 / 1.2
    assert bounds.theorem_2(**GAME, epsilon=0.5) == close(4 * 16 * over * LOG / 0.25)
    assert bounds.theorem_4(**GAME, epsilon=0.5) == close(16 * over * LOG / 0.25)


@pytest.mark.parametrize(("theorem", "scale"), [(bounds.theorem_2, 2 / 0.5), (bounds.theorem_4, 1 / 0.5)])
def test_theorems_2_and_4_corrected_cover_the_sum_they_stand_for(theorem, scale):
    """The charges of an arm, added one by one, with at most the last of them lost to the integral."""

    def radius(n):
        return math.sqrt((1.5 + 12 * scale**2) * LOG / n) + 3 * scale * LOG / n

    charged, n = 0.0, 1
    while 2 * 4 * radius(n) >= 1.2:
        charged += 2 * 4 * radius(n)
        n += 1
    total = 4 * charged + 5 * (1 + math.pi**2 / 3) * 1.8
    assert total <= theorem(problem=UNEVEN, epsilon=0.5, horizon=T, variant="corrected") <= 1.02 * total


def test_theorem_5_and_6_by_hand():
    loss = 64 * (math.e - 1) ** 2
    assert bounds.theorem_5(**ARMS, epsilon=1.0) == close(4 * 5 / (loss * 0.3) * LOG)
    assert bounds.theorem_6(**PATHS, gap=0.3, epsilon=1.0) == close(4 * 8 * 4 / (loss * 0.3) * LOG)


def kl(a, b):
    return a * math.log(a / b) + (1 - a) * math.log((1 - a) / (1 - b))


def test_corrected_lower_bounds_are_randomised_response():
    """The report of randomised response on a bit of mean p is 1 with probability q + p (1 - 2q), q = 1/(1 + e^eps)."""
    for epsilon in (0.3, 2.0):
        other = 1 / (1 + math.exp(epsilon))
        divergence = kl(*(other + p * (1 - 2 * other) for p in (0.35, 0.5)))
        assert bounds.theorem_5(**ARMS, epsilon=epsilon, **CORRECTED) == close(5 * 0.3 / divergence * LOG)
        assert bounds.theorem_6(**PATHS, gap=1.2, epsilon=epsilon, **CORRECTED) == close(2 * 1.2 / divergence * LOG)


def test_theorem_8_by_hand():
    over, epsilon = 4 / 1.2, 0.5
    printed = bounds.theorem_8_terms(**GAME, epsilon=epsilon)
    assert printed.sampling == close(2 * 4 * over * LOG**2)
    assert printed.private == close(5 * 2 * 2 * LOG**3 * math.log(2 * 2 * LOG / (1.8 * epsilon)) / epsilon)
    assert bounds.theorem_8(problem=UNEVEN, horizon=T, epsilon=epsilon) == close(sum(printed))
    last_line = 0.0
    for gap in SMALLEST:
        root = LOG * (256 * 4 * 4 * LOG / gap**2 + 96 * 2 * 4 * LOG**3 / (epsilon * gap))
        log = 1 + math.log(256 * 4 * 4 * LOG**4 / (epsilon * gap**2))
        last_line += 16 * 2 * math.sqrt(root) + 48 * 2 * 2 * LOG**3 / epsilon * log
    proof = bounds.theorem_8_terms(problem=UNEVEN, horizon=T, epsilon=epsilon, variant="proof")
    assert sum(proof) == close(last_line + 3 * sum(LARGEST))
    assert proof.sampling == close(256 * 2 * 4 * over * LOG)
    assert proof.rest == close(3 * sum(LARGEST))


def test_theorem_8_corrected_covers_the_sum_it_stands_for():
    epsilon, levels = 0.5, 10
    linear = 2 * levels / epsilon * (2 * math.sqrt(2 * levels * LOG) + 2 * LOG)

    def summed(bonus):
        charged, n = 0.0, 1
        while 4 * 2 * (math.sqrt(1.5 * LOG / n) + bonus / n) >= 1.2 / 2:
            charged += 4 * 2 * (math.sqrt(1.5 * LOG / n) + bonus / n)
            n += 1
        return 4 * charged

    terms = bounds.theorem_8_terms(problem=UNEVEN, horizon=T, epsilon=epsilon, variant="corrected")
    assert summed(0.0) <= terms.sampling <= 1.02 * summed(0.0)
    assert summed(linear) <= terms.sampling + terms.private <= 1.05 * summed(linear)
    assert terms.rest == close(5 * (3 + math.pi**2 / 3) * 1.8)


def test_theorem_9_by_hand():
    assert bounds.theorem_9(**PATHS, gap=0.3, epsilon=0.5) == close((4 * 48 / 0.3 + 2 * 48 / 0.5) * LOG)
    plain, low = kl(0.5 - 0.3 / 8, 0.5), 0.5 - 0.3 / 8
    private = min(0.001 * (z - low) + kl(z, 0.5) for z in np.linspace(low, 0.5, 100_001))  # d_epsilon by its definition
    assert 0.98 * 0.001 * 0.3 / 8 < private < 0.001 * 0.3 / 8 < plain
    for epsilon, divergence in ((1.0, plain), (0.001, private)):
        found = bounds.theorem_9(**PATHS, gap=0.3, epsilon=epsilon, **CORRECTED)
        assert found == close(2 * 0.3 / divergence * LOG, rel=1e-6)


def test_b_inf_dp_bounds_by_hand():
    assert bounds.b_inf_dp_upper(**GAME, epsilon=0.5) == close(5 * 16 * LOG / (0.5 * 1.2))
    linear = 10 / 0.5 * (2 * math.sqrt(20 * LOG) + 2 * LOG)
    charged, n = 0.0, 1
    while 8 * (math.sqrt(1.5 * LOG / n) + linear / n) >= 1.2:
        charged += 8 * (math.sqrt(1.5 * LOG / n) + linear / n)
        n += 1
    once = 5 * (3 + math.pi**2 / 3) * 1.8
    assert 4 * charged <= bounds.b_inf_dp_upper(**GAME, epsilon=0.5, **CORRECTED) - once <= 1.05 * 4 * charged
    assert bounds.b_inf_dp_lower(**ARMS, epsilon=0.5) == close(6 * 4 / (0.5 * 0.3) * LOG)
    plain = kl(0.35, 0.5)
    private = min(0.01 * (z - 0.35) + kl(z, 0.5) for z in np.linspace(0.35, 0.5, 100_001))
    assert private < 0.01 * 0.15 < plain
    for epsilon, divergence in ((0.01, private), (5.0, plain)):
        found = bounds.b_inf_dp_lower(**ARMS, epsilon=epsilon, **CORRECTED)
        assert found == close(5 * 0.3 / divergence * LOG, rel=1e-6)


def test_without_privacy():
    rest, free = 5 * (1 + math.pi**2 / 3) * 1.8, {"epsilon": math.inf}
    long = {"problem": UNEVEN, "horizon": 10**9} | free | CORRECTED
    corrected = bounds.theorem_4(**long)
    assert corrected == close(12 * 16 * 4 / 1.2 * math.log(10**9) + rest)
    assert bounds.theorem_2(**long) == corrected
    terms = bounds.theorem_8_terms(**long)
    assert (terms.sampling, terms.private) == (close(48 * 2 * 4 * 4 / 1.2 * math.log(10**9)), 0.0)
    assert bounds.theorem_2(**GAME, **free) == bounds.theorem_4(**GAME, **free) == 0.0  # as printed
    for bound in (bounds.theorem_5, bounds.b_inf_dp_lower):
        assert bound(**ARMS, **free, **CORRECTED) == close(5 * 0.3 / kl(0.35, 0.5) * LOG)
    assert bounds.theorem_5(**ARMS, epsilon=800.0) == 0.0
