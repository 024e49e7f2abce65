"""The lemmas of Chen et al. (2020) as computed."""

from __future__ import annotations

import math

import numpy as np
import pytest

from private_bandits.mechanisms import TreeCounter
from private_bandits.papers.semibandits import bounds, instances
from private_bandits.problems import SemiBandit
from private_bandits_book.chapters.semibandits import lemmas


def close(value, rel=1e-9, **more):
    return pytest.approx(value, rel=rel, **more)


# --- privacy


def test_nodes_of_a_leaf():
    np.testing.assert_array_equal(lemmas.node_counts(1), [1])
    np.testing.assert_array_equal(lemmas.node_counts(8), [4, 3, 3, 2, 3, 2, 2, 1])
    for horizon in (1, 2, 3, 7, 8, 100, 1024):
        counter = TreeCounter(1.0, horizon=horizon, rng=np.random.default_rng(0))
        assert lemmas.node_counts(horizon).max() == counter.levels


def test_lemma_1_is_short_of_a_level():
    for horizon in (5, 16):
        binary, natural, whole = lemmas.lemma_1_loss(horizon)
        levels = math.floor(math.log2(horizon)) + 1
        assert binary == close(levels / math.log2(horizon)) and natural == close(levels / math.log(horizon))
        assert natural > binary > whole == 1.0


# --- coverage


def test_tree_miss_by_sampling():
    sums = np.random.default_rng(3).laplace(0, 1, (400_000, 3)).sum(axis=1)
    exact = lemmas.tree_miss(4) / 16
    assert np.mean(sums > 12 * math.log(4) ** 3 / 4) == close(exact, abs=4 * math.sqrt(exact / 4e5))


def test_lemma_2_needs_few_rounds_when_arms_are_fewer_than_rounds():
    assert lemmas.lemma_2_failures(20, 1000) < 1e-6
    assert lemmas.lemma_2_failures(10**12, 1000) == 1000.0  # m > T^3: F_t with ln T is not implied
    log_t, log_mt = math.log(50), math.log(50 * 40)
    up = 4 * math.sqrt(log_t) - 2 * math.sqrt(log_mt)
    by_hand = 40 * 2500 * (math.exp(-2 * up**2) + 2000.0**-8 + 2 * lemmas.tree_miss(50) / 2500)
    assert lemmas.lemma_2_failures(40, 50) == close(by_hand)


# --- Fact 1 and exponents


def test_fact_1_is_tight_and_can_fail():
    linear = SemiBandit.from_sets([0.5] * 6, [[0, 1, 2], [3, 4, 5]])
    assert 0.9 < lemmas.fact_1(linear, draws=4000) <= 1.0 + 1e-12

    class Wrong:
        """States half of its constants."""

        n_arms, list_size, sets, value = linear.n_arms, 3, linear.sets, staticmethod(linear.value)
        b_1, b_inf = 0.5, 0.5

    assert lemmas.fact_1(Wrong()) > 1.9


def test_the_exponents_of_a_bound_are_found():
    def bound(problem, horizon, epsilon):
        arms = np.count_nonzero(problem.smallest_gaps)
        distance = problem.smallest_gaps.max()
        return arms * problem.list_size**1.5 * math.log(horizon) ** 0.5 / (epsilon**3 * distance**2)

    assert lemmas.exponents(bound, "K-path") == close((1.5, 3.0, 2.0, 0.5))


def test_exponents_against_the_claims():
    for found, claimed, proved in (
        (lemmas.private_exponents(), 1.0, 0.0), (lemmas.public_exponents(), 2.0, 1.0),
        (lemmas.product_exponents(), 2.0, 1.0), (lemmas.tilde_exponents(), 1.5, 1.0),
        (lemmas.tilde_exponents(20.0), 1.5, 1.0),
    ):  # fmt: skip
        assert found[0] == close(claimed, rel=0.02)
        assert proved - 0.005 <= found[1] < proved + 0.05


def test_the_bound_written_out_for_two_paths_is_that_of_the_library():
    for size, epsilon in ((3, 0.5), (40, 0.02)):
        problem = instances.k_path(2 * size, size, 1.0)
        most = sum(bounds.cucb_blocks_upper(problem=problem, horizon=10**40, epsilon=epsilon))
        assert size * lemmas.tilde_upper(size, math.log(10**40), epsilon) == close(most)


@pytest.mark.parametrize("size", [10, 16, 100])
def test_theorem_9_is_true_with_a_constant_of_one_over_two_k(size):
    """Proved of every gap and epsilon; tight as epsilon tends to 0 on two paths."""
    ratios = []
    for x in np.linspace(0.005, 0.349, 20):
        for epsilon in np.geomspace(1e-7, 1e3, 41):
            at = {"n_arms": 2 * size, "list_size": size, "gap": x * size, "epsilon": epsilon, "horizon": 1000}
            ratios.append(bounds.theorem_9(**at, variant="corrected") / bounds.theorem_9(**at))
    assert 1.0 <= 2 * size * min(ratios) < 1.001


def test_the_sum_is_within_a_constant_of_a_proved_lower_bound():
    """d(1/2 - x || 1/2) <= 2.3 x^2 for x < 0.35, so that the constant is at most 2 * 2.3 m/(m - 1)."""
    for n_arms in (2, 10, 1000):
        assert 1.0 < lemmas.sum_over_proved(n_arms) * (n_arms - 1) / n_arms <= 4.6
    assert 8.0 < lemmas.rates_apart() < 100.0
    assert 0.007 < lemmas.local_lower_ratio() < 1 / 64  # printed over proved


# --- first reports


def test_first_report_lower_by_hand():
    log_t, epsilon, gap = 3.0, 4.0, 0.1
    radius = 4.0 * math.sqrt(2.0 * log_t) / epsilon
    chance = 0.25 * (math.exp(-epsilon * (radius - 0.2)) - math.exp(-epsilon * radius))
    slope = min(epsilon / math.sqrt(2.0), 0.2 / (0.125 + 2.0 / epsilon**2))
    kept = 1.0 - 2.0 / (slope * radius) ** 2
    expected = math.log(gap * (math.exp(log_t) - 1.0) * chance * kept)
    assert lemmas.first_report_lower(gap, epsilon, log_t) == close(expected)
    assert lemmas.first_report_lower(gap, 0.01, 100.0) == -math.inf


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
