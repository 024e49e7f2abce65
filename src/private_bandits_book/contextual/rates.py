"""What is fitted to the longer studies: exponents, and where curves cross.

A point counts where the run has learnt: its regret is below half of what standing still, or uniform play, loses. Where
several gaps were played the point is the one with the largest mean regret on half of the runs, and the other half is
what is fitted; it counts where it is inside the range that was searched, whose end 1 is the largest gap there is, and
the largest gap has been learnt, at which uniform play loses most. The interval then also holds the choice of the gap:
the runs of both halves are drawn again, and the gap is chosen anew each time. For ln T the exponent is that of the
regret along a curve, from where the run has learnt.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from private_bandits.estimates import Interval, exponent_difference
from private_bandits_book.sweep import (
    LEAST_POINTS,
    LOG,
    RateFit,
    Sweep,
    abscissa,
    by_replication,
    chosen,
    learnt,
)

Sweeps = Iterable[tuple[str, Sweep]]
_RESAMPLED = 400  # times that runs are drawn again


class Point(NamedTuple):
    """The worst run of a sweep at one of its values."""

    value: Any  # of epsilon or T
    labels: dict[str, Any]
    regrets: np.ndarray  # by replication, of those that did not choose the gap
    counts: bool
    samples: Sequence[np.ndarray]  # of every gap, by replication


def points(sweep: Sweep, frame: pd.DataFrame) -> list[Point]:
    """Return the point of a sweep's fit at each of its values, from the rows of its study."""
    rows = sweep.rows(frame)
    rows = rows[rows["t"] == rows["horizon"]]
    level = "still" if "still" in rows else "uniform"  # proportional to the gap
    parts: dict[Any, list[pd.DataFrame]] = {}
    for (value, _), part in rows.sort_values([sweep.swept, level, "replication"]).groupby([sweep.swept, level]):
        parts.setdefault(value, []).append(part)
    return [_worst(value, own, level) for value, own in parts.items()]


def _worst(value: Any, parts: list[pd.DataFrame], level: str) -> Point:
    samples = [part["regret"].to_numpy() for part in parts]
    place, regrets = chosen(samples) if len(samples) > 1 else (0, samples[0])
    last = len(parts) - 1
    inside = last == 0 or 0 < place < last or (place == last and parts[last].iloc[0].get("gap") == 1.0)
    left = bool(learnt(samples[last].mean(), parts[last][level].iloc[0]))
    others = (regrets.sum() - regrets) / (len(regrets) - 1)  # the means that the fit needs above 0
    counts = inside and left and bool(others.min() > 0.0)
    return Point(value, parts[place].iloc[0].to_dict(), regrets, counts, samples)


def fits(sweeps: Sweeps, frame: pd.DataFrame) -> list[RateFit]:
    """Return the exponent of each sweep.

    Parameters
    ----------
    sweeps : iterable of (str, Sweep)
        With their rows of Table 1.
    frame : DataFrame
        The rows of their study.

    Raises
    ------
    LookupError
        If the study lacks a run of a sweep.
    """
    return [_fit(row, sweep, frame) for row, sweep in sweeps]


def difference(one: Sweep, other: Sweep, frame: pd.DataFrame) -> Interval | None:
    """Return the exponent of one sweep minus that of another, on the same seeds at the values that count in both.

    None where there are fewer than `LEAST_POINTS` of them.
    """
    x, first, second = _shared(one, other, frame)
    if len(x) < LEAST_POINTS:
        return None
    if len(first[0].samples) > 1:
        return _again(lambda a, b: _slopes(x, a) - _slopes(x, b), first, second)
    a, b = (np.column_stack([point.regrets for point in each]) for each in (first, second))
    return exponent_difference(x, a, b)


