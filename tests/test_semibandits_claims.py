"""The rules of the semi-bandits chapter on given evidence, on both sides of every threshold."""

from __future__ import annotations

import inspect
import math

import pandas as pd
import pytest

from private_bandits.estimates import Interval
from private_bandits_book.ledger import claims_of
from private_bandits_book.rules import LONGEST_REASON
from private_bandits_book.semibandits import lemmas, rules
from private_bandits_book.semibandits.long import SUBJECT
from private_bandits_book.verdicts import AFTER_REPAIR, DERIVED, EXACT, MEASURED, NOT_REPRODUCED, REPRODUCED, UNDECIDED

CLAIMS = {claim.claim: claim for claim in claims_of("semibandits")}
RULES = {
    name.replace("_", "-"): rule
    for name, rule in vars(rules).items()
    if inspect.isfunction(rule) and rule.__module__ == rules.__name__ and not name.startswith("_")
}
ALONE = [name for name, rule in RULES.items() if not inspect.signature(rule).parameters]


def seen(low, high):
    return Interval((low + high) / 2, low, high)


def power(middle):
    return seen(middle - 0.01, middle + 0.01)


def row(found, quantity="K", instances="one matters", best=1.0, **subject):
    known = dict.fromkeys(SUBJECT, "") | {"variant": "printed"} | subject
    return {"quantity": quantity, "instances": instances, "best": best, "power": found, **known}


# --- claims and rules


def test_every_claim_has_a_rule_or_rests_on_others_and_no_rule_is_left_over():
    alone = {name for name, claim in CLAIMS.items() if not claim.rests_on and not claim.not_testable}
    assert alone <= set(RULES) <= set(CLAIMS)


@pytest.mark.parametrize("claim", ALONE)
def test_what_needs_no_evidence_is_judged_as_the_book_says(claim):
    expected = {
        AFTER_REPAIR: "lemma-1 theorem-2 theorem-4 central-lower",
        NOT_REPRODUCED: "conjecture theorem-9 theorem-9-sketch table-1-b-1-dp section-4-3",
        REPRODUCED: "fact-1 lemma-2 theorem-5 theorem-6 theorem-8 central-upper private-term-dominated "
        "own-central-rate",
    }
    found = RULES[claim]()
    assert claim in expected[found.verdict].split()
    assert found.evidence == (EXACT if claim == "lemma-1" else DERIVED)
    assert len(found.reason) <= LONGEST_REASON and "nan" not in found.reason


@pytest.mark.parametrize(
    ("claim", "name", "value", "verdict"),
    [
        ("fact-1", "fact_1", 1.001, NOT_REPRODUCED),
        ("lemma-1", "lemma_1_loss", (1.0, 1.0, 1.0), REPRODUCED),
        ("lemma-1", "lemma_1_loss", (1.1, 1.1, 1.1), NOT_REPRODUCED),
        ("lemma-2", "lemma_2_failures", 2.9, REPRODUCED),
        ("lemma-2", "lemma_2_failures", 3.1, UNDECIDED),
        ("theorem-2", "powers", lemmas.Powers(2.24, 2.24, 1.24, 1.24), AFTER_REPAIR),
        ("theorem-2", "powers", lemmas.Powers(2.26, 2.0, 1.0, 1.0), NOT_REPRODUCED),
        ("theorem-4", "powers", lemmas.Powers(0.26, 2.0, 1.0, 1.0), NOT_REPRODUCED),
        ("theorem-4", "powers", lemmas.Powers(0.0, 2.0, 1.0, 1.26), NOT_REPRODUCED),
        ("theorem-5", "local_lower_ratio", 0.9, REPRODUCED),
        ("theorem-6", "local_lower_ratio", 1.1, UNDECIDED),
        ("theorem-8", "powers", lemmas.Powers(1.0, 1.26, 1.0, 1.0), NOT_REPRODUCED),
        ("theorem-8", "powers", lemmas.Powers(1.0, 1.0, 1.0, 3.24), REPRODUCED),
        ("theorem-8", "tree_miss", 1.1, NOT_REPRODUCED),
        ("theorem-8", "lemma_2_failures", 3.1, UNDECIDED),
        ("theorem-9", "private_powers", (1.0, 0.74), NOT_REPRODUCED),
        ("theorem-9", "private_powers", (1.0, 0.76), REPRODUCED),
        ("theorem-9-sketch", "public_powers", (2.0, 1.76), REPRODUCED),
        ("section-4-3", "private_powers", (1.0, 0.76), REPRODUCED),
        ("section-4-3", "rates_apart", 101.0, REPRODUCED),
        ("own-central-rate", "rates_apart", 101.0, NOT_REPRODUCED),
        ("own-central-rate", "powers", lemmas.Powers(0.26, 1.0, 1.0, 1.0), NOT_REPRODUCED),
        ("table-1-b-1-dp", "product_powers", (2.0, 1.76), REPRODUCED),
        ("central-lower", "product_powers", (2.0, 1.76), REPRODUCED),
        ("central-lower", "sum_over_proved", 101.0, UNDECIDED),
        ("central-upper", "powers", lemmas.Powers(0.0, 1.26, 0.0, 9.0), NOT_REPRODUCED),
        ("central-upper", "powers", lemmas.Powers(0.0, 1.0, 0.0, 9.0), REPRODUCED),
        ("conjecture", "powers", lemmas.Powers(1.74, 2.0, 1.0, 1.0), NOT_REPRODUCED),
        ("conjecture", "powers", lemmas.Powers(1.76, 2.0, 1.0, 1.0), REPRODUCED),
    ],
)
def test_what_is_computed_may_come_out_otherwise(claim, name, value, verdict, monkeypatch):
    monkeypatch.setattr(lemmas, name, lambda *_, **__: value)
    assert RULES[claim]().verdict == verdict


