"""One design of longer studies, one fit and one word for what counts: how regret grows with what is swept.

A `Sweep` names what moves, and its runs at each value. A point counts where the runs have `learnt`; a `RateFit` is the
exponent of the means at the points that count, by replication. A `Form` is a law of growth: its exponent in the same
fit at the same points is what a claim predicts, so that finite horizons bend regret, claim and alternative alike.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd

from private_bandits.estimates import Interval, fit_exponent, fit_growth
from private_bandits_book.rules import NOT_LEARNT, Rate, Ruling, by_runs
from private_bandits_book.studies import LongRun

LEARNT = 0.5  # share of uniform play's regret below which runs have learnt
LEAST_POINTS = 4  # of an exponent
PLANNED = 3  # of one whose points were all chosen beforehand to have learnt, so that none is left out
LEAST_RUNS = 5  # of a point, those that choose a worst case not counted
WINDOW = 100  # the last two decades, over which growth in ln t is fitted
GAP, EPSILON, HORIZON, LOG, SIZE = "1/gap", "1/epsilon", "T", "ln T", "K"
DELTA = "ln(1.25/delta)"
Labels = Mapping[str, Any]
Points = Iterable[tuple[Any, np.ndarray | None]]
_COLUMNS = {GAP: "gap", EPSILON: "epsilon", HORIZON: "horizon", LOG: "horizon", SIZE: "size", DELTA: "delta"}


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


class Sweep(NamedTuple):
    """A row of runs behind one exponent.

    Attributes
    ----------
    labels : mapping
        What tells the sweep from others: columns of its runs' rows, the first ones where the runs do not repeat them.
    quantity : str
        In what the exponent is: "T", "ln T", "1/epsilon", "1/gap", "K", ...
    values : sequence
        What the swept argument takes, as in the rows of the runs.
    run : callable
        Returns the runs of a value, several where a worst case is searched; `labels` are put before their own.
    bound : callable, optional
        What is proven at a value.
    design : str
        What is played, where a label says more than that.
    column : str
        Of the rows, where the values are; "" for that of the quantity.
    """

    labels: Mapping[str, Any]
    quantity: str
    values: Sequence[Any]
    run: Callable[[Any], Sequence[LongRun]]
    bound: Callable[[Any], float] | None = None
    design: str = ""
    column: str = ""

    @classmethod
    def over(
        cls,
        labels: Mapping[str, Any],
        horizons: Sequence[int],
        epsilons: Sequence[float],
        runs: Callable[[int, float], Sequence[LongRun]],
        bound: Callable[[int, float], float] | None = None,
        log: bool = False,
    ) -> Self:
        """Return a sweep over T (`log`: ln T) or, if there are several epsilons, over epsilon; it is also a label."""
        several = len(epsilons) > 1
        quantity = EPSILON if several else LOG if log else HORIZON

        def at(value: Any) -> tuple[int, float]:
            return (horizons[0], value) if several else (value, epsilons[0])

        return cls(
            {**labels, "quantity": quantity},
            quantity,
            epsilons if several else horizons,
            cache(lambda value: runs(*at(value))),
            None if bound is None else lambda value: bound(*at(value)),
        )

    def runs(self, values: Sequence[Any] | None = None) -> list[LongRun]:
        """Return the runs of all values, or of some of them, in order."""
        made = [one for value in (self.values if values is None else values) for one in self.run(value)]
        first = [{name: self.labels[name] for name in self.labels if name not in one.labels} for one in made]
        return [one._replace(labels={**more, **one.labels}) for more, one in zip(first, made, strict=True)]

    @property
    def swept(self) -> str:
        """The column of the rows where the values are."""
        return self.column or _COLUMNS[self.quantity]

    def rows(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the sweep's rows of a longer study.

        Raises
        ------
        LookupError
            If the study lacks the runs of a value.
        """
        rows = frame[np.logical_and.reduce([frame[name] == value for name, value in self.labels.items()])]
        missing = set(self.values) - set(rows[self.swept])
        if missing:
            raise LookupError(f"the longer study lacks the runs of {dict(self.labels)} at {sorted(missing)}")
        return rows


def interleaved(*groups: Sequence[Sweep]) -> list[LongRun]:
    """Return the runs of groups of sweeps, value by value in each group; a run of several sweeps is made once."""
    made = [one for group in groups for value in group[0].values for sweep in group for one in sweep.runs([value])]
    return list({tuple(one.labels.values()): one for one in made}.values())


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
    regrets : array, shape (replications, points), or None
        What was fitted, where modes that runs may have count.
    """

    labels: Mapping[str, Any]
    quantity: str
    fit: Interval | None
    points: int
    replications: int = 0
    of_bound: Interval | None = None
    values: Sequence[float] | np.ndarray = ()
    along: bool = False
    regrets: np.ndarray | None = None

    @classmethod
    def over(cls, labels: Labels, quantity: str, points: Points, least: int = LEAST_POINTS) -> Self:
        """Return the exponent over swept values from their regrets by replication; what has None does not count."""
        kept = {value: regrets for value, regrets in points if regrets is not None}
        values, regrets = list(kept), list(kept.values())
        fit = fit_points(abscissa(quantity, values), regrets, least)
        runs, samples = (len(regrets[0]), np.column_stack(regrets)) if kept else (0, None)
        return cls(labels, quantity, fit, len(kept), runs, values=values, regrets=samples)

    @classmethod
    def growing(
        cls, labels: Labels, t: Any, curves: Any, uniform: float = math.inf, share: float = LEARNT, start: float = 0
    ) -> Self:
        """Return the exponent in ln T along curves from `start` on, or over the last `WINDOW`.

        None if what is lost a round there is not below a share of what uniform play loses.
        """
        late = np.flatnonzero(t >= (start or t[-1] / WINDOW))
        lost = np.mean(curves[:, -1] - curves[:, late[0]]) / (t[-1] - t[late[0]])
        fit = fit_log(t, curves, start or None) if learnt(lost, uniform, share) else None
        pieces = len(late) - 1 if fit is not None else 0
        return cls(labels, LOG, fit, pieces, len(curves), values=t[late].tolist(), along=True, regrets=curves[:, late])

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

    def ruling(self, claimed: Form, *alternatives: Form, exact: bool = False) -> Ruling:
        """Judge the claimed law against the nearest wrong ones, all by their exponents in this fit."""
        others = {form.name: self.exponent(form) for form in alternatives}
        judge = partial(Rate(self.exponent(claimed), others, exact=exact, quantity=self.quantity), missing=NOT_LEARNT)
        if self.regrets is None:
            return judge(self.fit)
        return by_runs(judge, lambda _: self.fit or Interval(), self.regrets)

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
    if quantity == DELTA:
        return np.log(1.25 / x)
    return 1.0 / x if quantity in (GAP, EPSILON) else np.log(x) if quantity == LOG else x


def fit_log(t: np.ndarray, curves: np.ndarray, start: float | None = None) -> Interval | None:
    """Return the exponent in ln t from `start` (default: the last `WINDOW`); None where a part has no regret."""
    try:
        return fit_growth(t, curves, t[-1] / WINDOW if start is None else start, t[-1])
    except ValueError:
        return None
