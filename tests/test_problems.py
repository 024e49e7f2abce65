"""List problems against enumeration: rewards, uniform play, feedback, gaps and refusals."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from private_bandits.problems import Cascade, SemiBandit, observe, pseudo_regret

MEANS = [0.9, 0.35, 0.35, 0.2, 0.05, 0.0]


def problems(size, means=MEANS):
    return Cascade(means, size), SemiBandit.top_k(means, size)


def chance(weights, means):
    """Probability of a vector of independent weights."""
    return math.prod(m if w else 1 - m for w, m in zip(weights, means, strict=True))


@pytest.mark.parametrize("means", [MEANS, [1.0, 0.5, 0.0], [0.4]])
def test_reward_is_the_expectation_over_all_weights(means):
    for size in range(1, len(means) + 1):
        cascade, semi = problems(size, means)
        for items in itertools.permutations(range(len(means)), size):
            click = total = 0.0
            for weights in itertools.product([0, 1], repeat=len(means)):
                drawn = [weights[e] for e in items]
                click += chance(weights, means) * max(drawn)
                total += chance(weights, means) * sum(drawn)
            assert cascade.reward(np.array(items)) == pytest.approx(click, abs=1e-12)
            assert semi.reward(np.array(items)) == pytest.approx(total, abs=1e-12)


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


def test_gaps_are_the_distances_below_the_list_size_th_mean():
    means = [0.2, 0.7, 0.5, 0.5, 0.1]
    expected = {
        1: [0.5, 0.0, 0.2, 0.2, 0.6],
        2: [0.3, 0.0, 0.0, 0.0, 0.4],
        3: [0.3, 0.0, 0.0, 0.0, 0.4],
        4: [0.0, 0.0, 0.0, 0.0, 0.1],
        5: [0.0, 0.0, 0.0, 0.0, 0.0],
    }
    for size, gaps in expected.items():
        for problem in problems(size, means):
            np.testing.assert_allclose(problem.gaps, gaps, atol=1e-15)


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


def test_cascade_feedback_stops_at_the_first_click_with_the_exact_frequencies():
    order, rounds = np.array([3, 0, 2]), 40_000
    seen = played(Cascade(MEANS, 3), order, rounds)
    probabilities, missed = {}, 1.0
    for k, item in enumerate(order):
        probabilities[(0.0,) * k + (1.0,)] = missed * MEANS[item]
        missed *= 1 - MEANS[item]
    probabilities[(0.0,) * 3] = missed
    assert_frequencies(seen, probabilities)


def test_semi_bandit_feedback_shows_every_position_independently():
    order, rounds = np.array([1, 3, 0]), 40_000
    seen = played(SemiBandit.top_k(MEANS, 3), order, rounds)
    means = [MEANS[e] for e in order]
    assert_frequencies(seen, {w: chance(w, means) for w in itertools.product([0.0, 1.0], repeat=3)})


def assert_frequencies(seen, probabilities):
    assert set(seen) <= probabilities.keys()
    for reply, p in probabilities.items():
        assert abs(seen.count(reply) / len(seen) - p) < 4.5 * math.sqrt(p * (1 - p) / len(seen)), reply


@pytest.mark.parametrize("size", [1, 3])
def test_one_environment_draw_per_observed_position(size):
    order = np.array([3, 1, 2])[:size]
    for problem in problems(size):
        draws = sum(map(len, played(problem, order, 500, seed=4)))
        env = np.random.default_rng(4)
        env.random(draws)
        after = np.random.default_rng(4)
        record, weights = problem.record(), np.zeros(size)
        for _ in range(500):
            observe(record.means, record.cascade, order, after, weights)
        assert env.random() == after.random()


def test_certain_items_always_and_impossible_ones_never_click():
    assert set(played(Cascade([0.0, 1.0, 0.5], 3), np.array([0, 1, 2]), 200)) == {(0.0, 1.0)}
    assert set(played(SemiBandit.top_k([0.0, 1.0], 2), np.array([1, 0]), 200)) == {(1.0, 0.0)}


# --- the record of a problem


def test_means_are_a_read_only_copy():
    given = np.array(MEANS)
    for problem in problems(2, given):
        given[0] = 0.1
        assert problem.means.tolist() == MEANS
        given[0] = MEANS[0]
        with pytest.raises(ValueError, match="read-only"):
            problem.means[0] = 0.5
        with pytest.raises(AttributeError):
            problem.list_size = 3


def test_records_say_which_feedback():
    cascade, semi = (problem.record() for problem in problems(2))
    assert (cascade.cascade, semi.cascade) == (True, False)
    assert (cascade.list_size, semi.list_size) == (2, 2)
    assert cascade.best == pytest.approx(1 - 0.1 * 0.65)
    assert semi.best == pytest.approx(1.25)
    assert [str(problem) for problem in problems(2)] == [
        "Cascade(n_items=6, list_size=2)",
        "SemiBandit.top_k(n_items=6, size=2)",
    ]


@pytest.mark.parametrize("make", [Cascade, SemiBandit.top_k])
@pytest.mark.parametrize(
    ("means", "size", "message"),
    [
        ([0.5, 1.5], 1, r"means\[1\] must be >= 0 and <= 1, got 1.5"),
        ([-0.1], 1, r"means\[0\] must be >= 0 and <= 1, got -0.1"),
        ([0.5, math.nan], 1, r"means\[1\] must be a number"),
        ([True], 1, r"means\[0\] must be a number"),
        ([], 1, "means must not be empty"),
        (0.5, 1, "means must be a list of numbers"),
        ([[0.5]], 1, r"means\[0\] must be a number"),
        ([0.5, 0.4], 0, "list_size must be >= 1 and <= 2, got 0"),
        ([0.5, 0.4], 3, "list_size must be >= 1 and <= 2, got 3"),
        ([0.5, 0.4], 1.0, "list_size must be an integer"),
        ([0.5, 0.4], True, "list_size must be an integer"),
    ],
)
def test_bad_problems_are_named(make, means, size, message):
    with pytest.raises(ValueError, match=message):
        make(means, size)
