"""The bounds of Chen et al. (2020): by hand, by summation, limits, rates, refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest

from private_bandits import baselines
from private_bandits.papers.semibandits import bounds, cucb_ldp1, cucb_ldp2, instances
from private_bandits.problems import Arms, SemiBandit
from private_bandits.simulate import simulate
from private_bandits_book.semibandits.lemmas import first_report_lower
from private_bandits_book.semibandits.tables import informative_from

T = 1000
LOG = math.log(T)
UNEVEN = SemiBandit.from_sets([0.9, 0.8, 0.6, 0.5, 0.3], [[0, 1], [2, 3], [1, 4], [3, 4]], weights=2.0)
# rewards 3.4, 2.2, 2.2, 1.6: gaps 1.2, 1.2, 1.8; arm 0 is in no bad super arm
SMALLEST, LARGEST = [1.2, 1.2, 1.2, 1.2], [1.2, 1.2, 1.8, 1.8]


def close(value, rel=1e-9):
    return pytest.approx(value, rel=rel)


# --- by hand


def test_gaps_of_the_uneven_problem():
    np.testing.assert_allclose(UNEVEN.smallest_gaps, [0.0, *SMALLEST])
    np.testing.assert_allclose(UNEVEN.largest_gaps, [0.0, *LARGEST])
    assert (UNEVEN.b_1, UNEVEN.b_inf) == (2.0, 4.0)


def test_theorems_2_and_4_as_printed():
    over = 4 / 1.2
    assert bounds.theorem_2(UNEVEN, T, 0.5) == close(4 * 16 * over * LOG / 0.25)
    assert bounds.theorem_2(UNEVEN, T, 0.5, constant=3.0) == close(3 * 4 * 16 * over * LOG / 0.25)
    assert bounds.theorem_2(UNEVEN, T, 0.5, "algorithm") == close(256 * 2 * 16 * over * LOG / 0.25)
    assert bounds.theorem_4(UNEVEN, T, 0.5) == close(16 * over * LOG / 0.25)
    assert bounds.theorem_4(UNEVEN, T, 0.5, "algorithm") == close(256 * 16 * over * LOG / 0.25)


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
    assert total <= theorem(UNEVEN, T, 0.5, "corrected") <= 1.02 * total


def test_corrected_bounds_hold_where_they_say_something():
    problem = instances.one_valuable(6, 2, 0.5)
    for epsilon in (20.0, math.inf):
        for policy, bound in (
            (cucb_ldp1(epsilon, 2, "repaired"), bounds.theorem_2),
            (cucb_ldp2(epsilon, "repaired"), bounds.theorem_4),
        ):
            most = bound(problem, 20_000, epsilon, "corrected")
            regret = simulate(problem, policy, horizon=20_000, replications=5, seed=0).regret[:, -1]
            assert float(regret.max()) < most < problem.uniform_regret() * 20_000
            assert float(regret.mean()) > most / 60


def test_first_report_lower_by_hand_and_by_sampling():
    """The window is met as often as said, and the other arm's index stays above it as often as said."""
    log_t, epsilon, gap = 3.0, 4.0, 0.1
    radius = 4.0 * math.sqrt(2.0 * log_t) / epsilon
    chance = 0.25 * (math.exp(-epsilon * (radius - 0.2)) - math.exp(-epsilon * radius))
    slope = min(epsilon / math.sqrt(2.0), 0.2 / (0.125 + 2.0 / epsilon**2))
    kept = 1.0 - 2.0 / (slope * radius) ** 2
    expected = math.log(gap * (math.exp(log_t) - 1.0) * chance * kept)
    assert first_report_lower(gap, epsilon, log_t) == pytest.approx(expected)
    rng = np.random.default_rng(5)
    reports = (rng.random(4_000_000) < 0.5) + rng.laplace(scale=1.0 / epsilon, size=4_000_000)
    easy = 0.3  # a shorter radius, so that the window is met often: the law of one report is what is sampled
    met = np.mean((reports + easy >= 0.0) & (reports + easy < 0.2))
    zero = 0.25 * (math.exp(-epsilon * (easy - 0.2)) - math.exp(-epsilon * easy))
    assert zero <= met <= 1.5 * zero
    errors = (rng.random((4000, 300)) < 0.4) - 0.4 + rng.laplace(scale=1.0 / epsilon, size=(4000, 300))
    n = np.arange(1, 301)
    index = 0.4 + np.cumsum(errors, axis=1) / n + radius / np.sqrt(n)
    assert np.mean(np.all(index > 0.2, axis=1)) >= kept
    # more than any power of ln T, and nothing for the repaired box
    printed = [first_report_lower(gap, 1.0, x) for x in (100.0, 200.0, 400.0)]
    assert printed[0] > 38.0 and printed[1] - printed[0] > 60.0 and printed[2] - printed[1] > 150.0
    assert first_report_lower(gap, 1.0, 100.0, "repaired") < -200.0
    assert first_report_lower(gap, 0.01, 100.0) == -math.inf


