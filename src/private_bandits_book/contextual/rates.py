"""What is fitted to the longer studies: exponents, and those of the derived bounds at the same points.

A point counts where the run has learnt: its regret is below half of what standing still, or uniform play, loses. Where
several gaps were played the point is the one with the largest mean regret on half of the runs, and the other half is
what is fitted; it counts where it is inside the range that was searched and the largest gap has been learnt, at which
uniform play loses most. For ln T the exponent is that of the regret along a curve, from where the run has learnt.
"""

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from private_bandits.estimates import Interval, exponent_difference, mean_interval
from private_bandits_book.contextual.sweeps import ADVERSARIAL
from private_bandits_book.sweep import (
    EPSILON,
    LEAST_POINTS,
    LOG,
    Form,
    RateFit,
    Sweep,
    abscissa,
    by_replication,
    chosen,
    learnt,
)

Sweeps = Iterable[tuple[str, Sweep]]


class Point(NamedTuple):
    """The worst run of a sweep at one of its values."""

    value: Any  # of epsilon or T
    labels: dict[str, Any]
    regrets: np.ndarray  # by replication, of those that did not choose the gap
    counts: bool


def points(sweep: Sweep, frame: pd.DataFrame) -> list[Point]:
    """Return the point of a sweep's fit at each of its values, from the rows of its study."""
    rows = sweep.rows(frame)
    rows = rows[rows["t"] == rows["horizon"]]
    level = "still" if "still" in rows else "uniform"  # proportional to the gap
    return [_worst(value, [part for _, part in own.groupby(level)], level) for value, own in rows.groupby(sweep.swept)]


def _worst(value: Any, parts: list[pd.DataFrame], level: str) -> Point:
    samples = [part.sort_values("replication")["regret"].to_numpy() for part in parts]
    place, regrets = chosen(samples) if len(samples) > 1 else (0, samples[0])
    last = len(parts) - 1
    inside = last == 0 or 0 < place < last
    left = bool(learnt(samples[last].mean(), parts[last][level].iloc[0]))
    others = (regrets.sum() - regrets) / (len(regrets) - 1)  # the means that the fit needs above 0
    return Point(value, parts[place].iloc[0].to_dict(), regrets, inside and left and bool(others.min() > 0.0))


def fits(sweeps: Sweeps, frame: pd.DataFrame, most: float = math.inf) -> list[RateFit]:
    """Return the exponent of each sweep, and that of its derived bound at the same points.

    Parameters
    ----------
    sweeps : iterable of (str, Sweep)
        With their rows of Table 1.
    frame : DataFrame
        The rows of their study.
    most : float
        In a sweep over epsilon larger ones do not count.

    Raises
    ------
    LookupError
        If the study lacks a run of a sweep.
    """
    return [_fit(row, sweep, frame, most) for row, sweep in sweeps]


def difference(one: Sweep, other: Sweep, frame: pd.DataFrame) -> Interval | None:
    """Return the exponent of one sweep minus that of another, on the same seeds at the values that count in both.

    None where there are fewer than `LEAST_POINTS` of them.
    """
    a, b = ({point.value: point.regrets for point in points(each, frame) if point.counts} for each in (one, other))
    values = sorted(set(a) & set(b))
    if len(values) < LEAST_POINTS:
        return None
    first, second = (np.column_stack([regrets[value] for value in values]) for regrets in (a, b))
    return exponent_difference(abscissa(one.quantity, values), first, second)


def _fit(row: str, sweep: Sweep, frame: pd.DataFrame, most: float) -> RateFit:
    labels = {"row": row, **{name: value for name, value in sweep.labels.items() if name != "quantity"}}
    if sweep.quantity == LOG:
        t, curves = _learnt(sweep, frame)
        found = RateFit(labels, LOG, None, max(len(t) - 1, 0), len(curves))
        if len(t) > LEAST_POINTS:
            found = RateFit.growing(labels, t.astype(int), curves, start=t[0])
    else:
        small = math.inf if sweep.quantity != EPSILON else most
        counted = [point for point in points(sweep, frame) if point.counts and point.labels["epsilon"] <= small]
        found = RateFit.over(labels, sweep.quantity, ((point.value, point.regrets) for point in counted))
    if sweep.bound is None or found.fit is None:
        return found
    return found._replace(of_bound=Interval.exact(found.exponent(Form("the derived bound", sweep.bound))))


def _learnt(sweep: Sweep, frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """The rounds from which a run has learnt, and its curves there, a row a replication."""
    rows = sweep.rows(frame)
    t, curves = by_replication(rows, "t")
    rate = float(rows["still"].iloc[0]) / float(rows["horizon"].iloc[0])
    late = np.logical_or.accumulate(learnt(curves.mean(axis=0), rate * t))
    return t[late], curves[:, late]


def finals(sweeps: Sweeps, frame: pd.DataFrame) -> pd.DataFrame:
    """Measured regret at the end of each run beside the derived bound; without arms, whose bound is for the worst gap.

    Returns
    -------
    DataFrame
        A row per value of a sweep: `row, reading, epsilon, horizon, bound, uniform, measured, low, high`.
    """
    found = []
    for row, sweep in sweeps:
        if sweep.bound is None or row == ADVERSARIAL:
            continue
        for point in points(sweep, frame):
            (run,) = sweep.run(point.value)
            labels = {name: run.labels[name] for name in ("epsilon", "horizon")}
            uniform = run.problem.uniform_regret() * run.horizon
            ends = {"bound": sweep.bound(point.value), "uniform": uniform} | mean_interval(point.regrets).columns()
            found.append({"row": row, "reading": sweep.labels["reading"], **labels, **ends})
    return pd.DataFrame(found)
