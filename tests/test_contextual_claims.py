"""The ledger of the contextual chapter: every locus has a row, and a verdict follows the numbers it is given."""

from __future__ import annotations

import dataclasses
import math
import re

import numpy as np
import pandas as pd
import pytest

from private_bandits.estimates import Interval
from private_bandits.papers.contextual import accounting, bounds
from private_bandits_book.chapters.book import find_book
from private_bandits_book.contextual import (
    check_parameters,
    claims,
    convex_rates,
    exact_claims,
    facts,
    joint,
    linear_rates,
    linear_study,
    long_studies,
    pictures,
    tables,
)
from private_bandits_book.contextual.evidence import Evidence
from private_bandits_book.contextual.summary import EPSILON, LOG_T, ROWS, Exponent, T

EPSILONS, DELTA = [1.0, 8.0], 1e-3
OTHERS = {
    ("arms, adversarial", T): 0.5,
    ("arms, adversarial", EPSILON): 1.0,
    ("arms, stochastic", LOG_T): 1.5,
    ("arms, stochastic", EPSILON): 1.8,
}


def about(value):
    return Interval(value, value - 0.01, value + 0.01)


def exponents(changes=None):
    """What the studies measure if every row of Table 1 is right; `changes` by row, quantity and reading."""
    values = {}
    for key, row in ROWS.items():
        ours = claims.SOURCES.get(key, "printed")
        plain = "no privacy, Newton steps" if key == claims.LOGISTIC else "no privacy"
        values[key, row.quantity, ours] = row.power
        values[key, EPSILON, ours] = row.epsilon
        values[key, row.quantity, plain] = row.non_private_power
    for quantity, power in ((T, 0.5), (EPSILON, 1.0)):
        values["stochastic convex", quantity, "laplace"] = power
    values["strongly convex, smooth", T, "laplace"] = 0.5
    values |= {("two points, convex", T, "tuned"): 0.5, ("two points, convex", EPSILON, "tuned"): 1.0}
    for (row, quantity), power in OTHERS.items():
        values[row, quantity, "printed, tight"] = power
    values |= changes or {}
    found = []
    for (row, quantity, reading), power in values.items():
        box = "Tsallis-INF" if row.startswith("arms") else "a box"
        found.append(Exponent(row, box, reading, quantity, None if power is None else about(power), 6))
    return found


def finals(measured=50.0, uniform=1000.0):
    told = {"bound": 100.0, "uniform": uniform, "measured": measured, "low": measured - 1, "high": measured + 1}
    readings = {key: claims.SOURCES.get(key, "printed") for key in ROWS}
    return pd.DataFrame([{"row": k, "reading": r, "epsilon": 1.0, "horizon": 1000} | told for k, r in readings.items()])


def of_bounds(key, quantity, reading, value):
    return [Exponent(key, "a box", reading, quantity, about(value), 6)]


def best_arm(wrong=0, runs=200, stopped=None):
    low, high = (0.0, 0.02) if wrong == 0 else (wrong / runs - 0.02, wrong / runs + 0.02)
    told = {
        "epsilon": 1.0,
        "gap": 0.4,
        "failure": 0.1,
        "replications": runs,
        "stopped": runs if stopped is None else stopped,
    }
    plain = {"epsilon": math.inf, "gap": 0.4, "failure": 0.1, "replications": runs, "stopped": runs}
    ends = {"wrong": wrong, "wrong_low": low, "wrong_high": high}
    return pd.DataFrame([told | ends, plain | {"wrong": runs, "wrong_low": 0.98, "wrong_high": 1.0}])


def locked(printed=(0.15, 0.6), derived=(0.0, 0.06)):
    rows = [("LinUCB", "", (0.0, 0.06)), ("LDP-LinUCB", "printed", printed), ("LDP-LinUCB", "derived", derived)]
    return pd.DataFrame(
        [
            {
                "policy": policy,
                "reading": reading,
                "epsilon": math.inf,
                "locked": sum(ends) / 2,
                "low": ends[0],
                "high": ends[1],
            }
            for policy, reading, ends in rows
        ]
    )


def evidence(**changes):
    made = Evidence(
        exponents=exponents(),
        bounds=[],
        finals=finals(),
        best_arm=best_arm(),
        locked=locked(),
        joint=joint.compare(EPSILONS, [1, 10, 100, 1000, 10_000], 0.2),
        epsilons=EPSILONS,
        delta=DELTA,
        dim=2,
        horizon=1000,
    )
    return dataclasses.replace(made, **changes)