def test_theorem_5_and_6_by_hand():
    assert bounds.theorem_5(6, 0.3, 1.0, T, 2.0) == close(4 * 5 / (64 * (math.e - 1) ** 2 * 0.3) * LOG)
    assert bounds.theorem_5(6, 0.3, 0.4, T, 2.0, "small") == close(4 * 5 / (128 * 0.16 * 0.3) * LOG)
    assert bounds.theorem_6(12, 4, 0.3, 1.0, T, 2.0) == close(4 * 8 * 4 / (64 * (math.e - 1) ** 2 * 0.3) * LOG)
    assert bounds.theorem_6(12, 4, 0.3, 0.4, T, 2.0, "small") == close(4 * 8 * 4 / (128 * 0.16 * 0.3) * LOG)


def kl(a, b):
    return a * math.log(a / b) + (1 - a) * math.log((1 - a) / (1 - b))


def test_corrected_lower_bounds_are_randomised_response():
    """The report of randomised response on a bit of mean p is 1 with probability q + p (1 - 2q), q = 1/(1 + e^eps)."""
    for epsilon in (0.3, 2.0):
        other = 1 / (1 + math.exp(epsilon))
        sent = [other + p * (1 - 2 * other) for p in (0.35, 0.5)]
        divergence = kl(*sent)
        assert bounds.theorem_5(6, 0.3, epsilon, T, 2.0, "corrected") == close(5 * 0.3 / divergence * LOG)
        assert bounds.theorem_6(12, 4, 0.15 * 8, epsilon, T, 2.0, "corrected") == close(2 * 1.2 / divergence * LOG)


def test_lower_bounds_in_print_are_weaker_than_the_corrected_ones():
    for distance in (0.01, 0.1, 0.34):
        for epsilon in (0.01, 0.2, 0.5, 1.0, 5.0, 50.0, math.inf):
            assert bounds.theorem_5(6, distance, epsilon, T) < bounds.theorem_5(
                6, distance, epsilon, T, variant="corrected"
            )
            if epsilon <= 0.5:
                small = bounds.theorem_5(6, distance, epsilon, T, variant="small")
                assert small <= bounds.theorem_5(6, distance, epsilon, T)


def test_theorem_8_by_hand():
    over, epsilon = 4 / 1.2, 0.5
    printed = bounds.theorem_8_terms(UNEVEN, T, epsilon)
    assert printed.sampling == close(2 * 4 * over * LOG**2)
    assert printed.private == close(5 * 2 * 2 * LOG**3 * math.log(2 * 2 * LOG / (1.8 * epsilon)) / epsilon)
    assert bounds.theorem_8(UNEVEN, T, epsilon) == close(sum(printed))
    last_line = 0.0
    for gap in SMALLEST:
        root = LOG * (256 * 4 * 4 * LOG / gap**2 + 96 * 2 * 4 * LOG**3 / (epsilon * gap))
        log = 1 + math.log(256 * 4 * 4 * LOG**4 / (epsilon * gap**2))
        last_line += 16 * 2 * math.sqrt(root) + 48 * 2 * 2 * LOG**3 / epsilon * log
    proof = bounds.theorem_8_terms(UNEVEN, T, epsilon, "proof")
    assert sum(proof) == close(last_line + 3 * sum(LARGEST))
    assert proof.sampling == close(256 * 2 * 4 * over * LOG)
    assert proof.rest == close(3 * sum(LARGEST))


