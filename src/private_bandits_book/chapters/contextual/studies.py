"""The longer study of the chapter on contexts: regret at the worst gap, and how its power is read from the rows.

A regret bound holds for every problem, so its power is that of the worst gap at each T. `private-bandits reproduce
contextual --long` plays a grid of gaps about it, in steps of a factor 2^(1/8); the rows are committed by replication.
The gap is chosen on one half of the runs and measured on the other. Between two gaps of the grid regret may be higher:
wrong actions grow no more often as the gap grows, so it is at most a step higher, and the interval of a power holds
every curve in between.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from private_bandits.estimates import Interval
from private_bandits.papers import contextual as paper
from private_bandits.papers.contextual import instances
from private_bandits.policy import Policy
from private_bandits_book.studies import LongRun, LongStudy

SEED, RUNS, OFTEN, DELTA = 202007, 20, 60, 1e-3
FINE, COARSE = 2 ** (1 / 8), 2 ** (1 / 4)
DESIGNS: dict[str, Callable[[float, int, int], Policy]] = {  # by epsilon, d and T
    "printed": lambda e, d, t: paper.by_stretches(paper.ldp_linucb(e, delta=DELTA, dim=d, horizon=t)),
    "derived": lambda e, d, t: paper.by_stretches(
        paper.ldp_linucb(e, delta=DELTA, dim=d, horizon=t, variant="derived", calibration="analytic")
    ),
    "weighted": lambda e, d, t: paper.weighted_regression(e, delta=DELTA, dim=d, horizon=t),
    "rewards": lambda e, d, t: paper.private_rewards(e, dim=d, n_actions=max(d, 2), horizon=t),
}
"""Algorithm 5 with the constants of the public codes and with ours, weighted regression, and private rewards."""
_FAR = (16.5, 17.0, 17.5, 18.0, 18.5)
_DECADES = (8, 9, 10, 11, 12, 13, 14)
_LATE = (13, 14, 15, 16, 17, 18)
_MIDDLES: dict[tuple[str, str, int], tuple[Sequence[float], Sequence[float]]] = {  # log10 T, and about the worst gaps
    ("printed", "one set", 2): (_FAR, (0.602, 0.472, 0.368, 0.288, 0.225)),
    ("derived", "one set", 1): (_DECADES, (0.259, 0.147, 0.0856, 0.0501, 0.029, 0.0164, 0.00898)),
    ("derived", "one set", 2): (_DECADES, (0.296, 0.19, 0.114, 0.0663, 0.0381, 0.0218, 0.0124)),
    ("derived", "one set", 3): (_DECADES, (0.348, 0.229, 0.139, 0.0812, 0.0462, 0.0266, 0.0152)),
    ("weighted", "one set", 1): (_DECADES, (0.0621, 0.0193, 0.00604, 0.00186, 0.000613, 0.000196, 6.32e-5)),
    ("weighted", "one set", 2): (_DECADES, (0.129, 0.0416, 0.0134, 0.00413, 0.00131, 0.000412, 0.000135)),
    ("weighted", "one set", 3): (_DECADES, (0.201, 0.0688, 0.0211, 0.00655, 0.00211, 0.000666, 0.000213)),
    ("rewards", "one set", 1): (_DECADES, (0.004, 0.00126, 0.0004, 0.000126, 4e-5, 1.26e-5, 4e-6)),
    ("rewards", "one set", 2): (_DECADES, (0.0113, 0.00358, 0.00113, 0.000358, 0.000113, 3.58e-5, 1.13e-5)),
    ("rewards", "one set", 3): (_DECADES, (0.016, 0.00506, 0.0016, 0.000506, 0.00016, 5.06e-5, 1.6e-5)),
    ("derived", "ten sets", 2): (_LATE, (0.345, 0.195, 0.11, 0.0626, 0.0356, 0.0202)),
    ("weighted", "ten sets", 2): (_LATE, (0.009, 0.0028, 0.0009, 0.00028, 9e-5, 2.8e-5)),
}
_EPSILONS = (0.25, 0.35, 0.5, 0.71)
_PRICES = {"weighted": (0.00415, 0.00314, 0.00235, 0.00174), "rewards": (0.000453, 0.000323, 0.000226, 0.000159)}


def _runs(design: str, sets: str, dim: int, epsilon: float, horizon: int, middle: float) -> list[LongRun]:
    """A run for each gap about the middle, up to 1, the largest there is."""
    policy, made = DESIGNS[design](epsilon, dim, horizon), []
    step, most = (COARSE, 8) if (design, sets) == ("weighted", "ten sets") else (FINE, 6)  # its peak is broad
    for gap in sorted({min(float(f"{middle * step**k:.3g}"), 1.0) for k in range(-most, most + 1)}):
        problem = instances.one_set(dim, gap=gap) if dim > 1 else instances.or_nothing(gap)
        problem = instances.skewed(gap) if sets == "ten sets" else problem
        labels = {"design": design, "sets": sets, "dim": dim, "horizon": horizon, "gap": gap}
        runs = OFTEN if (design, dim, epsilon) == ("rewards", 2, 1.0) else RUNS  # runs of this one differ most
        made.append(LongRun(labels, problem, policy, horizon, SEED, runs, ()))
    return made


def worst_runs() -> list[LongRun]:
    """Gaps about the worst one, for each design, set and horizon at epsilon 1, and for two designs at smaller ones."""
    made = []
    for (design, sets, dim), (logs, middles) in _MIDDLES.items():
        for log, middle in zip(logs, middles, strict=True):
            made += _runs(design, sets, dim, 1.0, round(10**log), middle)
    for design, middles in _PRICES.items():
        for epsilon, middle in zip(_EPSILONS, middles, strict=True):
            made += _runs(design, "one set", 2, epsilon, 10**12, middle)
    return made


STUDIES = {"worst": LongStudy(worst_runs, ["design", "sets", "dim", "epsilon", "horizon", "gap"])}


class Peak(NamedTuple):
    """Regret at the gaps of a grid, at one T or epsilon: shape (gaps, runs), the gaps in order."""

    x: float
    gaps: np.ndarray
    regrets: np.ndarray

    @property
    def place(self) -> int:
        """The gap with the largest mean on every other run."""
        return int(np.argmax(self.regrets[:, ::2].mean(axis=1)))

    @property
    def regret(self) -> np.ndarray:
        """Regret at that gap on the other runs."""
        return np.asarray(self.regrets[self.place, 1::2])


def peaks(rows: pd.DataFrame, along: str = "horizon", **facts: Any) -> list[Peak]:
    """Return what was run at each value of a column, the gaps in order.

    Parameters
    ----------
    rows : DataFrame
        Of the study "worst".
    along : {"horizon", "epsilon"}
    **facts
        Values of other columns: `design="derived", sets="one set", dim=2`.

    Raises
    ------
    LookupError
        If no row has these facts.
    """
    part = rows[(rows[list(facts)] == list(facts.values())).all(axis=1)]
    if part.empty:
        raise LookupError(f"{facts} must name runs of the study, got none")
    found = []
    for value, own in part.groupby(along):
        table = own.pivot(index="gap", columns="replication", values="regret").sort_index()
        found.append(Peak(float(str(value)), table.index.to_numpy(float), table.to_numpy()))
    return found


def exponent(points: Sequence[Peak], inverse: bool = False) -> Interval:
    """Return the power of x in regret at the worst gap, with the errors of the runs, the choice and the grid.

    Parameters
    ----------
    points : sequence of Peak
        At least 3.
    inverse : bool
        Whether the power is that of 1/x.
    """
    x = np.log([point.x for point in points]) * (-1.0 if inverse else 1.0)
    weights = (x - x.mean()) / np.sum((x - x.mean()) ** 2)
    rng, half = np.random.default_rng(0), points[0].regrets.shape[1] // 2
    drawn = [(np.arange(half), np.arange(half)), *rng.integers(0, half, (400, 2, half))]
    slopes = np.array([weights @ [_height(point, *runs) for point in points] for runs in drawn])
    low, high = np.quantile(slopes[1:], (0.025, 0.975))
    between = np.array([_between(point) for point in points])  # below and above the interpolated peak
    down = weights @ np.where(weights > 0, between[:, 0], between[:, 1])
    up = weights @ np.where(weights > 0, between[:, 1], between[:, 0])
    measured = float(slopes[0])
    ends = min(measured, float(low)) + float(down), max(measured, float(high)) + float(up)
    return Interval(measured, *ends, runs=half)


def _height(point: Peak, choosing: np.ndarray, measuring: np.ndarray) -> float:
    """The logarithm of the peak of a parabola through the chosen gap and its neighbours, at most a step above it."""
    place = int(np.argmax(point.regrets[:, ::2][:, choosing].mean(axis=1)))
    means = np.log(point.regrets[:, 1::2][:, measuring].mean(axis=1))
    if not 0 < place < len(means) - 1:
        return float(means[place])
    near, x = means[place - 1 : place + 2], np.log(point.gaps[place - 1 : place + 2])
    a, b, _ = np.polyfit(x - x[1], near, 2)
    rise = -(b**2) / (4.0 * a) if a < 0 else 0.0
    return float(near[1] + min(max(rise, 0.0), x[2] - x[1]))


def _between(point: Peak) -> tuple[float, float]:
    """How far the true peak may lie below and above the interpolated one: from the grid's to a step above it."""
    runs = np.arange(point.regrets.shape[1] // 2)
    grid, step = math.log(point.regret.mean()), float(np.log(point.gaps[1:] / point.gaps[:-1]).max())
    peak = _height(point, runs, runs)
    return grid - peak, grid + step - peak


def apart(one: Interval, other: Interval) -> Interval:
    """Return the difference of two exponents, every error added.

    Parameters
    ----------
    one, other : Interval
    """
    ends = one.low - other.high, one.high - other.low
    return Interval(one.measured - other.measured, *ends, runs=min(one.runs, other.runs))


def shown(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the worst gap of each design, set and horizon, on the runs that did not choose it.

    Parameters
    ----------
    rows : DataFrame
        Of the study "worst".
    """
    by, kept = ["design", "sets", "dim", "epsilon", "horizon"], []
    for _, part in rows.groupby(by, sort=False):
        (point,) = peaks(part)
        chosen = part[(part["gap"] == point.gaps[point.place]) & (part["replication"] % 2 == 1)]
        kept.append(
            chosen.assign(
                worst_gap=point.gaps[point.place], problem=f"{part['sets'].iloc[0]}, d = {part['dim'].iloc[0]}"
            )
        )
    return pd.concat(kept, ignore_index=True)
