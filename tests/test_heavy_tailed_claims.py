"""The rules of the heavy-tailed chapter on given evidence, on both sides of every threshold."""

from __future__ import annotations

import inspect
import math

import numpy as np
import pandas as pd
import pytest

from private_bandits.papers import heavy_tailed as paper
from private_bandits.papers.heavy_tailed import bounds
from private_bandits.privacy.accounts import account
from private_bandits_book.heavy_tailed import far, lemmas, long, rules
from private_bandits_book.judging.ledger import ledger
from private_bandits_book.ledger import claims_of
from private_bandits_book.plots import facts
from private_bandits_book.rules import LONGEST_REASON
from private_bandits_book.verdicts import AFTER_REPAIR, DERIVED, EXACT, NOT_REPRODUCED, REPRODUCED, UNDECIDED

CLAIMS = {claim.claim: claim for claim in claims_of("heavy_tailed")}
RULES = {
    name.replace("_", "-"): rule
    for name, rule in vars(rules).items()
    if inspect.isfunction(rule) and rule.__module__ == rules.__name__ and not name.startswith("_")
}
ALONE = [name for name, rule in RULES.items() if not inspect.signature(rule).parameters]


def test_every_claim_has_a_rule_or_rests_on_others_and_no_rule_is_left_over():
    alone = {name for name, claim in CLAIMS.items() if not claim.rests_on and not claim.not_testable}
    assert alone <= set(RULES) <= set(CLAIMS)
    assert len(CLAIMS) == 37


@pytest.mark.parametrize("claim", ALONE)
def test_what_needs_no_evidence_is_judged_as_the_book_says(claim):
    expected = {
        AFTER_REPAIR: "theorem-dp-upper-dependent theorem-dp-upper-independent",
        NOT_REPRODUCED: "theorem-ldp-upper-dependent theorem-ldp-upper-independent "
        "table-heavytailed-dependent-ldp-upper table-heavytailed-independent-ldp-upper",
    }
    found = RULES[claim]()
    assert claim in expected.get(found.verdict, claim if found.verdict == REPRODUCED else "").split()
    assert not any(claim in names.split() and found.verdict != verdict for verdict, names in expected.items())
    assert found.evidence == DERIVED
    assert len(found.reason) <= LONGEST_REASON and "nan" not in found.reason


def test_an_optimal_index_rests_on_the_lower_bound_as_well():
    rulings = {name: RULES[name]() for name in ALONE}
    named = ("table-bounded-dependent-dp-lower", "discussion-bounded-ucb")
    some = {name: CLAIMS[name] for name in named}
    found = ledger(some, rulings, "x").set_index("claim")["verdict"]
    assert found["discussion-bounded-ucb"] == REPRODUCED
    rulings["table-bounded-dependent-dp-lower"] = rules.theorem_ldp_upper_dependent()
    assert ledger(some, rulings, "x").set_index("claim")["verdict"]["discussion-bounded-ucb"] == NOT_REPRODUCED


# --- slopes


V = [0.3, 0.5, 0.9, 1.0]
REFUTED = {
    "theorem-ldp-upper-dependent": lambda v: 1 + 1 / v,
    "theorem-ldp-upper-independent": lambda v: v / (2 + 2 * v),
}


@pytest.mark.parametrize("v", V)
@pytest.mark.parametrize("claim", ALONE)
def test_the_verdicts_hold_at_every_v(monkeypatch, claim, v):
    usual = RULES[claim]().verdict
    monkeypatch.setattr(rules, "VS", (v,))
    found = RULES[claim]()
    assert found.verdict == usual
    if claim in REFUTED:
        assert found.measurement.measured == pytest.approx(REFUTED[claim](v), rel=0.03)


def test_the_least_ratios_are_the_ones_by_hand(monkeypatch):
    """Of T^(3/4): a quarter of 1/6. Locally at v = 1: the largest gap, where 1/gap^2 stands against C."""
    assert rules.theorem_dp_lower().measurement.measured == pytest.approx(1 / 24)
    monkeypatch.setattr(rules, "VS", (1.0,))
    loss = 4 * (math.e - 1) ** 2
    assert rules.theorem_ldp_lower_dependent().measurement.measured == pytest.approx(1 / (0.199**2 * loss), rel=1e-6)


def steeper(monkeypatch, room, name, factor):
    """Put a factor, of the arguments by name, on the bounds with constants."""
    whole = getattr(room, name)
    signature = inspect.signature(whole)

    def bent(*given, **named):
        bound = signature.bind(*given, **named)
        bound.apply_defaults()
        with_constants = bound.arguments.get("variant", "corrected") == "corrected"
        return whole(*given, **named) * (factor(**bound.arguments) if with_constants else 1.0)

    monkeypatch.setattr(room, name, bent)