def test_root_of_theorem_8_needs_ln_t_only():
    """sqrt(ln T ln^3 T / (epsilon gap)) <= (ln T / gap + ln^3 T / epsilon) / 2: the first term needs no ln^2 T."""
    for epsilon in (0.01, 1.0, 50.0):
        for horizon in (100, 10**6, 10**9):
            terms = bounds.theorem_8_terms(UNEVEN, horizon, epsilon, "proof")
            log = math.log(horizon)
            crossed = sum(16 * math.sqrt(96 * 8 * 4 * log**4 / (epsilon * gap)) for gap in SMALLEST)
            halves = sum(8 * math.sqrt(96) * (8 * log / gap + 4 * log**3 / epsilon) for gap in SMALLEST)
            private = sum(
                96 * 2 * log**3 / epsilon * (1 + math.log(4096 * log**4 / (epsilon * g * g))) for g in SMALLEST
            )
            assert terms.private <= crossed + private <= halves + private


def test_theorem_8_corrected_covers_the_sum_it_stands_for():
    epsilon, levels = 0.5, 10
    linear = 2 * levels / epsilon * (2 * math.sqrt(2 * levels * LOG) + 2 * LOG)

    def summed(bonus):
        charged, n = 0.0, 1
        while 4 * 2 * (math.sqrt(1.5 * LOG / n) + bonus / n) >= 1.2 / 2:
            charged += 4 * 2 * (math.sqrt(1.5 * LOG / n) + bonus / n)
            n += 1
        return 4 * charged

    terms = bounds.theorem_8_terms(UNEVEN, T, epsilon, "corrected")
    assert summed(0.0) <= terms.sampling <= 1.02 * summed(0.0)
    assert summed(linear) <= terms.sampling + terms.private <= 1.05 * summed(linear)
    assert terms.rest == close(5 * (3 + math.pi**2 / 3) * 1.8)


def test_theorem_9_by_hand():
    assert bounds.theorem_9(12, 4, 0.3, 0.5, T, 2.0) == close((4 * 48 / 0.3 + 2 * 48 / 0.5) * LOG)
    assert bounds.theorem_9(12, 4, 0.3, 0.5, T, 2.0, constant=0.1) == close(0.1 * (4 * 48 / 0.3 + 2 * 48 / 0.5) * LOG)
    plain = kl(0.5 - 0.3 / 8, 0.5)
    private = 6 * 0.001 * 0.3 / 8
    assert private < plain < 6 * 0.3 / 8
    assert bounds.theorem_9(12, 4, 0.3, 1.0, T, 2.0, "corrected") == close(2 * 0.3 / plain * LOG)
    assert bounds.theorem_9(12, 4, 0.3, 0.001, T, 2.0, "corrected") == close(2 * (12 - 4) / (6 * 0.001) * LOG)


def test_public_arms_upper_by_hand():
    log = math.log(3 * 13) + 2 * LOG
    terms = bounds.public_arms_upper(12, 4, 0.3, 0.5, T, 2.0)
    assert terms.sampling == close((5 + 16) * 2048 / 3 * 4 * log / 0.3)
    assert terms.private == close(128 * (5 + 4) * 2 * log / 0.5)
    assert terms.rest == close(2 * 5 * 6 * 0.3 + 0.3)  # D = 8/2^e >= 0.15 for e = 1, ..., 5, and at most one epoch more


