"""The rules on convex losses: each on both sides of its threshold, by evidence made by hand; and what is proved."""

from __future__ import annotations

import math
import re

import pandas as pd
import pytest
from replay import folder, prose
from scipy.optimize import brentq

from private_bandits.mechanisms import gaussian_epsilon, gaussian_sigma
from private_bandits_book.chapters.convex import lemmas, rules, studies
from private_bandits_book.judging.verdicts import AFTER_REPAIR, DERIVED, NOT_REPRODUCED, REPRODUCED
from private_bandits_book.package_data import tables


def test_the_classical_noise_breaks_and_the_analytic_one_holds(monkeypatch):
    assert rules.gaussian_mechanism().verdict == AFTER_REPAIR
    monkeypatch.setattr(rules, "_GRID", (0.5, 1.0, 4.0))
    assert rules.gaussian_mechanism().verdict == REPRODUCED
    assert lemmas.classical_excess([4.0, 64.0])[1:] == (64.0, pytest.approx(195.1, abs=0.1))


@pytest.mark.parametrize("row", studies.TABLE_1)
def test_table_and_figure_have_the_rates_of_the_claims(row):
    name = f"table-1-{row.replace(', ', '-').replace(' ', '-')}" if "two" not in row else "theorem-6-convex"
    (statement,) = (one["statement"] for one in tables("convex", "claims")["claim"] if one["claim"] == name)
    of, over = re.findall(r"order \$(.*)/(\\epsilon.*?)\$", statement)[0]
    claimed = studies.TABLE_1[row]
    assert of == (r"\sqrt T" if str(claimed.horizon) == "1/2" else f"T^{{{claimed.horizon}}}")
    assert over == r"\epsilon" + "^2" * (claimed.noise == 2)
    assert claimed.words == f"T^({claimed.horizon})/ε" + "²" * (claimed.noise == 2)


PROVED = [
    "corollary_4_smooth", "corollary_4_strong", "corollary_4_stochastic", "table_1_convex",
    "table_1_convex_non_private", "table_1_strongly_convex", "table_1_strongly_convex_non_private",
    "theorem_6_convex", "own_two_points", "table_1_two_points_convex_non_private", "theorem_6_strong",
    "table_1_two_points_strongly_convex_non_private", "mab_both_worlds", "laplace_context_free",
]  # fmt: skip


@pytest.mark.parametrize("rule", PROVED)
def test_a_proved_order_is_reproduced_and_a_larger_power_is_not(rule, monkeypatch):
    found = getattr(rules, rule)()
    assert (found.verdict, found.evidence) == (REPRODUCED, DERIVED)
    larger = lemmas.Exponents(0.9, 2.3, 2.3)
    for name in ("one_point", "two_points", "stochastic_arms"):
        monkeypatch.setattr(lemmas, name, lambda *_, **__: larger)
    assert getattr(rules, rule)().verdict == NOT_REPRODUCED


def test_the_powers_of_bounds_are_those_of_their_formulas():
    found = lemmas.exponents(lambda t, epsilon: math.sqrt(t) * math.log(t) / epsilon**2)
    assert found.noise == pytest.approx(2.0) and 0.5 < found.horizon < 0.506
    assert lemmas.exponents(lambda t, _: math.log(t) ** 2).log == pytest.approx(2.0)
    assert lemmas.one_point("distance", "sphere").noise == pytest.approx(0.5, abs=0.01)
    assert lemmas.one_point("smooth", "saha_tewari").noise == pytest.approx(2 / 3, abs=0.01)
    assert lemmas.two_points("distance", "tuned")[::2] == pytest.approx((0.5, 1.0), abs=0.01)
    assert lemmas.two_points("distance", "printed").noise == pytest.approx(2.0, abs=0.01)


def test_the_reduction_is_within_a_constant_of_what_is_printed(monkeypatch):
    assert 1.0 < lemmas.reduction_over_printed() < 7.0
    assert rules.theorem_3().verdict == REPRODUCED
    monkeypatch.setattr(lemmas, "reduction_over_printed", lambda: 1e6)
    assert rules.theorem_3().verdict == NOT_REPRODUCED


@pytest.mark.parametrize(
    ("evidence", "verdict"),
    [((0.7, math.inf, 0.3), REPRODUCED), ((0.7, 0.9, 0.3), NOT_REPRODUCED), ((0.7, math.inf, 1.2), NOT_REPRODUCED)],
)
def test_noise_must_stand_on_the_loss(evidence, verdict):
    assert rules.counterexample(*evidence, 1.0).verdict == verdict


def test_finite_copies_by_hand():
    assert math.isinf(lemmas.finite_loss(1.0, 0, [[1], [0]]))
    assert lemmas.finite_loss(1.0, 1, [[0, 1], [0, 0]], additive=True) == pytest.approx(1 / 3)
    assert lemmas.two_values_loss(1.0, same=False) == pytest.approx(2.0)
    assert rules.same_noise(math.inf, 2.0, 1.0).verdict == REPRODUCED
    assert rules.same_noise(1.0, 2.0, 1.0).verdict == rules.same_noise(math.inf, 2.1, 1.0).verdict == NOT_REPRODUCED


def test_the_numbers_of_the_prose_are_computed():
    text = " ".join(prose("convex"))
    limit = brentq(lambda epsilon: lemmas.classical_excess([epsilon])[0] - 1.0, 1.0, 64.0)
    assert text.count(f"enough up to $\\epsilon={limit:.2f}$") == 2
    sigma = gaussian_sigma(4.0, delta=1e-3, sensitivity=2.0, calibration="classical")
    small = gaussian_epsilon(sigma, delta=1e-13, sensitivity=2.0)
    assert f"$(4,0.001)$-private makes them $({small:.1f},10^{{-13}})$-private" in text
    rows = pd.read_csv(folder("convex") / "claims.csv").set_index("claim")
    (claimed,) = re.findall(r"at most (\S+), with", rows.loc["table-1-convex-smooth-non-private", "reason"])
    assert f"grows like $T^{{{claimed}}}$ here" in text
