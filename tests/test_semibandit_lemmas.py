"""The lemmas of Chen et al. (2020) as computed."""

from __future__ import annotations

import math

import numpy as np
import pytest

from private_bandits.mechanisms import TreeCounter
from private_bandits.papers import semibandits as paper
from private_bandits.papers.semibandits import bounds, instances
from private_bandits.privacy.divergences import bernoulli_kl
from private_bandits.problems import SemiBandit
from private_bandits_book.semibandits import lemmas


def close(value, rel=1e-9, **more):
    return pytest.approx(value, rel=rel, **more)


# --- privacy


def test_losses_of_the_local_algorithms():
    for size in (1, 3, 6):
        for variant in paper.VARIANTS:
            assert lemmas.loss(paper.cucb_ldp1(0.7, size, variant), size, 9) == close(0.7)
            assert lemmas.loss(paper.cucb_ldp2(0.7, variant), size, 9) == close(0.7)
        # noise for one outcome does not protect all of them, noise for all protects one
        assert lemmas.loss(paper.cucb_ldp1(0.7, 1), size, 9) == close(0.7 * size)
    assert lemmas.loss(paper.cucb_ldp1(math.inf, 2), 2, 9) == math.inf


def test_nodes_of_a_leaf():
    np.testing.assert_array_equal(lemmas.node_counts(1), [1])
    np.testing.assert_array_equal(lemmas.node_counts(8), [4, 3, 3, 2, 3, 2, 2, 1])
    for horizon in (1, 2, 3, 7, 8, 100, 1024):
        counter = TreeCounter(1.0, horizon, rng=np.random.default_rng(0))
        assert lemmas.node_counts(horizon).max() == counter.levels


def test_lemma_1_is_short_of_a_level():
    for horizon in (2, 5, 16, 1000):
        paid = lemmas.lemma_1_loss(horizon)
        levels = math.floor(math.log2(horizon)) + 1
        assert paid.base_2 == close(levels / math.log2(horizon))
        assert paid.natural == close(levels / math.log(horizon))
        assert paid.levels == 1.0
        assert paid.natural > paid.base_2 > 1.0


def test_theorem_7_holds_with_room():
    for horizon in (2, 3, 64, 1000):
        levels = horizon.bit_length()
        printed = lemmas.loss(paper.cucb_dp(0.5, 3, 3, horizon), 3, horizon)
        assert printed == close(0.5 * levels / (2 * math.log2(horizon))) and printed <= 0.5
        assert lemmas.loss(paper.cucb_dp(0.5, 3, 3, horizon, "repaired"), 3, horizon) == close(0.5)
    assert lemmas.loss(paper.cucb_dp(0.5, 3, 3, 1), 3, 1) == math.inf


# --- coverage


def test_report_miss_by_hand():
    # one report, Lap(2): outcome 0 or 1 with probability 1/2, below 1/2 - 3 if the noise is below -2.5 or -3.5
    assert lemmas.report_miss(1, 2.0, 3.0) == close(0.25 * (math.exp(-1.25) + math.exp(-1.75)))
    # a radius smaller than what the outcome alone gives
    assert lemmas.report_miss(1, 2.0, 0.25) == close(0.5 * (1 - 0.5 * math.exp(-0.125)) + 0.25 * math.exp(-0.375))
    # without noise: more than 1.5 below 4 * 0.5 ones among 4, so none
    assert lemmas.report_miss(4, 0.0, 0.375) == close(1 / 16)
    assert lemmas.report_miss(4, 0.0, 0.5) == 0.0
    assert lemmas.report_miss(3, 0.0, 0.1, mean=0.9) == close(1 - 0.9**3)


def test_report_miss_by_sampling():
    rng = np.random.default_rng(1)
    for n, scale, radius in ((2, 1.0, 1.5), (25, 0.1, 0.15), (60, 4.0, 1.2)):
        below = (rng.random((100_000, n)) < 0.5).mean(axis=1) + rng.laplace(0, scale, (100_000, n)).mean(axis=1)
        exact = lemmas.report_miss(n, scale, radius)
        assert 0.005 < exact < 0.2
        assert np.mean(below < 0.5 - radius) == close(exact, abs=4 * math.sqrt(exact / 100_000))