def verdicts(**changes):
    return claims.judge(evidence(**changes)).set_index("claim")["verdict"]


def test_every_locus_has_a_row():
    ledger = claims.judge(evidence())
    assert ledger["claim"].is_unique
    assert {f"theorem-{n}" for n in (1, 2, 3, 5, 7, 8, 9, 10)} <= set(ledger["claim"])
    assert {"theorem-6-convex", "theorem-6-strong"} <= set(ledger["claim"])
    assert {f"corollary-4-{part}" for part in ("smooth", "strong", "stochastic")} <= set(ledger["claim"])
    for key in ROWS:
        assert {f"table-1-{claims.slug(key)}-{x}" for x in ("horizon", "epsilon", "non-private")} <= set(
            ledger["claim"]
        )
    kinds = ledger["kind"].value_counts()
    assert kinds["table"] == 24 and kinds["contribution"] == 6 and kinds["privacy"] == 5
    assert {"conjecture", "counterexample", "dp-lower-bound", "published-setting"} <= set(ledger["claim"])
    assert set(ledger["command"]) == {claims.COMMAND, claims.LONG}
    # a card on a phone
    assert ledger["reason"].str.len().max() <= 400


def test_verdicts_where_the_table_is_right():
    found = verdicts()
    assert set(found[[name for name in found.index if name.startswith("table-1")]]) == {"reproduced"}
    for name in ("theorem-3", "theorem-6-convex", "theorem-6-strong", "theorem-8", "theorem-10", "mab-both-worlds"):
        assert found[name] == "reproduced", name
    assert found["limit-without-noise"] == "reproduced after repair"
    assert set(found[["theorem-2", "theorem-5", "theorem-7", "theorem-9"]]) == {"reproduced after repair"}
    assert found["theorem-1"] == found["best-arm"] == found["laplace-privacy"] == "reproduced"
    assert found["unbounded-ellipsoid"] == "reproduced after repair"
    assert found["published-setting"] == "not reproduced"
    assert found["conjecture"] == found["first-results"] == "not testable"
    assert found["contribution-difference"] == "reproduced" and found["contribution-laplace"] == "not testable"
    assert found["contribution-contextual"] == "reproduced after repair"
    assert found[found == "not reproduced"].index.tolist() == ["published-setting"]


@pytest.mark.parametrize(
    ("key", "quantity", "reading", "value", "names"),
    [
        ("convex", T, "printed", 0.95, ["table-1-convex-horizon", "theorem-3", "contribution-reduction"]),
        (
            "convex, smooth",
            EPSILON,
            "laplace",
            1.4,
            ["table-1-convex-smooth-epsilon", "corollary-4-smooth", "theorem-3"],
        ),
        ("strongly convex", T, "no privacy", 0.9, ["table-1-strongly-convex-non-private"]),
        ("strongly convex, smooth", T, "printed", 0.7, ["corollary-4-strong", "contribution-improves"]),
        ("two points, convex", EPSILON, "printed", 2.4, ["theorem-6-convex", "contribution-two-points"]),
        ("two points, strongly convex", LOG_T, "printed", 1.6, ["theorem-6-strong"]),
        ("linear", T, "derived", 0.95, ["table-1-linear-horizon"]),
        ("generalised linear", EPSILON, "repaired", 1.3, ["table-1-generalised-linear-epsilon"]),
        ("generalised linear", T, "no privacy, Newton steps", 0.8, ["table-1-generalised-linear-non-private"]),
        ("stochastic convex", T, "laplace", 0.8, ["corollary-4-stochastic", "laplace-regret", "contribution-laplace"]),
        ("arms, adversarial", T, "printed, tight", 0.8, ["mab-both-worlds", "contribution-reduction"]),
        ("arms, stochastic", LOG_T, "printed, tight", 2.6, ["mab-both-worlds"]),
    ],
)
def test_an_exponent_out_of_range_fails_its_claims(key, quantity, reading, value, names):
    before, after, gone = (
        verdicts(exponents=exponents(changes))
        for changes in ({}, {(key, quantity, reading): value}, {(key, quantity, reading): None})
    )
    for name in names:
        assert before[name] in ("reproduced", "reproduced after repair", "not testable"), name
        assert after[name] == "not reproduced", name
        assert gone[name] in ("undecided", "not testable"), name
    moved = {name for name in before.index if after[name] != before[name]}
    own = {name for name in before.index if name.startswith(f"table-1-{claims.slug(key)}-")}
    resting = {name for name in before.index if name.startswith("contribution")}
    assert moved <= set(names) | own | resting | {"theorem-3", "two-points-differ", "two-points-optimal"}


