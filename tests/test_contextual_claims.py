"""The rules on contexts: each on both sides of its threshold, by evidence made by hand; and what is proved."""

from __future__ import annotations

import math
from functools import partial

import pytest

from private_bandits.papers.contextual import bounds, ldp_glm, ldp_linucb
from private_bandits_book.chapters.contextual import joint_privacy, lemmas, rules, user_messages
from private_bandits_book.judging.verdicts import AFTER_REPAIR, DERIVED, NOT_REPRODUCED, REPRODUCED, UNDECIDED

DELTA = 1e-3


def test_a_link_of_small_values_breaks_theorem_9_and_the_whole_reach_mends_it():
    links = [user_messages.small_link(1.0, DELTA, mended) for mended in (False, True)]
    assert links == pytest.approx([2.465, 0.185], abs=1e-3)
    assert all(user_messages.small_link(each, 1e-9, True) <= each for each in (0.01, 1.0, 3.0))  # as is proved
    assert rules.theorem_9(*links, 1.0, DELTA).verdict == AFTER_REPAIR
    assert rules.theorem_9(0.9, 1.0, 1.0, DELTA).verdict == UNDECIDED  # a lower end proves no promise
    assert rules.theorem_9(2.0, 1.1, 1.0, DELTA).verdict == NOT_REPRODUCED
    assert user_messages.small_link(0.5, 1e-5) == pytest.approx(1.25, abs=0.01)
    assert user_messages.small_link(1.0, DELTA, size=0.22) < 1.0 < user_messages.small_link(1.0, DELTA, size=0.2)


def test_the_two_public_codes_differ_in_noise_and_both_hide_at_epsilon_1():
    """What the chapter says of them, for rewards in [-2, 2]; that of the authors does not at 2."""
    (sigma, loss), (half, more) = (user_messages.of_code(epsilon, DELTA) for epsilon in (1.0, 2.0))
    assert (sigma, loss, half, more) == pytest.approx((10.68, 0.957, 5.34, 2.202), abs=0.005)
    assert ldp_linucb(1.0, delta=DELTA, dim=2, horizon=100).record.sigma == pytest.approx(23.73, abs=0.005)


def test_a_fixed_delta_allows_the_root_of_the_horizon():
    ends = [bounds.all_or_nothing(delta=DELTA, dim=2, horizon=t) for t in (10**60, 10**80)]
    assert math.log10(ends[1] / ends[0]) / 20 == pytest.approx(0.5, abs=0.01)


PROVED = ["theorem_10", "laplace_linear", "table_1_linear_non_private", "table_1_generalised_linear_non_private"]


@pytest.mark.parametrize("rule", ["theorem_8", *PROVED])
def test_a_proved_order_is_reproduced_and_a_larger_power_is_not(rule, monkeypatch):
    found = getattr(rules, rule)()
    assert (found.verdict, found.evidence) == (REPRODUCED, DERIVED)
    for name in ("algorithm_5", "algorithm_3"):
        monkeypatch.setattr(lemmas, name, lambda *_, **__: lemmas.Exponents(0.78, 1.0))
    monkeypatch.setattr(lemmas, "free", lambda _: 0.53)
    assert getattr(rules, rule)().verdict == NOT_REPRODUCED


def test_theorem_8_needs_a_printed_radius_that_is_large_enough(monkeypatch):
    assert 1.0 < lemmas.printed_over_needed() < 3.0
    monkeypatch.setattr(lemmas, "printed_over_needed", lambda: 0.99)
    assert rules.theorem_8().verdict == NOT_REPRODUCED


def test_the_powers_are_those_of_the_bounds():
    assert lemmas.algorithm_5("derived").noise == pytest.approx(0.5, abs=0.01)
    assert lemmas.algorithm_3("printed").noise == pytest.approx(1.0, abs=0.01)
    assert lemmas.algorithm_3("repaired").noise == pytest.approx(0.5, abs=0.01)
    for make, bound in ((ldp_linucb, bounds.theorem_8), (ldp_glm, bounds.theorem_10)):
        for epsilon in (0.1, 1.0):  # above random actions, however far: they say nothing at these horizons
            assert bound(dim=2, epsilon=epsilon, delta=DELTA, horizon=10**15) > 0.5 * 10**15, make


def test_the_horizons_that_are_needed():
    sizes = {"epsilon": 1.0, "delta": DELTA, "dim": 2}
    assert 1e20 < lemmas.horizon_needed(2, partial(ldp_linucb, **sizes)) < 3e20
    ours = partial(ldp_linucb, **sizes, variant="derived", calibration="analytic")
    assert 1e10 < lemmas.horizon_needed(2, ours) < 5e10
    assert 5e15 < lemmas.horizon_needed(2, partial(ldp_glm, **sizes)) < 5e16


def test_private_actions_and_private_messages(monkeypatch):
    both = joint_privacy.compare([1.0, 8.0], [1, 10, 100, 1000, 10_000], 0.2)
    assert {rule(both).verdict for rule in (rules.actions_not_private, rules.ldp_escapes)} == {REPRODUCED}
    first = both[both["t"] == 1]
    assert {rule(first).verdict for rule in (rules.actions_not_private, rules.ldp_escapes)} == {UNDECIDED}
    assert rules.actions_not_private(both.assign(joint_loss=1.0)).verdict == NOT_REPRODUCED
    assert rules.actions_not_private(both.assign(message_loss=9.0)).verdict == NOT_REPRODUCED
    assert rules.ldp_escapes(both.assign(ldp_regret=both["t"] * 0.1)).verdict == NOT_REPRODUCED
    assert rules.not_comparable().verdict == rules.dp_lower_bound().verdict == REPRODUCED
    monkeypatch.setattr(joint_privacy, "dp_regret", lambda e, t, gap: 0.9 * t * gap / (1 + math.exp(e)))
    assert rules.dp_lower_bound().verdict == NOT_REPRODUCED