def public_arms_elimination(m, size, gap, epsilon, horizon, seed):
    """The algorithm behind `public_arms_upper`, epoch by epoch; regret until only the best super arm is left."""
    rng = np.random.default_rng(seed)
    others, log = m - 2 * size + 1, math.log(3 * (m + 1)) + 2 * math.log(horizon)
    best, low = 0.5, 0.5 - gap / size
    alive, regret, width = list(range(others)), 0.0, float(size)
    while alive:
        width /= 2
        g, h = 128 * log / width**2, 32 * log / (epsilon * width)
        n = math.ceil(g + h + (size**2 * g + size * h) / len(alive) + 1)
        users = len(alive) * n

        def average(mean, count, share):
            return rng.binomial(count, mean) / count + rng.laplace(0.0, 1 / (share * count))

        private = {j: average(low, n, epsilon / 2) for j in alive}
        public = average(low, users, epsilon / 2)
        wide = math.ceil(size**2 * g + size * h)
        # weights of the best super arm are independent: their average is a binomial over size
        leader = size * (rng.binomial(wide * size, best) / (wide * size) + rng.laplace(0.0, 1 / (epsilon * wide)))
        regret += users * gap
        alive = [j for j in alive if leader - (private[j] + (size - 1) * public) <= width / 2]
    return regret


@pytest.mark.parametrize(("m", "size", "epsilon"), [(12, 4, 0.01), (60, 20, 0.001), (30, 3, 1.0)])
def test_public_arms_upper_bounds_its_algorithm(m, size, epsilon):
    worst = max(public_arms_elimination(m, size, 0.3, epsilon, 10**6, seed) for seed in range(3))
    most = sum(bounds.public_arms_upper(m, size, 0.3, epsilon, 10**6))
    assert most / 25 < worst < most


def test_private_term_of_theorem_9_falls_short_by_k():
    """At m = 3 K the ratio of what is claimed and what is reached grows like K."""
    ratios = [
        bounds.theorem_9(3 * k, k, 0.1, 1e-9, 10**9) / bounds.public_arms_upper(3 * k, k, 0.1, 1e-9, 10**9).private
        for k in (100, 200, 100_000)
    ]
    assert ratios[1] / ratios[0] == pytest.approx(2, rel=0.05)
    assert ratios[2] > 1  # already at constant 1


def test_b_inf_dp_bounds_by_hand():
    assert bounds.b_inf_dp_upper(UNEVEN, T, 0.5) == close(5 * 16 * LOG / (0.5 * 1.2))
    linear = 10 / 0.5 * (2 * math.sqrt(20 * LOG) + 2 * LOG)
    charged, n = 0.0, 1
    while 8 * (math.sqrt(1.5 * LOG / n) + linear / n) >= 1.2:
        charged += 8 * (math.sqrt(1.5 * LOG / n) + linear / n)
        n += 1
    terms = bounds.b_inf_dp_terms(UNEVEN, T, 0.5, "corrected")
    assert 4 * charged <= terms.sampling + terms.private <= 1.05 * 4 * charged
    assert bounds.b_inf_dp_upper(UNEVEN, T, 0.5, "corrected") == close(sum(terms))
    assert bounds.b_inf_dp_lower(6, 0.3, 0.5, T, 2.0) == close(6 * 4 / (0.5 * 0.3) * LOG)
    plain, private = kl(0.35, 0.5), 6 * 0.01 * 0.15
    assert private < plain
    assert bounds.b_inf_dp_lower(6, 0.3, 0.01, T, 2.0, "corrected") == close(5 * 0.3 / private * LOG)
    assert bounds.b_inf_dp_lower(6, 0.3, 5.0, T, 2.0, "corrected") == close(5 * 0.3 / plain * LOG)


@pytest.mark.parametrize("epsilon", [0.01, 10.0])
def test_dp_se_upper_by_hand(epsilon):
    pulls = 0.0
    for epoch, width in ((1, 0.5), (2, 0.25), (3, 0.125)):
        sampling = 32 * math.log(8 * 5 * epoch**2 * T) / width**2
        private = 8 * math.log(4 * 5 * epoch**2 * T) / (epsilon * width)
        assert (private > sampling) == (epsilon < 1)
        pulls += math.ceil(max(sampling, private)) + 1
    assert bounds.dp_se_upper(5, 0.2, epsilon, T) == close((4 * pulls + 1) * 0.2)