def test_printed_index_of_algorithm_1_misses_at_large_k():
    """At K = 20, T = 10^5 the printed radius is 3 deviations of the noise: it misses with 0.1 % to a side."""
    miss = lemmas.local_miss(0.2, 20, 100_000, 1)
    assert 0.0010 < miss.late < 0.0014
    assert miss.largest == close(0.5 * math.exp(-4 * math.sqrt(2 * math.log(1e5) / 20)), rel=0.01)
    assert (miss.reports, miss.rounds) == (1, 100_000)
    for size, most in ((1, 0.01), (4, 10.0)):
        assert lemmas.local_miss(0.2, size, 100_000, 1).rounds < most
    for size in (1, 4, 20):
        assert lemmas.local_miss(0.2, size, 100_000, 1, "repaired").rounds < 1e-5


def test_measured_misses_of_the_index_at_k_20():
    """The noise of n users' reports against the printed and the repaired bonus, drawn."""
    rng = np.random.default_rng(2)
    n, log = 30, math.log(100_000)
    mean = rng.laplace(0.0, 100.0, (50_000, n)).mean(axis=1)
    printed = np.mean(mean < -4 * math.sqrt(2 * 20 * log / (0.04 * n)))
    assert printed == close(lemmas.report_miss(n, 100.0, 4 * math.sqrt(2 * 20 * log / (0.04 * n))), rel=0.25)
    assert printed > 0.001
    assert not np.any(mean < -(math.sqrt((1.5 + 12 * 1e4) * log / n) + 300 * log / n))


def test_printed_index_of_algorithm_2_lacks_a_sampling_term():
    for epsilon in (0.2, 1.0, 4.0):
        assert lemmas.local_miss(epsilon, 1, 100_000, 2).rounds < 1.0
    assert lemmas.local_miss(10.0, 1, 100_000, 2).rounds > 1e5 / 2
    for epsilon in (0.2, 1.0, 10.0, 100.0):
        assert lemmas.local_miss(epsilon, 1, 100_000, 2, "repaired").rounds < 1e-5


def test_half_the_repaired_radius_would_not_do():
    """The repair is no more than twice what it needs to be: half of it misses a hundred times too often."""
    log = 3 * math.log(1e5)
    for scale, n in ((100.0, 1), (100.0, 300), (0.1, 300)):
        half = (math.sqrt((0.5 + 4 * scale**2) * log / n) + scale * log / n) / 2
        assert lemmas.report_miss(n, scale, half) > 100 * 1e-15


def test_misses_after_many_reports_by_the_central_limit():
    """T^-x with x the squared radius over twice the variance, but for Gaussian tail against exponential."""
    for epsilon, algorithm, size, power in ((0.2, 1, 20, 320 / 800.01), (10.0, 2, 1, 16 / 27)):
        for horizon in (10**4, 10**6):
            late = lemmas.local_miss(epsilon, size, horizon, algorithm).late
            assert power < -math.log(late) / math.log(horizon) < power + 0.35


def test_tree_miss_by_sampling():
    rng = np.random.default_rng(3)
    for variant, allowed in (("printed", 12 * math.log(4) ** 3 / 4), ("repaired", None)):
        wide = 2 * math.sqrt(3 * 2 * math.log(4)) + 2 * math.log(4)
        sums = rng.laplace(0, 1, (400_000, 3)).sum(axis=1)
        exact = lemmas.tree_miss(4, variant) / 16
        assert np.mean(sums > (wide if allowed is None else allowed)) == close(exact, abs=4 * math.sqrt(exact / 4e5))
    for horizon in (10, 10**4, 10**8):
        assert lemmas.tree_miss(horizon, "repaired") < 1
        assert lemmas.tree_miss(horizon) < 1