def test_theorem_8_rests_on_its_radius_and_on_the_powers_of_its_bound(monkeypatch):
    assert facts.radius_share(2, 10**5, 1.0, DELTA) == pytest.approx(24.57, abs=0.01)
    assert facts.radius_share(2, 1000, 1000.0, DELTA) == pytest.approx(4.65, abs=0.01)
    assert facts.radius_share(2, 10**5, 1e5, DELTA) == pytest.approx(0.92, abs=0.01)
    assert facts.bound_powers(bounds.theorem_8, "printed", DELTA) == pytest.approx((0.806, 0.478), abs=1e-3)
    assert facts.bound_powers(bounds.theorem_10, "printed", DELTA) == pytest.approx((0.778, 0.964), abs=1e-3)
    with monkeypatch.context() as patched:
        patched.setattr(facts, "radius_share", lambda *a: 0.9)
        found = verdicts()
        assert found["theorem-8"] == found["contribution-contextual"] == "not reproduced"
        assert found["theorem-10"] == "reproduced"
    for powers in ((0.95, 0.5), (0.75, 1.3)):
        with monkeypatch.context() as patched:
            patched.setattr(facts, "bound_powers", lambda *a, powers=powers: powers)
            found = verdicts()
            assert found["theorem-8"] == found["theorem-10"] == "not reproduced"


def test_the_limit_without_noise_follows_the_locked_runs():
    claim = "limit-without-noise"
    assert verdicts(locked=locked(printed=(0.0, 0.06)))[claim] == "reproduced"
    assert verdicts(locked=locked(derived=(0.2, 0.7)))[claim] == "not reproduced"
    assert verdicts(locked=locked(printed=(0.05, 0.3)))[claim] == "undecided"
    assert verdicts(locked=locked().iloc[:0])[claim] == "undecided"
    early = locked().assign(low=0.5, high=1.0)  # LinUCB has not learnt either
    assert verdicts(locked=early)[claim] == "undecided"
    # swapped readings swap the verdict
    assert verdicts(locked=locked(printed=(0.0, 0.06), derived=(0.15, 0.6)))[claim] == "reproduced"


def test_two_readings_of_one_row_are_told_apart():
    more = [*exponents(), Exponent("linear", "a box", "derived, beta times 0.1", T, about(0.3), 5)]
    assert evidence(exponents=more).exponent("linear", T, "derived") == about(0.75)
    alone = [one for one in more if one.reading != "derived"]
    assert evidence(exponents=alone).exponent("linear", T, "derived") == about(0.3)
    twice = [*alone, Exponent("linear", "a box", "derived, beta times 0.01", T, about(0.4), 5)]
    with pytest.raises(LookupError, match="2 exponents in T of 'linear', derived"):
        evidence(exponents=twice).exponent("linear", T, "derived")
    assert evidence().exponent("linear", T, "deriv") is None


def test_bounds_decide_only_below_uniform_play():
    assert verdicts(finals=finals(measured=200.0))["theorem-6-convex"] == "not reproduced"
    assert verdicts(finals=finals(measured=200.0, uniform=90.0))["theorem-6-convex"] == "reproduced"  # vacuous
    missing = verdicts(finals=finals(), exponents=exponents({("two points, convex", T, "printed"): None}))
    assert missing["theorem-6-convex"] == "undecided"  # a bound that is not violated confirms nothing


def test_the_logarithms_of_the_bound_are_granted():
    near = exponents({("strongly convex, smooth", T, "printed"): 0.65})
    assert verdicts(exponents=near)["corollary-4-strong"] == "not reproduced"
    logs = of_bounds("strongly convex, smooth", T, "printed", 0.58)
    assert verdicts(exponents=near, bounds=logs)["corollary-4-strong"] == "reproduced"
    below = of_bounds("strongly convex, smooth", T, "printed", 0.3)  # a lower power takes nothing away
    assert verdicts(bounds=below)["corollary-4-strong"] == "reproduced"
    # optimal is optimal: the bound's own power is no excuse
    steep = of_bounds("two points, convex", EPSILON, "printed", 2.0)
    assert verdicts(bounds=steep)["two-points-optimal"] == "reproduced after repair"