def crossing(one: Sweep, other: Sweep, frame: pd.DataFrame) -> Interval:
    """Return the value from which one sweep's regret stays below the other's, between values as a power law.

    The first where it does at all values, infinity where it never does.
    """

    def where(a: np.ndarray, b: np.ndarray) -> float:
        apart = np.log(a / b)
        above = np.flatnonzero(apart > 0.0)
        if not len(above) or above[-1] + 1 == len(x):
            return math.inf if len(above) else float(x[0])
        k = above[-1]
        return float(np.exp(np.interp(0.0, -apart[k : k + 2], np.log(x[k : k + 2]))))

    x, first, second = _shared(one, other, frame)
    return _again(lambda *means: np.array(list(map(where, *means))), first, second)


def _shared(one: Sweep, other: Sweep, frame: pd.DataFrame) -> tuple[np.ndarray, list[Point], list[Point]]:
    a, b = ({point.value: point for point in points(each, frame) if point.counts} for each in (one, other))
    values = sorted(set(a) & set(b))
    return abscissa(one.quantity, values), [a[value] for value in values], [b[value] for value in values]


def _again(statistic: Callable[..., np.ndarray], *groups: Sequence[Point]) -> Interval:
    """A statistic of groups of points' means, and how far it moves where runs are drawn again and gaps chosen anew."""
    found = statistic(*(np.column_stack([_resampled(point) for point in group]) for group in groups)).tolist()
    low, high = np.quantile(found[1:], (0.025, 0.975), method="inverted_cdf")
    return Interval(found[0], min(found[0], float(low)), max(found[0], float(high)))


def _resampled(point: Point) -> np.ndarray:
    """The mean of a point's runs, and of some drawn anew, everywhere the same."""
    samples = np.array(point.samples)
    choosing, measured = _drawn(samples.shape[1], len(samples) > 1)
    worst = np.take(samples, choosing, axis=1).mean(axis=2).argmax(axis=0)
    return np.asarray(samples[worst[:, None], measured].mean(axis=1))


@cache
def _drawn(runs: int, searched: bool) -> tuple[np.ndarray, np.ndarray]:
    """Runs that choose the gap and runs that are measured, a row a draw; the first row has those that there are."""
    rng, all_runs = np.random.default_rng(0), np.arange(runs)
    halves = (all_runs[::2], all_runs[1::2]) if searched else (all_runs, all_runs)
    draws = [halves, *([rng.choice(half, len(half)) for half in halves] for _ in range(_RESAMPLED))]
    choosing, measured = (np.array(half) for half in zip(*draws, strict=True))
    return choosing, measured


def _slopes(x: np.ndarray, means: np.ndarray) -> np.ndarray:
    return np.asarray(np.polyfit(np.log(x), np.log(means).T, 1)[0])


def _fit(row: str, sweep: Sweep, frame: pd.DataFrame) -> RateFit:
    labels = {"row": row, **{name: value for name, value in sweep.labels.items() if name != "quantity"}}
    if sweep.quantity == LOG:
        t, curves = _learnt(sweep, frame)
        found = RateFit(labels, LOG, None, max(len(t) - 1, 0), len(curves))
        if len(t) > LEAST_POINTS:
            found = RateFit.growing(labels, t.astype(int), curves, start=t[0])
    else:
        counted = [point for point in points(sweep, frame) if point.counts]
        found = RateFit.over(labels, sweep.quantity, ((point.value, point.regrets) for point in counted))
        if found.fit is not None and len(counted[0].samples) > 1:
            x = abscissa(sweep.quantity, found.values)
            again = _again(lambda means: _slopes(x, means), counted)
            low, high = min(found.fit.low, again.low), max(found.fit.high, again.high)
            found = found._replace(fit=found.fit._replace(low=low, high=high))
    return found


def _learnt(sweep: Sweep, frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """The rounds from which a run has learnt, and its curves there, a row a replication."""
    rows = sweep.rows(frame)
    t, curves = by_replication(rows, "t")
    rate = float(rows["still"].iloc[0]) / float(rows["horizon"].iloc[0])
    late = np.logical_or.accumulate(learnt(curves.mean(axis=0), rate * t))
    return t[late], curves[:, late]
