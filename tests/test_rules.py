"""Every rule gives every verdict it can give, on the right side of its limits, and nobody types one.

The faults that a judge may have are played and refused: an interval too wide to tell, too few runs, a
repair that joins two algorithms, a typed verdict.
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

from private_bandits.estimates import Interval, difference_interval, fit_exponent, mean_interval, ratio_interval
from private_bandits.papers import cascading, semibandits
from private_bandits_book.judging import at_most, compared, exactly, falling, less, minus, order, pick, rarer, within
from private_bandits_book.judging.claims import Claim
from private_bandits_book.judging.ledger import ledger
from private_bandits_book.judging.rulings import (
    Holds,
    Less,
    Near,
    NotTestable,
    Ruling,
    after_repair,
    all_of,
    by_runs,
    rare_mode,
    rests_on,
)
from private_bandits_book.judging.verdicts import (
    AFTER_REPAIR,
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


UPPER = partial(at_most, claimed=2 / 3, wrong=0.75, quantity="T")
NEAR = Near(986.8, tolerance=30.0)
LESS = Less("Gaussian", "Laplace")


def test_a_difference_of_uneven_intervals_has_the_other_ones_far_end():
    assert minus(Interval(5.0, 2.0, 17.0), Interval(1.0, -4.0, 5.0))[:3] == (4.0, -1.0, 17.0)


@pytest.mark.parametrize(
    ("rule", "measured", "verdict", "reason"),
    [
        (LESS, about(-5.0, 4.0), REPRODUCED, "Gaussian minus Laplace is -5 [-9, -1], below 0"),
        (LESS, about(-5.0, 6.0), UNDECIDED, "does not exclude 0"),
        (LESS, about(5.0, 4.0), NOT_REPRODUCED, "above 0"),
        (LESS, about(0.0), UNDECIDED, "does not exclude 0"),
        (LESS, Interval(1.0, math.nan, 1.0), UNDECIDED, "at these parameters"),
        (NEAR, Interval(1.0, math.nan, 1.0), UNDECIDED, "at these parameters"),
        (NEAR, about(1000.0, 12.0), REPRODUCED, "is within"),
        (NEAR, about(1020.0, 12.0), UNDECIDED, "its interval reaches it"),
        (NEAR, about(986.0, 31.0), UNDECIDED, "too wide"),
        (NEAR, about(1030.0, 12.0), NOT_REPRODUCED, "lies outside"),
    ],
)
def test_each_rule_rules(rule, measured, verdict, reason):
    ruling = rule(measured)
    assert ruling.verdict == verdict and (ruling.measurement == measured or math.isnan(measured.low))
    assert reason in ruling.reason


@pytest.mark.parametrize(
    ("holds", "verdict"), [(True, REPRODUCED), (np.True_, REPRODUCED), (np.False_, NOT_REPRODUCED), (None, UNDECIDED)]
)
def test_an_exact_statement_follows_its_computation_and_one_that_does_not_tell_is_undecided(holds, verdict):
    ruling = Holds(DERIVED)(holds, "625 cases of 625", 625)
    assert (ruling.verdict, ruling.reason, ruling.evidence) == (verdict, "625 cases of 625", DERIVED)
    assert ruling.measurement.measured == 625


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


def test_a_claim_without_any_part_is_not_shown_and_a_verdict_cannot_be_typed():
    assert all_of().missing and not all_of(OPEN).missing
    with pytest.raises(TypeError, match="never typed"):
        Ruling(REPRODUCED, "because", about(1.0), MEASURED)


STATED, ALGEBRA = Holds()(True, "all 12 cases", 1.0), Holds(DERIVED)(True, "by algebra")


@pytest.mark.parametrize(
    ("ruling", "evidence", "excludes"),
    [
        (NEAR(about(1000.0, 12.0)), MEASURED, ("farther than 30",)),
        (STATED, EXACT, ()),
        (ALGEBRA, DERIVED, ()),
        (UNTESTED, DERIVED, ()),
        (all_of(LESS(about(-5.0, 4.0)), STATED), MEASURED, ("no difference",)),
        (all_of(STATED, ALGEBRA), DERIVED, ()),
        (all_of(STATED, GOOD.inherited("a")), INHERITED, ()),
        (all_of(Holds()(False, "no"), GOOD.inherited("a")), EXACT, ()),
        (after_repair(BAD, ALGEBRA), DERIVED, ()),
        (after_repair(Holds()(False, "no"), UPPER(about(0.6, 0.03))), MEASURED, ("0.75",)),
    ],
)
def test_evidence_is_of_the_weakest_kind_that_decides(ruling, evidence, excludes):
    assert (ruling.evidence, ruling.excludes) == (evidence, excludes)
    assert ruling.evidence in EVIDENCE


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
        ([*spread(4), 5.0], 0, ()),  # four runs do not tell what is far
        ([*spread(19), 1.5], 0, ()),  # beyond the others, by less than they spread
        ([-5.0, *spread(19)], 1, (-5.0, 1.0)),
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
        for draw in (rng.normal, rng.exponential, partial(rng.gamma, 2.0), rng.lognormal):
            assert sum(rare_mode(draw(size=number)) is not None for _ in range(500)) <= 25
    stuck = [np.where(rng.random(50) < 0.05, 10.0, 1.0) * rng.lognormal(0.0, 0.1, 50) for _ in range(200)]
    assert sum(rare_mode(runs) is not None for runs in stuck) >= 150


def lower(a, b, most):
    return by_runs(LESS, difference_interval, np.array(a), np.array(b), most=most)


def test_an_unseen_mode_that_could_turn_a_comparison_leaves_it_undecided():
    """Of 40 runs one is stuck: 3/40 more of them at the most that can be lost would lift the mean by nearly as much."""
    stuck, plain, low = [*spread(39), 4.0], spread(40, 2.0), 0.9 * spread(40)
    assert lower(spread(40), plain, 100.0).verdict == lower(stuck, plain, 8.0).verdict == REPRODUCED
    found = lower(stuck, plain, 100.0)
    assert (found.verdict, found.evidence, found.excludes) == (UNDECIDED, MEASURED, ())
    assert found.reason.startswith(
        "1 of 40 runs, [0.00063, 0.13], stand apart: mean 4, the others 1.005; an unseen mode"
    )
    assert "of probability 0.075 could give another verdict than reproduced: Gaussian minus Laplace" in found.reason
    kept = lower(stuck, plain, 8.0)
    assert kept.excludes == ("no difference",) and kept.reason.endswith("of probability 0.075 changes nothing")
    # nor is a failure safe: the mode may lie below
    assert lower(spread(40, 4.0), stuck, 8.0).verdict == lower(plain, low, 100.0).verdict == NOT_REPRODUCED
    assert lower([*spread(39), 0.01], low, 100.0).verdict == UNDECIDED
    # what shows no mode stays as it was drawn, however much could be lost
    assert lower(spread(40), plain, math.inf).verdict == REPRODUCED


def test_an_unseen_mode_is_put_where_it_moves_a_slope_furthest():
    x = np.array([1.0, 2.0, 4.0, 8.0])

    def ruling(most, number=400, rule=UPPER):
        runs = np.outer(spread(number, wide=0.02), x**0.6)
        runs[0, 2] *= 5.0
        return by_runs(rule, partial(fit_exponent, x), runs, most=most)

    assert ruling(x**0.6).verdict == ruling(2 * x).verdict == REPRODUCED
    assert ruling(30.0 * x).verdict == UNDECIDED  # at the last points only it bends the slope to T^0.75
    assert ruling(30.0 * x, number=40_000).verdict == REPRODUCED
    steep = partial(exactly, claimed=2.0, below=1.0, above=3.0)
    assert ruling(30.0 * x, rule=steep).verdict == NOT_REPRODUCED  # far below K, with any mode
    assert ruling(math.inf, number=40_000).verdict == UNDECIDED


def test_runs_of_which_all_may_be_another_mode_decide_nothing():
    """Six runs that are all alike may be a mode, and without a mean above 0 there is no ratio."""
    six = np.ones(6)
    assert NEAR(mean_interval(six)).verdict == NOT_REPRODUCED  # as without any run at the target
    assert by_runs(NEAR, mean_interval, six, most=1e9).verdict == UNDECIDED
    failing = partial(exactly, claimed=0.02, below=0.01, above=0.03)
    assert failing(ratio_interval(six, spread(40, 5000.0))).verdict == NOT_REPRODUCED
    assert by_runs(failing, ratio_interval, six, spread(40, 5000.0), most=60.0).verdict == UNDECIDED
    assert by_runs(lambda seen: GOOD, lambda given: about(1.0), np.array([[1.0, 2.0]])) is GOOD  # computed, not drawn


PRINTED, REPAIRS = cascading.ucb_laplace(0.2, list_size=4), cascading.repaired_local(0.2, list_size=4)
LDP1 = {variant: semibandits.cucb_ldp1(1.0, list_size=4, variant=variant) for variant in semibandits.VARIANTS}


@pytest.mark.parametrize(
    ("printed", "repaired", "message"),
    [
        ([PRINTED], [REPAIRS], "must be one algorithm"),
        (
            [LDP1["printed"]],
            [LDP1["repaired"], semibandits.cucb_ldp2(1.0, variant="repaired")],
            "must be one algorithm",
        ),
        ([LDP1["printed"]], [], "must keep"),
        ([LDP1["printed"]], [replace(LDP1["repaired"], mechanism="gaussian")], "must keep noise family, .*'gaussian'"),
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
    table = rests_on({"regret": learns})  # what rests on a row is about what that row is about
    assert rests_on({"privacy": private, "table": table}).verdict == UNDECIDED
    assert rests_on({"privacy": both, "table": table}).verdict == AFTER_REPAIR


# --- evidence of runs, and the ledger

FACTS = {"paper": "a", "algorithm": "A", "variant": "", "mechanism": "", "method": "", "trust": "local", "uniform": 1.0}


def policy_runs(name, regrets):
    last = pd.DataFrame({**FACTS, "policy": name, "replication": range(len(regrets)), "t": 100, "regret": regrets})
    return pd.concat([last.assign(t=10, regret=0.0), last])


def test_runs_are_picked_by_their_facts_and_compared_with_what_a_run_can_lose():
    stuck, plain = policy_runs("stuck", [*spread(39), 4.0]), policy_runs("plain", spread(40, 2.0))
    both = pd.concat([stuck, plain])
    assert (pick(both, policy="plain")["regret"] == spread(40, 2.0)).all()
    found = compared(LESS, difference_interval, pick(both, policy="stuck"), pick(both, policy="plain"))
    assert found.verdict == UNDECIDED and "an unseen mode" in found.reason  # uniform play loses 100
    short = [pick(both, policy=name).assign(uniform=0.08) for name in ("stuck", "plain")]
    assert compared(LESS, difference_interval, *short).verdict == REPRODUCED
    assert {one.algorithm for one in found.about} == {"a A"}


def field(**regrets):
    """Runs of policies at epsilon 1 and 2 that end about these regrets."""
    shown = [
        policy_runs(name, spread(20, regret / epsilon, 0.01)).assign(epsilon=epsilon)
        for name, regret in regrets.items()
        for epsilon in (1.0, 2.0)
    ]
    return pd.concat(shown, ignore_index=True)


A, B, C, ONE = {"policy": "a"}, {"policy": "b"}, {"policy": "c"}, {"epsilon": [1.0]}
FIELD = field(a=50.0, b=60.0, c=60.0)
COMPARISONS = [
    (less(FIELD, A, B, **ONE), REPRODUCED, "a minus b is -10"),
    (less(FIELD, B, C, **ONE), UNDECIDED, "b minus c is 0"),
    (less(FIELD, B, A, **ONE), NOT_REPRODUCED, "b minus a is 10"),
    (less(FIELD, A, B, epsilon=[2.0, 1.0]), REPRODUCED, "a minus b is -5"),  # the first of several is the number
    (less([FIELD, field(a=70.0, b=60.0)], A, B, **ONE), NOT_REPRODUCED, "a minus b is 10"),
    (less(FIELD, A, {"policy": "d"}, **ONE), UNDECIDED, "not shown at these parameters: policy d, epsilon 1"),
    (less([], A, B), UNDECIDED, "not shown"),
    (less(FIELD, A | {"epsilon": 2.0}, A | {"epsilon": 1.0}), REPRODUCED, "a at epsilon 2 minus at epsilon 1 is -25"),
    (order(FIELD[FIELD["epsilon"] == 1.0], A, B), REPRODUCED, "a minus b"),
    (order(FIELD[FIELD["epsilon"] == 1.0], A, B, C), UNDECIDED, "b minus c"),
    (order(FIELD[FIELD["epsilon"] == 1.0], C, B, A), NOT_REPRODUCED, "b minus a"),
    (falling(FIELD, A, epsilon=[1.0, 2.0]), REPRODUCED, "a at epsilon 2 minus at epsilon 1"),
    (falling(FIELD, A, epsilon=[2.0, 1.0]), NOT_REPRODUCED, "above 0"),
    (falling(FIELD, A, epsilon=[1.0, 1.0]), UNDECIDED, "two values of epsilon"),
    (falling(FIELD, A, epsilon=[1.0, 4.0]), UNDECIDED, "policy a, epsilon 4"),
    (within(FIELD, A | {"epsilon": 1.0}, 51.5, 1.6), REPRODUCED, "is within"),
    (within(FIELD, A | {"epsilon": 1.0}, 51.5, 1.4), UNDECIDED, "its interval reaches it"),
    (within(FIELD, A | {"epsilon": 1.0}, 51.5, 1.0), NOT_REPRODUCED, "lies outside"),
    (rarer("alarms", 3, 1000, than=0.01), REPRODUCED, "share of alarms, 3 of 1,000, minus 0.01 is -0.007"),
    (rarer("alarms", 4, 1000, than=0.01), UNDECIDED, "does not exclude 0"),
    (rarer("alarms", 18, 1000, than=0.01), UNDECIDED, "above 0, but not at 99.9 %"),
    (rarer("alarms", 25, 1000, than=0.01), NOT_REPRODUCED, "above 0"),
    (rarer("alarms", 0, 0, than=0.01), UNDECIDED, "not shown at these parameters: none of alarms"),
]


@pytest.mark.parametrize(("found", "verdict", "reason"), COMPARISONS)
def test_a_comparison_comes_out_on_both_sides_of_its_threshold(found, verdict, reason):
    assert found.verdict == verdict and reason in found.reason
    assert found.missing == ("not shown" in found.reason)
    assert found.missing or "alarms" in found.reason or {one.algorithm for one in found.about} == {"a A"}


def test_the_ledger_is_what_was_ruled():
    more = {"both": {"rests_on": ("a", "b")}, "c": {"not_testable": "no data"}, "seeds": {"long": True}}
    more["own"] = {"rests_on": ("b",)}
    names = ("a", "b", "both", "c", "own", "seeds")
    claims = {name: Claim(name, "lemma", "Lemma 1", "It holds.", **more.get(name, {})) for name in names}
    rows = ledger(claims, {"a": GOOD, "b": BAD, "own": GOOD, "seeds": GOOD}, "run", {"seeds": (2, 5), "a": (1, 5)})
    assert rows["verdict"].tolist() == [REPRODUCED, *[NOT_REPRODUCED] * 2, NOT_TESTABLE, NOT_REPRODUCED, UNDECIDED]
    assert rows.loc[2, ["reason", "evidence"]].tolist() == ["not reproduced: b; 1 other is better", INHERITED]
    assert rows["command"].tolist() == ["run"] * 5 + ["run --long"]
