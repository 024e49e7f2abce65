"""What the chapter measured, and the parameters at which it did so."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from private_bandits.estimates import Interval
from private_bandits_book.contextual.summary import Exponent


@dataclass
class Evidence:
    """What the ledger is judged on.

    Attributes
    ----------
    exponents, bounds : list of Exponent
        Of the longer studies, and of the derived bounds at the points that were fitted.
    finals : pandas.DataFrame
        Regret beside a derived upper bound: `row, reading, epsilon, horizon, bound, uniform, measured, low, high`.
    best_arm : pandas.DataFrame
        Of `convex_study.Experiments.identify`.
    locked : pandas.DataFrame
        Of `linear_study.lock_in` at epsilon = infinity.
    joint : pandas.DataFrame
        Of `joint.compare`.
    epsilons, delta, dim, horizon
        Where privacy is judged.
    """

    exponents: list[Exponent]
    bounds: list[Exponent]
    finals: pd.DataFrame
    best_arm: pd.DataFrame
    locked: pd.DataFrame
    joint: pd.DataFrame
    epsilons: Sequence[float]
    delta: float
    dim: int
    horizon: int

    def exponent(self, row: str, quantity: str, reading: str, box: str = "") -> Interval | None:
        """One fitted exponent, None where there is none. A reading is named in full, or by the words it begins with.

        The policy's name, `box`, tells two learners of a row apart.

        Raises
        ------
        LookupError
            If several readings begin with these words.
        """
        return _one(self.exponents, row, quantity, reading, box)

    def of_bound(self, row: str, quantity: str, reading: str, box: str = "") -> float:
        """The power that the derived bound itself has over the fitted points, logarithms included; nan if unknown."""
        seen = _one(self.bounds, row, quantity, reading, box)
        return math.nan if seen is None else seen.measured


def _one(exponents: Sequence[Exponent], row: str, quantity: str, reading: str, box: str) -> Interval | None:
    found = [one for one in exponents if (one.row, one.quantity) == (row, quantity) and box in ("", one.box)]
    whole = [one for one in found if one.reading == reading]
    begun = whole or [one for one in found if one.reading.startswith(f"{reading}, ")]
    if len(begun) > 1:
        raise LookupError(f"{len(begun)} exponents in {quantity} of {row!r}, {reading}")
    return begun[0].fit if begun else None