def test_lemma_2_needs_few_rounds_when_arms_are_fewer_than_rounds():
    assert lemmas.lemma_2_failures(20, 1000) < 1e-6
    assert lemmas.lemma_2_failures(500, 1000) < 3
    assert lemmas.lemma_2_failures(10**12, 1000) == 1000.0  # m > T^3: F_t with ln T is not implied
    log_t, log_mt = math.log(50), math.log(50 * 40)
    up = 4 * math.sqrt(log_t) - 2 * math.sqrt(log_mt)
    by_hand = 40 * 2500 * (math.exp(-2 * up**2) + 2000.0**-8 + 2 * lemmas.tree_miss(50) / 2500)
    assert lemmas.lemma_2_failures(40, 50) == close(by_hand)


# --- Fact 1, K = 1, exponents


def test_fact_1_is_tight_and_can_fail():
    sets = [[0, 1, 2], [3, 4, 5]]
    linear = SemiBandit.from_sets([0.5] * 6, sets)
    found = lemmas.fact_1(linear, draws=4000)
    assert 0.9 < found.infinity_from_one <= 1.0 + 1e-12
    assert found.one_from_infinity <= 1 / 3 + 1e-9  # B_inf = 3, but B_1 = 1
    single = instances.one_valuable(5, 2, 0.1)
    assert 0.9 < lemmas.fact_1(single, draws=4000).one_from_infinity <= 1.0 + 1e-12

    class Wrong:
        """States half of its constants."""

        n_items, list_size, sets, value = linear.n_items, 3, linear.sets, staticmethod(linear.value)
        b_1, b_inf = 0.5, 0.5

    wrong = lemmas.fact_1(Wrong())
    assert wrong.one_from_infinity > 1.9
    assert wrong.infinity_from_one > 1.7


def test_one_arm_makes_the_local_algorithms_one():
    assert lemmas.same_at_one(2.0)


def test_exponents_against_the_claims():
    public = lemmas.public_arms_exponents()
    assert public.claimed == close(2.0)
    assert 1.0 <= public.reached < 1.05
    both = lemmas.multiplicative_exponents()
    assert both.claimed == close(2.0)
    assert 1.0 <= both.reached < 1.05


def test_the_bounds_of_the_exponents_say_something_at_their_horizon():
    """An upper bound above Delta T refutes nothing, as both are at T = 10^12."""
    assert lemmas._FAR == 10**40
    for size in (64, 4096):
        for horizon, said in ((10**40, True), (10**12, False)):
            assert (sum(bounds.public_arms_upper(3 * size, size, 0.1, 1e-9, horizon)) < 0.1 * horizon) == said
    for x in (2.0**-10, 2.0**-30):
        assert bounds.dp_se_upper(10, x, x, 10**40) < x * 10**40
    assert bounds.dp_se_upper(10, 2.0**-30, 2.0**-30, 10**12) > 2.0**-30 * 10**12


def test_the_additive_lower_bound_is_within_a_constant_of_a_proved_one():
    """d(1/2 - x || 1/2) <= 2.3 x^2 for x < 0.35, so that the proof's constant is 12 m/(m - 1)."""
    for x in np.linspace(0.001, 0.35, 200):
        assert bernoulli_kl(0.5 - x, 0.5) <= 2.3 * x**2
    for n_arms in (2, 10, 1000):
        ratio = lemmas.additive_over_proved(n_arms)
        assert 6.0 < ratio * (n_arms - 1) / n_arms <= 12.0


def test_a_first_report_costs_more_than_the_claimed_rate_from_a_horizon_on():
    for gap, epsilon in ((0.1, 1.0), (0.3, 2.0)):
        at = lemmas.first_report_horizon(gap, epsilon) * math.log(10)
        claimed = math.log(256 * at / (epsilon**2 * gap))
        assert lemmas.first_report_lower(gap, epsilon, at) == close(claimed, rel=1e-6)
        for further in (1.1, 2.0, 10.0):  # the excess grows, so that no constant would do
            excess = lemmas.first_report_lower(gap, epsilon, further * at) - math.log(
                256 * further * at / epsilon**2 / gap
            )
            assert excess > 2.0 * (further - 1.0)
    assert lemmas.first_report_horizon(0.1, 1.0, "repaired") == math.inf
