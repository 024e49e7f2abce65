"""What the rooms of the ledger share: the measurements, which of them stands for a claim, and Table 1."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import pandas as pd

from private_bandits.estimates import Interval
from private_bandits.papers.semibandits import instances
from private_bandits.problems import SemiBandit
from private_bandits_book.rules import ExactRate, Holds, Ruling, UpperBound, UpperRate

CHAPTER = "private-bandits reproduce semibandits"
LONG = "private-bandits reproduce semibandits --long"
QUANTITIES = ("K", "1/epsilon", "1/gap", "ln T")
EXPONENT_COLUMNS = ["policy", "variant", "family", "held", "quantity", "measured", "low", "high"]
FINAL_COLUMNS = [
    "policy",
    "variant",
    "family",
    "n_arms",
    "size",
    "gap",
    "epsilon",
    "horizon",
    "measured",
    "low",
    "high",
]
_PER_ARM = ", per arm"
SLACK = {"K": 0.2, "1/epsilon": 0.15, "1/gap": 0.15, "ln T": 0.35}  # what a fitted exponent may miss by
_FAMILIES: dict[str, Callable[[int, int, float], SemiBandit]] = {
    "top-K": instances.top_k,
    "K-path": instances.k_path,
    "B_inf": instances.one_valuable,
    "arms": lambda n_arms, size, gap: instances.rescaled(n_arms, gap),
}


@dataclass
class Evidence:
    """What the chapter measured, and the parameters at which privacy is promised in the ledger.

    Attributes
    ----------
    exponents : pandas.DataFrame
        A row per fit, columns `EXPONENT_COLUMNS`. `family` is "top-K", "K-path", "path as arm", "B_inf" or "arms",
        `held` what is kept while K moves ("gap" or "item gap"; "gap" for the other quantities), `quantity` one of
        `QUANTITIES`. Exponents in K are of regret over n_arms - size; in "K, per arm" of regret over the number of arms
        in a bad super arm, over which the theorems sum.
    finals : pandas.DataFrame
        Mean regret at the horizon with its interval, columns `FINAL_COLUMNS`, for comparison with the bounds.
    epsilon : float
    horizon, n_arms, size : int
    gap : float
    """

    exponents: pd.DataFrame
    finals: pd.DataFrame
    epsilon: float
    horizon: int
    n_arms: int
    size: int
    gap: float


class Source(NamedTuple):
    """Which measured regret stands for a claim."""

    policy: str
    variant: str
    family: str


class Cell(NamedTuple):
    """A cell of Table 1: the exponents it claims for regret per arm, and what measures them."""

    problem: str
    privacy: str
    order: str
    rates: Mapping[str, float]
    source: Source


LDP1, LDP1_BOX = Source("CUCB-LDP1", "repaired", "B_inf"), Source("CUCB-LDP1", "printed", "B_inf")
LDP2, LDP2_BOX = Source("CUCB-LDP2", "repaired", "B_inf"), Source("CUCB-LDP2", "printed", "B_inf")
LDP2_PATH, LDP2_ARMS = Source("CUCB-LDP2", "repaired", "K-path"), Source("CUCB-LDP2", "repaired", "arms")
DP_PATH, DP_LEAST = Source("CUCB-DP", "repaired", "K-path"), Source("CUCB-DP, least pulled", "repaired", "B_inf")
CUCB, CUCB_PATH = Source("CUCB", "printed", "B_inf"), Source("CUCB", "printed", "K-path")
LDP2_PATH_BOX, LDP2_ARMS_BOX = LDP2_PATH._replace(variant="printed"), LDP2_ARMS._replace(variant="printed")
DP_PATH_BOX, DP_LEAST_BOX = DP_PATH._replace(variant="printed"), DP_LEAST._replace(variant="printed")
SAMPLING_BOX = Source("CUCB-DP, epsilon = inf", "printed", "K-path")  # repaired this is CUCB
PATH_AS_ARM = Source("CUCB-LDP2", "repaired", "path as arm")


def rates_of(k: float, epsilon: float, gap: float, log: float | None = 1.0) -> dict[str, float]:
    """Return claimed powers by quantity; no power of ln T where the claim leaves it open."""
    rates = {"K": k, "1/epsilon": epsilon, "1/gap": gap}
    return rates if log is None else rates | {"ln T": log}


TABLE_1 = (
    Cell("B_inf", "LDP", "Theta", rates_of(0, 2, 1), LDP2),
    Cell("B_inf", "DP", "Theta, up to logs", rates_of(0, 1, 1, None), DP_LEAST),
    Cell("B_inf", "none", "Theta", {"K": 0.0, "1/gap": 1.0, "ln T": 1.0}, CUCB),
    Cell("B_1", "LDP", "O", rates_of(2, 2, 1), LDP2_PATH),
    Cell("B_1", "DP", "Theta, up to logs", rates_of(1, 1, 1, None), DP_PATH),
    Cell("B_1", "none", "Theta", {"K": 1.0, "1/gap": 1.0, "ln T": 1.0}, CUCB_PATH),
)


def exponent(evidence: Evidence, source: Source, quantity: str, held: str = "gap") -> Interval | None:
    """Return one fitted exponent, None where it was not measured."""
    frame = evidence.exponents
    if len(frame) == 0:
        return None
    found = frame[
        (frame["policy"] == source.policy)
        & (frame["variant"] == source.variant)
        & (frame["family"] == source.family)
        & (frame["held"] == held)
        & (frame["quantity"] == quantity)
    ]
    if len(found) > 1:
        raise LookupError(f"{len(found)} exponents in {quantity} of {source}, {held} held")
    return None if found.empty else Interval(*(float(found.iloc[0][c]) for c in ("measured", "low", "high")))


def upper_rates(evidence: Evidence, source: Source, rates: Mapping[str, float]) -> list[Ruling]:
    """Judge claimed powers as upper ones.

    In K, of the regret per arm of the theorem's sum if that was fitted, else of the regret over n_arms - size.
    """
    rulings = []
    for quantity, rate in rates.items():
        seen = exponent(evidence, source, f"{quantity}{_PER_ARM}") or exponent(evidence, source, quantity)
        rulings.append(UpperRate(rate, tolerance=SLACK[quantity])(seen))
    return rulings


def exact_rates(evidence: Evidence, source: Source, rates: Mapping[str, float]) -> list[Ruling]:
    """Judge claimed powers as exact ones."""
    return [ExactRate(rate, tolerance=SLACK[q])(exponent(evidence, source, q)) for q, rate in rates.items()]


def _finals(evidence: Evidence, source: Source) -> list[tuple[Any, SemiBandit, Interval]]:
    """Measured regrets of a source with the problem of each."""
    found = []
    for row in evidence.finals.itertuples():
        if (row.policy, row.variant, row.family) == tuple(source):
            problem = _FAMILIES[row.family](int(row.n_arms), int(row.size), float(row.gap))
            found.append((row, problem, Interval(float(row.measured), float(row.low), float(row.high))))
    return found


def below(evidence: Evidence, source: Source, bound: Callable[..., float], constants: str) -> list[Ruling]:
    """Judge the measured regret against an upper bound with all its constants, wherever the bound is not vacuous."""
    rulings = []
    for row, problem, regret in _finals(evidence, source):
        most, uniform = bound(problem, row.horizon, row.epsilon, constants), problem.uniform_regret() * row.horizon
        if most < uniform:
            rulings.append(UpperBound(most, uniform=uniform)(regret))
    return rulings


def missing() -> Ruling:
    """Return what is ruled where nothing was measured."""
    return Holds()(None)
