"""A claimed law goes through the fit that the regret went through, and so do the nearest wrong ones."""

from __future__ import annotations

import math

import numpy as np
import pytest

from private_bandits.estimates import Interval, exponent_difference, fit_exponent
from private_bandits_book.judging.rates import (
    EPSILON,
    HORIZON,
    LEAST_POINTS,
    LOG,
    PLANNED,
    SIZE,
    RateFit,
    fit_log,
    learnt,
)

T = np.array([1e4, 1e5, 1e6, 1e7])
RNG = np.random.default_rng(5)


def fitted(law, quantity=HORIZON, values=T, spread=0.01) -> RateFit:
    return RateFit.over(quantity, [(value, law(value) * RNG.lognormal(0.0, spread, 20)) for value in values])


def test_logarithms_bend_claim_and_alternative_as_they_bend_the_regret():
    """sqrt(T ln T) looks steeper than T^0.55 at these horizons; next to its own form it is what it is."""
    found = fitted(lambda t: math.sqrt(t * math.log(t)))
    assert found.fit.low > 0.53
    assert found.exponent(lambda t: math.sqrt(t * math.log(t))) == pytest.approx(found.fit.measured, abs=0.01)
    assert found.exponent(lambda t: t ** (2 / 3)) == pytest.approx(2 / 3)


@pytest.mark.parametrize(("quantity", "values"), [(EPSILON, [0.1, 0.2, 0.5, 1.0]), (SIZE, [1, 2, 4, 8])])
def test_a_power_is_of_the_quantity_that_is_swept(quantity, values):
    def law(value):
        return 1 / value if quantity == EPSILON else value

    found = fitted(law, quantity, values)
    assert found.exponent(law) == pytest.approx(1.0)
    assert found.fit.measured == pytest.approx(1.0, abs=0.02)
    assert found.exponent(lambda value: 1.0) == pytest.approx(0.0)


def test_along_a_curve_the_fit_is_of_the_growth_in_logarithms():
    t = np.geomspace(1e4, 1e6, 9).round()
    curves = np.outer(RNG.lognormal(0.0, 0.02, 20), 50.0 + np.log(t) ** 2)
    found = RateFit(LOG, fit_log(t, curves), 20, t.tolist(), along=True)
    assert found.fit.measured == pytest.approx(2.0)
    assert found.exponent(lambda t: math.log(t) ** 2) == pytest.approx(2.0, abs=0.01)
    assert found.exponent(lambda t: 1.0) == 0.0


def test_runs_have_learnt_below_half_of_uniform_play():
    assert learnt(0.499 * 7.0, 7.0) and not learnt(0.5 * 7.0, 7.0)
    assert learnt(np.array([1.0, 5.0, 9.0]), np.array([10.0, 10.0, 20.0])).tolist() == [True, False, True]
    assert learnt(0.09, 1.0, 0.1) and not learnt(0.11, 1.0, 0.1)


@pytest.mark.parametrize("least", [LEAST_POINTS, PLANNED])
def test_a_fit_takes_as_many_points_as_are_asked_for(least):
    assert (LEAST_POINTS, PLANNED) == (4, 3)
    points = [(float(2**k), 3.0 * 4.0**k * RNG.lognormal(0.0, 0.01, 6)) for k in range(least)]
    found = RateFit.over(SIZE, points, least)
    assert found.fit.measured == pytest.approx(2.0, abs=0.05)
    assert (found.replications, found.values) == (6, [value for value, _ in points])
    short = RateFit.over(SIZE, points[1:], least)
    assert short.fit is None and math.isnan(short.exponent(lambda k: k))


def test_a_curve_that_loses_too_much_a_round_does_not_grow_in_logarithms():
    t, early = np.geomspace(1e2, 1e6, 17).round(), 1e4
    curves = np.outer([1.0, 1.01, 0.99], 0.4 * np.maximum(t - early, 0.0) + 50.0 * np.log(t))
    found = RateFit.growing(t, curves, 1.0)
    assert found.fit is not None and found.values[0] == early
    assert RateFit.growing(t, curves, 0.75).fit is None  # 0.4 a round in the last two decades is more than half of it
    assert RateFit.growing(t, curves, 1.0, 0.39).fit is None


def test_the_difference_of_two_exponents_is_paired():
    x, common = np.array([1.0, 4.0, 16.0, 64.0]), RNG.lognormal(0.0, 0.4, size=(20, 4))
    a, b = x**0.7 * common * RNG.lognormal(0, 0.01, (20, 4)), x**0.6 * common * RNG.lognormal(0, 0.01, (20, 4))
    paired, alone = exponent_difference(x, a, b), fit_exponent(x, a)
    assert paired.low < 0.1 < paired.high and paired.low > 0.08
    assert paired.se < alone.se / 10
    assert exponent_difference(x, a, a)[:3] == (0.0, 0.0, 0.0)
    swapped = exponent_difference(x, b, a)
    assert swapped[:3] == pytest.approx([-paired.measured, -paired.high, -paired.low])
    with pytest.raises(ValueError, match="as many replications, got 20 and 19"):
        exponent_difference(x, a, b[1:])
    assert isinstance(paired, Interval)


def test_the_paired_interval_covers():
    x, covered = np.array([1.0, 4.0, 16.0, 64.0]), 0
    for _ in range(400):
        common = RNG.lognormal(0.0, 0.4, size=(12, 4))
        a, b = (x**p * common * RNG.lognormal(0.0, 0.2, (12, 4)) for p in (0.7, 0.6))
        found = exponent_difference(x, a, b)
        covered += found.low <= 0.1 <= found.high
    assert 0.92 <= covered / 400 <= 0.98
