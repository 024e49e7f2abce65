"""The lemmas and bounds of Wang et al. (2021) by computation: each number against a closed form."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from private_bandits.mechanisms import gaussian_epsilon
from private_bandits.papers.cascading import algorithm_1, bounds
from private_bandits.problems import Cascade
from private_bandits_book.chapters.cascading import lemmas
from private_bandits_book.laplace_sums import laplace_sum_tail

close = pytest.approx


# --- Lemma 1


def test_lemma_1_fails_at_the_first_item_and_holds_later():
    printed, later, counter = lemmas.hybrid_coverage()
    assert printed.measured == 1.0
    assert later <= 0.01
    assert counter.measured < counter.high <= 0.01


def test_coverage_has_its_exact_value_at_two_items():
    """The noise is Lap(2) at n = 1 and a sum of two Lap(2) at n = 2: P(|Y| > 2x) = e^-x (2 + x) / 2.

    The counter's bound is Chernoff's: the least (ln(2/gamma) - 2 ln(1 - 4 r^2)) / r over the rates r < 1/2.
    """
    runs = 200_000
    _, later, counter = lemmas.hybrid_coverage(2, 0.5, runs)

    def beyond(bound):
        return math.exp(-bound / 2) * (2 + bound / 2) / 2

    printed = beyond(2 * math.sqrt(8) * math.log(2))  # c_1 ln(2)^1.5 ln 2, c_1 = 2 sqrt(8) / ln(2)^1.5
    rates = np.linspace(0.0, 0.5, 100_001)[1:-1]
    own = beyond(np.min((math.log(4) - 2 * np.log(1 - 4 * rates**2)) / rates))
    assert later == close(printed, abs=4 * math.sqrt(printed / runs))
    assert counter.measured == close(own, abs=4 * math.sqrt(own / runs))


# --- Theorem 1


class _Scripted:
    """An environment stream that is told what to answer, then never clicks."""

    def __init__(self, answers):
        self.answers = iter(answers)

    def random(self):
        return next(self.answers, 1.0)


def _second_list(click_first, seed, c_1):
    """The first two lists of Algorithm 1 (L = 4, K = 2, n = 2, epsilon = 1) after w_0 = (1, 1, 0, 0)."""
    rng = np.random.default_rng(seed)
    env = _Scripted([0.0, 0.0, 1.0, 1.0, 0.0 if click_first else 1.0])
    streams = SimpleNamespace(env=env, choice=rng, noise=rng)
    rounds = algorithm_1.reference(Cascade([0.5] * 4, 2), 2, streams, epsilon=1.0, n_arms=4, horizon=2, c_1=c_1)
    return [shown[:2] for shown in rounds]


def test_pulls_without_noise_give_a_click_away():
    c_1, runs = 0.5, 4000
    dropped = {True: 0, False: 0}
    for click_first in dropped:
        for seed in range(runs):
            first, second = _second_list(click_first, seed, c_1)
            assert set(first) == {0, 1}
            dropped[click_first] += first[1] not in second
    leak = 1.0 - lemmas.pulls_hide(1.0, 4, 2, c_1)
    assert 0.55 < leak < 0.75
    assert dropped[True] == 0
    assert dropped[False] / runs == close(leak, abs=4 * math.sqrt(leak * (1 - leak) / runs))
    assert lemmas.pulls_hide(0.2, 20, 100_000) < 1e-170
    assert lemmas.pulls_hide(0.2, 3, 100) is lemmas.pulls_hide(0.2, 20, 1) is None


# --- Lemma 3


def test_the_classical_sigma_keeps_its_promise_up_to_7_5():
    ratio, epsilon, until = lemmas.classical_gaussian_excess([0.2, 1.0, 2.0], 1e-3)
    assert 2.0 * ratio == close(1.449, abs=1e-3)
    assert epsilon == 2.0
    assert until == close(7.463, abs=1e-3)
    sigma = math.sqrt(2 * math.log(1250)) / until
    assert gaussian_epsilon(sigma, delta=1e-3, sensitivity=1.0) == close(until, rel=1e-9)
    assert gaussian_epsilon(sigma / 1.01, delta=1e-3, sensitivity=1.0) > 1.01 * until


# --- Lemma 4


@pytest.mark.parametrize(("means", "size"), [([0.5, 0.4, 0.2], 2), ([0.05, 0.6, 0.45, 0.2, 0.3], 3), ([0.9, 0.5], 1)])
def test_lemma_4_holds(means, size):
    lower, upper = lemmas.decomposition_slack(Cascade(means, size))
    assert lower >= -1e-12
    assert abs(upper) <= 1e-12  # met when only the last position is wrong


def test_lemma_4_slack_by_hand():
    """All best items below the first are weak, so alpha is far too small: (e, 1, 2), (e, 2, 1) and the like."""
    lower, _ = lemmas.decomposition_slack(Cascade([0.9, 0.1, 0.05], 2))
    # lists with one wrong item: E[R] - 0.1 S = 0.005 - 0.1 * 0.05, ... at (e, 1)
    regrets = {"1e": 0.005, "e1": 0.005, "2e": 0.91 - (1 - 0.9 * 0.95), "e2": 0.91 - (1 - 0.95 * 0.9)}
    sums = {"1e": 0.1 * 0.05, "e1": 0.05, "2e": 0.9 * 0.85, "e2": 0.85}
    assert lower == close(min(regrets[k] - 0.1 * sums[k] for k in regrets), abs=1e-12)


# --- Lemmas 5 and 6


@pytest.mark.parametrize("x", [0.0, 3.0])
def test_laplace_sums_have_their_closed_tails(x):
    decay = math.exp(-x)
    assert laplace_sum_tail(1, x) == close(decay / 2)
    assert laplace_sum_tail(2, x) == close(decay * (2 + x) / 4)
    assert laplace_sum_tail(3, x) == close(decay * (8 + 5 * x + x * x) / 16)


def test_lemmas_5_and_6_hold():
    # the smallest x of the grid for one variable
    x = math.sqrt(8) / 64
    assert lemmas.laplace_tail_ratio([1]) == close(0.5 * math.exp(-x + x * x / 8))
    assert 0.47 < lemmas.laplace_tail_ratio() < 0.5  # 1/2 as x goes to 0
    assert lemmas.gaussian_tail_ratio() == close(0.5 * math.erfc(0.01 / math.sqrt(2)) * math.exp(0.01**2 / 2))


# --- Theorem 7


def test_composition_by_hand_and_by_enumeration():
    assert lemmas.composition_delta(1.0, 1, 0.3) == close((math.e - math.exp(0.3)) / (1 + math.e))
    assert lemmas.composition_delta(0.4, 3, 1.2) == close(0.0, abs=1e-15)
    keep = 1 / (1 + math.exp(-0.7))
    one = np.array([[keep, 1 - keep], [1 - keep, keep]])
    for k in (2, 4):
        channel = one
        for _ in range(k - 1):
            channel = np.kron(channel, one)
        for epsilon in (0.0, 0.5, 1.5):
            exact = np.maximum(channel[0] - math.exp(epsilon) * channel[-1], 0.0).sum()
            assert lemmas.composition_delta(0.7, k, epsilon) == close(exact, rel=1e-9)


def test_theorem_7_holds_within_and_a_little_beyond_its_range():
    within = ([1, 2, 4, 8, 16, 50, 200], [0.1, 0.5, 0.9], [1e-6, 1e-3, 0.1, 0.5])
    assert lemmas.theorem_7_excess(*within) == close(0.5, abs=0.01)
    assert lemmas.theorem_7_excess([4, 8, 12, 16], [1.0, 1.5, 2.0], [1e-3]) < 1.0
    assert lemmas.theorem_7_excess([1000], [49.0], [1e-3]) > 1.0


# --- Theorems 11 and 12


def test_lower_bounds_are_held_against_what_is_proved():
    assert 0.8 < lemmas.theorem_11_over_proved() < 1.0
    grows, repaired = lemmas.theorem_12_over_proved()
    assert grows == close(1.0, abs=1e-3)
    assert 1.0 < repaired < 2.0


def test_at_p_of_one_over_k_the_sharp_bound_keeps_its_order_and_the_print_loses_a_factor_k():
    """At small epsilon the sharp form is about 2 (1 - p)^(K-1) times the remark's order, and (1 - 1/K)^(K-1) >= 1/e."""
    least, falls = lemmas.theorem_11_at_one_over_k()
    assert 2 / math.e == close(least, rel=5e-3) and -0.06 < falls < 0
    sizes = (64, 512)
    printed = [
        bounds.theorem_11(n_arms=2 * k, list_size=k, p=1 / k, gap=0.5 / k, epsilon=1e-3, horizon=10**8) / (k * k)
        for k in sizes
    ]
    assert printed[1] / printed[0] == close(sizes[0] / sizes[1], rel=0.02)


