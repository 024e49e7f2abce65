"""One design of longer studies, and one fit: how regret grows with what is swept.

A `Sweep` names what moves and plays a run for each value. A `RateFit` is an exponent: of the means at the points that
count, by replication. A `Form` is a law of growth: its exponent in the same fit at the same points is what a claim
predicts there, so that finite horizons bend regret, claim and alternative alike.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from private_bandits.estimates import Interval, fit_exponent, fit_growth
from private_bandits_book.rules import NOT_LEARNT, Rate, Ruling
from private_bandits_book.studies import LongRun

LEAST_POINTS = 4
WINDOW = 100  # the last two decades, over which growth in ln t is fitted
GAP, EPSILON, HORIZON, LOG, SIZE = "1/gap", "1/epsilon", "T", "ln T", "K"


class Sweep(NamedTuple):
    """A row of runs behind one exponent.

    Attributes
    ----------
    labels : mapping
        What tells the sweep from others: the first columns of its runs' rows.
    quantity : str
        In what the exponent is: "T", "ln T", "1/epsilon", "1/gap", "K", ...
    values : sequence
        What the swept argument takes.
    run : callable
        Returns the runs of a value, several where a worst case is searched; `labels` are put before their own.
    bound : callable, optional
        What is proven at a value.
    design : str
        What is played, where a label says more than that.
    """

    labels: Mapping[str, Any]
    quantity: str
    values: Sequence[Any]
    run: Callable[[Any], Sequence[LongRun]]
    bound: Callable[[Any], float] | None = None
    design: str = ""

    @classmethod
    def over(
        cls,
        labels: Mapping[str, Any],
        horizons: Sequence[int],
        epsilons: Sequence[float],
        runs: Callable[[int, float], Sequence[LongRun]],
        bound: Callable[[int, float], float] | None = None,
    ) -> Sweep:
        """Return a sweep over T or, if there are several epsilons, over epsilon; runs and bound take both."""
        several = len(epsilons) > 1

        def at(value: Any) -> tuple[int, float]:
            return (horizons[0], value) if several else (value, epsilons[0])

        return cls(
            labels,
            EPSILON if several else HORIZON,
            epsilons if several else horizons,
            lambda value: runs(*at(value)),
            None if bound is None else lambda value: bound(*at(value)),
        )

    def runs(self) -> list[LongRun]:
        """Return the runs of all values, in order."""
        shared = {**self.labels, "quantity": self.quantity}
        made = [one for value in self.values for one in self.run(value)]
        return [one._replace(labels={**shared, **one.labels}) for one in made]


class Form(NamedTuple):
    """A law of growth: a name, and its value, up to a constant, at a value of what is swept."""

    name: str
    at: Callable[[float], float]


def power(quantity: str, exponent: float) -> Form:
    """Return the power of a quantity, as a law in what is swept; the power 0 is a constant."""
    base = quantity if quantity.isalnum() else f"({quantity})"
    name = f"{base}^{exponent:.3g}" if exponent else f"no growth in {quantity}"
    return Form(name, lambda value: float(abscissa(quantity, value)) ** exponent)


class RateFit(NamedTuple):
    """An exponent; `fit` is None where fewer than `LEAST_POINTS` points count.

    Attributes
    ----------
    labels : mapping
        What was fitted: policy, variant, family of instances, ...
    quantity : str
        In what the exponent is.
    fit : Interval or None
        The exponent with its interval over replications; an exact number's ends coincide.
    points, replications : int
        How many points count, and runs of each.
    of_bound : Interval or None
        The power that the proven bound has over the same points, logarithms included; None if it was not asked for.
    values : sequence of float
        What is swept, at the points that count; the rounds of the checkpoints along a curve.
    along : bool
        Whether the fit is along one curve (`fit_growth`), not over runs of several horizons.
    """

    labels: Mapping[str, Any]
    quantity: str
    fit: Interval | None
    points: int
    replications: int = 0
    of_bound: Interval | None = None
    values: Sequence[float] | np.ndarray = ()
    along: bool = False

    def exponent(self, form: Form) -> float:
        """Return the exponent that a law of growth has in this fit, at its points; NaN where too few count."""
        if self.fit is None or len(self.values) < 2:
            return math.nan
        heights = np.array([form.at(value) for value in self.values])
        if self.along:  # up to a constant, which is the limit of small powers of ln T
            if not np.ptp(heights):
                return 0.0
            t = np.asarray(self.values, float)
            return float(fit_growth(t, np.tile(heights, (2, 1)), t[0], t[-1]).measured)
        return float(exact_slope(abscissa(self.quantity, self.values), heights).measured)

    def ruling(self, claimed: Form, *alternatives: Form, sense: str = "upper") -> Ruling:
        """Judge the claimed law against the nearest wrong ones, all by their exponents in this fit."""
        others = {form.name: self.exponent(form) for form in alternatives}
        rule = Rate(self.exponent(claimed), others, sense=sense, quantity=self.quantity)
        return rule(self.fit, NOT_LEARNT)

    def row(self) -> dict[str, Any]:
        """Return the fit as a row of a table."""
        numbers = (self.fit or Interval()).columns()
        return {**self.labels, "quantity": self.quantity, **numbers, "points": self.points}


def chosen(candidates: Sequence[np.ndarray]) -> tuple[int, np.ndarray]:
    """Return which candidate has the largest mean on every other replication, and its values on the rest.

    A gap or an instance that is searched is chosen on one half of the runs and measured on the other, so that the
    search does not flatter the measurement; at least two replications are needed for each half to have an interval.
    """
    place = int(np.argmax([np.mean(values[::2]) for values in candidates]))
    return place, candidates[place][1::2]


def fit_points(
    x: Sequence[float] | np.ndarray, regrets: Sequence[np.ndarray] | np.ndarray, least: int = LEAST_POINTS
) -> Interval | None:
    """Return the exponent of regret in x, or None where there are fewer than `least` points.

    Parameters
    ----------
    x : sequence of float, > 0
    regrets : sequence of arrays, one a point, shape (replications,) each; a single number is exact
    """
    if len(x) < least or min(float(np.mean(r)) for r in regrets) <= 0.0:
        return None
    samples = np.column_stack([np.atleast_1d(r) for r in regrets])
    if len(samples) == 1:
        return exact_slope(x, samples[0])
    return fit_exponent(np.asarray(x, float), samples)


def exact_slope(x: Any, values: Any) -> Interval:
    """Return the exponent of computed values in x, least squares in logarithms, as an exact number."""
    return Interval.exact(float(np.polyfit(np.log(x), np.log(values), 1)[0]))


def by_replication(frame: pd.DataFrame, column: str) -> tuple[np.ndarray, np.ndarray]:
    """Return a column's values, ascending, and the regrets at them, shape (replications, values)."""
    table = frame.pivot(index="replication", columns=column, values="regret").sort_index(axis=1)
    return table.columns.to_numpy(float), table.to_numpy()


def abscissa(quantity: str, values: Any) -> np.ndarray:
    """Return swept values as the quantity that the exponent is in."""
    x = np.asarray(values, float)
    return 1.0 / x if quantity in (GAP, EPSILON) else np.log(x) if quantity == LOG else x


def fit_log(t: np.ndarray, curves: np.ndarray, start: float | None = None) -> Interval | None:
    """Return the exponent in ln t from `start` (default: the last `WINDOW`); None where a part has no regret."""
    try:
        return fit_growth(t, curves, t[-1] / WINDOW if start is None else start, t[-1])
    except ValueError:
        return None
