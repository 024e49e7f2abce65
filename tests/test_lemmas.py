"""The lemmas of Wang et al. (2021) by computation: each number against a closed form, and the verdicts it carries."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from private_bandits.mechanisms import gaussian_epsilon
from private_bandits.papers.cascading import algorithm_1, b_lb, bounds
from private_bandits.papers.semibandits.bounds import dp_se_upper
from private_bandits.problems import Cascade
from private_bandits_book.cascading import lemmas
from private_bandits_book.tails import laplace_sum_tail

close = pytest.approx


# --- Lemma 1


def test_lemma_1_fails_at_the_first_item_and_holds_later():
    cover = lemmas.hybrid_coverage()
    assert (cover.printed.measured, cover.printed_at) == (1.0, 1)
    assert cover.printed_later <= 0.01
    assert cover.counter.measured < cover.counter.high <= 0.01
    assert cover == lemmas.hybrid_coverage(seed=0)
    assert cover != lemmas.hybrid_coverage(seed=1)


def test_coverage_has_its_exact_value_at_two_items():
    """The noise is Lap(2) at n = 1 and a sum of two Lap(2) at n = 2: P(|Y| > 2x) = e^-x (2 + x) / 2.

    The counter's bound is Chernoff's: the least (ln(2/gamma) - 2 ln(1 - 4 r^2)) / r over the rates r < 1/2.
    """
    runs = 200_000
    cover = lemmas.hybrid_coverage(2, 0.5, runs)

    def beyond(bound):
        return math.exp(-bound / 2) * (2 + bound / 2) / 2

    printed = beyond(2 * math.sqrt(8) * math.log(2))  # c_1 ln(2)^1.5 ln 2, c_1 = 2 sqrt(8) / ln(2)^1.5
    rates = np.linspace(0.0, 0.5, 100_001)[1:-1]
    own = beyond(np.min((math.log(4) - 2 * np.log(1 - 4 * rates**2)) / rates))
    assert cover.printed_later == close(printed, abs=4 * math.sqrt(printed / runs))
    assert cover.counter.measured == close(own, abs=4 * math.sqrt(own / runs))


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
    rounds = algorithm_1.reference(Cascade([0.5] * 4, 2), 2, streams, 1.0, c_1)
    return [shown[:2] for shown in rounds]


def test_pulls_without_noise_give_a_click_away():
    c_1, runs = 0.5, 4000
    dropped = {True: 0, False: 0}
    for click_first in dropped:
        for seed in range(runs):
            first, second = _second_list(click_first, seed, c_1)
            assert set(first) == {0, 1}
            dropped[click_first] += first[1] not in second
    leak = lemmas.pulls_leak(1.0, 4, 2, c_1)
    assert 0.55 < leak < 0.75
    assert dropped[True] == 0
    assert dropped[False] / runs == close(leak, abs=4 * math.sqrt(leak * (1 - leak) / runs))
    assert lemmas.pulls_leak(0.2, 20, 100_000) == 1.0


# --- Lemma 3


def test_the_classical_sigma_keeps_its_promise_up_to_7_5():
    excess = lemmas.classical_gaussian_excess([0.2, 1.0, 2.0], 1e-3)
    assert 2.0 * excess.ratio == close(1.449, abs=1e-3)
    assert excess.epsilon == 2.0
    assert excess.keeps_until == close(7.463, abs=1e-3)
    sigma = math.sqrt(2 * math.log(1250)) / excess.keeps_until
    assert gaussian_epsilon(sigma, 1e-3, 1.0) == close(excess.keeps_until, rel=1e-9)
    assert gaussian_epsilon(sigma / 1.01, 1e-3, 1.0) > 1.01 * excess.keeps_until


def test_the_classical_sigma_breaks_it_far_out():
    """At a distance mu of the Gaussians the loss is mu^2/2 - mu z, with mu = epsilon / sqrt(2 ln(1.25/delta))."""
    excess = lemmas.classical_gaussian_excess([1.0, 1000.0], 1e-3)
    mu = 1000.0 / math.sqrt(2 * math.log(1250))
    assert excess.ratio == close((mu**2 / 2 + 3.0902 * mu) / 1000.0, rel=1e-3)


# --- Lemma 4


@pytest.mark.parametrize(
    "problem",
    [
        Cascade([0.5, 0.4, 0.2], 2),
        Cascade([0.05, 0.6, 0.45, 0.2, 0.3], 3),
        Cascade([0.9, 0.5, 0.3, 0.1], 1),
        Cascade([0.8, 0.7, 0.6, 0.5, 0.4, 0.3], 4),
        b_lb(6, 3, 0.2, 0.15),
    ],
    ids=str,
)
def test_lemma_4_holds(problem):
    lower, upper = lemmas.decomposition_slack(problem)
    assert lower >= -1e-12
    assert abs(upper) <= 1e-12  # met when only the last position is wrong


def test_lemma_4_is_tight_where_the_wrong_item_stands_first():
    """(e, 1) of weights (0.5, 0.4, 0.2): E[R] = 0.1, the sum is 0.2 and alpha = 1/2."""
    assert lemmas.decomposition_slack(Cascade([0.5, 0.4, 0.2], 2)) == close((0.0, 0.0), abs=1e-12)
    assert lemmas.decomposition_slack(b_lb(5, 3, 0.2, 0.15)) == close((0.0, 0.0), abs=1e-12)


def test_lemma_4_slack_by_hand():
    """All best items below the first are weak, so alpha is far too small: (e, 1, 2), (e, 2, 1) and the like."""
    lower, _ = lemmas.decomposition_slack(Cascade([0.9, 0.1, 0.05], 2))
    # lists with one wrong item: E[R] - 0.1 S = 0.005 - 0.1 * 0.05, ... at (e, 1)
    regrets = {"1e": 0.005, "e1": 0.005, "2e": 0.91 - (1 - 0.9 * 0.95), "e2": 0.91 - (1 - 0.95 * 0.9)}
    sums = {"1e": 0.1 * 0.05, "e1": 0.05, "2e": 0.9 * 0.85, "e2": 0.85}
    assert lower == close(min(regrets[k] - 0.1 * sums[k] for k in regrets), abs=1e-12)


# --- Lemmas 5 and 6


@pytest.mark.parametrize("x", [0.0, 0.5, 3.0, 20.0])
def test_laplace_sums_have_their_closed_tails(x):
    decay = math.exp(-x)
    assert laplace_sum_tail(1, x) == close(decay / 2)
    assert laplace_sum_tail(2, x) == close(decay * (2 + x) / 4)
    assert laplace_sum_tail(3, x) == close(decay * (8 + 5 * x + x * x) / 16)


def test_laplace_sums_by_sampling():
    rng = np.random.default_rng(0)
    sums = rng.gamma(30, size=400_000) - rng.gamma(30, size=400_000)
    for x in (0.0, 5.0, 10.0, 20.0):
        tail = float(laplace_sum_tail(30, x))
        assert np.mean(sums > x) == close(tail, abs=4 * math.sqrt(tail / 400_000))


def test_lemma_5_holds_and_needs_its_range():
    # the smallest x of the grid for one variable
    x = math.sqrt(8) / 64
    assert lemmas.laplace_tail_ratio([1]) == close(0.5 * math.exp(-x + x * x / 8))
    assert 0.47 < lemmas.laplace_tail_ratio() < 0.5  # 1/2 as x goes to 0
    beyond = 20.0
    assert laplace_sum_tail(1, beyond) > math.exp(-(beyond**2) / 8)
    inside = 0.98 * math.sqrt(8) * 200
    assert laplace_sum_tail(200, inside) > math.exp(-(inside**2) / (4 * 200))  # 8 is not a spare factor


def test_lemma_6_holds():
    assert lemmas.gaussian_tail_ratio() == close(0.5 * math.erfc(0.01 / math.sqrt(2)) * math.exp(0.01**2 / 2))


def test_without_forced_exploration_the_tail_of_theorem_4_is_too_heavy():
    for t in (100, 10**5, 10**8):
        worst = lemmas.unforced_tail_ratio(t)
        assert worst.reports == 1
        assert worst.ratio == close(0.5 * math.exp(-math.sqrt(48 * math.log(t)) + 3 * math.log(t)))
    assert lemmas.unforced_tail_ratio(100).ratio < 1 < 1e4 < lemmas.unforced_tail_ratio(10**5).ratio


# --- Theorem 7


def test_composition_by_hand_and_by_enumeration():
    assert lemmas.composition_delta(1.0, 1, 0.3) == close((math.e - math.exp(0.3)) / (1 + math.e))
    assert lemmas.composition_delta(0.4, 3, 1.2) == close(0.0, abs=1e-15)
    keep = 1 / (1 + math.exp(-0.7))
    one = np.array([[keep, 1 - keep], [1 - keep, keep]])
    for k in (2, 3, 5):
        channel = one
        for _ in range(k - 1):
            channel = np.kron(channel, one)
        for epsilon in (0.0, 0.5, 1.5):
            exact = np.maximum(channel[0] - math.exp(epsilon) * channel[-1], 0.0).sum()
            assert lemmas.composition_delta(0.7, k, epsilon) == close(exact, rel=1e-9)


GRID = ([1, 2, 4, 8, 16, 50, 200], [0.1, 0.5, 0.9], [1e-6, 1e-3, 0.1, 0.5])


def test_theorem_7_holds_within_and_a_little_beyond_its_range():
    assert 1e-4 < lemmas.theorem_7_excess(*GRID).ratio < 0.01
    assert lemmas.theorem_7_excess(*GRID, pure=False).ratio == close(0.5, abs=0.01)
    beyond = ([4, 8, 12, 16], [1.0, 1.5, 2.0], [1e-3])
    assert lemmas.theorem_7_excess(*beyond).ratio < 1.0
    far = lemmas.theorem_7_excess([1000], [49.0], [1e-3])
    assert (far.k, far.epsilon, far.delta) == (1000, 49.0, 1e-3)
    assert far.ratio > 1.0


def test_theorem_7_reports_the_exact_delta():
    each = 0.02 / math.sqrt(4 * 16 * math.log(math.e + 20))
    exact = (
        sum(math.comb(16, i) * max(math.exp((16 - i) * each) - math.exp(0.02 + i * each), 0.0) for i in range(17))
        / (1 + math.exp(each)) ** 16
    )
    assert lemmas.theorem_7_excess([16], [0.02], [1e-3]).ratio == close(exact / 1e-3, rel=1e-6)
    both = 1 - (1 - 1e-3 / 32) ** 16 * (1 - exact)
    assert lemmas.theorem_7_excess([16], [0.02], [1e-3], pure=False).ratio == close(both / 1e-3, rel=1e-6)


# --- Theorem 11


def test_the_swapped_divergence_breaks_its_bound():
    found = lemmas.swapped_divergence()
    assert (found.p, found.gap) == close((0.01, 0.0099))
    divergence = 0.01 * math.log(100) + 0.99 * math.log(0.99 / 0.9999)
    assert found.swapped == close(divergence * 0.0099 / 0.0099**2)
    assert found.swapped > 3.6
    # in the right order the same point is the worst, and no violation
    ordered = 0.0001 * math.log(0.01) + 0.9999 * math.log(0.9999 / 0.99)
    assert found.ordered == close(ordered * 0.0099 / 0.0099**2)
    assert found.ordered < 1.0


# --- Theorem 2, and what is said of the bounds


@pytest.mark.parametrize("allowed", [5.0, 40.0, 1e4])
def test_a_constant_bound_is_contradicted_where_the_minimax_regret_passes_it(allowed):
    """With d <= 4 gap^2 / (1/4 - gap^2) the best gap is about 1/(16 B): ln T = 1 + ln(128 B^2)."""
    found = lemmas.first_contradiction(lambda problem, horizon: allowed)
    least = math.e * 128 * allowed**2
    assert least < found.horizon < 20 * least and found.bound == allowed
    assert 1 / 40 < found.gap * 16 * allowed < 40
    beaten = found.gap / (4 * found.gap**2 / (0.25 - found.gap**2))
    assert allowed < beaten * math.log(found.gap * found.horizon / (8 * allowed))


def test_a_bound_that_an_algorithm_keeps_is_not_contradicted():
    def ucb(problem, horizon):  # Kveton's 12/gap ln T and a tail
        return 12 / float(np.ptp(problem.means)) * math.log(horizon) + 14.0

    assert math.isinf(lemmas.first_contradiction(ucb).horizon)
    corrected = lemmas.first_contradiction(lambda *at: bounds.theorem_2(*at, 1e12, variant="corrected"), 12)
    assert math.isinf(corrected.horizon)
    assert lemmas.first_contradiction(lambda problem, _: 7.0 if problem.means.max() > 0.5 else 0.1).bound == 7.0


def test_powers_of_one_bound_over_another():
    def made(log_t, noise, size, others):
        return lambda n, k, p, gap, t, eps: math.log(t) ** log_t * eps**-noise * k**size * (n - k) ** others

    powers = (1.5, 2.0, -1.0, 0.25)
    assert lemmas.bounds_apart(made(*powers), made(0, 0, 0, 0)) == close(powers)
    assert lemmas.bounds_apart(made(*powers), made(*powers)) == close((0.0, 0.0, 0.0, 0.0), abs=1e-9)
    weights = lemmas.bounds_apart(lambda n, k, p, gap, t, eps: p * gap, lambda *_: 1.0)  # 1/K and 1/(2 K)
    assert weights == close((0.0, 0.0, -2.0, 0.0), abs=1e-9)


def test_the_local_lower_bound_is_above_the_printed_one_and_below_what_is_proved_above():
    for p, gap, epsilon in ((0.2, 0.15, 0.2), (0.5, 0.1, 1.0), (0.05, 0.02, 0.01)):
        at = (20, 4, p, gap, 10**6, epsilon)
        # half a divergence, here its bound gap^2 / (p (1 - p)), is at least gap^2
        assert lemmas.local_lower(*at) / bounds.theorem_11(*at) == close(2 / (p * (1 - p)))
        assert lemmas.local_lower(*at) < bounds.repaired_first_upper(b_lb(20, 4, p, gap), 10**6, epsilon)
    assert lemmas.remark_11(20, 4, 0.25, 0.1, 10**6, 0.5) == close(16 * math.log(10**6) / (0.1 * 0.25))


def test_a_counter_of_all_rounds_has_the_square_of_the_logarithm():
    """At t = 2^k - 1 about k noises of scale 2 k, at t^-3: both terms of the tail are of order k^2."""
    assert lemmas.counter_growth() == close(2.0, abs=0.05)
    assert lemmas.utility_growth() == close(2.5)


def test_the_earlier_bound_has_one_logarithm():
    assert 0.9 < lemmas.earlier_growth() < 1.0
    for at in ((20, 0.15, 1.0), (10, 0.3, 0.01), (2, 0.9, 10.0)):
        assert lemmas.earlier_upper(*at, math.log(10**9)) == close(dp_se_upper(*at, 10**9), rel=1e-3)


def test_a_reply_moves_two_clicks_however_long_the_list():
    assert lemmas.click_growth() == close(0.0, abs=1e-9)
    assert lemmas.click_growth([1, 2]) == close(1.0)  # with one position a click can only come or go