def test_the_power_of_two_points_is_compared_with_that_of_one():
    assert verdicts()["two-points-differ"] == "reproduced"
    worse = {("two points, convex", T, "printed"): 0.9}
    assert verdicts(exponents=exponents(worse))["two-points-differ"] == "not reproduced"
    close = {("two points, convex", T, "no privacy"): 0.745}
    assert verdicts(exponents=exponents(close))["two-points-differ"] == "undecided"


def test_the_step_of_two_points_decides_whether_its_guarantee_is_the_best():
    assert verdicts()["two-points-optimal"] == "reproduced after repair"
    swapped = {("two points, convex", EPSILON, "printed"): 1.0, ("two points, convex", EPSILON, "tuned"): 2.0}
    assert verdicts(exponents=exponents(swapped))["two-points-optimal"] == "reproduced"
    neither = {("two points, convex", EPSILON, "tuned"): 1.9}
    assert verdicts(exponents=exponents(neither))["two-points-optimal"] == "not reproduced"


def test_the_search_for_the_best_arm_follows_its_errors():
    assert verdicts(best_arm=best_arm(wrong=60))["best-arm"] == "not reproduced"
    assert verdicts(best_arm=best_arm(wrong=20))["best-arm"] == "undecided"  # 0.08 to 0.12
    assert verdicts(best_arm=best_arm(stopped=150))["best-arm"] == "undecided"
    assert verdicts(best_arm=best_arm().iloc[1:])["best-arm"] == "undecided"  # without privacy it says nothing


def test_privacy_is_judged_at_the_epsilons_that_are_used():
    found = verdicts(epsilons=[1.0])
    ledger = claims.judge(evidence(epsilons=[1.0])).set_index("claim")["statement"]
    assert found["theorem-2"] == found["theorem-7"] == "reproduced after repair"  # for every epsilon
    for name, kept in (("theorem-2", "4"), ("theorem-5", "4"), ("theorem-7", "32"), ("theorem-9", "none of them")):
        assert ledger[name].endswith(f"as printed it is kept to {kept}."), name
    large = verdicts(epsilons=[1000.0])
    assert large["theorem-2"] == large["theorem-7"] == large["theorem-9"] == "reproduced after repair"
    assert large["laplace-privacy"] == "reproduced"
    assert large["theorem-1"] == large["counterexample"] == large["linear-perturbation"] == "reproduced"


def test_the_worst_of_several_epsilons_decides():
    assert exact_claims.worst([(1.0, 0.5), (8.0, 8.2)], DELTA).verdict == "not reproduced"
    assert exact_claims.worst([(8.0, 8.2), (1.0, 0.5)], DELTA).verdict == "not reproduced"
    assert exact_claims.worst([(1.0, 0.5), (8.0, 7.9)], DELTA).verdict == "reproduced"


def test_the_two_privacies_follow_the_instance(monkeypatch):
    frame = evidence().joint
    private = frame.assign(joint_loss=1.0)
    found = verdicts(joint=private)
    assert found["actions-not-private"] == found["not-comparable"] == "not reproduced"
    linear = frame.assign(ldp_regret=frame["t"] * 0.1)
    assert (
        verdicts(joint=linear)["ldp-escapes"] == verdicts(joint=linear)["contribution-difference"] == "not reproduced"
    )
    assert verdicts(joint=frame[frame["t"] <= 10])["ldp-escapes"] == "undecided"  # not yet crossed at epsilon = 8
    first = verdicts(joint=joint.compare(EPSILONS, [1], 0.2))
    assert first["actions-not-private"] == first["not-comparable"] == first["ldp-escapes"] == "undecided"
    far = joint.compare([1000.0], [1, 10], 0.2)  # exp(-1000) is 0
    assert verdicts(joint=far)["dp-lower-bound"] == "undecided"
    monkeypatch.setattr(joint, "least_regret", lambda epsilon, horizon, gap: 0.1)  # some policy does better
    assert verdicts()["dp-lower-bound"] == "not reproduced"


