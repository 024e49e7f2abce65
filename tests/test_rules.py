"""Every rule gives every verdict it can give, on the right side of its limits, and nobody types one.

The faults that a judge may have are played and refused: an alternative that is not excluded, an interval too wide to
tell, too few runs, a repair that joins two algorithms, a vacuous bound, a typed verdict.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import scipy

from private_bandits.estimates import Interval, difference_interval, fit_exponent, mean_interval, ratio_interval
from private_bandits.papers import cascading, semibandits
from private_bandits_book.rules import (
    LONGEST_REASON,
    Holds,
    Less,
    Near,
    NotRun,
    NotTestable,
    Privacy,
    Rate,
    Ruling,
    UpperBound,
    after_repair,
    all_of,
    by_runs,
    rare_mode,
    rests_on,
)
from private_bandits_book.verdicts import (
    AFTER_REPAIR,
    BY_CONSTRUCTION,
    DERIVED,
    EVIDENCE,
    EXACT,
    INHERITED,
    MEASURED,
    NOT_REPRODUCED,
    NOT_TESTABLE,
    REPRODUCED,
    UNDECIDED,
)


def about(value, half=0.0):
    return Interval(value, value - half, value + half)


UPPER = Rate(2 / 3, {"T^0.75": 0.75})
ROOT = Rate(0.52, {"T^0.75": 0.75, "T": 1.0})  # the claimed square root, as its logarithm bends it at these points
PRECISE = Rate(1.0, {"no growth": 0.0, "K^2": 2.0}, exact=True, quantity="K")
CEILING = UpperBound(100.0, uniform=300.0)
NEAR = Near(986.8, tolerance=30.0)
LESS = Less("Gaussian", "Laplace")


@pytest.mark.parametrize(
    ("rule", "measured", "verdict", "reason"),
    [
        (UPPER, about(0.66, 0.03), REPRODUCED, "exponent 0.66 [0.63, 0.69]; claimed 0.667, excludes T^0.75 (0.75)"),
        (UPPER, about(0.5, 0.03), REPRODUCED, "excludes"),
        (UPPER, about(0.75, 0.03), NOT_REPRODUCED, "claimed 0.667 is excluded, T^0.75 (0.75) is not"),
        (UPPER, about(0.9, 0.03), NOT_REPRODUCED, "is excluded"),
        (UPPER, about(0.71, 0.035), UNDECIDED, "holds neither it nor T^0.75"),
        (UPPER, about(0.709, 0.0405), UNDECIDED, "holds neither"),
        (UPPER, about(0.66, 0.082), REPRODUCED, "excludes"),
        (UPPER, about(0.66, 0.084), UNDECIDED, "too wide to tell it from T^0.75"),
        (UPPER, about(0.70, 0.06), UNDECIDED, "holds both it and T^0.75"),
        (UPPER, about(-0.95, 1.3), UNDECIDED, "too wide"),
        (UPPER, about(2.5, 1.3), UNDECIDED, "too wide"),
        (ROOT, about(0.50, 0.1), REPRODUCED, "excludes T^0.75 (0.75) and T (1)"),
        (ROOT, about(0.64, 0.1), UNDECIDED, "holds neither"),
        (ROOT, about(0.59, 0.11), REPRODUCED, "excludes"),
        (ROOT, about(0.40, 0.22), REPRODUCED, "excludes"),
        (ROOT, about(0.40, 0.24), UNDECIDED, "too wide"),
        (ROOT, about(0.80, 0.1), NOT_REPRODUCED, "is excluded"),
        (
            PRECISE,
            about(1.1, 0.2),
            REPRODUCED,
            "exponent in K 1.1 [0.9, 1.3]; claimed 1, excludes no growth (0) and K^2",
        ),
        (PRECISE, about(1.5, 0.2), UNDECIDED, "holds neither"),
        (PRECISE, about(1.9, 0.2), NOT_REPRODUCED, "is excluded"),
        (PRECISE, about(-0.1, 0.2), NOT_REPRODUCED, "is excluded"),
        (PRECISE, about(1.0, 0.9), REPRODUCED, "excludes no growth (0) and K^2 (2)"),
        (PRECISE, about(1.0, 1.01), UNDECIDED, "too wide"),
        (CEILING, about(120.0, 10.0), NOT_REPRODUCED, "lies above the bound 100"),
        (CEILING, about(105.0, 10.0), UNDECIDED, "does not violate"),
        (CEILING, about(3.0, 1.0), UNDECIDED, "does not violate"),
        (UpperBound(300.0, uniform=300.0), about(900.0, 1.0), UNDECIDED, "vacuous"),
        (UpperBound(math.inf, uniform=300.0), about(9.0), UNDECIDED, "vacuous"),
        (UpperBound(None, uniform=300.0), about(9.0), UNDECIDED, "cannot be measured"),
        (UpperBound(100.0, uniform=math.nan), about(9.0), UNDECIDED, "cannot be measured"),
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


@pytest.mark.parametrize("rule", [UPPER, PRECISE, CEILING, LESS, NEAR, Privacy(1.0), Holds()])
@pytest.mark.parametrize("missing", [(), (None,)])
def test_a_missing_measurement_is_undecided(rule, missing):
    ruling = rule(*missing)
    assert ruling.verdict == UNDECIDED
    assert "at these parameters" in ruling.reason
    assert all(math.isnan(x) for x in ruling.measurement)


def test_numbers_that_do_not_tell_are_undecided_and_said():
    ruling = Holds(DERIVED)(None, "between 0.5 and 2100", 0.5)
    assert (ruling.verdict, ruling.reason, ruling.evidence) == (UNDECIDED, "between 0.5 and 2100", DERIVED)
    assert ruling.measurement.measured == 0.5


@pytest.mark.parametrize("rule", [UPPER, PRECISE, CEILING, LESS, NEAR, Privacy(1.0)])
@pytest.mark.parametrize("missing", [math.nan, Interval()])
def test_nan_is_undecided_even_in_one_end(rule, missing):
    assert rule(missing).verdict == UNDECIDED
    assert rule(Interval(1.0, math.nan, 1.0)).verdict == UNDECIDED


@pytest.mark.parametrize("half", [0.0, 0.03])
@pytest.mark.parametrize(
    ("rule", "grid", "best_first"),
    [
        (UPPER, np.linspace(0, 3, 301), True),
        (PRECISE, np.linspace(0, 1, 101), False),
        (CEILING, np.linspace(99, 102, 301), True),
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


@pytest.mark.parametrize("rule", [UPPER, PRECISE, NEAR, CEILING])
@pytest.mark.parametrize("centre", [0.85, 0.95, 1.06, 1.25, 40.0, 130.0, 950.0, 1030.0])
def test_a_wider_interval_never_decides_more(rule, centre):
    if "neither" in rule(about(centre)).reason:  # a claim that is excluded for want of a better one
        return
    verdicts = [rule(about(centre, half)).verdict for half in np.geomspace(1e-3, 3000, 500)]
    first = verdicts.index(UNDECIDED)
    assert len(set(verdicts[:first])) <= 1
    assert set(verdicts[first:]) == {UNDECIDED}


GOOD, BAD, OPEN = UPPER(about(0.6)), UPPER(about(2.0)), UPPER(about(0.7, 0.5))
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
    decide = parts if verdict in (REPRODUCED, AFTER_REPAIR) else [p for p in parts if p.verdict == verdict]
    assert all(part.reason in ruling.reason for part in decide)
    assert ruling.measurement in [part.measurement for part in decide]


def test_a_bound_that_holds_needs_its_own_rate():
    held, vacuous = CEILING(about(50.0)), UpperBound(400.0, uniform=300.0)(about(50.0))
    upper, exact = UPPER(about(0.6)), PRECISE(about(1.0))
    assert all_of(held).verdict == UNDECIDED
    assert all_of(held, upper).verdict == REPRODUCED
    assert all_of(held, exact).verdict == REPRODUCED
    assert all_of(held, Holds()(True, "checked")).verdict == UNDECIDED
    assert all_of(held, OPEN).verdict == UNDECIDED
    assert all_of(held, BAD).verdict == NOT_REPRODUCED
    assert all_of(vacuous, upper).verdict == UNDECIDED
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
        (BAD, OPEN, UNDECIDED),
        (BAD, UNTESTED, NOT_REPRODUCED),
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
        (lambda: Rate(1.0, {}), "alternatives must name a form"),
        (lambda: Rate(1.0, {"K": 1.0}), "alternatives must lie above the claimed exponent 1"),
        (lambda: Rate(1.0, {"none": 0.0}), "above the claimed"),
        (lambda: Rate(1.0, {"none": 0.0, "K^2": 2.0}), "above the claimed"),
        (lambda: Rate(1.0, {"K^2": 2.0}, exact=True), "on both sides of the claimed exponent 1"),
        (lambda: Near(1.0, tolerance=-0.1), "tolerance must be >= 0, got -0.1"),
        (lambda: Holds("typed"), "evidence must be"),
        (lambda: Privacy(1.0, evidence="typed"), "evidence must be"),
        (lambda: NotRun(" "), "why must say why"),
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
    good, bad, open_ = GOOD, BAD, UPPER(None)
    assert rests_on({"a": good}).verdict == REPRODUCED
    assert rests_on({"a": good, "b": open_}).verdict == UNDECIDED
    found = rests_on({"a": good, "b": bad, "c": open_})
    assert found.verdict == NOT_REPRODUCED
    assert found.reason == "not reproduced: b; 2 others are better"
    assert rests_on({"a": good, "c": open_, "d": open_}).reason == "undecided: c, d; 1 other is better"
    assert found.evidence == INHERITED
    assert math.isnan(found.measurement.measured)
    with pytest.raises(ValueError, match="at least one"):
        rests_on({})


def test_a_verdict_cannot_be_typed():
    with pytest.raises(TypeError, match="never typed"):
        Ruling(REPRODUCED, "because", about(1.0), MEASURED)
    with pytest.raises(ValueError, match="rulings must come from rules"):
        all_of(REPRODUCED)
    with pytest.raises(ValueError, match="rulings must come from rules"):
        after_repair(BAD, REPRODUCED)
    with pytest.raises(ValueError, match="at least one"):
        all_of()


STATED, FORMULA = Holds()(True, "all 12 cases", 1.0), Privacy(1.0, evidence=BY_CONSTRUCTION)(1.0)


@pytest.mark.parametrize(
    ("ruling", "evidence", "excludes"),
    [
        (UPPER(about(0.66, 0.03)), MEASURED, ("T^0.75",)),
        (UPPER(about(0.66)), DERIVED, ("T^0.75",)),
        (UPPER(None), MEASURED, ()),
        (UPPER(about(0.75, 0.03)), MEASURED, ()),
        (LESS(about(-5.0, 4.0)), MEASURED, ("no difference",)),
        (NEAR(about(1000.0, 12.0)), MEASURED, ("farther than 30",)),
        (CEILING(about(3.0, 1.0)), MEASURED, ()),
        (STATED, EXACT, ()),
        (Holds(DERIVED)(False, "at epsilon 1"), DERIVED, ()),
        (FORMULA, BY_CONSTRUCTION, ()),
        (UNTESTED, DERIVED, ()),
        (all_of(UPPER(about(0.66, 0.03)), STATED), MEASURED, ("T^0.75",)),
        (all_of(STATED, FORMULA), BY_CONSTRUCTION, ()),
        (all_of(Holds()(False, "no"), FORMULA), EXACT, ()),
        (all_of(STATED, GOOD.inherited("a")), INHERITED, ()),
        (all_of(Holds()(False, "no"), GOOD.inherited("a")), EXACT, ()),
        (all_of(STATED, BAD.inherited("a")), INHERITED, ()),
        (after_repair(BAD, FORMULA), BY_CONSTRUCTION, ()),
        (after_repair(BAD, OPEN), DERIVED, ()),
        (after_repair(Holds()(False, "no"), UPPER(about(0.6, 0.03))), MEASURED, ("T^0.75",)),
    ],
)
def test_evidence_is_of_the_weakest_kind_that_decides(ruling, evidence, excludes):
    assert (ruling.evidence, ruling.excludes) == (evidence, excludes)
    assert ruling.evidence in EVIDENCE


def test_an_upper_claim_that_the_improved_rate_satisfies_is_not_reproduced():
    """T^(3/4) must not pass as T^(2/3), as it did within a slack of 0.1 and one for logarithms."""
    assert UPPER(about(0.742, 0.023)).verdict == NOT_REPRODUCED
    assert Rate(0.5, {"T^(2/3)": 2 / 3})(about(0.629, 0.045)).verdict == NOT_REPRODUCED


def test_few_runs_seldom_refute_what_is_true():
    rng, rule = np.random.default_rng(1), Rate(0.5, {"T^0.75": 0.75})
    x = np.array([1.0, 4.0, 16.0, 64.0])
    for replications, least in ((2, 0), (5, 0), (40, 300)):
        runs = np.sqrt(x) * rng.lognormal(0.0, 0.5, size=(400, replications, 4))
        found = [rule(fit_exponent(x, one)).verdict for one in runs]
        assert found.count(NOT_REPRODUCED) <= 20
        assert found.count(REPRODUCED) >= least


# --- modes that a law may have


def spread(number, middle=1.0, wide=0.1):
    """Runs of a law with one mode: quantiles of a normal, in logarithms."""
    return middle * np.exp(wide * scipy.stats.norm.ppf((np.arange(number) + 0.5) / number))


@pytest.mark.parametrize(
    ("runs", "apart", "middles"),
    [
        ([*spread(19), 10.0], 1, (10.0, 1.0)),
        ([*spread(96), *spread(4, 10.0)], 4, (10.0, 1.0)),
        ([*spread(96), *spread(4, 0.1)], 4, (0.1, 1.0)),
        ([*spread(95), *spread(5, 10.0)], 0, ()),  # often enough to be seen, and for the interval
        ([768.0, 1024.0, 1024.0, 1024.0, 1024.0], 1, (768.0, 1024.0)),  # a staircase
        ([1024.0] * 5, 5, (1024.0, math.nan)),  # of which one step was drawn
        ([0.0] * 5, 5, (0.0, math.nan)),
        ([*spread(4), 30.0], 1, (30.0, 1.0)),
        ([*spread(4), 5.0], 0, ()),  # four runs do not tell what is far
        ([*spread(19), 1.5], 0, ()),  # beyond the others, by less than they spread
        ([0.0, *spread(19)], 1, (0.0, 1.0)),
        ([-5.0, *spread(19)], 1, (-5.0, 1.0)),
        ([1.0, 2.0], 0, ()),
        ([1.0, 1.0, 2.0], 1, (2.0, 1.0)),
    ],
)
def test_a_rare_mode_is_a_few_runs_that_stand_apart(runs, apart, middles):
    for given in (runs, runs[::-1]):
        found = rare_mode(np.array(given))
        assert (found.runs if found else 0) == apart
        if found:
            assert (found.of, found.mean, found.others) == pytest.approx((len(runs), *middles), rel=0.02, nan_ok=True)


def test_laws_with_one_mode_seldom_show_two_and_a_rare_one_is_seen():
    rng = np.random.default_rng(3)
    for number in (5, 10, 20, 100):
        for draw in (
            rng.normal,
            rng.exponential,
            lambda size: rng.gamma(2.0, size=size),
            lambda size: rng.lognormal(size=size),
        ):
            assert sum(rare_mode(draw(size=number)) is not None for _ in range(500)) <= 25
    stuck = [np.where(rng.random(50) < 0.05, 10.0, 1.0) * rng.lognormal(0.0, 0.1, 50) for _ in range(200)]
    assert sum(rare_mode(runs) is not None for runs in stuck) >= 150


def less(a, b, most):
    return by_runs(LESS, difference_interval, np.array(a), np.array(b), most=most)


def test_an_unseen_mode_that_could_turn_a_comparison_leaves_it_undecided():
    """Of 40 runs one is stuck: 3/40 more of them at the most that can be lost would lift the mean by nearly as much."""
    stuck, plain, low = [*spread(39), 4.0], spread(40, 2.0), 0.9 * spread(40)
    assert less(spread(40), plain, 100.0).verdict == less(stuck, plain, 8.0).verdict == REPRODUCED
    found = less(stuck, plain, 100.0)
    assert (found.verdict, found.evidence, found.excludes) == (UNDECIDED, MEASURED, ())
    assert found.reason.startswith(
        "1 of 40 runs, [0.00063, 0.13], stand apart: mean 4, the others 1.005; an unseen mode"
    )
    assert "of probability 0.075 could give another verdict than reproduced: Gaussian minus Laplace" in found.reason
    kept = less(stuck, plain, 8.0)
    assert kept.excludes == ("no difference",) and kept.reason.endswith("of probability 0.075 changes nothing")
    # nor is a failure safe: the mode may lie below
    assert less(plain, stuck, 8.0).verdict == less(plain, low, 100.0).verdict == NOT_REPRODUCED
    assert less([*spread(39), 0.01], low, 100.0).verdict == UNDECIDED
    # what shows no mode stays as it was drawn, however much could be lost, and what is undecided stays so
    assert less(spread(40), plain, math.inf).verdict == REPRODUCED
    assert less(stuck, plain, math.inf).verdict == UNDECIDED
    assert "stand apart" not in less(stuck, stuck, 100.0).reason


def test_an_unseen_mode_is_put_where_it_moves_a_slope_furthest():
    x = np.array([1.0, 2.0, 4.0, 8.0])

    def ruling(most, number=400, rule=UPPER):
        runs = np.outer(spread(number, wide=0.02), x**0.6)
        runs[0, 2] *= 5.0
        return by_runs(rule, partial(fit_exponent, x), runs, most=most)

    assert ruling(x**0.6).verdict == ruling(2 * x).verdict == REPRODUCED
    assert ruling(30.0 * x).verdict == UNDECIDED  # at the last points only it bends the slope to T^0.75
    assert ruling(30.0 * x, number=40_000).verdict == REPRODUCED
    steep = Rate(2.0, {"K": 1.0, "K^3": 3.0}, exact=True)
    assert ruling(30.0 * x, rule=steep).verdict == NOT_REPRODUCED  # far below K, with any mode
    assert ruling(math.inf, number=40_000).verdict == UNDECIDED


def test_runs_of_which_all_may_be_another_mode_decide_nothing():
    """With three runs 3/n is 1, and without a mean above 0 there is no ratio."""
    three = np.array([1.0, 1.0, 5.0])
    assert NEAR(mean_interval(three)).verdict == NOT_REPRODUCED  # as without any run at the target between the ends
    assert by_runs(NEAR, mean_interval, three, most=1e9).verdict == UNDECIDED
    failing = Rate(0.02, {"a": 0.01, "b": 0.03}, exact=True)
    assert failing(ratio_interval(three, spread(40, 5000.0))).verdict == NOT_REPRODUCED
    assert by_runs(failing, ratio_interval, three, spread(40, 5000.0), most=60.0).verdict == UNDECIDED
    assert by_runs(lambda seen: GOOD, lambda given: about(1.0), np.array([[1.0, 2.0]])) is GOOD  # computed, not drawn


def test_not_run_and_not_measurable_are_different_reasons():
    assert NotRun("hours of rounds")().reason == "not run here: hours of rounds"
    assert UPPER(None).reason == "cannot be measured at these parameters"
    assert UPPER(None, "too few have learnt").reason == "too few have learnt"
    assert NotRun("x")().verdict == UPPER(None).verdict == UNDECIDED


PRINTED, REPAIRS = cascading.ucb_laplace(0.2, 4), cascading.repaired_local(0.2, 4)
LDP1 = {variant: semibandits.cucb_ldp1(1.0, 4, variant) for variant in semibandits.VARIANTS}


@pytest.mark.parametrize(
    ("printed", "repaired", "message"),
    [
        ([PRINTED], [REPAIRS], "must be one algorithm"),
        ([LDP1["printed"]], [LDP1["repaired"], semibandits.cucb_ldp2(1.0, "repaired")], "must be one algorithm"),
        ([LDP1["printed"]], LDP1.values(), "must be one algorithm"),
        ([LDP1["printed"]], [semibandits.cucb_ldp2(1.0, "repaired")], "must be one algorithm"),
        ([LDP1["printed"]], [], "must keep"),
        ([LDP1["printed"]], [semibandits.cucb_dp(1.0, 4, 8, 100)], "must be one algorithm"),
        (
            [LDP1["printed"]],
            [replace(LDP1["repaired"], mechanism="gaussian")],
            r"must keep noise family, feedback and trust model, got \[.*'gaussian'.*\] for \[.*'laplace'",
        ),
    ],
)
@pytest.mark.parametrize("found", [GOOD, BAD, OPEN])
def test_a_repair_is_one_algorithm_that_keeps_what_it_repairs(printed, repaired, message, found):
    with pytest.raises(ValueError, match=message):
        after_repair(BAD.of(*printed), all_of(GOOD, found).of(*repaired))


def test_a_repair_may_change_constants():
    ruling = after_repair(BAD.of(LDP1["printed"]), all_of(GOOD.of(LDP1["repaired"]), STATED.of(LDP1["repaired"])))
    assert ruling.verdict == AFTER_REPAIR
    assert {subject.variant for subject in ruling.about} == {"repaired"}


def test_a_row_rests_on_one_variant_of_an_algorithm():
    """Privacy of the printed and regret of the repaired algorithm are no algorithm that has both."""
    private, learns = STATED.of(LDP1["printed"]), after_repair(BAD.of(LDP1["printed"]), GOOD.of(LDP1["repaired"]))
    apart = rests_on({"privacy": private, "regret": learns})
    assert (apart.verdict, apart.evidence) == (UNDECIDED, INHERITED)
    assert apart.reason.endswith("was judged on all of: privacy, regret")
    both = STATED.of(LDP1["printed"], LDP1["repaired"])
    assert rests_on({"privacy": both, "regret": learns}).verdict == AFTER_REPAIR
    assert rests_on({"privacy": private, "regret": GOOD}).verdict == REPRODUCED
    assert rests_on({"privacy": private, "regret": learns, "bound": BAD}).verdict == NOT_REPRODUCED
    table = rests_on({"regret": learns})  # what rests on a row is about what that row is about
    assert rests_on({"privacy": private, "table": table}).verdict == UNDECIDED
    assert rests_on({"privacy": both, "table": table}).verdict == AFTER_REPAIR


def test_the_reason_of_a_repair_says_how_it_fares_as_far_as_there_is_room():
    printed = Holds()(False, "x" * 150, 1.0)
    for verdict, good in ((AFTER_REPAIR, True), (NOT_REPRODUCED, False)):
        repaired = all_of(Holds()(good, "of the first part", 1.0), Holds()(good, "y" * 60, 2.0))
        found = after_repair(printed, repaired)
        assert (found.verdict, found.reason[-41:]) == (verdict, "; repaired: of the first part; and 1 more")


def test_a_reason_is_short_and_says_what_it_leaves_out():
    parts = [Holds()(True, f"part {k}: " + "x" * 60, k) for k in range(9)]
    reason = all_of(*parts).reason
    assert len(reason) <= LONGEST_REASON
    assert reason.endswith("; and 6 more")
    assert all_of(all_of(*parts), *parts[:2]).reason == reason[:-6] + "8 more"
    for size in range(1, 12):
        cut = Holds()(True, ("x" * size + " ") * 240).reason
        assert LONGEST_REASON - size - 3 < len(cut) <= LONGEST_REASON and cut.endswith("x …")