@pytest.mark.parametrize(("power", "expected"), [(0.01, REPRODUCED), (0.03, UNDECIDED)])
@pytest.mark.parametrize(
    ("claim", "room", "name", "axis"),
    [
        ("theorem-dp-robust-ucb", bounds, "dp_robust_ucb_upper", lambda epsilon, **_: 1 / epsilon),
        ("table-heavytailed-dependent-dp-upper", bounds, "dp_upper", lambda means, **_: 1 / means[0]),
        ("own-local-upper-dependent", bounds, "ldp_upper", lambda u, **_: u),
        ("own-local-upper-independent", bounds, "ldp_upper_independent", lambda n_arms, **_: n_arms),
        ("own-optimal-index", lemmas, "episodes_upper", lambda gap, **_: 1 / gap),
        ("table-bounded-dependent-dp-upper", lemmas, "dp_se_upper", lambda horizon, **_: horizon),
        ("discussion-bounded-ucb", lemmas, "adap_ucb_upper", lambda gap, **_: 1 / gap),
        ("table-bounded-dependent-ldp-upper", lemmas, "ldp_ucb_upper", lambda epsilon, **_: 1 / epsilon),
        ("table-bounded-independent-dp-upper", lemmas, "dp_se_upper_independent", lambda n_arms, **_: n_arms),
        ("table-bounded-independent-ldp-upper", lemmas, "ldp_ucb_upper_independent", lambda n_arms, **_: n_arms),
        ("theorem-dp-lower", bounds, "dp_lower", lambda gap, **_: gap),
        ("theorem-ldp-lower-dependent", bounds, "ldp_lower", lambda epsilon, **_: epsilon),
        ("theorem-ldp-lower-independent", bounds, "ldp_lower_independent", lambda n_arms, **_: 1 / n_arms),
        ("table-bounded-dependent-dp-lower", lemmas, "bounded_lower", lambda gap, **_: gap),
        ("discussion-non-private-rate", lemmas, "plain_lower", lambda gap, **_: gap),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_bound_that_moves_by_more_than_a_logarithm_leaves_a_claim_open(
    monkeypatch, claim, room, name, axis, power, expected
):
    steeper(monkeypatch, room, name, lambda **given: axis(**given) ** power)
    assert RULES[claim]().verdict == expected


@pytest.mark.parametrize(("power", "expected"), [(0.03, NOT_REPRODUCED), (0.01, UNDECIDED), (-0.1, UNDECIDED)])
def test_a_claim_is_refuted_only_by_a_lower_bound_that_outgrows_it(monkeypatch, power, expected):
    """A lower bound below a claim reproduces nothing, and a slope may be a logarithm's."""
    steeper(monkeypatch, bounds, "ldp_lower_independent", lambda v, horizon, **_: horizon ** (power - v / (2 + 2 * v)))
    assert rules.table_heavytailed_independent_ldp_upper().verdict == expected


def test_the_local_upper_bounds_fail_the_change_of_unit_too(monkeypatch):
    for name in ("ldp_lower", "ldp_lower_independent"):
        steeper(monkeypatch, bounds, name, lambda **_: 0.0 + 1e-300)
    monkeypatch.setattr(rules, "_contradicted", lambda *_: rules.Holds(DERIVED)(None))
    for claim in ("theorem-ldp-upper-dependent", "theorem-ldp-upper-independent"):
        assert RULES[claim]().verdict == NOT_REPRODUCED


def test_a_vacuous_bound_decides_nothing(monkeypatch):
    steeper(monkeypatch, lemmas, "adap_ucb_upper", lambda **_: 1e140)
    assert rules.discussion_bounded_ucb().verdict == UNDECIDED


def test_a_print_that_is_right_needs_no_repair_and_a_repair_that_is_not_proved_leaves_it_open(monkeypatch):
    steeper(monkeypatch, bounds, "dp_upper", lambda epsilon, **_: epsilon**-0.1)
    assert rules.theorem_dp_upper_dependent().verdict == UNDECIDED


@pytest.mark.parametrize(("share", "expected"), [(0.999, REPRODUCED), (1.001, NOT_REPRODUCED)])
def test_the_radius_must_cover(monkeypatch, share, expected):
    monkeypatch.setattr(lemmas, "radius_share", lambda: share)
    assert rules.theorem_dp_robust_ucb().verdict == expected


def test_privacy_is_asked_of_the_lower_bound_where_it_costs_most(monkeypatch):
    """Without the bound that has epsilon in it, the row is open, and it is not met by a bound of order K/epsilon."""
    whole = lemmas.private_lower
    for other in (lambda *a: 0.0, lambda n, epsilon, t: whole(n, epsilon, t) / math.log(t)):
        monkeypatch.setattr(lemmas, "private_lower", other)
        assert rules.table_bounded_independent_dp_lower().verdict == UNDECIDED
        assert rules.table_bounded_independent_ldp_lower().verdict == REPRODUCED


# --- privacy


@pytest.mark.parametrize("claim", ["privacy-dp-robust-se", "privacy-dp-robust-ucb", "privacy-ldp-robust-se"])
def test_privacy_is_read_off_the_noise(claim):
    make = {
        "privacy-dp-robust-se": lambda: paper.dp_robust_se(0.5, 0.5, 1.0, 0.1),
        "privacy-dp-robust-ucb": lambda: paper.dp_robust_ucb(0.5, 0.5, 1.0, 1000),
        "privacy-ldp-robust-se": lambda: paper.ldp_robust_se(0.5, 0.5, 1.0, 0.1),
    }
    record = make[claim]().record
    loss, local = account(record)
    assert local == (claim == "privacy-ldp-robust-se")
    found = RULES[claim](loss, 0.5)
    assert found.verdict == REPRODUCED and found.evidence == EXACT
    assert RULES[claim](account(record._replace(scale=record.scale / 1.01))[0], 0.5).verdict == NOT_REPRODUCED
    assert RULES[claim](math.inf, 0.5).verdict == NOT_REPRODUCED


# --- the panels


def panel(se, low, high, horizon=10**12, spread=0.001, spare=2.0, setting=1):
    """Five runs of both algorithms that end at these shares of uniform play."""
    problem = paper.setting(setting, 0.5, 0.5 + spare)
    at = {"spare": spare, "horizon": horizon, "setting": setting, "v": 0.5, "epsilon": 0.5}
    frames = []
    for policy, shares in (
        (paper.dp_robust_se(0.5, 0.5, 1.0, 0.1), (se, se)),
        (paper.dp_robust_ucb(0.5, 0.5, 1.0, horizon), (low, high)),
    ):
        known = {**facts(policy, problem), **at, "t": horizon, "replication": np.arange(5)}
        most, runs = problem.uniform_regret() * horizon, 1 + spread * np.linspace(-1, 1, 5)
        ends = {"low": shares[0] * most * runs, "high": shares[1] * most * runs}
        frames.append(pd.DataFrame({**known, **ends, "regret": (ends["low"] + ends["high"]) / 2}))
    return pd.concat(frames, ignore_index=True)


@pytest.mark.parametrize(
    ("shares", "expected"),
    [
        ((0.10, 0.20, 0.30), REPRODUCED),
        ((0.25, 0.20, 0.30), UNDECIDED),
        ((0.40, 0.20, 0.30), NOT_REPRODUCED),
        ((0.199, 0.20, 0.30), REPRODUCED),
        ((0.301, 0.20, 0.30), NOT_REPRODUCED),
    ],
)
def test_an_order_must_hold_at_both_ends(shares, expected):
    assert far.below(panel(*shares)).verdict == expected
    assert rules.figure_dp_settings(panel(*shares)).verdict == expected


def test_a_mode_that_no_run_has_drawn_has_the_probability_2_beta():
    assert far.below(panel(0.10, 0.2, 0.3, horizon=100)).verdict == REPRODUCED
    assert far.below(panel(0.19, 0.2, 0.3, horizon=100)).verdict == UNDECIDED


def test_one_panel_that_is_above_is_enough_and_short_horizons_do_not_count():
    good, bad = panel(0.1, 0.2, 0.3), panel(0.4, 0.2, 0.3, setting=2)
    assert rules.figure_dp_settings(pd.concat([good, bad])).verdict == NOT_REPRODUCED
    short = panel(0.4, 0.2, 0.3, horizon=10**11)
    assert rules.figure_dp_settings(pd.concat([good, short])).verdict == REPRODUCED
    assert rules.figure_dp_settings(short).verdict == UNDECIDED


def test_the_table_counts_all_panels():
    rows = [panel(0.1, 0.2, 0.3), panel(0.25, 0.2, 0.3, setting=2), panel(0.4, 0.2, 0.3, setting=3)]
    (row,) = long.order_table(pd.concat(rows)).to_dict("records")
    assert (row["below"], row["above"], row["neither"]) == (1, 1, 1)
    assert row["DP Robust SE"] == "0.1 to 0.4" and row["DP Robust UCB"] == "0.25 to 0.25"
