"""A claimed law and the nearest wrong ones go through the fit that the regret went through."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from private_bandits.estimates import Interval, exponent_difference, fit_exponent
from private_bandits_book.rules import NOT_LEARNT
from private_bandits_book.studies import LongRun
from private_bandits_book.sweep import (
    DELTA,
    EPSILON,
    HORIZON,
    LEAST_POINTS,
    LOG,
    PLANNED,
    SIZE,
    Form,
    RateFit,
    Sweep,
    chosen,
    fit_log,
    fit_points,
    interleaved,
    learnt,
    power,
)
from private_bandits_book.verdicts import NOT_REPRODUCED, REPRODUCED, UNDECIDED

T = np.array([1e4, 1e5, 1e6, 1e7])
RNG = np.random.default_rng(5)


def fitted(law, quantity=HORIZON, values=T, spread=0.01) -> RateFit:
    x = {EPSILON: 1 / np.asarray(values), LOG: np.log(values)}.get(quantity, np.asarray(values))
    samples = [law(value) * RNG.lognormal(0.0, spread, 20) for value in values]
    return RateFit({}, quantity, fit_points(x, samples), len(values), 20, None, values)


def test_logarithms_bend_claim_and_alternative_as_they_bend_the_regret():
    """sqrt(T ln T) looks steeper than T^0.55 at these horizons; beside its own form it is what it is."""
    found = fitted(lambda t: math.sqrt(t * math.log(t)))
    claimed, other = Form("sqrt(T ln T)", lambda t: math.sqrt(t * math.log(t))), power(HORIZON, 2 / 3)
    assert found.fit.low > 0.53
    ruling = found.ruling(claimed, other)
    assert ruling.verdict == REPRODUCED and ruling.excludes == ("T^0.667",)
    assert found.ruling(power(HORIZON, 0.5), other).verdict == UNDECIDED  # neither: the logarithm is missing
    assert fitted(lambda t: t ** (2 / 3)).ruling(claimed, other).verdict == NOT_REPRODUCED


@pytest.mark.parametrize("along", [False, True])
def test_one_run_far_from_the_rest_leaves_an_exponent_open(along):
    """Of twenty runs one is stuck at one point, or from there on: others may be, unseen, anywhere."""
    t = np.geomspace(1e4, 1e6, 13)
    for stuck, verdict in ((1.0, REPRODUCED), (50.0, UNDECIDED)):
        curves = np.outer(RNG.lognormal(0.0, 0.01, 20), np.log(t) if along else np.sqrt(t))
        curves[3, 6:] *= stuck if along else 1.0
        curves[3, 6] *= 1.0 if along else stuck
        fit = RateFit.growing({}, t, curves) if along else RateFit.over({}, HORIZON, zip(t, curves.T, strict=True))
        wide = fit._replace(fit=Interval(*(1.0,) * 3 if along else (0.5,) * 3))  # as if the stuck run did not count
        found = (
            wide.ruling(power(LOG, 1.0), power(LOG, 2.0))
            if along
            else wide.ruling(power(HORIZON, 0.5), power(HORIZON, 0.75))
        )
        assert found.verdict == verdict
        assert ("1 of 20 runs" in found.reason) is (verdict == UNDECIDED)


@pytest.mark.parametrize(
    ("quantity", "values", "name"), [(EPSILON, [0.1, 0.2, 0.5, 1.0], "(1/epsilon)^2"), (SIZE, [1, 2, 4, 8], "K^2")]
)
def test_a_power_is_of_the_quantity_that_is_swept(quantity, values, name):
    law = power(quantity, 1.0)
    found = fitted(law.at, quantity, values)
    assert found.exponent(law) == pytest.approx(1.0)
    assert found.ruling(law, power(quantity, 2.0)).excludes == (name,)
    assert found.ruling(power(quantity, 0.0), law).verdict == NOT_REPRODUCED
    assert power(quantity, 0.0).name == f"no growth in {quantity}"


def test_along_a_curve_the_fit_is_of_the_growth_in_logarithms():
    t = np.geomspace(1e4, 1e6, 9).round()
    curves = np.outer(RNG.lognormal(0.0, 0.02, 20), 50.0 + np.log(t) ** 2)
    found = RateFit({}, LOG, fit_log(t, curves), len(t), 20, None, t, True)
    assert found.exponent(power(LOG, 2.0)) == pytest.approx(2.0, abs=0.01)
    assert found.exponent(power(LOG, 0.0)) == 0.0
    assert found.ruling(power(LOG, 2.0), power(LOG, 3.0)).verdict == REPRODUCED
    assert found.ruling(power(LOG, 1.0), power(LOG, 2.0)).verdict == NOT_REPRODUCED


def test_runs_have_learnt_below_half_of_uniform_play():
    assert learnt(0.499 * 7.0, 7.0) and not learnt(0.5 * 7.0, 7.0)
    assert learnt(np.array([1.0, 5.0, 9.0]), np.array([10.0, 10.0, 20.0])).tolist() == [True, False, True]
    assert learnt(0.09, 1.0, 0.1) and not learnt(0.11, 1.0, 0.1)


@pytest.mark.parametrize("least", [LEAST_POINTS, PLANNED])
def test_a_fit_takes_as_many_points_as_are_asked_for_and_leaves_out_what_has_none(least):
    assert (LEAST_POINTS, PLANNED) == (4, 3)
    points = [(float(2**k), 3.0 * 4.0**k * RNG.lognormal(0.0, 0.01, 6)) for k in range(least)]
    found = RateFit.over({"a": 1}, SIZE, [(7.0, None), *points], least)
    assert found.fit.measured == pytest.approx(2.0, abs=0.05)
    assert (found.points, found.replications, found.values) == (least, 6, [value for value, _ in points])
    short = RateFit.over({}, SIZE, [(7.0, None), *points[1:]], least)
    assert (short.fit, short.points) == (None, least - 1)
    assert RateFit.over({}, SIZE, [(value, None) for value, _ in points]).row()["points"] == 0


def test_a_curve_that_loses_too_much_a_round_does_not_grow_in_logarithms():
    t, early = np.geomspace(1e2, 1e6, 17).round(), 1e4
    curves = np.outer([1.0, 1.01, 0.99], 0.4 * np.maximum(t - early, 0.0) + 50.0 * np.log(t))
    assert RateFit.growing({}, t, curves, 1.0).fit is not None
    found = RateFit.growing({}, t, curves, 0.75)  # 0.4 a round in the last two decades is more than half of it
    assert (found.fit, found.points) == (None, 0)
    assert RateFit.growing({}, t, curves, 1.0, 0.39).fit is None
    assert RateFit.growing({}, t, curves, 1.0).values[0] == early
    assert RateFit.growing({}, t, curves, start=1e5).values == t[t >= 1e5].tolist()


def one_run(*names):
    """A maker of the run of a value that says the value in its labels."""
    return lambda value: [LongRun({name: value for name in names}, None, None, 10, 0, 1)]


def test_groups_of_sweeps_are_played_value_by_value_and_what_they_share_once():
    first = Sweep({"policy": "a"}, EPSILON, (1.0, 2.0), one_run("epsilon"))
    second, third = first._replace(labels={"policy": "b"}), first._replace(values=(2.0, 3.0))
    made = [(run.labels["policy"], run.labels["epsilon"]) for run in interleaved([first, second], [third])]
    assert made == [("a", 1.0), ("b", 1.0), ("a", 2.0), ("b", 2.0), ("a", 3.0)]
    assert [list(run.labels) for run in first.runs([2.0])] == [["policy", "epsilon"]]


def test_the_rows_of_a_sweep_are_those_of_its_labels_and_none_of_its_values_is_missing():
    frame = pd.DataFrame({"policy": ["a", "a", "b"], "delta": [1e-2, 1e-3, 1e-2], "regret": [1.0, 2.0, 3.0]})
    sweep = Sweep({"policy": "a"}, DELTA, (1e-2, 1e-3), one_run("delta"))
    assert sweep.rows(frame)["regret"].tolist() == [1.0, 2.0]
    with pytest.raises(LookupError, match=r"lacks the runs of .'policy': 'b'. at \[0.001\]"):
        sweep._replace(labels={"policy": "b"}).rows(frame)
    assert sweep._replace(column="list_size").swept == "list_size" and sweep.swept == "delta"


def test_what_has_not_learnt_is_undecided_and_says_so():
    found = RateFit({}, HORIZON, None, 2, 20, None, T[:2]).ruling(power(HORIZON, 0.5), power(HORIZON, 1.0))
    assert (found.verdict, found.reason) == (UNDECIDED, NOT_LEARNT)


def test_the_worst_of_several_is_chosen_on_half_the_runs_and_measured_on_the_other():
    candidates = [np.array([1.0, 7.0, 1.0, 9.0]), np.array([5.0, 1.0, 5.0, 3.0])]
    place, rest = chosen(candidates)
    assert place == 1 and rest.tolist() == [1.0, 3.0]
    # of many alike, the largest mean is larger than the truth; what is measured on the other half is not
    alike = RNG.normal(10.0, 1.0, size=(400, 30, 20))
    measured = [chosen(list(one))[1].mean() for one in alike]
    assert np.mean(measured) == pytest.approx(10.0, abs=0.05)
    assert np.mean(alike.mean(axis=2).max(axis=1)) > 10.3


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