# --- what is proved of the regret


def test_powers_of_a_bound():
    wanted = (1.5, -1.0, 2.0, 0.25)

    def made(size, horizon, epsilon, delta):
        return math.log(horizon) ** 1.5 / size * epsilon**-2 * (-math.log(delta)) ** 0.25

    assert lemmas.exponents(made) == close(wanted)


def test_a_laplace_noise_may_hide_an_item_and_a_gaussian_one_may_not():
    """T exp(-c sqrt(ln T)) has the power ln T - c sqrt(ln T)/2 of ln T; the Gaussian tail is T^-6 and less."""
    for scale in (0.2, 4.0):
        c, log_t = math.sqrt(48) + math.sqrt(3) / scale, 2e4
        expected = log_t - c * math.sqrt(log_t) / 2
        assert lemmas.hidden_item_power(scale) == close(expected, rel=0.1)
        assert lemmas.hidden_item_power(scale, gaussian=True) < -4e4


def test_the_printed_bonus_has_the_power_two_and_a_half():
    printed, proved = lemmas.hybrid_exponents()
    assert printed == close(2.5)
    log_t = math.log(10) * 1e4  # B ln^1.5 B, B of order ln T, has the power 1 + 1.5/ln B
    assert proved[0] == close(1 + 1.5 / math.log(6 * 9.8 * 20 * log_t / 0.15), abs=0.02)
    assert 1.0 < proved[1] < 1.1 and 0.9 < proved[2] < 1.1


def test_a_reply_moves_two_clicks_and_with_the_examinations_k_plus_one():
    assert lemmas.reply_exponents() == close((0.0, math.log(129 / 9) / math.log(16)), abs=0.01)
    assert lemmas.reply_exponents([1, 2]) == close((1.0, math.log2(3)))  # with one position a click can only come or go
