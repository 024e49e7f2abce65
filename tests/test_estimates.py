"""Intervals cover as often as they say, and exponents are exact where the answer is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from private_bandits.estimates import (
    difference_interval,
    fit_exponent,
    fit_growth,
    mean_interval,
    ratio_interval,
)

TRIALS = 1000


def coverage(intervals, truth):
    return np.mean([interval.low <= truth <= interval.high for interval in intervals])


def test_mean_interval_is_scipys_one_sample_interval():
    sample = np.random.default_rng(0).gamma(2.0, 3.0, size=12)
    ours = mean_interval(sample, confidence=0.9)
    theirs = stats.ttest_1samp(sample, 0.0).confidence_interval(0.9)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), rel=1e-12)
    assert ours.measured == pytest.approx(sample.mean())
    assert ours.se == pytest.approx(stats.sem(sample))


def test_mean_interval_works_column_by_column_and_along_any_axis():
    samples = np.random.default_rng(1).normal(size=(7, 3))
    columns = mean_interval(samples)
    rows = mean_interval(samples.T, axis=1)
    assert columns.low[1] == pytest.approx(mean_interval(samples[:, 1]).low, rel=1e-12)
    for ours, other in zip(columns, rows, strict=True):
        np.testing.assert_array_equal(ours, other)


def test_intervals_cover():
    rng = np.random.default_rng(2)
    found = {truth: [] for truth in (18.0, 2.0, 12 / 9)}
    for _ in range(TRIALS):
        found[18.0].append(mean_interval(rng.gamma(9.0, 2.0, 10)))
        found[2.0].append(difference_interval(rng.normal(3, 1, 6), rng.normal(1, 5, 25)))
        found[12 / 9].append(ratio_interval(rng.gamma(4, 3, 20), rng.gamma(9, 1, 30)))
    for truth, intervals in found.items():
        assert 0.92 <= coverage(intervals, truth) <= 0.98, truth


def test_difference_interval_is_scipys_welch_interval_and_changes_sign_with_order():
    rng = np.random.default_rng(3)
    a, b = rng.normal(5, 1, size=8), rng.normal(4, 6, size=30)
    ours = difference_interval(a, b)
    theirs = stats.ttest_ind(a, b, equal_var=False).confidence_interval(0.95)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), rel=1e-10)
    swapped = difference_interval(b, a)
    assert (swapped.measured, swapped.low, swapped.high) == pytest.approx((-ours.measured, -ours.high, -ours.low))


def test_ratio_interval_inverts_and_agrees_with_the_difference_of_narrow_logarithms():
    rng = np.random.default_rng(6)
    a, b = rng.normal(50, 0.02, 9), rng.normal(20, 0.03, 14)
    ours, inverse = ratio_interval(a, b), ratio_interval(b, a)
    assert (1 / inverse.high, 1 / inverse.low) == pytest.approx((ours.low, ours.high), rel=1e-12)
    logarithms = difference_interval(np.log(a), np.log(b))
    assert np.log([ours.low, ours.high]) == pytest.approx([logarithms.low, logarithms.high], rel=1e-5)
    assert ours.se / ours.measured == pytest.approx(logarithms.se, rel=1e-3)


@pytest.mark.parametrize("exponent", [-1.0, 0.0, 2.5])
def test_a_noiseless_power_law_gives_its_exponent_exactly(exponent):
    x = np.array([8.0, 12, 16, 20])
    fit = fit_exponent(x, np.tile(3 * x**exponent, (5, 1)))
    assert fit.measured == pytest.approx(exponent, abs=1e-12)
    assert fit.high - fit.low == pytest.approx(0, abs=1e-11)


def test_exponent_is_scipys_regression_of_the_log_means_and_the_jackknife_of_pseudo_values():
    rng = np.random.default_rng(7)
    x = np.geomspace(1e2, 1e5, 9)
    samples = np.cumsum(rng.gamma(3, 1, size=(6, 9)), axis=1)
    fit = fit_exponent(x, samples, confidence=0.9)
    line = stats.linregress(np.log(x), np.log(samples.mean(axis=0)))
    assert fit.measured == pytest.approx(line.slope, rel=1e-10)
    left_out = [np.polyfit(np.log(x), np.log(np.delete(samples, i, axis=0).mean(axis=0)), 1)[0] for i in range(6)]
    pseudo = 6 * fit.measured - 5 * np.array(left_out)
    half = stats.t.ppf(0.95, 5) * stats.sem(pseudo)
    assert (fit.low, fit.high) == pytest.approx((fit.measured - half, fit.measured + half), rel=1e-9)


def test_exponent_interval_covers_for_curves_whose_points_depend():
    rng = np.random.default_rng(9)
    steps = np.arange(1, 201)
    keep = np.unique(np.geomspace(10, 200, 12).astype(int)) - 1
    found = []
    for _ in range(TRIALS):
        walk = np.cumsum(rng.gamma(0.2, 1, size=(15, 200)), axis=1)
        found.append(fit_exponent(steps[keep], walk[:, keep]))
    assert 0.92 <= coverage(found, 1.0) <= 0.98


@pytest.mark.parametrize(("power", "lost"), [(1, -30.0), (2, 500.0)])
def test_growth_is_the_power_of_the_logarithm_whatever_was_lost_before(power, lost):
    t = np.unique(np.geomspace(1, 1e6, 200).astype(int))
    fit = fit_growth(t, np.tile(lost + 7 * np.log(t) ** power, (3, 1)), 1e3, 1e6)
    assert fit.measured == pytest.approx(power, abs=0.01)


def test_growth_uses_only_its_window():
    t = np.array([2.0, 10, 100, 1000, 10**4, 10**5])
    curve = np.array([900.0, 1, *(2 * np.log([100, 1000, 10**4])), 5e6])
    assert fit_growth(t, [curve] * 2, 100, 10**4).measured == pytest.approx(1, abs=1e-9)


def test_growth_interval_covers():
    rng = np.random.default_rng(10)
    t = np.round(np.geomspace(100, 10_000, 33)).astype(int)
    expected = np.diff(np.log(t))
    found = []
    for _ in range(400):
        rises = rng.gamma(4 * expected * 10, 1 / 4, size=(12, expected.size))
        found.append(fit_growth(t, np.cumsum(np.hstack([np.full((12, 1), 50.0), rises]), axis=1), 99, 10_001))
    assert 0.91 <= coverage(found, 1.0) <= 0.985


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mean_interval([1.0]), "at least 2 replications, got 1"),
        (lambda: mean_interval([1.0, math.nan]), "samples must be a non-empty array of finite numbers"),
        (lambda: mean_interval([1, 2], confidence=1.0), "confidence must be > 0 and < 1, got 1.0"),
        (lambda: ratio_interval([1, 2], [-1, 1]), "the mean of b must be > 0, got 0"),
        (lambda: fit_exponent([1, 2], [[1, 2, 3]] * 2), "samples must have shape"),
        (lambda: fit_exponent([1, 2], [[1, 0], [1, 0]]), "replications but one must be > 0, got 0"),
        (lambda: fit_growth([1, 2, 30], [[1, 2, 3]] * 2, 1.5, 10), "at least three checkpoints"),
    ],
)
def test_bad_input_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()
