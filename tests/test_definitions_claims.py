"""The rules of the definitions chapter on given evidence, on both sides of every threshold."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from private_bandits_book.chapters.definitions import lemmas, pictures, rules
from private_bandits_book.judging.claims import claims_of
from private_bandits_book.judging.rulings import LONGEST_REASON, Ruling
from private_bandits_book.judging.verdicts import DERIVED, EXACT, NOT_REPRODUCED, REPRODUCED
from private_bandits_book.package_data import tables

# --- evidence of the notebook


@pytest.fixture(scope="module")
def losses() -> pd.DataFrame:
    return lemmas.losses(1.0, 3)


@pytest.fixture(scope="module")
def composition() -> pd.DataFrame:
    return lemmas.composition(1.0, (2, 3, 4))


def changed(frame: pd.DataFrame, policy: str, column: str, value: float) -> pd.DataFrame:
    made = frame.copy()
    made.loc[made["key"] == policy, column] = value
    return made


def verdict(found: Ruling) -> str:
    assert found.evidence == EXACT and len(found.reason) <= LONGEST_REASON and "nan" not in found.reason
    return found.verdict


@pytest.mark.parametrize(("loss", "expected"), [(1.0, REPRODUCED), (1.001, NOT_REPRODUCED)])
def test_local_privacy_gives_privacy(losses, loss, expected):
    assert verdict(rules.local_implies_dp({"a": 0.2, "b": loss}, 1.0)) == expected


def test_noisy_statistics_are_no_local_privacy_of_each_reward(losses):
    assert verdict(rules.own_no_local(losses)) == REPRODUCED
    assert verdict(rules.own_no_local(changed(losses, lemmas.LAPLACE, "local", 1.0))) == NOT_REPRODUCED
    assert verdict(rules.own_no_local(changed(losses, lemmas.LAPLACE, "outcomes", math.inf))) == NOT_REPRODUCED


@pytest.mark.parametrize(("provided", "expected"), [(0.6, REPRODUCED), (0.6001, NOT_REPRODUCED)])
def test_a_mechanism_may_provide_environment_privacy(losses, provided, expected):
    assert verdict(rules.definition_5(losses, provided)) == expected
    over = changed(losses, lemmas.PRIVATE, "environment", 3 * (math.e - 1) * 1.2 * 1.001)
    assert verdict(rules.definition_5(over, 0.6)) == NOT_REPRODUCED


def test_a_policy_that_sees_exact_rewards_provides_no_environment_privacy(losses):
    assert verdict(rules.own_no_environment(losses)) == REPRODUCED
    assert verdict(rules.own_no_environment(changed(losses, "retraction", "environment", 0.59))) == NOT_REPRODUCED


def test_guesses_are_judged_by_what_the_definition_covers():
    guesses = lemmas.guesses([0.1, 1.0], 3)
    assert verdict(rules.example(guesses)) == REPRODUCED
    assert verdict(rules.example_person(guesses)) == NOT_REPRODUCED
    one = (guesses["guess"] == "one answer") & (guesses["epsilon"] == 1.0)
    better = guesses.assign(success=guesses["success"] + 0.01 * one, kept=guesses["kept"] & ~one)
    assert verdict(rules.example(better)) == NOT_REPRODUCED
    all_answers = guesses["guess"] == "all answers of one person"
    assert verdict(rules.example_person(guesses.assign(kept=guesses["kept"] | all_answers))) == REPRODUCED


@pytest.mark.parametrize(
    ("policy", "column", "value"),
    [
        ("retraction", "rewards", 0.999),
        (lemmas.NOISELESS, "rewards", 1.0),
        (lemmas.SPY, "outcomes", 0.0),
    ],
)
def test_lemma_1_needs_both_sides(losses, policy, column, value):
    assert verdict(rules.lemma_1(losses)) == REPRODUCED
    assert verdict(rules.lemma_1(changed(losses, policy, column, value))) == NOT_REPRODUCED


def test_lemma_2_needs_both_halves(losses):
    assert verdict(rules.lemma_2(losses, 1.0)) == REPRODUCED
    assert verdict(rules.lemma_2(losses, 1.001)) == NOT_REPRODUCED
    assert verdict(rules.lemma_2(changed(losses, lemmas.RESPONSE, "outcomes", 3.01), 0.9)) == NOT_REPRODUCED
    assert verdict(rules.lemma_2(changed(losses, "retraction", "instantaneous", 2.01), 0.9)) == NOT_REPRODUCED


def test_rounds_compose(composition, monkeypatch):
    assert verdict(rules.own_composition()) == REPRODUCED
    monkeypatch.setattr(lemmas, "composition", lambda *_: composition.assign(rho=composition["rho_allowed"] * 1.01))
    assert verdict(rules.own_composition()) == NOT_REPRODUCED


@pytest.mark.parametrize(
    "change",
    [{"pure": 0.51}, {"exact": 9.0}, {"kept": 0.11}, {"far": 4.9}, {"rare_rho": 3.0}, {"rare": 1.1e-6}],
)
def test_every_part_of_concentrated_privacy_counts(change, monkeypatch):
    found = lemmas.concentrated(1.0)._replace(**change)
    assert verdict(rules.own_concentrated()) == REPRODUCED
    monkeypatch.setattr(lemmas, "concentrated", lambda _: found)
    assert verdict(rules.own_concentrated()) == NOT_REPRODUCED


@pytest.mark.parametrize(
    ("found", "expected"),
    [((0.25, 1.0), REPRODUCED), ((0.251, 1.0), NOT_REPRODUCED), ((0.25, 0.999), NOT_REPRODUCED)],
)
def test_views_and_tables(found, expected, monkeypatch):
    monkeypatch.setattr(lemmas, "views", {4: (0.5, 1.0), 5: found}.get)
    assert verdict(rules.own_views()) == expected


@pytest.mark.parametrize(
    ("found", "expected"),
    [((1.0, math.inf), REPRODUCED), ((1.001, math.inf), NOT_REPRODUCED), ((1.0, 9.0), NOT_REPRODUCED)],
)
def test_environment_privacy_gives_nothing_on_outcomes(found, expected):
    assert verdict(rules.own_environment(found)) == expected


@pytest.mark.parametrize(("share", "expected"), [(1.0, REPRODUCED), (1.001, NOT_REPRODUCED)])
def test_the_local_factor_is_at_most_coth(share, expected):
    toy = pd.DataFrame({"horizon": [10, 100], "epsilon": 1.0, "free": 1.0, "local": [0.8, share / math.tanh(0.5)]})
    found = rules.own_factor_local(toy)
    assert (found.verdict, found.evidence) == (expected, DERIVED)


@pytest.mark.parametrize(
    ("graph", "hidden", "given", "expected"),
    [
        ({}, pictures.REWARDS[:1], [], False),
        ({"local": True}, [pictures.REWARDS[0], pictures.ENVIRONMENT], pictures.MESSAGES[:1], True),
        ({}, [pictures.OUTCOMES[0], pictures.ENVIRONMENT], pictures.REWARDS[:1], True),
        ({"partial_monitoring": True}, pictures.OUTCOMES[:1], pictures.REWARDS[:1], False),
    ],
)
def test_separation_says_who_learns_what(graph, hidden, given, expected):
    assert pictures.separated(pictures.bandit(**graph), hidden, given) is expected


def test_every_arrow_of_the_map_has_a_claim():
    arrows = tables("definitions", "map")["arrow"]
    assert len(arrows) == len({tuple(arrow["ends"]) for arrow in arrows}) == 9
    assert {arrow["claim"] for arrow in arrows} <= {claim.claim for claim in claims_of("definitions")}
