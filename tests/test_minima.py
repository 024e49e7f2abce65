"""DP Robust UCB between two ends: against rounds that are played, against brute force over pulls, and its parts."""

from __future__ import annotations

import math

import numpy as np
import pytest

from private_bandits import simulate
from private_bandits.estimates import mean_interval
from private_bandits.kernels.parts import far_horizons
from private_bandits.mechanisms import counters
from private_bandits.papers.heavy_tailed import dp_robust_ucb, pareto_arms, robust_ucb, setting
from private_bandits.problems import Arms
from private_bandits.streams import streams

LIGHT = pareto_arms(np.array([0.9, 0.1]), 3.0)


def ends(problem, policy, marks, runs, seed=1):
    record, found = problem.record(), []
    for run in range(runs):
        source = streams(seed, run)
        found.append(far_horizons.bracket(record, policy.record, np.array(marks), source.env, source.noise))
    return np.array(found)


CASES = [  # and the most that the ends may be apart
    (setting(1, 0.5), 0.5, 0.5, 18.0, 10**6, 0.05),
    (setting(1, 0.5), 1.0, 0.5, 1.0, 10**6, 1.0),
    (setting(2, 0.9), 1.0, 0.9, 1.0, 10**6, 0.6),
    (setting(1, 0.9), math.inf, 0.9, 4.0, 10**6, 0.1),
    (LIGHT, 1.0, 0.9, 1.0, 10**7, 0.3),
]


@pytest.mark.check
@pytest.mark.parametrize(("problem", "epsilon", "v", "c", "horizon", "width"), CASES)
def test_the_ends_hold_the_mean_of_runs_that_are_played(problem, epsilon, v, c, horizon, width):
    """Another sample of the same law; a radius that is a tenth larger is seen where the bracket is narrow."""
    marks, u = [horizon // 100, horizon // 10, horizon], problem.moment(v)
    policy = dp_robust_ucb(epsilon, v=v, u=u, horizon=horizon, c=c)
    low, high = (ends(problem, policy, marks, 20)[:, end] for end in (0, 1))
    run = simulate(problem, policy, horizon=horizon, replications=10, seed=2, checkpoints=marks[:-1], n_jobs=2)
    for place in range(len(marks)):
        seen = mean_interval(run.regret.values[:, place], confidence=0.999)
        least, most = (mean_interval(end[:, place], confidence=0.999) for end in (low, high))
        assert least.low <= seen.high and seen.low <= most.high
        assert np.all(low[:, place] <= high[:, place]) and high[:, place].mean() < (1 + width) * low[:, place].mean()
    if math.isinf(epsilon):
        wrong = ends(problem, robust_ucb(v=v, u=u, horizon=horizon, c=1.1 * c), marks, 20)
        seen = mean_interval(run.regret.values[:, -1], confidence=0.999)
        assert mean_interval(wrong[:, 0, -1], confidence=0.999).low > seen.high


def test_a_run_without_noise_is_bracketed_pull_by_pull():
    """Arms of one reward: the whole run is known, so the very regret must lie between the ends."""
    problem, horizon = pareto_arms(np.array([0.9, 0.5]), 1e9), 50_000
    policy = robust_ucb(v=1.0, u=1.0, horizon=horizon)
    marks = [50, 1000, 20_000, horizon]
    regret = simulate(problem, policy, horizon=horizon, replications=1, seed=0, checkpoints=marks[:-1]).regret.values
    low, high = ends(problem, policy, marks, 1)[0]
    assert np.all(low <= regret[0] + 1e-6) and np.all(regret[0] <= high + 1e-6)
    assert np.all(high - low <= 0.1 * high + 0.4)


def test_the_least_prefix_sum_has_the_law_of_trees_that_are_drawn():
    law, rng, draws = far_horizons.least_prefixes(7), np.random.default_rng(3), 4000
    least = np.zeros((draws, 7))
    for draw in range(draws):
        row = np.zeros(counters.COUNTER_ROW)
        sums = np.array([0.0, *(counters.tree_noise(rng, n, 1.0, row) for n in range(1, 64))])
        least[draw] = [sums[: 2**level].min() for level in range(7)]
    for level in range(7):
        for x in (0.0, 0.5, 2.0, 5.0):
            expected = law[level, round(64 * x)]
            assert np.mean(least[:, level] >= -x) == pytest.approx(expected, abs=4 * math.sqrt(0.25 / draws))
    assert law[1, 0] == pytest.approx(0.5, abs=1e-4)  # 0 and one node
    assert far_horizons._quantile(law[1], 1 - 0.5 * math.exp(-1.0)) == pytest.approx(1.0, abs=0.02)
    assert far_horizons._quantile(law[3], 0.0) == 0.0


def test_a_path_has_the_noise_of_one_node_at_powers_of_two():
    """All rewards are 0.9: what is left of the mean of the first 1, 2 or 4 pulls is one Laplace number."""
    policy, source, draws = dp_robust_ucb(1.0, v=1.0, u=1.0, horizon=1000).record, streams(5, 0), 4000
    starts, laws = far_horizons._blocks(8), far_horizons._laws(3)
    found = np.empty((draws, len(starts) - 1))
    for draw in range(draws):
        far_horizons._path(
            source.env, source.noise, 0.9, policy, 1e9, starts, laws, found[draw], np.empty(len(starts) - 1)
        )
    for pulls in (1, 2, 4):
        threshold = (policy.truncation / policy.truncation_beta * pulls) ** 0.5
        mean = 0.9 * np.mean((policy.truncation / policy.truncation_beta * np.arange(1, pulls + 1)) ** 0.5 >= 0.9)
        apart = np.abs(found[:, pulls - 1] - mean).mean() * pulls
        assert apart == pytest.approx(policy.scale * threshold, rel=0.08)


def test_a_block_of_rewards_has_the_moments_of_its_own_thresholds():
    rng, first, size, reach, inverse = np.random.default_rng(1), 10_000, 5000, 0.002, 1 / 1.5
    thresholds = (reach * (first + np.arange(1, size + 1))) ** inverse
    scale = 0.9 * 0.55 / 1.55
    kept = 1 - (scale / thresholds) ** 0.55
    expected = 0.9 * np.where(thresholds > scale, kept, 0.0).sum()
    sums = [far_horizons._sum(rng, first, size, 0.9, 1.55, reach, inverse) for _ in range(4000)]
    assert np.mean(sums) == pytest.approx(expected, abs=4 * np.std(sums) / math.sqrt(4000))
    # rewards drawn one by one and counted against the same thresholds
    drawn = scale * rng.random((400, size)) ** (-1 / 1.55)
    whole = np.where(drawn <= thresholds, drawn, 0.0).sum(axis=1)
    assert np.std(sums) == pytest.approx(np.std(whole), rel=0.15)


def test_only_what_it_is_made_for():
    policy, source = dp_robust_ucb(1.0, v=0.5, u=1.0, horizon=1000), streams(0, 0)
    for problem, record in ((LIGHT, robust_ucb(v=0.5, u=1.0).record), (Arms.bernoulli([0.5, 0.4]), policy.record)):
        with pytest.raises(ValueError, match="thresholds that follow the pulls alone"):
            far_horizons.bracket(problem.record(), record, np.array([100]), source.env, source.noise)