def test_a_printed_local_bound_stands_if_no_first_report_is_too_costly_and_epsilon_is_small(monkeypatch):
    monkeypatch.setattr(lemmas, "first_report_horizon", lambda *_: math.inf)
    assert rules.theorem_4().verdict == AFTER_REPAIR  # the bound goes to 0 as epsilon grows
    monkeypatch.setattr(rules, "_LARGE", 0.1)
    assert rules.theorem_4().verdict == REPRODUCED


def test_the_private_term_is_not_dominated_if_it_falls_with_the_gap_as_the_other(monkeypatch):
    monkeypatch.setattr(lemmas, "power", lambda *_: -0.24)
    assert rules.private_term_dominated().verdict == NOT_REPRODUCED


# --- privacy


@pytest.mark.parametrize("claim", ["theorem-1", "theorem-3", "theorem-7", "least-pulled-privacy", "own-blocks-privacy"])
@pytest.mark.parametrize(("loss", "verdict"), [(0.5, REPRODUCED), (0.501, NOT_REPRODUCED), (math.inf, NOT_REPRODUCED)])
def test_a_loss_is_held_against_the_promise(claim, loss, verdict):
    found = RULES[claim]([0.5, loss], 0.5)
    assert (found.verdict, found.evidence) == (verdict, EXACT)


# --- what is measured


@pytest.mark.parametrize(
    ("left", "removed", "verdict"),
    [
        (power(0.2), seen(0.1, 0.3), REPRODUCED),
        (power(0.25), seen(0.1, 0.3), UNDECIDED),
        (power(0.8), seen(0.1, 0.3), NOT_REPRODUCED),
        (power(0.0), seen(-0.1, 0.3), UNDECIDED),
        (power(0.0), seen(-0.3, -0.1), NOT_REPRODUCED),
    ],
)
def test_no_power_is_left_and_some_is_removed(left, removed, verdict):
    rows = pd.DataFrame([row(left, algorithm="Algorithm 2, lines 4-7"), row(power(9), algorithm="Algorithm 1")])
    found = rules.least_pulled_removes_k(rows, [removed])
    assert (found.verdict, found.evidence) == (verdict, MEASURED) and found.about


@pytest.mark.parametrize(("at", "verdict"), [(0.2, REPRODUCED), (-0.2, REPRODUCED), (0.5, UNDECIDED)])
def test_what_is_removed_is_what_the_radii_give(at, verdict):
    for law in (0.0, 1.7):
        assert rules.own_removed([(power(law + at), law), (power(1.0), 1.0)]).verdict == verdict
        assert rules.own_removed([(power(law + 0.8), law)]).verdict == NOT_REPRODUCED
        assert rules.own_removed([(power(law - 0.8), law)]).verdict == NOT_REPRODUCED


