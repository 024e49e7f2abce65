"""Orders against bounds with constants: slopes by hand, what holds at other v, and where doubles end."""

from __future__ import annotations

import math

import numpy as np
import pytest

from private_bandits.papers.heavy_tailed import bounds
from private_bandits_book.heavy_tailed import bounded, orders

V = [0.1, 0.3, 0.5, 0.9, 1.0]


def test_slopes_are_taken_far_out_on_every_axis():
    # x^2 / y, with a term that matters at small x only
    found = orders.slopes(lambda x, y: (x + x**2) / y, (1.0, 1e6, 1e12), (1.0, 0.1))
    assert max(found) == pytest.approx(2.0, abs=1e-5)
    # y falls by its axis: its slope is in 1/y
    assert min(found) == pytest.approx(1.0)
    assert orders.slopes(lambda x, y: 1.0 / x, (1.0, 1e3), (2.0,)) == pytest.approx([-1.0])


@pytest.mark.parametrize("v", V)
def test_the_verdicts_hold_at_every_v(v):
    for rule in (orders.central_lower, orders.local_lower, orders.local_lower_independent):
        assert rule(v).verdict == "reproduced"
    refuted = {
        orders.local_upper: 1 + 1 / v,
        orders.local_upper_independent: v / (2 + 2 * v),
        orders.central_moment: 1 / v - 1 / (1 + v),
        orders.central_moment_independent: 1 / (1 + v) ** 2,
    }
    for rule, power in refuted.items():
        assert rule(v).verdict == "not reproduced"
        assert rule(v).measurement.measured == pytest.approx(power, rel=0.03)
    for rule, power in ((orders.rescaled, 2 + 1 / v), (orders.rescaled_independent, 2.0)):
        assert rule(v).verdict == "not reproduced"
        assert rule(v).measurement.measured == pytest.approx(power, rel=1e-3)
    for rule in (orders.index_upper, orders.plain_optimal, orders.extra_factor):
        assert rule(v).verdict == "reproduced"
    # at small v the constants are so large that no horizon of a double is long enough
    for rule in (orders.central_upper, orders.central_upper_independent):
        assert rule(v).verdict == ("undecided" if v == 0.1 else "reproduced")
    if v > 0.1:
        assert orders.own_local_upper(v).verdict == orders.own_local_upper_independent(v).verdict == "reproduced"


def test_the_least_ratios_are_the_ones_by_hand():
    """Of T^(3/4): a quarter of 1/6. Locally at v = 1: the largest gap, where 1/gap^2 stands against C."""
    assert orders.central_lower(0.5).measurement.measured == pytest.approx(1 / 24)
    loss = 4 * (math.e - 1) ** 2
    assert orders.local_lower(1.0).measurement.measured == pytest.approx(1 / (0.199**2 * loss), rel=1e-6)


@pytest.mark.parametrize("local", [False, True])
def test_the_bounded_rows(local):
    assert orders.bounded_lower(local=local).verdict == "reproduced"
    assert orders.bounded_lower_independent(local=local).verdict == "reproduced"
    assert orders.bounded_upper().verdict == orders.bounded_upper_independent().verdict == "reproduced"


def test_privacy_is_asked_of_the_lower_bound_where_it_costs_most(monkeypatch):
    """Without the bound that has epsilon in it, the row is open, and it is not met by a bound of order K/epsilon."""
    whole = bounded.private_lower
    for other in (lambda *a: 0.0, lambda n, epsilon, t: whole(n, epsilon, t) / math.log(t)):
        monkeypatch.setattr(bounded, "private_lower", other)
        assert orders.bounded_lower_independent().verdict == "undecided"
        assert orders.bounded_lower_independent(local=True).verdict == "reproduced"


@pytest.mark.parametrize(("n_arms", "epsilon", "horizon"), [(2, 1.0, 10**3), (5, 1e-2, 10**6), (50, 1e-4, 10**12)])
def test_the_private_bound_is_the_one_that_its_proof_gives(n_arms, epsilon, horizon):
    """B >= c ln(T / (32 B)): at the bound itself the right side is at least as large, and at 1.5 times it, less."""
    bound, scale = bounded.private_lower(n_arms, epsilon, horizon), (n_arms - 1) / (12 * epsilon)
    assert 0.0 < bound <= scale * math.log(horizon / (32 * bound))
    assert 1.5 * bound > scale * math.log(horizon / (32 * 1.5 * bound))
    assert bound < horizon / 8  # below what the first arm alone loses where another is raised
    assert bounded.private_lower(n_arms, epsilon, int(32 * scale)) == 0.0


@pytest.mark.parametrize("gap", [0.9, 0.5, 0.3, 1e-3])
def test_the_bound_on_dp_se_is_the_sum_of_its_epochs(gap):
    for epsilon in (1.0, 1e-4):
        pulls = 0.0
        for epoch in range(1, max(1, math.ceil(-math.log2(gap))) + 1):
            log = math.log(8.0 * 5 * epoch**2 * 1e9)
            private = 8.0 * (log - math.log(2.0)) * 2.0**epoch / epsilon
            pulls += math.ceil(max(32.0 * log * 4.0**epoch, private)) + 1.0
        other = (4 * pulls + 1.0) * gap
        assert other - 4 * 10 * gap <= bounded.dp_se_upper(5, gap, epsilon, 10**9) <= other + 4 * 10 * gap


def test_the_worst_gap_of_dp_se_is_between_its_two_terms():
    for horizon in (10**12, 10**18):
        upper = bounded.dp_se_upper_independent(5, 0.1, horizon)
        one = max(min(gap * horizon, bounded.dp_se_upper(5, gap, 0.1, horizon)) for gap in np.geomspace(1e-9, 0.9, 400))
        assert one <= upper <= 8 * one


def test_a_slope_too_flat_to_tell_from_a_logarithm_is_undecided(monkeypatch):
    whole = bounds.ldp_lower_independent

    def flatter(n_arms, epsilon, v, horizon, u=1.0, variant="printed"):
        return whole(n_arms, epsilon, v, horizon, u, variant) * horizon ** (0.01 - v / (2 + 2 * v))

    monkeypatch.setattr(bounds, "ldp_lower_independent", flatter)
    assert orders.local_upper_independent(0.5).verdict == "undecided"