@pytest.mark.parametrize("epsilon", [0.02, 1.0])
def test_dp_se_upper_bounds_dp_se(epsilon):
    """It allows two epochs more than most runs need."""
    horizon, arms = 10**8, Arms.bernoulli([0.5, 0.3, 0.3, 0.3, 0.3])
    regret = simulate(arms, baselines.dp_se(epsilon, 5, horizon), horizon=horizon, replications=10, seed=0).regret[
        :, -1
    ]
    most = bounds.dp_se_upper(5, 0.2, epsilon, horizon)
    assert most / 30 < float(regret.mean()) <= float(regret.max()) < most


# --- no privacy


def test_without_privacy():
    corrected = bounds.theorem_4(UNEVEN, 10**9, math.inf, "corrected")
    leading = 12 * 16 * 4 / 1.2 * math.log(10**9)
    rest = 5 * (1 + math.pi**2 / 3) * 1.8
    assert corrected == close(leading + rest)
    assert bounds.theorem_2(UNEVEN, 10**9, math.inf, "corrected") == corrected
    terms = bounds.theorem_8_terms(UNEVEN, 10**9, math.inf, "corrected")
    assert terms.sampling == close(48 * 2 * 4 * 4 / 1.2 * math.log(10**9))
    assert terms.private == 0.0
    assert bounds.b_inf_dp_terms(UNEVEN, T, math.inf, "corrected").private == 0.0
    for variant in ("printed", "proof"):
        assert bounds.theorem_8_terms(UNEVEN, T, math.inf, variant).private == 0.0
    for theorem in (bounds.theorem_2, bounds.theorem_4):
        assert theorem(UNEVEN, T, math.inf) == 0.0  # as printed, against any lower bound
    assert bounds.b_inf_dp_upper(UNEVEN, T, math.inf) == 0.0
    lai_robbins = 5 * 0.3 / kl(0.35, 0.5) * LOG
    assert bounds.theorem_5(6, 0.3, math.inf, T, 2.0, "corrected") == close(lai_robbins)
    assert bounds.b_inf_dp_lower(6, 0.3, math.inf, T, 2.0, "corrected") == close(lai_robbins)
    assert bounds.theorem_5(6, 0.3, math.inf, T, 2.0) == 0.0
    assert bounds.theorem_5(6, 0.3, 800.0, T, 2.0) == 0.0


def test_horizon_one_is_free_of_logarithms():
    for variant in ("printed", "proof", "corrected"):
        assert math.isfinite(bounds.theorem_8(UNEVEN, 1, 0.5, variant))
    assert bounds.theorem_2(UNEVEN, 1, 0.5) == 0.0
    assert bounds.theorem_5(6, 0.3, 1.0, 1) == 0.0


# --- rates


def exponent(low, high, factor):
    return math.log(high / low) / math.log(factor)


def test_rates_in_k_of_the_corrected_bounds():
    """On the family with B_inf = 1 K^2 for Algorithm 1 and none for Algorithm 2; on K-paths K^2 for Algorithm 2."""
    small = 1e-3

    def per_arm(bound, make, size):
        problem = make(16 * 8, size)
        return bound(problem, 10**6, small, "corrected") / (problem.n_items - (size if make is path else size - 1))

    def one(m, size):
        return instances.one_valuable(m, size, 0.1)

    def path(m, size):
        return instances.k_path(m, size, 0.1)

    assert exponent(*(per_arm(bounds.theorem_2, one, k) for k in (4, 8)), 2) == pytest.approx(2, abs=0.05)
    assert exponent(*(per_arm(bounds.theorem_4, one, k) for k in (4, 8)), 2) == pytest.approx(0, abs=0.05)
    assert exponent(*(per_arm(bounds.theorem_4, path, k) for k in (4, 8)), 2) == pytest.approx(2, abs=0.05)
    assert exponent(*(per_arm(bounds.theorem_8, path, k) for k in (4, 8)), 2) == pytest.approx(1, abs=0.1)