@pytest.mark.parametrize(
    ("loss", "at", "verdict"),
    [(1.0, 1.2, REPRODUCED), (1.0, 1.5, UNDECIDED), (1.0, 1.8, NOT_REPRODUCED), (1.1, 1.0, NOT_REPRODUCED)],
)
def test_the_super_arm_radius_is_private_and_has_one_factor(loss, at, verdict):
    about = {"algorithm": "super-arm radius", "instances": "K-path"}
    rows = pd.DataFrame([row(power(at), **about), row(power(9), **about, best=0.5)])
    assert rules.own_super_arm_radius(loss, 1.0, rows).verdict == verdict


@pytest.mark.parametrize(
    ("rising", "level", "verdict"),
    [
        (seen(0.1, 2.0), power(0.2), REPRODUCED),
        (seen(-0.1, 2.0), power(0.2), UNDECIDED),
        (seen(-2.0, -0.1), power(0.2), NOT_REPRODUCED),
        (seen(0.1, 2.0), power(0.5), UNDECIDED),
        (seen(0.1, 2.0), power(0.8), NOT_REPRODUCED),
        (seen(0.1, 2.0), power(-0.8), NOT_REPRODUCED),
    ],
)
def test_one_ratio_rises_and_one_is_level(rising, level, verdict):
    assert rules.own_lower_ratio(rising, level).verdict == verdict


@pytest.mark.parametrize(("moved", "verdict"), [((1, 1.1, 1.2), REPRODUCED), ((1, 2, 4), NOT_REPRODUCED)])
def test_a_coverage_moves_as_its_size(moved, verdict):
    found = rules.coverage_constant([4, 8, 16], list(moved))
    assert (found.verdict, found.evidence) == (verdict, EXACT)


@pytest.mark.parametrize(
    ("blocks", "printed", "verdict"),
    [
        (0.4, 1.2, REPRODUCED),  # margins 0.18 and 0.25
        (0.2, 0.8, REPRODUCED),
        (0.6, 1.0, UNDECIDED),
        (0.9, 1.0, NOT_REPRODUCED),
        (0.3, 1.5, UNDECIDED),
        (0.3, 1.9, NOT_REPRODUCED),
        (0.3, 0.1, NOT_REPRODUCED),
    ],
)
def test_what_privacy_adds_grows_as_the_noise(blocks, printed, verdict):
    rows = [row(power(blocks), algorithm="super-arm blocks") | {"law": 0.28, "sizes": [1, 4, 16, 64]}]
    rows += [row(power(printed), algorithm="Algorithm 3, lines 4-7") | {"law": math.nan, "sizes": [1, 4]}]
    rows += [row(power(9.0), algorithm="super-arm radius") | {"law": math.nan, "sizes": [1, 4, 16, 64]}]
    assert rules.own_blocks_k(pd.DataFrame(rows)).verdict == verdict


PLAIN = {"K": 0.0, "1/gap": 1.0, "ln T": 1.0}


@pytest.mark.parametrize(("claim", "instances", "size"), [("b-inf", "one matters", 0.0), ("b-1", "K-path", 1.0)])
@pytest.mark.parametrize("moved", PLAIN)
@pytest.mark.parametrize(("by", "verdict"), [(0.2, REPRODUCED), (0.5, UNDECIDED), (0.8, NOT_REPRODUCED)])
def test_cucb_has_exactly_the_claimed_powers(claim, instances, size, moved, by, verdict):
    rule = RULES[f"table-1-{claim}-none"]
    for side in (-1, 1):
        at = {**PLAIN, "K": size} | {moved: {**PLAIN, "K": size}[moved] + side * by}
        rows = [row(power(one), quantity, instances, mechanism="none") for quantity, one in at.items()]
        rows += [row(power(9.0), "K", instances, mechanism="laplace")]
        assert rule(pd.DataFrame(rows)).verdict == verdict


OVER = {-3.0: REPRODUCED, 0.2: REPRODUCED, 0.5: UNDECIDED, 0.8: NOT_REPRODUCED}


@pytest.mark.parametrize(("over", "verdict"), OVER.items())
def test_no_power_of_the_table_is_exceeded(over, verdict):
    rows = [row(power(most + change)) | {"claimed": most} for most, change in ((2.0, -1.0), (1.0, over))]
    assert rules.table_1_powers(pd.DataFrame(rows)).verdict == verdict


def test_a_power_that_was_not_measured_is_an_error():
    with pytest.raises(LookupError, match="powers of K must be measured"):
        rules.least_pulled_removes_k(pd.DataFrame([row(power(0.0), algorithm="Algorithm 1")]), [seen(0.1, 0.2)])