@pytest.mark.parametrize(
    ("name", "value", "claim", "verdict"),
    [
        ("streaming_loss", lambda epsilon: 2 * epsilon, "theorem-1", "not reproduced"),
        ("two_values_loss", lambda epsilon, same: 1.0, "same-noise", "not reproduced"),
        ("virtual_gap", lambda slope: 0.1 * slope, "virtual-losses", "not reproduced"),
        ("logistic_gap", lambda: 0.1, "logistic-loss", "not reproduced"),
        ("small_link", lambda epsilon, delta: facts.SmallLink(0.5, 0.5), "theorem-9", "reproduced after repair"),
        ("small_link", lambda epsilon, delta: facts.SmallLink(99.0, 99.0), "theorem-9", "not reproduced"),
        (
            "ellipsoid_norms",
            lambda domain: pd.DataFrame({"inverse": np.logspace(0, 6, 7), "root": np.ones(7)}),
            "unbounded-ellipsoid",
            "reproduced",
        ),
        (
            "ellipsoid_norms",
            lambda domain: pd.DataFrame({"inverse": np.ones(7), "root": np.ones(7)}),
            "unbounded-ellipsoid",
            "not reproduced",
        ),
    ],
)
def test_an_exact_claim_follows_what_is_computed(monkeypatch, name, value, claim, verdict):
    monkeypatch.setattr(facts, name, value)
    assert verdicts()[claim] == verdict


def test_the_facts():
    assert facts.streaming_loss(0.5) == pytest.approx(0.5) and facts.reports_loss(0.5) == pytest.approx(0.5)
    assert math.isinf(facts.two_values_loss(1.0, same=True)) and facts.two_values_loss(
        1.0, same=False
    ) == pytest.approx(2.0)
    ball = facts.ellipsoid_norms("ball")
    # the eigenvalues of the Hessian of -ln(1 - |x|^2) are 2/w and 2/w + 4 |x|^2/w^2, w = 1 - |x|^2
    room = 1.0 - (1.0 - ball["distance"]) ** 2
    assert ball["inverse"].to_numpy() == pytest.approx((room / 2.0).to_numpy())
    assert ball["root"].to_numpy() == pytest.approx(np.sqrt(2.0 / room + 4.0 * (1.0 - room) / room**2))
    # two gradients 2 apart behind 0.1 sigma
    assert facts.small_link(1.0, 1e-3).printed == pytest.approx(2.47, abs=0.01)
    assert facts.small_link(0.5, 1e-5).printed == pytest.approx(1.25, abs=0.01)
    assert facts.small_link(3.0, 1e-3).repaired == pytest.approx(3.0)
    paid = facts.classical_formula([1.0, 8.0], 1e-3)
    assert paid["classical"].tolist() == pytest.approx([0.634, 8.179], abs=1e-3)
    assert paid["analytic"].tolist() == pytest.approx([1.0, 8.0])


def test_in_short_follows_the_verdicts():
    needed = linear_study.horizons([2], EPSILONS, DELTA)
    setting = accounting.published_setting()

    def said(**changes):
        made = evidence(**changes)
        return pictures.in_short(made, claims.judge(made), needed, setting)

    text = said()
    assert "Theorem 3: reproduced." in text and "Theorem 8: reproduced; Theorem 10: reproduced" in text
    assert "the powers of $T$ 0.75, 0.67, 0.67, 0.50" in text and "10²⁰ rounds" in text
    failed = said(exponents=exponents({("convex", T, "printed"): 0.95}), best_arm=best_arm(wrong=60))
    assert "Theorem 3: not reproduced." in failed and "Best arm: not reproduced." in failed
    assert "the powers of $T$ 0.95, 0.67" in failed
    gone = said(exponents=[], locked=locked().iloc[:0])
    assert "Theorem 3: undecided." in gone and "not measured" in gone
    counted = re.search(r"\*\*Of (\d+) claims\*\*", text)
    assert counted is not None and int(counted[1]) == len(claims.judge(evidence()))


