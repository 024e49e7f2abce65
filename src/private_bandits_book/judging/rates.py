"""How regret grows with what is swept: one fit, and one word for what counts.

A point counts where the runs have `learnt`; a `RateFit` is the exponent of the means at the points that count, by
replication. The exponent of a claimed law in the same fit, at the same points, is what a claim predicts, so that finite
horizons bend regret, claim and alternative alike.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd

from private_bandits.estimates import Interval, fit_exponent, fit_growth

__all__ = ["RateFit", "by_replication", "learnt"]

LEARNT = 0.5  # share of uniform play's regret below which runs have learnt
LEAST_POINTS = 4  # of an exponent
PLANNED = 3  # of one whose points were all chosen beforehand to have learnt, so that none is left out
LEAST_RUNS = 5  # of a point, those that choose a worst case not counted
WINDOW = 100  # the last two decades, over which growth in ln t is fitted
GAP, EPSILON, HORIZON, LOG, SIZE = "1/gap", "1/epsilon", "T", "ln T", "K"
DELTA = "ln(1.25/delta)"
Points = Iterable[tuple[Any, np.ndarray]]


def learnt(regret: Any, uniform: Any, share: float = LEARNT) -> Any:
    """Return whether runs have left uniform play.

    Parameters
    ----------
    regret : float or array, >= 0
        Mean over replications, in all or a round.
    uniform : float or array, >= 0
        What uniform play loses there.
    share : float in (0, 1]
        The share of it below which we say so.

    Returns
    -------
    bool or array of bool
    """
    return regret < share * uniform


class RateFit(NamedTuple):
    """An exponent; `fit` is None where fewer than `LEAST_POINTS` points count.

    Attributes
    ----------
    quantity : str
        In what the exponent is.
    fit : Interval or None
        The exponent with its interval over replications; an exact number's ends coincide.
    replications : int
        Runs of each point.
    values : sequence of float
        What is swept, at the points that count; the rounds of the checkpoints along a curve.
    along : bool
        Whether the fit is along one curve (`fit_growth`), not over runs of several horizons.
    """

    quantity: str
    fit: Interval | None
    replications: int = 0
    values: Sequence[float] = ()
    along: bool = False

    @classmethod
    def over(cls, quantity: str, points: Points, least: int = LEAST_POINTS) -> Self:
        """Return the exponent over swept values from their regrets by replication.

        Parameters
        ----------
        quantity : str
            In what the exponent is.
        points : iterable of (value, array), shape (replications,) each
            Regret by swept value.
        least : int
            Points that an exponent needs.

        Returns
        -------
        RateFit
        """
        known = dict(points)
        values, regrets = list(known), list(known.values())
        return cls(quantity, fit_points(abscissa(quantity, values), regrets, least), len(regrets[0]), values)

    @classmethod
    def growing(cls, t: Any, curves: Any, uniform: float = math.inf, share: float = LEARNT) -> Self:
        """Return the exponent in ln T along curves over the last `WINDOW`.

        None if what is lost a round there is not below a share of what uniform play loses.

        Parameters
        ----------
        t : array, shape (points,)
            Rounds of the checkpoints.
        curves : array, shape (replications, points)
            Regret.
        uniform : float
            Regret per round of uniform play.
        share : float in (0, 1]
            As for `learnt`.

        Returns
        -------
        RateFit
        """
        late = np.flatnonzero(t >= t[-1] / WINDOW)
        lost = np.mean(curves[:, -1] - curves[:, late[0]]) / (t[-1] - t[late[0]])
        fit = fit_log(t, curves) if learnt(lost, uniform, share) else None
        return cls(LOG, fit, len(curves), t[late].tolist(), along=True)

    def exponent(self, law: Callable[[float], float]) -> float:
        """Return the exponent that a law of growth has in this fit, at its points; NaN where too few count.

        Parameters
        ----------
        law : callable
            Takes a swept value, or the round.

        Returns
        -------
        float
        """
        if self.fit is None or len(self.values) < 2:
            return math.nan
        heights = np.array([law(value) for value in self.values])
        if self.along:  # up to a constant, which is the limit of small exponents of ln T
            if not np.ptp(heights):
                return 0.0
            t = np.asarray(self.values, float)
            return float(fit_growth(t, np.tile(heights, (2, 1)), t[0], t[-1]).measured)
        return float(exact_slope(abscissa(self.quantity, self.values), heights).measured)


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
    if (samples.sum(axis=0) - samples).min() <= 0.0:  # the rest has no regret, where one run is left out
        return None
    return fit_exponent(np.asarray(x, float), samples)


def exact_slope(x: Any, values: Any) -> Interval:
    """Return the exponent of computed values in x, least squares in logarithms, as an exact number."""
    return Interval.exact(float(np.polyfit(np.log(x), np.log(values), 1)[0]))


def by_replication(frame: pd.DataFrame, column: str) -> tuple[np.ndarray, np.ndarray]:
    """Return a column's values, ascending, and the regrets at them, shape (replications, values).

    Parameters
    ----------
    frame : DataFrame
        As `Chapter.play` returns, of one policy: at its last round, or its whole curve for "t".
    column : str
        What is swept, or "t".

    Returns
    -------
    array, array
    """
    table = frame.pivot(index="replication", columns=column, values="regret").sort_index(axis=1)
    return table.columns.to_numpy(float), table.to_numpy()


def abscissa(quantity: str, values: Any) -> np.ndarray:
    """Return swept values as the quantity that the exponent is in."""
    x = np.asarray(values, float)
    if quantity == DELTA:
        return np.log(1.25 / x)
    return 1.0 / x if quantity in (GAP, EPSILON) else np.log(x) if quantity == LOG else x


def fit_log(t: np.ndarray, curves: np.ndarray) -> Interval | None:
    """Return the exponent in ln t over the last `WINDOW`; None where a part has no regret."""
    try:
        return fit_growth(t, curves, t[-1] / WINDOW, t[-1])
    except ValueError:
        return None
