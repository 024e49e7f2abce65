"""Every rule gives every verdict it can give, on the right side of its limits, and nobody types one."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from private_bandits.estimates import Interval, fit_exponent, mean_interval
from private_bandits_book.rules import (
    AFTER_REPAIR,
    NOT_REPRODUCED,
    NOT_TESTABLE,
    REPRODUCED,
    UNDECIDED,
    ExactRate,
    Holds,
    Less,
    LowerBound,
    LowerRate,
    Near,
    NotTestable,
    Privacy,
    Ruling,
    UpperBound,
    UpperRate,
    after_repair,
    all_of,
    rests_on,
)


def about(value, half=0.0):
    return Interval(value, value - half, value + half)


UPPER = UpperRate(1.0, tolerance=0.1)
WITH_LOGS = UpperRate(1.0, tolerance=0.1, logs=0.2)
LOWER = LowerRate(1.0, tolerance=0.1)
EXACT = ExactRate(1.0, tolerance=0.1)
CEILING = UpperBound(100.0, uniform=300.0)
FLOOR = LowerBound(50.0, floor=20.0)
NEAR = Near(986.8, tolerance=30.0)
LESS = Less("Gaussian", "Laplace")


@pytest.mark.parametrize(
    ("rule", "measured", "verdict", "reason"),
    [
        (UPPER, about(0.5, 0.1), REPRODUCED, "keeps the claimed upper rate"),
        (UPPER, about(1.02, 0.07), REPRODUCED, "keeps"),
        (UPPER, about(1.05, 0.04), REPRODUCED, "keeps"),
        (UPPER, about(1.0, 0.2), UNDECIDED, "too uncertain"),
        (UPPER, about(1.2, 0.21), UNDECIDED, "too uncertain"),
        (UPPER, about(1.2, 0.11), UNDECIDED, "too uncertain"),
        (UPPER, about(1.2, 0.09), NOT_REPRODUCED, "1.2 [1.11, 1.29] lies above"),
        (WITH_LOGS, about(1.2, 0.09), REPRODUCED, "keeps the claimed upper rate 1 + 0.2 for its logarithms ± 0.1"),
        (WITH_LOGS, about(1.4, 0.09), NOT_REPRODUCED, "lies above the claimed upper rate 1 + 0.2"),
        (LOWER, about(1.5, 0.1), REPRODUCED, "keeps the claimed lower rate"),
        (LOWER, about(0.98, 0.07), REPRODUCED, "keeps"),
        (LOWER, about(1.0, 0.2), UNDECIDED, "too uncertain"),
        (LOWER, about(0.8, 0.11), UNDECIDED, "too uncertain"),
        (LOWER, about(0.8, 0.09), NOT_REPRODUCED, "lies below"),
        (EXACT, about(1.01, 0.08), REPRODUCED, "keeps the claimed rate"),
        (EXACT, about(1.0, 0.11), UNDECIDED, "too uncertain"),
        (EXACT, about(1.2, 0.09), NOT_REPRODUCED, "lies above"),
        (EXACT, about(0.8, 0.09), NOT_REPRODUCED, "lies below"),
        (CEILING, about(120.0, 10.0), NOT_REPRODUCED, "lies above the bound 100"),
        (CEILING, about(105.0, 10.0), UNDECIDED, "does not violate"),
        (CEILING, about(3.0, 1.0), UNDECIDED, "does not violate"),
        (UpperBound(300.0, uniform=300.0), about(900.0, 1.0), UNDECIDED, "vacuous"),
        (UpperBound(math.inf, uniform=300.0), about(9.0), UNDECIDED, "vacuous"),
        (UpperBound(None, uniform=300.0), about(9.0), UNDECIDED, "cannot be measured"),
        (UpperBound(100.0, uniform=math.nan), about(9.0), UNDECIDED, "cannot be measured"),
        (FLOOR, about(40.0, 5.0), NOT_REPRODUCED, "lies below the bound 50"),
        (FLOOR, about(40.0, 15.0), UNDECIDED, "does not violate"),
        (FLOOR, about(500.0, 15.0), UNDECIDED, "does not violate"),
        (LowerBound(0.0), about(-1.0), UNDECIDED, "not binding"),
        (LowerBound(15.0, floor=20.0), about(1.0), UNDECIDED, "not binding"),
        (LESS, about(-5.0, 4.0), REPRODUCED, "Gaussian minus Laplace is -5 [-9, -1], below 0"),
        (LESS, about(-5.0, 6.0), UNDECIDED, "does not exclude 0"),
        (LESS, about(5.0, 4.0), NOT_REPRODUCED, "above 0"),
        (LESS, about(0.0), UNDECIDED, "does not exclude 0"),
        (NEAR, about(1000.0, 12.0), REPRODUCED, "is within"),
        (NEAR, about(1015.0, 12.0), REPRODUCED, "is within"),
        (NEAR, about(1020.0, 12.0), UNDECIDED, "its interval reaches it"),
        (NEAR, about(986.0, 31.0), UNDECIDED, "too wide"),
        (NEAR, about(1030.0, 12.0), NOT_REPRODUCED, "lies outside"),
        (NEAR, about(940.0, 12.0), NOT_REPRODUCED, "lies outside"),
    ],
)
def test_each_rule_rules(rule, measured, verdict, reason):
    ruling = rule(measured)
    assert (ruling.verdict, ruling.measurement) == (verdict, measured)
    assert reason in ruling.reason


@pytest.mark.parametrize(
    ("promise", "paid", "verdict"),
    [
        (Privacy(0.2), (0.2,), REPRODUCED),
        (Privacy(0.2), (0.2 * (1 + 5e-10),), REPRODUCED),
        (Privacy(0.2), (0.2 * (1 + 2e-9),), NOT_REPRODUCED),
        (Privacy(0.2), (0.4,), NOT_REPRODUCED),
        (Privacy(0.2), (math.inf,), NOT_REPRODUCED),
        (Privacy(0.2), (None,), UNDECIDED),
        (Privacy(0.2), (math.nan,), UNDECIDED),
        (Privacy(0.2), (0.1, 1e-3), UNDECIDED),
        (Privacy(0.2, 1e-3), (0.19, 1e-3), REPRODUCED),
        (Privacy(0.2, 1e-3), (0.1, 0.0), REPRODUCED),
        (Privacy(0.2, 1e-3), (0.3, 1e-3), NOT_REPRODUCED),
        (Privacy(0.2, 1e-3), (0.3, 1e-5), UNDECIDED),
        (Privacy(0.2, 1e-3), (math.inf, 0.0), NOT_REPRODUCED),
    ],
)
def test_a_privacy_promise_is_compared_with_what_is_paid(promise, paid, verdict):
    assert promise(*paid).verdict == verdict


def test_an_infinite_loss_is_said_in_words():
    assert Privacy(0.5)(math.inf).reason == "pays no finite epsilon, promised epsilon 0.5"


@pytest.mark.parametrize("holds", [True, False, np.True_, np.False_])
def test_an_exact_statement_follows_its_computation(holds):
    ruling = Holds()(holds, "625 cases of 625", 625)
    assert ruling.verdict == (REPRODUCED if holds else NOT_REPRODUCED)
    assert (ruling.reason, ruling.measurement.measured) == ("625 cases of 625", 625)


@pytest.mark.parametrize("rule", [UPPER, LOWER, EXACT, CEILING, FLOOR, LESS, NEAR, Privacy(1.0), Holds()])
@pytest.mark.parametrize("missing", [(), (None,)])
def test_a_missing_measurement_is_undecided(rule, missing):
    ruling = rule(*missing)
    assert ruling.verdict == UNDECIDED
    assert "at these parameters" in ruling.reason
    assert all(math.isnan(x) for x in ruling.measurement)


@pytest.mark.parametrize("rule", [UPPER, LOWER, EXACT, CEILING, FLOOR, LESS, NEAR, Privacy(1.0)])
@pytest.mark.parametrize("missing", [math.nan, Interval()])
def test_nan_is_undecided_even_in_one_end(rule, missing):
    assert rule(missing).verdict == UNDECIDED
    assert rule(Interval(1.0, math.nan, 1.0)).verdict == UNDECIDED


@pytest.mark.parametrize("half", [0.0, 0.03, 0.3])
@pytest.mark.parametrize(
    ("rule", "grid", "best_first"),
    [
        (UPPER, np.linspace(0, 3, 301), True),
        (LOWER, np.linspace(0, 3, 301), False),
        (CEILING, np.linspace(99, 102, 301), True),
        (FLOOR, np.linspace(49, 52, 301), False),
        (LESS, np.linspace(-1, 1, 301), True),
        (Privacy(1.0), np.linspace(0.5, 1.5, 301), True),
    ],
)
def test_verdicts_change_in_one_direction_only(rule, grid, best_first, half):
    order = (REPRODUCED, UNDECIDED, NOT_REPRODUCED)
    found = [order.index(rule(x if isinstance(rule, Privacy) else about(x, half)).verdict) for x in grid]
    steps = np.diff(found if best_first else found[::-1])
    assert (steps >= 0).all()
    assert max(found) == order.index(NOT_REPRODUCED)


@pytest.mark.parametrize("rule", [UPPER, LOWER, EXACT, NEAR, CEILING, FLOOR])
@pytest.mark.parametrize("centre", [0.85, 0.95, 1.06, 1.25, 40.0, 130.0, 950.0, 1030.0])
def test_a_wider_interval_never_decides_more(rule, centre):
    verdicts = [rule(about(centre, half)).verdict for half in np.geomspace(1e-3, 3000, 500)]
    first = verdicts.index(UNDECIDED)
    assert len(set(verdicts[:first])) <= 1
    assert set(verdicts[first:]) == {UNDECIDED}


GOOD, BAD, OPEN = UPPER(about(0.9)), UPPER(about(2.0)), UPPER(about(1.0, 0.5))
UNTESTED = NotTestable("no data")()
REPAIRED = after_repair(BAD, GOOD)


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
@pytest.mark.parametrize(
    ("parts", "verdict"),
    [
        ((GOOD, GOOD, GOOD), REPRODUCED),
        ((GOOD, REPAIRED, GOOD), AFTER_REPAIR),
        ((GOOD, REPAIRED, OPEN), UNDECIDED),
        ((GOOD, OPEN, UNTESTED), NOT_TESTABLE),
        ((BAD, OPEN, UNTESTED), NOT_REPRODUCED),
    ],
)
def test_the_worst_part_wins_in_any_order(parts, verdict, order):
    ruling = all_of(*(parts[i] for i in order))
    assert ruling.verdict == verdict
    assert all(part.reason in ruling.reason for part in parts)


def test_a_bound_that_holds_needs_its_own_rate():
    held, vacuous = CEILING(about(50.0)), UpperBound(400.0, uniform=300.0)(about(50.0))
    upper, lower, exact = UPPER(about(0.9)), LOWER(about(1.1)), EXACT(about(1.0))
    assert all_of(held).verdict == UNDECIDED
    assert all_of(held, upper).verdict == REPRODUCED
    assert all_of(held, exact).verdict == REPRODUCED
    assert all_of(held, lower).verdict == UNDECIDED
    assert all_of(held, Holds()(True, "checked")).verdict == UNDECIDED
    assert all_of(held, OPEN).verdict == UNDECIDED
    assert all_of(held, BAD).verdict == NOT_REPRODUCED
    assert all_of(vacuous, upper).verdict == UNDECIDED
    assert all_of(FLOOR(about(60.0)), lower).verdict == REPRODUCED
    assert all_of(FLOOR(about(60.0)), upper).verdict == UNDECIDED
    assert all_of(CEILING(about(120.0)), upper).verdict == NOT_REPRODUCED
    assert all_of(held, upper).measurement == upper.measurement


@pytest.mark.parametrize(
    ("printed", "repaired", "verdict"),
    [
        (GOOD, BAD, REPRODUCED),
        (OPEN, GOOD, UNDECIDED),
        (UNTESTED, GOOD, NOT_TESTABLE),
        (BAD, GOOD, AFTER_REPAIR),
        (BAD, REPAIRED, AFTER_REPAIR),
        (BAD, OPEN, NOT_REPRODUCED),
        (BAD, BAD, NOT_REPRODUCED),
    ],
)
def test_a_repair_saves_only_a_failure(printed, repaired, verdict):
    assert after_repair(printed, repaired).verdict == verdict


def test_a_repaired_claim_gives_both_reasons_and_the_repaired_number():
    ruling = after_repair(Privacy(0.2)(math.inf), Privacy(0.2)(0.2))
    assert ruling.reason == (
        "as printed: pays no finite epsilon, promised epsilon 0.2; repaired: pays epsilon 0.2, promised epsilon 0.2"
    )
    assert ruling.measurement.measured == 0.2


def test_a_repaired_rate_supports_its_bound():
    assert all_of(CEILING(about(50.0)), after_repair(BAD, GOOD)).verdict == AFTER_REPAIR


def test_estimates_are_measurements():
    samples = np.random.default_rng(0).gamma(40, 1, size=(10, 4)) * np.arange(1, 5)
    fit = fit_exponent(np.arange(1, 5), samples)
    assert UPPER(fit).measurement[:3] == fit[:3]
    interval = mean_interval(samples[:, 0])
    assert CEILING(interval).measurement[:3] == interval[:3]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: UpperRate(1.0, tolerance=-0.1), "tolerance must be >= 0, got -0.1"),
        (lambda: Near(math.nan, tolerance=1.0), "target must be a number"),
        (lambda: Privacy(math.inf), "epsilon must be finite and > 0, got inf"),
        (lambda: Privacy(1.0, 1.0), "delta must be >= 0 and < 1, got 1.0"),
        (lambda: NotTestable(""), "why must say why"),
        (lambda: UPPER("1.0"), "measurement must be a number, got '1.0'"),
        (lambda: UPPER(True), "measurement must be a number, got True"),
        (lambda: UPPER(Interval(1.0, 2.0, 0.5)), "must lie in its interval"),
        (lambda: UpperBound("7", uniform=3.0)(1.0), "bound must be a number, got '7'"),
        (lambda: Holds()(1, "one"), "holds must be True, False or None, got 1"),
        (lambda: Holds()(True), "numbers must say what was computed"),
    ],
)
def test_bad_input_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_claim_that_rests_on_others_is_as_bad_as_the_worst_of_them():
    good, bad, open_ = UPPER(about(0.5, 0.1)), UPPER(about(2.0, 0.1)), UPPER(None)
    assert rests_on({"a": good}).verdict == REPRODUCED
    assert rests_on({"a": good, "b": open_}).verdict == UNDECIDED
    found = rests_on({"a": good, "b": bad, "c": open_})
    assert found.verdict == NOT_REPRODUCED
    assert found.reason == "a: reproduced; b: not reproduced; c: undecided"
    assert math.isnan(found.measurement.measured)
    with pytest.raises(ValueError, match="at least one"):
        rests_on({})


def test_a_verdict_cannot_be_typed():
    with pytest.raises(TypeError, match="never typed"):
        Ruling(REPRODUCED, "because", about(1.0))
    with pytest.raises(ValueError, match="rulings must come from rules"):
        all_of(REPRODUCED)
    with pytest.raises(ValueError, match="rulings must come from rules"):
        after_repair(BAD, REPRODUCED)
    with pytest.raises(ValueError, match="at least one"):
        all_of()
