"""Problems against enumeration: rewards, constants, uniform play, feedback and gaps."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest

from private_bandits.problems import Cascade, SemiBandit
from private_bandits.problems.families import observe_set
from private_bandits.problems.lists import observe, pseudo_regret

MEANS = [0.9, 0.35, 0.35, 0.2, 0.05, 0.0]


def problems(size, means=MEANS):
    return Cascade(means, size), SemiBandit.top_k(means, size)


def chance(weights, means):
    """Probability of a vector of independent weights."""
    return math.prod(m if w else 1 - m for w, m in zip(weights, means, strict=True))


@pytest.mark.parametrize("means", [MEANS, [1.0, 0.5, 0.0], [0.4]])
def test_reward_is_the_expectation_over_all_weights(means):
    for size in range(1, len(means) + 1):
        cascade = Cascade(means, size)
        for items in itertools.permutations(range(len(means)), size):
            click = 0.0
            for weights in itertools.product([0, 1], repeat=len(means)):
                click += chance(weights, means) * max(weights[e] for e in items)
            assert cascade.reward(np.array(items)) == pytest.approx(click, abs=1e-12)


@pytest.mark.parametrize("size", range(1, len(MEANS) + 1))
def test_best_and_uniform_regret_by_enumeration(size):
    for problem in problems(size, MEANS[::-1]):
        rewards = [problem.reward(np.array(items)) for items in itertools.combinations(range(len(MEANS)), size)]
        assert problem.best == pytest.approx(max(rewards), abs=1e-12)
        assert problem.uniform_regret() == pytest.approx(max(rewards) - np.mean(rewards), abs=1e-12)


@pytest.mark.parametrize("size", range(1, len(MEANS) + 1))
def test_pseudo_regret_is_zero_exactly_for_optimal_lists(size):
    for problem in problems(size):
        record = problem.record()
        for items in itertools.permutations(range(len(MEANS)), size):
            order = np.array(items)
            lost = pseudo_regret(record.means, record.cascade, record.best, order)
            assert lost == pytest.approx(problem.best - problem.reward(order), abs=1e-12)
            if sorted(problem.means[order]) == sorted(MEANS)[-size:]:
                assert 0.0 <= lost <= 1e-12
            else:
                assert lost > 1e-3


def test_rounding_never_makes_regret_negative():
    rng = np.random.default_rng(0)
    below = 0
    for _ in range(200):
        means = rng.random(6)
        for problem in problems(4, means):
            record = problem.record()
            for order in itertools.permutations(np.argsort(-means)[:4]):
                below += problem.reward(np.array(order)) > problem.best
                assert 0.0 <= pseudo_regret(record.means, record.cascade, record.best, np.array(order)) <= 1e-12
    assert below > 100  # the order of the factors does change the last bit


# --- feedback


def played(problem, order, rounds, seed=0):
    """The observed weights of each round, as tuples."""
    record, env, weights = problem.record(), np.random.default_rng(seed), np.zeros(problem.list_size)
    seen = []
    for _ in range(rounds):
        weights[:] = math.nan  # positions that are not observed are not written
        observed = observe(record.means, record.cascade, order, env, weights)
        assert np.all(np.isnan(weights[observed:])) and not np.any(np.isnan(weights[:observed]))
        seen.append(tuple(weights[:observed].tolist()))
    return seen


@pytest.mark.parametrize("problem", problems(3), ids=str)
def test_feedback_has_the_exact_frequencies_and_stops_at_a_click_of_a_cascade(problem):
    order, expected = [3, 0, 2], Counter()
    for drawn in itertools.product([0.0, 1.0], repeat=3):
        clicked = isinstance(problem, Cascade) and 1.0 in drawn
        expected[drawn[: drawn.index(1.0) + 1] if clicked else drawn] += chance(drawn, [MEANS[e] for e in order])
    seen = Counter(played(problem, np.array(order), 40_000))
    assert seen.keys() == expected.keys()
    for reply, p in expected.items():
        assert abs(seen[reply] / 40_000 - p) < 4.5 * math.sqrt(p * (1 - p) / 40_000), reply


# --- decision sets

SETS = [[0, 1], [2], [3, 4, 5], [5, 0], [1, 3, 2]]
W = [2.0, 0.0, 1.0, 0.5, 3.0, 0.25]
TABLE = [[0.5, 0.1, 0.0], [0.4, 0.4, 0.4], [0.1, 0.5, 0.2], [0.3, 0.0, 0.5]]
AIMS = [7, 7, 7, 4, 4, 9]
DUMMIES = SemiBandit.from_sets(MEANS, [[i, 4, 5] for i in range(4)], weights=[1.0] * 4 + [0.0] * 2)
FAMILIES = {  # and what the outcomes x of the super arm s are worth
    "linear": (SemiBandit.from_sets(MEANS, SETS), lambda x, s: x.sum()),
    "weights": (SemiBandit.from_sets(MEANS, SETS, weights=W), lambda x, s: x @ np.take(W, s)),
    "max": (SemiBandit.from_sets(MEANS, SETS, reward="max"), lambda x, s: x.max()),
    "coverage": (SemiBandit.coverage(TABLE, 2), lambda x, s: x.reshape(2, 3).max(axis=0).sum()),
    "targets": (
        SemiBandit.from_sets(MEANS, SETS, reward="coverage", targets=AIMS),
        lambda x, s: len({AIMS[i] for i, hit in zip(s, x, strict=True) if hit}),
    ),
    "dummies": (DUMMIES, lambda x, s: x[0]),
    "top-K": (SemiBandit.top_k(MEANS, 3), lambda x, s: x.sum()),
}
every_family = pytest.mark.parametrize(("problem", "worth"), FAMILIES.values(), ids=FAMILIES)


def super_arms(problem):
    return getattr(problem, "sets", list(itertools.combinations(range(problem.n_arms), problem.list_size)))


def value(worth, arms, means):
    """r_mu(S), by a road that does not pass through the compiled reward."""
    here = [means[i] for i in arms]
    return sum(chance(x, here) * worth(np.array(x), arms) for x in itertools.product([0.0, 1.0], repeat=len(arms)))


def value_at(problem, arms, means):
    return problem.value(arms, means) if hasattr(problem, "value") else float(means[list(arms)].sum())


@every_family
def test_assumption_1_the_reward_is_the_expected_reward_of_the_outcomes(problem, worth):
    rng = np.random.default_rng(0)
    for arms in super_arms(problem):
        assert problem.reward(arms) == pytest.approx(value(worth, arms, problem.means), abs=1e-12)
        means = rng.random(problem.n_arms)
        assert value_at(problem, arms, means) == pytest.approx(value(worth, arms, means), abs=1e-12)


@every_family
def test_best_and_uniform_regret_of_a_family(problem, worth):
    rewards = [value(worth, arms, problem.means) for arms in super_arms(problem)]
    assert problem.best == pytest.approx(max(rewards), abs=1e-12)
    assert problem.uniform_regret() == pytest.approx(max(rewards) - np.mean(rewards), abs=1e-12)
    assert problem.record().best == problem.best


@every_family
def test_assumptions_2_and_3_smoothness_with_the_smallest_constants_and_monotonicity(problem, worth):
    rng = np.random.default_rng(1)
    worst_1 = worst_inf = 0.0
    for trial in range(400):
        # means near 0, where products of misses are steepest, and anywhere
        low = rng.random(problem.n_arms) * (0.02 if trial % 2 else 1.0)
        high = np.minimum(low + rng.random(problem.n_arms) * (0.02 if trial % 2 else 1.0), 1.0)
        if trial % 4 == 1:
            high = low + 0.01  # all arms at once: the largest change for a given largest distance
        if trial % 4 == 3:
            moved = np.arange(problem.n_arms) == rng.integers(problem.n_arms)  # one arm
            high = np.where(moved, low + 0.01, low)
        for arms in super_arms(problem):
            gain = value_at(problem, arms, high) - value_at(problem, arms, low)
            distance = (high - low)[list(arms)]
            assert gain >= -1e-12
            assert gain <= problem.b_1 * distance.sum() + 1e-12
            assert gain <= problem.b_inf * distance.max() + 1e-12
            if distance.max() > 0.0:
                worst_1 = max(worst_1, gain / distance.sum())
                worst_inf = max(worst_inf, gain / distance.max())
    assert worst_1 > 0.85 * problem.b_1 and worst_inf > 0.85 * problem.b_inf


def bad_gaps(problem):
    """Delta_min^i and Delta_max^i by the definition."""
    target = max(value_at(problem, arms, problem.means) for arms in super_arms(problem))
    smallest, largest = [], []
    for i in range(problem.n_arms):
        lost = [target - value_at(problem, arms, problem.means) for arms in super_arms(problem) if i in arms]
        bad = [gap for gap in lost if gap > 1e-9]
        smallest.append(min(bad, default=0.0))
        largest.append(max(bad, default=0.0))
    return smallest, largest


@every_family
def test_gaps_of_a_family_by_enumeration(problem, worth):
    smallest, largest = bad_gaps(problem)
    np.testing.assert_allclose(problem.smallest_gaps, smallest, atol=1e-12)
    np.testing.assert_allclose(problem.largest_gaps, largest, atol=1e-12)


def test_gaps_of_top_k_with_and_without_ties_by_enumeration():
    rng = np.random.default_rng(5)
    for trial in range(60):
        means = rng.integers(0, 4, 6) / 4 if trial % 2 else rng.random(6)
        for size in range(1, 7):
            problem = SemiBandit.top_k(means, size)
            smallest, largest = bad_gaps(problem)
            np.testing.assert_allclose(problem.smallest_gaps, smallest, atol=1e-12)
            np.testing.assert_allclose(problem.largest_gaps, largest, atol=1e-12)


def test_gaps_of_an_arm_are_those_of_its_best_super_arm():
    problem = SemiBandit.from_sets(MEANS, SETS[:2] + SETS[3:4])
    np.testing.assert_allclose(problem.gaps, [0.0, 0.0, 0.9, math.inf, math.inf, 0.35])


# --- shared draws


def outcomes(problem, arms, rounds, seed=0):
    record, env, weights = problem.record(), np.random.default_rng(seed), np.zeros(problem.list_size)
    drawn = np.zeros((rounds, len(arms)))
    for t in range(rounds):
        assert observe_set(record.means, record.family.groups, np.array(arms), len(arms), env, weights) == len(arms)
        drawn[t] = weights[: len(arms)]
    return drawn, env


def test_arms_of_a_group_share_one_draw_and_others_do_not():
    means, arms = [0.5, 0.5, 0.3, 0.8, 0.5, 0.5], [4, 0, 2, 5, 1, 3]
    problem = SemiBandit.from_sets(means, [arms], groups=[7, 7, -1, 7, -1, -1])
    drawn, env = outcomes(problem, arms, 20_000)
    assert np.max(np.abs(drawn.mean(axis=0) - np.array(means)[arms])) < 4.5 * 0.5 / math.sqrt(20_000)
    one, low, other, alone, same, high = drawn.T
    np.testing.assert_array_equal(low, same)  # arms 0 and 1: equal means, equal outcomes
    assert np.all(high >= low)  # arm 3 compares the same number with a larger mean
    singles = np.corrcoef([one, low, other, alone])
    assert np.max(np.abs(singles - np.eye(4))) < 4.5 / math.sqrt(20_000)
    after = np.random.default_rng(0)
    after.random(20_000 * 4)  # one number per group and per arm of its own
    assert env.random() == after.random()
