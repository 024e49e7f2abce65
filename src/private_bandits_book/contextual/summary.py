"""Table 1 of Zheng et al. (2020): its rows as printed, which learner measures each, and what a measured exponent is."""

from __future__ import annotations

from typing import NamedTuple

from private_bandits.estimates import Interval

T = "T"
LOG_T = "ln T"
EPSILON = "1/epsilon"
QUANTITIES = (T, LOG_T, EPSILON)


class Exponent(NamedTuple):
    """A power that was fitted to regrets."""

    row: str  # a key of `ROWS`
    box: str  # the policy's name
    reading: str  # "printed", "tuned", ...: which form of the box was run
    quantity: str  # one of `QUANTITIES`
    fit: Interval | None  # value, low, high; None where the runs did not allow a fit
    points: int  # how many horizons or epsilons were fitted


class Row(NamedTuple):
    """One row of the table, as printed; logarithms and the dimension are left out there."""

    kind: str  # "context-free", "two points" or "contextual"
    problem: str
    formula: str  # TeX, the private bound
    power: float  # of T, or of ln T where `quantity` says so
    quantity: str  # `T` or `LOG_T`
    epsilon: float  # power of 1/epsilon
    non_private: str  # TeX, the best bound without privacy
    non_private_power: float  # in the same quantity
    source: str  # where that bound is from, a key of the bibliography
    box: str  # Algorithm of the paper
    learner: str  # which of ours measures it


_THREE_QUARTERS, _TWO_THIRDS, _ROOT = "T^{3/4}", "T^{2/3}", "T^{1/2}"

ROWS: dict[str, Row] = {
    "convex": Row(
        "context-free",
        "convex",
        rf"{_THREE_QUARTERS}/\epsilon",
        0.75,
        T,
        1.0,
        _THREE_QUARTERS,
        0.75,
        "flaxman2005",
        "Algorithm 1",
        "sphere",
    ),
    "convex, smooth": Row(
        "context-free",
        "convex and smooth",
        rf"{_TWO_THIRDS}/\epsilon",
        2.0 / 3.0,
        T,
        1.0,
        _TWO_THIRDS,
        2.0 / 3.0,
        "saha2011",
        "Algorithm 1",
        "saha_tewari",
    ),
    "strongly convex": Row(
        "context-free",
        "strongly convex",
        rf"{_TWO_THIRDS}/\epsilon",
        2.0 / 3.0,
        T,
        1.0,
        _TWO_THIRDS,
        2.0 / 3.0,
        "agarwal2010",
        "Algorithm 1",
        "sphere_strong",
    ),
    "strongly convex, smooth": Row(
        "context-free",
        "strongly convex and smooth",
        rf"{_ROOT}/\epsilon",
        0.5,
        T,
        1.0,
        _ROOT,
        0.5,
        "hazan2014",
        "Algorithm 1",
        "hazan_levy",
    ),
    "two points, convex": Row(
        "two points",
        "convex",
        rf"{_ROOT}/\epsilon^2",
        0.5,
        T,
        2.0,
        _ROOT,
        0.5,
        "agarwal2010",
        "Algorithm 2",
        "two_point",
    ),
    "two points, strongly convex": Row(
        "two points",
        "strongly convex",
        r"\log T/\epsilon^2",
        1.0,
        LOG_T,
        2.0,
        r"\log T",
        1.0,
        "agarwal2010",
        "Algorithm 2",
        "two_point",
    ),
    "linear": Row(
        "contextual",
        "linear",
        rf"{_THREE_QUARTERS}/\epsilon",
        0.75,
        T,
        1.0,
        _ROOT,
        0.5,
        "abbasi2011",
        "Algorithm 5",
        "ldp_linucb",
    ),
    "generalised linear": Row(
        "contextual",
        "generalised linear",
        rf"{_THREE_QUARTERS}/\epsilon",
        0.75,
        T,
        1.0,
        _ROOT,
        0.5,
        "li2017",
        "Algorithm 3",
        "ldp_glm",
    ),
}