def test_rates_in_epsilon_and_gap():
    def one(gap):
        return instances.one_valuable(12, 3, gap)

    for theorem in (bounds.theorem_2, bounds.theorem_4):
        values = [theorem(one(0.1), 10**6, eps, "corrected") for eps in (0.002, 0.001)]
        assert exponent(*values, 2) == pytest.approx(2, abs=0.01)
        values = [theorem(one(gap), 10**6, 0.001, "corrected") for gap in (0.02, 0.01)]
        assert exponent(*values, 2) == pytest.approx(1, abs=0.02)
    central = [bounds.b_inf_dp_terms(one(0.1), 10**6, eps, "corrected").private for eps in (2e-4, 1e-4)]
    assert exponent(*central, 2) == pytest.approx(1, abs=0.1)
    central = [bounds.b_inf_dp_terms(one(gap), 10**6, 1e-4, "corrected").private for gap in (0.02, 0.01)]
    assert exponent(*central, 2) == pytest.approx(0, abs=0.1)


def test_informative_from():
    problem = instances.one_valuable(6, 2, 0.5)
    uniform = problem.uniform_regret()

    def bound(horizon):
        return bounds.theorem_4(problem, horizon, 1.0, "corrected")

    first = informative_from(bound, uniform)
    assert bound(first) < uniform * first
    assert bound(first // 2) >= uniform * first / 2
    with pytest.raises(ValueError, match="bound must fall below"):
        informative_from(lambda horizon: 2.0 * horizon, 1.0)


# --- refusals


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bounds.theorem_2(UNEVEN, 0, 1.0), "horizon must be >= 1"),
        (lambda: bounds.theorem_2(UNEVEN, T, -1.0), "epsilon must be > 0, got -1.0"),
        (lambda: bounds.theorem_2(UNEVEN, T, 1.0, "proof"), "variant must be one of"),
        (lambda: bounds.theorem_4(UNEVEN, T, 1.0, constant=0.0), "constant must be > 0"),
        (lambda: bounds.theorem_4(SemiBandit.top_k([0.5, 0.5], 1), T, 1.0), "must have a bad super arm"),
        (lambda: bounds.theorem_5(1, 0.1, 1.0, T), "n_arms must be >= 2"),
        (lambda: bounds.theorem_5(5, 0.35, 1.0, T), "gap must be < 0.35 b_inf = 0.35, got 0.35"),
        (lambda: bounds.theorem_5(5, 0.1, 0.6, T, variant="small"), "epsilon must be <= 0.5, got 0.6"),
        (lambda: bounds.theorem_6(9, 4, 0.1, 1.0, T), "n_arms must be a multiple of size=4"),
        (lambda: bounds.theorem_6(4, 4, 0.1, 1.0, T), "n_arms must be >= 8"),
        (lambda: bounds.theorem_8(UNEVEN, T, 1.0, "box"), "variant must be one of"),
        (lambda: bounds.theorem_9(7, 4, 0.1, 1.0, T), "n_arms must be >= 8"),
        (lambda: bounds.theorem_9(8, 4, 0.1, 1.0, T, b_1=-1.0), "b_1 must be > 0"),
        (lambda: bounds.public_arms_upper(7, 4, 0.1, 1.0, T), "n_arms must be >= 8"),
        (lambda: bounds.b_inf_dp_upper(UNEVEN, T, 1.0, "proof"), "variant must be one of"),
        (lambda: bounds.b_inf_dp_lower(5, 0.5, 1.0, T), "gap must be <"),
        (lambda: bounds.dp_se_upper(5, 1.0, 1.0, T), "gap must be"),
    ],
)
def test_bad_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
