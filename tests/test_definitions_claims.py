"""The rules of the definitions chapter on given evidence, on both sides of every threshold."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from private_bandits_book.chapters.definitions import lemmas, pictures, rules
from private_bandits_book.judging.rulings import LONGEST_REASON
from private_bandits_book.judging.verdicts import DERIVED, EXACT, NOT_REPRODUCED, REPRODUCED

# --- evidence of the notebook


@pytest.fixture(scope="module")
def losses() -> pd.DataFrame:
    return lemmas.losses(1.0, 3)


GUESSES = lemmas.guesses([0.1, 1.0], 3)
ONE = (GUESSES["guess"] == "one answer") & (GUESSES["epsilon"] == 1.0)
ALL = GUESSES["guess"] == "all answers of one person"
BETTER = GUESSES.assign(success=GUESSES["success"] + 0.01 * ONE, kept=GUESSES["kept"] & ~ONE)
# a rule, what it is given beside the table of losses and the changes of that table, and its verdict
BOTH_SIDES = [
    ("local_implies_dp", [{"a": 0.2, "b": 1.0}, 1.0], None, REPRODUCED),
    ("local_implies_dp", [{"a": 0.2, "b": 1.001}, 1.0], None, NOT_REPRODUCED),
    ("own_no_local", [], (), REPRODUCED),
    ("own_no_local", [], (lemmas.LAPLACE, "local", 1.0), NOT_REPRODUCED),
    ("own_no_local", [], (lemmas.LAPLACE, "outcomes", math.inf), NOT_REPRODUCED),
    ("definition_5", [0.6], (), REPRODUCED),
    ("definition_5", [0.6001], (), NOT_REPRODUCED),
    ("definition_5", [0.6], (lemmas.PRIVATE, "environment", 3 * (math.e - 1) * 1.2 * 1.001), NOT_REPRODUCED),
    ("own_no_environment", [], (), REPRODUCED),
    ("own_no_environment", [], ("retraction", "environment", 0.59), NOT_REPRODUCED),
    ("example", [GUESSES], None, REPRODUCED),
    ("example", [BETTER], None, NOT_REPRODUCED),
    ("example_person", [GUESSES], None, NOT_REPRODUCED),
    ("example_person", [GUESSES.assign(kept=GUESSES["kept"] | ALL)], None, REPRODUCED),
    ("lemma_1", [], (), REPRODUCED),
    ("lemma_1", [], ("retraction", "rewards", 0.999), NOT_REPRODUCED),
    ("lemma_1", [], (lemmas.NOISELESS, "rewards", 1.0), NOT_REPRODUCED),
    ("lemma_1", [], (lemmas.SPY, "outcomes", 0.0), NOT_REPRODUCED),
    ("lemma_2", [1.0], (), REPRODUCED),
    ("lemma_2", [1.001], (), NOT_REPRODUCED),
    ("lemma_2", [0.9], (lemmas.RESPONSE, "outcomes", 3.01), NOT_REPRODUCED),
    ("lemma_2", [0.9], ("retraction", "instantaneous", 2.01), NOT_REPRODUCED),
    ("own_environment", [(1.0, math.inf)], None, REPRODUCED),
    ("own_environment", [(1.001, math.inf)], None, NOT_REPRODUCED),
    ("own_environment", [(1.0, 9.0)], None, NOT_REPRODUCED),
]


@pytest.mark.parametrize(("rule", "given", "change", "expected"), BOTH_SIDES)
def test_each_rule_on_both_sides_of_its_threshold(losses, rule, given, change, expected):
    table = losses if not change else losses.copy()
    if change:
        policy, column, value = change
        table.loc[table["key"] == policy, column] = value
    found = getattr(rules, rule)(*([] if change is None else [table]), *given)
    assert found.verdict == expected and found.evidence == EXACT
    assert len(found.reason) <= LONGEST_REASON and "nan" not in found.reason


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