def test_table_1_shows_what_was_measured():
    shown = tables.table_1(evidence())
    assert len(shown) == 8
    first, last = shown.iloc[0], shown.iloc[-1]
    assert first["printed"] == "T^(3/4)/ε" and first["horizon"] == "0.75 [0.74, 0.76] (0.75)"
    assert shown["printed"].iloc[4] == "T^(1/2)/ε²" and shown["printed"].iloc[5] == "ln T/ε²"
    assert last["plain_measured"] == 0.5 and last["epsilon_claimed"] == 1.0
    moved = tables.table_1(evidence(exponents=exponents({("convex", T, "printed"): None})))
    assert moved["horizon"].iloc[0] == "" and math.isnan(moved["horizon_measured"].iloc[0])


def test_the_derived_powers_of_epsilon_are_those_of_the_bounds():
    horizon, small = 10**17, (0.1, 0.01)
    for key, power in tables.DERIVED_EPSILON.items():
        values = [derived(key, horizon, epsilon) for epsilon in small]
        slope = math.log10(values[1] / values[0])
        assert slope == pytest.approx(power, abs=0.05), key


def derived(key, horizon, epsilon):
    frame = pd.DataFrame(tables._bounds(horizon, epsilon, DELTA), columns=["bound", "variant", "value", "uniform"])
    names = {"linear": "Theorem 8, d = 2", "generalised linear": "Theorem 10, d = 2"}
    name = names.get(key) or (f"Theorem 6, {key}" if key.startswith("two") else f"Corollary 4, {key}")
    wanted = {"two points, convex": "derived, printed step", "two points, strongly convex": "derived, strong step"}
    row = frame[(frame["bound"] == name) & (frame["variant"] == wanted.get(key, "derived"))]
    return float(row["value"].iloc[0])


def test_messages_and_what_they_pay():
    sent = tables.messages(1.0, DELTA)
    together = sent[sent["message"] == "together"]
    assert together["sensitivity"].tolist() == pytest.approx([4.0, 2.309, 4.0], abs=1e-3)
    paid = tables.paid(EPSILONS, DELTA).set_index(["algorithm", "noise"])
    assert paid.loc[("Algorithm 1", "classical"), "paid_at_8"] == pytest.approx(8.179, abs=1e-3)
    assert paid.loc[("Algorithm 2", "Laplace"), "paid_at_1"] == pytest.approx(1.0)
    assert paid.loc[("Algorithm 5", "classical"), "paid_at_1"] == pytest.approx(0.370, abs=1e-3)


def test_captions_follow_the_parameters():
    for delta in (1e-3, 1e-5):
        picture = pictures.calibration(delta)
        assert f"δ = {pictures.shown(delta)}" in picture.caption
        held = picture.data[(picture.data["policy"] == "Algorithms 1, 2") & (picture.data["over_nominal"] <= 1)]
        assert f"Algorithms 1, 2 to ε = {held['nominal'].max():.2g}" in picture.alt
    assert "nowhere" in picture.alt


def test_the_committed_studies_give_the_exponents_that_are_judged():
    folder = find_book().data("contextual")
    convex = convex_rates.exponents(pd.read_csv(folder / "long-convex.csv"))
    linear = linear_rates.exponents(pd.read_csv(folder / "long-linear.csv"))
    made = evidence(exponents=convex + linear)
    of_bound = convex_rates.of_bounds(pd.read_csv(folder / "long-convex.csv"))
    keys = {(one.row, one.box, one.reading, one.quantity) for one in of_bound}
    assert keys <= {(one.row, one.box, one.reading, one.quantity) for one in convex}
    for key, row in ROWS.items():
        assert claims.measured(made, key, row.quantity) is not None, key
        assert claims.measured(made, key, EPSILON) is not None, key
        assert claims.measured_plain(made, key) is not None, key
    assert set(long_studies()) == {"convex", "linear"}


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("dims", [2, 2], "dims must not repeat"),
        ("dims", [1], "dims must be >= 2"),
        ("dims", [2, 3, 4, 5, 6], "dims must have at most 4"),
        ("epsilons", [1.0] * 5, "epsilons must have at most 4"),
        ("bonus_factor", 2.0, "bonus_factor must be > 0 and <= 1"),
        ("horizon", 10**8, "horizon must be <= 1e+07"),
    ],
)
def test_parameters_that_do_not_fit_are_refused(name, value, message):
    values = {"horizon": 100, "epsilons": [1.0], "digit_epsilons": [1.0], "dims": [2], "bonus_factor": 0.1}
    check_parameters(**values)
    with pytest.raises(ValueError, match=re.escape(message)):
        check_parameters(**(values | {name: value}))
