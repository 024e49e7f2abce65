"""Every rule gives every verdict it can give, on the right side of its limits, and nobody types one.

The faults that a judge may have are played and refused: an alternative that is not excluded, an interval too wide to
tell, too few runs, a repair that joins two algorithms, a typed verdict.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
import scipy

from private_bandits.estimates import Interval, difference_interval, fit_exponent
from private_bandits.papers import cascading, semibandits
from private_bandits_book.judging import Privacy, compared, pick
from private_bandits_book.judging.ledger import ledger
from private_bandits_book.ledger import Claim
from private_bandits_book.rules import (
    Holds,
    Less,
    Near,
    NotTestable,
    Rate,
    Ruling,
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
PRECISE = Rate(1.0, {"no growth": 0.0, "K^2": 2.0}, exact=True, quantity="K")
NEAR = Near(986.8, tolerance=30.0)
LESS = Less("Gaussian", "Laplace")


@pytest.mark.parametrize(
    ("rule", "measured", "verdict", "reason"),
    [
        (UPPER, about(0.66, 0.03), REPRODUCED, "exponent 0.66 [0.63, 0.69]; claimed 0.667, excludes T^0.75 (0.75)"),
        (UPPER, about(0.5, 0.03), REPRODUCED, "excludes"),
        (UPPER, about(0.75, 0.03), NOT_REPRODUCED, "claimed 0.667 is excluded, T^0.75 (0.75) is not"),
        (UPPER, about(0.742, 0.023), NOT_REPRODUCED, "is excluded"),
        (UPPER, about(0.71, 0.035), UNDECIDED, "holds neither it nor T^0.75"),
        (UPPER, about(0.70, 0.06), UNDECIDED, "holds both it and T^0.75"),
        (UPPER, about(0.66, 0.082), REPRODUCED, "excludes"),
        (UPPER, about(0.66, 0.084), UNDECIDED, "too wide to tell it from T^0.75"),
        (PRECISE, about(1.1, 0.2), REPRODUCED, "excludes no growth (0) and K^2"),
        (PRECISE, about(1.5, 0.2), UNDECIDED, "holds neither"),
        (PRECISE, about(1.9, 0.2), NOT_REPRODUCED, "is excluded"),
        (PRECISE, about(-0.1, 0.2), NOT_REPRODUCED, "is excluded"),
        (PRECISE, about(1.0, 1.01), UNDECIDED, "too wide"),
        (LESS, about(-5.0, 4.0), REPRODUCED, "Gaussian minus Laplace is -5 [-9, -1], below 0"),
        (LESS, about(-5.0, 6.0), UNDECIDED, "does not exclude 0"),
        (LESS, about(5.0, 4.0), NOT_REPRODUCED, "above 0"),
        (LESS, about(0.0), UNDECIDED, "does not exclude 0"),
        (NEAR, about(1015.0, 12.0), REPRODUCED, "is within"),
        (NEAR, about(1020.0, 12.0), UNDECIDED, "its interval reaches it"),
        (NEAR, about(986.0, 31.0), UNDECIDED, "too wide"),
        (NEAR, about(1030.0, 12.0), NOT_REPRODUCED, "lies outside"),
        (NEAR, about(940.0, 12.0), NOT_REPRODUCED, "lies outside"),
        (Privacy(0.2), about(0.2 * (1 + 5e-10)), REPRODUCED, "stated is epsilon = 0.2"),
        (Privacy(0.2, 1e-3), about(0.2 * (1 + 2e-9)), NOT_REPRODUCED, "at delta = 0.001"),
        (Privacy(0.2), about(math.inf), NOT_REPRODUCED, "has no bound"),
    ],
)
def test_each_rule_rules(rule, measured, verdict, reason):
    ruling = rule(measured)
    assert (ruling.verdict, ruling.measurement) == (verdict, measured)
    assert reason in ruling.reason


@pytest.mark.parametrize("holds", [True, False, np.True_, None])
def test_an_exact_statement_follows_its_computation(holds):
    ruling = Holds(DERIVED)(holds, "625 cases of 625", 625)
    assert ruling.verdict == {True: REPRODUCED, False: NOT_REPRODUCED, None: UNDECIDED}[holds]
    assert (ruling.reason, ruling.measurement.measured, ruling.evidence) == ("625 cases of 625", 625, DERIVED)


def test_what_is_missing_is_undecided():
    for rule in (UPPER, LESS, NEAR, Privacy(1.0), Holds()):
        assert rule(None).verdict == UNDECIDED and "at these parameters" in rule(None).reason
        assert all(math.isnan(x) for x in rule(None).measurement)
    for rule in (UPPER, LESS, NEAR):
        for missing in (math.nan, Interval(), Interval(1.0, math.nan, 1.0)):
            assert rule(missing).verdict == UNDECIDED


GOOD, BAD, OPEN = UPPER(about(0.6)), UPPER(about(2.0)), UPPER(about(0.7, 0.5))
UNTESTED = NotTestable("no data")()
REPAIRED = after_repair(BAD, GOOD)


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
def test_the_worst_part_wins_in_any_order(parts, verdict):
    decide = parts if verdict in (REPRODUCED, AFTER_REPAIR) else [p for p in parts if p.verdict == verdict]
    for order in itertools.permutations(parts):
        ruling = all_of(*order)
        assert ruling.verdict == verdict
        assert all(part.reason in ruling.reason for part in decide)
        assert ruling.measurement in [part.measurement for part in decide]


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


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Rate(1.0, {}), "alternatives must name a form"),
        (lambda: Rate(1.0, {"K": 1.0}), "alternatives must lie above the claimed exponent 1"),
        (lambda: Rate(1.0, {"K^2": 2.0}, exact=True), "on both sides of the claimed exponent 1"),
        (lambda: Near(1.0, tolerance=-0.1), "tolerance must be >= 0, got -0.1"),
        (lambda: Holds("typed"), "evidence must be"),
        (lambda: Privacy(math.inf), "epsilon must be finite and > 0, got inf"),
        (lambda: NotTestable(""), "why must say why"),
        (lambda: UPPER("1.0"), "measurement must be a number, got '1.0'"),
        (lambda: UPPER(Interval(1.0, 2.0, 0.5)), "must lie in its interval"),
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


STATED, FORMULA = Holds()(True, "all 12 cases", 1.0), Holds(BY_CONSTRUCTION)(True, "the formula", 1.0)


@pytest.mark.parametrize(
    ("ruling", "evidence", "excludes"),
    [
        (UPPER(about(0.66, 0.03)), MEASURED, ("T^0.75",)),
        (UPPER(about(0.66)), DERIVED, ("T^0.75",)),
        (LESS(about(-5.0, 4.0)), MEASURED, ("no difference",)),
        (NEAR(about(1000.0, 12.0)), MEASURED, ("farther than 30",)),
        (UNTESTED, DERIVED, ()),
        (all_of(UPPER(about(0.66, 0.03)), STATED), MEASURED, ("T^0.75",)),
        (all_of(STATED, FORMULA), BY_CONSTRUCTION, ()),
        (all_of(STATED, GOOD.inherited("a")), INHERITED, ()),
        (all_of(Holds()(False, "no"), GOOD.inherited("a")), EXACT, ()),
        (after_repair(BAD, FORMULA), BY_CONSTRUCTION, ()),
        (after_repair(Holds()(False, "no"), UPPER(about(0.6, 0.03))), MEASURED, ("T^0.75",)),
    ],
)
def test_evidence_is_of_the_weakest_kind_that_decides(ruling, evidence, excludes):
    assert (ruling.evidence, ruling.excludes) == (evidence, excludes)


# --- modes that a law may have


def spread(number, middle=1.0, wide=0.1):
    """Runs of a law with one mode: quantiles of a normal, in logarithms."""
    return middle * np.exp(wide * scipy.stats.norm.ppf((np.arange(number) + 0.5) / number))


@pytest.mark.parametrize(
    ("runs", "apart", "middles"),
    [
        ([*spread(19), 10.0], 1, (10.0, 1.0)),
        ([*spread(96), *spread(4, 10.0)], 4, (10.0, 1.0)),
        ([*spread(95), *spread(5, 10.0)], 0, ()),  # often enough to be seen, and for the interval
        ([768.0, 1024.0, 1024.0, 1024.0, 1024.0], 1, (768.0, 1024.0)),  # a staircase
        ([1024.0] * 5, 5, (1024.0, math.nan)),  # of which one step was drawn
        ([*spread(4), 30.0], 1, (30.0, 1.0)),
        ([*spread(4), 5.0], 0, ()),  # four runs do not tell what is far
        ([*spread(19), 1.5], 0, ()),  # beyond the others, by less than they spread
        ([0.0, *spread(19)], 1, (0.0, 1.0)),
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
    for number, draw in itertools.product((5, 20, 100), (rng.normal, rng.exponential)):
        assert sum(rare_mode(draw(size=number)) is not None for _ in range(200)) <= 10
    stuck = [np.where(rng.random(50) < 0.05, 10.0, 1.0) * rng.lognormal(0.0, 0.1, 50) for _ in range(100)]
    assert sum(rare_mode(runs) is not None for runs in stuck) >= 75


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


PRINTED, REPAIRS = cascading.ucb_laplace(0.2, 4), cascading.repaired_local(0.2, 4)
LDP1 = {variant: semibandits.cucb_ldp1(1.0, 4, variant) for variant in semibandits.VARIANTS}


@pytest.mark.parametrize(
    ("printed", "repaired", "message"),
    [
        ([PRINTED], [REPAIRS], "must be one algorithm"),
        ([LDP1["printed"]], [LDP1["repaired"], semibandits.cucb_ldp2(1.0, "repaired")], "must be one algorithm"),
        ([LDP1["printed"]], LDP1.values(), "must be one algorithm"),
        ([LDP1["printed"]], [], "must keep"),
        (
            [LDP1["printed"]],
            [replace(LDP1["repaired"], mechanism="gaussian")],
            r"must keep noise family, feedback and trust model, got \[.*'gaussian'.*\] for \[.*'laplace'",
        ),
    ],
)
def test_a_repair_is_one_algorithm_that_keeps_what_it_repairs(printed, repaired, message):
    with pytest.raises(ValueError, match=message):
        after_repair(BAD.of(*printed), GOOD.of(*repaired))


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


# --- evidence of runs, and the ledger

FACTS = {"paper": "a", "algorithm": "A", "variant": "", "mechanism": "", "method": "", "trust": "local", "uniform": 1.0}


def policy_runs(name, regrets):
    last = pd.DataFrame({**FACTS, "policy": name, "replication": range(len(regrets)), "t": 100, "regret": regrets})
    return pd.concat([last.assign(t=10, regret=0.0), last])


def test_runs_are_picked_by_their_facts_and_compared_with_what_a_run_can_lose():
    stuck, plain = policy_runs("stuck", [*spread(39), 4.0]), policy_runs("plain", spread(40, 2.0))
    both = pd.concat([stuck, plain])
    assert (pick(both, policy="plain")["regret"] == spread(40, 2.0)).all()
    for facts in ({}, {"policy": "plane"}):
        with pytest.raises(LookupError, match="must name one policy"):
            pick(both, **facts)
    found = compared(LESS, difference_interval, pick(both, policy="stuck"), pick(both, policy="plain"))
    assert found.verdict == UNDECIDED and "an unseen mode" in found.reason  # uniform play loses 100
    short = [pick(both, policy=name).assign(uniform=0.08) for name in ("stuck", "plain")]
    assert compared(LESS, difference_interval, *short).verdict == REPRODUCED
    assert {one.algorithm for one in found.about} == {"a A"}


def test_the_ledger_is_what_was_ruled():
    more = {"both": {"rests_on": ("a", "b")}, "c": {"not_testable": "no data"}, "seeds": {"long": True}}
    more["own"] = {"rests_on": ("b",)}
    names = ("a", "b", "both", "c", "own", "seeds")
    claims = {name: Claim(name, "lemma", "Lemma 1", "It holds.", **more.get(name, {})) for name in names}
    rows = ledger(claims, {"a": GOOD, "b": BAD, "own": GOOD, "seeds": GOOD}, "run", {"seeds": (2, 5), "a": (1, 5)})
    assert rows["verdict"].tolist() == [REPRODUCED, *[NOT_REPRODUCED] * 2, NOT_TESTABLE, NOT_REPRODUCED, UNDECIDED]
    assert rows.loc[2, ["reason", "evidence"]].tolist() == ["not reproduced: b; 1 other is better", INHERITED]
    assert rows["command"].tolist() == ["run"] * 5 + ["run --long"]
