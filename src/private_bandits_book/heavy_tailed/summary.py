"""The summary table of the slides: its formulas, their exponents, and the corrected ones beside them."""

from __future__ import annotations

import math
from typing import NamedTuple

from private_bandits.papers.heavy_tailed.instances import order


class Rate(NamedTuple):
    """A bound as TeX and as the powers of its parameters, logarithms left out; nan where it is a sum of two powers."""

    formula: str
    gap: float  # power of 1 / gap; 0 for an instance-independent bound
    epsilon: float  # power of 1 / epsilon
    horizon: float  # power of T; 0 for an instance-dependent bound, which grows as ln T


class Row(NamedTuple):
    """One cell of the table, as printed and as it should be."""

    rewards: str  # "heavy-tailed" or "bounded"
    kind: str  # "instance-dependent" or "instance-independent"
    model: str  # "DP" or "LDP"
    side: str  # "upper" or "lower"
    printed: Rate | None  # None where the table has a dash
    corrected: Rate


def summary(v: float) -> list[Row]:
    """Every cell of the table, in its order.

    Parameters
    ----------
    v : float
        In (0, 1], for the exponents; the formulas keep the letter.

    Notes
    -----
    The central rows stand; the instance-independent lower bound, which the table leaves open, is
    `bounds.dp_lower_independent`. All four LDP rows for heavy tails have the exponents of a bias balanced with noise of
    order 1/n, where the mean of n local reports has noise of order 1/sqrt n: the two upper bounds fail, the two lower
    bounds hold and are loose. Zhou and Zhang (2024) were first to correct them. For v = 1 the corrected rates are
    gap^-3 and T^(3/4), not those of bounded rewards.
    """
    order(v)
    arms = r"\sum_{\Delta_a > 0} \Delta_a"
    lower = Rate(rf"\frac{{\log T}}{{\epsilon}} {arms}^{{-1/v}}", 1.0 / v, 1.0, 0.0)
    local_lower = Rate(rf"\frac{{\log T}}{{\epsilon^2}} {arms}^{{-1/v}}", 1.0 / v, 2.0, 0.0)
    local_right_lower = Rate(rf"\frac{{\log T}}{{\epsilon^2}} {arms}^{{-1-2/v}}", 1.0 + 2.0 / v, 2.0, 0.0)
    upper, local, local_right = (
        rate._replace(formula=rate.formula + r" + \max_a \Delta_a") for rate in (lower, local_lower, local_right_lower)
    )
    power = v / (1.0 + v)
    central_t, local_t = (_independent(top, power, "{1/(1+v)}", 1.0 / (1.0 + v)) for top in _TOPS)
    lower_t, local_lower_t = (_independent(top, power, "{1/(1+v)}", 1.0 / (1.0 + v)) for top in _LOWER_TOPS)
    long = (2.0 + v) / (2.0 + 2.0 * v)
    right_t, right_lower_t = (
        _independent(top, power / 2.0, "{(2+v)/(2+2v)}", long, "{v/(2+2v)}") for top in (_TOPS[1], _LOWER_TOPS[1])
    )
    plain = r"\sum_{\Delta_a > 0} \frac{\log T}{\Delta_a}"
    bounded = Rate(rf"\frac{{K \log T}}{{\epsilon}} + {plain}", math.nan, math.nan, 0.0)
    bounded_local_lower = Rate(rf"\frac{{1}}{{\epsilon^2}} {plain}", 1.0, 2.0, 0.0)
    bounded_local = bounded_local_lower._replace(formula=bounded_local_lower.formula + r" + \Delta_a")
    bounded_t = Rate(r"\sqrt{K T \log T} + \frac{K \log T}{\epsilon}", 0.0, math.nan, 0.5)
    bounded_lower_t = Rate(r"\sqrt{K T} + \frac{K \log T}{\epsilon}", 0.0, math.nan, 0.5)
    bounded_local_t = Rate(r"\frac{\sqrt{K T \log T}}{\epsilon}", 0.0, 1.0, 0.5)
    bounded_local_lower_t = Rate(r"\frac{\sqrt{K T}}{\epsilon}", 0.0, 1.0, 0.5)
    heavy, light, by_gap, by_horizon = "heavy-tailed", "bounded", "instance-dependent", "instance-independent"
    return [
        Row(heavy, by_gap, "DP", "upper", upper, upper),
        Row(heavy, by_gap, "DP", "lower", lower, lower),
        Row(heavy, by_gap, "LDP", "upper", local, local_right),
        Row(heavy, by_gap, "LDP", "lower", local_lower, local_right_lower),
        Row(light, by_gap, "DP", "upper", bounded, bounded),
        Row(light, by_gap, "DP", "lower", bounded, bounded),
        Row(light, by_gap, "LDP", "upper", bounded_local, bounded_local),
        Row(light, by_gap, "LDP", "lower", bounded_local_lower, bounded_local_lower),
        Row(heavy, by_horizon, "DP", "upper", central_t, central_t),
        Row(heavy, by_horizon, "DP", "lower", None, lower_t),
        Row(heavy, by_horizon, "LDP", "upper", local_t, right_t),
        Row(heavy, by_horizon, "LDP", "lower", local_lower_t, right_lower_t),
        Row(light, by_horizon, "DP", "upper", bounded_t, bounded_t),
        Row(light, by_horizon, "DP", "lower", bounded_lower_t, bounded_lower_t),
        Row(light, by_horizon, "LDP", "upper", bounded_local_t, bounded_local_t),
        Row(light, by_horizon, "LDP", "lower", bounded_local_lower_t, bounded_local_lower_t),
    ]


_TOPS = (r"\frac{K \log T}{\epsilon}", r"\frac{K \log T}{\epsilon^2}")
_LOWER_TOPS = (r"\frac{K}{\epsilon}", r"\frac{K}{\epsilon^2}")


def _independent(fraction: str, power: float, horizon_tex: str, horizon: float, power_tex: str = "{v/(1+v)}") -> Rate:
    formula = rf"\left({fraction}\right)^{power_tex} T^{horizon_tex}"
    return Rate(formula, 0.0, (2.0 if "^2" in fraction else 1.0) * power, horizon)
